//! The scan for threats in memory entries and context files (`spec/memory.md` §9): words that turn a note into an
//! order. Ordinary sentences can be findings ("check in with Dana weekly"), and paraphrased attacks are none.

mod rules;
mod scan;

pub use scan::{Scope, scan};

pub(super) use scan::is_invisible;
