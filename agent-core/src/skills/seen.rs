//! What was seen of a file, to tell whether it changed since.

use crate::stores::{Files, TreePath};

/// The state of a file at the time of a look: by revision where the tree knows it, else by time and size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// Nobody looked yet, or the look failed: never equal to a later look.
    Never,
    /// A tree in memory.
    Revision(u64),
    /// A tree on disk.
    Stat {
        /// Time of the last change.
        modified_ns: i64,
        /// Size in bytes.
        len: u64,
    },
    /// A tree on disk without the file.
    Absent,
}

impl Seen {
    /// Looks at a file.
    pub(crate) fn of(files: &dyn Files, path: &TreePath) -> Self {
        if let Some(revision) = files.revision(path) {
            return Self::Revision(revision);
        }
        match files.stat(path) {
            Ok(Some(stat)) => Self::Stat { modified_ns: stat.modified_ns, len: stat.len },
            Ok(None) => Self::Absent,
            Err(_) => Self::Never,
        }
    }

    /// Whether the file is as it was at this look.
    pub(crate) fn still(self, files: &dyn Files, path: &TreePath) -> bool {
        self != Self::Never && self == Self::of(files, path)
    }
}
