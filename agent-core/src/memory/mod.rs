//! Declarative memory: two bounded stores of short entries, the `memory` tool, the frozen blocks of the prompt, and
//! the approval of writes (`spec/memory.md`).
//!
//! A store works on the home's files through [`crate::stores::Files`]; every change reads its target afresh under
//! the target's lock, so that writers of other processes are seen. Scans of content are `guard`'s, proposals are
//! kept by [`crate::pending`], and when to save is the model's business. External memory providers are not simulated.
//!
//! # Invariants
//!
//! * A call either changes its target as a whole or leaves its file as it was, and says which.
//! * What the prompt shows changes only by [`MemoryStore::load`] and [`MemoryStore::refreeze`].
//! * Through the tool no store grows beyond its limit (append-only stores have none).
//! * Nothing outside of the home is read or written, whatever the links in it say.

mod answer;
mod apply;
mod approval;
mod call;
mod change;
mod entries;
mod failure;
mod gate;
mod place;
mod snapshot;
mod store;
mod target;
#[cfg(test)]
mod tests;
mod tool;

pub use answer::Outcome;
pub use approval::{ApprovalContext, CommandAnswer, Which, approve, reject};
pub use call::{MemoryContext, call};
pub use entries::DELIMITER;
pub use gate::{Answer, Approver, Question};
pub use place::{PlaceError, stored_entries};
pub use snapshot::RULE;
pub use store::MemoryStore;
pub use target::Target;
pub use tool::{NAME, tool_spec};
