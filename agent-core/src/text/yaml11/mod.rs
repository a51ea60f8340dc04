//! YAML 1.1 as the reference reads it: the safe subset, resolved with the habits of `PyYAML`.
//!
//! YAML 1.2 readers take `yes`, `017`, `1:30`, dates, tabs and duplicate keys differently, and whether the header of
//! a skill is well formed decides whether it is written at all (`spec/skills.md` §3.3 and §13). So this is a reader
//! of its own, in four steps: characters → tokens ([`scan`]) → nodes ([`parse`]) → values ([`construct`]).
//!
//! Deliberately not here: writing YAML, several documents, tags outside the safe set, aliases to a node that is
//! still being read (the reference makes a value that contains itself).
//!
//! # Invariants
//!
//! * Any text gives a value or a [`YamlError`] with a position; nothing panics.
//! * Depth, number of values and length of simple keys are bounded, so that no text costs more than a fixed multiple
//!   of its length plus [`VALUES_MAX`].

mod construct;
mod error;
mod float;
mod parse;
mod scalars;
mod scan;
mod scan_scalars;
mod scan_tags;
#[cfg(test)]
mod tests;
mod token;
mod value;

pub use error::{YamlError, YamlErrorClass};
pub use value::YamlValue;

/// Levels of nesting that a document may have; the reference's own limit is its recursion limit.
const DEPTH_MAX: usize = 200;

/// Values that a document may make, aliases counted each time: a bound on alias bombs.
const VALUES_MAX: usize = 200_000;

/// Which of the reference's two loaders is meant. They differ in tabs, byte order marks and a few odd inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loader {
    /// The one in Python: the strict validator of skills, configuration files.
    Python,
    /// The one in C: the lenient parser of skills.
    C,
}

/// Reads one document.
///
/// # Errors
/// The text is not YAML 1.1, needs an unknown tag, holds several documents, or passes a limit.
pub fn parse(text: &str) -> Result<YamlValue, YamlError> {
    parse_as(text, Loader::Python)
}

/// Reads one document as this loader does.
///
/// # Errors
/// As [`parse()`].
pub fn parse_as(text: &str, loader: Loader) -> Result<YamlValue, YamlError> {
    let tokens = scan::Scanner::new(text, loader)?.run();
    match parse::Parser::new(&tokens, loader).document()? {
        Some(root) => construct::Constructor::default().value(&root),
        None => Ok(YamlValue::Null),
    }
}
