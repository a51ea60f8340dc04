//! Mistakes in files that people write: where they stand, what is wrong, what to do about it.
//!
//! A [`Diagnostic`] is plain data; [`render`] turns a list of them into what a person reads: file, line, column, the
//! line itself, a label and a hint, all mistakes at once and in the order of the files. Nothing here prints, reads a
//! file or knows a terminal: the caller says whether colour is wanted and how wide a line may be.

mod diagnostic;
mod nearest;
mod render;

pub use diagnostic::{Diagnostic, Severity, Source, Sources, Span};
pub use nearest::{nearest, nearest_hint};
pub use render::{Look, render};
