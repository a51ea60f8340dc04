//! Defence in layers: switches of ours that no version has by itself.

use super::settings::Settings;
use super::table::{Kind, Preset, Row};

pub(super) const ROWS: &[Row] = &[
    Row::same(
        "defence.restate",
        Kind::Bool,
        Preset::Bool(false),
        "whether the model must restate what it saves and why before a memory or skill write",
        "design.md §8; a switch of ours",
    ),
    Row::same(
        "defence.audit_every",
        Kind::Int,
        Preset::Int(0),
        "sessions between two scans of what is stored already; 0 or less is off",
        "design.md §8; a switch of ours",
    ),
];

/// The switches of the defence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DefenceRules {
    /// Whether writes must be restated.
    pub restate: bool,
    /// Sessions between two audits; none for no audit.
    pub audit_every: Option<u32>,
}

impl DefenceRules {
    pub(super) fn resolve(settings: &Settings) -> Self {
        let every = settings.int_or("defence.audit_every", 0);
        Self {
            restate: settings.bool_or("defence.restate", false),
            audit_every: u32::try_from(every).ok().filter(|every| *every > 0),
        }
    }
}
