//! The snapshot of the own library on disk, `.skills_prompt_snapshot.json` (`spec/prompt.md` §3.3).

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::entry::{Conditions, Entry};
use super::scan::{Scan, Seen};
use crate::behaviour::IndexRules;
use crate::stores::{Content, Files, TreePath, read_text};

/// The file's name in the home.
const NAME: &str = ".skills_prompt_snapshot.json";
/// The only version of the format that is read.
const VERSION: u64 = 1;

/// The file. Read leniently: what does not fit makes it worthless, not an error.
#[derive(Serialize, Deserialize)]
struct SnapshotFile {
    version: u64,
    manifest: BTreeMap<Arc<str>, Seen>,
    skills: Vec<SkillRecord>,
    category_descriptions: BTreeMap<Arc<str>, Arc<str>>,
}

#[derive(Serialize, Deserialize)]
struct SkillRecord {
    skill_name: Arc<str>,
    category: Arc<str>,
    frontmatter_name: Arc<str>,
    description: Arc<str>,
    #[serde(default)]
    platforms: Vec<String>,
    #[serde(default)]
    conditions: Conditions,
    /// Not in the reference's file (the fault `index_snapshot_forgets_environments`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    environments: Option<Vec<String>>,
}

/// What a snapshot gives: the skills and what categories say of themselves.
pub(super) type Stored = (Vec<Entry>, BTreeMap<Arc<str>, Arc<str>>);

pub(super) fn path() -> TreePath {
    TreePath::new(NAME)
}

/// What the snapshot holds, if it was made of just these files.
pub(super) fn load(home: &dyn Files, library: &Scan, rules: IndexRules) -> Option<Stored> {
    let text = read_text(home, &path()).ok()?;
    let file: SnapshotFile = serde_json::from_str(&text).ok()?;
    if file.version != VERSION || file.manifest != library.manifest {
        return None;
    }
    let keep = rules.snapshot_keeps_environments;
    let entries =
        file.skills.into_iter().map(|record| record.into_entry(keep)).collect::<Option<Vec<_>>>()?;
    Some((entries, file.category_descriptions))
}

impl SkillRecord {
    /// The skill. Where `environments` count, a record without them is worth nothing.
    fn into_entry(self, keep_environments: bool) -> Option<Entry> {
        let environments = if keep_environments { self.environments? } else { Vec::new() };
        Some(Entry {
            folder: self.skill_name,
            category: self.category,
            name: self.frontmatter_name,
            description: self.description,
            platforms: self.platforms,
            environments,
            conditions: self.conditions,
        })
    }
}

/// Writes the snapshot. It is a convenience: trouble with it is no trouble of the index.
pub(super) fn save(
    home: &mut dyn Files,
    library: &Scan,
    fits_place: &dyn Fn(&Entry) -> bool,
    rules: IndexRules,
) {
    let keep = rules.snapshot_keeps_environments;
    let skills = library.entries.iter().map(|entry| SkillRecord {
        skill_name: Arc::clone(&entry.folder),
        category: Arc::clone(&entry.category),
        frontmatter_name: Arc::clone(&entry.name),
        // The reference stops reading a skill that the system or an environment hides, before its description.
        description: if keep || fits_place(entry) { Arc::clone(&entry.description) } else { "".into() },
        platforms: entry.platforms.clone(),
        conditions: entry.conditions.clone(),
        environments: keep.then(|| entry.environments.clone()),
    });
    let file = SnapshotFile {
        version: VERSION,
        manifest: library.manifest.clone(),
        skills: skills.collect(),
        category_descriptions: library.categories.clone(),
    };
    if let Ok(bytes) = serde_json::to_vec(&file) {
        let written = home.replace(&path(), Content::bytes(bytes));
        drop(written);
    }
}

/// Removes the snapshot, as a successful `skill_manage` does.
pub(super) fn remove(home: &mut dyn Files) {
    let removed = home.remove(&path());
    drop(removed);
}
