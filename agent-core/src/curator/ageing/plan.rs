//! What the next run would do to each skill, and why.

use super::number;
use super::trial::{self, Trial};
use crate::behaviour::{AgeingBy, AgeingRules, AnchorFrom, BuiltinClock, OddCounter};
use crate::curator::jobs::JobSkills;
use crate::skills::usage::{Counter, Record, SkillState};
use crate::values::Stamp;

const MICROS_PER_DAY: i128 = 86_400_000_000;

/// First and last instant that the reference can compute with: the years 1 to 9999.
const FIRST_MICROS: i128 = -62_135_596_800_000_000;
const LAST_MICROS: i128 = 253_402_300_799_999_999;

/// When the curator first saw a built-in.
pub(super) const FIRST_SEEN: &str = "first_seen_at";
/// When a skill came back from the archive.
pub(in crate::curator) const RESTORED: &str = "restored_at";

/// One skill that the run looks at.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// Its declared name.
    pub name: &'a str,
    /// Its stored record, if there is one.
    pub record: Option<&'a Record>,
    /// Whether it came with the program.
    pub builtin: bool,
}

/// What happens to a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// A built-in seen for the first time gets a record.
    Seed,
    /// A built-in's clock starts anew.
    Baseline,
    /// Active to stale.
    Stale,
    /// To the archive.
    Archive,
    /// Stale to active.
    Reactivate,
    /// Its trial ended well.
    Promote,
    /// Its trial ended badly: it is marked as little used and stale.
    LowUse,
}

impl Change {
    /// The word in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Seed => "seeded",
            Self::Baseline => "baseline",
            Self::Stale => "marked_stale",
            Self::Archive => "archived",
            Self::Reactivate => "reactivated",
            Self::Promote => "promoted",
            Self::LowUse => "low_use",
        }
    }
}

/// One change with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The skill.
    pub name: String,
    /// What happens.
    pub change: Change,
    /// The text of its state before.
    pub from: String,
    /// The activity that its age counts from.
    pub anchor: Stamp,
}

/// What a run would do, skill by skill in order of name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Skills looked at.
    pub checked: usize,
    /// The changes.
    pub steps: Vec<Step>,
    /// The skill whose odd counter stops the run; the changes before it happen.
    pub stopped: Option<String>,
}

impl Plan {
    /// The skills that this happens to.
    pub fn names(&self, change: Change) -> impl Iterator<Item = &str> {
        self.steps.iter().filter(move |step| step.change == change).map(|step| step.name.as_str())
    }
}

/// A limit lies beyond the years 1 to 9999, where the reference cannot compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{key}` reaches beyond the years 1 to 9999")]
pub struct LimitTooFar {
    /// The configuration key.
    pub key: &'static str,
}

/// The instants at or before which a skill counts as stale, and is archived.
#[derive(Clone, Copy, Debug)]
pub(in crate::curator) struct Limits {
    pub(in crate::curator) stale: Stamp,
    pub(in crate::curator) archive: Stamp,
}

/// Both limits at an instant.
pub(in crate::curator) fn limits(at: Stamp, rules: &AgeingRules) -> Result<Limits, LimitTooFar> {
    let before = |days: i64, key| {
        let micros = i128::from(at.as_micros()) - i128::from(days) * MICROS_PER_DAY;
        let inside = (FIRST_MICROS..=LAST_MICROS).contains(&micros);
        i64::try_from(micros).ok().filter(|_| inside).map(Stamp::from_micros).ok_or(LimitTooFar { key })
    };
    Ok(Limits {
        stale: before(rules.stale_after_days, "curator.stale_after_days")?,
        archive: before(rules.archive_after_days, "curator.archive_after_days")?,
    })
}

/// What a run at this time would do to these candidates, given in order of name.
///
/// # Errors
/// A limit lies beyond all dates.
pub fn plan<'a>(
    candidates: impl IntoIterator<Item = Candidate<'a>>,
    jobs: &JobSkills,
    at: Stamp,
    rules: &AgeingRules,
) -> Result<Plan, LimitTooFar> {
    let limits = limits(at, rules)?;
    let mut plan = Plan::default();
    let mut evictable = Vec::new();
    let mut in_place = 0;
    for candidate in candidates {
        plan.checked += 1;
        in_place += usize::from(state_of(candidate.record) != SkillState::Archived.as_str());
        let step = match judge(&candidate, jobs, at, &limits, rules) {
            Judgement::Stays => continue,
            Judgement::Stops => {
                plan.stopped = Some(candidate.name.to_owned());
                return Ok(plan);
            }
            Judgement::Changes(change) => change,
            Judgement::Evictable => {
                evictable.push(candidate);
                continue;
            }
        };
        plan.steps.push(step_of(&candidate, step, at, rules));
    }
    for candidate in number::evicted(evictable, in_place, at, rules) {
        plan.steps.push(step_of(&candidate, Change::Archive, at, rules));
    }
    plan.steps.sort_by(|one, two| one.name.cmp(&two.name));
    Ok(plan)
}

fn step_of(candidate: &Candidate<'_>, change: Change, at: Stamp, rules: &AgeingRules) -> Step {
    Step {
        name: candidate.name.to_owned(),
        change,
        from: state_of(candidate.record).to_owned(),
        anchor: candidate.record.map_or(at, |record| anchor(record, at, rules)),
    }
}

enum Judgement {
    Stays,
    Stops,
    Changes(Change),
    /// It may be archived if there are too many.
    Evictable,
}

fn judge(
    candidate: &Candidate<'_>,
    jobs: &JobSkills,
    at: Stamp,
    limits: &Limits,
    rules: &AgeingRules,
) -> Judgement {
    let held = jobs.has(candidate.name) || (rules.hold_on_bad_jobs && jobs.is_unreadable());
    if candidate.record.is_some_and(Record::is_pinned) || (rules.protect_job_skills && held) {
        return Judgement::Stays;
    }
    let Some(record) = candidate.record else { return Judgement::Changes(Change::Seed) };
    if candidate.builtin && wants_baseline(record, rules.builtin_clock) {
        return Judgement::Changes(Change::Baseline);
    }
    let anchor = anchor(record, at, rules);
    let trial = trial::of(candidate, record, at, rules);
    match trial {
        Trial::On => return Judgement::Stays,
        Trial::Passed => return Judgement::Changes(Change::Promote),
        Trial::Failed => return Judgement::Changes(Change::LowUse),
        Trial::None | Trial::LowUse => {}
    }
    let is_stale = state_of(Some(record)) == SkillState::Stale.as_str() && trial != Trial::LowUse;
    if rules.unused_grace {
        let uses = match (record.count(Counter::Use), rules.odd_counter) {
            (Some(uses), _) => uses,
            (None, OddCounter::Zero) => 0,
            (None, OddCounter::Stops) => return Judgement::Stops,
        };
        if uses == 0 && anchor > limits.stale {
            return if is_stale { Judgement::Changes(Change::Reactivate) } else { Judgement::Stays };
        }
    }
    match rules.by {
        AgeingBy::Time => by_time(record, anchor, is_stale, limits),
        AgeingBy::Nothing => Judgement::Stays,
        AgeingBy::LeastRecent | AgeingBy::LeastFrequent => Judgement::Evictable,
    }
}

fn by_time(record: &Record, anchor: Stamp, is_stale: bool, limits: &Limits) -> Judgement {
    let state = state_of(Some(record));
    if anchor <= limits.archive && state != SkillState::Archived.as_str() {
        Judgement::Changes(Change::Archive)
    } else if anchor <= limits.stale && state == SkillState::Active.as_str() {
        Judgement::Changes(Change::Stale)
    } else if anchor > limits.stale && is_stale {
        Judgement::Changes(Change::Reactivate)
    } else {
        Judgement::Stays
    }
}

/// The state in a record: active where the field is missing.
pub(super) fn state_of(record: Option<&Record>) -> &str {
    match record {
        Some(record) if record.get("state").is_some() => record.state_text(),
        _ => SkillState::Active.as_str(),
    }
}

fn wants_baseline(record: &Record, clock: BuiltinClock) -> bool {
    match clock {
        BuiltinClock::Record => false,
        BuiltinClock::IdleAnew => record.get(FIRST_SEEN).is_none() && record.last_activity().is_none(),
        BuiltinClock::FirstSight => record.get(FIRST_SEEN).is_none(),
    }
}

/// What a skill's age counts from: its newest activity, else its record's creation, else now. A restore and the
/// curator's first sight count where the rules say so.
pub fn anchor(record: &Record, at: Stamp, rules: &AgeingRules) -> Stamp {
    let activity = match rules.anchor {
        AnchorFrom::Newest => record.last_activity(),
        AnchorFrom::Use => record.date(Counter::Use.date_key()),
    };
    let base = activity.or_else(|| record.date("created_at")).map_or(at, |(stamp, _)| stamp);
    let later = |key: &str, counts: bool| counts.then(|| record.date(key)).flatten().map(|(stamp, _)| stamp);
    let seen = later(FIRST_SEEN, rules.builtin_clock != BuiltinClock::Record);
    let restored = later(RESTORED, rules.restore_counts);
    [seen, restored].into_iter().flatten().fold(base, Stamp::max)
}
