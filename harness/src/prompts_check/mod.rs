//! Whether a prompt still says what it must: `harness prompts check`.
//!
//! Three looks at one text. Its rules are searched as patterns ([`examine`]); the whole instruction is rendered over small
//! libraries and compared with what was accepted ([`accepted`]); and a literal-minded reader ([`reader`]), who keeps to
//! the rules that it finds and to no others, is put before the real agent, so that it is seen which harmful calls a lost
//! rule leads to and which of them the agent itself stops.
//!
//! The first look knows words, not meaning: a text can hold all patterns and still say something else. It guards against
//! losing a rule by accident.

mod accepted;
mod examine;
mod library;
mod play;
mod reader;
mod show;
mod temptation;

pub(crate) use accepted::accept;
pub(crate) use examine::{Subject, checkable, examine};
pub(crate) use library::{LibraryError, LibraryFile, built_in_libraries, read_libraries};
pub(crate) use show::{Report, Strictness};

#[cfg(test)]
mod tests;
