//! Text as Python sees it: trimming, lines, word characters, cutting. Where the specs say "trim" or "word
//! character", these are meant, since the Rust and Python classes differ (`spec/memory.md` §2 and §9.1).

use unicode_normalization::char::is_combining_mark;

mod glob;
mod json;
mod number;
pub mod yaml11;

pub use glob::glob_fits;
pub use json::{json_line, truthy};
pub use number::{float_number, whole_number};

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

/// What Python's `\\w` matches: a letter, a number or an underscore (`str.isalnum`). Combining marks and circled
/// letters are alphabetic to Rust, but not to Python.
pub fn is_word(char: char) -> bool {
    if char.is_ascii() {
        return char.is_ascii_alphanumeric() || char == '_';
    }
    let circled = matches!(char, '\u{24b6}'..='\u{24e9}' | '\u{1f130}'..='\u{1f189}');
    char.is_alphanumeric() && !circled && !is_combining_mark(char)
}

/// Zeros of the decimal digits beyond ASCII (Unicode 14); the other nine follow each.
#[rustfmt::skip]
const ZEROS: [u32; 65] = [
    0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66, 0x0de6,
    0x0e50, 0x0ed0, 0x0f20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0,
    0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10, 0x104a0, 0x10d30, 0x11066,
    0x110f0, 0x11136, 0x111d0, 0x112f0, 0x11450, 0x114d0, 0x11650, 0x116c0, 0x11730, 0x118e0, 0x11950, 0x11c50, 0x11d50,
    0x11da0, 0x16a60, 0x16ac0, 0x16b50, 0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6, 0x1e140, 0x1e2f0, 0x1e950, 0x1fbf0,
];

/// What Python's `\\d` matches: a decimal digit of any script.
pub fn is_digit(char: char) -> bool {
    if char.is_ascii() {
        return char.is_ascii_digit();
    }
    let after = ZEROS.partition_point(|&zero| zero <= u32::from(char));
    after > 0 && u32::from(char) - ZEROS[after - 1] < 10
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
