//! The timeline: sessions, the curator's polls, commands, changes from outside.
//!
//! Each item has one key that says what it is; which other keys it may have follows from that. Generated work stays one
//! item, whose sessions are drawn when they are due.

use std::sync::Arc;

use agent_core::machine::Command;
use agent_core::values::{AgentObject, SessionName, SimDuration};
use mock_llm::decode::{Decoder, MapReader};
use mock_llm::diagnose::{Diagnostic, Span, nearest_hint};
use mock_llm::yaml::Node;

use super::commands::{COMMANDS, command};
use super::homes::changes;
use super::load::Files;
use super::model::{Idle, Item, PastSession, PollTimes, Polls, Reaction, Session, Surface, What};
use super::names::is_name;
use super::times::{Clock, positive_span, span};
use super::turns::{THINK_TIME, turns};
use super::work::work;
use crate::families::Families;

/// A command line's process ends so long after the last answer, where the scenario does not say otherwise: the user
/// reads it and leaves.
const EXIT_AFTER: SimDuration = SimDuration::from_secs(30);

/// More polls than this are a mistake: every minute for two years.
const POLLS_MAX: u64 = 1_000_000;

/// The keys that say what an item is, other than commands.
const KINDS: [&str; 8] = ["session", "resume", "work", "curator", "delete_skill", "home", "facts", "told"];

/// The keys of each kind of item.
pub(super) const SESSION: &[&str] =
    &["session", "resume", "at", "user", "agent", "surface", "exit", "workspace", "holds", "turns"];
pub(super) const POLL: &[&str] = &["curator", "at", "user", "every", "on", "until", "idle"];
pub(super) const CURATE: &[&str] = &["curator", "at", "user", "consolidate", "dry_run"];
pub(super) const PRUNE: &[&str] = &["curator", "at", "user", "days"];
pub(super) const BACKUP: &[&str] = &["curator", "at", "user", "reason"];
pub(super) const PAUSE: &[&str] = &["curator", "at", "user"];
pub(super) const DELETE_SKILL: &[&str] = &["delete_skill", "at", "user"];
pub(super) const HOME: &[&str] = &["home", "at", "user"];
pub(super) const FACTS: &[&str] = &["facts", "at", "user"];
pub(super) const TOLD: &[&str] = &["told", "after", "then", "at", "user"];

/// What all items of a timeline are decoded against.
pub(super) struct Setting<'a> {
    pub(super) clock: Clock,
    pub(super) users: &'a [Arc<str>],
    /// The families that work is drawn from.
    pub(super) families: Option<&'a Families>,
    /// Families are there but have mistakes, which are reported.
    pub(super) families_are_wrong: bool,
    pub(super) past: &'a [PastSession],
}

/// All items, by time and then as written, after those of the surroundings.
pub(super) fn timeline(
    d: &Decoder,
    node: &Node,
    setting: &Setting<'_>,
    mut items: Vec<Item>,
    files: &mut Files<'_>,
) -> Option<Vec<Item>> {
    for node in d.items(node, "a list of items")? {
        // One line can concern many users; what is wrong with it is said once.
        let mut told = false;
        for item in item(d, node, setting, files).unwrap_or_default() {
            told = told || check_session(d, node, &items, &item) || check_work(d, node, &items, &item);
            items.push(item);
        }
    }
    items.sort_by_key(|item| item.at);
    Some(items)
}

/// One item: one for each user that it concerns.
fn item(d: &Decoder, node: &Node, setting: &Setting<'_>, files: &mut Files<'_>) -> Option<Vec<Item>> {
    let (map, what) = made(d, node, setting, files)?;
    let at = map.or("at", SimDuration::ZERO, |d, node| setting.clock.at(d, node));
    let users = users(&map, setting.users)?;
    let what = what?;
    Some(users.into_iter().map(|user| Item { at, user, what: what.clone() }).collect())
}

/// What an item says, by the key that tells its kind.
fn made<'d, 'n>(
    d: &'d Decoder,
    node: &'n Node,
    setting: &Setting<'_>,
    files: &mut Files<'_>,
) -> Option<Made<'d, 'n>> {
    match kind_of(d, node)? {
        kind @ ("session" | "resume") => session(d, node, kind, setting, files),
        "work" => work(d, node, setting),
        "curator" => curator(d, node, setting),
        "delete_skill" => {
            let map = d.map(node, "a deleted skill", DELETE_SKILL)?;
            let name = map.required("delete_skill", Decoder::word);
            Some((map, name.map(|name| What::DeleteSkill(name.into()))))
        }
        "home" => {
            let map = d.map(node, "a change of the home", HOME)?;
            let changes = map.required("home", |d, node| changes(d, node, files));
            Some((map, changes.map(What::Home)))
        }
        "facts" => {
            let map = d.map(node, "a change of facts", FACTS)?;
            let facts = map.required("facts", facts);
            Some((map, facts.map(What::Facts)))
        }
        "told" => reaction(d, node, setting, files),
        kind => {
            let (map, made) = command(d, node, kind, files)?;
            Some((map, made.map(What::Command)))
        }
    }
}

/// The key of an item that says what it is.
fn kind_of(d: &Decoder, node: &Node) -> Option<&'static str> {
    let Some(map) = node.as_map() else {
        return d.wrong(node, "an item of the timeline (a mapping)");
    };
    let known = || KINDS.into_iter().chain(COMMANDS.iter().map(|(key, _)| *key));
    let kind = map.iter().find_map(|entry| known().find(|kind| *kind == &*entry.key));
    if kind.is_none() {
        let first = map.iter().next();
        let (span, name) = first.map_or((node.span, ""), |entry| (entry.key_span, &*entry.key));
        let hint = nearest_hint(name, known().collect::<Vec<_>>().iter().copied());
        let hint =
            hint.unwrap_or_else(|| format!("an item has one of {}", known().collect::<Vec<_>>().join(", ")));
        let message = format!("`{name}` is no kind of item");
        d.report(Diagnostic::error(d.file(), span, message).hint(hint));
    }
    kind
}

/// `{ told: …, after: 1h, then: { approve: memory } }`.
fn reaction<'d, 'n>(
    d: &'d Decoder,
    node: &'n Node,
    setting: &Setting<'_>,
    files: &mut Files<'_>,
) -> Option<Made<'d, 'n>> {
    let map = d.map(node, "a reaction", TOLD)?;
    let told = map.required("told", Decoder::word);
    let after = map.or("after", THINK_TIME, span);
    let then = map.required("then", |d, node| {
        let (inner, what) = made(d, node, setting, files)?;
        let what = what?;
        if matches!(what, What::Session(_) | What::Work(_) | What::Polls(_) | What::Reaction(_)) {
            d.error(node.span, "a user reacts with a command or a change, not with this");
            return None;
        }
        for key in ["at", "user"] {
            if let Some(span) = inner.key_span(key) {
                d.error(span, format!("`{key}` belongs to the reaction, not to what is done"));
            }
        }
        Some(what)
    });
    let what = told
        .zip(then)
        .map(|(told, then)| What::Reaction(Reaction { told: told.into(), after, then: Box::new(then) }));
    Some((map, what))
}

/// The user named, or all of them.
fn users(map: &MapReader<'_, '_>, users: &[Arc<str>]) -> Option<Vec<usize>> {
    let Some(node) = map.take("user") else { return Some((0..users.len()).collect()) };
    let name = map.decoder().word(node)?;
    let found = users.iter().position(|user| **user == *name);
    if found.is_none() {
        let names: Vec<&str> = users.iter().map(|user| &**user).collect();
        map.decoder().unknown(node, "user", names.iter().copied());
    }
    found.map(|user| vec![user])
}

type Made<'d, 'n> = (MapReader<'d, 'n>, Option<What>);

fn session<'d, 'n>(
    d: &'d Decoder,
    node: &'n Node,
    kind: &'static str,
    setting: &Setting<'_>,
    files: &mut Files<'_>,
) -> Option<Made<'d, 'n>> {
    let map = d.map(node, "a session", SESSION)?;
    map.one_of(&["session", "resume"]);
    let name = map.required(kind, |d, node| {
        let name = d.word(node)?;
        is_name(d, name, node.span, "a session").then(|| SessionName::new(name))
    });
    let object = object(&map);
    let keeps_workspace =
        map.or("workspace", false, |d, node| d.choice(node, &[("keep", true), ("fresh", false)]));
    let surface = surface(&map);
    let holds = map.optional("holds", |d, node| held(d, node, setting.past)).map(Arc::from);
    let turns = map.required("turns", |d, node| turns(d, node, setting.clock, files));
    let what = match (name, turns) {
        (Some(name), Some(turns)) => {
            let resumes = kind == "resume";
            let session = Session { name, resumes, object, surface, keeps_workspace, holds, turns };
            Some(What::Session(Arc::new(session)))
        }
        _ => None,
    };
    Some((map, what))
}

/// A new agent object for each session, or the kept one.
pub(super) fn object(map: &MapReader<'_, '_>) -> AgentObject {
    map.or("agent", AgentObject::Fresh, |d, node| {
        d.choice(node, &[("fresh", AgentObject::Fresh), ("kept", AgentObject::Kept)])
    })
}

/// The id of a past session of the user's own home.
fn held<'n>(d: &Decoder, node: &'n Node, past: &[PastSession]) -> Option<&'n str> {
    let id = d.word(node)?;
    let own: Vec<&str> =
        past.iter().filter(|session| session.profile.is_none()).map(|session| &*session.id).collect();
    if !own.contains(&id) {
        d.unknown(node, "past session", own);
        return None;
    }
    Some(id)
}

pub(super) fn surface(map: &MapReader<'_, '_>) -> Surface {
    let is_cli = map.or("surface", false, |d, node| d.choice(node, &[("gateway", false), ("cli", true)]));
    let exit = map.optional("exit", span);
    match (is_cli, exit) {
        (true, exit) => Surface::Cli { exit: exit.unwrap_or(EXIT_AFTER) },
        (false, None) => Surface::Gateway,
        (false, Some(_)) => {
            if let Some(key) = map.key_span("exit") {
                map.decoder().error_with(
                    key,
                    "only the surface `cli` ends",
                    "add `surface: cli`, or remove `exit`",
                );
            }
            Surface::Gateway
        }
    }
}

/// Names of sessions are unique to their user, and only a known one can be resumed. Whether something was wrong.
fn check_session(d: &Decoder, node: &Node, before: &[Item], item: &Item) -> bool {
    let What::Session(session) = &item.what else { return false };
    let same = |other: &Item| {
        other.user == item.user && matches!(&other.what, What::Session(known) if known.name == session.name)
    };
    let known = before.iter().any(same);
    if known && !session.resumes {
        let hint = "a session that goes on later is `resume: NAME`";
        d.error_with(value_of(node, "session"), format!("a second session named `{}`", session.name), hint);
    } else if session.resumes && !known {
        let message = format!("no session named `{}` stands before this line", session.name);
        d.error(value_of(node, "resume"), message);
    }
    known != session.resumes
}

/// Where the value of a key stands.
fn value_of(node: &Node, key: &str) -> Span {
    node.as_map().and_then(|map| map.get(key)).map_or(node.span, |entry| entry.value.span)
}

/// Sessions of work are named after it, and no other session of the user can be. Whether something was wrong.
fn check_work(d: &Decoder, node: &Node, before: &[Item], item: &Item) -> bool {
    let mut of_user = before.iter().filter(|other| other.user == item.user);
    let clash = match &item.what {
        What::Work(work) => of_user.find_map(|other| match &other.what {
            What::Work(known) if known.name == work.name => {
                Some(format!("a second work named `{}`", work.name))
            }
            What::Session(known) if is_drawn(&work.name, known.name.as_str()) => {
                Some(format!("the session `{}` has a name that this work gives", known.name))
            }
            _ => None,
        }),
        What::Session(session) if !session.resumes => of_user.find_map(|other| match &other.what {
            What::Work(known) if is_drawn(&known.name, session.name.as_str()) => Some(format!(
                "the work `{}` gives the name `{}` to one of its sessions",
                known.name, session.name
            )),
            _ => None,
        }),
        _ => None,
    };
    let Some(message) = clash else { return false };
    let key = if matches!(item.what, What::Work(_)) { "work" } else { "session" };
    d.error(value_of(node, key), message);
    true
}

/// Whether a session's name is one that a piece of work gives: its own name and a number.
pub(super) fn is_drawn(work: &str, session: &str) -> bool {
    let number = session.strip_prefix(work).and_then(|rest| rest.strip_prefix('-'));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

fn curator<'d, 'n>(d: &'d Decoder, node: &'n Node, setting: &Setting<'_>) -> Option<Made<'d, 'n>> {
    let word = node.as_map().and_then(|map| map.get("curator")).map(|entry| &entry.value)?;
    let words = ["poll", "run", "prune", "backup", "pause", "resume"].map(|word| (word, word));
    let what = d.choice(word, &words)?;
    Some(match what {
        "poll" => {
            let map = d.map(node, "a poll of the curator", POLL)?;
            let times = poll_times(&map);
            let until = map.required("until", |d, node| setting.clock.at(d, node));
            let idle = map.optional("idle", |d, node| {
                d.choice(node, &[("infinite", Idle::Infinite), ("measured", Idle::Measured)])
            });
            if let (Some(PollTimes::Every(every)), Some(until)) = (times, until)
                && until.as_millis() / every.as_millis().max(1) > POLLS_MAX
            {
                d.error(node.span, format!("these are more than {POLLS_MAX} polls; poll less often"));
                return None;
            }
            let polls = times.zip(until).map(|(times, until)| What::Polls(Polls { times, until, idle }));
            (map, polls)
        }
        "run" => {
            let map = d.map(node, "a run of the curator", CURATE)?;
            let consolidate = map.optional("consolidate", Decoder::bool);
            let dry_run = map.or("dry_run", false, Decoder::bool);
            (map, Some(What::Command(Command::Curate { consolidate, dry_run })))
        }
        "prune" => {
            let map = d.map(node, "a pruning of the library", PRUNE)?;
            let days = map.optional("days", |d, node| d.whole(node, i64::MIN..=i64::MAX));
            (map, Some(What::Command(Command::Prune { days })))
        }
        "backup" => {
            let map = d.map(node, "a snapshot of the library", BACKUP)?;
            let reason = map.or("reason", "manual", Decoder::word).to_owned();
            (map, Some(What::Command(Command::Backup { reason })))
        }
        word => {
            let map = d.map(node, "a command to the curator", PAUSE)?;
            (map, Some(What::Command(Command::PauseCurator { paused: word == "pause" })))
        }
    })
}

/// `every: 1h`, or `on: cli_start`.
fn poll_times(map: &MapReader<'_, '_>) -> Option<PollTimes> {
    let d = map.decoder();
    match map.one_of(&["every", "on"])? {
        ("every", node) => positive_span(d, node).map(PollTimes::Every),
        (_, node) => d.choice(node, &[("cli_start", PollTimes::CommandLines)]),
    }
}

fn facts(d: &Decoder, node: &Node) -> Option<Vec<(Arc<str>, serde_json::Value)>> {
    let entries = d.entries(node, "facts")?;
    Some(entries.filter_map(|entry| Some(((&*entry.key).into(), d.json(&entry.value)?))).collect())
}
