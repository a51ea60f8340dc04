//! Taking a snapshot and letting old ones go (`spec/curator-backup.md` §3).

use std::collections::BTreeSet;

use super::count::skill_files;
use super::manifest::{JobsCopy, manifest};
use super::pack::pack;
use super::{ARCHIVE, DONE, JOBS, MANIFEST, STAGING, Shelf, SnapshotId, backups_dir, recover};
use crate::behaviour::{BackupRules, Excluded};
use crate::stores::{Content, Files, FilesError, Kind, TreePath, exists, is_dir, remove_tree};
use crate::values::Stamp;

/// A snapshot that is to be written.
pub(super) struct Ordered<'o> {
    pub(super) id: &'o SnapshotId,
    pub(super) reason: &'o str,
    pub(super) at: Stamp,
}

/// Takes a snapshot; nothing where snapshots are switched off, there is no library, or something fails. It never stops
/// its caller. Snapshots in `protect` are not aged out by it.
pub fn take(
    home: &mut dyn Files,
    shelf: &mut Shelf,
    skills: &TreePath,
    rules: &BackupRules,
    excluded: Excluded,
    (reason, at): (&str, Stamp),
    protect: &BTreeSet<SnapshotId>,
) -> Option<SnapshotId> {
    if !rules.enabled || !is_dir(home, skills) {
        return None;
    }
    recover(home, skills, rules);
    let taken = |id: &SnapshotId| shelf.has(id) || exists(home, &id.dir(skills));
    let id = SnapshotId::free(at, taken)?;
    match home.frozen() {
        Some(tree) => shelf.keep(id.clone(), reason, at, tree),
        None => {
            let order = Ordered { id: &id, reason, at };
            write_from_itself(home, skills, &order, rules, excluded).ok()?;
        }
    }
    age_out(home, shelf, skills, rules, protect);
    Some(id)
}

/// Writes a snapshot of a tree into a home, whole or not at all.
pub(super) fn write(
    home: &mut dyn Files,
    source: &dyn Files,
    skills: &TreePath,
    order: &Ordered<'_>,
    rules: &BackupRules,
    excluded: Excluded,
) -> Result<(), FilesError> {
    let made = Made::of(source, skills, order, rules, excluded)?;
    made.write(home, &order.id.dir(skills))
}

fn write_from_itself(
    home: &mut dyn Files,
    skills: &TreePath,
    order: &Ordered<'_>,
    rules: &BackupRules,
    excluded: Excluded,
) -> Result<(), FilesError> {
    let made = Made::of(home, skills, order, rules, excluded)?;
    made.write(home, &order.id.dir(skills))
}

/// The three files of a snapshot.
struct Made {
    archive: Vec<u8>,
    jobs: Option<String>,
    manifest: String,
}

impl Made {
    fn of(
        source: &dyn Files,
        skills: &TreePath,
        order: &Ordered<'_>,
        rules: &BackupRules,
        excluded: Excluded,
    ) -> Result<Self, FilesError> {
        let archive = pack(source, skills, rules.git)?;
        let jobs = JobsCopy::of(source, rules.accept_mark);
        let count = skill_files(source, skills, rules, excluded);
        let manifest = manifest(order.id, order.reason, order.at, archive.len(), count, &jobs);
        Ok(Self { archive, jobs: jobs.text, manifest })
    }

    /// The archive comes last: without it a snapshot is not listed, so none is ever seen half written.
    fn write(self, home: &mut dyn Files, dir: &TreePath) -> Result<(), FilesError> {
        let write = |home: &mut dyn Files| {
            home.create_dir(dir)?;
            if let Some(jobs) = &self.jobs {
                home.replace(&dir.below(&TreePath::new(JOBS)), Content::text(jobs))?;
            }
            home.replace(&dir.below(&TreePath::new(MANIFEST)), Content::text(&self.manifest))?;
            home.replace(&dir.below(&TreePath::new(ARCHIVE)), Content::bytes(self.archive))
        };
        let written = write(home);
        if written.is_err() {
            let _ = remove_tree(home, dir);
        }
        written
    }
}

/// Lets the oldest snapshots go, all but as many as are kept and the protected ones, and clears what rollbacks left
/// behind. What cannot be deleted is passed over.
pub fn age_out(
    home: &mut dyn Files,
    shelf: &mut Shelf,
    skills: &TreePath,
    rules: &BackupRules,
    protect: &BTreeSet<SnapshotId>,
) {
    let backups = backups_dir(skills);
    let entries = home.list(&backups).unwrap_or_default();
    let dirs = entries.iter().filter(|entry| entry.kind == Kind::Dir);
    let mut ids: BTreeSet<SnapshotId> = dirs.filter_map(|entry| SnapshotId::parse(&entry.name)).collect();
    ids.extend(shelf.ids().cloned());
    for id in ids.iter().rev().skip(rules.keep).filter(|id| !protect.contains(*id)) {
        shelf.forget(id);
        let _ = remove_tree(home, &id.dir(skills));
    }
    for entry in &entries {
        let finished = entry.name.starts_with(DONE);
        let stranded = entry.name.starts_with(STAGING) && rules.delete_stranded;
        if let (true, Ok(path)) = (finished || stranded, backups.join(&entry.name)) {
            let _ = remove_tree(home, &path);
        }
    }
}
