//! Long texts in a trace: written once, referred to by digest afterwards.
//!
//! A short text stands in its event. A long one stands in a line of kind `text` before the first event that needs
//! it, and the event holds `{"$text": digest}` (or `{"$json": digest}` where the value is structured and the text
//! is its JSON). So a trace grows with what was said, not with how often it was said.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// Texts up to so many bytes stand in their event. A reference takes 44 bytes, so shorter would gain little.
pub const INLINE_BYTES_MAX: usize = 200;

/// The key of a reference to a text.
pub(super) const TEXT_KEY: &str = "$text";
/// The key of a reference to a structured value.
pub(super) const JSON_KEY: &str = "$json";

/// The digest of a text: 128 bits of BLAKE3, 32 hexadecimal digits.
pub(super) fn digest(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..32].to_owned()
}

/// A text that may be long.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(Arc<str>);

impl Text {
    /// The text as a shared string.
    pub fn shared(&self) -> &Arc<str> {
        &self.0
    }

    /// Shows the text to the visitor if it is too long to stand in its event.
    pub(super) fn visit_long(&self, visit: &mut dyn FnMut(&str)) {
        if self.is_long() {
            visit(&self.0);
        }
    }

    fn is_long(&self) -> bool {
        self.0.len() > INLINE_BYTES_MAX
    }
}

impl<T: Into<Arc<str>>> From<T> for Text {
    fn from(text: T) -> Self {
        Self(text.into())
    }
}

impl Default for Text {
    fn default() -> Self {
        Self(Arc::from(""))
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, formatter)
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_long() {
            reference(serializer, TEXT_KEY, &self.0)
        } else {
            serializer.serialize_str(&self.0)
        }
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Arc::<str>::deserialize(deserializer).map(Self)
    }
}

impl JsonSchema for Text {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Text".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A text, or the digest of one that stands in an earlier line of kind `text`.",
            "anyOf": [
                { "type": "string" },
                {
                    "type": "object",
                    "properties": { "$text": { "type": "string", "pattern": "^[0-9a-f]{32}$" } },
                    "required": ["$text"],
                    "additionalProperties": false,
                },
            ],
        })
    }
}

/// A structured value that may be long.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Data<T>(pub T);

impl<T: Serialize> Data<T> {
    /// Shows the value's JSON to the visitor if it cannot stand in its event.
    pub(super) fn visit_long(&self, visit: &mut dyn FnMut(&str)) {
        if let Some(json) = self.long_json() {
            visit(&json);
        }
    }

    /// The JSON of a value that is too long, or that would be taken for a reference.
    fn long_json(&self) -> Option<String> {
        let json =
            serde_json::to_string(&self.0).expect("keys are strings and writing to memory cannot fail");
        let looks_like_reference = json.starts_with("{\"$");
        (json.len() > INLINE_BYTES_MAX || looks_like_reference).then_some(json)
    }
}

impl<T> From<T> for Data<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

impl<T> Deref for Data<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Serialize> Serialize for Data<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.long_json() {
            Some(json) => reference(serializer, JSON_KEY, &json),
            None => self.0.serialize(serializer),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Data<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self)
    }
}

impl<T: JsonSchema> JsonSchema for Data<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Data_of_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let inline = generator.subschema_for::<T>();
        json_schema!({
            "description": "The value, or the digest of its JSON, which stands in an earlier line of kind `text`.",
            "anyOf": [
                inline,
                {
                    "type": "object",
                    "properties": { "$json": { "type": "string", "pattern": "^[0-9a-f]{32}$" } },
                    "required": ["$json"],
                    "additionalProperties": false,
                },
            ],
        })
    }
}

fn reference<S: Serializer>(serializer: S, key: &str, text: &str) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(key, &digest(text))?;
    map.end()
}

/// The digest of a reference, with whether it stands for a structured value.
pub(super) fn as_reference(value: &Value) -> Option<(&str, bool)> {
    let map = value.as_object().filter(|map| map.len() == 1)?;
    match map.iter().next()? {
        (key, Value::String(digest)) if key == TEXT_KEY => Some((digest, false)),
        (key, Value::String(digest)) if key == JSON_KEY => Some((digest, true)),
        _ => None,
    }
}
