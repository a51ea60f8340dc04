//! What a record's cell can hold, and how it is written and read: integers, words and names, nothing else.

use std::borrow::Cow;
use std::sync::Arc;

/// The kind of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// An integer that is never negative. Marks are 0 or 1.
    Unsigned,
    /// An integer.
    Signed,
    /// A word, a name or a text.
    Text,
}

/// One column of a record table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name, with the unit last where it has one (`_ms`, `_tokens`, `_chars`, `_nanos`).
    pub name: &'static str,
    /// Its kind.
    pub kind: ColumnType,
    /// Whether a cell can be empty, for a figure that does not exist.
    pub optional: bool,
    /// What it is, with its formula.
    pub doc: &'static str,
}

impl Column {
    /// The unit, read off the name.
    pub fn unit(&self) -> &'static str {
        let suffixes = [
            ("_ms", "ms of simulated time"),
            ("_tokens", "tokens"),
            ("_chars", "code points"),
            ("_nanos", "billionths of the currency unit"),
            ("_at", "ISO 8601, UTC"),
            ("day", "day, the first being 0"),
        ];
        match suffixes.iter().find(|(suffix, _)| self.name.ends_with(suffix)) {
            Some((_, unit)) => unit,
            None if self.kind == ColumnType::Text => "text",
            None => "count",
        }
    }
}

/// The content of one cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Datum<'a> {
    /// No figure.
    Null,
    /// An integer; wide enough for any signed or unsigned 64-bit value.
    Integer(i128),
    /// A text.
    Text(Cow<'a, str>),
}

impl Datum<'_> {
    /// The text that a CSV file holds for it.
    pub fn csv(&self) -> Cow<'_, str> {
        match self {
            Self::Null => Cow::Borrowed(""),
            Self::Integer(value) => Cow::Owned(value.to_string()),
            Self::Text(text) => Cow::Borrowed(text),
        }
    }
}

/// A type that a record's field can have.
pub(crate) trait Field: Sized {
    /// The kind of its column.
    const KIND: ColumnType;
    /// Whether its cell can be empty.
    const OPTIONAL: bool = false;

    fn datum(&self) -> Datum<'_>;

    /// Reads what [`Datum::csv`] gave; none if it is nothing of the kind.
    fn read(text: &str) -> Option<Self>;
}

macro_rules! integer_field {
    ($kind:ident: $($type:ty)+) => {$(
        impl Field for $type {
            const KIND: ColumnType = ColumnType::$kind;

            fn datum(&self) -> Datum<'_> {
                Datum::Integer(i128::from(*self))
            }

            fn read(text: &str) -> Option<Self> {
                text.parse().ok()
            }
        }
    )+};
}

integer_field!(Unsigned: u32 u64);
integer_field!(Signed: i64);

impl Field for bool {
    const KIND: ColumnType = ColumnType::Unsigned;

    fn datum(&self) -> Datum<'_> {
        Datum::Integer(i128::from(*self))
    }

    fn read(text: &str) -> Option<Self> {
        match text {
            "0" => Some(false),
            "1" => Some(true),
            _ => None,
        }
    }
}

impl Field for Arc<str> {
    const KIND: ColumnType = ColumnType::Text;

    fn datum(&self) -> Datum<'_> {
        Datum::Text(Cow::Borrowed(self))
    }

    fn read(text: &str) -> Option<Self> {
        Some(Self::from(text))
    }
}

/// An empty text and no text are the same cell, and read as none.
impl<T: Field> Field for Option<T> {
    const KIND: ColumnType = T::KIND;
    const OPTIONAL: bool = true;

    fn datum(&self) -> Datum<'_> {
        self.as_ref().map_or(Datum::Null, T::datum)
    }

    fn read(text: &str) -> Option<Self> {
        if text.is_empty() { Some(None) } else { T::read(text).map(Some) }
    }
}

macro_rules! word_field {
    ($($word:ident)+) => {$(
        impl Field for crate::words::$word {
            const KIND: ColumnType = ColumnType::Text;

            fn datum(&self) -> Datum<'_> {
                Datum::Text(Cow::Borrowed(self.as_str()))
            }

            fn read(text: &str) -> Option<Self> {
                Self::parse(text)
            }
        }
    )+};
}

word_field!(
    AgentObject CellOutcome CuratorCause Evidence Finish ModelOutcome Nudge NudgeEvent Origin Place ReviewOutcome
    Role Route Store TurnOutcome WriteOutcome
);
