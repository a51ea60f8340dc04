//! A scenario's file as a whole.

use std::sync::Arc;

use agent_core::values::SimTime;
use mock_llm::decode::{Decoder, MapReader};
use mock_llm::yaml::{Node, Value};

use super::arms::arms;
use super::expect::{Names, expectations};
use super::homes::tree;
use super::load::Files;
use super::model::Scenario;
use super::names::is_name;
use super::past::past;
use super::server::{Server, latencies, prices, server};
use super::stores::stores;
use super::timeline::{Setting, timeline};
use super::times::Clock;
use super::work::{play, rates_of, refuse_rates, scenario_families};
use crate::sim::Latencies;

/// More users than this are a mistake.
const USERS_MAX: i64 = 10_000;

/// The keys of the rates of all arms.
const RATES: &[&str] = &["rates", "calibration"];

/// The name of the user of a scenario that names none, and of the first part of those that are only counted.
const USER: &str = "user";

/// The keys of a scenario.
pub(super) const KEYS: &[&str] = &[
    "name",
    "description",
    "start",
    "arms",
    "world",
    "script",
    "families",
    "rates",
    "calibration",
    "users",
    "home",
    "past",
    "stores",
    "timeline",
    "expect",
    "server",
    "latencies",
    "prices",
];

/// The scenario; each mistake is reported, and none is left unreported for another one.
pub(super) fn scenario(d: &Decoder, node: &Node, files: &mut Files<'_>) -> Option<Scenario> {
    let map = d.map(node, "a scenario", KEYS)?;
    let name =
        map.required("name", |d, node| d.word(node).filter(|name| is_name(d, name, node.span, "a scenario")));
    let name_span = map.take("name").map_or(map.span(), |node| node.span);
    let description = map.or("description", String::new(), |d, node| d.text(node).map(str::to_owned));
    let start =
        map.required("start", |d, node| Some(SimTime::from_millis(d.instant(node)?.as_millisecond())));
    let shared = rates_of(&map, RATES, files);
    let rates_are_wrong = shared.is_none() && RATES.iter().any(|key| map.has(key));
    let mut arms = map.required("arms", |d, node| arms(d, node, files));
    for arm in arms.iter_mut().flatten() {
        arm.rates = arm.rates.take().or_else(|| shared.clone());
    }
    let families = map.optional("families", |d, node| scenario_families(d, node, files));
    let generated = map.has("families");
    let world = part(&map, "world", generated, |d, node| files.world(d, node));
    let script = part(&map, "script", generated, |d, node| files.script(d, node));
    let users = map.or("users", vec![USER.into()], users);
    let home = map.or("home", Vec::new(), |d, node| tree(d, node, files));
    let clock = Clock { start: start.unwrap_or(SimTime::from_millis(0)) };
    let server = map.or("server", Server::default(), |d, node| server(d, node, clock));
    let past = map.or("past", Vec::new(), |d, node| past(d, node, &users));
    let stores = map.or("stores", Vec::new(), |d, node| stores(d, node, files));
    let setting = Setting {
        clock,
        users: &users,
        past: &past,
        families: families.as_ref(),
        families_are_wrong: generated && families.is_none(),
    };
    let timeline =
        map.required("timeline", |d, node| timeline(d, node, &setting, server.items(users.len()), files));
    let names = Names::new(map.take("arms"), timeline.as_deref(), &users, families.as_ref());
    let expect = map.or("expect", Vec::new(), |d, node| expectations(d, node, &names));
    let latencies = map.or("latencies", Latencies::default(), latencies);
    let prices = map.optional("prices", prices);
    let (mut world, script, mut arms) = (world?, script?, arms?);
    match &families {
        Some(families) => {
            let node = map.take("families").unwrap_or(node);
            if rates_are_wrong {
                return None;
            }
            world = Some(play(d, node, families, (world, script.as_ref()), &mut arms)?);
        }
        None if generated => {}
        None => refuse_rates(d, &arms),
    }
    Some(Scenario {
        name: name?.into(),
        name_span,
        description,
        file: Arc::clone(d.file()),
        start: start?,
        arms,
        users,
        world: world?,
        script,
        families: families.map(Arc::new),
        timeline: timeline?,
        expect,
        latencies,
        model: server.model,
        server: server.plan,
        prices,
        home,
        past,
        stores,
        digest: files.digest.finalize().to_hex().as_str().into(),
    })
}

/// A part that families can stand in for: none where they do, and it is not there.
#[expect(
    clippy::option_option,
    reason = "wrong, left out and there are three things, and `?` parts the first"
)]
fn part<'d, 'n, T>(
    map: &MapReader<'d, 'n>,
    key: &str,
    generated: bool,
    decode: impl FnOnce(&'d Decoder, &'n Node) -> Option<T>,
) -> Option<Option<T>> {
    if generated && !map.has(key) { Some(None) } else { map.required(key, decode).map(Some) }
}

/// Names, or how many there are.
fn users(d: &Decoder, node: &Node) -> Option<Vec<Arc<str>>> {
    if matches!(node.value, Value::Int(_)) {
        let count = d.whole(node, 1..=USERS_MAX)?;
        return Some((1..=count).map(|number| format!("{USER}-{number}").into()).collect());
    }
    let mut users: Vec<Arc<str>> = Vec::new();
    for node in d.items(node, "a list of users")? {
        let Some(name) = d.word(node).filter(|name| is_name(d, name, node.span, "a user")) else { continue };
        if users.iter().any(|user| **user == *name) {
            d.error(node.span, format!("a second user named `{name}`"));
        }
        users.push(name.into());
    }
    if users.is_empty() {
        d.error(node.span, "a scenario needs at least one user");
        return None;
    }
    Some(users)
}
