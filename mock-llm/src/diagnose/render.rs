//! Diagnostics as text for people, through miette.
//!
//! Control characters and direction marks of the shown source never reach the terminal, and of a very long line only
//! the part around the mistake is shown.

use std::fmt;

use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, SourceCode,
    SourceSpan, SpanContents, ThemeCharacters, ThemeStyles,
};

use super::diagnostic::{Diagnostic, Severity, Sources, Span};

/// How the rendered text may look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Whether escape sequences for colour are wanted. Colour only repeats what the words say.
    pub color: bool,
    /// Columns that a line may have.
    pub width: usize,
    /// Whether lines may be drawn with characters beyond ASCII.
    pub unicode: bool,
}

impl Default for Look {
    fn default() -> Self {
        Self { color: false, width: 100, unicode: true }
    }
}

/// All diagnostics as one text: sorted by file and place, equal ones once, a blank line between two.
pub fn render(diagnostics: &[Diagnostic], sources: &Sources, look: Look) -> String {
    let mut sorted: Vec<&Diagnostic> = diagnostics.iter().collect();
    sorted.sort_by(|a, b| {
        (&a.file, a.span.start, a.span.end, a.severity, &a.message).cmp(&(
            &b.file,
            b.span.start,
            b.span.end,
            b.severity,
            &b.message,
        ))
    });
    sorted.dedup();
    let texts: Vec<String> = sorted.iter().map(|diagnostic| render_one(diagnostic, sources, look)).collect();
    texts.join("\n")
}

fn render_one(diagnostic: &Diagnostic, sources: &Sources, look: Look) -> String {
    let shown = Shown::new(diagnostic, sources);
    let theme = GraphicalTheme {
        characters: if look.unicode { ThemeCharacters::unicode() } else { ThemeCharacters::ascii() },
        styles: if look.color { ThemeStyles::ansi() } else { ThemeStyles::none() },
    };
    let width = look.width.max(20);
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_width(width)
        .with_links(false)
        .without_syntax_highlighting();
    let mut text = String::new();
    if handler.render_report(&mut text, &shown).is_err() {
        text = plain(diagnostic);
    }
    if let Some(hint) = &diagnostic.hint {
        write_hint(&mut text, &clean(hint), width);
    }
    text
}

/// The line for a diagnostic that has no source to show.
fn plain(diagnostic: &Diagnostic) -> String {
    let Span { line, column, .. } = diagnostic.span;
    format!("{}:{line}:{column}: {}\n", clean(&diagnostic.file), clean(&diagnostic.message))
}

fn write_hint(out: &mut String, hint: &str, width: usize) {
    const FIRST: &str = "  hint: ";
    let mut column = FIRST.len();
    out.push_str(FIRST);
    for (index, word) in hint.split(' ').enumerate() {
        let length = word.chars().count();
        if index > 0 {
            if column + 1 + length > width {
                out.push('\n');
                out.push_str(&" ".repeat(FIRST.len()));
                column = FIRST.len();
            } else {
                out.push(' ');
                column += 1;
            }
        }
        out.push_str(word);
        column += length;
    }
    out.push('\n');
}

/// A diagnostic as miette wants it.
#[derive(Debug)]
struct Shown {
    message: String,
    severity: miette::Severity,
    labels: Vec<LabeledSpan>,
    source: Option<Excerpt>,
}

impl Shown {
    fn new(diagnostic: &Diagnostic, sources: &Sources) -> Self {
        let source = sources.get(&diagnostic.file);
        let mut labels = vec![label(diagnostic.span, &diagnostic.label, true)];
        labels.extend(diagnostic.related.iter().map(|(span, text)| label(*span, text, false)));
        let mut message = clean(&diagnostic.message);
        if source.is_none() {
            plain(diagnostic).trim_end().clone_into(&mut message);
            labels.clear();
        }
        Self {
            message,
            severity: match diagnostic.severity {
                Severity::Error => miette::Severity::Error,
                Severity::Warning => miette::Severity::Warning,
                Severity::Advice => miette::Severity::Advice,
            },
            labels,
            source: source.map(|text| Excerpt { name: clean(&diagnostic.file), text: same_length(text) }),
        }
    }
}

fn label(span: Span, text: &str, primary: bool) -> LabeledSpan {
    let text = (!text.is_empty()).then(|| clean(text));
    let span = SourceSpan::from(span.start..span.end);
    if primary {
        LabeledSpan::new_primary_with_span(text, span)
    } else {
        LabeledSpan::new_with_span(text, span)
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Shown {}

impl miette::Diagnostic for Shown {
    fn severity(&self) -> Option<miette::Severity> {
        Some(self.severity)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().cloned()))
    }
}

/// A source that shows of a very long line only the part around the mistake.
#[derive(Debug)]
struct Excerpt {
    name: String,
    text: String,
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        /// A line of a file that a person wrote is shorter than this.
        const BYTES_MAX: usize = 2_000;
        /// What is shown on both sides of the mistake in a longer one.
        const BYTES_AROUND: usize = 60;
        let contents = self.text.read_span(span, lines_before, lines_after)?;
        let (mut data_span, mut line, mut column) = (*contents.span(), contents.line(), contents.column());
        if contents.data().len() > BYTES_MAX {
            let start = self.boundary(span.offset().saturating_sub(BYTES_AROUND));
            let end = self
                .boundary((span.offset() + span.len().min(BYTES_AROUND) + BYTES_AROUND).min(self.text.len()));
            let before = &self.text[..start];
            line = before.matches('\n').count();
            column = start - before.rfind('\n').map_or(0, |newline| newline + 1);
            data_span = SourceSpan::from(start..end);
        }
        let data = &self.text.as_bytes()[data_span.offset()..data_span.offset() + data_span.len()];
        let count =
            self.text[data_span.offset()..data_span.offset() + data_span.len()].matches('\n').count() + 1;
        Ok(Box::new(MietteSpanContents::new_named(self.name.clone(), data, data_span, line, column, count)))
    }
}

impl Excerpt {
    fn boundary(&self, mut index: usize) -> usize {
        while !self.text.is_char_boundary(index) {
            index -= 1;
        }
        index
    }
}

/// Whether a character would steer the terminal or the direction of writing instead of being read.
fn steers(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
}

fn clean(text: &str) -> String {
    text.chars().map(|c| if steers(c) { '\u{FFFD}' } else { c }).collect()
}

/// The same text with steering characters replaced by others of equal length, so that spans still fit.
fn same_length(text: &str) -> String {
    text.chars()
        .map(|c| match (steers(c), c.len_utf8()) {
            (false, _) => c,
            // The end of a line that another system wrote is no mistake to be pointed at.
            (true, _) if c == '\r' => ' ',
            (true, 1) => '?',
            (true, 2) => '¿',
            (true, _) => '\u{FFFD}',
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::diagnostic::Source;
    use super::*;

    fn look() -> Look {
        Look { width: 60, ..Look::default() }
    }

    #[test]
    fn shows_file_place_line_label_and_hint() {
        let source = Source::new("scripts/a.yaml", "main:\n  - wehn: x\n    reply: y\n");
        let mut sources = Sources::default();
        sources.add(&source);
        let one = Diagnostic::error(&source.name, source.span(10..14), "unknown key `wehn`")
            .label("not a key of a rule")
            .hint("did you mean `when`? The words of a hint are wrapped when the terminal is narrow.");
        let two = Diagnostic::error(&source.name, source.span(0..4), "first in the file, first in the list");
        insta::assert_snapshot!(render(&[one.clone(), two, one], &sources, look()));
    }

    #[test]
    fn a_source_that_is_not_at_hand_still_gives_its_place() {
        let file = "gone.yaml".into();
        let span = Span { start: 5, end: 6, line: 2, column: 3 };
        let text =
            render(&[Diagnostic::error(&file, span, "missing key `name`")], &Sources::default(), look());
        assert!(text.contains("gone.yaml:2:3: missing key `name`"), "{text}");
    }

    #[test]
    fn nothing_in_a_file_steers_the_terminal() {
        let source = Source::new("a.yaml", "a: \u{1b}[31mred\u{202e}\u{9b}\n");
        let mut sources = Sources::default();
        sources.add(&source);
        let text =
            render(&[Diagnostic::error(&source.name, source.span(3..8), "bad\u{7}")], &sources, look());
        assert!(!text.chars().any(steers), "{text:?}");
    }

    #[test]
    fn of_a_very_long_line_the_part_around_the_mistake_is_shown() {
        let source = Source::new("a.yaml", format!("key: {}!{}", "x".repeat(50_000), "y".repeat(50_000)));
        let mut sources = Sources::default();
        sources.add(&source);
        let text =
            render(&[Diagnostic::error(&source.name, source.span(50_005..50_006), "bad")], &sources, look());
        assert!(text.len() < 1_500 && text.contains("x!y") && text.contains("a.yaml:1:50006"), "{text}");
    }
}
