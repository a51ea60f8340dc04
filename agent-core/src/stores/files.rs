//! The interface to a tree of files.
//!
//! Paths are physical: no operation follows a link, neither in the last component nor on the way, so nothing can
//! leave the tree. Who wants to follow links asks [`super::resolve`] first.

use std::fmt;
use std::sync::Arc;

use super::tree::TreePath;

/// A file's content.
pub type Bytes = Arc<[u8]>;

/// A tree that no longer changes.
pub type Frozen = Arc<dyn Files + Send + Sync>;

/// What a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link.
    Link,
}

/// What is known of a path without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// What it is.
    pub kind: Kind,
    /// Size in bytes; 0 for directories and links.
    pub len: u64,
    /// Whether any execute bit is set (files only).
    pub executable: bool,
    /// Time of the last change in nanoseconds since the Unix epoch.
    pub modified_ns: i64,
}

/// One entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name in its directory.
    pub name: String,
    /// What it is.
    pub kind: Kind,
}

/// What to put at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A regular file.
    File {
        /// Its bytes.
        bytes: Bytes,
        /// Whether it may be executed.
        executable: bool,
    },
    /// A symbolic link with this target, relative to its own directory or absolute.
    Link(String),
}

impl Content {
    /// A plain file with this text.
    pub fn text(text: &str) -> Self {
        Self::File { bytes: Arc::from(text.as_bytes()), executable: false }
    }

    /// A plain file with these bytes.
    pub fn bytes(bytes: impl Into<Bytes>) -> Self {
        Self::File { bytes: bytes.into(), executable: false }
    }
}

/// The longest target of a link in bytes (`PATH_MAX` less the terminator).
const LINK_BYTES_MAX: usize = 4095;

/// Refuses what no tree can hold: a link whose target is empty, too long or holds NUL.
pub(super) fn check_content(path: &TreePath, content: &Content) -> Result<(), FilesError> {
    match content {
        Content::Link(target)
            if target.is_empty() || target.len() > LINK_BYTES_MAX || target.contains('\0') =>
        {
            Err(FilesError::new(path, Trouble::BadPath))
        }
        _ => Ok(()),
    }
}

/// Why an operation on a path failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Nothing is there.
    Absent,
    /// Something is there already.
    Exists,
    /// It, or a component before it, is not a directory.
    NotADirectory,
    /// It is not a regular file.
    NotAFile,
    /// It is not a link.
    NotALink,
    /// The directory still holds something.
    NotEmpty,
    /// A component before it is a link, which no operation follows.
    ThroughLink,
    /// The bytes are not UTF-8.
    NotUtf8,
    /// The tree is open for reading only.
    ReadOnly,
    /// The path cannot name anything in the tree.
    BadPath,
    /// The host's own words: full disk, no permission …
    Host(String),
}

impl fmt::Display for Trouble {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Absent => "no such file or directory",
            Self::Exists => "already exists",
            Self::NotADirectory => "not a directory",
            Self::NotAFile => "not a regular file",
            Self::NotALink => "not a link",
            Self::NotEmpty => "directory not empty",
            Self::ThroughLink => "a directory on the way is a link",
            Self::NotUtf8 => "not UTF-8 text",
            Self::ReadOnly => "opened for reading only",
            Self::BadPath => "not a path inside the tree",
            Self::Host(words) => words,
        })
    }
}

/// An operation on a path failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {trouble}")]
pub struct FilesError {
    /// The path, relative to the tree's root.
    pub path: String,
    /// What went wrong.
    pub trouble: Trouble,
}

impl FilesError {
    /// This trouble at this path.
    pub fn new(path: &TreePath, trouble: Trouble) -> Self {
        Self { path: path.as_str().to_owned(), trouble }
    }
}

/// A tree of files, directories and links. Four operations write: `replace`, `create_dir`, `rename`, `remove`.
pub trait Files {
    /// The absolute path by which prompts, results and absolute link targets name the root.
    fn root(&self) -> &str;

    /// What the path names, or `None` if nothing. Links are not followed.
    ///
    /// # Errors
    /// A link on the way, or the host's own trouble.
    fn stat(&self, path: &TreePath) -> Result<Option<Stat>, FilesError>;

    /// The entries of a directory, sorted by code point. Names that are not UTF-8 are left out.
    ///
    /// # Errors
    /// Absent, not a directory, or the host's own trouble.
    fn list(&self, path: &TreePath) -> Result<Vec<Entry>, FilesError>;

    /// The bytes of a regular file.
    ///
    /// # Errors
    /// Absent, not a file, or the host's own trouble.
    fn read(&self, path: &TreePath) -> Result<Bytes, FilesError>;

    /// The target of a link, as stored.
    ///
    /// # Errors
    /// Absent, not a link, or the host's own trouble.
    fn read_link(&self, path: &TreePath) -> Result<String, FilesError>;

    /// A number that changes whenever anything at or below the path changes; `None` if that is not known, so that
    /// what was remembered must be read again.
    fn revision(&self, path: &TreePath) -> Option<u64>;

    /// A copy of the whole tree as it stands, where that costs next to nothing: later changes do not reach it. `None`
    /// where a copy would have to be made file by file.
    fn frozen(&self) -> Option<Frozen> {
        None
    }

    /// Puts a file or link there in one step: afterwards either the old or the new one is there, never a part.
    /// The directory must exist. A directory at the path is not replaced.
    ///
    /// # Errors
    /// No such directory, a directory at the path, an impossible link target, or the host's own trouble.
    fn replace(&mut self, path: &TreePath, content: Content) -> Result<(), FilesError>;

    /// Makes the directory and those above it; an existing one is fine.
    ///
    /// # Errors
    /// Something else is there, or the host's own trouble.
    fn create_dir(&mut self, path: &TreePath) -> Result<(), FilesError>;

    /// Moves a file, link or whole directory. A file or link at the target is replaced by a file or link; a
    /// directory never replaces anything and is never replaced.
    ///
    /// # Errors
    /// Absent, taken target, no such target directory, or the host's own trouble.
    fn rename(&mut self, from: &TreePath, to: &TreePath) -> Result<(), FilesError>;

    /// Removes a file, a link (not its target) or an empty directory.
    ///
    /// # Errors
    /// Absent, not empty, the root, or the host's own trouble.
    fn remove(&mut self, path: &TreePath) -> Result<(), FilesError>;

    /// Runs the body while holding the exclusive lock of this lock file, which is made if absent and stays. Who holds
    /// a lock may take it again.
    ///
    /// # Errors
    /// The lock file cannot be made or locked; the body then does not run.
    fn with_lock(&mut self, path: &TreePath, body: &mut dyn FnMut(&mut dyn Files)) -> Result<(), FilesError>;
}
