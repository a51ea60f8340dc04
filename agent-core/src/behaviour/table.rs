//! The table of configuration keys and version rules: one row a key, one default a version.

use serde_json::Value;

use super::version::Version;
use super::{
    compression, curator, defence, delegation, guard, memory, nudges, patch, prompt, review, sessions,
    skills, threats, turn,
};

/// What values a key takes, for checks of values that a person typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Int,
    /// A number.
    Float,
    /// Text.
    Text,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A list of texts.
    List,
    /// A mapping.
    Map,
    /// Whatever the home's configuration file may hold there.
    Any,
}

impl Kind {
    /// Whether a value is of this kind. `null` always is: it means "unset".
    pub fn accepts(self, value: &Value) -> bool {
        match self {
            _ if value.is_null() => true,
            Self::Bool => value.is_boolean(),
            Self::Int => value.is_i64() || value.is_u64(),
            Self::Float => value.is_number(),
            Self::Text => value.is_string(),
            Self::Choice(words) => value.as_str().is_some_and(|text| words.contains(&text)),
            Self::List => value.as_array().is_some_and(|items| items.iter().all(Value::is_string)),
            Self::Map => value.is_object(),
            Self::Any => true,
        }
    }

    /// What a person should have typed.
    pub fn wanted(self) -> String {
        match self {
            Self::Bool => "true or false".to_owned(),
            Self::Int => "a whole number".to_owned(),
            Self::Float => "a number".to_owned(),
            Self::Text => "text".to_owned(),
            Self::Choice(words) => format!("one of {}", words.join(", ")),
            Self::List => "a list of texts".to_owned(),
            Self::Map => "a mapping".to_owned(),
            Self::Any => "any value".to_owned(),
        }
    }
}

/// A default, as a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Preset {
    /// Unset, or: this version has no such thing.
    None,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// Text.
    Text(&'static str),
    /// A list of texts.
    List(&'static [&'static str]),
}

impl Preset {
    /// The default as a value of a configuration.
    pub fn to_value(self) -> Value {
        match self {
            Self::None => Value::Null,
            Self::Bool(truth) => truth.into(),
            Self::Int(number) => number.into(),
            Self::Float(number) => number.into(),
            Self::Text(text) => text.into(),
            Self::List(items) => items.iter().map(|item| Value::from(*item)).collect(),
        }
    }
}

/// One key: a configuration key of the reference, or a rule of its code that differs between versions.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The dotted key.
    pub key: &'static str,
    /// What values it takes.
    pub kind: Kind,
    /// The default of each version, in the order of [`Version::ALL`].
    pub presets: [Preset; 5],
    /// What it decides, with its unit.
    pub about: &'static str,
    /// Where it comes from.
    pub source: &'static str,
}

impl Row {
    /// A key with one default in all versions.
    pub(super) const fn same(
        key: &'static str,
        kind: Kind,
        preset: Preset,
        about: &'static str,
        source: &'static str,
    ) -> Self {
        Self { key, kind, presets: [preset; 5], about, source }
    }

    /// A key whose default differs between versions.
    pub(super) const fn by_version(
        key: &'static str,
        kind: Kind,
        presets: [Preset; 5],
        about: &'static str,
        source: &'static str,
    ) -> Self {
        Self { key, kind, presets, about, source }
    }

    /// The default of a version.
    pub fn preset(&self, version: Version) -> Preset {
        self.presets[version.column()]
    }
}

/// All rows, area by area.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    [
        nudges::ROWS,
        review::ROWS,
        turn::ROWS,
        memory::ROWS,
        defence::ROWS,
        skills::ROWS,
        patch::ROWS,
        guard::ROWS,
        threats::ROWS,
        curator::ROWS,
        prompt::ROWS,
        sessions::ROWS,
        compression::ROWS,
        delegation::ROWS,
    ]
    .into_iter()
    .flatten()
}
