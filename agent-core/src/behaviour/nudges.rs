//! When a review is armed (`spec/nudges.md`).

use super::faults::FaultRow;
use super::settings::Settings;
use super::table::{Kind, Preset, Row};

pub(super) const ROWS: &[Row] = &[
    Row::same(
        "memory.nudge_interval",
        Kind::Int,
        Preset::Int(10),
        "user turns between memory reviews; 0 or less is off",
        "spec/nudges.md §1",
    ),
    Row::same(
        "skills.creation_nudge_interval",
        Kind::Int,
        Preset::Int(10),
        "passes of the loop between skill reviews; 0 or less is off",
        "spec/nudges.md §1",
    ),
    Row::by_version(
        "nudges.hydrate",
        Kind::Choice(&["no", "modulo"]),
        [
            Preset::Text("no"),
            Preset::Text("modulo"),
            Preset::Text("modulo"),
            Preset::Text("modulo"),
            Preset::Text("modulo"),
        ],
        "how a fresh agent object takes the memory counter from history",
        "spec/nudges.md §2.1, spec/config.md §2",
    ),
];

pub(super) const FAULTS: &[FaultRow] = &[
    FaultRow {
        name: "nudge_cleared_when_due",
        versions: [true; 5],
        field: "nudges.clear_on",
        on: "a counter is cleared when it reaches its interval, so an interrupted or failed turn loses the nudge",
        off: "a counter is cleared when its review really starts",
        report: "NousResearch/hermes-agent#13075",
    },
    FaultRow {
        name: "nudge_survives_memory_write",
        versions: [true; 5],
        field: "nudges.drop_on_write",
        on: "a memory call in the armed turn does not call the review off: the same fact is looked for twice",
        off: "a successful memory write in the turn calls the memory review off",
        report: "NousResearch/hermes-agent#13075",
    },
    FaultRow {
        name: "restarted_pass_counts_twice",
        versions: [true; 5],
        field: "nudges.count_restarts",
        on: "a pass restarted by compression counts twice for the skill counter",
        off: "it counts once",
        report: "found by running 0.19.0 (spec/known-faults.md 7)",
    },
    FaultRow {
        name: "nudge_counters_in_object",
        versions: [true; 5],
        field: "nudges.hydrate",
        on: "counters live in the agent object: a fresh object starts over, only the memory counter is guessed from history",
        off: "both counters are kept with the profile and carry over sessions and objects",
        report: "NousResearch/hermes-agent#22357, #8506, #18369",
    },
    FaultRow {
        name: "early_return_loses_memory_nudge",
        versions: [true; 5],
        field: "nudges.early_return",
        on: "a turn that ends early loses its due memory nudge, while the skill counter keeps its count",
        off: "both keep their count and can come due again with the next turn",
        report: "found by running 0.19.0 (spec/known-faults.md 8)",
    },
    FaultRow {
        name: "skill_counter_counts_chat",
        versions: [true; 5],
        field: "nudges.unit",
        on: "every pass of the loop counts for the skill counter, plain answers included",
        off: "only passes that ran tools count",
        report: "NousResearch/hermes-agent#13265",
    },
];

/// How a fresh agent object takes over the counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hydrate {
    /// It starts at zero.
    No,
    /// The memory counter is the number of user messages in history modulo the interval.
    Modulo,
    /// Both counters are kept with the profile.
    Persisted,
}

/// When a counter that reached its interval is cleared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClearOn {
    /// At once.
    Threshold,
    /// When the review starts.
    Spawn,
}

/// What becomes of a due memory nudge when its turn ends early, past the finaliser. The skill counter always keeps its
/// count then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EarlyReturn {
    /// It is lost where its counter was cleared already.
    Loses,
    /// The counter gets back what it had.
    Keeps,
}

/// What the skill counter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Passes of the loop.
    Pass,
    /// Passes that ran at least one tool.
    ToolRound,
}

/// When a review is armed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NudgeRules {
    /// User turns between memory reviews; 0 or less is off.
    pub memory_interval: i64,
    /// Passes between skill reviews; 0 or less is off.
    pub skill_interval: i64,
    /// How a fresh agent object takes over the counters.
    pub hydrate: Hydrate,
    /// When a counter is cleared.
    pub clear_on: ClearOn,
    /// What the skill counter counts.
    pub unit: Unit,
    /// Whether a successful memory write in the armed turn calls the memory review off.
    pub drop_on_write: bool,
    /// Whether a pass restarted by compression counts again.
    pub count_restarts: bool,
    /// What becomes of a due memory nudge when its turn ends early.
    pub early_return: EarlyReturn,
}

impl NudgeRules {
    pub(super) fn resolve(settings: &Settings) -> Self {
        let persisted = !settings.fault("nudge_counters_in_object");
        let hydrate = match settings.text("nudges.hydrate") {
            _ if persisted => Hydrate::Persisted,
            "modulo" => Hydrate::Modulo,
            _ => Hydrate::No,
        };
        let early = settings.fault("nudge_cleared_when_due");
        let chat = settings.fault("skill_counter_counts_chat");
        Self {
            memory_interval: settings.int_or("memory.nudge_interval", 0),
            skill_interval: settings.int_or("skills.creation_nudge_interval", 10),
            hydrate,
            clear_on: if early { ClearOn::Threshold } else { ClearOn::Spawn },
            unit: if chat { Unit::Pass } else { Unit::ToolRound },
            drop_on_write: !settings.fault("nudge_survives_memory_write"),
            count_restarts: settings.fault("restarted_pass_counts_twice"),
            early_return: if settings.fault("early_return_loses_memory_nudge") {
                EarlyReturn::Loses
            } else {
                EarlyReturn::Keeps
            },
        }
    }
}
