//! Session storing and search (`spec/sessions.md`).

use super::faults::FaultRow;
use super::settings::Settings;
use super::table::Row;

pub(super) const ROWS: &[Row] = &[];

pub(super) const FAULTS: &[FaultRow] = &[];

/// Session storing and search.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionRules {}

impl SessionRules {
    pub(super) fn resolve(_settings: &Settings) -> Self {
        Self {}
    }
}
