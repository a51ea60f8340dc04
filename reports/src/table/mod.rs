//! Tables for people: one neutral grid, drawn for a terminal, as Markdown or (in [`crate::html`]) as HTML.
//!
//! Width and colour are the caller's: nothing here looks at the environment or asks whether it is a terminal.

mod grid;
mod markdown;
mod terminal;

pub use grid::{Align, Grid, GridColumn, GridRow, Tone};
pub use markdown::{markdown, markdown_text};
pub use terminal::{Look, terminal};
