//! A tree that can only be read: no write, no lock, no side file.

use super::files::{Bytes, Content, Entry, Files, FilesError, Frozen, Stat, Trouble};
use super::tree::TreePath;

/// Passes reading through and refuses everything else.
pub struct ReadOnlyFiles<'a>(pub &'a dyn Files);

fn refused(path: &TreePath) -> FilesError {
    FilesError::new(path, Trouble::ReadOnly)
}

impl Files for ReadOnlyFiles<'_> {
    fn root(&self) -> &str {
        self.0.root()
    }
    fn stat(&self, path: &TreePath) -> Result<Option<Stat>, FilesError> {
        self.0.stat(path)
    }
    fn list(&self, path: &TreePath) -> Result<Vec<Entry>, FilesError> {
        self.0.list(path)
    }
    fn read(&self, path: &TreePath) -> Result<Bytes, FilesError> {
        self.0.read(path)
    }
    fn read_link(&self, path: &TreePath) -> Result<String, FilesError> {
        self.0.read_link(path)
    }
    fn revision(&self, path: &TreePath) -> Option<u64> {
        self.0.revision(path)
    }
    fn frozen(&self) -> Option<Frozen> {
        self.0.frozen()
    }
    fn replace(&mut self, path: &TreePath, _content: Content) -> Result<(), FilesError> {
        Err(refused(path))
    }
    fn create_dir(&mut self, path: &TreePath) -> Result<(), FilesError> {
        Err(refused(path))
    }
    fn rename(&mut self, from: &TreePath, _to: &TreePath) -> Result<(), FilesError> {
        Err(refused(from))
    }
    fn remove(&mut self, path: &TreePath) -> Result<(), FilesError> {
        Err(refused(path))
    }
    fn with_lock(
        &mut self,
        path: &TreePath,
        _body: &mut dyn FnMut(&mut dyn Files),
    ) -> Result<(), FilesError> {
        Err(refused(path))
    }
}
