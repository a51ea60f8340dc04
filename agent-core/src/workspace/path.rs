//! Paths of the tools: relative to the working directory, or absolute below it.

use super::answer::Mistake;
use crate::stores::{Files, Kind, Resolved, Stat, TreePath, resolve};

/// A place in the working directory.
#[derive(Clone, Debug)]
pub(super) struct Spot {
    /// Where it really lies, links followed.
    pub(super) real: TreePath,
    /// The absolute path as it was asked for, for answers.
    pub(super) shown: String,
}

impl Spot {
    /// The place that a path names.
    pub(super) fn find(files: &dyn Files, path: &str) -> Result<Self, Mistake> {
        let root = files.root().trim_end_matches('/');
        let outside = || {
            let words =
                format!("{path} lies outside the working directory {root}, which is all there is here.");
            Mistake::new("outside-workspace", words)
        };
        if path.is_empty() {
            return Err(Mistake::new("missing-argument", "`path` is empty."));
        }
        let inner = match path.strip_prefix(root) {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => rest,
            _ if path.starts_with('/') || path.starts_with('~') => return Err(outside()),
            _ => path,
        };
        let parts: Vec<&str> = inner.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
        if parts.contains(&"..") {
            let words = format!("{path} climbs with `..`; name the file from the working directory on.");
            return Err(Mistake::new("path-traversal", words));
        }
        let bad = || Mistake::new("bad-path", format!("{path:?} is no path."));
        let asked = TreePath::parse(&parts.join("/")).ok_or_else(bad)?;
        let shown = show(files, &asked);
        match resolve(files, &asked) {
            Ok(Resolved::Inside(real)) => Ok(Self { real, shown }),
            Ok(Resolved::Outside(_)) => Err(outside()),
            Ok(Resolved::Loop) => {
                Err(Mistake::new("bad-path", format!("{shown} is a link that leads nowhere.")))
            }
            Err(error) => Err(Mistake::of(&error, &shown)),
        }
    }

    /// What is there.
    pub(super) fn stat(&self, files: &dyn Files) -> Result<Option<Stat>, Mistake> {
        files.stat(&self.real).map_err(|error| Mistake::of(&error, &self.shown))
    }

    /// The text of the file there.
    pub(super) fn text(&self, files: &dyn Files) -> Result<String, Mistake> {
        match self.stat(files)? {
            None => Err(Mistake::new("file-not-found", format!("{} does not exist.", self.shown))),
            Some(stat) if stat.kind == Kind::Dir => Err(self.is_directory()),
            Some(_) => {
                let bytes = files.read(&self.real).map_err(|error| Mistake::of(&error, &self.shown))?;
                let binary = |_| Mistake::new("not-text", format!("{} is not a text file.", self.shown));
                std::str::from_utf8(&bytes).map(str::to_owned).map_err(binary)
            }
        }
    }

    pub(super) fn is_directory(&self) -> Mistake {
        let words = format!("{} is a directory; search_files with target `files` lists it.", self.shown);
        Mistake::new("is-directory", words)
    }
}

/// The absolute path of a place, as answers show it.
pub(super) fn show(files: &dyn Files, path: &TreePath) -> String {
    let root = files.root().trim_end_matches('/');
    if path.as_str().is_empty() { root.to_owned() } else { format!("{root}/{path}") }
}
