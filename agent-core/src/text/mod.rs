//! Text as Python sees it: trimming, lines, word characters, cutting. Where the specs say "trim" or "word
//! character", these are meant, since the Rust and Python classes differ (`spec/memory.md` §2 and §9.1).

mod json;

pub use json::json_line;

/// Whether Python's `str.strip()` removes it: the `White_Space` property plus U+001C to U+001F.
pub fn is_space(char: char) -> bool {
    char.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&char)
}

/// Python's `str.strip()`.
pub fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// Python's `str.lstrip()`.
pub fn trim_start(text: &str) -> &str {
    text.trim_start_matches(is_space)
}

/// Python's `str.rstrip()`.
pub fn trim_end(text: &str) -> &str {
    text.trim_end_matches(is_space)
}

/// Whether nothing is left after trimming.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(is_space)
}

/// Universal newlines: CRLF and lone CR become LF, as Python's text mode reads a file.
pub fn fold_newlines(text: &str) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text.to_owned() }
}

/// Python's `str.splitlines()`: split at LF, CR, CRLF, VT, FF, U+001C to U+001E, U+0085, U+2028 and U+2029, without
/// an extra empty line after a final line end.
pub fn wide_lines(text: &str) -> Vec<&str> {
    let is_end = |char| {
        matches!(
            char,
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}'
        )
    };
    let mut lines = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let Some((at, end)) = rest.char_indices().find(|&(_, char)| is_end(char)) else {
            lines.push(rest);
            break;
        };
        lines.push(&rest[..at]);
        let after = &rest[at + end.len_utf8()..];
        rest = if end == '\r' { after.strip_prefix('\n').unwrap_or(after) } else { after };
    }
    lines
}

/// The first so many code points.
pub fn cut(text: &str, chars: usize) -> &str {
    match text.char_indices().nth(chars) {
        Some((at, _)) => &text[..at],
        None => text,
    }
}

/// The last so many code points.
pub fn cut_last(text: &str, chars: usize) -> &str {
    match text.char_indices().rev().nth(chars.wrapping_sub(1)) {
        _ if chars == 0 => "",
        Some((at, _)) => &text[at..],
        None => text,
    }
}

/// A number with thousands separators, as the usage figures of the memory tool have it.
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trims_as_python_does() {
        assert_eq!(trim("\u{1c}\u{a0} a \u{1f}\u{2003}"), "a");
        assert_eq!(trim("\u{200b}a\u{feff}"), "\u{200b}a\u{feff}");
        assert!(is_blank("\u{1d}\n"));
    }

    #[test]
    fn lines_end_where_python_ends_them() {
        assert_eq!(wide_lines("a\r\nb\u{c}\u{2028}c\n"), ["a", "b", "", "c"]);
        assert_eq!(wide_lines("\r\r\n"), ["", ""]);
        assert!(wide_lines("").is_empty());
    }

    #[test]
    fn cuts_by_code_points() {
        assert_eq!(cut("äöü", 2), "äö");
        assert_eq!(cut_last("äöü", 2), "öü");
        assert_eq!(cut_last("äöü", 0), "");
        assert_eq!(cut_last("äöü", 9), "äöü");
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(thousands(123), "123");
    }
}
