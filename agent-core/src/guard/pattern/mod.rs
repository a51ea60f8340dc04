//! Patterns: what the rules of both scans are written in.
//!
//! A pattern answers one question, whether it occurs in a text, and answers it in time linear in the text: it never
//! tries one way after another but carries the set of all places that some way has reached. So no line can be made
//! hostile to it. It does not say where it occurs, nor remember groups.
//!
//! Characters are those of Python's `re` with `IGNORECASE`: simple case folding, Unicode words, digits and blanks.

mod class;
mod engine;
mod notation;
mod spans;
#[cfg(test)]
mod tests;

pub(super) use engine::Text;
pub(super) use notation::{Pattern, SoftBounds, lowered};
