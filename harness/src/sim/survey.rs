//! The state of a home at the end of a day: skills by state, characters, entries of memory.
//!
//! It reads the home as any tool would, and only when something below its root changed since the last look: a day on
//! which nothing happens costs one comparison.

use agent_core::behaviour::{Behaviour, Settings};
use agent_core::curator::jobs::{is_found, named_skills};
use agent_core::prompt::{IndexContext, IndexQuery, PromptLibrary, SkillIndex};
use agent_core::skills::usage::{Record, SkillState};
use agent_core::skills::{Library, LibraryState as Known, Spot, WriteBack};
use agent_core::stores::{Files, Kind, MemFiles, TreePath, read_text, walk_files};
use agent_core::values::{Chars, ToolList};
use reports::trace::{LibraryState, MemoryState};

use super::stores::{self, Store};

/// What separates two entries of a memory file (`spec/memory.md` §2).
const DELIMITER: &str = "\n§\n";

/// The archive's place in a root.
const ARCHIVE: &str = ".archive";

/// Looks at one home again and again.
#[derive(Debug)]
pub(crate) struct Survey {
    rules: Behaviour,
    texts: PromptLibrary,
    known: Known,
    seen: Option<Vec<u64>>,
    last: (LibraryState, MemoryState),
}

impl Survey {
    /// A survey of a home whose agent has these settings.
    pub(crate) fn new(settings: &Settings) -> Self {
        let rules = Behaviour::resolve(settings);
        Self {
            texts: PromptLibrary::new(&rules.prompt.texts),
            rules,
            known: Known::new(WriteBack::Later),
            seen: None,
            last: Default::default(),
        }
    }

    /// The state now, for an agent that offers these tools on this platform.
    pub(crate) fn take(
        &mut self,
        home: &mut MemFiles,
        stores: &mut [Store],
        tools: &ToolList,
        platform: &str,
    ) -> (LibraryState, MemoryState) {
        let seen = revisions(home, stores);
        if self.seen.is_none() || seen != self.seen {
            let memory = self.memory(home);
            let index_tokens = self.index_tokens(home, stores, tools, platform);
            self.last = (LibraryState { index_tokens, ..self.library(home, stores) }, memory);
            self.seen = revisions(home, stores);
        }
        self.last
    }

    fn library(&mut self, home: &mut MemFiles, stores: &mut [Store]) -> LibraryState {
        let jobs = named_skills(home);
        let mut shared = stores::roots(stores);
        let library = Library::open(home, &mut shared, &self.rules.skills);
        let archived = library.local_roots().map(|root| archived(&library, &root.spot)).sum();
        self.known.catalogue.refresh(&library, &self.rules.skills);
        self.known.book.sync(&library);
        let mut state = LibraryState { archived, ..LibraryState::default() };
        for skill in self.known.catalogue.iter() {
            let record = self.known.book.get(&skill.declared);
            match record.and_then(Record::state) {
                Some(SkillState::Stale) => state.stale += 1,
                _ => state.active += 1,
            }
            state.pinned += u64::from(record.is_some_and(Record::is_pinned));
            let files = library.files(skill.spot.tree);
            walk_files(files, &skill.spot.path, &mut |path, kind| {
                if kind == Kind::File {
                    state.chars += chars(files, path);
                }
            });
        }
        // A job that names no skill of the library runs without it.
        let skills = || self.known.catalogue.iter();
        let there = |name: &str| skills().any(|skill| *skill.declared == *name || *skill.dir_name == *name);
        let strays = |names: &[String]| names.iter().any(|name| !is_found(name, there));
        state.jobs = jobs.len() as u64;
        state.jobs_bare = jobs.iter().filter(|(_, names)| names.is_empty()).count() as u64;
        state.jobs_astray = jobs.iter().filter(|(_, names)| strays(names)).count() as u64;
        state
    }

    /// Tokens of the index block that a session opened now would have. A copy of the home is asked (it costs one
    /// reference), because building the block leaves a file.
    fn index_tokens(&self, home: &MemFiles, stores: &[Store], tools: &ToolList, platform: &str) -> u64 {
        let (mut copy, mut stores) = (home.clone(), stores.to_vec());
        let mut shared = stores::roots(&mut stores);
        let mut library = Library::open(&mut copy, &mut shared, &self.rules.skills);
        let names: Vec<&str> = tools.names().collect();
        let query = IndexQuery { tools: Some(&names), toolsets: None, platform, demoted: &[] };
        let context = IndexContext {
            texts: &self.texts,
            rules: self.rules.prompt.index,
            skill_rules: &self.rules.skills,
        };
        SkillIndex::default().block(&query, &mut library, &context).tokens.0
    }

    fn memory(&self, home: &MemFiles) -> MemoryState {
        let rules = &self.rules.memory;
        let limit = |limit: i64| u64::try_from(limit).unwrap_or(0);
        let (notes_entries, notes_chars) = entries(home, "memories/MEMORY.md");
        let (profile_entries, profile_chars) = entries(home, "memories/USER.md");
        MemoryState {
            notes_entries,
            notes_chars,
            notes_limit: limit(rules.notes_limit),
            profile_entries,
            profile_chars,
            profile_limit: limit(rules.profile_limit),
        }
    }
}

/// Directories in the archive of a root.
fn archived(library: &Library<'_>, root: &Spot) -> u64 {
    let Ok(archive) = root.join(ARCHIVE) else { return 0 };
    let entries = library.files(root.tree).list(&archive.path).unwrap_or_default();
    entries.iter().filter(|entry| entry.kind == Kind::Dir).count() as u64
}

/// What changes whenever anything in home or stores changes.
fn revisions(home: &MemFiles, stores: &[Store]) -> Option<Vec<u64>> {
    let trees = std::iter::once(home).chain(stores.iter().map(|store| &store.files));
    trees.map(|tree| tree.revision(&TreePath::root())).collect()
}

fn chars(files: &dyn Files, path: &TreePath) -> u64 {
    read_text(files, path).map_or(0, |text| Chars::of(&text).0 as u64)
}

/// Entries of a memory file and their characters.
fn entries(home: &MemFiles, path: &str) -> (u64, u64) {
    let Ok(text) = read_text(home, &TreePath::new(path)) else { return (0, 0) };
    let entries: Vec<&str> = text.split(DELIMITER).map(str::trim).filter(|entry| !entry.is_empty()).collect();
    (entries.len() as u64, Chars::of(&entries.join(DELIMITER)).0 as u64)
}
