//! The model server of a scenario, how long calls take, what tokens cost.

use std::sync::Arc;

use mock_llm::decode::Decoder;
use mock_llm::yaml::Node;
use reports::Role;
use reports::money::{PRICE_MAX, Price, PriceTable, Prices};

use super::times::span;
use crate::sim::{Latencies, Pace};

/// A wait in milliseconds is at most a day.
const MILLIS_MAX: i64 = 86_400_000;

/// The keys of a server, of latencies and a pace, of prices and a price.
pub(super) const SERVER: &[&str] = &["model"];
pub(super) const LATENCIES: &[&str] = &["main", "review", "curator", "other", "tool"];
pub(super) const PACE: &[&str] = &["first_ms", "per_token_ms"];
pub(super) const PRICES: &[&str] = &["currency", "prices"];
pub(super) const PRICE: &[&str] = &["role", "model", "prompt", "cached", "cache_write", "completion"];

/// The name of the main model.
pub(super) fn server(d: &Decoder, node: &Node) -> Option<Arc<str>> {
    let map = d.map(node, "a server", SERVER)?;
    map.required("model", Decoder::word).map(Arc::from)
}

/// `main: { first_ms: 800, per_token_ms: 15 }` …, `tool: 400ms`.
pub(super) fn latencies(d: &Decoder, node: &Node) -> Option<Latencies> {
    let map = d.map(node, "latencies", LATENCIES)?;
    let default = Latencies::default();
    Some(Latencies {
        main: map.or("main", default.main, |d, node| pace(d, node, default.main)),
        review: map.or("review", default.review, |d, node| pace(d, node, default.review)),
        curator: map.or("curator", default.curator, |d, node| pace(d, node, default.curator)),
        other: map.or("other", default.other, |d, node| pace(d, node, default.other)),
        tool: map.or("tool", default.tool, span),
    })
}

fn pace(d: &Decoder, node: &Node, default: Pace) -> Option<Pace> {
    let map = d.map(node, "a pace", PACE)?;
    let millis = |d: &Decoder, node: &Node| u64::try_from(d.whole(node, 0..=MILLIS_MAX)?).ok();
    Some(Pace {
        first_ms: map.or("first_ms", default.first_ms, millis),
        per_token_ms: map.or("per_token_ms", default.per_token_ms, millis),
    })
}

/// `{ currency: USD, prices: [{ role: main, prompt: 3, cached: 0.3, completion: 15 }] }`, per million tokens.
pub(super) fn prices(d: &Decoder, node: &Node) -> Option<Prices> {
    let map = d.map(node, "prices", PRICES)?;
    let currency = map.required("currency", Decoder::word);
    let prices = map.required("prices", |d, node| d.list(node, "a list of prices", price));
    let table = PriceTable { currency: currency?.to_owned(), prices: prices? };
    match Prices::new(&table) {
        Ok(prices) => Some(prices),
        Err(error) => {
            d.error(node.span, error.to_string());
            None
        }
    }
}

fn price(d: &Decoder, node: &Node) -> Option<Price> {
    let map = d.map(node, "a price", PRICE)?;
    let roles: Vec<(&'static str, Role)> = Role::ALL.iter().map(|role| (role.as_str(), *role)).collect();
    let amount = |d: &Decoder, node: &Node| d.number(node, 0.0..=PRICE_MAX);
    Some(Price {
        role: map.optional("role", |d, node| d.choice(node, &roles)),
        model: map.optional("model", Decoder::word).map(str::to_owned),
        prompt: map.required("prompt", amount)?,
        cache_write: map.optional("cache_write", amount),
        cached: map.optional("cached", amount),
        completion: map.required("completion", amount)?,
    })
}
