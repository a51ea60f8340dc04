//! Experiments: settings varied, arms compared, results shown. Everything here reads what a run left; nothing here
//! simulates.
//!
//! Only [`report`] knows data frames and plots, and nothing on the way of a run comes by it.

mod compare;
mod curator;
mod report;
mod results;
mod settings;
mod sides;
mod vary;

pub(crate) use compare::{Compared, break_even_json, compare, points_json};
pub(crate) use curator::{preview_grid, preview_json, status_grid, status_json};
pub(crate) use report::write_report;
pub(crate) use results::Results;
pub(crate) use settings::{difference_grid, difference_json, settings_grid, settings_json};
pub(crate) use sides::{SideError, SideName, sides};
pub(crate) use vary::points;
