//! The system prompt (`spec/prompt.md`).

use super::faults::FaultRow;
use super::settings::Settings;
use super::table::Row;

pub(super) const ROWS: &[Row] = &[];

pub(super) const FAULTS: &[FaultRow] = &[];

/// The system prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct PromptRules {}

impl PromptRules {
    pub(super) fn resolve(_settings: &Settings) -> Self {
        Self {}
    }
}
