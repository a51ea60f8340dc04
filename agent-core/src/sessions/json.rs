//! JSON as the database holds it.
//!
//! Columns hold the form that Python's encoder writes (blank after comma and colon, everything outside ASCII
//! escaped), because their text is indexed, matched and shown in snippets. Reading accepts escapes of half a
//! surrogate pair, which Python writes and `serde_json` refuses.

use std::io;

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};

/// The text of a value in the database's form.
pub(super) fn to_text(value: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, Stored);
    // A map with keys that are no text is the only failure; none of the types stored here has one.
    if value.serialize(&mut serializer).is_err() {
        return "null".to_owned();
    }
    String::from_utf8(bytes).expect("the formatter writes ASCII")
}

/// Reads JSON; half surrogate pairs become the replacement character.
pub(super) fn parse(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok().or_else(|| serde_json::from_str(&mend_surrogates(text)?).ok())
}

/// The text with each escape of half a surrogate pair replaced; none if there is none.
fn mend_surrogates(text: &str) -> Option<String> {
    let mut mended = String::with_capacity(text.len());
    let mut rest = text;
    let mut changed = false;
    while let Some(at) = rest.find('\\') {
        mended.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = match code_unit(rest) {
            Some(0xD800..=0xDBFF) if matches!(rest.get(6..).and_then(code_unit), Some(0xDC00..=0xDFFF)) => 12,
            Some(0xD800..=0xDFFF) => {
                mended.push_str("\\ufffd");
                changed = true;
                rest = &rest[6..];
                continue;
            }
            // An escaped backslash must not start another escape.
            _ => 1 + rest.chars().nth(1).map_or(0, char::len_utf8),
        };
        mended.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    mended.push_str(rest);
    changed.then_some(mended)
}

/// The code unit of a `\uXXXX` escape at the beginning of a text.
fn code_unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
}

struct Stored;

impl Formatter for Stored {
    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut plain = fragment;
        while let Some(at) = plain.find(|char: char| !char.is_ascii() || char == '\u{7f}') {
            writer.write_all(&plain.as_bytes()[..at])?;
            let char = plain[at..].chars().next().expect("found just now");
            for unit in char.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            plain = &plain[at + char.len_utf8()..];
        }
        writer.write_all(plain.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn writes_as_python_does() {
        let value = json!([{"a": "gr\u{fc}n \u{1f600}\u{7f}\n\"", "b": [1, 2.5, null, true]}, {}, []]);
        assert_eq!(
            to_text(&value),
            "[{\"a\": \"gr\\u00fcn \\ud83d\\ude00\\u007f\\n\\\"\", \"b\": [1, 2.5, null, true]}, {}, []]"
        );
    }

    #[test]
    fn half_surrogate_pairs_are_read() {
        assert_eq!(parse(r#"["\ud83d\ude00"]"#), Some(json!(["\u{1f600}"])));
        assert_eq!(
            parse(r#"["\ud83d x", "\\ud83d", "\ude00\ud83d"]"#),
            Some(json!(["\u{fffd} x", "\\ud83d", "\u{fffd}\u{fffd}"]))
        );
        for broken in ["", "[", r#"["\u12"]"#, r#"["\ud8"#, "\\", r#"["\ud83d"#, "\\\u{e4}"] {
            assert_eq!(parse(broken), None, "{broken}");
        }
    }
}
