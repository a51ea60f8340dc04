//! The tree: nodes, their values, and how scalars were written.

use std::ops::Range;

use crate::diagnose::Span;

/// One value of a file and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The whole value; for a value used through an alias, the alias.
    pub span: Span,
    /// What it is.
    pub value: Value,
    pub(super) style: Style,
    /// How a number, truth value or null was written.
    pub(super) written: Box<str>,
    /// The byte of the source at which a scalar's text stands letter by letter.
    pub(super) verbatim: Option<usize>,
}

/// How a node was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// A scalar without quotes.
    Plain,
    /// A scalar in quotes or as a block.
    Quoted,
    /// A list or mapping in lines.
    Block,
    /// A list or mapping in brackets.
    Flow,
    /// Not readable; the mistake was reported.
    Broken,
}

/// What a node is, by the core schema of YAML 1.2.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing, `~` or `null`.
    Null,
    /// `true` or `false`; `yes`, `no`, `on`, `off` are text.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Another number, or a whole number that is too large.
    Float(f64),
    /// Text.
    Text(Box<str>),
    /// A list.
    Seq(Vec<Node>),
    /// A mapping, in the order of the file.
    Map(Map),
}

/// A mapping with text keys, in the order of the file; no key occurs twice.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Map(pub(super) Vec<Entry>);

/// One key and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key as written.
    pub key: Box<str>,
    /// Where the key stands.
    pub key_span: Span,
    /// Its value.
    pub value: Node,
}

impl Map {
    /// The entry of this key.
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.0.iter().find(|entry| &*entry.key == key)
    }

    /// The entries in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Entry> {
        self.0.iter()
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'a> IntoIterator for &'a Map {
    type Item = &'a Entry;
    type IntoIter = std::slice::Iter<'a, Entry>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Node {
    /// A node that stands for nothing at this place.
    pub(super) fn null(span: Span) -> Self {
        Self { span, value: Value::Null, style: Style::Plain, written: "".into(), verbatim: None }
    }

    /// A node in place of one that could not be read.
    pub(super) fn broken(span: Span) -> Self {
        Self { style: Style::Broken, ..Self::null(span) }
    }

    /// Whether a mistake was reported of it already.
    pub(crate) fn is_broken(&self) -> bool {
        self.style == Style::Broken
    }

    /// The text of a text node.
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The items of a list node.
    pub fn as_seq(&self) -> Option<&[Self]> {
        match &self.value {
            Value::Seq(items) => Some(items),
            _ => None,
        }
    }

    /// The entries of a mapping node.
    pub fn as_map(&self) -> Option<&Map> {
        match &self.value {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    /// A scalar as it was written: the text of a text node, `012` for the number 12, empty for lists and mappings.
    pub fn written(&self) -> &str {
        match &self.value {
            Value::Text(text) => text,
            _ => &self.written,
        }
    }

    /// Whether it is a scalar without quotes.
    pub fn is_plain(&self) -> bool {
        self.style == Style::Plain
    }

    /// Whether it is a list or mapping in brackets.
    pub fn is_flow(&self) -> bool {
        self.style == Style::Flow
    }

    /// Whether every reader of YAML would take it for the same value: numbers in their shortest decimal form, truth
    /// values in lower case, no text without quotes that others take for a number or a truth value.
    pub fn is_canonical(&self) -> bool {
        match &self.value {
            Value::Int(number) => number.to_string() == *self.written,
            Value::Float(_) => super::scalar::is_plain_decimal(&self.written),
            Value::Bool(value) => value.to_string() == *self.written,
            Value::Text(text) => !self.is_plain() || !super::scalar::is_trap(text),
            Value::Null | Value::Seq(_) | Value::Map(_) => true,
        }
    }

    /// The part of a text node's span that holds these bytes of its text, where the file has the text letter by letter
    /// on one line; else the whole span.
    pub fn span_within(&self, bytes: Range<usize>) -> Span {
        let (Some(at), Value::Text(text)) = (self.verbatim, &self.value) else { return self.span };
        let fits =
            bytes.end <= text.len() && text.is_char_boundary(bytes.start) && text.is_char_boundary(bytes.end);
        if !fits || bytes.start > bytes.end || text.contains('\n') {
            return self.span;
        }
        let before = text[..bytes.start].chars().count() + (at - self.span.start);
        let column = self.span.column.saturating_add(u32::try_from(before).unwrap_or(u32::MAX));
        Span { start: at + bytes.start, end: at + bytes.end, line: self.span.line, column }
    }

    /// The node in the words of a message: `the number 12`, `a list` …
    pub fn describe(&self) -> String {
        /// A longer text is cut in a message.
        const SHOWN_CHARS: usize = 40;
        match &self.value {
            Value::Null => "nothing".to_owned(),
            Value::Bool(value) => format!("`{value}`"),
            Value::Int(_) | Value::Float(_) => format!("the number `{}`", self.written),
            Value::Seq(_) => "a list".to_owned(),
            Value::Map(_) => "a mapping".to_owned(),
            Value::Text(text) if text.chars().count() > SHOWN_CHARS || text.contains('\n') => {
                let line = text.lines().next().unwrap_or_default();
                format!("the text `{}…`", line.chars().take(SHOWN_CHARS).collect::<String>())
            }
            Value::Text(text) => format!("the text `{text}`"),
        }
    }
}
