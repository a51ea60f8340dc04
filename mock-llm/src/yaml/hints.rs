//! Syntax mistakes in words, with advice for the traps that people fall into.

use serde_saphyr::granit_parser::ErrorKind;

use crate::diagnose::{Diagnostic, Source};

/// The advice for `{{ x }}` without quotes.
pub(super) const BRACES: &str = "`{{ … }}` without quotes is a mapping: put the whole value in quotes";

/// A text as a YAML scalar in quotes: single ones unless the text has any.
pub fn quoted(text: &str) -> String {
    if text.contains(['\'', '\n']) {
        format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
    } else if text.contains(['"', '\\']) {
        format!("'{text}'")
    } else {
        format!("\"{text}\"")
    }
}

/// The mistake that stopped the parser at byte `at`.
pub(super) fn syntax(source: &Source, at: usize, kind: &ErrorKind, info: &str) -> Diagnostic {
    if let Some(tab) = tab_in_indentation(source, at, kind) {
        return Diagnostic::error(&source.name, source.span(tab..tab + 1), "tab used for indentation")
            .label("this is a tab")
            .hint("YAML indents with spaces only: replace each tab by spaces");
    }
    let span = source
        .span(at..at + source.text[source.span(at..at).start..].chars().next().map_or(0, char::len_utf8));
    let hint = trap_on_line(source, at, kind);
    Diagnostic::error(&source.name, span, format!("not YAML: {info}")).hint_if(hint)
}

/// The byte of a tab that stands where indentation should, on the line of the mistake or the one before it.
fn tab_in_indentation(source: &Source, at: usize, kind: &ErrorKind) -> Option<usize> {
    let said = matches!(
        kind,
        ErrorKind::TabNotAllowed
            | ErrorKind::TabInBlockIndentation
            | ErrorKind::TabInIndentation
            | ErrorKind::TabAtBlockScalarStart
            | ErrorKind::TabInPlainScalar
    );
    let at = source.span(at..at).start;
    let line_start = source.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let previous =
        line_start.checked_sub(1).map(|end| source.text[..end].rfind('\n').map_or(0, |newline| newline + 1));
    let starts = [Some(line_start), previous];
    let in_indentation = starts.into_iter().flatten().find_map(|start| {
        let line = source.line_at(start);
        let indentation = line.len() - line.trim_start_matches([' ', '\t']).len();
        line[..indentation].find('\t').map(|tab| start + tab)
    });
    in_indentation.or_else(|| {
        if said { source.text[line_start..].find('\t').map(|tab| line_start + tab) } else { None }
    })
}

/// Advice for what the line of the mistake looks like.
fn trap_on_line(source: &Source, at: usize, kind: &ErrorKind) -> Option<String> {
    let value = value_of(source.line_at(at));
    if let Some(rest) = after_closing_quote(value)
        && !rest.is_empty()
        && !rest.starts_with(['#', ',', '}', ']', ':'])
    {
        let whole = quoted(value);
        return Some(format!(
            "a value that begins with a quote ends with it: put the whole value in quotes: {whole}"
        ));
    }
    if value.contains("{{") && !value.starts_with(['"', '\'']) {
        return Some(BRACES.to_owned());
    }
    let colon = matches!(
        kind,
        ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement | ErrorKind::InvalidSimpleKey
    );
    if colon && value.contains(": ") {
        let whole = quoted(value);
        return Some(format!(
            "a colon and a space inside a value begin a mapping: put the value in quotes: {whole}"
        ));
    }
    let reserved = value.chars().next().filter(|first| matches!(first, '@' | '`' | '%' | '*' | '&' | '!'));
    reserved.map(|first| {
        format!("`{first}` has a meaning of its own in YAML: put the value in quotes: {}", quoted(value))
    })
}

/// What follows `- ` and `key: ` on a line.
fn value_of(line: &str) -> &str {
    let mut rest = line.trim();
    while let Some(item) = rest.strip_prefix("- ") {
        rest = item.trim_start();
    }
    let key = rest.find(": ").filter(|colon| {
        rest[..*colon].chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '$'))
    });
    key.map_or(rest, |colon| rest[colon + 2..].trim())
}

/// What follows the closing quote of a value that begins with one.
fn after_closing_quote(value: &str) -> Option<&str> {
    let quote = value.chars().next().filter(|first| matches!(first, '\'' | '"'))?;
    let inner = &value[1..];
    let end = inner.find(quote)?;
    Some(inner[end + 1..].trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_a_text_so_that_it_reads_back() {
        assert_eq!(quoted("'a' in b"), r#""'a' in b""#);
        assert_eq!(quoted(r#"say "x""#), r#"'say "x"'"#);
        assert_eq!(quoted("a: b"), r#""a: b""#);
        assert_eq!(quoted("'a\\b'"), r#""'a\\b'""#);
    }

    #[test]
    fn finds_the_value_of_a_line() {
        assert_eq!(value_of("  - - when: 'a' in b"), "'a' in b");
        assert_eq!(value_of("- 'a': b"), "'a': b");
        assert_eq!(after_closing_quote("'a' in b"), Some("in b"));
        assert_eq!(after_closing_quote("a' in b"), None);
    }
}
