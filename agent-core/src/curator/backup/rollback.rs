//! Rolling the library back to a snapshot (`spec/curator-backup.md` §5).

use std::collections::BTreeSet;

use super::aside::{self, SwapError, SwapStep};
use super::id::stamp;
use super::in_place::{self, InPlaceError};
use super::list::resolve;
use super::unpack::unpack;
use super::{ArchiveLimits, Shelf, SnapshotId, UnpackError, backups_dir, jobs_copy, recover, take};
use crate::behaviour::{BackupRules, Excluded, Extraction};
use crate::curator::jobs::{LinkReport, restore_links};
use crate::curator::schedule::Schedule;
use crate::stores::{Files, TreePath};
use crate::values::Stamp;

/// How a rollback ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RollbackKind {
    /// The library is the snapshot's.
    Restored,
    /// There is no such snapshot, or none at all.
    NoMatch,
    /// No safety snapshot could be taken.
    SafetyFailed,
    /// No place to put things aside.
    StagingDirFailed,
    /// The live tree could not be put aside.
    StageFailed,
    /// The archive could not be unpacked.
    ExtractFailed,
    /// An error that the reference does not catch: the live tree lies in staging.
    UncaughtError,
}

impl RollbackKind {
    /// The kind in the specs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Restored => "restored",
            Self::NoMatch => "no_match",
            Self::SafetyFailed => "safety_failed",
            Self::StagingDirFailed => "staging_dir_failed",
            Self::StageFailed => "stage_failed",
            Self::ExtractFailed => "extract_failed",
            Self::UncaughtError => "uncaught_error",
        }
    }
}

/// What a rollback did.
#[derive(Clone, Debug, PartialEq)]
pub struct RollbackEnd {
    /// How it ended.
    pub kind: RollbackKind,
    /// In words.
    pub message: String,
    /// The snapshot that was meant, if one was found.
    pub snapshot: Option<SnapshotId>,
    /// What became of the links of jobs, after a success.
    pub links: Option<LinkReport>,
    /// The staging directory, if something of the live tree could not be put back.
    pub stranded: Option<TreePath>,
}

impl RollbackEnd {
    /// Whether the library is the snapshot's.
    pub fn is_ok(&self) -> bool {
        self.kind == RollbackKind::Restored
    }
}

/// Why a rollback failed.
struct Failure {
    kind: RollbackKind,
    message: String,
    stranded: Option<TreePath>,
}

impl Failure {
    fn new(kind: RollbackKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), stranded: None }
    }

    fn end(self, snapshot: Option<&SnapshotId>) -> RollbackEnd {
        let Self { kind, message, stranded } = self;
        RollbackEnd { kind, message, snapshot: snapshot.cloned(), links: None, stranded }
    }
}

/// Rolls back to a snapshot, or to the newest one. Usage records held in memory must have been written before.
pub fn rollback(
    home: &mut dyn Files,
    shelf: &mut Shelf,
    skills: &TreePath,
    rules: &BackupRules,
    excluded: Excluded,
    (id, at): (Option<&str>, Stamp),
) -> RollbackEnd {
    recover(home, skills, rules);
    shelf.settle(home, skills, rules, excluded);
    let Some(target) = resolve(home, skills, id) else {
        let what = id.map_or("there is no snapshot".to_owned(), |id| format!("there is no snapshot {id:?}"));
        return Failure::new(RollbackKind::NoMatch, what).end(None);
    };
    // What cannot be made shows in the next steps.
    let _ = home.create_dir(&backups_dir(skills));
    let reason = format!("pre-rollback to {}", target.id);
    let protect = if rules.protect_target { BTreeSet::from([target.id.clone()]) } else { BTreeSet::new() };
    let safety = take(home, shelf, skills, rules, excluded, (&reason, at), &protect);
    if safety.is_none() && rules.needs_safety {
        let why = "no safety copy of the library could be made; nothing was changed";
        return Failure::new(RollbackKind::SafetyFailed, why).end(Some(&target.id));
    }
    let before = Schedule::read_lossy(home, skills);
    let swapped = match rules.extraction {
        Extraction::Aside => put_aside(home, skills, rules, &target.archive(), &before, at),
        Extraction::InPlace => put_in_place(home, skills, rules, &target.archive(), &before, at),
    };
    if let Err(failure) = swapped {
        return failure.end(Some(&target.id));
    }
    let links = restore_links(home, &jobs_copy(skills, &target.id), rules.accept_mark);
    let message = success(&target.id, &links, rules);
    let snapshot = Some(target.id);
    RollbackEnd { kind: RollbackKind::Restored, message, snapshot, links: Some(links), stranded: None }
}

fn put_aside(
    home: &mut dyn Files,
    skills: &TreePath,
    rules: &BackupRules,
    archive: &TreePath,
    before: &Schedule,
    at: Stamp,
) -> Result<(), Failure> {
    let refused = |error: UnpackError| {
        let why = format!("{error}; nothing was changed");
        Failure::new(RollbackKind::ExtractFailed, why)
    };
    let bytes = home.read(archive).map_err(|error| refused(UnpackError::Unreadable(error)))?;
    let root = format!("{}/{skills}", home.root().trim_end_matches('/'));
    let mut tree = unpack(&bytes, &root, &ArchiveLimits::LIBRARY).map_err(refused)?;
    if rules.keep_schedule {
        keep_schedule(&mut tree, &TreePath::root(), before);
    }
    aside::swap(home, skills, &tree, &stamp(at), !rules.git).map_err(|error| swap_failed(&error))
}

fn swap_failed(failure: &SwapError) -> Failure {
    let kind = match failure.at {
        SwapStep::Stage => RollbackKind::StagingDirFailed,
        SwapStep::Out => RollbackKind::StageFailed,
        SwapStep::Unpack | SwapStep::Into => RollbackKind::ExtractFailed,
    };
    let rest = match &failure.stranded {
        None => "the library is as it was".to_owned(),
        Some(place) => format!("not everything could be put back; the rest lies in {place}"),
    };
    let message = format!("{}; {rest}", failure.error);
    Failure { stranded: failure.stranded.clone(), ..Failure::new(kind, message) }
}

fn put_in_place(
    home: &mut dyn Files,
    skills: &TreePath,
    rules: &BackupRules,
    archive: &TreePath,
    before: &Schedule,
    at: Stamp,
) -> Result<(), Failure> {
    in_place::roll_back(home, skills, archive, &stamp(at)).map_err(|error| match error {
        InPlaceError::Staging(error) => {
            Failure::new(RollbackKind::StagingDirFailed, format!("{error}; nothing was changed"))
        }
        InPlaceError::Out(error) => {
            Failure::new(RollbackKind::StageFailed, format!("{error}; the library was put back"))
        }
        InPlaceError::Unpack(why) => {
            Failure::new(RollbackKind::ExtractFailed, format!("{why}; the library was put back"))
        }
        InPlaceError::Escaped(why) => Failure::new(
            RollbackKind::UncaughtError,
            format!("{why}; the library lies in the staging directory"),
        ),
    })?;
    if rules.keep_schedule {
        keep_schedule(home, skills, before);
    }
    Ok(())
}

/// Lets the restored schedule keep the later date of the last run, so that the run that was undone is not due again.
fn keep_schedule(files: &mut dyn Files, skills: &TreePath, before: &Schedule) {
    let (Some(last_run), Some(text)) = (before.last_run_at(), before.last_run_text()) else { return };
    let restored = Schedule::read_lossy(files, skills);
    if restored.last_run_at().is_none_or(|earlier| earlier < last_run) {
        Schedule::change(files, skills, |schedule| schedule.set("last_run_at", text));
    }
}

fn success(id: &SnapshotId, links: &LinkReport, rules: &BackupRules) -> String {
    let mut parts = vec![format!("the library is the one of snapshot {id}")];
    if links.attempted {
        if let Some(error) = links.error {
            parts.push(format!("the links of scheduled jobs could not be put back ({error})"));
        }
        let counts = [
            (links.restored.len(), "jobs got their links back"),
            (links.skipped_missing.len(), "jobs no longer exist"),
            (links.unchanged, "jobs had them already"),
        ];
        parts.extend(
            counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")),
        );
    }
    if !rules.keep_schedule {
        parts.push("the schedule came back as well, so a run may be due at once".to_owned());
    }
    parts.join("; ")
}
