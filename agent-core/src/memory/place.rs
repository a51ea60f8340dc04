//! Where a store's files lie, how they are read, backed up, locked and written.
//!
//! Links are followed inside the home only: a memory file or directory that is a link keeps being one, and the real
//! file behind it is written. A link that leads out of the home is refused by name; the reference would follow it.

use std::sync::Arc;

use super::entries;
use super::target::Target;
use crate::stores::{self, Content, Files, FilesError, Resolved, TreePath};
use crate::text;
use crate::values::{SimTime, Stamp};

/// Why a store's files could not be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlaceError {
    /// A link leads out of the home.
    #[error("{path} is a link that leads out of the home, to {to}; nothing was read or written there")]
    LinkOutside {
        /// The path in the home.
        path: String,
        /// Where it leads.
        to: String,
    },
    /// Links lead to one another.
    #[error("{path} leads into a loop of links")]
    LinkLoop {
        /// The path in the home.
        path: String,
    },
    /// A file holds bytes that are not UTF-8.
    #[error("{path} is not UTF-8 text; it was left as it is and has to be repaired by hand")]
    BadEncoding {
        /// The path in the home.
        path: String,
    },
    /// The lock could not be taken.
    #[error("the lock could not be taken: {0}")]
    Lock(#[source] FilesError),
    /// Writing failed; the file is as it was.
    #[error("writing failed, the file is as it was: {0}")]
    Write(#[source] FilesError),
}

impl PlaceError {
    /// The error kind.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::LinkOutside { .. } => "link-outside-home",
            Self::LinkLoop { .. } => "link-loop",
            Self::BadEncoding { .. } => "bad-encoding",
            Self::Lock(_) => "lock-failed",
            Self::Write(_) => "write-failed",
        }
    }

    /// Whether a guard refused, as opposed to a failing disk.
    pub(super) const fn is_refusal(&self) -> bool {
        matches!(self, Self::LinkOutside { .. } | Self::LinkLoop { .. })
    }
}

/// The real paths of one target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    target: Target,
    directory: TreePath,
    file: TreePath,
}

impl Place {
    /// Follows the links of `memories/` and of the target's file.
    pub(super) fn find(files: &dyn Files, target: Target) -> Result<Self, PlaceError> {
        let directory = follow(files, &TreePath::new("memories"))?;
        let file = follow(files, &directory.below(&TreePath::new(target.file_name())))?;
        Ok(Self { target, directory, file })
    }

    /// Makes the directory if there is none.
    pub(super) fn make(&self, files: &mut dyn Files) -> Result<(), PlaceError> {
        if stores::is_dir(files, &self.directory) {
            return Ok(());
        }
        files.create_dir(&self.directory).map_err(PlaceError::Write)
    }

    /// The file's text with folded line ends. A missing or unreadable file is empty.
    pub(super) fn read(&self, files: &dyn Files) -> Result<String, PlaceError> {
        let Ok(bytes) = files.read(&self.file) else { return Ok(String::new()) };
        match std::str::from_utf8(&bytes) {
            Ok(text) => Ok(text::fold_newlines(text)),
            Err(_) => Err(PlaceError::BadEncoding { path: self.file.to_string() }),
        }
    }

    /// Writes the file in one step.
    pub(super) fn write(&self, files: &mut dyn Files, text: &str) -> Result<(), PlaceError> {
        files.replace(&self.file, Content::text(text)).map_err(PlaceError::Write)
    }

    /// Puts a copy of the text beside the file and returns the copy's absolute path.
    pub(super) fn back_up(
        &self,
        files: &mut dyn Files,
        text: &str,
        at: SimTime,
    ) -> Result<String, FilesError> {
        let seconds = Stamp::from(at).as_micros().div_euclid(1_000_000);
        let copy = self.directory.join(&format!("{}.bak.{seconds}", self.target.file_name()))?;
        files.replace(&copy, Content::text(text))?;
        Ok(format!("{}/{copy}", files.root().trim_end_matches('/')))
    }

    /// Runs the body while holding the target's lock.
    pub(super) fn locked<T>(
        &self,
        files: &mut dyn Files,
        body: impl FnOnce(&mut dyn Files) -> T,
    ) -> Result<T, PlaceError> {
        let lock = self.directory.below(&TreePath::new(match self.target {
            Target::Notes => "MEMORY.md.lock",
            Target::Profile => "USER.md.lock",
        }));
        let mut body = Some(body);
        let mut result = None;
        let taken = files.with_lock(&lock, &mut |files| result = body.take().map(|body| body(files)));
        match (result, taken) {
            // What was done is done, also if letting go of the lock failed.
            (Some(result), _) => Ok(result),
            (None, Err(error)) => Err(PlaceError::Lock(error)),
            (None, Ok(())) => unreachable!("a lock that was taken runs its body"),
        }
    }
}

fn follow(files: &dyn Files, path: &TreePath) -> Result<TreePath, PlaceError> {
    match stores::resolve(files, path) {
        Ok(Resolved::Inside(real)) => Ok(real),
        Ok(Resolved::Outside(to)) => Err(PlaceError::LinkOutside { path: path.to_string(), to }),
        Ok(Resolved::Loop) => Err(PlaceError::LinkLoop { path: path.to_string() }),
        Err(error) => Err(PlaceError::Write(error)),
    }
}

/// The entries on disk, for readers that have no store. What cannot be read holds none.
pub fn stored_entries(files: &dyn Files, target: Target) -> Vec<Arc<str>> {
    let text = Place::find(files, target).and_then(|place| place.read(files));
    text.map(|text| entries::parse(&text)).unwrap_or_default()
}
