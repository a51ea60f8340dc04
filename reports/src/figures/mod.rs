//! Figures: what each is, its unit, its formula and its source; and those that are derived from records.

mod catalogue;

pub use catalogue::{Figure, figure, figures};
