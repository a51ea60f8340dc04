//! The state of a home at the end of a day: skills by state, characters, entries of memory.
//!
//! It reads the home as any tool would, and only when something below its root changed since the last look: a day on
//! which nothing happens costs one comparison.

use agent_core::behaviour::{Behaviour, Settings};
use agent_core::curator::jobs::{is_found, named_skills};
use agent_core::prompt::{IndexContext, IndexQuery, PromptLibrary, SkillIndex};
use agent_core::skills::usage::{Record, SkillState};
use agent_core::skills::{Library, LibraryState as Known, WriteBack};
use agent_core::stores::{Files, Kind, MemFiles, TreePath, read_text, walk_files};
use agent_core::values::{Chars, ToolList};
use reports::trace::{LibraryState, MemoryState};

/// What separates two entries of a memory file (`spec/memory.md` §2).
const DELIMITER: &str = "\n§\n";

/// The archive's place in a home.
const ARCHIVE: &str = "skills/.archive";

/// Looks at one home again and again.
#[derive(Debug)]
pub(crate) struct Survey {
    rules: Behaviour,
    texts: PromptLibrary,
    known: Known,
    seen: Option<u64>,
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
        tools: &ToolList,
        platform: &str,
    ) -> (LibraryState, MemoryState) {
        let revision = home.revision(&TreePath::root());
        if self.seen.is_none() || revision != self.seen {
            let memory = self.memory(home);
            let index_tokens = self.index_tokens(home, tools, platform);
            self.last = (LibraryState { index_tokens, ..self.library(home) }, memory);
            self.seen = home.revision(&TreePath::root());
        }
        self.last
    }

    fn library(&mut self, home: &mut MemFiles) -> LibraryState {
        let archived = archived(home);
        let jobs = named_skills(home);
        let library = Library::open(home, &mut [], &self.rules.skills);
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
    fn index_tokens(&self, home: &MemFiles, tools: &ToolList, platform: &str) -> u64 {
        let mut copy = home.clone();
        let mut library = Library::open(&mut copy, &mut [], &self.rules.skills);
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

/// Directories in the archive.
fn archived(home: &MemFiles) -> u64 {
    let entries = home.list(&TreePath::new(ARCHIVE)).unwrap_or_default();
    entries.iter().filter(|entry| entry.kind == Kind::Dir).count() as u64
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
