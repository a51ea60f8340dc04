//! What is wrong with a document, and where.

use std::fmt;

/// Whether the reference would call it a YAML error or let another exception out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum YamlErrorClass {
    /// The text is not YAML, or not of the safe subset.
    Syntax,
    /// A scalar looks like a date or number and is an impossible one.
    Value,
}

/// A document that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlError {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// What was expected or found.
    pub message: String,
    /// What the reference makes of it.
    pub class: YamlErrorClass,
}

impl fmt::Display for YamlError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for YamlError {}

/// A place in the text: both from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Mark {
    pub(super) fn error(self, message: impl Into<String>) -> YamlError {
        self.failed(message, YamlErrorClass::Syntax)
    }

    pub(super) fn bad_value(self, message: impl Into<String>) -> YamlError {
        self.failed(message, YamlErrorClass::Value)
    }

    fn failed(self, message: impl Into<String>, class: YamlErrorClass) -> YamlError {
        YamlError { line: self.line + 1, column: self.column + 1, message: message.into(), class }
    }
}
