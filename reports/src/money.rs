//! Prices: a table as data, and money as whole billionths of the currency unit, so that sums are exact.
//!
//! Prices per million tokens with up to three decimals are whole billionths per token, which covers every public
//! price list. What a prefix cache serves is decided where requests are made; here it only has its price.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::trace::TokenCounts;
use crate::words::Role;

/// A price list as written in a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PriceTable {
    /// The currency, such as `USD`.
    pub currency: String,
    /// Prices; the first that fits a call's role and model is its price.
    pub prices: Vec<Price>,
}

/// One price, per million tokens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// The role that it is for; all roles without one.
    #[serde(default)]
    pub role: Option<Role>,
    /// The model that it is for; all models without one.
    #[serde(default)]
    pub model: Option<String>,
    /// Prompt tokens that no cache served.
    pub prompt: f64,
    /// Prompt tokens that a cache served; like `prompt` without one.
    #[serde(default)]
    pub cached: Option<f64>,
    /// Prompt tokens that are written into a cache, which is all that it did not serve; like `prompt` without one.
    #[serde(default)]
    pub cache_write: Option<f64>,
    /// Tokens of answers.
    pub completion: f64,
}

/// A price that cannot be used.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("price {number} of the table: {field} is {found}; a price is a number from 0 to {PRICE_MAX}")]
pub struct PriceError {
    /// Which price, from 1.
    pub number: usize,
    /// Which field of it.
    pub field: &'static str,
    /// What was found.
    pub found: f64,
}

/// The highest price per million tokens that a table may hold. Far above any price list, and low enough that sums
/// over 10^12 tokens stay within 64 bits.
pub const PRICE_MAX: f64 = 10_000.0;

/// A checked price list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prices {
    currency: String,
    rows: Vec<Row>,
}

/// Billionths of the currency unit per token.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    role: Option<Role>,
    model: Option<String>,
    uncached: u64,
    cached: u64,
    completion: u64,
}

impl Prices {
    /// Checks a price list.
    ///
    /// # Errors
    /// The first price that is negative, too high or no number.
    pub fn new(table: &PriceTable) -> Result<Self, PriceError> {
        let rows = table.prices.iter().enumerate().map(|(index, price)| Row::new(index + 1, price));
        Ok(Self { currency: table.currency.clone(), rows: rows.collect::<Result<_, _>>()? })
    }

    /// The currency.
    pub fn currency(&self) -> &str {
        &self.currency
    }

    /// The price of one call in billionths of the currency unit; none if no price fits it.
    ///
    /// cost = (prompt − cached) × uncached price + cached × cached price + completion × completion price.
    pub fn cost_nanos(&self, role: Option<Role>, model: &str, tokens: TokenCounts) -> Option<u64> {
        let fits = |row: &&Row| {
            row.role.is_none_or(|wanted| Some(wanted) == role)
                && row.model.as_deref().is_none_or(|wanted| wanted == model)
        };
        let row = self.rows.iter().find(fits)?;
        let cached = tokens.cached.min(tokens.prompt);
        let parts = [
            (tokens.prompt - cached, row.uncached),
            (cached, row.cached),
            (tokens.completion, row.completion),
        ];
        Some(
            parts.iter().fold(0, |sum: u64, (count, price)| sum.saturating_add(count.saturating_mul(*price))),
        )
    }
}

impl Row {
    fn new(number: usize, price: &Price) -> Result<Self, PriceError> {
        let nanos = |field, value: f64| {
            if (0.0..=PRICE_MAX).contains(&value) {
                Ok(to_nanos(value))
            } else {
                Err(PriceError { number, field, found: value })
            }
        };
        let prompt = nanos("prompt", price.prompt)?;
        Ok(Self {
            role: price.role,
            model: price.model.clone(),
            uncached: price.cache_write.map_or(Ok(prompt), |value| nanos("cache_write", value))?,
            cached: price.cached.map_or(Ok(prompt), |value| nanos("cached", value))?,
            completion: nanos("completion", price.completion)?,
        })
    }
}

/// Billionths per token of a price per million tokens.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to lie between 0 and PRICE_MAX, so the product fits by far"
)]
fn to_nanos(per_million: f64) -> u64 {
    (per_million * 1000.0).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prices(json: &str) -> Result<Prices, PriceError> {
        Prices::new(&serde_json::from_str(json).unwrap())
    }

    #[test]
    fn the_first_fitting_price_counts_to_the_last_billionth() {
        let prices = prices(
            r#"{ "currency": "USD", "prices": [
                { "role": "review", "model": "small", "prompt": 0.075, "completion": 0.3 },
                { "role": "main", "prompt": 3, "cached": 0.3, "cache_write": 3.75, "completion": 15 } ] }"#,
        )
        .unwrap();
        let tokens = TokenCounts { prompt: 1000, cached: 800, completion: 10 };
        let cost = |role, model| prices.cost_nanos(Some(role), model, tokens);
        assert_eq!(cost(Role::Main, "any"), Some(200 * 3750 + 800 * 300 + 10 * 15_000));
        assert_eq!(cost(Role::Review, "small"), Some(1000 * 75 + 10 * 300));
        assert_eq!(cost(Role::Review, "large"), None);
    }

    #[test]
    fn impossible_prices_are_refused() {
        let error =
            prices(r#"{ "currency": "USD", "prices": [{ "prompt": 1, "completion": -1 }] }"#).unwrap_err();
        insta::assert_snapshot!(error, @"price 1 of the table: completion is -1; a price is a number from 0 to 10000");
    }
}
