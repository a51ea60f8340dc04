//! Which tasks a session brings, and in which words.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use agent_core::values::{AgentObject, Draws, SessionName, SimDuration};

use super::arrivals::Arrivals;
use crate::families::{Families, Family, HazardKind};
use crate::scenario::{Begins, IfBusy, Session, Surface, Turn};

/// One line of a timeline that stands for many sessions of one user.
#[derive(Clone, Debug)]
pub struct Work {
    /// Its name, from which its sessions have theirs.
    pub(crate) name: Arc<str>,
    pub(crate) arrivals: Arrivals,
    /// The end of it, from the scenario's start.
    pub(crate) until: SimDuration,
    /// Families by their place, each with its weight.
    pub(crate) families: Vec<(usize, f64)>,
    /// Tasks of a session.
    pub(crate) tasks: RangeInclusive<u32>,
    /// From the end of one task to the beginning of the next one of the session.
    pub(crate) think: SimDuration,
    pub(crate) object: AgentObject,
    pub(crate) surface: Surface,
    pub(crate) keeps_workspace: bool,
}

/// The task that a turn of the user asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Task {
    /// The family, as its place.
    pub(crate) family: usize,
    /// The occurrence of the family for this user, from 1.
    pub(crate) occurrence: u32,
    /// What tells a one-off from others of its family.
    pub(crate) case: Option<Arc<str>>,
    /// Hazards, by their places, that are passing failures and happen this time.
    pub(crate) trouble: Vec<usize>,
    /// Set when the turn asks for no new task but corrects how an earlier one was done: the hazard's place.
    pub(crate) corrects: Option<usize>,
}

/// Draws one user's tasks.
#[derive(Debug)]
pub(crate) struct Tasks {
    draws: Draws,
    user: Arc<str>,
    occurrences: BTreeMap<usize, u32>,
}

impl Tasks {
    /// No task yet.
    pub(crate) fn new(draws: Draws, user: &Arc<str>) -> Self {
        Self { draws, user: Arc::clone(user), occurrences: BTreeMap::new() }
    }

    /// The n-th session of a piece of work, from 1.
    pub(crate) fn session(&mut self, work: &Work, families: &Families, n: u64) -> Session {
        let session = n.to_string();
        let key = [&*self.user, &*work.name, &*session];
        let (least, most) = (*work.tasks.start(), *work.tasks.end());
        let span = u64::from(most - least) + 1;
        let count = u64::from(least) + self.draws.u64(&["tasks", key[0], key[1], key[2]]) % span;
        let turns = (1..=count).map(|number| self.turn(work, families, &session, number)).collect();
        Session {
            name: SessionName::new(format!("{}-{n}", work.name)),
            resumes: false,
            object: work.object,
            surface: work.surface,
            keeps_workspace: work.keeps_workspace,
            holds: None,
            turns,
        }
    }

    fn turn(&mut self, work: &Work, families: &Families, session: &str, number: u64) -> Turn {
        let number_text = number.to_string();
        let key = Key { draws: self.draws, parts: [&self.user, &work.name, session, &number_text] };
        let index = family(work, &key);
        let family = &families.list[index];
        let (text, case) = words(family, &key);
        let occurrence = self.occurrences.entry(index).or_default();
        *occurrence += 1;
        let trouble = family.hazards.iter().enumerate().filter(|(_, hazard)| match hazard.kind {
            HazardKind::Passing { share, .. } => key.unit("trouble", &hazard.name) < share,
            HazardKind::Error(_) | HazardKind::Correction(_) => false,
        });
        let trouble = trouble.map(|(index, _)| index).collect();
        let task = Task { family: index, occurrence: *occurrence, case, trouble, corrects: None };
        Turn {
            text: text.into(),
            files: Vec::new(),
            begins: Begins::After(if number == 1 { SimDuration::ZERO } else { work.think }),
            interrupt: None,
            if_busy: IfBusy::Queue,
            when: None,
            task: Some(Arc::new(task)),
        }
    }
}

/// What the draws of a task are keyed by.
struct Key<'a> {
    draws: Draws,
    parts: [&'a str; 4],
}

impl Key<'_> {
    fn parts<'b>(&'b self, purpose: &'b str, name: &'b str) -> [&'b str; 6] {
        let [user, work, session, number] = self.parts;
        [purpose, user, work, session, number, name]
    }

    fn u64(&self, purpose: &str, name: &str) -> u64 {
        self.draws.u64(&self.parts(purpose, name))
    }

    fn unit(&self, purpose: &str, name: &str) -> f64 {
        self.draws.unit(&self.parts(purpose, name))
    }

    fn pick<'t, T>(&self, purpose: &str, name: &str, list: &'t [T]) -> &'t T {
        let place = self.u64(purpose, name) % list.len() as u64;
        &list[usize::try_from(place).expect("a place in a list")]
    }
}

/// A family by weight.
fn family(work: &Work, key: &Key<'_>) -> usize {
    let total: f64 = work.families.iter().map(|(_, weight)| weight).sum();
    let mut left = key.unit("family", "") * total;
    for (family, weight) in &work.families {
        if left < *weight {
            return *family;
        }
        left -= weight;
    }
    // Rounding can leave a rest.
    work.families.last().expect("work has at least one family").0
}

/// What the user says, and the case if the task is a one-off.
fn words(family: &Family, key: &Key<'_>) -> (String, Option<Arc<str>>) {
    let case =
        || -> Arc<str> { format!("case-{}", key.draws.hex(6, &key.parts("case", &family.name))).into() };
    let values: Vec<Arc<str>> = family
        .slots
        .iter()
        .map(|slot| match slot.values.as_slice() {
            [] => case(),
            values => Arc::clone(key.pick("slot", &slot.name, values)),
        })
        .collect();
    let says = key.pick("says", &family.name, &family.says);
    (says.fill(&values), family.one_off.then(case))
}
