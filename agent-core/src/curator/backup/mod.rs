//! Snapshots of the library and rollback (`spec/curator-backup.md`).
//!
//! A snapshot is a directory `skills/.curator_backups/<id>/` with the tree as `skills.tar.gz`, a copy of the store of
//! jobs and a manifest. Of a home in memory a copy-on-write copy is kept instead ([`Shelf`]), and the archive is made
//! from it when somebody looks: when snapshots are listed, rolled back to, or the home is exported. Its bytes are the
//! same; a year of weekly snapshots, of which five are kept, costs five archives.
//!
//! # Invariants
//!
//! * With the faults off, a rollback leaves the exact tree of the snapshot or the exact tree from before, whatever
//!   fails and wherever it stops; after a crash [`recover`] makes it so.
//! * An archive is hostile input: it is checked whole, in memory, before anything of it is written, and refused whole.

mod aside;
mod count;
mod id;
mod in_place;
mod list;
mod manifest;
mod pack;
mod recover;
mod rollback;
mod shelf;
mod take;

mod unpack;

pub use id::SnapshotId;
pub use list::{Snapshot, list};
pub use manifest::JobsCopy;
pub use recover::{Recovered, interrupted, recover};
pub use rollback::{RollbackEnd, RollbackKind, rollback};
pub use shelf::Shelf;
pub use take::{age_out, take};
pub use unpack::{ArchiveLimits, UnpackError, check_archive, top_level};

use crate::stores::TreePath;

/// The directory of all snapshots, below the skills directory.
const BACKUPS: &str = ".curator_backups";
/// What the hub keeps, never part of a snapshot.
const HUB: &str = ".hub";
const ARCHIVE: &str = "skills.tar.gz";
const JOBS: &str = "cron-jobs.json";
const MANIFEST: &str = "manifest.json";
const STAGING: &str = ".rollback-staging-";
const DONE: &str = ".rollback-done-";

fn backups_dir(skills: &TreePath) -> TreePath {
    skills.below(&TreePath::new(BACKUPS))
}

/// Whether an entry at the top of the skills directory is left alone by snapshots and rollbacks.
fn is_apart(name: &str) -> bool {
    name == BACKUPS || name == HUB
}

/// The copy of the store of jobs in a snapshot.
pub fn jobs_copy(skills: &TreePath, id: &SnapshotId) -> TreePath {
    id.dir(skills).below(&TreePath::new(JOBS))
}
