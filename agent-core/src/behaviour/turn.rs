//! The conversation loop (`spec/turn-loop.md`).

use super::faults::FaultRow;
use super::settings::Settings;
use super::table::Row;

pub(super) const ROWS: &[Row] = &[];

pub(super) const FAULTS: &[FaultRow] = &[];

/// The conversation loop.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopRules {}

impl LoopRules {
    pub(super) fn resolve(_settings: &Settings) -> Self {
        Self {}
    }
}
