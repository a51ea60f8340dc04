//! A tree in memory. Copies are copy-on-write: a snapshot of a whole home costs one reference.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::files::{Bytes, Content, Entry, Files, FilesError, Frozen, Kind, Stat, Trouble, check_content};
use super::tree::TreePath;
use crate::values::SimTime;

const NANOS_PER_MILLI: i64 = 1_000_000;

/// A tree of files in memory, with modification times in simulated time.
#[derive(Clone, Debug)]
pub struct MemFiles {
    root: Arc<Dir>,
    path: Arc<str>,
    now_ns: i64,
    revision: u64,
}

#[derive(Clone, Debug)]
struct Dir {
    children: BTreeMap<Arc<str>, Node>,
    modified_ns: i64,
    revision: u64,
}

#[derive(Clone, Debug)]
enum Node {
    File { bytes: Bytes, executable: bool, modified_ns: i64, revision: u64 },
    Link { target: Arc<str>, modified_ns: i64, revision: u64 },
    Dir(Arc<Dir>),
}

impl Node {
    fn kind(&self) -> Kind {
        match self {
            Self::File { .. } => Kind::File,
            Self::Link { .. } => Kind::Link,
            Self::Dir(_) => Kind::Dir,
        }
    }
}

impl MemFiles {
    /// An empty tree that prompts and absolute links know under this absolute path.
    pub fn new(root: &str) -> Self {
        let dir = Dir { children: BTreeMap::new(), modified_ns: 0, revision: 0 };
        Self { root: Arc::new(dir), path: root.into(), now_ns: 0, revision: 0 }
    }

    /// Sets the time that later changes carry. The owner calls it before each event.
    pub fn set_now(&mut self, now: SimTime) {
        self.now_ns = now.as_millis().saturating_mul(NANOS_PER_MILLI);
    }

    fn find(&self, path: &TreePath) -> Result<Option<Found<'_>>, FilesError> {
        let mut found = Found::Dir(&self.root);
        for part in path.components() {
            let dir = match found {
                Found::Dir(dir) => dir,
                Found::Leaf(Node::Link { .. }) => return Err(FilesError::new(path, Trouble::ThroughLink)),
                Found::Leaf(_) => return Ok(None),
            };
            found = match dir.children.get(part) {
                None => return Ok(None),
                Some(Node::Dir(dir)) => Found::Dir(dir),
                Some(leaf) => Found::Leaf(leaf),
            };
        }
        Ok(Some(found))
    }

    fn must_find(&self, path: &TreePath) -> Result<Found<'_>, FilesError> {
        self.find(path)?.ok_or_else(|| FilesError::new(path, Trouble::Absent))
    }

    /// Makes sure that something can be put into the directory at the path.
    fn must_be_dir(&self, path: &TreePath) -> Result<(), FilesError> {
        match self.find(path)? {
            Some(Found::Dir(_)) => Ok(()),
            Some(Found::Leaf(Node::Link { .. })) => Err(FilesError::new(path, Trouble::ThroughLink)),
            Some(Found::Leaf(_)) => Err(FilesError::new(path, Trouble::NotADirectory)),
            None => {
                // Absent, unless a file lies on the way.
                let parent = path.parent().expect("the root is always there");
                self.must_be_dir(&parent)?;
                Err(FilesError::new(path, Trouble::Absent))
            }
        }
    }

    /// The directory at the path, about to be changed: it and those above it get a new revision.
    fn dir_mut(&mut self, path: &TreePath) -> Result<&mut Dir, FilesError> {
        self.must_be_dir(path)?;
        self.revision += 1;
        let revision = self.revision;
        let mut dir = Arc::make_mut(&mut self.root);
        dir.revision = revision;
        for part in path.components() {
            let Some(Node::Dir(child)) = dir.children.get_mut(part) else {
                unreachable!("the path was found to be a directory above")
            };
            dir = Arc::make_mut(child);
            dir.revision = revision;
        }
        Ok(dir)
    }

    fn split(path: &TreePath) -> Result<(TreePath, Arc<str>), FilesError> {
        let parent = path.parent().ok_or_else(|| FilesError::new(path, Trouble::BadPath))?;
        Ok((parent, path.name().into()))
    }

    fn take(&mut self, path: &TreePath) -> Result<Node, FilesError> {
        self.must_find(path)?;
        let (parent, name) = Self::split(path)?;
        let now = self.now_ns;
        let dir = self.dir_mut(&parent)?;
        dir.modified_ns = now;
        dir.children.remove(&name).ok_or_else(|| FilesError::new(path, Trouble::Absent))
    }

    fn put(&mut self, path: &TreePath, node: Node) -> Result<(), FilesError> {
        let (parent, name) = Self::split(path)?;
        let now = self.now_ns;
        let dir = self.dir_mut(&parent)?;
        dir.modified_ns = now;
        dir.children.insert(name, node);
        Ok(())
    }
}

enum Found<'a> {
    Dir(&'a Dir),
    Leaf(&'a Node),
}

impl Files for MemFiles {
    fn root(&self) -> &str {
        &self.path
    }

    fn stat(&self, path: &TreePath) -> Result<Option<Stat>, FilesError> {
        Ok(self.find(path)?.map(|found| match found {
            Found::Dir(dir) => {
                Stat { kind: Kind::Dir, len: 0, executable: false, modified_ns: dir.modified_ns }
            }
            Found::Leaf(Node::File { bytes, executable, modified_ns, .. }) => Stat {
                kind: Kind::File,
                len: bytes.len() as u64,
                executable: *executable,
                modified_ns: *modified_ns,
            },
            Found::Leaf(Node::Link { modified_ns, .. }) => {
                Stat { kind: Kind::Link, len: 0, executable: false, modified_ns: *modified_ns }
            }
            Found::Leaf(Node::Dir(_)) => unreachable!("directories are found as such"),
        }))
    }

    fn list(&self, path: &TreePath) -> Result<Vec<Entry>, FilesError> {
        match self.must_find(path)? {
            Found::Dir(dir) => Ok(dir
                .children
                .iter()
                .map(|(name, node)| Entry { name: name.to_string(), kind: node.kind() })
                .collect()),
            Found::Leaf(_) => Err(FilesError::new(path, Trouble::NotADirectory)),
        }
    }

    fn read(&self, path: &TreePath) -> Result<Bytes, FilesError> {
        match self.must_find(path)? {
            Found::Leaf(Node::File { bytes, .. }) => Ok(Arc::clone(bytes)),
            _ => Err(FilesError::new(path, Trouble::NotAFile)),
        }
    }

    fn read_link(&self, path: &TreePath) -> Result<String, FilesError> {
        match self.must_find(path)? {
            Found::Leaf(Node::Link { target, .. }) => Ok(target.to_string()),
            _ => Err(FilesError::new(path, Trouble::NotALink)),
        }
    }

    fn revision(&self, path: &TreePath) -> Option<u64> {
        match self.find(path).ok()? {
            None => Some(u64::MAX),
            Some(Found::Dir(dir)) => Some(dir.revision),
            Some(Found::Leaf(Node::File { revision, .. } | Node::Link { revision, .. })) => Some(*revision),
            Some(Found::Leaf(Node::Dir(dir))) => Some(dir.revision),
        }
    }

    fn frozen(&self) -> Option<Frozen> {
        Some(Arc::new(self.clone()))
    }

    fn replace(&mut self, path: &TreePath, content: Content) -> Result<(), FilesError> {
        check_content(path, &content)?;
        if let Some(Found::Dir(_)) = self.find(path)? {
            return Err(FilesError::new(path, Trouble::NotAFile));
        }
        let (modified_ns, revision) = (self.now_ns, self.revision + 1);
        let node = match content {
            Content::File { bytes, executable } => Node::File { bytes, executable, modified_ns, revision },
            Content::Link(target) => Node::Link { target: target.into(), modified_ns, revision },
        };
        self.put(path, node)
    }

    fn create_dir(&mut self, path: &TreePath) -> Result<(), FilesError> {
        let mut missing = Vec::new();
        let mut at = path.clone();
        loop {
            match self.find(&at)? {
                Some(Found::Dir(_)) => break,
                Some(Found::Leaf(Node::Link { .. })) => {
                    return Err(FilesError::new(
                        &at,
                        if at == *path { Trouble::Exists } else { Trouble::ThroughLink },
                    ));
                }
                Some(Found::Leaf(_)) => return Err(FilesError::new(&at, Trouble::NotADirectory)),
                None => {
                    let parent = at.parent().expect("the root is always a directory");
                    missing.push(at);
                    at = parent;
                }
            }
        }
        for dir in missing.iter().rev() {
            let made =
                Dir { children: BTreeMap::new(), modified_ns: self.now_ns, revision: self.revision + 1 };
            self.put(dir, Node::Dir(Arc::new(made)))?;
        }
        Ok(())
    }

    fn rename(&mut self, from: &TreePath, to: &TreePath) -> Result<(), FilesError> {
        let moves_dir = matches!(self.must_find(from)?, Found::Dir(_));
        match self.find(to)? {
            Some(_) if from == to => return Ok(()),
            Some(Found::Leaf(_)) if !moves_dir => {}
            Some(_) => return Err(FilesError::new(to, Trouble::Exists)),
            None => {}
        }
        if moves_dir && to.strip(from).is_some() {
            return Err(FilesError::new(to, Trouble::BadPath));
        }
        let (parent, _) = Self::split(to)?;
        self.must_be_dir(&parent)?;
        let node = self.take(from)?;
        self.put(to, node)
    }

    fn remove(&mut self, path: &TreePath) -> Result<(), FilesError> {
        Self::split(path)?;
        if matches!(self.must_find(path)?, Found::Dir(dir) if !dir.children.is_empty()) {
            return Err(FilesError::new(path, Trouble::NotEmpty));
        }
        self.take(path).map(drop)
    }

    fn with_lock(&mut self, path: &TreePath, body: &mut dyn FnMut(&mut dyn Files)) -> Result<(), FilesError> {
        match self.stat(path)? {
            None => self.replace(path, Content::text(""))?,
            Some(stat) if stat.kind == Kind::File => {}
            Some(_) => return Err(FilesError::new(path, Trouble::NotAFile)),
        }
        body(self);
        Ok(())
    }
}
