//! Literal texts and regular expressions to look for.

use std::sync::Arc;

use regex::Regex;

use crate::decode::Decoder;
use crate::yaml::{Node, Value};

/// Bytes of a compiled regular expression.
const REGEX_BYTES_MAX: usize = 1 << 20;

/// What a text may contain.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// These letters, case included.
    Literal(Arc<str>),
    /// A regular expression.
    Regex(Regex),
}

impl Pattern {
    /// Whether a text contains it.
    pub fn is_in(&self, text: &str) -> bool {
        match self {
            Self::Literal(literal) => text.contains(&**literal),
            Self::Regex(regex) => regex.is_match(text),
        }
    }

    /// The pattern as written.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Literal(literal) => literal,
            Self::Regex(regex) => regex.as_str(),
        }
    }
}

/// A literal text.
pub(super) fn literal(decoder: &Decoder, node: &Node) -> Option<Pattern> {
    decoder.text(node).map(|text| Pattern::Literal(text.into()))
}

/// A regular expression.
pub(super) fn regex(decoder: &Decoder, node: &Node) -> Option<Pattern> {
    let text = decoder.word(node)?;
    match regex::RegexBuilder::new(text).size_limit(REGEX_BYTES_MAX).build() {
        Ok(regex) => Some(Pattern::Regex(regex)),
        Err(error) => {
            let reason = error.to_string();
            let last = reason.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            decoder.error(node.span, format!("not a regular expression: {last}"));
            None
        }
    }
}

/// A literal text, or `{ regex: … }`.
pub(super) fn either(decoder: &Decoder, node: &Node) -> Option<Pattern> {
    if matches!(node.value, Value::Map(_)) && node.as_map().is_some_and(|map| map.get("regex").is_some()) {
        return decoder.map(node, "a pattern", &["regex"])?.required("regex", regex);
    }
    let text = decoder.word(node)?;
    Some(Pattern::Literal(text.into()))
}
