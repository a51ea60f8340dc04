//! The trees that hold skills and the roots in them (`spec/skills.md` §1).
//!
//! Roots in order: the home's own `skills`, the shared stores, then the configured external directories. A shared
//! store is one of [`crate::stores::Homes::shared`] that the configuration does not name as external: if it may be
//! written it counts as local (several users write to one library, each with a usage sidecar at home), else it is
//! static (read and never written). The reference knows own and external roots only.

use crate::behaviour::{SkillRules, SkillStore};
use crate::stores::{Files, FilesError, Resolved, SharedRoot, TreePath, is_dir, resolve};
use crate::text::trim;

/// Which tree a path lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tree {
    /// The user's home.
    Home,
    /// The shared store of this number.
    Shared(usize),
}

/// A place in one of the trees.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// The tree.
    pub tree: Tree,
    /// The path in it.
    pub path: TreePath,
}

impl Spot {
    /// This spot and a known good path below it.
    pub fn below(&self, path: &TreePath) -> Self {
        Self { tree: self.tree, path: self.path.below(path) }
    }

    /// This spot and one more component or relative path below it.
    ///
    /// # Errors
    /// The addition is no relative path.
    pub fn join(&self, below: &str) -> Result<Self, FilesError> {
        Ok(Self { tree: self.tree, path: self.path.join(below)? })
    }

    /// The directory that holds it.
    pub fn parent(&self) -> Option<Self> {
        Some(Self { tree: self.tree, path: self.path.parent()? })
    }

    /// Whether it lies at or below another spot.
    pub fn is_at_or_below(&self, base: &Self) -> bool {
        self.tree == base.tree && self.path.strip(&base.path).is_some()
    }
}

/// Who may write to a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The home's own root: everybody, within the guard.
    Own,
    /// A store shared by several users: everybody, within the guard.
    Shared,
    /// A configured external directory: the user's own turns only.
    External,
    /// Nobody.
    Static,
}

impl Access {
    /// Whether usage, curator and archive count its skills as the agent's own.
    pub const fn is_local(self) -> bool {
        matches!(self, Self::Own | Self::Shared)
    }
}

/// A directory below which skills lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// Where, links resolved.
    pub spot: Spot,
    /// Who may write.
    pub access: Access,
}

/// Where a spot leads once its links are followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whereabouts {
    /// To this spot, which may not exist.
    Inside(Spot),
    /// Out of all trees, to this absolute path.
    Outside(String),
    /// Into a loop of links.
    Loop,
}

/// The trees and roots of one user.
pub struct Library<'t> {
    home: &'t mut dyn Files,
    shared: Vec<SharedRoot<'t>>,
    roots: Vec<Root>,
    create: Option<Spot>,
}

/// The own root's directory in the home.
pub(crate) const SKILLS_DIR: &str = "skills";

impl<'t> Library<'t> {
    /// The library of a home and the stores beside it, under these rules.
    pub fn open<'a: 't>(
        home: &'t mut dyn Files,
        shared: &'t mut [SharedRoot<'a>],
        rules: &SkillRules,
    ) -> Self {
        let shared = shared
            .iter_mut()
            .map(|root| SharedRoot { path: root.path, files: &mut *root.files, writable: root.writable })
            .collect();
        let mut library = Self { home, shared, roots: Vec::new(), create: None };
        library.roots = library.find_roots(rules);
        library.create = library.find_create(rules);
        library
    }

    /// A tree for reading.
    ///
    /// # Panics
    /// The tree does not belong to this library.
    pub fn files(&self, tree: Tree) -> &dyn Files {
        match tree {
            Tree::Home => &*self.home,
            Tree::Shared(number) => &*self.shared[number].files,
        }
    }

    /// A tree for writing.
    ///
    /// # Panics
    /// The tree does not belong to this library.
    pub fn files_mut(&mut self, tree: Tree) -> &mut dyn Files {
        match tree {
            Tree::Home => &mut *self.home,
            Tree::Shared(number) => &mut *self.shared[number].files,
        }
    }

    /// The home's tree for reading.
    pub fn home(&self) -> &dyn Files {
        &*self.home
    }

    /// The home's tree for writing.
    pub fn home_mut(&mut self) -> &mut dyn Files {
        &mut *self.home
    }

    /// The roots in order of search; the first is the home's own.
    pub fn roots(&self) -> &[Root] {
        &self.roots
    }

    /// The home's own root, where sidecar, manifest and lock lie.
    pub fn own(&self) -> &Spot {
        &self.roots.first().expect("the own root always comes first").spot
    }

    /// The roots whose skills count as the agent's own.
    pub fn local_roots(&self) -> impl Iterator<Item = &Root> {
        self.roots.iter().filter(|root| root.access.is_local())
    }

    /// The directory that new skills and categories go to; none if skills are never written.
    pub fn create_spot(&self) -> Option<&Spot> {
        self.create.as_ref()
    }

    /// The innermost root that holds a spot.
    pub fn root_of(&self, spot: &Spot) -> Option<&Root> {
        self.roots
            .iter()
            .filter(|root| spot.is_at_or_below(&root.spot))
            .max_by_key(|root| root.spot.path.as_str().len())
    }

    /// Whether a spot lies at or below a configured external directory.
    pub fn is_external(&self, spot: &Spot) -> bool {
        self.roots
            .iter()
            .filter(|root| root.access == Access::External)
            .any(|root| spot.is_at_or_below(&root.spot))
    }

    /// The absolute virtual path of a spot, as prompts and results show it.
    pub fn absolute(&self, spot: &Spot) -> String {
        let root = match spot.tree {
            Tree::Home => self.home.root(),
            Tree::Shared(number) => self.shared[number].path,
        };
        match spot.path.as_str() {
            "" => root.to_owned(),
            path => format!("{}/{path}", root.trim_end_matches('/')),
        }
    }

    /// The spot that an absolute virtual path names, if it lies in one of the trees. Links are not followed.
    pub fn spot_of(&self, absolute: &str) -> Option<Spot> {
        let within = |root: &str| {
            let rest = absolute.strip_prefix(root.trim_end_matches('/'))?;
            let rest = if rest.is_empty() { rest } else { rest.strip_prefix('/')? };
            TreePath::parse(rest)
        };
        if let Some(path) = within(self.home.root()) {
            return Some(Spot { tree: Tree::Home, path });
        }
        self.shared.iter().enumerate().find_map(|(number, root)| {
            within(root.path).map(|path| Spot { tree: Tree::Shared(number), path })
        })
    }

    /// Follows every link of a spot, from tree to tree if need be.
    ///
    /// # Errors
    /// The host's own trouble.
    pub fn resolve(&self, spot: &Spot) -> Result<Whereabouts, FilesError> {
        let mut spot = spot.clone();
        // A chain through more trees than there are has come round.
        for _ in 0..=self.shared.len() {
            match resolve(self.files(spot.tree), &spot.path)? {
                Resolved::Inside(path) => return Ok(Whereabouts::Inside(Spot { tree: spot.tree, path })),
                Resolved::Loop => return Ok(Whereabouts::Loop),
                Resolved::Outside(absolute) => match self.spot_of(&absolute) {
                    Some(elsewhere) => spot = elsewhere,
                    None => return Ok(Whereabouts::Outside(absolute)),
                },
            }
        }
        Ok(Whereabouts::Loop)
    }

    /// The spot where an existing thing really lies; `None` if it leads out, loops, or cannot be looked at.
    pub(crate) fn real(&self, spot: &Spot) -> Option<Spot> {
        match self.resolve(spot) {
            Ok(Whereabouts::Inside(spot)) => Some(spot),
            _ => None,
        }
    }

    fn find_roots(&self, rules: &SkillRules) -> Vec<Root> {
        let plain = Spot { tree: Tree::Home, path: TreePath::new(SKILLS_DIR) };
        let own = self.real(&plain).unwrap_or(plain);
        let access = if rules.store == SkillStore::Static { Access::Static } else { Access::Own };
        let mut roots = vec![Root { spot: own, access }];
        let external: Vec<Spot> =
            rules.external_dirs.iter().filter_map(|entry| self.configured(entry)).collect();
        for number in 0..self.shared.len() {
            let spot = Spot { tree: Tree::Shared(number), path: TreePath::root() };
            if external.contains(&spot) {
                continue;
            }
            let writable = self.shared[number].writable && rules.store != SkillStore::Static;
            roots.push(Root { spot, access: if writable { Access::Shared } else { Access::Static } });
        }
        for spot in external {
            let known = roots.iter().any(|root| root.spot == spot);
            if known || !is_dir(self.files(spot.tree), &spot.path) {
                continue;
            }
            let writable = rules.store != SkillStore::Static && self.may_write(spot.tree);
            roots.push(Root { spot, access: if writable { Access::External } else { Access::Static } });
        }
        roots
    }

    fn may_write(&self, tree: Tree) -> bool {
        match tree {
            Tree::Home => true,
            Tree::Shared(number) => self.shared[number].writable,
        }
    }

    fn find_create(&self, rules: &SkillRules) -> Option<Spot> {
        let usual = match rules.store {
            SkillStore::Static => return None,
            SkillStore::Own => self.own(),
            SkillStore::Shared => self
                .roots
                .iter()
                .find(|root| root.access == Access::Shared)
                .map_or_else(|| self.own(), |root| &root.spot),
        };
        let configured = rules.create_dir.as_deref().and_then(|entry| self.configured(entry));
        let inside =
            configured.filter(|spot| self.root_of(spot).is_some_and(|root| root.access != Access::Static));
        Some(inside.unwrap_or_else(|| usual.clone()))
    }

    /// A directory as the configuration names it: trimmed, `~` and the home's two variables expanded, relative ones
    /// taken from the home, links resolved. There is no other environment.
    fn configured(&self, entry: &str) -> Option<Spot> {
        let home = self.home.root();
        let user = home.rsplit_once('/').map_or("", |(parent, _)| parent);
        let text = trim(entry);
        if text.is_empty() {
            return None;
        }
        let text = match text.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{user}{rest}"),
            _ => text.to_owned(),
        };
        let text = text
            .replace("${HERMES_HOME}", home)
            .replace("$HERMES_HOME", home)
            .replace("${HOME}", user)
            .replace("$HOME", user);
        let absolute = if text.starts_with('/') { text } else { format!("{home}/{text}") };
        let spot = self.spot_of(&normal(&absolute))?;
        self.real(&spot)
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviour::{Behaviour, Settings, Version};
    use crate::stores::{Content, MemFiles};

    fn rules(external: &[&str]) -> SkillRules {
        let mut rules = Behaviour::resolve(&Settings::new(Version::V0_19)).skills;
        rules.external_dirs = external.iter().map(|&entry| entry.to_owned()).collect();
        rules
    }

    #[test]
    fn external_entries_are_expanded_resolved_and_told_apart() {
        let mut home = MemFiles::new("/home/agent/.hermes");
        home.create_dir(&TreePath::new("skills")).unwrap();
        home.create_dir(&TreePath::new("ext")).unwrap();
        home.replace(&TreePath::new("again"), Content::Link("ext".to_owned())).unwrap();
        let mut team = MemFiles::new("/org/skills");
        let mut shared = [SharedRoot { path: "/org/skills", files: &mut team, writable: true }];
        let entries = [" ext ", "~/.hermes/ext", "again", "none", "skills/../skills", "/org/skills", "/etc"];
        let library = Library::open(&mut home, &mut shared, &rules(&entries));
        let found: Vec<_> =
            library.roots().iter().map(|root| (library.absolute(&root.spot), root.access)).collect();
        assert_eq!(
            found,
            [
                ("/home/agent/.hermes/skills".to_owned(), Access::Own),
                ("/home/agent/.hermes/ext".to_owned(), Access::External),
                ("/org/skills".to_owned(), Access::External),
            ]
        );
    }

    #[test]
    fn a_shared_store_takes_new_skills_only_if_asked_to() {
        let mut home = MemFiles::new("/home/agent/.hermes");
        let mut team = MemFiles::new("/org/skills");
        let mut shared = [SharedRoot { path: "/org/skills", files: &mut team, writable: true }];
        let mut rules = rules(&[]);
        let own = Spot { tree: Tree::Home, path: TreePath::new("skills") };
        let org = Spot { tree: Tree::Shared(0), path: TreePath::root() };
        assert_eq!(Library::open(&mut home, &mut shared, &rules).create_spot(), Some(&own));
        rules.store = SkillStore::Shared;
        assert_eq!(Library::open(&mut home, &mut shared, &rules).create_spot(), Some(&org));
        rules.store = SkillStore::Static;
        assert_eq!(Library::open(&mut home, &mut shared, &rules).create_spot(), None);
        rules.store = SkillStore::Own;
        rules.create_dir = Some("/org/skills/team-a".to_owned());
        let below = Spot { tree: Tree::Shared(0), path: TreePath::new("team-a") };
        assert_eq!(Library::open(&mut home, &mut shared, &rules).create_spot(), Some(&below));
    }
}
