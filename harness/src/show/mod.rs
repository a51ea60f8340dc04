//! A trace as a person reads it: prompts, turns, calls and results, reviews where they happened, writes as diffs.
//!
//! It reads traces and nothing else, and keeps their order, so that what happened beside something else stands beside
//! it. Long texts are cut unless all is wanted.

mod diff;
mod lines;

pub(crate) use lines::transcript;

/// What is shown of a trace.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShowPlan {
    /// Only this session; everything without one.
    pub(crate) session: Option<String>,
    /// Whole texts, and the whole system prompt.
    pub(crate) full: bool,
}
