//! The skill library, its tools and its guard (`spec/skills.md`).

use super::faults::FaultRow;
use super::settings::Settings;
use super::table::Row;

pub(super) const ROWS: &[Row] = &[];

pub(super) const FAULTS: &[FaultRow] = &[];

/// The skill library, its tools and its guard.
#[derive(Clone, Debug, PartialEq)]
pub struct SkillRules {}

impl SkillRules {
    pub(super) fn resolve(_settings: &Settings) -> Self {
        Self {}
    }
}
