//! Finding `SKILL.md` and `DESCRIPTION.md` files (`spec/prompt.md` §3.1).
//!
//! The walk follows links that stay inside the library's trees. What was found below a directory is kept with the
//! directory's revision: while that stands still, nothing below is listed or read again. Below links nothing is kept,
//! since a link's target can change without it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::entry::{Entry, category_words, described_category};
use crate::behaviour::Excluded;
use crate::skills::{Library, Spot, Whereabouts, is_excluded_name, is_support_name};
use crate::stores::{Entry as DirEntry, Kind};

/// How deep the walk goes; deeper directories hold no skill that a person made.
const DEPTH_MAX: usize = 64;
/// How many directories one walk enters by way of links, so that links to each other cannot multiply without end.
const LINKED_DIRS_MAX: usize = 4096;

/// The main file of a skill.
const SKILL_FILE: &str = "SKILL.md";
/// The file in which a category describes itself.
const CATEGORY_FILE: &str = "DESCRIPTION.md";

/// Modification time in nanoseconds and size in bytes, as the manifest of the snapshot has them.
pub(super) type Seen = (i64, u64);

/// What lies below a root, in path order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Scan {
    /// Path below the root → what the manifest says of the file.
    pub(super) manifest: BTreeMap<Arc<str>, Seen>,
    /// The skills.
    pub(super) entries: Vec<Entry>,
    /// What categories say of themselves.
    pub(super) categories: BTreeMap<Arc<str>, Arc<str>>,
    /// The whole texts of the skills, where they are shown.
    pub(super) bodies: Option<Vec<Arc<str>>>,
}

/// How a root is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    /// Which directories are not entered.
    pub(super) excluded: Excluded,
    /// Whether a byte order mark before a header is dropped.
    pub(super) drop_bom: bool,
    /// Whether whole texts are kept.
    pub(super) whole: bool,
}

/// The memory of one root.
#[derive(Debug, Default)]
pub(super) struct Scanner {
    top: Option<Node>,
    scan: Arc<Scan>,
    reading: Option<Reading>,
}

/// What a file turned out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    Skill(Box<Entry>, Option<Arc<str>>),
    Category(Option<Arc<str>>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Found {
    path: Arc<str>,
    revision: Option<u64>,
    seen: Option<Seen>,
    what: What,
}

#[derive(Debug, Default)]
struct Node {
    /// The directory itself: a link can lead to another one of the same revision.
    real: Option<Spot>,
    revision: Option<u64>,
    /// Whether a link was met at or below.
    linked: bool,
    found: Vec<Found>,
    children: BTreeMap<String, Node>,
}

struct Walk<'w, 't> {
    library: &'w Library<'t>,
    reading: Reading,
    root_name: &'w str,
    linked_dirs: usize,
    changed: bool,
}

impl Scanner {
    /// What lies below a root now. The same `Arc` comes back while nothing changed.
    pub(super) fn scan(&mut self, library: &Library<'_>, root: &Spot, reading: Reading) -> Arc<Scan> {
        if self.reading != Some(reading) {
            *self = Self { reading: Some(reading), ..Self::default() };
        }
        let first = self.top.is_none();
        let path = library.absolute(root);
        let root_name = path.trim_end_matches('/').rsplit('/').next().unwrap_or("");
        let mut walk = Walk { library, reading, root_name, linked_dirs: 0, changed: false };
        let top = walk.dir(root, "", self.top.take(), &mut vec![root.clone()]);
        if walk.changed || first {
            self.scan = Arc::new(flatten(&top, reading.whole));
        }
        self.top = Some(top);
        Arc::clone(&self.scan)
    }
}

impl Walk<'_, '_> {
    /// Looks at the directory `real`, which is shown as `shown` below the root. `above` holds the real directories on
    /// the way, so that a link back to one of them is not followed.
    fn dir(&mut self, real: &Spot, shown: &str, old: Option<Node>, above: &mut Vec<Spot>) -> Node {
        let files = self.library.files(real.tree);
        let revision = files.revision(&real.path);
        let mut old = old.unwrap_or_default();
        let same_place = old.real.as_ref() == Some(real);
        if revision.is_some() && old.revision == revision && same_place && !old.linked {
            return old;
        }
        let mut node = Node { real: Some(real.clone()), revision, ..Node::default() };
        let entries = files.list(&real.path).unwrap_or_default();
        let in_skill = entries.iter().any(|entry| entry.name == SKILL_FILE && entry.kind != Kind::Dir);
        for entry in entries {
            let Some((target, kind)) = self.target(real, &entry, &mut node) else { continue };
            let below = if shown.is_empty() { entry.name.clone() } else { format!("{shown}/{}", entry.name) };
            if kind == Some(Kind::Dir) {
                let Some(target) = target.filter(|_| !self.is_skipped(&entry.name, in_skill)) else {
                    continue;
                };
                let known = old.children.remove(&entry.name);
                if let Some(child) = self.child(&target, entry.kind, &below, known, above) {
                    node.linked |= child.linked;
                    node.children.insert(entry.name, child);
                }
            } else if entry.name == SKILL_FILE || entry.name == CATEGORY_FILE {
                node.found.push(self.file(target.as_ref(), below, &old.found));
            }
        }
        let same = |(new, old): (&Found, &Found)| {
            new.path == old.path && new.seen == old.seen && new.what == old.what
        };
        self.changed |= node.found.len() != old.found.len() || !node.found.iter().zip(&old.found).all(same);
        // What is left of the old children was not met any more.
        self.changed |= old.children.values().any(Node::holds_something);
        node
    }

    /// Where an entry really lies and what it is; a link that leads nowhere has no place. `None` for a bad name.
    fn target(&self, dir: &Spot, entry: &DirEntry, node: &mut Node) -> Option<(Option<Spot>, Option<Kind>)> {
        let spot = dir.join(&entry.name).ok()?;
        if entry.kind != Kind::Link {
            return Some((Some(spot), Some(entry.kind)));
        }
        node.linked = true;
        let Ok(Whereabouts::Inside(real)) = self.library.resolve(&spot) else { return Some((None, None)) };
        let stat = self.library.files(real.tree).stat(&real.path).ok().flatten();
        Some((Some(real), stat.map(|stat| stat.kind)))
    }

    fn child(
        &mut self,
        target: &Spot,
        kind: Kind,
        shown: &str,
        old: Option<Node>,
        above: &mut Vec<Spot>,
    ) -> Option<Node> {
        self.linked_dirs += usize::from(kind == Kind::Link);
        let one_too_many = kind == Kind::Link && self.linked_dirs > LINKED_DIRS_MAX;
        if above.len() >= DEPTH_MAX || one_too_many || above.contains(target) {
            self.changed |= old.is_some_and(|old| old.holds_something());
            return None;
        }
        above.push(target.clone());
        let child = self.dir(target, shown, old, above);
        above.pop();
        Some(child)
    }

    fn is_skipped(&self, name: &str, in_skill: bool) -> bool {
        let excluded = self.reading.excluded;
        is_excluded_name(excluded, name) || in_skill && is_support_name(excluded, name)
    }

    fn file(&self, real: Option<&Spot>, shown: String, old: &[Found]) -> Found {
        let files = real.map(|real| (self.library.files(real.tree), &real.path));
        let revision = files.and_then(|(files, path)| files.revision(path));
        let known = old.iter().find(|found| *found.path == *shown);
        if let Some(known) = known.filter(|known| revision.is_some() && known.revision == revision) {
            return known.clone();
        }
        let seen = files
            .and_then(|(files, path)| files.stat(path).ok().flatten())
            .map(|stat| (stat.modified_ns, stat.len));
        let bytes = files.and_then(|(files, path)| files.read(path).ok());
        let file = bytes.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok());
        let Reading { drop_bom, whole, .. } = self.reading;
        let what = if shown.ends_with(SKILL_FILE) {
            let body = whole.then(|| Arc::from(file.unwrap_or("")));
            What::Skill(Box::new(Entry::new(&shown, self.root_name, file, drop_bom)), body)
        } else {
            What::Category(file.and_then(|file| category_words(file, drop_bom)))
        };
        Found { path: shown.into(), revision, seen, what }
    }
}

impl Node {
    fn holds_something(&self) -> bool {
        !self.found.is_empty() || self.children.values().any(Self::holds_something)
    }

    fn collect<'a>(&'a self, all: &mut Vec<&'a Found>) {
        all.extend(&self.found);
        for child in self.children.values() {
            child.collect(all);
        }
    }
}

/// Everything that was found, by path text.
fn flatten(top: &Node, whole: bool) -> Scan {
    let mut all = Vec::new();
    top.collect(&mut all);
    all.sort_by(|one, two| one.path.cmp(&two.path));
    let mut scan = Scan::default();
    let mut bodies = Vec::new();
    for found in all {
        if let Some(seen) = found.seen {
            scan.manifest.insert(Arc::clone(&found.path), seen);
        }
        match &found.what {
            What::Skill(entry, body) => {
                scan.entries.push((**entry).clone());
                bodies.extend(body.clone());
            }
            What::Category(Some(words)) => {
                scan.categories.insert(described_category(&found.path).into(), Arc::clone(words));
            }
            What::Category(None) => {}
        }
    }
    scan.bodies = whole.then_some(bodies);
    scan
}
