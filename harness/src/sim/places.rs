//! Where lessons lie within a home: in notes, profile, skills, supporting files, or in the archive.
//!
//! It reads the home as any tool would, and reads again only what changed since the last look: a library of thousands of
//! skills costs a comparison each when one of them is written.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use agent_core::stores::{Files, Kind, MemFiles, TreePath, read_text, walk_files};
use reports::Place;

use crate::families::{Families, HazardId};

/// Directories below `skills` that hold no skills in use.
const ARCHIVE: &str = ".archive";

/// Where one lesson lies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lie {
    /// Within reach; none if nowhere.
    pub(crate) place: Option<Place>,
    /// The skill that holds it; an archived one if no other does.
    pub(crate) skill: Option<Arc<str>>,
    /// Whether it lies in the archive alone.
    pub(crate) archived: bool,
}

/// A lesson that came within reach, or that is nowhere any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Moved {
    pub(crate) id: HazardId,
    /// Where it lies now, or where it lay.
    pub(crate) lie: Lie,
    pub(crate) learned: bool,
}

/// The lessons of one home, as of the last look.
#[derive(Debug, Default)]
pub(crate) struct Places {
    seen: Option<[Option<u64>; 2]>,
    memory: [BTreeSet<HazardId>; 2],
    skills: BTreeMap<TreePath, SkillDir>,
    lies: BTreeMap<HazardId, Lie>,
    look: u64,
}

/// One skill's directory.
#[derive(Debug)]
struct SkillDir {
    revision: Option<u64>,
    /// The look that saw it last.
    look: u64,
    text: BTreeSet<HazardId>,
    files: BTreeSet<HazardId>,
}

impl Places {
    /// Where a lesson lies, as of the last look.
    pub(crate) fn of(&self, id: HazardId) -> Lie {
        self.lies.get(&id).cloned().unwrap_or_default()
    }

    /// Looks again if anything changed; what moved.
    pub(crate) fn look(&mut self, home: &MemFiles, families: &Families) -> Vec<Moved> {
        let now = ["memories", "skills"].map(|dir| home.revision(&TreePath::new(dir)));
        if self.seen == Some(now) {
            return Vec::new();
        }
        self.look += 1;
        self.memory = ["memories/MEMORY.md", "memories/USER.md"]
            .map(|file| lessons_in(&read_text(home, &TreePath::new(file)).unwrap_or_default(), families));
        if self.seen.map(|[_, skills]| skills) != Some(now[1]) || now[1].is_none() {
            self.walk(home, &TreePath::new("skills"), families);
            let look = self.look;
            self.skills.retain(|_, dir| dir.look == look);
        }
        self.seen = Some(now);
        self.compare(families)
    }

    /// Looks at the skills below a directory; one that did not change is not read.
    fn walk(&mut self, home: &MemFiles, dir: &TreePath, families: &Families) {
        let revision = home.revision(dir);
        if let Some(known) = self.skills.get_mut(dir)
            && known.revision == revision
            && revision.is_some()
        {
            known.look = self.look;
            return;
        }
        let Ok(entries) = home.list(dir) else { return };
        if entries.iter().any(|entry| entry.name == "SKILL.md" && entry.kind == Kind::File) {
            let skill = read_skill(home, dir, families);
            self.skills.insert(dir.clone(), SkillDir { revision, look: self.look, ..skill });
            return;
        }
        for entry in entries.iter().filter(|entry| entry.kind == Kind::Dir) {
            if (!entry.name.starts_with('.') || entry.name == ARCHIVE)
                && let Ok(below) = dir.join(&entry.name)
            {
                self.walk(home, &below, families);
            }
        }
    }

    fn compare(&mut self, families: &Families) -> Vec<Moved> {
        let mut moved = Vec::new();
        for (id, _) in families.hazards() {
            let now = self.find(id, families);
            let before = self.lies.insert(id, now.clone()).unwrap_or_default();
            match (before.place, now.place) {
                (None, Some(_)) => moved.push(Moved { id, lie: now, learned: true }),
                (Some(_), None) => moved.push(Moved { id, lie: before, learned: false }),
                _ => {}
            }
        }
        moved
    }

    fn find(&self, id: HazardId, families: &Families) -> Lie {
        let own = families.list[id.family].skill.as_ref().map(|skill| &*skill.name);
        let skill = |holds: fn(&SkillDir) -> &BTreeSet<HazardId>, archived: bool| {
            let here = |(path, dir): &(&TreePath, &SkillDir)| {
                is_archived(path) == archived && holds(dir).contains(&id)
            };
            let mut all = self.skills.iter().filter(here).map(|(path, _)| path.name());
            // The family's own skill, if it is among them.
            let first = all.next()?;
            Some(Arc::from(if Some(first) == own {
                first
            } else {
                all.find(|name| Some(*name) == own).unwrap_or(first)
            }))
        };
        let (in_text, in_files) = (skill(|dir| &dir.text, false), skill(|dir| &dir.files, false));
        let lie = |place: Place, skill: Option<Arc<str>>| Lie { place: Some(place), skill, archived: false };
        let [notes, profile] = &self.memory;
        if notes.contains(&id) {
            return lie(Place::Memory, in_text.or(in_files));
        }
        if profile.contains(&id) {
            return lie(Place::User, in_text.or(in_files));
        }
        if in_text.is_some() {
            return lie(Place::Skill, in_text);
        }
        if in_files.is_some() {
            return lie(Place::SupportFile, in_files);
        }
        let archived = skill(|dir| &dir.text, true).or_else(|| skill(|dir| &dir.files, true));
        Lie { place: None, archived: archived.is_some(), skill: archived }
    }
}

fn is_archived(path: &TreePath) -> bool {
    path.components().any(|part| part == ARCHIVE)
}

fn read_skill(home: &MemFiles, dir: &TreePath, families: &Families) -> SkillDir {
    let (mut text, mut files) = (BTreeSet::new(), BTreeSet::new());
    walk_files(home, dir, &mut |path, kind| {
        if kind == Kind::File {
            let found = lessons_in(&read_text(home, path).unwrap_or_default(), families);
            if path.name() == "SKILL.md" { text.extend(found) } else { files.extend(found) }
        }
    });
    SkillDir { revision: None, look: 0, text, files }
}

/// The lessons that a text holds.
pub(crate) fn lessons_in(text: &str, families: &Families) -> BTreeSet<HazardId> {
    families
        .hazards()
        .filter(|(_, hazard)| text.contains(&*hazard.lesson.pattern))
        .map(|(id, _)| id)
        .collect()
}
