//! Stores: where durable state lies. One interface to a tree of files, kept in memory or on disk by the same rules.

pub mod disk;
mod faulty;
mod files;
mod memory;
mod read_only;
#[cfg(test)]
mod suite;
mod tree;

pub use disk::DiskFiles;
pub use faulty::{FaultPlan, FaultyFiles};
pub use files::{Bytes, Content, Entry, Files, FilesError, Frozen, Kind, Stat, Trouble};
pub use memory::MemFiles;
pub use read_only::ReadOnlyFiles;
pub use tree::{
    Resolved, TreePath, copy_tree, exists, is_dir, is_file, read_text, remove_tree, resolve, walk_files,
    write_text,
};

/// The homes that one event may touch.
pub struct Homes<'a> {
    /// The user's own home (`/home/agent/.hermes` in prompts).
    pub own: &'a mut dyn Files,
    /// Skill stores beside the own one: external directories and shared organisation stores, in order.
    pub shared: Vec<SharedRoot<'a>>,
    /// The working directory of the file tools (`/work` in prompts).
    pub workspace: &'a mut dyn Files,
    /// Sessions and messages.
    pub sessions: &'a mut crate::sessions::SessionStore,
}

/// A skill store that is not the user's own.
pub struct SharedRoot<'a> {
    /// Its absolute virtual path, as prompts show it.
    pub path: &'a str,
    /// Its tree; skills lie directly in its root.
    pub files: &'a mut dyn Files,
    /// Whether the agent may write to it.
    pub writable: bool,
}
