//! Fuzzy find-and-replace (`spec/fuzzy-patch.md`): what a model quotes of a text is seldom exact, so a chain of ever
//! more tolerant strategies looks for it; the first that finds anything decides.
//!
//! The engine is pure: it reads and writes no file, and a failure leaves the caller's text as it is. It does not
//! rank hits or guess between them: two hits of one strategy are an error unless all are to be replaced.
//!
//! # Invariants
//!
//! * Regions are byte ranges of the content on character boundaries, in ascending order of their start.
//! * A later strategy is asked only if every earlier one found nothing.

mod adapt;
mod closest;
mod engine;
mod find;
mod fold;
mod lines;
mod matcher;
mod similar;
#[cfg(test)]
mod tests;

pub use closest::closest;
pub use engine::{PatchError, Patched, Strategy, replace};
pub(crate) use similar::ratio;
