//! What the model reads: one JSON object (`spec/memory.md` §4.1, §4.2, §8).
//!
//! `error` stands near the beginning: the loop's own failure test reads the first 500 characters only.

use serde::Serialize;

use super::entries::{self, Entry};
use super::failure::{Failure, Shows};
use super::target::{Limit, Target};
use crate::behaviour::SuccessShape;
use crate::text;

const NOTE: &str =
    "Saved; nothing more to do for this. A prompt shows memory as it was when the prompt was built.";

const REMEDIATION: &str = "Look at the file and the copy, keep what is worth keeping, and bring the file into the form \
                           of entries separated by a line with the section sign alone. Then try again.";

/// What a call did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// An entry was added.
    Added,
    /// It was there already.
    Duplicate,
    /// An entry was replaced.
    Replaced,
    /// An entry was removed.
    Removed,
    /// So many operations were applied as one.
    Batch(usize),
}

impl Outcome {
    fn message(self) -> String {
        match self {
            Self::Added => "Entry added.".to_owned(),
            Self::Duplicate => "Such an entry exists already; nothing was added.".to_owned(),
            Self::Replaced => "Entry replaced.".to_owned(),
            Self::Removed => "Entry removed.".to_owned(),
            Self::Batch(1) => "1 operation applied.".to_owned(),
            Self::Batch(count) => format!("{count} operations applied."),
        }
    }
}

/// The keys in their order; those without a value are left out. Long ones come last.
#[derive(Default, Serialize)]
struct AnswerObject<'a> {
    success: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    done: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    staged: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pending_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    entry_count: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    matches: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    drift_backup: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remediation: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<&'a [Entry]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    current_entries: Option<&'a [Entry]>,
}

/// A success: usage and count describe the store after it.
pub(super) fn success(
    outcome: Outcome,
    target: Target,
    entries: &[Entry],
    limit: Limit,
    shape: SuccessShape,
) -> String {
    let compact = shape == SuccessShape::Compact;
    text::json_line(&AnswerObject {
        success: true,
        done: compact.then_some(true),
        target: Some(target.as_str()),
        message: Some(outcome.message()),
        note: compact.then_some(NOTE),
        usage: Some(entries::usage_with_share(entries::chars(entries), limit)),
        entry_count: Some(entries.len()),
        entries: (!compact).then_some(entries),
        ..AnswerObject::default()
    })
}

/// A failure: entries and usage describe the store as it stands.
pub(super) fn failure(failure: &Failure, entries: &[Entry], limit: Limit) -> String {
    let shows_entries = failure.shows != Shows::Nothing;
    let shows_usage = failure.shows == Shows::EntriesAndUsage;
    text::json_line(&AnswerObject {
        success: false,
        error: Some(&failure.text),
        done: failure.done.then_some(true),
        usage: shows_usage.then(|| entries::usage(entries::chars(entries), limit)),
        matches: failure.matches.as_deref(),
        drift_backup: failure.backup.as_deref(),
        remediation: failure.backup.is_some().then_some(REMEDIATION),
        current_entries: shows_entries.then_some(entries),
        ..AnswerObject::default()
    })
}

/// A write that waits for approval. It is no committed write, although it counts as a success.
pub(super) fn staged(id: &str) -> String {
    text::json_line(&AnswerObject {
        success: true,
        staged: Some(true),
        pending_id: Some(id),
        message: Some(format!(
            "Waiting for the user's approval as {id}. It is not in memory yet; do not repeat it."
        )),
        ..AnswerObject::default()
    })
}
