//! Calls and their results, in the order of the conversation.

use std::sync::{Arc, OnceLock};

use minijinja::value::{Enumerator, Object, Serde, Value};
use serde_json::Value as Json;

use super::failure::is_failure;
use crate::expr::lenient_json;
use crate::preset::Preset;
use crate::wire::{Author, Message};

/// One call with its result.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) id: Arc<str>,
    pub(crate) tool: Arc<str>,
    pub(crate) args: Arc<Json>,
    /// What the model reads; none if there is no result.
    pub(crate) text: Option<Arc<str>>,
    /// The message that holds the call.
    pub(crate) asked_at: usize,
    /// The message that holds the result.
    pub(crate) answered_at: usize,
    preset: Arc<Preset>,
    failed: OnceLock<bool>,
}

impl Record {
    /// Whether the loop calls the result failed; a missing one is.
    pub(crate) fn failed(&self) -> bool {
        *self.failed.get_or_init(|| {
            self.text.as_deref().is_none_or(|text| is_failure(&self.preset, &self.tool, text))
        })
    }

    pub(crate) fn result(&self) -> &str {
        self.text.as_deref().unwrap_or("")
    }

    /// Whether the arguments have these values.
    pub(crate) fn has_args<'a>(&self, mut wanted: impl Iterator<Item = (&'a str, &'a Json)>) -> bool {
        wanted.all(|(key, value)| self.args.get(key) == Some(value))
    }

    /// The word for what became of the call: the result's own `kind` or `error_kind`, else `ok`, `error` or `missing`.
    fn kind(&self) -> String {
        let Some(text) = &self.text else { return "missing".to_owned() };
        let named = lenient_json(text).and_then(|json| {
            let kind = json.get("kind").or_else(|| json.get("error_kind"))?;
            kind.as_str().map(str::to_owned)
        });
        named.unwrap_or_else(|| if self.failed() { "error" } else { "ok" }.to_owned())
    }
}

/// The calls of the messages from `first` on, in order; results whose call is not among them come with an empty tool
/// name.
pub(super) fn records(messages: &[Arc<Message>], first: usize, preset: &Arc<Preset>) -> Vec<Arc<Record>> {
    let mut records: Vec<Record> = Vec::new();
    // Calls without a result so far; usually those of the last reply.
    let mut open: Vec<usize> = Vec::new();
    for (index, message) in messages.iter().enumerate().skip(first) {
        match message.author {
            Author::Assistant => {
                for call in &message.calls {
                    open.push(records.len());
                    records.push(Record {
                        id: call.id.clone(),
                        tool: call.name.clone(),
                        args: call.args.clone(),
                        text: None,
                        asked_at: index,
                        answered_at: index,
                        preset: preset.clone(),
                        failed: OnceLock::new(),
                    });
                }
            }
            Author::Tool => {
                let id = message.call_id.as_deref().unwrap_or("");
                if let Some(place) = open.iter().rposition(|record| &*records[*record].id == id) {
                    let record = &mut records[open.remove(place)];
                    record.text = Some(message.text.clone());
                    record.answered_at = index;
                } else {
                    records.push(Record {
                        id: id.into(),
                        tool: "".into(),
                        args: Arc::new(Json::Object(serde_json::Map::new())),
                        text: Some(message.text.clone()),
                        asked_at: index,
                        answered_at: index,
                        preset: preset.clone(),
                        failed: OnceLock::new(),
                    });
                }
            }
            Author::System | Author::User => {}
        }
    }
    records.into_iter().map(Arc::new).collect()
}

/// A record as expressions see it; without one (`last` before any call) its texts are empty and it counts as false.
#[derive(Debug)]
pub(super) struct Shown(pub(super) Option<Arc<Record>>);

const FIELDS: &[&str] = &["id", "tool", "args", "text", "json", "failed", "kind"];

impl Object for Shown {
    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        let record = self.0.as_deref();
        let text = |text: Option<&Arc<str>>| Value::from(text.cloned().unwrap_or_default());
        Some(match key {
            "id" => text(record.map(|record| &record.id)),
            "tool" => text(record.map(|record| &record.tool)),
            "text" => text(record.and_then(|record| record.text.as_ref())),
            "args" => record
                .map_or_else(|| Value::from_pairs([("", ()); 0]), |record| Value::from(Serde(&*record.args))),
            "json" => record
                .and_then(|record| lenient_json(record.result()))
                .map_or(Value::from(()), |json| Value::from(Serde(json))),
            "failed" => Value::from(record.is_some_and(Record::failed)),
            "kind" => Value::from(record.map(Record::kind).unwrap_or_default()),
            _ => return None,
        })
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        key.as_str().and_then(|key| self.get_value_by_str(key))
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        if self.0.is_some() { Enumerator::Str(FIELDS) } else { Enumerator::Empty }
    }
}
