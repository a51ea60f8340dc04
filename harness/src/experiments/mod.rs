//! Experiments: settings varied, arms compared, results shown. Everything here reads what a run left; nothing here
//! simulates.
//!
//! Only [`report`] knows data frames and plots, and nothing on the way of a run comes by it.

mod compare;
mod report;
mod results;
mod settings;
mod sides;

pub(crate) use compare::{Compared, NotCompared, compare};
pub(crate) use report::write_report;
pub(crate) use results::{Results, ResultsError};
pub(crate) use settings::{difference_grid, difference_json, settings_grid, settings_json};
pub(crate) use sides::{Side, SideError, SideName, sides};
