//! The file tools over the working directory, and the list of steps of a conversation.
//!
//! Nothing is ever executed, and nothing outside the given tree is read or written: a path that is absolute
//! elsewhere, climbs, or leads out over a link is an error answer. Mistakes of the model are answers, too.
//!
//! # Invariants
//!
//! * A failed call answers with an `error` key first (after `success`), so that the loop's own failure test sees it
//!   (`spec/turn-loop.md` §6); a good answer has no such key, and texts of files stand in it only as parts of longer
//!   JSON strings, so that a quoted `error` in a file is not taken for one.
//! * A failed call changed nothing.

mod answer;
mod args;
mod patch;
mod path;
mod read;
mod search;
mod spec;
#[cfg(test)]
mod tests;
mod todo;
mod write;

pub use patch::patch;
pub use read::read_file;
pub use search::search_files;
pub use spec::tool_specs;
pub use todo::{TodoItem, TodoList, TodoStatus, todo};
pub use write::write_file;
