//! A run up to the model.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::super::candidates::{CandidateRow, directory_aliases, list, render};
use super::super::claim;
use super::super::context::CuratorContext;
use super::super::jobs::JobRewrite;
use super::timed::{RunError, TimedRun, run_timed};
use super::words::timed_line;
use crate::behaviour::{CuratorRules, PassTools};
use crate::prompt::CuratorAsk;
use crate::skills::SkillDir;
use crate::stores::{Files, Frozen};
use crate::values::{CuratorCause, Stamp};

const READERS: &[&str] = &["skills_list", "skill_view"];
const SKILL_TOOLS: &[&str] = &["skills_list", "skill_view", "skill_manage"];

/// How a run is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunAsk {
    /// What asks.
    pub cause: CuratorCause,
    /// Whether to change nothing.
    pub dry_run: bool,
    /// Whether to ask a model; none follows the configuration.
    pub consolidate: Option<bool>,
}

/// Why a run did not begin, or stopped before the model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RunRefused {
    /// There is no curator, or it is switched off.
    #[error("the curator is switched off")]
    Disabled,
    /// A pass is running.
    #[error("a pass is already running")]
    Busy,
    /// The timed part failed.
    #[error(transparent)]
    Stopped(#[from] RunError),
}

/// Whether a model is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consolidation {
    /// No: it is switched off.
    Off,
    /// No: there is nothing to consolidate.
    NoCandidates,
    /// Yes.
    Asks,
}

/// The tools that a pass is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// Those of a session.
    Session,
    /// These.
    Only(&'static [&'static str]),
}

/// A run that has come to the model.
#[derive(Clone)]
pub struct PassStart {
    /// When it began.
    pub started: Stamp,
    /// What asked for it.
    pub cause: CuratorCause,
    /// Whether nothing may be changed.
    pub dry_run: bool,
    /// The timed part.
    pub timed: TimedRun,
    /// Whether a model is asked.
    pub consolidation: Consolidation,
    /// The tools that the pass is offered.
    pub offer: Offer,
    /// The candidates before the pass.
    pub before: Vec<CandidateRow>,
    /// Those of them that are too young to be merged; they are not in the list.
    pub young: BTreeSet<String>,
    /// Whether built-ins take part.
    pub builtins: bool,
    /// The list of candidates as the model reads it.
    pub list: String,
    /// Declared names by directory names, where they differ and the rules compare them.
    pub(super) aliases: BTreeMap<String, String>,
    /// Where the candidates lay.
    places: BTreeMap<String, Arc<SkillDir>>,
    /// The home as it was, if that costs nothing.
    home: Option<Frozen>,
    /// Jobs that were led from merged skills to others already.
    pub(super) led: Vec<JobRewrite>,
}

impl std::fmt::Debug for PassStart {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("PassStart")
            .field("started", &self.started)
            .field("consolidation", &self.consolidation)
            .field("candidates", &self.before.len())
            .finish_non_exhaustive()
    }
}

impl PassStart {
    /// What goes into the instruction; none if no model is asked.
    pub fn ask(&self) -> Option<CuratorAsk<'_>> {
        (self.consolidation == Consolidation::Asks).then(|| CuratorAsk {
            dry_run: self.dry_run,
            builtins: self.builtins,
            count: self.before.len() - self.young.len(),
            candidates: &self.list,
        })
    }

    /// Where a candidate lay before the pass.
    pub(in crate::curator) fn place(&self, name: &str) -> Option<&SkillDir> {
        self.places.get(name).map(|place| &**place)
    }

    /// The home as it was before the pass, where that is known.
    pub(in crate::curator) fn home_before(&self) -> Option<&dyn Files> {
        self.home.as_ref().map(|home| &**home as &dyn Files)
    }

    /// Whether a skill, by declared or directory name, is too young to be merged.
    pub fn is_young(&self, name: &str) -> bool {
        let by_place = |young: &String| self.places.get(young).is_some_and(|place| &*place.dir_name == name);
        self.young.contains(name) || self.young.iter().any(by_place)
    }
}

/// Begins a run: the timed part, the state file, the list of candidates. The command of a user comes here without a
/// poll: gate, pause and idle test do not concern it.
///
/// # Errors
/// See [`RunRefused`].
pub fn begin_pass(context: &mut CuratorContext<'_, '_>, ask: RunAsk) -> Result<PassStart, RunRefused> {
    let (rules, at) = (context.rules(), context.at);
    if !rules.available || !rules.enabled {
        return Err(RunRefused::Disabled);
    }
    if claim::is_held(context.library.home(), &context.skills_dir(), &rules.pass, at) {
        return Err(RunRefused::Busy);
    }
    let consolidates = ask.consolidate.unwrap_or(rules.consolidate);
    let timed = run_timed(context, ask.dry_run, consolidates)?;
    let line = format!("{}{}", prefix(ask.dry_run), timed_line(&timed.counters));
    context.change_schedule(|schedule| {
        if !ask.dry_run {
            schedule.set("last_run_at", at.to_string());
            schedule.set("run_count", schedule.run_count() + 1);
        }
        schedule.set("last_run_summary", line);
    });
    let start = gather(context, ask, timed, consolidates);
    let changes = !(ask.dry_run && rules.pass.dry_run_enforced);
    if start.consolidation == Consolidation::Asks && changes {
        // A claim that cannot be written keeps nobody out; the pass goes on (`spec/curator.md` §15).
        let _ = context.write(|home, skills| claim::take(home, skills, &rules.pass, at));
    }
    Ok(start)
}

/// The beginning of a run's summary.
pub(super) fn prefix(dry_run: bool) -> &'static str {
    if dry_run { "dry run: " } else { "run: " }
}

fn gather(
    context: &mut CuratorContext<'_, '_>,
    ask: RunAsk,
    timed: TimedRun,
    consolidates: bool,
) -> PassStart {
    let (rules, at) = (context.rules(), context.at);
    let jobs = context.job_skills();
    let home = if consolidates { context.library.home().frozen() } else { None };
    let mut usage = context.usage();
    let before = list(&mut usage, &jobs, rules);
    let young = young(&before, at, rules);
    let listed: Vec<CandidateRow> = before.iter().filter(|row| !young.contains(&row.name)).cloned().collect();
    let consolidation = match (consolidates, listed.is_empty()) {
        (false, _) => Consolidation::Off,
        (true, true) => Consolidation::NoCandidates,
        (true, false) => Consolidation::Asks,
    };
    let mut places = BTreeMap::new();
    if consolidates {
        for skill in usage.local_skills() {
            places.entry(skill.declared.to_string()).or_insert(skill);
        }
    }
    let aliases =
        if rules.match_directories && consolidates { directory_aliases(&mut usage) } else { BTreeMap::new() };
    PassStart {
        started: at,
        cause: ask.cause,
        dry_run: ask.dry_run,
        timed,
        consolidation,
        offer: offer(ask.dry_run, rules),
        list: render(&listed, rules.pass.list_jobs),
        before,
        young,
        builtins: rules.builtins,
        aliases,
        places,
        home,
        led: Vec::new(),
    }
}

fn young(rows: &[CandidateRow], at: Stamp, rules: &CuratorRules) -> BTreeSet<String> {
    let days = rules.pass.merge_min_age_days;
    let limit = at.minus_days(days);
    let is_young = |row: &&CandidateRow| days > 0 && row.created.is_some_and(|created| created > limit);
    rows.iter().filter(is_young).map(|row| row.name.clone()).collect()
}

fn offer(dry_run: bool, rules: &CuratorRules) -> Offer {
    match rules.pass.tools {
        _ if dry_run && rules.pass.dry_run_enforced => Offer::Only(READERS),
        PassTools::Skills => Offer::Only(SKILL_TOOLS),
        PassTools::All => Offer::Session,
    }
}
