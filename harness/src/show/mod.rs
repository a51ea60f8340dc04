//! A trace as a person reads it: prompts, turns, calls and results, reviews where they happened, writes as diffs.
//!
//! It reads traces and nothing else, and keeps their order, so that what happened beside something else stands beside
//! it. Long texts are cut unless all is wanted.

mod diff;
mod lines;
mod page;
mod value;

pub(crate) use lines::transcript;

/// What is shown of a trace, and how.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShowPlan {
    /// Only this session; everything without one.
    pub(crate) session: Option<String>,
    /// Whole texts, and the whole system prompt.
    pub(crate) full: bool,
    /// Columns at hand; none for lines as long as they are.
    pub(crate) width: Option<u16>,
    /// Whether to colour. Colour repeats what the words say.
    pub(crate) colour: bool,
}
