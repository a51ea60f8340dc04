//! Texts, numbers, truth values, words of a fixed set, and JSON.

use std::ops::RangeInclusive;

use serde_json::{Map as JsonMap, Number, Value as Json};

use super::Decoder;
use crate::diagnose::{Diagnostic, nearest_hint};
use crate::yaml::{Node, Value, quoted};

impl Decoder {
    /// Text. A word such as `no` stays text; a number or `true` wants quotes.
    pub fn text<'n>(&self, node: &'n Node) -> Option<&'n str> {
        match &node.value {
            Value::Text(text) => Some(text),
            Value::Int(_) | Value::Float(_) | Value::Bool(_) => {
                let hint = format!("put it in quotes: {}", quoted(node.written()));
                self.wrong_with(node, "text", Some(hint))
            }
            Value::Map(_) => {
                let hint = self.mapping_for_text(node);
                self.wrong_with(node, "text", Some(hint))
            }
            Value::Seq(_) if node.is_flow() => {
                let hint = "text that begins with `[` needs quotes".to_owned();
                self.wrong_with(node, "text", Some(hint))
            }
            Value::Null | Value::Seq(_) => self.wrong(node, "text"),
        }
    }

    /// Why a mapping may stand where text is wanted.
    fn mapping_for_text(&self, node: &Node) -> String {
        let line = self.source().text.get(node.span.start..node.span.end).unwrap_or_default();
        if node.is_flow() {
            let whole = if line.contains('\n') { String::new() } else { format!(": {}", quoted(line)) };
            return format!("text that begins with `{{` needs quotes{whole}");
        }
        let first = line.lines().next().unwrap_or_default();
        format!("a colon and a space begin a mapping: put the text in quotes: {}", quoted(first))
    }

    /// Text that is not blank.
    pub fn word<'n>(&self, node: &'n Node) -> Option<&'n str> {
        let text = self.text(node)?;
        if text.trim().is_empty() {
            self.error(node.span, "wanted text, found blanks only");
            return None;
        }
        Some(text)
    }

    /// `true` or `false`.
    pub fn bool(&self, node: &Node) -> Option<bool> {
        match &node.value {
            Value::Bool(value) => Some(*value),
            Value::Text(text) => {
                let meant = match text.to_ascii_lowercase().as_str() {
                    "yes" | "on" | "y" | "true" => Some("write `true`"),
                    "no" | "off" | "n" | "false" => Some("write `false`"),
                    _ => None,
                };
                self.wrong_with(node, "`true` or `false`", meant.map(str::to_owned))
            }
            _ => self.wrong(node, "`true` or `false`"),
        }
    }

    /// A whole number in this range.
    pub fn whole(&self, node: &Node, range: RangeInclusive<i64>) -> Option<i64> {
        let wanted = match (*range.start(), *range.end()) {
            (i64::MIN, i64::MAX) => "a whole number".to_owned(),
            (start, i64::MAX) => format!("a whole number from {start}"),
            (start, end) => format!("a whole number from {start} to {end}"),
        };
        match &node.value {
            Value::Int(_) if !self.is_plain_number(node) => None,
            Value::Int(number) if range.contains(number) => Some(*number),
            Value::Text(text) if text.parse::<i64>().is_ok() => {
                self.wrong_with(node, &wanted, Some("remove the quotes".to_owned()))
            }
            _ => self.wrong(node, &wanted),
        }
    }

    /// A count that fits 32 bits.
    pub fn count(&self, node: &Node) -> Option<u32> {
        self.whole(node, 0..=i64::from(u32::MAX)).and_then(|number| u32::try_from(number).ok())
    }

    /// A finite number in this range.
    pub fn number(&self, node: &Node, range: RangeInclusive<f64>) -> Option<f64> {
        let wanted = match (*range.start(), *range.end()) {
            (f64::MIN, f64::MAX) => "a number".to_owned(),
            (f64::MIN_POSITIVE, f64::MAX) => "a number above 0".to_owned(),
            (f64::MIN_POSITIVE, end) => format!("a number above 0, at most {end}"),
            (start, f64::MAX) => format!("a number from {start}"),
            (start, end) => format!("a number from {start} to {end}"),
        };
        let number = match &node.value {
            Value::Int(_) | Value::Float(_) if !self.is_plain_number(node) => return None,
            Value::Int(number) => *number as f64,
            Value::Float(number) => *number,
            _ => return self.wrong(node, &wanted),
        };
        if range.contains(&number) { Some(number) } else { self.wrong(node, &wanted) }
    }

    /// A share between 0 and 1.
    pub fn share(&self, node: &Node) -> Option<f64> {
        self.number(node, 0.0..=1.0)
    }

    /// Whether a number is written as every reader of YAML reads it; if not, that is reported.
    fn is_plain_number(&self, node: &Node) -> bool {
        let canonical = node.is_canonical();
        if !canonical {
            self.report(self.not_canonical(node));
        }
        canonical
    }

    fn not_canonical(&self, node: &Node) -> Diagnostic {
        let written = node.written();
        let (message, plain) = match &node.value {
            Value::Int(number) => (
                format!("`{written}` is read as {number} by some and otherwise by others"),
                number.to_string(),
            ),
            Value::Float(number) if number.is_finite() => (
                format!("`{written}` is read as a number by some and as text by others"),
                plain_decimal(*number),
            ),
            Value::Bool(value) => (format!("`{written}` is read as a truth value"), value.to_string()),
            _ => {
                let meant = match written.to_ascii_lowercase().as_str() {
                    "yes" | "on" | "y" | "true" => "true",
                    "no" | "off" | "n" | "false" => "false",
                    _ => "the number in plain digits",
                };
                (format!("`{written}` is text here but not for every reader of YAML"), meant.to_owned())
            }
        };
        let hint = format!("write {} for the text, or {plain}", quoted(written));
        Diagnostic::error(self.file(), node.span, message).hint(hint)
    }

    /// One of these words; the value beside it is what it means.
    pub fn choice<T: Clone>(&self, node: &Node, choices: &[(&'static str, T)]) -> Option<T> {
        let names = choices.iter().map(|(name, _)| *name);
        let wanted = || {
            format!("one of {}", names.clone().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))
        };
        let written = match &node.value {
            Value::Text(_) | Value::Bool(_) | Value::Int(_) => node.written(),
            _ => return self.wrong(node, &wanted()),
        };
        if let Some((_, value)) = choices.iter().find(|(name, _)| *name == written) {
            return Some(value.clone());
        }
        self.wrong_with(node, &wanted(), nearest_hint(written, names))
    }

    /// Reports that a name is none of the known ones.
    pub fn unknown<'k>(&self, node: &Node, what: &str, known: impl IntoIterator<Item = &'k str> + Clone) {
        let message = format!("unknown {what} `{}`", node.written());
        let hint = nearest_hint(node.written(), known);
        self.report(Diagnostic::error(self.file(), node.span, message).hint_if(hint));
    }

    /// The value as JSON. Numbers and words on which readers of YAML disagree are refused.
    pub fn json(&self, node: &Node) -> Option<Json> {
        match &node.value {
            Value::Seq(items) => {
                items.iter().map(|item| self.json(item)).collect::<Vec<_>>().into_iter().collect()
            }
            Value::Map(map) => {
                let entries: Vec<_> =
                    map.iter().map(|entry| (entry.key.to_string(), self.json(&entry.value))).collect();
                let object: Option<JsonMap<String, Json>> =
                    entries.into_iter().map(|(key, value)| value.map(|value| (key, value))).collect();
                object.map(Json::Object)
            }
            _ => self.json_scalar(node),
        }
    }

    /// A scalar as JSON, under the same rule.
    pub(crate) fn json_scalar(&self, node: &Node) -> Option<Json> {
        if !node.is_canonical() {
            self.report(self.not_canonical(node));
            return None;
        }
        match &node.value {
            Value::Null => Some(Json::Null),
            Value::Bool(value) => Some(Json::Bool(*value)),
            Value::Int(number) => Some(Json::Number((*number).into())),
            Value::Float(number) => Number::from_f64(*number).map(Json::Number),
            Value::Text(text) => Some(Json::String(text.to_string())),
            Value::Seq(_) | Value::Map(_) => None,
        }
    }
}

/// The shortest decimal form without an exponent.
fn plain_decimal(number: f64) -> String {
    format!("{number}")
}
