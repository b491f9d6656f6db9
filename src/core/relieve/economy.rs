//! What an edit of old rows costs at the host's cache prices, and when it pays.
//!
//! An edit makes the provider write the rest of the prompt into its cache again; every later request then
//! reads less. Nobody knows how many requests follow, so the rule is the one of renting and buying: old
//! results are carried until carrying them has cost twice what the edit costs. At once it is right when
//! the cache is cold, because then everything is written again anyway, or when the window forces it.

use serde::Serialize;

use crate::core::config::Prices;

/// Carrying must have cost so many times the price of the edit.
const TIMES: f64 = 2.0;

/// The account of one possible pass, in input tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Account {
    /// Tokens behind the first edit, to be written again.
    pub rewritten: u32,
    /// What that costs, in tokens at the input price.
    pub cost: f64,
    /// What every later request costs less.
    pub saving: f64,
    /// Requests after which the pass has paid for itself; absent when it never does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub break_even: Option<u32>,
    /// What carrying the old results has cost since the last pass.
    pub carried: f64,
    /// Whether the cache has expired, so that the edit costs nothing.
    pub cold: bool,
}

impl Account {
    /// The account of a pass that leaves `rewritten` tokens behind its first edit and frees `freed`.
    pub fn of(prices: &Prices, rewritten: u32, freed: u32, carried: f64, idle_ms: Option<f64>) -> Self {
        let cold = idle_ms.is_some_and(|ms| ms >= f64::from(prices.ttl_seconds) * 1_000.0);
        let unit = if prices.input > 0.0 { prices.input } else { 1.0 };
        let extra = if cold { 0.0 } else { ((prices.cache_write - prices.cache_read) / unit).max(0.0) };
        let cost = extra * f64::from(rewritten);
        let saving = prices.cache_read / unit * f64::from(freed);
        let requests = (cost / saving).ceil();
        let break_even = (saving > 0.0 && requests <= f64::from(u32::MAX)).then_some(requests as u32);
        Account { rewritten, cost: cents(cost), saving: cents(saving), break_even, carried: cents(carried), cold }
    }

    /// What one request pays for carrying `tokens` that could be freed.
    pub fn rent(prices: &Prices, tokens: u32) -> f64 {
        let unit = if prices.input > 0.0 { prices.input } else { 1.0 };
        prices.cache_read / unit * f64::from(tokens)
    }

    /// Whether the pass is worth it now, without pressure.
    pub fn pays(&self) -> bool {
        self.cold || self.carried >= TIMES * self.cost
    }

    /// For a person.
    pub fn in_words(&self) -> String {
        let after = self.break_even.map_or_else(|| "never pays".to_owned(), |n| format!("pays after {n} requests"));
        format!("cache: rewrites {} tokens for {}, saves {} per request, {after}", self.rewritten, self.cost, self.saving)
    }
}

fn cents(n: f64) -> f64 {
    (n * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_account_of_a_pass_by_hand() {
        // 10,000 tokens at 1.25 - 0.1; 4,000 tokens at 0.1 less per request.
        let prices = Prices::default();
        let account = Account::of(&prices, 10_000, 4_000, 0.0, Some(299_999.0));
        assert_eq!((account.cost, account.saving, account.break_even), (11_500.0, 400.0, Some(29)));
        assert!(!account.pays());
        assert!(!Account::of(&prices, 10_000, 4_000, 22_999.0, None).pays());
        assert!(Account::of(&prices, 10_000, 4_000, 23_000.0, None).pays());
    }

    #[test]
    fn a_cold_cache_makes_it_free() {
        let account = Account::of(&Prices::default(), 10_000, 4_000, 0.0, Some(300_000.0));
        assert_eq!((account.cost, account.break_even, account.cold), (0.0, Some(0), true));
        assert!(account.pays());
    }

    #[test]
    fn prices_are_relative_to_the_input_price() {
        let prices = Prices { input: 2.0, cache_read: 0.2, cache_write: 2.5, ttl_seconds: 300 };
        assert_eq!(Account::of(&prices, 10_000, 4_000, 0.0, None).cost, 11_500.0);
        assert_eq!(Account::rent(&prices, 1_000), 100.0);
    }
}
