//! Paths in a tree and what can be done with the interface alone: following links, walking, copying.

use std::fmt;

use super::files::{Content, Files, FilesError, Kind, Trouble};

/// How many links [`resolve`] follows before it calls them a loop (Linux's own limit, `path_resolution(7)`).
const LINKS_MAX: usize = 40;

/// The longest name of a file in bytes: what the usual file systems allow (`NAME_MAX`), so that a tree in memory
/// holds no name that a disk would refuse.
const NAME_BYTES_MAX: usize = 255;

/// A path relative to a tree's root: components joined by `/`, none of them empty, `.` or `..`, none above 255
/// bytes, no NUL. The empty path is the root.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreePath(String);

impl TreePath {
    /// The root.
    pub fn root() -> Self {
        Self(String::new())
    }

    /// A path from literal text of the program.
    ///
    /// # Panics
    /// The text is not a path; use [`TreePath::parse`] for text from outside.
    pub fn new(text: &str) -> Self {
        Self::parse(text).expect("a literal path is well formed")
    }

    /// A path from text of any origin; `None` if it is absolute, climbs, or has empty or impossible components.
    pub fn parse(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self::root());
        }
        let good = |part: &str| {
            !matches!(part, "" | "." | "..") && part.len() <= NAME_BYTES_MAX && !part.contains('\0')
        };
        text.split('/').all(good).then(|| Self(text.to_owned()))
    }

    /// This path and one more component or relative path below it.
    ///
    /// # Errors
    /// The addition is not a relative path.
    pub fn join(&self, below: &str) -> Result<Self, FilesError> {
        let error = || FilesError { path: format!("{self}/{below}"), trouble: Trouble::BadPath };
        let below = Self::parse(below).ok_or_else(error)?;
        Ok(self.below(&below))
    }

    /// This path and a known good one below it.
    pub fn below(&self, below: &Self) -> Self {
        match (self.0.is_empty(), below.0.is_empty()) {
            (true, _) => below.clone(),
            (_, true) => self.clone(),
            _ => Self(format!("{}/{}", self.0, below.0)),
        }
    }

    /// The directory that holds it; `None` for the root.
    pub fn parent(&self) -> Option<Self> {
        if self.0.is_empty() {
            return None;
        }
        Some(Self(self.0.rsplit_once('/').map_or(String::new(), |(parent, _)| parent.to_owned())))
    }

    /// The last component; empty for the root.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or("")
    }

    /// The components in order.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/').filter(|part| !part.is_empty())
    }

    /// The text, without a leading slash.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The rest of this path below `base`; `None` if it does not lie there.
    pub fn strip(&self, base: &Self) -> Option<Self> {
        if base.0.is_empty() {
            return Some(self.clone());
        }
        let rest = self.0.strip_prefix(&base.0)?;
        match rest.strip_prefix('/') {
            Some(rest) => Some(Self(rest.to_owned())),
            None => rest.is_empty().then(Self::root),
        }
    }
}

impl fmt::Display for TreePath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.0.is_empty() { "." } else { &self.0 })
    }
}

/// Where a path leads once its links are followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// To this physical path, which may not exist (only its last components can be missing).
    Inside(TreePath),
    /// Out of the tree, to this absolute path.
    Outside(String),
    /// Into a loop of links.
    Loop,
}

/// Follows every link on the way and at the end. Missing components are kept as they are.
///
/// # Errors
/// A link with an impossible name in its target, or the host's own trouble.
pub fn resolve(files: &dyn Files, path: &TreePath) -> Result<Resolved, FilesError> {
    let mut todo: Vec<String> = path.components().rev().map(str::to_owned).collect();
    let mut done: Vec<String> = Vec::new();
    let mut links = 0;
    while let Some(part) = todo.pop() {
        match part.as_str() {
            "" | "." => continue,
            ".." => {
                if done.pop().is_some() {
                    continue;
                }
                // Above the root the tree knows no links: what is left is taken as it is written.
                let left = normal(&format!("{}/../{}", files.root(), joined("", &todo)));
                match below_root(files.root(), &left) {
                    Some(rest) => todo = rest.split('/').rev().map(str::to_owned).collect(),
                    None => return Ok(Resolved::Outside(left)),
                }
                continue;
            }
            _ => {}
        }
        done.push(part);
        let here = done_path(&done)?;
        if files.stat(&here)?.is_none_or(|stat| stat.kind != Kind::Link) {
            continue;
        }
        links += 1;
        if links > LINKS_MAX {
            return Ok(Resolved::Loop);
        }
        let target = files.read_link(&here)?;
        done.pop();
        let rest = if target.starts_with('/') {
            match below_root(files.root(), &target) {
                Some(rest) => {
                    done.clear();
                    rest.to_owned()
                }
                None => return Ok(Resolved::Outside(normal(&joined(&target, &todo)))),
            }
        } else {
            target
        };
        todo.extend(rest.split('/').rev().map(str::to_owned));
    }
    done_path(&done).map(Resolved::Inside)
}

/// The components so far as a path. Targets of links are text from outside and may hold impossible names.
fn done_path(done: &[String]) -> Result<TreePath, FilesError> {
    let text = done.join("/");
    TreePath::parse(&text).ok_or(FilesError { path: text, trouble: Trouble::BadPath })
}

fn below_root<'a>(root: &str, target: &'a str) -> Option<&'a str> {
    let rest = target.strip_prefix(root.trim_end_matches('/'))?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

/// An absolute path without `.`, `..` and doubled slashes.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

fn joined(base: &str, todo: &[String]) -> String {
    let mut text = base.to_owned();
    for part in todo.iter().rev() {
        text.push('/');
        text.push_str(part);
    }
    text
}

/// Whether anything is at the path; trouble counts as nothing.
pub fn exists(files: &dyn Files, path: &TreePath) -> bool {
    matches!(files.stat(path), Ok(Some(_)))
}

/// Whether a real directory is at the path.
pub fn is_dir(files: &dyn Files, path: &TreePath) -> bool {
    matches!(files.stat(path), Ok(Some(stat)) if stat.kind == Kind::Dir)
}

/// Whether a regular file is at the path.
pub fn is_file(files: &dyn Files, path: &TreePath) -> bool {
    matches!(files.stat(path), Ok(Some(stat)) if stat.kind == Kind::File)
}

/// A file's text, as it stands.
///
/// # Errors
/// As [`Files::read`], and [`Trouble::NotUtf8`].
pub fn read_text(files: &dyn Files, path: &TreePath) -> Result<String, FilesError> {
    let bytes = files.read(path)?;
    match std::str::from_utf8(&bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => Err(FilesError::new(path, Trouble::NotUtf8)),
    }
}

/// Writes a plain file in one step, making the directories above it.
///
/// # Errors
/// As [`Files::create_dir`] and [`Files::replace`].
pub fn write_text(files: &mut dyn Files, path: &TreePath, text: &str) -> Result<(), FilesError> {
    if let Some(parent) = path.parent() {
        files.create_dir(&parent)?;
    }
    files.replace(path, Content::text(text))
}

/// Removes a path and all below it, deepest first. An absent path is fine.
///
/// # Errors
/// The host's own trouble; what was removed before it stays removed.
pub fn remove_tree(files: &mut dyn Files, path: &TreePath) -> Result<(), FilesError> {
    let Some(stat) = files.stat(path)? else { return Ok(()) };
    if stat.kind == Kind::Dir {
        for entry in files.list(path)? {
            remove_tree(files, &path.join(&entry.name)?)?;
        }
    }
    files.remove(path)
}

/// Copies a path and all below it, links as links, to a place in the same or another tree.
///
/// # Errors
/// The host's own trouble; what was copied before it stays.
pub fn copy_tree(
    from: &dyn Files,
    source: &TreePath,
    to: &mut dyn Files,
    target: &TreePath,
) -> Result<(), FilesError> {
    let Some(stat) = from.stat(source)? else {
        return Err(FilesError::new(source, Trouble::Absent));
    };
    match stat.kind {
        Kind::Link => to.replace(target, Content::Link(from.read_link(source)?)),
        Kind::File => {
            to.replace(target, Content::File { bytes: from.read(source)?, executable: stat.executable })
        }
        Kind::Dir => {
            to.create_dir(target)?;
            for entry in from.list(source)? {
                copy_tree(from, &source.join(&entry.name)?, to, &target.join(&entry.name)?)?;
            }
            Ok(())
        }
    }
}

/// Visits every file and link at or below a directory in path order, without following links. Unreadable
/// directories are passed over.
pub fn walk_files(files: &dyn Files, base: &TreePath, visit: &mut dyn FnMut(&TreePath, Kind)) {
    let Ok(entries) = files.list(base) else { return };
    for entry in entries {
        let Ok(path) = base.join(&entry.name) else { continue };
        match entry.kind {
            Kind::Dir => walk_files(files, &path, visit),
            kind => visit(&path, kind),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::MemFiles;
    use super::*;

    fn home() -> MemFiles {
        let mut files = MemFiles::new("/home/agent/.hermes");
        write_text(&mut files, &TreePath::new("skills/a/SKILL.md"), "a").unwrap();
        let mut link = |at: &str, to: &str| {
            files.replace(&TreePath::new(at), Content::Link(to.to_owned())).unwrap();
        };
        link("skills/rel", "a/./../a");
        link("skills/abs", "/home/agent/.hermes/skills/a");
        link("skills/out", "/etc");
        link("skills/up", "../../../x");
        link("skills/back", "../../.hermes/skills/a");
        link("skills/loop", "loop");
        files
    }

    #[test]
    fn links_are_followed_inside_and_named_outside() {
        let files = home();
        let at = |path: &str| resolve(&files, &TreePath::new(path)).unwrap();
        let inside = |path: &str| Resolved::Inside(TreePath::new(path));
        assert_eq!(at("skills/rel/SKILL.md"), inside("skills/a/SKILL.md"));
        assert_eq!(at("skills/abs"), inside("skills/a"));
        assert_eq!(at("skills/out/passwd"), Resolved::Outside("/etc/passwd".to_owned()));
        assert_eq!(at("skills/up"), Resolved::Outside("/home/x".to_owned()));
        assert_eq!(at("skills/back/SKILL.md"), inside("skills/a/SKILL.md"));
        assert_eq!(at("skills/loop/x"), Resolved::Loop);
        assert_eq!(at("skills/none/x"), inside("skills/none/x"));
    }

    #[test]
    fn paths_that_climb_or_are_absolute_are_none() {
        for bad in ["/a", "a//b", "a/", "..", "a/../b", "./a", "a\0b"] {
            assert_eq!(TreePath::parse(bad), None, "{bad:?}");
        }
        let path = TreePath::new("a/b/c");
        assert_eq!(path.parent().unwrap().as_str(), "a/b");
        assert_eq!(path.name(), "c");
        assert_eq!(path.strip(&TreePath::new("a")).unwrap().as_str(), "b/c");
        assert_eq!(path.strip(&TreePath::new("a/bb")), None);
    }
}
