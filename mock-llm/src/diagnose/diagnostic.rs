//! The data of a mistake: file, place, words.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// A file's name as messages show it, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The name: a path relative to where the command runs, with `/`.
    pub name: Arc<str>,
    /// The whole text.
    pub text: Arc<str>,
}

impl Source {
    /// A source of this name and text.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), text: text.into() }
    }

    /// The span of these bytes; an index inside a character or past the end is moved back.
    pub fn span(&self, bytes: Range<usize>) -> Span {
        let floor = |mut index: usize| {
            index = index.min(self.text.len());
            while !self.text.is_char_boundary(index) {
                index -= 1;
            }
            index
        };
        let start = floor(bytes.start);
        let end = floor(bytes.end).max(start);
        let before = &self.text[..start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Span {
            start,
            end,
            line: count(before.matches('\n').count() + 1),
            column: count(self.text[line_start..start].chars().count() + 1),
        }
    }

    /// The line that holds this byte, without its line end.
    pub fn line_at(&self, byte: usize) -> &str {
        let byte = self.span(byte..byte).start;
        let start = self.text[..byte].rfind('\n').map_or(0, |newline| newline + 1);
        let end = self.text[byte..].find('\n').map_or(self.text.len(), |newline| byte + newline);
        self.text[start..end].trim_end_matches('\r')
    }
}

/// The sources that diagnostics speak of, by name.
#[derive(Clone, Debug, Default)]
pub struct Sources(BTreeMap<Arc<str>, Arc<str>>);

impl Sources {
    /// Adds a source; one of the same name is replaced.
    pub fn add(&mut self, source: &Source) {
        self.0.insert(source.name.clone(), source.text.clone());
    }

    /// The text of this name.
    pub fn get(&self, name: &str) -> Option<&Arc<str>> {
        self.0.get(name)
    }

    /// All sources, by name.
    pub fn iter(&self) -> impl Iterator<Item = Source> + '_ {
        self.0.iter().map(|(name, text)| Source { name: name.clone(), text: text.clone() })
    }
}

/// A place in a source: bytes from `start` to `end`, and where it begins for people (both counted from 1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
    /// Line of the first byte.
    pub line: u32,
    /// Column of the first byte, in characters.
    pub column: u32,
}

/// How bad a mistake is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Nothing runs.
    Error,
    /// It runs, but probably not as meant.
    Warning,
    /// Worth knowing.
    Advice,
}

/// One mistake in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The source's name.
    pub file: Arc<str>,
    /// Where.
    pub span: Span,
    /// What is wrong, as a lower-case fragment.
    pub message: String,
    /// What stands below the marked text; may be empty.
    pub label: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// How bad it is.
    pub severity: Severity,
    /// A second place that belongs to the mistake (the first of two equal keys), with its label.
    pub related: Option<(Span, String)>,
}

impl Diagnostic {
    /// An error without label or hint.
    pub fn error(file: &Arc<str>, span: Span, message: impl Into<String>) -> Self {
        Self {
            file: file.clone(),
            span,
            message: message.into(),
            label: String::new(),
            hint: None,
            severity: Severity::Error,
            related: None,
        }
    }

    /// The same with a label below the marked text.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// The same with a hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same with a hint, if there is one.
    pub fn hint_if(mut self, hint: Option<String>) -> Self {
        self.hint = hint.or(self.hint);
        self
    }

    /// The same with a second place.
    pub fn related(mut self, span: Span, label: impl Into<String>) -> Self {
        self.related = Some((span, label.into()));
        self
    }

    /// The same with another severity.
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// Whether it keeps everything from running.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_count_lines_and_characters() {
        let source = Source::new("a.yaml", "é: 1\nkey: ü\n");
        let span = source.span(11..13);
        assert_eq!((span.line, span.column), (2, 6));
        assert_eq!(&source.text[span.start..span.end], "ü");
        assert_eq!(source.line_at(span.start), "key: ü");
    }

    #[test]
    fn spans_never_cut_a_character_or_leave_the_text() {
        let source = Source::new("a.yaml", "é");
        assert_eq!(source.span(1..99), Span { start: 0, end: 2, line: 1, column: 1 });
        assert_eq!(source.span(99..120).start, 2);
    }
}
