//! Generated work as an item of a timeline, the families that it draws from, and the rates of the arms.

use std::ops::RangeInclusive;
use std::sync::Arc;

use agent_core::values::SimDuration;
use mock_llm::decode::{Decoder, MapReader};
use mock_llm::diagnose::{Diagnostic, Span};
use mock_llm::script::Script;
use mock_llm::yaml::Node;

use super::load::Files;
use super::model::{Arm, What};
use super::names::is_name;
use super::timeline::{Setting, object, surface};
use super::times::{positive_span, span};
use super::turns::THINK_TIME;
use crate::families::{self, Families, Rates, rates};
use crate::work::{Arrivals, Work};
use crate::world::World;

/// The keys that an item with generated work may have.
pub(super) const KEYS: &[&str] = &[
    "work",
    "at",
    "user",
    "every",
    "poisson",
    "working_days",
    "for",
    "until",
    "families",
    "tasks",
    "think",
    "agent",
    "surface",
    "exit",
    "workspace",
];

/// The keys of Poisson arrivals.
pub(super) const POISSON: &[&str] = &["per", "mean"];

/// The keys of working days.
pub(super) const WORKING_DAYS: &[&str] = &["at", "per_day"];

/// More arrivals in a span than this are a mistake.
const MEAN_MAX: f64 = 1e6;

/// Tasks of one session.
const TASKS_MAX: i64 = 100;

const DAY: SimDuration = SimDuration::from_days(1);

type Made<'d, 'n> = (MapReader<'d, 'n>, Option<What>);

/// `work: NAME`, one of `every`, `poisson`, `working_days`, and for how long.
pub(super) fn work<'d, 'n>(d: &'d Decoder, node: &'n Node, setting: &Setting<'_>) -> Option<Made<'d, 'n>> {
    let map = d.map(node, "generated work", KEYS)?;
    let name = map.required("work", |d, node| {
        let name = d.word(node)?;
        is_name(d, name, node.span, "work").then(|| Arc::from(name))
    });
    let arrivals = arrivals(&map);
    let from = map.optional("at", |d, node| setting.clock.at(d, node)).unwrap_or_default();
    let until = until(&map, setting, from);
    let families = families(&map, setting);
    let tasks = map.or("tasks", 1..=1, tasks);
    let think = map.or("think", THINK_TIME, span);
    let object = object(&map);
    let keeps_workspace =
        map.or("workspace", false, |d, node| d.choice(node, &[("keep", true), ("fresh", false)]));
    let surface = surface(&map);
    let work = || {
        let (name, arrivals, until, families) = (name?, arrivals?, until?, families?);
        Some(Work { name, arrivals, until, families, tasks, think, object, surface, keeps_workspace })
    };
    let work = work().map(|work| What::Work(Arc::new(work)));
    Some((map, work))
}

fn arrivals(map: &MapReader<'_, '_>) -> Option<Arrivals> {
    let (key, node) = map.one_of(&["every", "poisson", "working_days"])?;
    let d = map.decoder();
    match key {
        "every" => positive_span(d, node).map(Arrivals::Every),
        "poisson" => {
            let map = d.map(node, "Poisson arrivals", POISSON)?;
            let per = map.required("per", positive_span);
            let mean = map.required("mean", |d, node| d.number(node, f64::MIN_POSITIVE..=MEAN_MAX));
            Some(Arrivals::Poisson { per: per?, mean: mean? })
        }
        _ => {
            let map = d.map(node, "working days", WORKING_DAYS)?;
            let hours = map.required("at", hours);
            let per_day = map.required("per_day", |d, node| d.whole(node, 1..=10_000));
            let (opens, closes) = hours?;
            Some(Arrivals::WorkingDays { opens, closes, per_day: u32::try_from(per_day?).ok()? })
        }
    }
}

/// `[9:00, 17:00]`.
fn hours(d: &Decoder, node: &Node) -> Option<(SimDuration, SimDuration)> {
    let times = d.list(node, "the working hours, such as `[9:00, 17:00]`", |d, node| {
        let time = node.as_text().and_then(clock_time);
        if time.is_none() {
            d.error(node.span, "wanted a time of day such as `9:00`");
        }
        time
    })?;
    match times.as_slice() {
        [opens, closes] if opens < closes => Some((*opens, *closes)),
        [_, _] => {
            d.error(node.span, "working hours end after they begin");
            None
        }
        _ => {
            d.error(node.span, "wanted beginning and end of the working hours, such as `[9:00, 17:00]`");
            None
        }
    }
}

/// A time of day, up to `24:00`.
fn clock_time(text: &str) -> Option<SimDuration> {
    let (hours, minutes) = text.split_once(':')?;
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(hours) || !digits(minutes) || minutes.len() != 2 || hours.is_empty() || hours.len() > 2 {
        return None;
    }
    let (hours, minutes): (u64, u64) = (hours.parse().ok()?, minutes.parse().ok()?);
    let time = SimDuration::from_secs(hours * 3600 + minutes * 60);
    (minutes < 60 && time <= DAY).then_some(time)
}

/// The end: so long after the beginning, or an instant.
fn until(map: &MapReader<'_, '_>, setting: &Setting<'_>, from: SimDuration) -> Option<SimDuration> {
    match map.one_of(&["for", "until"])? {
        ("for", node) => positive_span(map.decoder(), node).map(|span| from + span),
        (_, node) => {
            let until = setting.clock.at(map.decoder(), node)?;
            if until <= from {
                map.decoder().error(node.span, "this work ends before it begins");
                return None;
            }
            Some(until)
        }
    }
}

/// All families, a list of them, or weights of their own.
fn families(map: &MapReader<'_, '_>, setting: &Setting<'_>) -> Option<Vec<(usize, f64)>> {
    let d = map.decoder();
    let Some(known) = setting.families else {
        if !setting.families_are_wrong {
            d.error_with(
                map.key_span("work").unwrap_or(map.span()),
                "work is drawn from families, and the scenario has none",
                "add `families:` to the scenario: a file, or families by name",
            );
        }
        return None;
    };
    let own = |family: usize| (family, known.list[family].weight);
    let Some(node) = map.take("families") else { return Some((0..known.list.len()).map(own).collect()) };
    let named = |name: &str, span: Span| {
        let found = known.position(name);
        if found.is_none() {
            let names: Vec<&str> = known.list.iter().map(|family| &*family.name).collect();
            let hint = mock_llm::diagnose::nearest_hint(name, names.iter().copied());
            let message = format!("there is no family named `{name}`");
            d.report(Diagnostic::error(d.file(), span, message).hint_if(hint));
        }
        found
    };
    let families: Vec<(usize, f64)> = if node.as_map().is_some() {
        let entries = d.entries(node, "weights by family")?;
        let weight = |d: &Decoder, node: &Node| d.number(node, f64::MIN_POSITIVE..=MEAN_MAX);
        entries
            .filter_map(|entry| Some((named(&entry.key, entry.key_span)?, weight(d, &entry.value)?)))
            .collect()
    } else {
        let found = |d: &Decoder, node: &Node| named(d.word(node)?, node.span).map(own);
        d.list(node, "a list of families", found)?
    };
    if families.is_empty() && !d.has_errors() {
        d.error(node.span, "no family is named");
    }
    (!families.is_empty()).then_some(families)
}

/// `3`, or `[1, 3]`.
fn tasks(d: &Decoder, node: &Node) -> Option<RangeInclusive<u32>> {
    let number = |d: &Decoder, node: &Node| u32::try_from(d.whole(node, 1..=TASKS_MAX)?).ok();
    if node.as_seq().is_none() {
        return number(d, node).map(|count| count..=count);
    }
    match d.list(node, "least and most tasks, such as `[1, 3]`", number)?.as_slice() {
        [least, most] if least <= most => Some(*least..=*most),
        _ => {
            d.error(node.span, "wanted the least and the most tasks of a session, such as `[1, 3]`");
            None
        }
    }
}

/// The families of a scenario: a file, or written out.
pub(super) fn scenario_families(d: &Decoder, node: &Node, files: &mut Files<'_>) -> Option<Families> {
    match node.as_text() {
        Some(reference) => files.decoded(d, node, reference, families::file),
        None => families::families(d, node),
    }
}

/// Rates by one of three keys: a named world, written out or in a file, a calibration.
pub(super) fn rates_of(
    map: &MapReader<'_, '_>,
    keys: &[&'static str],
    files: &mut Files<'_>,
) -> Option<Arc<Rates>> {
    if !keys.iter().any(|key| map.has(key)) {
        return None;
    }
    let d = map.decoder();
    let rates = match map.one_of(keys)? {
        ("world", node) => rates::world(d, node).cloned(),
        ("calibration", node) => {
            let reference = d.word(node)?;
            files.decoded(d, node, reference, |d, node| rates::file(d, node, rates::Counted::Only))
        }
        (_, node) => match node.as_text() {
            Some(name) if Rates::named(name).is_some() => Rates::named(name).cloned(),
            Some(reference) => {
                files.decoded(d, node, reference, |d, node| rates::file(d, node, rates::Counted::Any))
            }
            None => rates::rates(d, node, rates::Counted::Any),
        },
    };
    rates.map(|rates| Arc::new(rates.recognised()))
}

/// Makes the world of the families, in front of the scenario's own, and the script of each arm.
pub(super) fn play(
    d: &Decoder,
    node: &Node,
    families: &Families,
    own: (Option<Arc<World>>, Option<&Arc<Script>>),
    arms: &mut [Arm],
) -> Option<Arc<World>> {
    let (world, script) = own;
    let made = families::families_world(families).map_err(|found| d.report_all(found)).ok()?;
    let world = match world {
        None => Arc::new(made),
        Some(own) => match made.followed_by(&own) {
            Ok(world) => Arc::new(world),
            Err(taken) => {
                d.error(
                    node.span,
                    format!("the families and the world both have a fact `{}`", taken.join("`, `")),
                );
                return None;
            }
        },
    };
    let mut scripts: Vec<(Arc<Rates>, Arc<Script>)> = Vec::new();
    for arm in arms {
        let Some(rates) = &arm.rates else {
            let message = format!("how often does the model of `{}` do what? it has no rates", arm.name);
            d.error_with(
                arm.span,
                message,
                "add `world: never-loaded`, `sometimes` or `always`, or `rates:`; to all arms by `rates:` of the scenario",
            );
            continue;
        };
        if let Some((_, script)) = scripts.iter().find(|(known, _)| **known == **rates) {
            arm.script = Some(Arc::clone(script));
            continue;
        }
        let made = families::script(families, rates).map_err(|found| d.report_all(found)).ok()?;
        let made = match script.map(|own| made.followed_by(own)) {
            None => Arc::new(made),
            Some(Ok(both)) => Arc::new(both),
            Some(Err(taken)) => {
                d.error(node.span, format!("the families and the script both have {}", taken.join(", ")));
                return None;
            }
        };
        scripts.push((Arc::clone(rates), Arc::clone(&made)));
        arm.script = Some(made);
    }
    Some(world)
}

/// Rates without families would be without effect.
pub(super) fn refuse_rates(d: &Decoder, arms: &[Arm]) {
    for arm in arms.iter().filter(|arm| arm.rates.is_some()) {
        d.error_with(arm.span, "these rates have no effect: the scenario has no families", "add `families:`");
    }
}
