//! Figures: what each is, its unit, its formula and its source; and those that are derived from records.
//!
//! Most derived figures are a ratio of sums over cells ([`DerivedFigure`]), so that one cell, one arm and a whole run
//! are computed alike, and two arms can be compared pair by pair. The rest ([`learning`], [`paired`], [`funnel`])
//! need sequences, pairs or stages. A figure that does not exist is missing with a reason.

mod arms;
mod break_even;
mod catalogue;
mod cells;
pub mod funnel;
pub mod learning;
pub mod paired;
mod points;
mod ratios;
#[cfg(test)]
pub(crate) mod samples;

pub(crate) use arms::short_name;
pub use arms::{CellPairs, by_arm, chosen_arms, compare_arms, draws_of_both, overview, pairs_of};
pub use break_even::{BreakEven, break_even, break_even_grid};
pub use catalogue::{Figure, figure, figures};
pub use cells::{CellView, cells, draws_of};
pub use points::{Group, PointFigure, PointRow, groups, is_sweep, least_reviewing, point_rows, points};
pub use ratios::{DERIVED, DerivedFigure, Ratio, Show, derived};
