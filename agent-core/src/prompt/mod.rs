//! The system prompt and every other text that the client itself puts before a model (`spec/prompt.md`).
//!
//! Pure functions over data: [`assemble`] puts the blocks together, [`restore`] and [`kept_at_compaction`] decide how
//! long the result lives, [`SkillIndex`] builds the list of skills, [`context`] reads context files,
//! [`PromptLibrary`] holds the wording, and [`rules`] says what the prompts of reviews and curator must convey.
//! Nothing here decides *when* a prompt is built, sent or stored; that is the machine's work.
//!
//! Invariants: the same inputs give the same bytes; a replaced text can lose neither the data that goes with it nor
//! the fixed line by which its role is recognised ([`markers`]), since both stand outside of it.

mod assemble;
pub mod context;
mod enforcement;
mod freeze;
mod index;
mod instruct;
mod library;
mod markers;
mod platform;
pub mod rules;
mod template;

pub use assemble::{
    AssembledPrompt, Board, Identity, MemoryBlocks, Part, PromptInput, Surroundings, Tier, assemble,
};
pub use freeze::{Rebuild, Restore, Target, kept_at_compaction, restore, with_compaction_note, with_runtime};
pub use index::{IndexBlock, IndexContext, IndexQuery, SkillIndex};
pub use instruct::{
    CuratorAsk, DelegateAsk, DigestLine, ReviewAsk, ReviewKind, client_message, compaction_absorbed,
    compaction_message, compression_instruction, curator_archives_min, curator_instruction,
    delegate_result_message, delegate_system, digest_message, review_instruction, summary_instruction,
    title_instruction, todo_message,
};
pub use library::{PromptError, PromptLibrary, PromptName};
pub use markers::{Group, Marker, NOTHING_TO_SAVE, marker, markers, steering};
