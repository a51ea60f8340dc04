//! A tree whose writing operations fail on command, for tests of "complete before or after, never between".

use super::files::{Bytes, Content, Entry, Files, FilesError, Stat, Trouble};
use super::tree::TreePath;

/// Which writing operations fail. They are counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultPlan {
    /// None; only count.
    Never,
    /// The n-th one, once: a full disk that was cleared.
    Once(usize),
    /// The n-th one and all after it: a crash.
    From(usize),
}

/// Counts the writing operations of the tree that it wraps and lets some of them fail without effect.
pub struct FaultyFiles<'a> {
    inner: &'a mut dyn Files,
    plan: FaultPlan,
    writes: usize,
}

impl<'a> FaultyFiles<'a> {
    /// Wraps a tree.
    pub fn new(inner: &'a mut dyn Files, plan: FaultPlan) -> Self {
        Self { inner, plan, writes: 0 }
    }

    /// Writing operations asked for so far, failed ones included.
    pub fn writes(&self) -> usize {
        self.writes
    }

    fn count(&mut self, path: &TreePath) -> Result<(), FilesError> {
        self.writes += 1;
        let fails = match self.plan {
            FaultPlan::Never => false,
            FaultPlan::Once(n) => self.writes == n,
            FaultPlan::From(n) => self.writes >= n,
        };
        if fails { Err(FilesError::new(path, Trouble::Host("planned fault".to_owned()))) } else { Ok(()) }
    }
}

impl Files for FaultyFiles<'_> {
    fn root(&self) -> &str {
        self.inner.root()
    }
    fn stat(&self, path: &TreePath) -> Result<Option<Stat>, FilesError> {
        self.inner.stat(path)
    }
    fn list(&self, path: &TreePath) -> Result<Vec<Entry>, FilesError> {
        self.inner.list(path)
    }
    fn read(&self, path: &TreePath) -> Result<Bytes, FilesError> {
        self.inner.read(path)
    }
    fn read_link(&self, path: &TreePath) -> Result<String, FilesError> {
        self.inner.read_link(path)
    }
    fn revision(&self, path: &TreePath) -> Option<u64> {
        self.inner.revision(path)
    }
    fn replace(&mut self, path: &TreePath, content: Content) -> Result<(), FilesError> {
        self.count(path)?;
        self.inner.replace(path, content)
    }
    fn create_dir(&mut self, path: &TreePath) -> Result<(), FilesError> {
        self.count(path)?;
        self.inner.create_dir(path)
    }
    fn rename(&mut self, from: &TreePath, to: &TreePath) -> Result<(), FilesError> {
        self.count(from)?;
        self.inner.rename(from, to)
    }
    fn remove(&mut self, path: &TreePath) -> Result<(), FilesError> {
        self.count(path)?;
        self.inner.remove(path)
    }
    fn with_lock(&mut self, path: &TreePath, body: &mut dyn FnMut(&mut dyn Files)) -> Result<(), FilesError> {
        let plan = self.plan;
        let writes = &mut self.writes;
        self.inner.with_lock(path, &mut |inner| {
            let mut locked = FaultyFiles { inner, plan, writes: *writes };
            body(&mut locked);
            *writes = locked.writes;
        })
    }
}
