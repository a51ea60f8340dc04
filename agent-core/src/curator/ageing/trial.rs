//! Trials of new skills: within the observation days a skill either gets its uses and is promoted, or is marked as
//! little used. An alternative to the reference's ageing, off by default.

use super::plan::Candidate;
use crate::behaviour::AgeingRules;
use crate::skills::usage::{Counter, Record};
use crate::values::Stamp;

/// The field of a record that says how a trial ended.
pub(super) const FIELD: &str = "probation";
pub(super) const PROMOTED: &str = "promoted";
pub(super) const LOW_USE: &str = "low_use";

const MICROS_PER_DAY: i128 = 86_400_000_000;

/// Where a skill stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trial {
    /// It is not on trial, or was promoted before.
    None,
    /// Its trial goes on; nothing ages it.
    On,
    /// It has got its uses now.
    Passed,
    /// Its days are over without them.
    Failed,
    /// It was marked as little used before: it is not made active by time, only by getting its uses.
    LowUse,
}

/// Where a skill stands at an instant. Built-ins are never on trial.
pub(super) fn of(candidate: &Candidate<'_>, record: &Record, at: Stamp, rules: &AgeingRules) -> Trial {
    let Some(probation) = rules.probation.filter(|_| !candidate.builtin) else { return Trial::None };
    let mark = record.get(FIELD).and_then(|value| value.as_str());
    if mark == Some(PROMOTED) {
        return Trial::None;
    }
    if record.count(Counter::Use).unwrap_or(0) >= probation.uses_min {
        return Trial::Passed;
    }
    if mark == Some(LOW_USE) {
        return Trial::LowUse;
    }
    let born = record.date("created_at").map_or(at, |(stamp, _)| stamp);
    let age = i128::from(at.as_micros()) - i128::from(born.as_micros());
    if age < i128::from(probation.days) * MICROS_PER_DAY { Trial::On } else { Trial::Failed }
}
