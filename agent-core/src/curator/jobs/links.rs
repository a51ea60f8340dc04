//! Links of jobs after a rollback (`spec/curator-backup.md` §6): only `skills` and `skill` come back, by id.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::names::labels_of;
use super::store::{JobStore, STORE, jobs_of, locked, without_mark};
use crate::stores::{Files, TreePath, exists};

/// A job whose links came back.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinkChange {
    /// Its id.
    pub job_id: String,
    /// Its name in the copy; the id if it has none.
    pub job_name: String,
    /// `skills` and `skill` before.
    pub from: Value,
    /// And after.
    pub to: Value,
}

/// A job of the copy that is no more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MissingJob {
    /// Its id.
    pub job_id: String,
    /// Its name.
    pub job_name: String,
}

/// What became of the links.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LinkReport {
    /// Whether there was a copy to compare with.
    pub attempted: bool,
    /// Jobs that were changed.
    pub restored: Vec<LinkChange>,
    /// Jobs that are no more, and are not made again.
    pub skipped_missing: Vec<MissingJob>,
    /// Jobs that were as in the copy.
    pub unchanged: usize,
    /// What went wrong: `no_copy`, `bad_copy`, `live_error`.
    pub error: Option<&'static str>,
}

impl LinkReport {
    /// A report that says only what went wrong.
    pub(in crate::curator) fn failed(attempted: bool, error: &'static str) -> Self {
        Self { attempted, error: Some(error), ..Self::default() }
    }
}

/// Gives the live jobs the links that the copy of the store in a snapshot holds. `accept_mark`: a copy that begins with a
/// byte order mark is read all the same.
pub fn restore_links(files: &mut dyn Files, copy: &TreePath, accept_mark: bool) -> LinkReport {
    if !exists(files, copy) {
        return LinkReport::failed(false, "no_copy");
    }
    let Some(saved) = read_copy(files, copy, accept_mark) else {
        return LinkReport::failed(false, "bad_copy");
    };
    if saved.is_empty() {
        return LinkReport { attempted: true, ..LinkReport::default() };
    }
    if !exists(files, &TreePath::new(STORE)) {
        return compare(&mut [], &saved);
    }
    let changed = locked(files, |files| {
        let Ok(Some(mut store)) = JobStore::read(files) else { return Err(()) };
        let report = compare(&mut store.jobs, &saved);
        if !report.restored.is_empty() {
            store.write(files).map_err(|_| ())?;
        }
        Ok(report)
    });
    match changed {
        Ok(Ok(report)) => report,
        _ => LinkReport::failed(true, "live_error"),
    }
}

/// The jobs of the copy that have a text id, in its order.
fn read_copy(
    files: &dyn Files,
    copy: &TreePath,
    accept_mark: bool,
) -> Option<Vec<(String, Map<String, Value>)>> {
    let bytes = files.read(copy).ok()?;
    let text = std::str::from_utf8(&bytes).ok()?;
    let text = if accept_mark { without_mark(text) } else { text };
    let value: Value = serde_json::from_str(text).ok()?;
    let jobs = jobs_of(&value)?;
    let usable = jobs.iter().filter_map(Value::as_object).filter_map(|job| {
        let id = job.get("id").and_then(Value::as_str).filter(|id| !id.is_empty())?;
        Some((id.to_owned(), job.clone()))
    });
    Some(usable.collect())
}

fn compare(live: &mut [Value], saved: &[(String, Map<String, Value>)]) -> LinkReport {
    let mut report = LinkReport { attempted: true, ..LinkReport::default() };
    let by_id: BTreeMap<&str, &Map<String, Value>> =
        saved.iter().map(|(id, job)| (id.as_str(), job)).collect();
    let mut found: Vec<String> = Vec::new();
    for job in live.iter_mut().filter_map(Value::as_object_mut) {
        let Some(id) = job.get("id").and_then(Value::as_str).map(str::to_owned) else { continue };
        let Some(old) = by_id.get(id.as_str()) else { continue };
        let (from, to) = (links_of(job), links_of(old));
        found.push(id.clone());
        if from == to {
            report.unchanged += 1;
            continue;
        }
        for key in ["skills", "skill"] {
            match old.get(key).filter(|value| !value.is_null()) {
                Some(value) => drop(job.insert(key.to_owned(), value.clone())),
                None => drop(job.remove(key)),
            }
        }
        report.restored.push(LinkChange { job_id: id, job_name: labels_of(old).1, from, to });
    }
    let missing = saved.iter().filter(|(id, _)| !found.contains(id));
    report.skipped_missing =
        missing.map(|(id, job)| MissingJob { job_id: id.clone(), job_name: labels_of(job).1 }).collect();
    report
}

/// `skills` and `skill` as stored; absent is null.
fn links_of(job: &Map<String, Value>) -> Value {
    let field = |key: &str| job.get(key).cloned().unwrap_or_default();
    json!({"skills": field("skills"), "skill": field("skill")})
}
