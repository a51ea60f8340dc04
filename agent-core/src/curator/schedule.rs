//! The scheduler's state file `skills/.curator_state` (`spec/curator.md` §3).
//!
//! It is read with mercy and written whole: known keys and those that start with an underscore are kept, others
//! vanish at the next write, as in the reference.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::stores::{self, Files, FilesError, TreePath, Trouble};
use crate::text::truthy;
use crate::values::Stamp;

const FILE: &str = ".curator_state";

const DEFAULTS: [(&str, Value); 7] = [
    ("last_report_path", Value::Null),
    ("last_run_at", Value::Null),
    ("last_run_duration_seconds", Value::Null),
    ("last_run_summary", Value::Null),
    ("last_run_summary_shown_at", Value::Null),
    ("paused", Value::Bool(false)),
    ("run_count", Value::Null),
];

/// What the first poll of a home leaves instead of a summary.
pub(super) const SEEDED: &str =
    "The first run is put off by one interval: this home was seen for the first time just now.";

/// The bytes of the state file are not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Undecodable;

/// The scheduler's state.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule(BTreeMap<String, Value>);

impl Default for Schedule {
    fn default() -> Self {
        let mut fields: BTreeMap<String, Value> =
            DEFAULTS.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        fields.insert("run_count".to_owned(), 0.into());
        Self(fields)
    }
}

/// Where the state file lies below the skills directory.
pub(super) fn state_file(skills: &TreePath) -> TreePath {
    skills.below(&TreePath::new(FILE))
}

impl Schedule {
    /// Reads the state below a skills directory. Absent, unreadable and damaged files give the defaults.
    pub(super) fn read(files: &dyn Files, skills: &TreePath) -> Result<Self, Undecodable> {
        match stores::read_text(files, &state_file(skills)) {
            Ok(text) => Ok(Self::parse(&text)),
            Err(FilesError { trouble: Trouble::NotUtf8, .. }) => Err(Undecodable),
            Err(_) => Ok(Self::default()),
        }
    }

    /// The state, whatever the file holds.
    pub fn read_lossy(files: &dyn Files, skills: &TreePath) -> Self {
        Self::read(files, skills).unwrap_or_default()
    }

    fn parse(text: &str) -> Self {
        let mut schedule = Self::default();
        if let Ok(Value::Object(fields)) = serde_json::from_str(text) {
            for (key, value) in fields {
                if key.starts_with('_') || schedule.0.contains_key(&key) {
                    schedule.0.insert(key, value);
                }
            }
        }
        schedule
    }

    /// Writes the state below a skills directory, which is made if there is none.
    ///
    /// # Errors
    /// The file could not be written.
    pub(super) fn write(&self, files: &mut dyn Files, skills: &TreePath) -> Result<(), FilesError> {
        let text =
            serde_json::to_string_pretty(&self.0).expect("JSON values with text keys always serialise");
        stores::write_text(files, &state_file(skills), &text)
    }

    /// Changes the state on top of what the file holds now, so that a pause set meanwhile survives. A failing write
    /// is passed over (`spec/curator.md` §15).
    pub(super) fn change(files: &mut dyn Files, skills: &TreePath, body: impl FnOnce(&mut Self)) {
        let mut schedule = Self::read_lossy(files, skills);
        body(&mut schedule);
        let _ = schedule.write(files, skills);
    }

    pub(super) fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.0.insert(key.to_owned(), value.into());
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    /// Whether runs are paused: any truthy value, the text `no` included.
    pub fn is_paused(&self) -> bool {
        self.0.get("paused").is_some_and(truthy)
    }

    /// When the last run began; none if that is missing, no text, or no date.
    pub fn last_run_at(&self) -> Option<Stamp> {
        self.last_run_text().and_then(Stamp::parse)
    }

    /// The text of that date.
    pub fn last_run_text(&self) -> Option<&str> {
        self.text("last_run_at")
    }

    /// How often a run changed something or could have.
    pub fn run_count(&self) -> i64 {
        self.0.get("run_count").and_then(Value::as_i64).unwrap_or(0)
    }

    /// What the last run did, in words.
    pub fn last_run_summary(&self) -> Option<&str> {
        self.text("last_run_summary")
    }

    /// The folder of the last report.
    pub fn last_report_path(&self) -> Option<&str> {
        self.text("last_report_path")
    }

    /// What to show the user once: the summary of the last run if it has more than one line and was not shown yet,
    /// or a word on the run that is put off (`spec/curator.md` §13).
    pub fn take_notice(&mut self) -> Option<String> {
        let Some(run) = self.last_run_text().map(str::to_owned) else { return Some(SEEDED.to_owned()) };
        if self.text("last_run_summary_shown_at") == Some(run.as_str()) {
            return None;
        }
        self.set("last_run_summary_shown_at", run);
        self.last_run_summary().filter(|summary| summary.contains('\n')).map(str::to_owned)
    }

    /// The state as JSON.
    pub fn to_value(&self) -> Value {
        Value::Object(self.0.iter().map(|(key, value)| (key.clone(), value.clone())).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stores::{Content, MemFiles};

    #[test]
    fn a_file_that_is_not_utf8_is_told_apart() {
        let mut files = MemFiles::new("/home/agent/.hermes");
        let skills = TreePath::new("skills");
        files.create_dir(&skills).unwrap();
        files.replace(&state_file(&skills), Content::bytes(&b"\xff{}"[..])).unwrap();
        assert_eq!(Schedule::read(&files, &skills), Err(Undecodable));
        assert_eq!(Schedule::read_lossy(&files, &skills), Schedule::default());
    }

    #[test]
    fn a_notice_is_given_once_for_each_run() {
        let mut schedule = Schedule::default();
        assert!(schedule.take_notice().is_some());
        schedule.set("last_run_at", "2026-01-05T00:00:00+00:00");
        schedule.set("last_run_summary", "one\ntwo");
        assert_eq!(schedule.take_notice().as_deref(), Some("one\ntwo"));
        assert_eq!(schedule.take_notice(), None);
        schedule.set("last_run_at", "2026-01-12T00:00:00+00:00");
        schedule.set("last_run_summary", "one line");
        assert_eq!(schedule.take_notice(), None);
    }
}
