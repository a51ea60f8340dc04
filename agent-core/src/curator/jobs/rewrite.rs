//! Jobs follow merged skills (`spec/curator.md` §12).

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Map, Value};

use super::names::{labels_of, skills_of};
use super::store::{JobStore, STORE, locked};
use crate::stores::{Files, TreePath, exists};

/// What became of removed skills, as far as jobs are concerned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moves {
    /// Names that another takes the place of.
    pub mapped: BTreeMap<String, String>,
    /// Names that jobs lose.
    pub dropped: BTreeSet<String>,
    /// Whether a name with leading slashes is meant as well.
    pub slashes: bool,
}

impl Moves {
    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.mapped.is_empty() && self.dropped.is_empty()
    }

    fn plain<'n>(&self, name: &'n str) -> &'n str {
        if self.slashes { name.trim_start_matches('/') } else { name }
    }
}

/// One job that was changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JobRewrite {
    /// Its id.
    pub job_id: String,
    /// Its name; the id if it has none.
    pub job_name: String,
    /// Its skills before.
    pub before: Vec<String>,
    /// Its skills after.
    pub after: Vec<String>,
    /// Names that were replaced.
    pub mapped: BTreeMap<String, String>,
    /// Names that were dropped.
    pub dropped: Vec<String>,
}

/// What became of the jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RewriteReport {
    /// The changed jobs.
    pub rewrites: Vec<JobRewrite>,
    /// Their number.
    pub jobs_updated: usize,
    /// Jobs that were looked at.
    pub jobs_scanned: usize,
    /// Why nothing could be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Changes the jobs of a home. With nothing to do the store is not even read. What fails changes no job.
pub fn rewrite(files: &mut dyn Files, moves: &Moves) -> RewriteReport {
    if moves.is_empty() || !exists(files, &TreePath::new(STORE)) {
        return RewriteReport::default();
    }
    let failed = |error: String| RewriteReport { error: Some(error), ..RewriteReport::default() };
    match locked(files, |files| rewrite_locked(files, moves)) {
        Ok(Ok(report)) => report,
        Ok(Err(error)) => failed(error),
        Err(error) => failed(error.to_string()),
    }
}

/// Puts the store back as it was read before; a failure leaves it as it is.
pub(in crate::curator) fn restore_store(files: &mut dyn Files, store: &JobStore) {
    let _ = locked(files, |files| store.write(files));
}

fn rewrite_locked(files: &mut dyn Files, moves: &Moves) -> Result<RewriteReport, String> {
    let store = JobStore::read(files).map_err(|error| error.to_string())?;
    let Some(mut store) = store else { return Ok(RewriteReport::default()) };
    let mut report = RewriteReport { jobs_scanned: store.jobs.len(), ..RewriteReport::default() };
    for job in store.jobs.iter_mut().filter_map(Value::as_object_mut) {
        report.rewrites.extend(rewrite_job(job, moves));
    }
    report.jobs_updated = report.rewrites.len();
    if !report.rewrites.is_empty() {
        store.write(files).map_err(|error| error.to_string())?;
    }
    Ok(report)
}

fn rewrite_job(job: &mut Map<String, Value>, moves: &Moves) -> Option<JobRewrite> {
    let before = skills_of(job);
    let mut after: Vec<String> = Vec::new();
    let (mut mapped, mut dropped) = (BTreeMap::new(), Vec::new());
    for name in &before {
        let plain = moves.plain(name);
        let kept = if let Some(target) = moves.mapped.get(plain) {
            mapped.insert(name.clone(), target.clone());
            target.clone()
        } else if moves.dropped.contains(plain) {
            dropped.push(name.clone());
            continue;
        } else {
            name.clone()
        };
        if !after.contains(&kept) {
            after.push(kept);
        }
    }
    if mapped.is_empty() && dropped.is_empty() {
        return None;
    }
    job.insert("skills".to_owned(), after.clone().into());
    job.insert("skill".to_owned(), after.first().cloned().into());
    let (job_id, job_name) = labels_of(job);
    Some(JobRewrite { job_id, job_name, before, after, mapped, dropped })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::stores::{MemFiles, read_text, write_text};

    fn home(text: &str) -> MemFiles {
        let mut files = MemFiles::new("/home/agent/.hermes");
        write_text(&mut files, &TreePath::new(STORE), text).unwrap();
        files
    }

    fn merged(slashes: bool) -> Moves {
        let mapped = [("a".to_owned(), "umb".to_owned())].into();
        Moves { mapped, dropped: ["gone".to_owned()].into(), slashes }
    }

    #[test]
    fn everything_else_of_the_store_stays() {
        let mut files =
            home(r#"{"version": 2, "jobs": ["junk", {"id": 5, "skills": ["a", "gone"], "prompt": "p"}]}"#);
        let report = rewrite(&mut files, &merged(false));
        assert_eq!((report.jobs_scanned, report.jobs_updated), (2, 1));
        let after: Value = serde_json::from_str(&read_text(&files, &TreePath::new(STORE)).unwrap()).unwrap();
        let jobs = json!(["junk", {"id": 5, "skills": ["umb"], "skill": "umb", "prompt": "p"}]);
        assert_eq!(after, json!({"version": 2, "jobs": jobs}));
    }

    #[test]
    fn a_slash_hides_a_name_only_with_the_fault() {
        for (slashes, after) in [(false, "/a"), (true, "umb")] {
            let mut files = home(r#"[{"id": "j", "skill": "/a"}]"#);
            rewrite(&mut files, &merged(slashes));
            assert!(read_text(&files, &TreePath::new(STORE)).unwrap().contains(after));
        }
    }

    #[test]
    fn a_damaged_store_is_left_as_it_is() {
        let mut files = home("{broken");
        let report = rewrite(&mut files, &merged(true));
        assert!(report.error.is_some() && report.rewrites.is_empty());
        assert_eq!(read_text(&files, &TreePath::new(STORE)).unwrap(), "{broken");
    }
}
