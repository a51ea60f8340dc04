//! YAML 1.2 as a tree of nodes that know where they stand.
//!
//! One reader for every file that a person writes (scripts, scenarios, worlds, presets), on the event parser of
//! serde-saphyr, with its options fixed here. It reads the *failsafe* way where files are known to go wrong: a node keeps
//! how a scalar was written, so that `no`, `012` or `1e3` can be refused or kept as text with advice
//! (`spec/field-reports.md` 23); equal keys are refused with both lines; a tab in the indentation is called that (24);
//! anchors may be used again and again while alias bombs are bounded (25).
//!
//! It does not decide what a file should hold: that is [`crate::decode`].

mod hints;
mod node;
mod read;
mod scalar;

pub use hints::quoted;
pub use node::{Entry, Map, Node, Value};
pub use read::{read, source_from_bytes};

#[cfg(test)]
mod tests;
