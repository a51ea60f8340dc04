//! What a call asks for: one change or a list of them, read from any JSON (`spec/memory.md` §4).
//!
//! "Missing" follows Python's truth: absent, `null`, empty text, and also `0`, `false` and empty collections.

use std::sync::Arc;

use serde_json::Value;

use super::failure::{Failure, Shows};
use super::target::Target;
use crate::behaviour::{FailureShape, MemoryRules, NullTarget};
use crate::text;

/// One change, its texts as they were given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change<'a> {
    Add { content: &'a str },
    Replace { old: &'a str, content: &'a str },
    Remove { old: &'a str },
}

impl<'a> Change<'a> {
    pub(super) const fn action(self) -> &'static str {
        match self {
            Self::Add { .. } => "add",
            Self::Replace { .. } => "replace",
            Self::Remove { .. } => "remove",
        }
    }

    /// Whether it touches what is there already.
    pub(super) const fn edits(self) -> bool {
        !matches!(self, Self::Add { .. })
    }

    /// The text that it is about: what it stores, or what it takes away.
    pub(super) const fn subject(self) -> &'a str {
        match self {
            Self::Add { content } | Self::Replace { content, .. } => content,
            Self::Remove { old } => old,
        }
    }

    /// The entry that it means: by its own text or by a piece of it.
    pub(super) const fn names(self) -> &'a str {
        match self {
            Self::Add { content } => content,
            Self::Replace { old, .. } | Self::Remove { old } => old,
        }
    }

    /// The text that it would store.
    pub(super) const fn stores(self) -> &'a str {
        match self {
            Self::Add { content } | Self::Replace { content, .. } => content,
            Self::Remove { .. } => "",
        }
    }

    /// What the user reads of it when asked.
    pub(super) fn detail(self) -> String {
        match self {
            Self::Add { content } => content.to_owned(),
            Self::Replace { old, content } => format!("old: {old}\nnew: {content}"),
            Self::Remove { old } => old.to_owned(),
        }
    }
}

/// What a call asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Request<'a> {
    /// One change.
    One(Change<'a>),
    /// A list of operations, not looked into yet.
    Batch(&'a [Value]),
}

impl<'a> Request<'a> {
    /// The changes of it that can be told: malformed operations are left out.
    pub(super) fn changes(self) -> Vec<Change<'a>> {
        match self {
            Self::One(change) => vec![change],
            Self::Batch(operations) => operations.iter().filter_map(lenient).collect(),
        }
    }

    pub(super) fn action(self) -> &'static str {
        match self {
            Self::One(change) => change.action(),
            Self::Batch(_) => "batch",
        }
    }

    /// What the user reads of it when asked: for a list one line an operation.
    pub(super) fn detail(self) -> String {
        match self {
            Self::One(change) => change.detail(),
            Self::Batch(operations) => operations.iter().map(operation_line).collect::<Vec<_>>().join("\n"),
        }
    }

    /// The exact arguments to replay.
    pub(super) fn payload(self, target: Target) -> Value {
        let text = |text: &str| Value::from(text);
        let (content, old) = match self {
            Self::Batch(operations) => {
                return serde_json::json!({
                    "action": "batch", "target": target.as_str(), "operations": operations,
                });
            }
            Self::One(Change::Add { content }) => (text(content), Value::Null),
            Self::One(Change::Replace { old, content }) => (text(content), text(old)),
            Self::One(Change::Remove { old }) => (Value::Null, text(old)),
        };
        serde_json::json!({
            "action": self.action(), "target": target.as_str(), "content": content, "old_text": old,
        })
    }
}

fn operation_line(operation: &Value) -> String {
    match lenient(operation) {
        Some(Change::Replace { old, content }) => format!("replace: {old} -> {content}"),
        Some(change) => format!("{}: {}", change.action(), change.subject()),
        None => format!("unknown: {operation}"),
    }
}

/// The target of a call.
pub(super) fn target(args: &Value, rules: &MemoryRules) -> Result<Target, Failure> {
    let Value::Object(keys) = args else { return Err(Failure::arguments_no_object()) };
    match keys.get("target") {
        None => Ok(Target::Notes),
        Some(Value::Null) if rules.null_target == NullTarget::Notes => Ok(Target::Notes),
        Some(Value::String(name)) => Target::parse(name)
            .ok_or_else(|| Failure::invalid_target(&format!("\"{}\"", text::cut(name, 80)))),
        Some(other) => Err(Failure::invalid_target(text::cut(&other.to_string(), 80))),
    }
}

/// What a call asks for, as far as its form tells.
pub(super) fn request<'a>(args: &'a Value, rules: &MemoryRules) -> Result<Request<'a>, Failure> {
    if rules.batch {
        match args.get("operations") {
            Some(Value::Array(operations)) if !operations.is_empty() => {
                return if operations.iter().all(may_be_operation) {
                    Ok(Request::Batch(operations))
                } else {
                    Err(Failure::wrong_type("operations", "a list of objects"))
                };
            }
            Some(value) if text::truthy(value) => return Err(Failure::operations_not_list()),
            _ => {}
        }
    }
    single(args, rules).map(Request::One)
}

fn single<'a>(args: &'a Value, rules: &MemoryRules) -> Result<Change<'a>, Failure> {
    let content = |action| given(args, "content")?.ok_or_else(|| Failure::content_required(action));
    let old = |action| {
        given(args, "old_text")?.ok_or_else(|| {
            let mut failure = Failure::missing_old_text(action);
            if rules.failure == FailureShape::Inventory {
                failure.shows = Shows::EntriesAndUsage;
            }
            failure
        })
    };
    match args.get("action").and_then(Value::as_str) {
        Some("add") => Ok(Change::Add { content: content("add")? }),
        Some("replace") => {
            let old = old("replace")?;
            Ok(Change::Replace { old, content: content("replace")? })
        }
        Some("remove") => Ok(Change::Remove { old: old("remove")? }),
        _ => Err(unknown(args)),
    }
}

/// One operation of a list, its action known; missing texts are empty.
pub(super) fn operation(value: &Value) -> Result<Change<'_>, Failure> {
    let content = given(value, "content")?.unwrap_or("");
    let old = given(value, "old_text")?.unwrap_or("");
    match value.get("action").and_then(Value::as_str) {
        Some("add") => Ok(Change::Add { content }),
        Some("replace") => Ok(Change::Replace { old, content }),
        Some("remove") => Ok(Change::Remove { old }),
        _ => Err(unknown(value)),
    }
}

/// A change as far as one can be told, for records of calls that failed.
pub(super) fn lenient(value: &Value) -> Option<Change<'_>> {
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or("");
    match value.get("action").and_then(Value::as_str)? {
        "add" => Some(Change::Add { content: text("content") }),
        "replace" => Some(Change::Replace { old: text("old_text"), content: text("content") }),
        "remove" => Some(Change::Remove { old: text("old_text") }),
        _ => None,
    }
}

/// The changes that a call wanted, as far as they can be told.
pub(super) fn wanted<'a>(args: &'a Value, rules: &MemoryRules) -> Vec<Change<'a>> {
    match args.get("operations") {
        Some(Value::Array(operations)) if rules.batch && !operations.is_empty() => {
            operations.iter().filter_map(lenient).collect()
        }
        Some(value) if rules.batch && text::truthy(value) => Vec::new(),
        _ => lenient(args).into_iter().collect(),
    }
}

fn unknown(value: &Value) -> Failure {
    match value.get("action") {
        None | Some(Value::Null) => Failure::unknown_action("(none given)"),
        Some(action) => Failure::unknown_action(text::cut(&action.to_string(), 80)),
    }
}

/// A text argument; none if it is missing.
fn given<'a>(args: &'a Value, key: &str) -> Result<Option<&'a str>, Failure> {
    match args.get(key) {
        Some(Value::String(text)) if !text.is_empty() => Ok(Some(text)),
        Some(value) if text::truthy(value) => Err(Failure::wrong_type(key, "text")),
        _ => Ok(None),
    }
}

fn may_be_operation(value: &Value) -> bool {
    value.is_object() || !text::truthy(value)
}

/// A change that was made: one entry before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Effect {
    pub(super) action: &'static str,
    pub(super) names: Arc<str>,
    pub(super) before: Arc<str>,
    pub(super) after: Arc<str>,
}
