//! Text from anywhere made fit to be shown: escape sequences go whole, and so do characters that no XML document,
//! terminal or page may hold.

use std::borrow::Cow;

const ESC: char = '\u{1b}';
const CSI: char = '\u{9b}';
const OSC: char = '\u{9d}';
const BEL: char = '\u{7}';
const STRING_END: char = '\u{9c}';

/// The text without escape sequences and without characters that XML 1.0 forbids. Newlines and tabs stay; a
/// carriage return becomes a newline, or goes where one follows.
pub fn plain(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(char) = rest.next() {
        match char {
            ESC => rest = after_escape(rest),
            CSI => rest = after_control_sequence(rest),
            OSC => rest = after_string(rest),
            '\r' if rest.as_str().starts_with('\n') => {}
            '\r' => out.push('\n'),
            char if is_plain(char) => out.push(char),
            _ => {}
        }
    }
    Cow::Owned(out)
}

/// The same for bytes that may be no UTF-8 (lone surrogates among them): what cannot be read becomes U+FFFD.
pub fn plain_bytes(bytes: &[u8]) -> String {
    plain(&String::from_utf8_lossy(bytes)).into_owned()
}

/// The text on one line: line breaks and tabs become blanks.
pub fn one_line(text: &str) -> Cow<'_, str> {
    match plain(text) {
        text if text.contains(['\n', '\t']) => Cow::Owned(text.replace(['\n', '\t'], " ")),
        text => text,
    }
}

/// The text up to so many characters, and how many more there are.
pub fn cut(text: &str, chars_max: usize) -> Cow<'_, str> {
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => {
            let left = text[end..].chars().count();
            let words = if left == 1 { "character" } else { "characters" };
            Cow::Owned(format!("{}… {left} more {words}", &text[..end]))
        }
        None => Cow::Borrowed(text),
    }
}

/// A line in pieces of at most so many characters, broken at blanks where there are any; all but the first are
/// indented. The room must exceed the indent.
pub fn wrapped(text: &str, room: usize, indent: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut rest = text;
    let mut lead = String::new();
    loop {
        let room = room - lead.len();
        let Some((end, _)) = rest.char_indices().nth(room) else {
            pieces.push(format!("{lead}{rest}"));
            return pieces;
        };
        let blank = rest[..end].rfind(' ').filter(|at| rest[..*at].chars().any(|char| char != ' '));
        let end = if rest[end..].starts_with(' ') { end } else { blank.unwrap_or(end) };
        pieces.push(format!("{lead}{}", rest[..end].trim_end()));
        rest = rest[end..].trim_start_matches(' ');
        lead = " ".repeat(indent);
    }
}

/// Whether a character may stand in any text shown: those of XML 1.0 without controls and without the marks that
/// turn the direction of the text around them.
fn is_plain(char: char) -> bool {
    match char {
        '\n' | '\t' => true,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}' => false,
        _ => !char.is_control(),
    }
}

type Rest<'a> = std::str::Chars<'a>;

/// What follows an escape sequence whose first character was read.
fn after_escape(mut rest: Rest<'_>) -> Rest<'_> {
    let start = rest.clone();
    match rest.next() {
        Some('[') => after_control_sequence(rest),
        Some(']' | 'P' | 'X' | '^' | '_') => after_string(rest),
        Some(' '..='/') => {
            // Intermediate characters, then one final character.
            for char in rest.by_ref() {
                if !(' '..='/').contains(&char) {
                    break;
                }
            }
            rest
        }
        Some('0'..='~') => rest,
        _ => start,
    }
}

/// Parameters and intermediate characters, then one final character. Anything else ends a broken sequence.
fn after_control_sequence(mut rest: Rest<'_>) -> Rest<'_> {
    loop {
        let before = rest.clone();
        match rest.next() {
            Some(' '..='?') => {}
            Some('@'..='~') | None => return rest,
            Some(_) => return before,
        }
    }
}

/// A string that ends with BEL, ST or at the line's end; a missing end must not swallow a whole text.
fn after_string(mut rest: Rest<'_>) -> Rest<'_> {
    loop {
        let before = rest.clone();
        match rest.next() {
            Some(BEL | STRING_END) | None => return rest,
            Some(ESC) => return after_escape(rest),
            Some('\n') => return before,
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sequences_go_whole() {
        let cases = [
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}]8;;http://x\u{7}link\u{1b}]8;;\u{1b}\\!", "link!"),
            ("\u{9b}1;2Hat", "at"),
            ("a\u{1b}(Bb", "ab"),
            ("a\u{0}\u{8}\u{fffe}\u{ffff}b\u{7f}\u{85}", "ab"),
            ("one\r\ntwo\rthree\tx", "one\ntwo\nthree\tx"),
            ("\u{1b}]never ended\nnext", "\nnext"),
            ("\u{1b}[12ä", "ä"),
            ("left \u{202e}right\u{202c}", "left right"),
            ("👩‍🚀 שלום ]]>", "👩‍🚀 שלום ]]>"),
        ];
        for (text, expected) in cases {
            assert_eq!(plain(text), expected, "{text:?}");
        }
        assert_eq!(plain_bytes(b"a\xed\xa0\x80b\x1b[1m"), "a\u{fffd}\u{fffd}\u{fffd}b");
        assert_eq!(one_line("a\nb"), "a b");
    }

    #[test]
    fn lines_are_broken_at_blanks_and_indented() {
        let lines = wrapped("calls terminal: kubectl apply -f deployment.yaml", 24, 2);
        assert_eq!(lines, ["calls terminal: kubectl", "  apply -f", "  deployment.yaml"]);
        assert_eq!(wrapped("abcdefghijklmnopqrstuvwxyz", 10, 2), ["abcdefghij", "  klmnopqr", "  stuvwxyz"]);
    }

    #[test]
    fn what_is_cut_is_counted() {
        assert_eq!(cut("שלום", 4), "שלום");
        assert_eq!(cut("שלום!", 4), "שלום… 1 more character");
        assert_eq!(cut("a👩‍🚀", 1), "a… 3 more characters");
    }

    proptest! {
        #[test]
        fn no_piece_is_too_wide_and_nothing_but_blanks_is_lost(text in "[a-zé ]{0,120}", room in 12_usize..40) {
            let pieces = wrapped(&text, room, 4);
            prop_assert!(pieces.iter().all(|piece| piece.chars().count() <= room), "{pieces:?}");
            let letters = |text: &str| text.chars().filter(|char| *char != ' ').collect::<String>();
            prop_assert_eq!(letters(&pieces.concat()), letters(&text));
        }

        #[test]
        fn what_is_plain_stays_and_the_rest_is_gone(text in any::<String>()) {
            let shown = plain(&text).into_owned();
            prop_assert!(shown.chars().all(is_plain));
            prop_assert_eq!(plain(&shown), shown.clone());
        }
    }
}
