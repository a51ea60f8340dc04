//! Rates: how often a model does what the script cannot derive, each with what it rests on.
//!
//! Every rate must be given: a rate that nobody stated is a guess that looks like a result. They are written out, taken
//! from one of three named worlds, or from a calibration that counts each of them. A figure has the weakest evidence of
//! its inputs, so the weakest rate speaks for the whole cell.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

use mock_llm::decode::{Decoder, MapReader};
use mock_llm::diagnose::Source;
use mock_llm::yaml::Node;
use reports::Evidence;
use thiserror::Error;

use super::keys;

/// Counts above this are mistakes.
const COUNT_MAX: i64 = 1_000_000_000;

/// The named worlds, floor first, as their files in `scenarios/worlds/` state them.
const WORLDS: [(&str, &str); 3] = [
    ("never-loaded", include_str!("../../../scenarios/worlds/rates-never-loaded.yaml")),
    ("sometimes", include_str!("../../../scenarios/worlds/rates-sometimes.yaml")),
    ("always", include_str!("../../../scenarios/worlds/rates-always.yaml")),
];

static NAMED: LazyLock<BTreeMap<&'static str, Rates>> = LazyLock::new(|| {
    let read = |(name, text): (&'static str, &str)| {
        let decoder = Decoder::new(&Source::new(format!("rates-{name}.yaml"), text));
        let rates = decoder.read().and_then(|node| file(&decoder, &node, Counted::Any));
        let (rates, _) = decoder.finish(rates).expect("the shipped worlds are right; a test reads them");
        (name, Rates { world: name.into(), ..rates })
    };
    WORLDS.into_iter().map(read).collect()
});

/// What follows the name of a world of which a sweep changed a rate.
const CHANGED: &str = ", changed";

/// Why a rate cannot be changed so.
#[derive(Clone, Debug, PartialEq, Error)]
pub(crate) enum RateError {
    /// It is no share.
    #[error("the rate `{name}` is a share from 0 to 1, not {value}")]
    NoShare {
        /// The rate.
        name: String,
        /// What was given.
        value: String,
    },
    /// There is none of this name.
    #[error("there is no rate `{name}`")]
    Unknown {
        /// The name.
        name: String,
    },
}

/// One rate.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rate {
    /// A share from 0 to 1.
    pub(crate) value: f64,
    /// What it rests on.
    pub(crate) evidence: Evidence,
    /// Where it comes from, in words.
    pub(crate) source: Arc<str>,
    /// How often it was observed, out of how many cases.
    pub(crate) observed: Option<(u64, u64)>,
}

/// All rates of an arm.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rates {
    /// The named world whose rates they are, marked where a sweep changed one; empty for other rates that a file states.
    pub(crate) world: Arc<str>,
    rates: BTreeMap<String, Rate>,
}

/// Whether a rate may be typed, or must be a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counted {
    /// Either.
    Any,
    /// It must be a count: the file is a calibration.
    Only,
}

impl Rates {
    /// The rates of a named world.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        NAMED.get(name)
    }

    /// The names of the named worlds.
    pub(crate) fn worlds() -> impl Iterator<Item = &'static str> + Clone {
        WORLDS.iter().map(|(name, _)| *name)
    }

    /// The same, under the name of the named world that has just these rates, whoever wrote them out.
    pub(crate) fn recognised(mut self) -> Self {
        let same = |known: &Rate, rate: &Rate| {
            known.value.total_cmp(&rate.value).is_eq()
                && (known.evidence, known.observed) == (rate.evidence, rate.observed)
        };
        let twin = NAMED.values().find(|world| {
            world.rates.iter().all(|(name, known)| self.rates.get(name).is_some_and(|rate| same(known, rate)))
        });
        if let Some(world) = twin {
            self.world = Arc::clone(&world.world);
        }
        self
    }

    /// The value of a rate by its dotted name (`follow.skill`). Every name of the list is there.
    pub(crate) fn value(&self, name: &str) -> f64 {
        self.rates[name].value
    }

    /// What the figures of a cell with these rates rest on: the weakest of them.
    pub(crate) fn evidence(&self) -> Evidence {
        self.rates.values().fold(Evidence::Counted, |weakest, rate| weakest.weakest(rate.evidence))
    }

    /// All rates by their dotted names.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Rate)> {
        self.rates.iter().map(|(name, rate)| (&**name, rate))
    }

    /// The names of all rates.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        NAMED.values().next().into_iter().flat_map(|rates| rates.rates.keys().map(String::as_str))
    }

    /// The same with one rate changed by a sweep. The named world that it was stays in the name of what it is now, so
    /// that arms of different worlds are not taken for arms of one.
    ///
    /// # Errors
    /// There is no such rate, or the value is no share.
    pub(crate) fn changed(&self, name: &str, value: f64) -> Result<Self, RateError> {
        if !(0.0..=1.0).contains(&value) {
            return Err(RateError::NoShare { name: name.to_owned(), value: value.to_string() });
        }
        let mut changed = self.clone();
        let rate = changed.rates.get_mut(name).ok_or_else(|| RateError::Unknown { name: name.to_owned() })?;
        *rate = Rate { value, evidence: Evidence::Assumed, source: "varied".into(), observed: None };
        if !(self.world.is_empty() || self.world.ends_with(CHANGED)) {
            changed.world = format!("{}{CHANGED}", self.world).into();
        }
        Ok(changed)
    }
}

/// The rate that a key of a sweep names (`rates.follow.skill`); none for a setting of the agent.
pub(crate) fn rate_name(key: &str) -> Option<&str> {
    key.strip_prefix("rates.")
}

/// All that a cell's results can depend on.
impl fmt::Display for Rates {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.world)?;
        for (name, rate) in &self.rates {
            write!(formatter, " {name}={} ({})", rate.value, rate.evidence)?;
        }
        Ok(())
    }
}

/// A file of rates.
pub(crate) fn file(d: &Decoder, node: &Node, counted: Counted) -> Option<Rates> {
    let map = d.map(node, "a file of rates", keys::RATES_FILE)?;
    map.optional("description", Decoder::text);
    map.required("rates", |d, node| rates(d, node, counted))
}

/// Rates written out. With `world` they are that world's, and those that are written replace its own.
pub(crate) fn rates(d: &Decoder, node: &Node, counted: Counted) -> Option<Rates> {
    let map = d.map(node, "the rates", keys::RATES)?;
    let base = map.optional("world", world);
    if map.has("world") && base.is_none() {
        return None;
    }
    let mut found = base.map_or_else(BTreeMap::new, |base| base.rates.clone());
    let mut whole = true;
    for (group, what, members) in keys::GROUPS {
        if members.is_empty() {
            whole &= take(&map, group, group, base.is_some(), counted, &mut found);
            continue;
        }
        let node = if base.is_some() { map.take(group) } else { map.required(group, |_, node| Some(node)) };
        let Some(node) = node else {
            whole &= base.is_some();
            continue;
        };
        let Some(inner) = d.map(node, what, members) else {
            whole = false;
            continue;
        };
        for member in members {
            whole &= take(&inner, member, &format!("{group}.{member}"), base.is_some(), counted, &mut found);
        }
    }
    whole.then(|| Rates { world: "".into(), rates: found })
}

/// A named world.
pub(crate) fn world(d: &Decoder, node: &Node) -> Option<&'static Rates> {
    let choices: Vec<(&'static str, &'static Rates)> =
        Rates::worlds().filter_map(|name| Some((name, Rates::named(name)?))).collect();
    d.choice(node, &choices)
}

/// Takes one rate; whether it is there and right, or may be left out.
fn take(
    map: &MapReader<'_, '_>,
    key: &str,
    name: &str,
    optional: bool,
    counted: Counted,
    found: &mut BTreeMap<String, Rate>,
) -> bool {
    if optional && !map.has(key) {
        return true;
    }
    let rate = map.required(key, |d, node| rate(d, node, counted));
    rate.map(|rate| found.insert(name.to_owned(), rate)).is_some()
}

/// `0.5`, `{ rate: 0.5, source: … }` or `{ count: 4, of: 98, source: … }`.
fn rate(d: &Decoder, node: &Node, counted: Counted) -> Option<Rate> {
    if node.as_map().is_none() {
        let value = d.share(node)?;
        typed_allowed(d, node, counted)?;
        return Some(Rate { value, evidence: Evidence::Assumed, source: "".into(), observed: None });
    }
    let map = d.map(node, "a rate", keys::RATE)?;
    let source: Arc<str> = map.optional("source", Decoder::text).unwrap_or_default().into();
    let (key, value) = map.one_of(&["rate", "count"])?;
    if key == "rate" {
        typed_allowed(d, node, counted)?;
        let evidence = map.or("evidence", Evidence::Assumed, |d, node| {
            d.choice(node, &[("assumed", Evidence::Assumed), ("counted", Evidence::Counted)])
        });
        if let Some(key) = map.key_span("of") {
            d.error(key, "`of` belongs to `count`");
        }
        if evidence == Evidence::Counted && source.trim().is_empty() {
            d.error(
                node.span,
                "a rate that counts as counted needs a `source` that says from which rule it follows",
            );
        }
        return Some(Rate { value: d.share(value)?, evidence, source, observed: None });
    }
    if let Some(key) = map.key_span("evidence") {
        d.error(key, "a count is `estimated`; leave `evidence` out");
    }
    let count = d.whole(value, 0..=COUNT_MAX);
    let of = map.required("of", |d, node| d.whole(node, 1..=COUNT_MAX));
    let (count, of) = (count?, of?);
    if count > of {
        d.error(value.span, format!("{count} out of {of} is more than all"));
        return None;
    }
    let observed = Some((u64::try_from(count).ok()?, u64::try_from(of).ok()?));
    Some(Rate { value: count as f64 / of as f64, evidence: Evidence::Estimated, source, observed })
}

fn typed_allowed(d: &Decoder, node: &Node, counted: Counted) -> Option<()> {
    if counted == Counted::Any {
        return Some(());
    }
    d.error_with(
        node.span,
        "a calibration counts each rate",
        "write `{ count: 4, of: 98 }`; a typed rate belongs under `rates`",
    );
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, counted: Counted) -> Result<Rates, String> {
        let source = Source::new("r.yaml", text);
        let decoder = Decoder::new(&source);
        let rates = decoder.read().and_then(|node| rates(&decoder, &node, counted));
        decoder.finish(rates).map(|(rates, _)| rates).map_err(|found| {
            let lines = found.iter().map(|found| {
                let hint = found.hint.as_deref().map_or(String::new(), |hint| format!(" ({hint})"));
                format!("{}:{}: {}{hint}", found.span.line, found.span.column, found.message)
            });
            lines.collect::<Vec<_>>().join("\n")
        })
    }

    #[test]
    fn the_named_worlds_are_read_and_ordered() {
        let [never, sometimes, always] =
            ["never-loaded", "sometimes", "always"].map(|name| Rates::named(name).unwrap());
        for rate in ["view", "follow.memory", "follow.skill", "follow.support_file"] {
            assert!(
                never.value(rate) <= sometimes.value(rate) && sometimes.value(rate) <= always.value(rate)
            );
            assert!(never.value(rate).abs() < f64::EPSILON, "{rate}: the floor is the floor");
        }
        assert!(
            never.iter().all(|(name, rate)| !rate.source.is_empty() || name.is_empty()),
            "each has a source"
        );
        assert_eq!(sometimes.evidence(), Evidence::Assumed, "the weakest speaks for all");
        assert_eq!(&*always.world, "always");
    }

    #[test]
    fn every_rate_must_be_given() {
        let text = "capture: { first: 1, repeat: 1 }\nview: 0.5\nfollow: { memory: 1, skill: 1.5, support_file: 1 }\nsolved: 1\nvew: 1";
        insta::assert_snapshot!(read(text, Counted::Any).unwrap_err(), @r"
        5:1: unknown key `vew` in the rates (did you mean `view`?)
        1:1: missing key `false_view` in the rates
        3:29: wanted a number from 0 to 1, found the number `1.5`
        3:11: missing key `conversation` in the rates of `follow`
        1:1: missing key `false_lesson` in the rates
        1:1: missing key `avoids` in the rates
        4:9: wanted the rates of `solved` (a mapping), found the number `1`
        ");
    }

    #[test]
    fn a_world_is_a_base_and_a_calibration_counts() {
        let changed =
            read("world: sometimes\nview: { count: 4, of: 98 }\nfollow: { skill: 1 }", Counted::Any).unwrap();
        assert_eq!((changed.value("follow.skill"), &*changed.world), (1.0, ""));
        assert!((changed.value("view") - 4.0 / 98.0).abs() < 1e-12);
        assert_eq!(changed.rates["view"].evidence, Evidence::Estimated);
        let typed = read("world: sometimes\nview: 0.5\nsolved: { hit: { count: 3, of: 2 } }", Counted::Only);
        insta::assert_snapshot!(typed.unwrap_err(), @r"
        2:7: a calibration counts each rate (write `{ count: 4, of: 98 }`; a typed rate belongs under `rates`)
        3:25: 3 out of 2 is more than all
        ");
    }

    #[test]
    fn a_changed_rate_is_assumed_and_its_world_is_marked_once() {
        let always = Rates::named("always").unwrap();
        let changed = always.changed("view", 0.25).unwrap();
        assert_eq!((changed.value("view"), &*changed.world), (0.25, "always, changed"));
        assert_eq!(changed.evidence(), Evidence::Assumed);
        assert_eq!(&*changed.changed("follow.skill", 1.0).unwrap().world, "always, changed");
        let unknown = always.changed("follow.skil", 0.5).unwrap_err();
        assert_eq!(unknown.to_string(), "there is no rate `follow.skil`");
        assert!(matches!(always.changed("view", 1.5), Err(RateError::NoShare { .. })));
        assert!(matches!(always.changed("view", f64::NAN), Err(RateError::NoShare { .. })));
        assert!(Rates::names().any(|name| name == "follow.skill"));
    }
}
