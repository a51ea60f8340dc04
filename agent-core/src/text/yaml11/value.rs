//! Values and how Python prints them.

use std::fmt::Write as _;

use serde_json::Value;

use super::float::python_float;

/// A value of a document: what JSON has, and the few kinds that YAML adds.
#[derive(Clone, Debug, PartialEq)]
pub enum YamlValue {
    /// Nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i128),
    /// A whole number beyond 128 bits, in decimal.
    BigInt(String),
    /// A number with a point.
    Float(f64),
    /// Text.
    Text(String),
    /// A date, as `2026-05-01`.
    Date(String),
    /// A date with a time, as `2026-05-01 10:00:00+00:00`.
    DateTime(String),
    /// Bytes (`!!binary`).
    Bytes(Vec<u8>),
    /// A list.
    List(Vec<Self>),
    /// A mapping in order, every key once.
    Map(Vec<(Self, Self)>),
    /// A set (`!!set`).
    Set(Vec<Self>),
    /// A list of pairs (`!!omap`, `!!pairs`).
    Pairs(Vec<(Self, Self)>),
}

impl YamlValue {
    /// The value of a text key of a mapping.
    pub fn get(&self, key: &str) -> Option<&Self> {
        let Self::Map(pairs) = self else { return None };
        pairs.iter().find(|(known, _)| known.as_str() == Some(key)).map(|(_, value)| value)
    }

    /// The text, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The items, if it is a list.
    pub fn as_list(&self) -> Option<&[Self]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    /// The pairs, if it is a mapping.
    pub fn as_map(&self) -> Option<&[(Self, Self)]> {
        match self {
            Self::Map(pairs) => Some(pairs),
            _ => None,
        }
    }

    /// Python's truth of it.
    pub fn is_truthy(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Bool(truth) => *truth,
            Self::Int(number) => *number != 0,
            Self::Float(number) => *number != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::Bytes(bytes) => !bytes.is_empty(),
            Self::List(items) | Self::Set(items) => !items.is_empty(),
            Self::Map(pairs) | Self::Pairs(pairs) => !pairs.is_empty(),
            Self::BigInt(_) | Self::Date(_) | Self::DateTime(_) => true,
        }
    }

    /// Python's `str()` of it.
    pub fn printed(&self) -> String {
        match self {
            Self::Text(text) | Self::Date(text) | Self::DateTime(text) => text.clone(),
            other => other.repr(),
        }
    }

    /// The value as JSON: keys printed; dates, infinities, bytes and the like as text.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(truth) => (*truth).into(),
            Self::Int(number) => match (i64::try_from(*number), u64::try_from(*number)) {
                (Ok(small), _) => small.into(),
                (_, Ok(large)) => large.into(),
                _ => number.to_string().into(),
            },
            Self::Float(number) => {
                serde_json::Number::from_f64(*number).map_or_else(|| self.printed().into(), Value::Number)
            }
            Self::Text(text) => text.as_str().into(),
            Self::List(items) | Self::Set(items) => items.iter().map(Self::to_json).collect(),
            Self::Map(pairs) => {
                Value::Object(pairs.iter().map(|(key, value)| (key.printed(), value.to_json())).collect())
            }
            Self::Pairs(pairs) => {
                pairs.iter().map(|(key, value)| Value::Array(vec![key.to_json(), value.to_json()])).collect()
            }
            Self::BigInt(_) | Self::Date(_) | Self::DateTime(_) | Self::Bytes(_) => self.printed().into(),
        }
    }

    /// Whether Python takes it for the same key.
    pub(super) fn is_same_key(&self, other: &Self) -> bool {
        match (self.as_number(), other.as_number()) {
            (Some(one), Some(two)) => one.total_cmp(&two).is_eq(),
            (None, None) => self == other,
            _ => false,
        }
    }

    fn as_number(&self) -> Option<f64> {
        match self {
            Self::Bool(truth) => Some(f64::from(u8::from(*truth))),
            Self::Int(number) => Some(*number as f64),
            Self::Float(number) => Some(*number),
            _ => None,
        }
    }

    fn repr(&self) -> String {
        let list = |items: &[Self]| items.iter().map(Self::repr).collect::<Vec<_>>().join(", ");
        match self {
            Self::Null => "None".to_owned(),
            Self::Bool(truth) => if *truth { "True" } else { "False" }.to_owned(),
            Self::Int(number) => number.to_string(),
            Self::BigInt(text) => text.clone(),
            Self::Float(number) => python_float(*number),
            Self::Text(text) => repr_text(text),
            Self::Date(text) => repr_date(text, "date"),
            Self::DateTime(text) => repr_date(text, "datetime"),
            Self::Bytes(bytes) => repr_bytes(bytes),
            Self::List(items) => format!("[{}]", list(items)),
            Self::Set(items) if items.is_empty() => "set()".to_owned(),
            Self::Set(items) => format!("{{{}}}", list(items)),
            Self::Map(pairs) => {
                let pair = |(key, value): &(Self, Self)| format!("{}: {}", key.repr(), value.repr());
                format!("{{{}}}", pairs.iter().map(pair).collect::<Vec<_>>().join(", "))
            }
            Self::Pairs(pairs) => {
                let pair = |(key, value): &(Self, Self)| format!("({}, {})", key.repr(), value.repr());
                format!("[{}]", pairs.iter().map(pair).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// Python's `repr` of a text. Which characters count as printable is approximated by control, space and format
/// characters; only the length of a printed list or mapping depends on it.
fn repr_text(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for char in text.chars() {
        match char {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            _ if char == quote => {
                out.push('\\');
                out.push(char);
            }
            _ if is_printable(char) => out.push(char),
            _ => escape(&mut out, u32::from(char)),
        }
    }
    out.push(quote);
    out
}

fn is_printable(char: char) -> bool {
    let formats = matches!(
        char,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e000}'..='\u{f8ff}' | '\u{fff0}'..='\u{fffb}'
            | '\u{e0000}'..
    );
    char == ' ' || !(char.is_control() || char.is_whitespace() || formats)
}

fn escape(out: &mut String, code: u32) {
    // Writing to a text cannot fail.
    let _ = match code {
        0..=0xff => write!(out, "\\x{code:02x}"),
        0x100..=0xffff => write!(out, "\\u{code:04x}"),
        _ => write!(out, "\\U{code:08x}"),
    };
}

fn repr_bytes(bytes: &[u8]) -> String {
    let mut out = String::from("b'");
    for &byte in bytes {
        match byte {
            b'\\' | b'\'' => {
                out.push('\\');
                out.push(char::from(byte));
            }
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            b' '..=b'~' => out.push(char::from(byte)),
            _ => escape(&mut out, byte.into()),
        }
    }
    out.push('\'');
    out
}

/// `datetime.date(2026, 5, 1)` and its sister; an offset is shown as Python shows it for UTC only.
fn repr_date(text: &str, class: &str) -> String {
    let (clock, utc) = match text.strip_suffix("+00:00") {
        Some(clock) => (clock, true),
        None => (text, false),
    };
    let mut parts: Vec<&str> =
        clock.split(['-', ' ', ':', '.']).map(|part| part.trim_start_matches('0')).collect();
    if class == "datetime" && parts.len() == 6 && parts[5].is_empty() {
        parts.pop();
    }
    let numbers: Vec<&str> = parts.into_iter().map(|part| if part.is_empty() { "0" } else { part }).collect();
    let zone = if utc { ", tzinfo=datetime.timezone.utc" } else { "" };
    format!("datetime.{class}({}{zone})", numbers.join(", "))
}
