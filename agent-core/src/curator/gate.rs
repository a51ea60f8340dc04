//! Whether a run is due (`spec/curator.md` §4): the gate first, then the idle test.
//!
//! A poll that is not due is answered from memory: the state file is read again only if the tree says that it may have
//! changed. So a year of hourly polls costs nothing.

use super::backup;
use super::claim;
use super::schedule::{SEEDED, Schedule, Undecodable, state_file};
use crate::behaviour::{CuratorRules, FirstSight, UndecodableState};
use crate::skills::Seen;
use crate::stores::{Files, Resolved, TreePath, resolve};
use crate::values::Stamp;

const MICROS_PER_HOUR: i128 = 3_600_000_000;

/// The longest span that the reference can compute with, in hours either way (Python's `timedelta`: 999,999,999 days).
const HOURS_MAX: i64 = 23_999_999_999;
const HOURS_MIN: i64 = -23_999_999_976;

/// Why a poll started nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdleReason {
    /// There is no curator, or it is switched off.
    Disabled,
    /// Runs are paused.
    Paused,
    /// This home was seen for the first time; the clock starts now.
    Seeded,
    /// The interval has not passed.
    NotDue,
    /// The agent was active lately, or a pass is still running.
    Busy,
    /// The state file cannot be decoded, or the interval is beyond all measure.
    Damaged,
}

impl IdleReason {
    /// The word in traces.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::Paused => "paused",
            Self::Seeded => "seeded",
            Self::NotDue => "not due",
            Self::Busy => "busy",
            Self::Damaged => "damaged",
        }
    }
}

/// The answer to a poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Poll {
    /// Nothing starts.
    Idle(IdleReason),
    /// A run is due.
    Due,
}

/// What the gate remembers of the state file.
#[derive(Clone, Debug)]
pub struct Gate {
    skills: TreePath,
    file: TreePath,
    seen: Seen,
    known: Known,
}

#[derive(Clone, Copy, Debug)]
enum Known {
    Undecodable,
    State { paused: bool, last_run: Option<Stamp> },
}

impl Default for Gate {
    fn default() -> Self {
        let skills = TreePath::new("skills");
        let file = state_file(&skills);
        let known = Known::State { paused: false, last_run: None };
        Self { skills, file, seen: Seen::Never, known }
    }
}

/// Asks whether a run is due (`maybe_run`). `idle_seconds` is how long the agent has been idle, infinity included; none
/// where the caller did not measure it, so that the idle test is skipped.
pub fn poll(
    gate: &mut Gate,
    home: &mut dyn Files,
    rules: &CuratorRules,
    at: Stamp,
    idle_seconds: Option<f64>,
) -> Poll {
    let answer = due(gate, home, rules, at);
    if answer != Poll::Due {
        return answer;
    }
    let is_busy = idle_seconds.is_some_and(|seconds| seconds < rules.min_idle_hours * 3600.0);
    if is_busy || claim::is_held(home, &gate.skills, &rules.pass, at) {
        return Poll::Idle(IdleReason::Busy);
    }
    Poll::Due
}

/// The gate alone (`should_run_now`). The first look at a home starts its clock.
pub fn due(gate: &mut Gate, home: &mut dyn Files, rules: &CuratorRules, at: Stamp) -> Poll {
    if !rules.available || !rules.enabled {
        return Poll::Idle(IdleReason::Disabled);
    }
    gate.refresh(home, rules);
    let answer = judge(gate.known, rules, at);
    if answer == Poll::Idle(IdleReason::Seeded) {
        Schedule::change(home, &gate.skills, |schedule| {
            schedule.set("last_run_at", at.to_string());
            schedule.set("last_run_summary", SEEDED);
        });
    }
    answer
}

/// What the gate would say, with nothing remembered and nothing written: [`IdleReason::Seeded`] means that the clock
/// would start.
pub(super) fn peek(home: &dyn Files, skills: &TreePath, rules: &CuratorRules, at: Stamp) -> Poll {
    if !rules.available || !rules.enabled {
        return Poll::Idle(IdleReason::Disabled);
    }
    judge(Known::read(home, skills), rules, at)
}

fn judge(known: Known, rules: &CuratorRules, at: Stamp) -> Poll {
    let (paused, last_run) = match known {
        Known::State { paused, last_run } => (paused, last_run),
        Known::Undecodable if rules.undecodable_state == UndecodableState::Damaged => (false, None),
        Known::Undecodable => return Poll::Idle(IdleReason::Damaged),
    };
    match (paused, last_run) {
        (true, _) => Poll::Idle(IdleReason::Paused),
        (false, None) if rules.first_sight == FirstSight::Due => Poll::Due,
        (false, None) => Poll::Idle(IdleReason::Seeded),
        (false, Some(last_run)) => match interval_micros(rules) {
            None => Poll::Idle(IdleReason::Damaged),
            Some(interval) if since(at, last_run) >= interval => Poll::Due,
            Some(_) => Poll::Idle(IdleReason::NotDue),
        },
    }
}

/// The interval; none if the reference could not compute with it.
fn interval_micros(rules: &CuratorRules) -> Option<i128> {
    let hours = rules.interval_hours;
    (HOURS_MIN..=HOURS_MAX).contains(&hours).then(|| i128::from(hours) * MICROS_PER_HOUR)
}

fn since(at: Stamp, earlier: Stamp) -> i128 {
    i128::from(at.as_micros()) - i128::from(earlier.as_micros())
}

/// When a run will be due, if the state stays as it is; none if there is no last run or the interval is too long.
pub fn next_due(last_run: Stamp, rules: &CuratorRules) -> Option<Stamp> {
    let due = i128::from(last_run.as_micros()) + interval_micros(rules)?;
    i64::try_from(due).ok().map(Stamp::from_micros)
}

impl Gate {
    fn refresh(&mut self, home: &mut dyn Files, rules: &CuratorRules) {
        if self.seen.still(home, &self.file) {
            return;
        }
        self.skills = skills_dir(home);
        self.file = state_file(&self.skills);
        // An interrupted rollback may hold the state file, and the whole library, in its staging directory.
        backup::recover(home, &self.skills, &rules.backup);
        self.seen = Seen::of(home, &self.file);
        self.known = Known::read(home, &self.skills);
    }
}

impl Known {
    fn read(home: &dyn Files, skills: &TreePath) -> Self {
        match Schedule::read(home, skills) {
            Ok(schedule) => Self::State { paused: schedule.is_paused(), last_run: schedule.last_run_at() },
            Err(Undecodable) => Self::Undecodable,
        }
    }
}

/// The home's own skills directory, links resolved.
pub(super) fn skills_dir(home: &dyn Files) -> TreePath {
    let plain = TreePath::new("skills");
    match resolve(home, &plain) {
        Ok(Resolved::Inside(path)) => path,
        _ => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviour::{Behaviour, Settings, Version};
    use crate::stores::MemFiles;

    #[test]
    fn the_word_of_the_file_is_heard_at_once() {
        let rules = Behaviour::resolve(&Settings::new(Version::V0_19)).curator;
        let mut home = MemFiles::new("/home/agent/.hermes");
        let mut gate = Gate::default();
        let at = |text| Stamp::parse(text).unwrap();
        let ask = |gate: &mut Gate, home: &mut MemFiles, text| poll(gate, home, &rules, at(text), None);
        assert_eq!(ask(&mut gate, &mut home, "2026-01-05"), Poll::Idle(IdleReason::Seeded));
        assert_eq!(ask(&mut gate, &mut home, "2026-01-06"), Poll::Idle(IdleReason::NotDue));
        Schedule::change(&mut home, &TreePath::new("skills"), |schedule| schedule.set("paused", "no"));
        assert_eq!(ask(&mut gate, &mut home, "2026-01-12"), Poll::Idle(IdleReason::Paused));
        Schedule::change(&mut home, &TreePath::new("skills"), |schedule| schedule.set("paused", 0));
        assert_eq!(ask(&mut gate, &mut home, "2026-01-11T23:59:59.999999"), Poll::Idle(IdleReason::NotDue));
        assert_eq!(ask(&mut gate, &mut home, "2026-01-12"), Poll::Due);
        assert_eq!(next_due(at("2026-01-05"), &rules), Some(at("2026-01-12")));
    }

    #[test]
    fn a_version_without_a_curator_never_polls_the_home() {
        let rules = Behaviour::resolve(&Settings::new(Version::April2026)).curator;
        let mut home = MemFiles::new("/home/agent/.hermes");
        let found = poll(&mut Gate::default(), &mut home, &rules, Stamp::from_micros(0), None);
        assert_eq!(found, Poll::Idle(IdleReason::Disabled));
        assert!(home.list(&TreePath::root()).unwrap().is_empty());
    }
}
