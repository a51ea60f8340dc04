//! Classes of characters.

use crate::text::{is_digit, is_space, is_word};

/// A set of characters. Members are tested after [`fold`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Any but a line feed.
    Any,
    /// Any at all.
    Everything,
    Space,
    NotSpace,
    Word,
    Digit,
    Hex,
    /// An apostrophe or a double quote.
    Quote,
    /// An ASCII letter or digit, or one of these.
    Ascii(&'static str),
    /// Any but these.
    NotIn(Box<[char]>),
}

impl Class {
    pub(super) fn has(&self, char: char) -> bool {
        match self {
            Self::Any => char != '\n',
            Self::Everything => true,
            Self::Space => is_space(char),
            Self::NotSpace => !is_space(char),
            Self::Word => is_word(char),
            Self::Digit => is_digit(char),
            Self::Hex => char.is_ascii_hexdigit(),
            Self::Quote => matches!(char, '\'' | '"'),
            Self::Ascii(more) => char.is_ascii_alphanumeric() || more.contains(char),
            Self::NotIn(set) => !set.contains(&char),
        }
    }
}

/// The case in which a character is compared. Rules hold ASCII literals only, so only what folds to ASCII matters:
/// beside the capitals these are the dotted capital I, the dotless i, the long s and the Kelvin sign.
pub(super) fn fold(char: char) -> char {
    match char {
        '\u{130}' | '\u{131}' => 'i',
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        _ => char.to_ascii_lowercase(),
    }
}
