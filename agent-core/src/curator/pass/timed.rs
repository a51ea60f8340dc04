//! The part of a run that needs no model.

use super::super::ageing::{Applied, Counters, LimitTooFar, apply};
use super::super::backup::SnapshotId;
use super::super::candidates::{names, plan_run};
use super::super::context::CuratorContext;
use crate::behaviour::SnapshotBefore;
use crate::values::Fact;

/// The reason of the snapshot before a run.
const SNAPSHOT_REASON: &str = "pre-curator-run";

/// What the timed part did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimedRun {
    /// In numbers.
    pub counters: Counters,
    /// Whether nothing was changed because it was a dry run.
    pub dry_run: bool,
    /// The snapshot taken before it.
    pub snapshot: Option<SnapshotId>,
    /// Skill by skill.
    pub facts: Vec<Fact>,
    /// Skills that could not be archived, with the kind of the reason.
    pub refused: Vec<(String, &'static str)>,
}

impl TimedRun {
    /// The counters as a report has them: a dry run seeds nothing and does not say so.
    pub fn to_value(&self) -> serde_json::Value {
        let mut value = self.counters.to_value();
        if let (true, Some(fields)) = (self.dry_run, value.as_object_mut()) {
            fields.remove("seeded");
        }
        value
    }
}

/// Why the timed part stopped. The date of the last run is then not moved, and the next poll tries again.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RunError {
    /// A limit cannot be computed with.
    #[error(transparent)]
    Limit(#[from] LimitTooFar),
    /// A use counter is no number; the skills before it are done.
    #[error("the use counter of `{name}` is no number")]
    OddCounter {
        /// The skill.
        name: String,
        /// What was done before it.
        facts: Vec<Fact>,
    },
}

/// Takes the snapshot that the rules ask for and does the timed transitions. A dry run only counts the candidates.
///
/// # Errors
/// See [`RunError`].
pub fn run_timed(
    context: &mut CuratorContext<'_, '_>,
    dry_run: bool,
    consolidates: bool,
) -> Result<TimedRun, RunError> {
    let (rules, at) = (context.rules(), context.at);
    if dry_run {
        let checked = names(&mut context.usage(), rules).len();
        let counters = Counters { checked, ..Counters::default() };
        return Ok(TimedRun { counters, dry_run, ..TimedRun::default() });
    }
    let snapshot = snapshot_before(context, consolidates);
    let jobs = context.job_skills();
    let mut usage = context.usage();
    let plan = plan_run(&mut usage, &jobs, rules, at)?;
    let Applied { counters, facts, refused } = apply(&mut usage, &plan, at, &rules.ageing);
    context.flush_if_due();
    match plan.stopped {
        Some(name) => Err(RunError::OddCounter { name, facts }),
        None => Ok(TimedRun { counters, dry_run, snapshot, facts, refused }),
    }
}

fn snapshot_before(context: &mut CuratorContext<'_, '_>, consolidates: bool) -> Option<SnapshotId> {
    match context.rules().backup.before {
        SnapshotBefore::Nothing => None,
        SnapshotBefore::Consolidation if !consolidates => {
            context.age_out_snapshots();
            None
        }
        SnapshotBefore::EveryRun | SnapshotBefore::Consolidation => context.snapshot(SNAPSHOT_REASON),
    }
}
