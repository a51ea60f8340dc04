//! Expectations: expressions over the records of a cell, checked as far as they can be before anything runs.
//!
//! Names are the expression language's business. Names of this scenario are looked up here: a session that the
//! timeline does not hold, a column that no session has, an arm that is none of the arms.

use std::sync::{Arc, LazyLock};

use mock_llm::decode::Decoder;
use mock_llm::diagnose::{Diagnostic, nearest_hint};
use mock_llm::expr::{Expression, KnownNames};
use mock_llm::yaml::Node;
use regex::Regex;
use reports::records::{LessonRow, Record, SessionRow};

use super::model::{Expectation, Item, What};
use super::timeline::is_drawn;
use crate::families::Families;

/// The names that an expectation may use, with their meaning.
pub(crate) const EXPECT_NAMES: &[(&str, &str)] = &[
    (
        "session",
        "sessions by name (user/name where there are several users), each with the columns of its record",
    ),
    (
        "skill",
        "skill(name): a skill's lives together, the last one's columns with patches and loads summed over all",
    ),
    ("day", "day(n) or day(n, user): `skills` and `memory` at the end of day n, the first being 0"),
    ("memory", "notes and profile at the end"),
    ("review", "columns summed over all reviews, how many there were (count), how many ended in which way"),
    ("curator", "the same of the curator's runs"),
    ("nudge", "the same of the due nudges"),
    ("writes", "the writes to memory and library, in order"),
    ("reviews", "the reviews, in order, dropped ones included"),
    ("nudges", "the due nudges, in order"),
    ("turns", "the turns, in order"),
    ("tool_calls", "the calls of tools by any role, in order"),
    ("loads", "the texts of skills that entered conversations, in order"),
    ("curator_runs", "the curator's runs, in order"),
    ("lesson", "lessons by name, each with the columns of its record"),
    ("family", "families by name: occurrences, hazards, hits"),
    ("figure", "figure(name): a derived figure such as repeated_error_rate; none where it does not exist"),
    ("journal", "the requests to models, in order"),
    ("cell", "the columns of the cell's own record"),
    ("user", "the users, in order"),
    ("arm", "the arm's name"),
    ("seed", "the seed"),
    ("date", "date(text): milliseconds from the scenario's start to that instant, as columns *_ms have it"),
];

/// What an expectation may ask of a family.
pub(crate) const FAMILY_FIGURES: [&str; 3] = ["occurrences", "hazards", "hits"];

/// The keys of an expectation.
pub(super) const EXPECTATION: &[&str] = &["that", "when", "why"];

/// What an expectation may speak of in this scenario.
pub(super) struct Names {
    known: KnownNames,
    arms: Option<Vec<Arc<str>>>,
    /// Families, and the lessons of those that recur; none where the scenario has none, or wrong ones.
    families: Option<[Vec<Arc<str>>; 2]>,
    sessions: Option<Vec<String>>,
    /// Work whose sessions are drawn, with its user's name.
    drawn: Vec<(Arc<str>, Arc<str>)>,
    users: Vec<Arc<str>>,
}

impl Names {
    /// The names of a scenario; none for a part that has mistakes of its own. Arms are named by their node, because one
    /// with mistakes is an arm nevertheless.
    pub(super) fn new(
        arms: Option<&Node>,
        timeline: Option<&[Item]>,
        users: &[Arc<str>],
        families: Option<&Families>,
    ) -> Self {
        let arms =
            arms.and_then(Node::as_map).map(|map| map.iter().map(|entry| (&*entry.key).into()).collect());
        let families = families.map(|families| {
            let recurring = families.list.iter().filter(|family| !family.one_off);
            let lessons = recurring.flat_map(|family| &family.hazards).map(|hazard| Arc::clone(&hazard.name));
            [families.list.iter().map(|family| Arc::clone(&family.name)).collect(), lessons.collect()]
        });
        let sessions = timeline.map(|items| {
            let names = items.iter().filter_map(|item| match &item.what {
                What::Session(session) => {
                    Some([session.name.to_string(), format!("{}/{}", users[item.user], session.name)])
                }
                _ => None,
            });
            names.flatten().collect()
        });
        let drawn = timeline.unwrap_or_default().iter().filter_map(|item| match &item.what {
            What::Work(work) => Some((Arc::clone(&users[item.user]), Arc::clone(&work.name))),
            _ => None,
        });
        Self {
            known: KnownNames::new(EXPECT_NAMES.iter().map(|(name, _)| *name)),
            arms,
            families,
            sessions,
            drawn: drawn.collect(),
            users: users.to_vec(),
        }
    }

    /// Whether generated work gives a session this name.
    fn is_drawn(&self, session: &str) -> bool {
        self.drawn.iter().any(|(user, work)| {
            let own = session.strip_prefix(&**user).and_then(|rest| rest.strip_prefix('/'));
            is_drawn(work, own.unwrap_or(session))
        })
    }
}

/// All expectations.
pub(super) fn expectations(d: &Decoder, node: &Node, names: &Names) -> Option<Vec<Expectation>> {
    d.list(node, "a list of expectations", |d, node| expectation(d, node, names))
}

/// An expression, or `{ that, when, why }`.
fn expectation(d: &Decoder, node: &Node, names: &Names) -> Option<Expectation> {
    let line = node.span.line;
    if node.as_map().is_none() {
        let that = checked(d, node, names)?;
        return Some(Expectation { that, when: None, why: None, line });
    }
    let map = d.map(node, "an expectation", EXPECTATION)?;
    let that = map.required("that", |d, node| checked(d, node, names));
    let has_when = map.has("when");
    let when = map.optional("when", |d, node| checked(d, node, names));
    let why = map.optional("why", Decoder::text).map(str::to_owned);
    if has_when && when.is_none() {
        return None;
    }
    Some(Expectation { that: that?, when, why, line })
}

fn checked(d: &Decoder, node: &Node, names: &Names) -> Option<Expression> {
    let expression = d.expression(node, &names.known)?;
    check_arms(d, node, names);
    check_sessions(d, node, names);
    check_families(d, node, names);
    Some(expression)
}

static ARM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"\barm\s*(?:==|!=)\s*(?:'([^']*)'|"([^"]*)")"#).expect("the pattern is right")
});

static SESSION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"\bsession(?:\.([A-Za-z_]\w*)|\[\s*(?:'([^']*)'|"([^"]*)")\s*\])(?:\.([A-Za-z_]\w*))?"#)
        .expect("the pattern is right")
});

static FAMILY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"\b(family|lesson)(?:\.([A-Za-z_]\w*)|\[\s*(?:'([^']*)'|"([^"]*)")\s*\])(?:\.([A-Za-z_]\w*))?"#,
    )
    .expect("the pattern is right")
});

fn check_families(d: &Decoder, node: &Node, names: &Names) {
    let Some([families, lessons]) = &names.families else { return };
    for found in FAMILY.captures_iter(node.written()) {
        let Some(name) = (2..=4).find_map(|group| found.get(group)) else { continue };
        let (what, known, columns) = match &found[1] {
            "family" => ("family", families, FAMILY_FIGURES.to_vec()),
            _ => ("lesson", lessons, LessonRow::COLUMNS.iter().map(|column| column.name).collect()),
        };
        if !known.iter().any(|known| **known == *name.as_str()) {
            let message = format!("there is no {what} named `{}`", name.as_str());
            let hint = nearest_hint(name.as_str(), known.iter().map(|name| &**name));
            d.report(Diagnostic::error(d.file(), node.span_within(name.range()), message).hint_if(hint));
        }
        let Some(column) = found.get(5) else { continue };
        if !columns.contains(&column.as_str()) {
            let message = format!("a {what} has no figure `{}`", column.as_str());
            let hint = nearest_hint(column.as_str(), columns.iter().copied());
            d.report(Diagnostic::error(d.file(), node.span_within(column.range()), message).hint_if(hint));
        }
    }
}

fn check_arms(d: &Decoder, node: &Node, names: &Names) {
    let Some(arms) = &names.arms else { return };
    let text = node.written();
    for found in ARM.captures_iter(text) {
        let Some(name) = found.get(1).or_else(|| found.get(2)) else { continue };
        if arms.iter().any(|arm| **arm == *name.as_str()) {
            continue;
        }
        let message = format!("there is no arm named `{}`", name.as_str());
        let hint = nearest_hint(name.as_str(), arms.iter().map(|arm| &**arm));
        d.report(Diagnostic::error(d.file(), node.span_within(name.range()), message).hint_if(hint));
    }
}

fn check_sessions(d: &Decoder, node: &Node, names: &Names) {
    let Some(sessions) = &names.sessions else { return };
    let known =
        || sessions.iter().map(String::as_str).filter(|name| names.users.len() > 1 || !name.contains('/'));
    let text = node.written();
    for found in SESSION.captures_iter(text) {
        let Some(name) = (1..=3).find_map(|group| found.get(group)) else { continue };
        if !known().any(|session| session == name.as_str()) && !names.is_drawn(name.as_str()) {
            let message = format!("there is no session named `{}`", name.as_str());
            let hint = nearest_hint(name.as_str(), known().collect::<Vec<_>>().iter().copied());
            d.report(Diagnostic::error(d.file(), node.span_within(name.range()), message).hint_if(hint));
        }
        let Some(column) = found.get(4) else { continue };
        let columns: Vec<&str> = SessionRow::COLUMNS.iter().map(|column| column.name).collect();
        if !columns.contains(&column.as_str()) {
            let message = format!("a session has no figure `{}`", column.as_str());
            let hint = nearest_hint(column.as_str(), columns.iter().copied());
            d.report(Diagnostic::error(d.file(), node.span_within(column.range()), message).hint_if(hint));
        }
    }
}
