//! The files of the waiting proposals.

use super::record::{PendingRecord, Proposal, Subsystem};
use crate::stores::{self, Files, FilesError, Kind, TreePath};
use crate::values::{Draws, Stamp};

const SUFFIX: &str = ".json";
const ID_DIGITS: usize = 8;

/// Proposals of one instant are told apart by microseconds; simulated time has milliseconds.
const MICROS_BELOW_INSTANT_MAX: i64 = 999;

fn directory(subsystem: Subsystem) -> TreePath {
    TreePath::new("pending").below(&TreePath::new(subsystem.as_str()))
}

/// The file of an id; `None` if the id cannot be a file's name.
fn file_of(subsystem: Subsystem, id: &str) -> Option<TreePath> {
    let name = TreePath::parse(&format!("{id}{SUFFIX}"))?;
    (name.components().count() == 1).then(|| directory(subsystem).below(&name))
}

/// Stages a write: afterwards its record is there, or nothing changed.
///
/// # Errors
/// The record could not be written.
pub fn stage(
    files: &mut dyn Files,
    proposal: Proposal<'_>,
    draws: Draws,
) -> Result<PendingRecord, FilesError> {
    let subsystem = proposal.subsystem;
    let waiting = i64::try_from(count(files, subsystem)).unwrap_or(i64::MAX);
    let micros = Stamp::from(proposal.at).as_micros().saturating_add(waiting.min(MICROS_BELOW_INSTANT_MAX));
    let payload = proposal.payload.to_string();
    let (id, path) = free_id(files, subsystem, micros, &payload, draws)?;
    let record = PendingRecord {
        id,
        subsystem,
        action: proposal.action.to_owned(),
        summary: proposal.summary,
        origin: proposal.origin.to_owned(),
        created_at: Stamp::from_micros(micros).as_epoch_seconds(),
        payload: proposal.payload,
    };
    stores::write_text(files, &path, &record.to_file())?;
    Ok(record)
}

fn free_id(
    files: &dyn Files,
    subsystem: Subsystem,
    micros: i64,
    payload: &str,
    draws: Draws,
) -> Result<(String, TreePath), FilesError> {
    let mut attempt = 0_u32;
    loop {
        let key = [subsystem.as_str(), &micros.to_string(), payload, &attempt.to_string()];
        let id = draws.hex(ID_DIGITS, &["pending", key[0], key[1], key[2], key[3]]);
        let path = file_of(subsystem, &id).expect("hexadecimal digits are a file's name");
        if files.stat(&path)?.is_none() {
            return Ok((id, path));
        }
        attempt += 1;
    }
}

/// The waiting proposals, oldest first. Files that cannot be read are passed over.
pub fn list(files: &dyn Files, subsystem: Subsystem) -> Vec<PendingRecord> {
    let mut records: Vec<_> = names(files, subsystem)
        .iter()
        .filter_map(|name| get(files, subsystem, name.strip_suffix(SUFFIX)?))
        .collect();
    records.sort_by(|one, two| one.created_at.total_cmp(&two.created_at));
    records
}

/// One waiting proposal; `None` if there is none of this id or its file cannot be read.
pub fn get(files: &dyn Files, subsystem: Subsystem, id: &str) -> Option<PendingRecord> {
    let bytes = files.read(&file_of(subsystem, id)?).ok()?;
    PendingRecord::from_file(subsystem, id, &bytes)
}

/// How many files wait, unreadable ones included.
pub fn count(files: &dyn Files, subsystem: Subsystem) -> usize {
    names(files, subsystem).len()
}

/// Drops a proposal. `false` if there is none of this id.
///
/// # Errors
/// It is there and cannot be removed.
pub fn delete(files: &mut dyn Files, subsystem: Subsystem, id: &str) -> Result<bool, FilesError> {
    let Some(path) = file_of(subsystem, id) else { return Ok(false) };
    match files.stat(&path)? {
        None => Ok(false),
        Some(_) => files.remove(&path).map(|()| true),
    }
}

fn names(files: &dyn Files, subsystem: Subsystem) -> Vec<String> {
    let entries = files.list(&directory(subsystem)).unwrap_or_default();
    entries
        .into_iter()
        .filter(|entry| entry.kind != Kind::Dir && entry.name.ends_with(SUFFIX))
        .map(|entry| entry.name)
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::record::summary;
    use super::*;
    use crate::stores::{Content, FaultPlan, FaultyFiles, MemFiles};
    use crate::values::{Seed, SimTime};

    const AT: SimTime = SimTime::from_millis(1_767_603_600_123);

    fn proposal(text: &str) -> Proposal<'_> {
        Proposal {
            subsystem: Subsystem::Memory,
            action: "add",
            summary: summary("Add to the notes", text),
            origin: "foreground",
            at: AT,
            payload: json!({"action": "add", "target": "memory", "content": text, "old_text": null}),
        }
    }

    #[test]
    fn a_record_is_a_readable_file() {
        let mut home = MemFiles::new("/home/agent/.hermes");
        let record = stage(&mut home, proposal("trinkt Tee, heiß"), Draws::new(Seed(7))).unwrap();
        let path = TreePath::new("pending/memory").join(&format!("{}.json", record.id)).unwrap();
        insta::assert_snapshot!(stores::read_text(&home, &path).unwrap(), @r#"
            {
              "id": "2ad05038",
              "subsystem": "memory",
              "action": "add",
              "summary": "Add to the notes: trinkt Tee, heiß",
              "origin": "foreground",
              "created_at": 1767603600.123,
              "payload": {
                "action": "add",
                "content": "trinkt Tee, heiß",
                "old_text": null,
                "target": "memory"
              }
            }
            "#);
        assert_eq!(get(&home, Subsystem::Memory, &record.id), Some(record));
    }

    #[test]
    fn equal_proposals_of_one_instant_are_kept_apart_and_in_order() {
        let mut home = MemFiles::new("/h");
        let draws = Draws::new(Seed(7));
        let ids: Vec<_> = ["a", "a", "b", "a"]
            .into_iter()
            .map(|text| stage(&mut home, proposal(text), draws).unwrap().id)
            .collect();
        let listed: Vec<_> = list(&home, Subsystem::Memory).into_iter().map(|record| record.id).collect();
        assert_eq!(listed, ids);
        assert!(delete(&mut home, Subsystem::Memory, &ids[1]).unwrap());
        assert!(!delete(&mut home, Subsystem::Memory, &ids[1]).unwrap());
        assert_eq!(count(&home, Subsystem::Memory), 3);
        assert_eq!(count(&home, Subsystem::Skills), 0);
    }

    #[test]
    fn broken_files_are_counted_but_not_listed() {
        let mut home = MemFiles::new("/h");
        stores::write_text(&mut home, &TreePath::new("pending/memory/aa.json"), "{not json").unwrap();
        stores::write_text(&mut home, &TreePath::new("pending/memory/bb.json"), "[1]").unwrap();
        stores::write_text(&mut home, &TreePath::new("pending/memory/cc.json"), "{}").unwrap();
        stores::write_text(&mut home, &TreePath::new("pending/memory/dd.txt"), "{}").unwrap();
        home.create_dir(&TreePath::new("pending/memory/ee.json")).unwrap();
        home.replace(&TreePath::new("pending/memory/ff.json"), Content::Link("/etc/passwd".to_owned()))
            .unwrap();
        assert_eq!(count(&home, Subsystem::Memory), 4);
        let records = list(&home, Subsystem::Memory);
        assert_eq!(records.len(), 1);
        assert!(records[0].id == "cc" && records[0].payload.is_null());
    }

    #[test]
    fn names_from_outside_stay_in_their_directory() {
        let mut home = MemFiles::new("/h");
        stores::write_text(&mut home, &TreePath::new("pending/secret.json"), "{}").unwrap();
        for id in ["../secret", "/h/pending/secret", "a/b", "", "..", "a\0"] {
            assert_eq!(get(&home, Subsystem::Memory, id), None, "{id}");
            assert!(!delete(&mut home, Subsystem::Memory, id).unwrap(), "{id}");
        }
    }

    #[test]
    fn a_failing_disk_leaves_nothing_behind() {
        for fault in 1..=2 {
            let mut home = MemFiles::new("/h");
            let mut faulty = FaultyFiles::new(&mut home, FaultPlan::From(fault));
            assert!(stage(&mut faulty, proposal("a"), Draws::new(Seed(7))).is_err());
            assert_eq!(count(&home, Subsystem::Memory), 0);
        }
    }
}
