//! Writes that wait for approval, in memory and skills alike (`spec/memory.md` §8, `spec/background-review.md` §7).

use serde_json::Value;

use super::faults::FaultRow;
use super::settings::Settings;

pub(super) const FAULTS: &[FaultRow] = &[
    FaultRow {
        name: "staging_failure_hidden",
        versions: [false, false, false, true, false],
        field: "staging.on_failure",
        on: "a proposal that could not be written to disk is lost, and the answer still says that it waits",
        off: "the write is refused with the kind `staging-failed`",
        report: "spec/background-review.md §7",
    },
    FaultRow {
        name: "staged_payload_unvalidated",
        versions: [false, false, false, true, true],
        field: "staging.validate",
        on: "whatever was asked for is staged: blank, poisoned, unmatched or oversized writes fail only on approval",
        off: "a proposal is tried first, without writing; what would fail is answered at once and not staged",
        report: "NousResearch/hermes-agent#78519",
    },
    FaultRow {
        name: "staged_writes_silent",
        versions: [false, false, false, true, true],
        field: "staging.announce",
        on: "the user is not told that writes wait, and they pile up",
        off: "each staged write is announced with the number of waiting ones and the age of the oldest",
        report: "NousResearch/hermes-agent#105770",
    },
];

/// What happens when a proposal cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnStagingFailure {
    /// The answer says that it waits; it is lost.
    Hide,
    /// The write is refused.
    Refuse,
}

/// How writes are staged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StagingRules {
    /// What happens when a proposal cannot be written.
    pub on_failure: OnStagingFailure,
    /// Whether a write is tried before it is staged.
    pub validate: bool,
    /// Whether the user is told of each staged write.
    pub announce: bool,
}

impl StagingRules {
    pub(super) fn resolve(settings: &Settings) -> Self {
        let hide = settings.fault("staging_failure_hidden");
        Self {
            on_failure: if hide { OnStagingFailure::Hide } else { OnStagingFailure::Refuse },
            validate: !settings.fault("staged_payload_unvalidated"),
            announce: !settings.fault("staged_writes_silent"),
        }
    }
}

/// Whether the value of a `write_approval` key turns its gate on: `true`, or one of six words; numbers never do
/// (`spec/memory.md` §8, `spec/skills.md` §8).
pub(super) fn gate(value: &Value) -> bool {
    match value {
        Value::Bool(on) => *on,
        Value::String(word) => {
            let word = crate::text::trim(word).to_lowercase();
            matches!(word.as_str(), "on" | "true" | "yes" | "1" | "approve" | "enabled")
        }
        _ => false,
    }
}
