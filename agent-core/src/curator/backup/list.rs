//! Which snapshots there are (`spec/curator-backup.md` §4).

use serde_json::{Map, Value};

use super::{ARCHIVE, MANIFEST, SnapshotId, backups_dir};
use crate::stores::{Files, TreePath, is_file, read_text};

/// One snapshot.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// Its id.
    pub id: SnapshotId,
    /// Its directory.
    pub dir: TreePath,
    /// Size of its archive in bytes.
    pub archive_bytes: u64,
    /// Its manifest as far as it can be read.
    pub manifest: Map<String, Value>,
}

impl Snapshot {
    /// Why it was taken.
    pub fn reason(&self) -> &str {
        self.manifest.get("reason").and_then(Value::as_str).unwrap_or("")
    }

    /// Skills in it, if the manifest says so.
    pub fn skill_files(&self) -> Option<u64> {
        self.manifest.get("skill_files").and_then(Value::as_u64)
    }

    /// Where its archive lies.
    pub(super) fn archive(&self) -> TreePath {
        self.dir.below(&TreePath::new(ARCHIVE))
    }
}

/// The snapshots with a valid id and an archive, newest first. Those of a [`super::Shelf`] are not among them until it
/// is settled.
pub fn list(files: &dyn Files, skills: &TreePath) -> Vec<Snapshot> {
    let entries = files.list(&backups_dir(skills)).unwrap_or_default();
    let ids = entries.iter().rev().filter_map(|entry| SnapshotId::parse(&entry.name));
    ids.filter_map(|id| snapshot(files, skills, id)).collect()
}

fn snapshot(files: &dyn Files, skills: &TreePath, id: SnapshotId) -> Option<Snapshot> {
    let dir = id.dir(skills);
    let archive = dir.below(&TreePath::new(ARCHIVE));
    if !is_file(files, &archive) {
        return None;
    }
    let archive_bytes = files.stat(&archive).ok().flatten().map_or(0, |stat| stat.len);
    let text = read_text(files, &dir.below(&TreePath::new(MANIFEST))).unwrap_or_default();
    let manifest = match serde_json::from_str(&text) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    Some(Snapshot { id, dir, archive_bytes, manifest })
}

/// The snapshot of an id, or the newest one.
pub(super) fn resolve(files: &dyn Files, skills: &TreePath, id: Option<&str>) -> Option<Snapshot> {
    match id {
        Some(text) => SnapshotId::parse(text).and_then(|id| snapshot(files, skills, id)),
        None => list(files, skills).into_iter().next(),
    }
}
