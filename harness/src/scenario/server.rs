//! The model server of a scenario, how long calls take, what tokens cost.

use std::sync::Arc;

use agent_core::machine::{Command, ServerPlan};
use agent_core::values::SimDuration;
use mock_llm::decode::Decoder;
use mock_llm::yaml::Node;
use reports::Role;
use reports::money::{PRICE_MAX, Price, PriceTable, Prices};

use super::model::{Item, What};
use super::times::{Clock, positive_span, span};
use crate::sim::{Latencies, Pace};

/// A wait in milliseconds is at most a day.
const MILLIS_MAX: i64 = 86_400_000;

/// The keys of a server, of latencies and a pace, of prices and a price.
pub(super) const SERVER: &[&str] = &["model", "managed", "slots", "busy"];
pub(super) const BUSY: &[&str] = &["at", "for"];
pub(super) const LATENCIES: &[&str] = &["main", "review", "curator", "other", "tool"];
pub(super) const PACE: &[&str] = &["first_ms", "per_token_ms"];
pub(super) const PRICES: &[&str] = &["currency", "prices"];
pub(super) const PRICE: &[&str] = &["role", "model", "prompt", "cached", "cache_write", "completion"];

/// The name of the model of a scenario that names none.
const MODEL: &str = "scripted";

/// A server has at most so many slots.
const SLOTS_MAX: i64 = 10_000;

/// The model server.
pub(super) struct Server {
    /// The name of the main model.
    pub(super) model: Arc<str>,
    /// What the agent knows of it.
    pub(super) plan: ServerPlan,
    /// When others keep it busy: beginnings and ends, in order, without overlap.
    busy: Vec<(SimDuration, SimDuration)>,
}

impl Default for Server {
    fn default() -> Self {
        Self { model: MODEL.into(), plan: ServerPlan::default(), busy: Vec::new() }
    }
}

impl Server {
    /// Its busy times as items of a timeline for so many users.
    pub(super) fn items(&self, users: usize) -> Vec<Item> {
        let marks = self.busy.iter().flat_map(|(begin, end)| [(*begin, true), (*end, false)]);
        let of_all = marks.flat_map(|mark| (0..users).map(move |user| (mark, user)));
        of_all
            .map(|((at, busy), user)| Item { at, user, what: What::Command(Command::ServerBusy { busy }) })
            .collect()
    }
}

/// `{ model: …, managed: true, slots: 1, busy: [{ at: 1h, for: 5m }] }`.
pub(super) fn server(d: &Decoder, node: &Node, clock: Clock) -> Option<Server> {
    let map = d.map(node, "a server", SERVER)?;
    let model = map.or("model", MODEL, Decoder::word).into();
    let managed = map.or("managed", false, Decoder::bool);
    let slots = map.or("slots", 0, |d, node| u32::try_from(d.whole(node, 0..=SLOTS_MAX)?).ok());
    let busy =
        map.or("busy", Vec::new(), |d, node| d.list(node, "a list of times", |d, node| busy(d, node, clock)));
    for key in ["slots", "busy"] {
        if let Some(span) = map.key_span(key).filter(|_| !managed) {
            d.error_with(
                span,
                format!("`{key}` says something only of a server that the agent manages"),
                "add `managed: true`",
            );
        }
    }
    Some(Server { model, plan: ServerPlan { managed, slots }, busy: joined(busy) })
}

fn busy(d: &Decoder, node: &Node, clock: Clock) -> Option<(SimDuration, SimDuration)> {
    let map = d.map(node, "a busy time", BUSY)?;
    let at = map.required("at", |d, node| clock.at(d, node));
    let lasts = map.required("for", positive_span)?;
    at.map(|at| (at, at + lasts))
}

/// Times in order; those that touch or overlap as one.
fn joined(mut times: Vec<(SimDuration, SimDuration)>) -> Vec<(SimDuration, SimDuration)> {
    times.sort_unstable();
    let mut joined: Vec<(SimDuration, SimDuration)> = Vec::new();
    for (begin, end) in times {
        match joined.last_mut() {
            Some(last) if begin <= last.1 => last.1 = last.1.max(end),
            _ => joined.push((begin, end)),
        }
    }
    joined
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_times_that_touch_are_one() {
        let minutes = |minutes: u64| SimDuration::from_secs(60 * minutes);
        let times = [(5, 7), (0, 1), (1, 2), (6, 9)].map(|(begin, end)| (minutes(begin), minutes(end)));
        let expected = [(0, 2), (5, 9)].map(|(begin, end)| (minutes(begin), minutes(end)));
        assert_eq!(joined(times.into()), expected);
        let server = Server { busy: expected.into(), ..Server::default() };
        assert_eq!(server.items(2).len(), 8, "each begins and ends for each user");
    }
}
