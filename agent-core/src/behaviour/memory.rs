//! The memory stores and their tool (`spec/memory.md`).

use super::faults::FaultRow;
use super::settings::Settings;
use super::table::Row;

pub(super) const ROWS: &[Row] = &[];

pub(super) const FAULTS: &[FaultRow] = &[];

/// The memory stores and their tool.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryRules {}

impl MemoryRules {
    pub(super) fn resolve(_settings: &Settings) -> Self {
        Self {}
    }
}
