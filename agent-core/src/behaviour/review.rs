//! Background reviews (`spec/background-review.md`).

use super::faults::FaultRow;
use super::settings::Settings;
use super::table::Row;

pub(super) const ROWS: &[Row] = &[];

pub(super) const FAULTS: &[FaultRow] = &[];

/// Background reviews.
#[derive(Clone, Debug, PartialEq)]
pub struct ReviewRules {}

impl ReviewRules {
    pub(super) fn resolve(_settings: &Settings) -> Self {
        Self {}
    }
}
