//! Delegated children (`spec/turn-loop.md §10`).

use super::faults::FaultRow;
use super::settings::Settings;
use super::table::Row;

pub(super) const ROWS: &[Row] = &[];

pub(super) const FAULTS: &[FaultRow] = &[];

/// Delegated children.
#[derive(Clone, Debug, PartialEq)]
pub struct DelegationRules {}

impl DelegationRules {
    pub(super) fn resolve(_settings: &Settings) -> Self {
        Self {}
    }
}
