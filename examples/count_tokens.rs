//! Counts the tokens of files: `count_tokens VOCABULARY [FILE…]`. Used by the benchmark under callgrind.
use gentle_cascade::core::measure::bpe::{Builder, Encoding};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let vocabulary = std::fs::read(args.next().ok_or("usage: count_tokens VOCABULARY [FILE…]")?)?;
    let tokenizer = Builder::new(Encoding::O200kBase, vocabulary)?.finish()?;
    for file in args {
        println!("{} {file}", tokenizer.count(&std::fs::read(&file)?));
    }
    Ok(())
}
