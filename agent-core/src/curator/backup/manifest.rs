//! What a snapshot says of itself: `manifest.json`, and the copy of the store of jobs.

use serde_json::{Map, Value, json};

use super::SnapshotId;
use crate::curator::jobs::{STORE, jobs_of, without_mark};
use crate::stores::{Files, TreePath, exists};
use crate::values::Stamp;

/// How the store of jobs went into a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobsCopy {
    /// The text, if there is one to keep.
    pub text: Option<String>,
    /// Jobs in it.
    pub count: usize,
    /// Why there is no text: `missing`, or what went wrong.
    pub reason: Option<String>,
    /// What is wrong with the text.
    pub parse_warning: Option<String>,
}

impl JobsCopy {
    /// Of the store of a home. A damaged one is kept all the same.
    pub(super) fn of(files: &dyn Files, accept_mark: bool) -> Self {
        let none = |reason: String| Self { text: None, count: 0, reason: Some(reason), parse_warning: None };
        let path = TreePath::new(STORE);
        if !exists(files, &path) {
            return none("missing".to_owned());
        }
        let bytes = match files.read(&path) {
            Ok(bytes) => bytes,
            Err(error) => return none(error.to_string()),
        };
        let Ok(text) = std::str::from_utf8(&bytes) else { return none("it is not UTF-8 text".to_owned()) };
        let text = if accept_mark { without_mark(text) } else { text };
        let parsed: Result<Value, _> = serde_json::from_str(text);
        Self {
            text: Some(text.to_owned()),
            count: parsed.as_ref().ok().and_then(jobs_of).map_or(0, Vec::len),
            reason: None,
            parse_warning: parsed.err().map(|error| error.to_string()),
        }
    }

    /// As the manifest states it.
    pub(super) fn to_value(&self) -> Value {
        let mut fields = Map::new();
        fields.insert("backed_up".to_owned(), self.text.is_some().into());
        fields.insert("jobs_count".to_owned(), self.count.into());
        if let Some(reason) = &self.reason {
            fields.insert("reason".to_owned(), reason.clone().into());
        }
        if let Some(warning) = &self.parse_warning {
            fields.insert("parse_warning".to_owned(), warning.clone().into());
        }
        Value::Object(fields)
    }
}

/// The text of a manifest: sorted keys, two blanks of indent.
pub(super) fn manifest(
    id: &SnapshotId,
    reason: &str,
    at: Stamp,
    archive_bytes: usize,
    skill_files: usize,
    jobs: &JobsCopy,
) -> String {
    let fields: std::collections::BTreeMap<&str, Value> = [
        ("archive", json!(super::ARCHIVE)),
        ("archive_bytes", json!(archive_bytes)),
        ("created_at", json!(at.to_string())),
        ("cron_jobs", jobs.to_value()),
        ("id", json!(id.as_str())),
        ("reason", json!(reason)),
        ("skill_files", json!(skill_files)),
    ]
    .into();
    serde_json::to_string_pretty(&fields).expect("JSON values with text keys always serialise")
}
