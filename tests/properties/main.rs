//! Properties over random histories, per wire format. `GENTLE_CASES` sets how many of each (default 2,000).
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

mod broken;
mod history;
mod judged;
mod views;

use proptest::test_runner::Config;

/// How many cases each property gets.
fn cases() -> Config {
    let cases = std::env::var("GENTLE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(2_000);
    // Minimised findings become named tests beside the rule they are about, not files of seeds.
    Config { cases, failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() }
}

/// One property for each format.
#[macro_export]
macro_rules! for_every_format {
    ($property:ident: $($test:ident = $format:literal),+ $(,)?) => {
        $(#[test]
        fn $test() {
            $property($format);
        })+
    };
}
