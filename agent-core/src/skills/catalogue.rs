//! Where skills lie, by directory name and by declared name, remembered between calls.
//!
//! A root is walked again only if its tree says that something below it changed ([`crate::stores::Files::revision`]);
//! the writes of this crate are taken over directory by directory ([`Catalogue::changed`]). So finding a skill in a
//! library of thousands costs two look-ups. A tree on disk knows no revision: it is walked at each call, and only
//! files whose time or size changed are read again.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use super::excluded::SKILL_FILE;
use super::frontmatter::light_name;
use super::head::SkillHead;
use super::library::{Library, Root, Spot};
use super::seen::Seen;
use super::walk::{Found, FoundSkill, dir_name, walk};
use crate::behaviour::{Excluded, SkillRules};
use crate::stores::TreePath;

/// A directory with a `SKILL.md`.
#[derive(Clone, Debug, PartialEq)]
pub struct SkillDir {
    /// The number of its root in [`Library::roots`].
    pub root: usize,
    /// The directory, as the walk came to it.
    pub spot: Spot,
    /// The main file, links resolved; none if it leads out of the trees.
    pub file: Option<Spot>,
    /// Its last component, the key of the manager.
    pub dir_name: Arc<str>,
    /// The declared name (light reader), else the directory name: the key of usage, curator and archive.
    pub declared: Arc<str>,
    /// The beginning of its main file; none if that cannot be read.
    pub head: Option<SkillHead>,
    /// Whether a link to a directory leads to it: then it is listed and viewed, but not managed.
    pub via_link: bool,
    seen: Seen,
}

impl SkillDir {
    /// The name in the header, as the lenient parser reads it, if it is text.
    pub fn title(&self) -> Option<&str> {
        self.head.as_ref().and_then(|head| head.name().ok().flatten())
    }
}

/// Skills by name.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    reading: Option<Reading>,
    roots: Vec<RootIndex>,
}

/// How files are found and read, as far as versions differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reading {
    excluded: Excluded,
    accept_bom: bool,
}

/// Names to the keys of what bears them.
type Names = BTreeMap<Arc<str>, BTreeSet<Arc<str>>>;

#[derive(Clone, Debug)]
struct RootIndex {
    root: Root,
    revision: Option<u64>,
    /// Whether there are links, so that the root's revision does not tell all changes.
    volatile: bool,
    /// Keyed by the path of the main file in its tree, so that the order is that of full path texts.
    skills: BTreeMap<Arc<str>, Arc<SkillDir>>,
    by_dir: Names,
    by_declared: Names,
    /// Names as the lenient parser reads them.
    by_title: Names,
    /// Paths of one-file skills.
    flat: BTreeSet<Arc<str>>,
    by_stem: Names,
}

impl Catalogue {
    /// Brings the catalogue up to date. Call it at the start of whatever looks skills up.
    pub fn refresh(&mut self, library: &Library<'_>, rules: &SkillRules) {
        let reading = Reading { excluded: rules.excluded, accept_bom: rules.accept_bom };
        let same = self.reading == Some(reading)
            && self.roots.len() == library.roots().len()
            && self.roots.iter().zip(library.roots()).all(|(known, root)| known.root == *root);
        if !same {
            self.reading = Some(reading);
            self.roots = library.roots().iter().map(|root| RootIndex::empty(root.clone())).collect();
        }
        for (number, index) in self.roots.iter_mut().enumerate() {
            if !index.is_current(library) {
                index.rebuild(library, reading, number);
            }
        }
    }

    /// Whether every root is as the catalogue knows it.
    pub fn is_current(&self, library: &Library<'_>) -> bool {
        self.roots.len() == library.roots().len() && self.roots.iter().all(|index| index.is_current(library))
    }

    /// Takes the present revisions as known: after a write that concerns no skill.
    pub fn accept(&mut self, library: &Library<'_>) {
        for index in &mut self.roots {
            index.revision = index.revision_of(library);
        }
    }

    /// Takes over this crate's own change at or below a directory. The catalogue must have been up to date before it.
    pub fn changed(&mut self, library: &Library<'_>, dir: &Spot) {
        let Some(reading) = self.reading else { return };
        for (number, index) in self.roots.iter_mut().enumerate() {
            if dir.is_at_or_below(&index.root.spot) {
                index.rewalk(library, reading, number, &dir.path);
            }
            index.revision = index.revision_of(library);
        }
    }

    /// The manager's look-up (`spec/skills.md` §2): the first skill whose directory has this name, roots in order,
    /// paths in order.
    pub fn find(&self, name: &str) -> Option<&Arc<SkillDir>> {
        self.roots.iter().find_map(|index| index.named(&index.by_dir, name).find(|skill| !skill.via_link))
    }

    /// The skills with this directory name, links followed.
    pub fn in_dir(&self, name: &str) -> impl Iterator<Item = &Arc<SkillDir>> {
        self.roots.iter().flat_map(move |index| index.named(&index.by_dir, name))
    }

    /// The skills with this name in their header, as the lenient parser reads it, links followed.
    pub fn titled(&self, name: &str) -> impl Iterator<Item = &Arc<SkillDir>> {
        self.roots.iter().flat_map(move |index| index.named(&index.by_title, name))
    }

    /// The skills with this declared name that the manager's walk reaches, roots in order.
    pub fn declared(&self, name: &str) -> impl Iterator<Item = &Arc<SkillDir>> {
        self.roots
            .iter()
            .flat_map(move |index| index.named(&index.by_declared, name))
            .filter(|skill| !skill.via_link)
    }

    /// The Markdown files of this stem that are no `SKILL.md`, with the number of their root.
    pub fn flat(&self, stem: &str) -> impl Iterator<Item = (usize, Spot)> {
        self.roots.iter().enumerate().flat_map(move |(number, index)| {
            let tree = index.root.spot.tree;
            let paths = index.by_stem.get(stem).into_iter().flatten();
            paths.map(move |path| (number, Spot { tree, path: TreePath::new(path) }))
        })
    }

    /// All skills, roots in order, each in order of the full path text of its `SKILL.md`.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<SkillDir>> {
        self.roots.iter().flat_map(|index| index.skills.values())
    }

    /// The skills of one root in order of the full path text of their `SKILL.md`.
    pub fn of_root(&self, number: usize) -> impl Iterator<Item = &Arc<SkillDir>> {
        self.roots.get(number).into_iter().flat_map(|index| index.skills.values())
    }

    /// The skill at this directory, if it is one.
    pub fn at(&self, dir: &Spot) -> Option<&Arc<SkillDir>> {
        self.roots
            .iter()
            .filter(|index| index.root.spot.tree == dir.tree)
            .find_map(|index| index.skills.get(&*key_of(&dir.path)))
    }
}

impl RootIndex {
    fn empty(root: Root) -> Self {
        Self {
            root,
            revision: None,
            volatile: true,
            skills: BTreeMap::new(),
            by_dir: Names::new(),
            by_declared: Names::new(),
            by_title: Names::new(),
            flat: BTreeSet::new(),
            by_stem: Names::new(),
        }
    }

    fn revision_of(&self, library: &Library<'_>) -> Option<u64> {
        library.files(self.root.spot.tree).revision(&self.root.spot.path)
    }

    fn is_current(&self, library: &Library<'_>) -> bool {
        !self.volatile && self.revision.is_some() && self.revision == self.revision_of(library)
    }

    fn named<'i>(
        &'i self,
        names: &'i Names,
        name: &str,
    ) -> impl Iterator<Item = &'i Arc<SkillDir>> + use<'i> {
        names.get(name).into_iter().flatten().filter_map(|key| self.skills.get(key))
    }

    fn rebuild(&mut self, library: &Library<'_>, reading: Reading, number: usize) {
        let old = std::mem::replace(self, Self::empty(self.root.clone()));
        let start = self.root.spot.path.clone();
        let found = walk(library, reading.excluded, &self.root.spot, &start);
        self.volatile = found.saw_links;
        self.add(library, reading, number, found, &old.skills);
        self.revision = self.revision_of(library);
    }

    fn rewalk(&mut self, library: &Library<'_>, reading: Reading, number: usize, dir: &TreePath) {
        let old = self.take_below(dir);
        let found = walk(library, reading.excluded, &self.root.spot, dir);
        self.volatile |= found.saw_links;
        self.add(library, reading, number, found, &old);
    }

    /// Forgets everything at or below a directory and gives its skills.
    fn take_below(&mut self, dir: &TreePath) -> BTreeMap<Arc<str>, Arc<SkillDir>> {
        // `0` follows `/`: the keys below a directory are a range.
        let (from, to) = match dir.as_str() {
            "" => (String::new(), char::MAX.to_string()),
            dir => (format!("{dir}/"), format!("{dir}0")),
        };
        let range = (Bound::Included(from.as_str()), Bound::Excluded(to.as_str()));
        let gone: Vec<_> = self.skills.range::<str, _>(range).map(|(key, _)| Arc::clone(key)).collect();
        let mut old = BTreeMap::new();
        for key in gone {
            if let Some(skill) = self.skills.remove(&key) {
                drop_name(&mut self.by_dir, &skill.dir_name, &key);
                drop_name(&mut self.by_declared, &skill.declared, &key);
                if let Some(title) = skill.title() {
                    drop_name(&mut self.by_title, title, &key);
                }
                old.insert(key, skill);
            }
        }
        let gone: Vec<_> = self.flat.range::<str, _>(range).map(Arc::clone).collect();
        for key in gone {
            drop_name(&mut self.by_stem, stem_of(&key), &key);
            self.flat.remove(&key);
        }
        old
    }

    fn add(
        &mut self,
        library: &Library<'_>,
        reading: Reading,
        number: usize,
        found: Found,
        old: &BTreeMap<Arc<str>, Arc<SkillDir>>,
    ) {
        for skill in found.skills {
            let key: Arc<str> = key_of(&skill.dir).into();
            let entry = self.entry(library, reading, number, &skill, old.get(&key));
            self.by_dir.entry(Arc::clone(&entry.dir_name)).or_default().insert(Arc::clone(&key));
            self.by_declared.entry(Arc::clone(&entry.declared)).or_default().insert(Arc::clone(&key));
            if let Some(title) = entry.title() {
                self.by_title.entry(title.into()).or_default().insert(Arc::clone(&key));
            }
            self.skills.insert(key, entry);
        }
        for path in found.flat {
            let key: Arc<str> = path.as_str().into();
            self.by_stem.entry(stem_of(&key).into()).or_default().insert(Arc::clone(&key));
            self.flat.insert(key);
        }
    }

    /// The entry of a skill: the known one while its main file is as it was, else a new reading.
    fn entry(
        &self,
        library: &Library<'_>,
        reading: Reading,
        number: usize,
        found: &FoundSkill,
        old: Option<&Arc<SkillDir>>,
    ) -> Arc<SkillDir> {
        let seen = match &found.file {
            Some(file) => Seen::of(library.files(file.tree), &file.path),
            None => Seen::Never,
        };
        if let Some(known) = old
            && (known.seen, &known.file) == (seen, &found.file)
            && seen != Seen::Never
        {
            return Arc::clone(known);
        }
        let dir_name = dir_name(library, &self.root.spot, &found.dir);
        let read = found.file.as_ref().map(|file| library.files(file.tree).read(&file.path));
        let (declared, head) = match read {
            Some(Ok(bytes)) => {
                (light_name(&bytes).map(Arc::from), SkillHead::read(&bytes, reading.accept_bom))
            }
            _ => (None, None),
        };
        Arc::new(SkillDir {
            root: number,
            spot: Spot { tree: self.root.spot.tree, path: found.dir.clone() },
            file: found.file.clone(),
            declared: declared.unwrap_or_else(|| Arc::clone(&dir_name)),
            dir_name,
            head,
            via_link: found.via_link,
            seen,
        })
    }
}

/// The key of a skill: the path of its main file.
fn key_of(dir: &TreePath) -> String {
    dir.below(&TreePath::new(SKILL_FILE)).as_str().to_owned()
}

fn stem_of(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".md").unwrap_or(name)
}

fn drop_name(names: &mut Names, name: &str, key: &str) {
    if let Some(keys) = names.get_mut(name) {
        keys.remove(key);
        if keys.is_empty() {
            names.remove(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviour::{Behaviour, Settings, Version};
    use crate::stores::{Content, Files, MemFiles, remove_tree, write_text};

    fn rules() -> SkillRules {
        Behaviour::resolve(&Settings::new(Version::V0_19)).skills
    }

    fn skill(files: &mut MemFiles, dir: &str, name: &str) {
        let path = TreePath::new(&format!("skills/{dir}/SKILL.md"));
        write_text(files, &path, &format!("---\nname: {name}\n---\nx\n")).unwrap();
    }

    fn view(catalogue: &Catalogue) -> Vec<(String, String)> {
        catalogue.iter().map(|skill| (skill.spot.path.to_string(), skill.declared.to_string())).collect()
    }

    #[test]
    fn a_change_taken_over_equals_a_new_walk() {
        let rules = rules();
        let mut files = MemFiles::new("/home/agent/.hermes");
        for (dir, name) in [("a", "a"), ("a-b", "x"), ("cat/deep/a", "other"), ("umb", "umb")] {
            skill(&mut files, dir, name);
        }
        let mut catalogue = Catalogue::default();
        catalogue.refresh(&Library::open(&mut files, &mut [], &rules), &rules);
        assert_eq!(catalogue.find("a").unwrap().spot.path, TreePath::new("skills/a"));
        assert_eq!(catalogue.declared("x").count(), 1);
        type Step = fn(&mut MemFiles);
        let steps: [(&str, Step); 4] = [
            ("skills/umb", |files| skill(files, "umb/references/in", "hidden")),
            ("skills/new", |files| skill(files, "new", "n")),
            ("skills/a", |files| remove_tree(files, &TreePath::new("skills/a")).unwrap()),
            ("skills/cat", |files| skill(files, "cat", "cat")),
        ];
        for (touched, step) in steps {
            step(&mut files);
            let library = Library::open(&mut files, &mut [], &rules);
            assert!(!catalogue.is_current(&library));
            catalogue.changed(&library, &library.own().parent().unwrap().join(touched).unwrap());
            assert!(catalogue.is_current(&library));
            let mut fresh = Catalogue::default();
            fresh.refresh(&library, &rules);
            assert_eq!(view(&catalogue), view(&fresh));
        }
        assert_eq!(catalogue.find("a").unwrap().spot.path, TreePath::new("skills/cat/deep/a"));
        assert!(catalogue.find("in").is_none());
    }

    #[test]
    fn links_are_for_the_index_only_and_loops_end() {
        let rules = rules();
        let mut files = MemFiles::new("/home/agent/.hermes");
        write_text(&mut files, &TreePath::new("ext/real/SKILL.md"), "x").unwrap();
        files.create_dir(&TreePath::new("skills")).unwrap();
        let target = "/home/agent/.hermes/ext/real".to_owned();
        files.replace(&TreePath::new("skills/linked"), Content::Link(target)).unwrap();
        files.replace(&TreePath::new("skills/loop"), Content::Link(".".to_owned())).unwrap();
        let mut catalogue = Catalogue::default();
        let library = Library::open(&mut files, &mut [], &rules);
        catalogue.refresh(&library, &rules);
        assert!(catalogue.find("linked").is_none());
        assert_eq!(catalogue.in_dir("linked").count(), 1);
        assert_eq!(catalogue.iter().count(), 1);
        assert!(!catalogue.is_current(&library), "what lies behind a link may change unnoticed");
    }
}
