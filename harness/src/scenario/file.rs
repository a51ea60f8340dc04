//! A scenario's file as a whole.

use std::sync::Arc;

use agent_core::values::SimTime;
use mock_llm::decode::Decoder;
use mock_llm::yaml::Node;

use super::arms::arms;
use super::expect::expectations;
use super::load::Files;
use super::model::Scenario;
use super::names::is_name;
use super::server::{Server, latencies, prices, server};
use super::timeline::{Setting, timeline};
use super::times::Clock;
use crate::sim::Latencies;

/// The name of the user of a scenario that names none.
const USER: &str = "user";

/// The keys of a scenario.
pub(super) const KEYS: &[&str] = &[
    "name",
    "description",
    "start",
    "arms",
    "world",
    "script",
    "users",
    "home",
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
    let arms = map.required("arms", arms);
    let world = map.required("world", |d, node| files.world(d, node));
    let script = map.required("script", |d, node| files.script(d, node));
    let users = map.or("users", vec![USER.into()], users);
    let home = map.or("home", Vec::new(), |d, node| {
        let reference = d.word(node)?;
        files.directory(d, node, reference)
    });
    let clock = Clock { start: start.unwrap_or(SimTime::from_millis(0)) };
    let server = map.or("server", Server::default(), |d, node| server(d, node, clock));
    let timeline = map.required("timeline", |d, node| {
        timeline(d, node, &Setting { clock, users: &users }, server.items(users.len()), files)
    });
    let names = super::expect::Names::new(arms.as_deref(), timeline.as_deref(), &users);
    let expect = map.or("expect", Vec::new(), |d, node| expectations(d, node, &names));
    let latencies = map.or("latencies", Latencies::default(), latencies);
    let prices = map.optional("prices", prices);
    Some(Scenario {
        name: name?.into(),
        name_span,
        description,
        file: Arc::clone(d.file()),
        start: start?,
        arms: arms?,
        users,
        world: world?,
        script: script?,
        timeline: timeline?,
        expect,
        latencies,
        model: server.model,
        server: server.plan,
        prices,
        home,
        digest: files.digest.finalize().to_hex().as_str().into(),
    })
}

fn users(d: &Decoder, node: &Node) -> Option<Vec<Arc<str>>> {
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
