//! The curator (`spec/curator.md`).

use super::faults::FaultRow;
use super::settings::Settings;
use super::table::Row;

pub(super) const ROWS: &[Row] = &[];

pub(super) const FAULTS: &[FaultRow] = &[];

/// The curator.
#[derive(Clone, Debug, PartialEq)]
pub struct CuratorRules {}

impl CuratorRules {
    pub(super) fn resolve(_settings: &Settings) -> Self {
        Self {}
    }
}
