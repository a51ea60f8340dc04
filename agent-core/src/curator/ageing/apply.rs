//! Doing what a plan says.

use serde_json::{Value, json};

use super::plan::{Change, FIRST_SEEN, Plan, Step};
use super::trial;
use crate::behaviour::{AgeingRules, BuiltinClock};
use crate::skills::usage::{SkillState, Usage};
use crate::values::{Fact, SkillEvent, Stamp};

/// What a run did, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Skills looked at.
    pub checked: usize,
    /// Built-ins that got a record, or a new start of their clock.
    pub seeded: usize,
    /// Skills marked stale.
    pub marked_stale: usize,
    /// Skills archived.
    pub archived: usize,
    /// Skills made active again.
    pub reactivated: usize,
    /// Trials that ended well.
    pub promoted: usize,
    /// Trials that ended badly.
    pub low_use: usize,
}

impl Counters {
    /// What applying a plan would count, if nothing fails.
    pub fn of(plan: &Plan) -> Self {
        let mut counters = Self { checked: plan.checked, ..Self::default() };
        for step in &plan.steps {
            counters.count(step.change);
        }
        counters
    }

    fn count(&mut self, change: Change) {
        *match change {
            Change::Seed | Change::Baseline => &mut self.seeded,
            Change::Stale => &mut self.marked_stale,
            Change::Archive => &mut self.archived,
            Change::Reactivate => &mut self.reactivated,
            Change::Promote => &mut self.promoted,
            Change::LowUse => &mut self.low_use,
        } += 1;
    }

    /// The counters as the reference reports them; those of trials only where there are any.
    pub fn to_value(&self) -> Value {
        let mut value = json!({
            "checked": self.checked,
            "seeded": self.seeded,
            "marked_stale": self.marked_stale,
            "archived": self.archived,
            "reactivated": self.reactivated,
        });
        if let Some(fields) = value.as_object_mut() {
            for (key, count) in [("promoted", self.promoted), ("low_use", self.low_use)] {
                if count > 0 {
                    fields.insert(key.to_owned(), count.into());
                }
            }
        }
        value
    }
}

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Applied {
    /// In numbers.
    pub counters: Counters,
    /// Skill by skill, in order.
    pub facts: Vec<Fact>,
    /// Skills that could not be archived, with the kind of the reason.
    pub refused: Vec<(String, &'static str)>,
}

/// Does what a plan says, step by step. A step that fails leaves its skill as it was.
pub fn apply(usage: &mut Usage<'_, '_>, plan: &Plan, at: Stamp, rules: &AgeingRules) -> Applied {
    let mut applied = Applied::default();
    applied.counters.checked = plan.checked;
    for step in &plan.steps {
        match take(usage, step, at, rules) {
            Ok(event) => {
                applied.counters.count(step.change);
                let name = step.name.as_str();
                applied.facts.extend(event.map(|event| fact(name, event)));
            }
            Err(kind) => applied.refused.push((step.name.clone(), kind)),
        }
    }
    applied
}

/// A change in the life of a skill, by the curator.
pub(in crate::curator) fn fact(name: &str, event: SkillEvent) -> Fact {
    Fact::Skill { name: name.into(), event, cause: "curator".into() }
}

fn take(
    usage: &mut Usage<'_, '_>,
    step: &Step,
    at: Stamp,
    rules: &AgeingRules,
) -> Result<Option<SkillEvent>, &'static str> {
    let name = step.name.as_str();
    let moved =
        |to: SkillState| SkillEvent::State { from: step.from.as_str().into(), to: to.as_str().into() };
    Ok(match step.change {
        Change::Seed => {
            usage.seed(name);
            if rules.builtin_clock != BuiltinClock::Record {
                usage.set_field(name, FIRST_SEEN, at.to_string());
            }
            None
        }
        Change::Baseline => {
            usage.set_field(name, FIRST_SEEN, at.to_string());
            None
        }
        Change::Stale => {
            usage.set_state(name, SkillState::Stale);
            Some(moved(SkillState::Stale))
        }
        Change::Reactivate => {
            usage.set_state(name, SkillState::Active);
            Some(moved(SkillState::Active))
        }
        Change::Archive => {
            usage.archive(name).map_err(|error| error.kind())?;
            Some(SkillEvent::Archived)
        }
        Change::Promote => {
            usage.set_field(name, trial::FIELD, trial::PROMOTED);
            let was_stale = step.from == SkillState::Stale.as_str();
            was_stale.then(|| {
                usage.set_state(name, SkillState::Active);
                moved(SkillState::Active)
            })
        }
        Change::LowUse => {
            usage.set_field(name, trial::FIELD, trial::LOW_USE);
            let was_active = step.from == SkillState::Active.as_str();
            was_active.then(|| {
                usage.set_state(name, SkillState::Stale);
                moved(SkillState::Stale)
            })
        }
    })
}
