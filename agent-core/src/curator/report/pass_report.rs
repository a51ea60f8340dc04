//! What a run did, as data.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::curator::classify::Classified;
use crate::curator::jobs::RewriteReport;
use crate::curator::pass::{PassOutcome, RenameMap, TimedRun};
use crate::curator::verify::Verification;
use crate::stores::TreePath;
use crate::values::{CuratorCause, Stamp};

/// A candidate whose state is another after the pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StateChange {
    /// The skill.
    pub name: String,
    /// Before.
    pub from: String,
    /// After.
    pub to: String,
}

/// What a run did.
#[derive(Clone, Debug, PartialEq)]
pub struct PassReport {
    /// What asked for it.
    pub cause: CuratorCause,
    /// When it began.
    pub started: Stamp,
    /// When it ended.
    pub ended: Stamp,
    /// Whether nothing was to be changed.
    pub dry_run: bool,
    /// The timed part.
    pub timed: TimedRun,
    /// Candidates before the pass.
    pub before: usize,
    /// And after it.
    pub after: usize,
    /// Candidates that stayed and whose state is another.
    pub state_changes: Vec<StateChange>,
    /// What became of removed skills.
    pub classified: Classified,
    /// What became of the jobs.
    pub rewritten: RewriteReport,
    /// What a look at the library found, if the rules ask for one.
    pub verification: Option<Verification>,
    /// The run in a few lines, as the state file has it.
    pub summary: String,
    /// Where removed skills went.
    pub rename_map: Option<RenameMap>,
    /// The model's answer in short, or why there is none.
    pub llm_summary: String,
    /// What the conversation left.
    pub outcome: PassOutcome,
    /// The report's folder; none if it could not be made.
    pub path: Option<TreePath>,
    /// Candidates that were too young to be merged.
    pub young: BTreeSet<String>,
}

impl PassReport {
    /// How long it took, in seconds with two decimals.
    pub fn duration_seconds(&self) -> f64 {
        let hundredths = (self.ended - self.started).max(0) / 10_000;
        hundredths as f64 / 100.0
    }

    /// Candidates after less those before.
    pub(super) fn delta(&self) -> i64 {
        i64::try_from(self.after).unwrap_or(i64::MAX) - i64::try_from(self.before).unwrap_or(i64::MAX)
    }
}
