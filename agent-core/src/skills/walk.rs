//! One walk over a root that serves both walkers of the reference (`spec/skills.md` §2).
//!
//! The manager does not follow links to directories, the index does; otherwise they find the same. So one walk
//! collects everything and marks what was reached through a link. Directories are visited in order of their names,
//! where the reference takes the directory's own order.

use std::sync::Arc;

use super::excluded::{SKILL_FILE, is_excluded, is_excluded_name, is_support_name};
use super::library::{Library, Spot};
use crate::behaviour::Excluded;
use crate::stores::{Entry, Kind, TreePath};

/// A directory with a `SKILL.md`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoundSkill {
    /// The directory as the walk came to it.
    pub(crate) dir: TreePath,
    /// The file, links resolved; none if it leads out of the trees.
    pub(crate) file: Option<Spot>,
    /// Whether a link to a directory was followed on the way.
    pub(crate) via_link: bool,
}

/// What a walk found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Skills, in order of the visit.
    pub(crate) skills: Vec<FoundSkill>,
    /// Other Markdown files, reached without a link: skills of one file.
    pub(crate) flat: Vec<TreePath>,
    /// Whether there was any link, so that the root's revision does not tell all changes.
    pub(crate) saw_links: bool,
}

/// Walks everything at or below `start`, a directory of the root's tree.
pub(crate) fn walk(library: &Library<'_>, rule: Excluded, root: &Spot, start: &TreePath) -> Found {
    let mut walker = Walker { library, rule, found: Found::default(), chain: Vec::new() };
    let real = Spot { tree: root.tree, path: start.clone() };
    if !is_excluded(library.files(root.tree), rule, start) {
        walker.visit(start, &real, false);
    }
    walker.found
}

struct Walker<'w, 't> {
    library: &'w Library<'t>,
    rule: Excluded,
    found: Found,
    /// The real directories being visited, so that a link back to one of them ends there.
    chain: Vec<Spot>,
}

impl Walker<'_, '_> {
    fn visit(&mut self, dir: &TreePath, real: &Spot, via_link: bool) {
        if self.chain.contains(real) {
            return;
        }
        let Ok(entries) = self.library.files(real.tree).list(&real.path) else { return };
        let is_skill = entries.iter().any(|entry| entry.name == SKILL_FILE && self.is_file(entry, real));
        let has_skill_file = entries.iter().any(|entry| entry.name == SKILL_FILE);
        if is_skill {
            let file = self.library.real(&real.below(&TreePath::new(SKILL_FILE)));
            self.found.skills.push(FoundSkill { dir: dir.clone(), file, via_link });
        }
        self.chain.push(real.clone());
        for entry in &entries {
            self.found.saw_links |= entry.kind == Kind::Link;
            if has_skill_file && is_support_name(self.rule, &entry.name) {
                continue;
            }
            self.visit_entry(dir, real, entry, via_link);
        }
        self.chain.pop();
    }

    fn visit_entry(&mut self, dir: &TreePath, real: &Spot, entry: &Entry, via_link: bool) {
        let (Ok(path), Ok(below)) = (dir.join(&entry.name), real.join(&entry.name)) else { return };
        match entry.kind {
            Kind::Dir if !is_excluded_name(self.rule, &entry.name) => self.visit(&path, &below, via_link),
            Kind::Link if !is_excluded_name(self.rule, &entry.name) => {
                let Some(target) = self.library.real(&below) else { return };
                let stat = self.library.files(target.tree).stat(&target.path);
                if matches!(stat, Ok(Some(stat)) if stat.kind == Kind::Dir) {
                    self.visit(&path, &target, true);
                }
            }
            Kind::File if !via_link && entry.name != SKILL_FILE && is_markdown(&entry.name) => {
                self.found.flat.push(path);
            }
            _ => {}
        }
    }

    fn is_file(&self, entry: &Entry, dir: &Spot) -> bool {
        match entry.kind {
            Kind::File => true,
            Kind::Dir => false,
            Kind::Link => match dir.join(&entry.name).ok().and_then(|link| self.library.real(&link)) {
                Some(target) => {
                    let stat = self.library.files(target.tree).stat(&target.path);
                    !matches!(stat, Ok(Some(stat)) if stat.kind == Kind::Dir)
                }
                // It leads out of the trees: a skill that cannot be read.
                None => true,
            },
        }
    }
}

fn is_markdown(name: &str) -> bool {
    matches!(name.rsplit_once('.'), Some((stem, "md")) if !stem.is_empty())
}

/// The last component of a directory; for the root of a tree the last component of the tree's own path.
pub(crate) fn dir_name(library: &Library<'_>, root: &Spot, dir: &TreePath) -> Arc<str> {
    match dir.name() {
        "" => {
            let absolute = library.absolute(root);
            absolute.rsplit('/').next().unwrap_or("").into()
        }
        name => name.into(),
    }
}
