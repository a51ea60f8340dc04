//! A proposal and its file format.

use serde::Serialize;
use serde_json::Value;

use crate::text;
use crate::values::SimTime;

/// How much of the detail a summary shows, in characters (`spec/memory.md` §8).
const SUMMARY_DETAIL_CHARS: usize = 120;

/// Whose writes wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subsystem {
    /// The memory stores.
    Memory,
    /// The skill library.
    Skills,
}

impl Subsystem {
    /// Both, in the order in which they are shown.
    pub const ALL: [Self; 2] = [Self::Memory, Self::Skills];

    /// The word for it in records and commands, and the name of its directory.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Skills => "skills",
        }
    }

    /// The subsystem of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|subsystem| subsystem.as_str() == name)
    }
}

/// A write to be staged.
#[derive(Clone, Debug)]
pub struct Proposal<'a> {
    /// Whose.
    pub subsystem: Subsystem,
    /// The tool's action, or `batch`.
    pub action: &'a str,
    /// What the user reads of it in a list; see [`summary`].
    pub summary: String,
    /// Who wanted it: `foreground`, `assistant_tool`, `background_review` …
    pub origin: &'a str,
    /// When.
    pub at: SimTime,
    /// The exact arguments to replay.
    pub payload: Value,
}

/// A write that waits.
#[derive(Clone, Debug, PartialEq)]
pub struct PendingRecord {
    /// Eight lower-case hexadecimal digits; the name of its file.
    pub id: String,
    /// Whose.
    pub subsystem: Subsystem,
    /// The tool's action, or `batch`.
    pub action: String,
    /// What the user reads of it.
    pub summary: String,
    /// Who wanted it.
    pub origin: String,
    /// Seconds since the Unix epoch, with fractions.
    pub created_at: f64,
    /// The exact arguments to replay.
    pub payload: Value,
}

/// The file's keys, in its order.
#[derive(Serialize)]
struct RecordFile<'a> {
    id: &'a str,
    subsystem: &'static str,
    action: &'a str,
    summary: &'a str,
    origin: &'a str,
    created_at: f64,
    payload: &'a Value,
}

impl PendingRecord {
    /// The text of its file: two blanks of indentation, non-ASCII kept, no newline at the end.
    pub(super) fn to_file(&self) -> String {
        let file = RecordFile {
            id: &self.id,
            subsystem: self.subsystem.as_str(),
            action: &self.action,
            summary: &self.summary,
            origin: &self.origin,
            created_at: self.created_at,
            payload: &self.payload,
        };
        serde_json::to_string_pretty(&file).expect("texts, a number and a JSON value can be written")
    }

    /// Reads a file. Its name is the id and its directory the subsystem, whatever it says itself; missing keys are
    /// empty. `None` unless it is a JSON object.
    pub(super) fn from_file(subsystem: Subsystem, id: &str, bytes: &[u8]) -> Option<Self> {
        let Ok(Value::Object(mut keys)) = serde_json::from_slice(bytes) else { return None };
        let payload = keys.remove("payload").unwrap_or(Value::Null);
        let text = |key: &str| keys.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
        Some(Self {
            id: id.to_owned(),
            subsystem,
            action: text("action"),
            summary: text("summary"),
            origin: text("origin"),
            created_at: keys.get("created_at").and_then(Value::as_f64).unwrap_or(0.0),
            payload,
        })
    }
}

/// What a list shows of a proposal: a label, a colon and the first 120 characters of the detail, trimmed.
pub fn summary(label: &str, detail: &str) -> String {
    let line = format!("{label}: {}", text::cut(detail, SUMMARY_DETAIL_CHARS));
    text::trim(&line).to_owned()
}
