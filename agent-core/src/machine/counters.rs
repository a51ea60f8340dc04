//! The nudge counters of an agent object (`spec/nudges.md`): pure transitions over [`Counters`].

use crate::behaviour::{ClearOn, EarlyReturn, Hydrate, NudgeRules, Unit};
use crate::values::Counters;

/// Which gates are open: evaluated anew each time, since tools and stores may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gates {
    /// The tool `memory` is offered and a memory store exists.
    pub(crate) memory: bool,
    /// The tool `skill_manage` is offered.
    pub(crate) skills: bool,
}

impl Gates {
    /// Nothing is counted.
    pub(crate) const CLOSED: Self = Self { memory: false, skills: false };

    fn memory_open(self, rules: &NudgeRules) -> bool {
        self.memory && rules.memory_interval > 0
    }

    fn skills_open(self, rules: &NudgeRules) -> bool {
        self.skills && rules.skill_interval > 0
    }
}

/// What a finished turn is due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Due {
    pub(crate) memory: bool,
    pub(crate) skills: bool,
}

impl Due {
    pub(crate) fn any(self) -> bool {
        self.memory || self.skills
    }

    /// What is in this and not in the other.
    pub(crate) fn without(self, other: Self) -> Self {
        Self { memory: self.memory && !other.memory, skills: self.skills && !other.skills }
    }

    /// What is in both.
    pub(crate) fn both(self, other: Self) -> Self {
        Self { memory: self.memory && other.memory, skills: self.skills && other.skills }
    }

    /// What is in either.
    pub(crate) fn either(self, other: Self) -> Self {
        Self { memory: self.memory || other.memory, skills: self.skills || other.skills }
    }
}

/// The counters with the flag of the turn in progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NudgeState {
    pub(crate) counters: Counters,
    memory_armed: bool,
    /// What the memory counter stood at when this turn cleared it, as long as nothing else cleared it since.
    cleared_at: Option<i64>,
}

impl NudgeState {
    /// Takes over the counters that are kept with the profile. The user's turns are the session's own.
    pub(crate) fn adopt(&mut self, kept: Counters) {
        self.counters = Counters { user_turns: self.counters.user_turns, ..kept };
    }

    /// A new session on the same object: the turn count starts over, the nudge counters carry over (§3).
    pub(crate) fn new_session(&mut self) {
        self.counters.user_turns = 0;
    }

    /// Takes the counters over from a history with so many user messages (§2.1, step 1). Neither the tool nor the
    /// store is asked for.
    pub(crate) fn hydrate(&mut self, user_messages: usize, rules: &NudgeRules) {
        let seen = i64::try_from(user_messages).unwrap_or(i64::MAX);
        if seen == 0 || self.counters.user_turns != 0 || rules.hydrate == Hydrate::No {
            return;
        }
        self.counters.user_turns = seen;
        if rules.hydrate == Hydrate::Modulo
            && rules.memory_interval > 0
            && self.counters.turns_since_memory == 0
        {
            self.counters.turns_since_memory = seen % rules.memory_interval;
        }
    }

    /// The prologue of a turn (§2.1, steps 2 and 3). Says whether the memory nudge became due.
    pub(crate) fn begin_turn(&mut self, gates: Gates, rules: &NudgeRules) -> bool {
        self.memory_armed = false;
        self.cleared_at = None;
        self.counters.user_turns += 1;
        if !gates.memory_open(rules) {
            return false;
        }
        self.counters.turns_since_memory += 1;
        if self.counters.turns_since_memory >= rules.memory_interval {
            self.memory_armed = true;
            if rules.clear_on == ClearOn::Threshold {
                self.cleared_at = Some(self.counters.turns_since_memory);
                self.counters.turns_since_memory = 0;
            }
        }
        self.memory_armed
    }

    /// A pass of the loop begins (§2.2). `restarted`: compression started the same pass anew.
    pub(crate) fn begin_pass(&mut self, gates: Gates, rules: &NudgeRules, restarted: bool) {
        let counts = rules.unit == Unit::Pass && (!restarted || rules.count_restarts);
        if counts && gates.skills_open(rules) {
            self.counters.iters_since_skill += 1;
        }
    }

    /// A round of tools begins.
    pub(crate) fn begin_round(&mut self, gates: Gates, rules: &NudgeRules) {
        if rules.unit == Unit::ToolRound && gates.skills_open(rules) {
            self.counters.iters_since_skill += 1;
        }
    }

    /// A tool is about to run (§2.3).
    pub(crate) fn dispatched(&mut self, tool: &str) {
        match tool {
            "memory" => {
                self.counters.turns_since_memory = 0;
                self.cleared_at = None;
            }
            "skill_manage" => self.counters.iters_since_skill = 0,
            _ => {}
        }
    }

    /// The turn wrote to memory. Says whether that called a due memory nudge off.
    pub(crate) fn wrote_memory(&mut self, rules: &NudgeRules) -> bool {
        let dropped = rules.drop_on_write && self.memory_armed;
        if dropped {
            self.memory_armed = false;
            self.counters.turns_since_memory = 0;
        }
        dropped
    }

    /// The finaliser of a turn that left the loop normally (§2.4, step 1): what is due now. Under
    /// [`ClearOn::Threshold`] the skill counter is cleared here, whatever becomes of the review.
    pub(crate) fn finish_turn(&mut self, gates: Gates, rules: &NudgeRules) -> Due {
        let skills = gates.skills_open(rules) && self.counters.iters_since_skill >= rules.skill_interval;
        if skills && rules.clear_on == ClearOn::Threshold {
            self.counters.iters_since_skill = 0;
        }
        let memory = std::mem::take(&mut self.memory_armed);
        Due { memory, skills }
    }

    /// The turn ended early, past the finaliser (§2.5). Says whether a memory nudge was armed, which is used no more.
    pub(crate) fn abandon_turn(&mut self, rules: &NudgeRules) -> Due {
        if let Some(count) = self.cleared_at.take().filter(|_| rules.early_return == EarlyReturn::Keeps) {
            self.counters.turns_since_memory = count;
        }
        Due { memory: std::mem::take(&mut self.memory_armed), skills: false }
    }
}

/// Which nudges these counters keep due for a later turn.
pub(crate) fn still_due(counters: Counters, rules: &NudgeRules) -> Due {
    Due {
        memory: rules.memory_interval > 0 && counters.turns_since_memory >= rules.memory_interval,
        skills: rules.skill_interval > 0 && counters.iters_since_skill >= rules.skill_interval,
    }
}

/// A review for this really starts. Under [`ClearOn::Spawn`] the counters are cleared only now.
pub(crate) fn spawned(counters: &mut Counters, due: Due, rules: &NudgeRules) {
    if rules.clear_on == ClearOn::Spawn {
        if due.memory {
            counters.turns_since_memory = 0;
        }
        if due.skills {
            counters.iters_since_skill = 0;
        }
    }
}
