//! What stands before the model: a request read as a turn of a conversation.
//!
//! The scripted model sees what the client really sent and nothing else: prompt text, skills index, memory blocks, results.
//! Parts are read off when an expression asks for them, and at most once a request.

mod failure;
mod functions;
mod prompt;
mod reading;
mod records;
mod scene;
mod turn;

pub use failure::is_failure;
pub use prompt::{MemoryBlocks, SkillLine, candidates, memory_blocks, shows, skills_index};
pub(crate) use reading::Prompts;
pub(crate) use records::Record;
pub(crate) use scene::{Scene, View, ViewInputs};
pub(crate) use turn::Turn;
