//! Snapshots of a home in memory, kept as copies that cost nothing until somebody wants the archive.

use super::take::{Ordered, write};
use super::{Snapshot, SnapshotId, list};
use crate::behaviour::{BackupRules, Excluded};
use crate::stores::{Files, Frozen, TreePath};
use crate::values::Stamp;

/// A snapshot that is not written yet.
#[derive(Clone)]
struct Kept {
    id: SnapshotId,
    reason: String,
    at: Stamp,
    tree: Frozen,
}

/// The snapshots of one home that are not written yet. The home looks as if they were not there until
/// [`Shelf::settle`]; every reader of snapshots settles first.
#[derive(Clone, Default)]
pub struct Shelf {
    kept: Vec<Kept>,
}

impl std::fmt::Debug for Shelf {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_list().entries(self.kept.iter().map(|kept| kept.id.as_str())).finish()
    }
}

impl Shelf {
    pub(super) fn has(&self, id: &SnapshotId) -> bool {
        self.kept.iter().any(|kept| kept.id == *id)
    }

    pub(super) fn keep(&mut self, id: SnapshotId, reason: &str, at: Stamp, tree: Frozen) {
        self.kept.push(Kept { id, reason: reason.to_owned(), at, tree });
    }

    /// The ids of what is kept here.
    pub(super) fn ids(&self) -> impl Iterator<Item = &SnapshotId> {
        self.kept.iter().map(|kept| &kept.id)
    }

    pub(super) fn forget(&mut self, id: &SnapshotId) {
        self.kept.retain(|kept| kept.id != *id);
    }

    /// Writes what is kept into the home, oldest first. What cannot be written is lost, as a snapshot that failed.
    pub fn settle(
        &mut self,
        home: &mut dyn Files,
        skills: &TreePath,
        rules: &BackupRules,
        excluded: Excluded,
    ) {
        for kept in std::mem::take(&mut self.kept) {
            let order = Ordered { id: &kept.id, reason: &kept.reason, at: kept.at };
            let _ = write(home, &*kept.tree, skills, &order, rules, excluded);
        }
    }

    /// The listed snapshots, newest first, all of them written.
    pub fn list(
        &mut self,
        home: &mut dyn Files,
        skills: &TreePath,
        rules: &BackupRules,
        excluded: Excluded,
    ) -> Vec<Snapshot> {
        self.settle(home, skills, rules, excluded);
        list(home, skills)
    }
}
