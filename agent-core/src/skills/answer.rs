//! What the model reads: one JSON object with its keys in a fixed order, `error` near the beginning.

use std::sync::Arc;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

use crate::text::json_line;
use crate::values::{Fact, HomeAnswer};

/// Keys and values in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Fields(Vec<(&'static str, Value)>);

impl Fields {
    /// Adds a key.
    pub(super) fn add(&mut self, key: &'static str, value: impl Into<Value>) {
        self.0.push((key, value.into()));
    }

    /// With one more key.
    pub(super) fn with(mut self, key: &'static str, value: impl Into<Value>) -> Self {
        self.add(key, value);
        self
    }

    /// With one more key if there is a value.
    pub(super) fn with_some(self, key: &'static str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

/// A call that did what it asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reply {
    /// Further keys after `success`.
    pub(super) fields: Fields,
    /// What happened.
    pub(super) facts: Vec<Fact>,
}

impl Reply {
    pub(super) fn new(fields: Fields) -> Self {
        Self { fields, facts: Vec::new() }
    }

    pub(super) fn into_answer(self) -> HomeAnswer {
        let mut fields = Fields::default().with("success", true);
        fields.0.extend(self.fields.0);
        HomeAnswer { text: json_line(&fields), kind: None, refused: false, facts: self.facts }
    }
}

/// A call that did not.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Refusal {
    /// The kind in the specs.
    pub(super) kind: Arc<str>,
    /// What the model reads.
    pub(super) message: String,
    /// Whether a guard refused it, as opposed to a mistake in the call.
    pub(super) refused: bool,
    /// Further keys after `error`.
    pub(super) fields: Fields,
}

impl Refusal {
    /// A mistake in the call.
    pub(super) fn mistake(kind: impl Into<Arc<str>>, message: impl Into<String>) -> Self {
        Self { kind: kind.into(), message: message.into(), refused: false, fields: Fields::default() }
    }

    /// A guard's word.
    pub(super) fn guarded(kind: impl Into<Arc<str>>, message: impl Into<String>) -> Self {
        Self { refused: true, ..Self::mistake(kind, message) }
    }

    /// With one more key.
    pub(super) fn with(mut self, key: &'static str, value: impl Into<Value>) -> Self {
        self.fields.add(key, value);
        self
    }

    pub(super) fn into_answer(self, facts: Vec<Fact>) -> HomeAnswer {
        let mut fields = Fields::default().with("success", false).with("error", self.message);
        fields.0.extend(self.fields.0);
        HomeAnswer { text: json_line(&fields), kind: Some(self.kind), refused: self.refused, facts }
    }
}
