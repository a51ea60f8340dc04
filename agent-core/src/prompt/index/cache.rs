//! The index with its caches (`spec/prompt.md` §3.3).
//!
//! The reference keeps two: one in the process, of eight blocks, that does not look at the files, and a snapshot on
//! disk. Both can make a session see another index than the files would give, so both are kept here with the same
//! effects. Beside them stands a memory without effects: blocks already made of the same files for the same question.

use std::sync::Arc;

use super::super::library::PromptLibrary;
use super::block::{IndexBlock, Shown};
use super::entry::Entry;
use super::filter::{IndexQuery, disabled, fits_place};
use super::scan::{Reading, Scan, Scanner};
use super::snapshot::{self, Stored};
use crate::behaviour::{IndexCache, IndexRules, SkillRules, SkillsBlock};
use crate::skills::{Library, Root};
use crate::stores::{Files, is_dir};

/// Blocks that a process keeps (`spec/prompt.md` §3.3).
const BLOCKS_MAX: usize = 8;

/// The rules that an index follows: its own and those of the library.
#[derive(Clone, Copy, Debug)]
pub struct IndexContext<'a> {
    /// The wording around the list.
    pub texts: &'a PromptLibrary,
    /// How the index is made.
    pub rules: IndexRules,
    /// What hides a skill and where none are looked for.
    pub skill_rules: &'a SkillRules,
}

/// The skills index of one user's agent, over all its processes.
#[derive(Debug, Default)]
pub struct SkillIndex {
    /// Scanners by the absolute path of their root.
    scanners: Vec<(String, Scanner)>,
    stored: Option<StoredMemo>,
    /// Newest last.
    blocks: Vec<Kept>,
}

/// What the snapshot on disk gave for a scan, while both stand still.
#[derive(Debug)]
struct StoredMemo {
    revision: u64,
    scan: Arc<Scan>,
    keeps_environments: bool,
    stored: Option<Arc<Stored>>,
}

#[derive(Debug)]
struct Kept {
    question: Question,
    sources: Sources,
    block: Arc<IndexBlock>,
    /// Whether this process made or used it, so that the reference's own cache would hold it.
    of_process: bool,
}

/// The key of the reference's cache.
#[derive(Debug, PartialEq, Eq)]
struct Question {
    roots: Vec<String>,
    tools: Option<Vec<String>>,
    toolsets: Option<Vec<String>>,
    platform: String,
    disabled: Vec<String>,
    demoted: Vec<String>,
}

/// What a block was made of. Compared by identity: equal files give the same `Arc`.
#[derive(Debug)]
struct Sources {
    own: Arc<Scan>,
    stored: Option<Arc<Stored>>,
    others: Vec<Arc<Scan>>,
}

impl Sources {
    fn same(&self, other: &Self) -> bool {
        let stored = match (&self.stored, &other.stored) {
            (None, None) => true,
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            _ => false,
        };
        stored
            && Arc::ptr_eq(&self.own, &other.own)
            && self.others.len() == other.others.len()
            && self.others.iter().zip(&other.others).all(|(one, two)| Arc::ptr_eq(one, two))
    }
}

impl SkillIndex {
    /// The block for a session: what the own root and then the others hold. Writes the snapshot on disk.
    pub fn block(
        &mut self,
        query: &IndexQuery<'_>,
        skills: &mut Library<'_>,
        context: &IndexContext<'_>,
    ) -> Arc<IndexBlock> {
        let own = skills.own();
        let has_own = is_dir(skills.files(own.tree), &own.path);
        if !has_own && skills.roots().len() == 1 {
            return Arc::new(IndexBlock::empty());
        }
        let question = Question::of(query, skills, context.skill_rules);
        if context.rules.cache == IndexCache::Question
            && let Some(at) = self.blocks.iter().position(|kept| kept.of_process && kept.question == question)
        {
            return self.used(at);
        }
        let sources = self.sources(skills, has_own, context);
        let same = |kept: &Kept| kept.question == question && kept.sources.same(&sources);
        if let Some(at) = self.blocks.iter().position(same) {
            return self.used(at);
        }
        let block = Arc::new(render(&sources, query, context));
        // A block of older files is of no use, nor does the reference keep two for one question.
        self.blocks.retain(|kept| kept.question != question);
        if self.blocks.len() == BLOCKS_MAX {
            let oldest = self.blocks.iter().position(|kept| !kept.of_process).unwrap_or(0);
            self.blocks.remove(oldest);
        }
        self.blocks.push(Kept { question, sources, block: Arc::clone(&block), of_process: true });
        block
    }

    /// The process ended or its cache was cleared: the next block looks at the files again.
    pub fn new_process(&mut self) {
        for kept in &mut self.blocks {
            kept.of_process = false;
        }
    }

    /// What a successful `skill_manage` does: clears the process's cache and removes the snapshot.
    pub fn skill_written(&mut self, home: &mut dyn Files) {
        self.new_process();
        snapshot::remove(home);
    }

    fn used(&mut self, at: usize) -> Arc<IndexBlock> {
        let mut kept = self.blocks.remove(at);
        kept.of_process = true;
        let block = Arc::clone(&kept.block);
        self.blocks.push(kept);
        block
    }

    fn sources(&mut self, skills: &mut Library<'_>, has_own: bool, context: &IndexContext<'_>) -> Sources {
        let reading = Reading {
            excluded: context.skill_rules.excluded,
            drop_bom: context.skill_rules.accept_bom,
            whole: context.rules.block == SkillsBlock::Full,
        };
        let roots: Vec<(String, Root)> =
            skills.roots().iter().map(|root| (skills.absolute(&root.spot), root.clone())).collect();
        self.scanners.retain(|(path, _)| roots.iter().any(|(known, _)| known == path));
        let mut scans = Vec::with_capacity(roots.len());
        for (number, (path, root)) in roots.into_iter().enumerate() {
            let missing = number == 0 && !has_own;
            scans.push(if missing { Arc::default() } else { self.scan(skills, path, &root, reading) });
        }
        let own = scans.remove(0);
        let stored = if has_own { self.stored(skills.home_mut(), &own, context) } else { None };
        Sources { own, stored, others: scans }
    }

    fn scan(&mut self, skills: &Library<'_>, path: String, root: &Root, reading: Reading) -> Arc<Scan> {
        let at = self.scanners.iter().position(|(known, _)| *known == path).unwrap_or_else(|| {
            self.scanners.push((path, Scanner::default()));
            self.scanners.len() - 1
        });
        self.scanners[at].1.scan(skills, &root.spot, reading)
    }

    /// What the snapshot gives for these files; makes one where it gives nothing.
    fn stored(
        &mut self,
        home: &mut dyn Files,
        own: &Arc<Scan>,
        context: &IndexContext<'_>,
    ) -> Option<Arc<Stored>> {
        let rules = context.rules;
        let keeps_environments = rules.snapshot_keeps_environments;
        let revision = home.revision(&snapshot::path());
        let known = self.stored.as_ref().filter(|memo| {
            Some(memo.revision) == revision
                && Arc::ptr_eq(&memo.scan, own)
                && memo.keeps_environments == keeps_environments
        });
        if let Some(stored) = known.and_then(|memo| memo.stored.clone()) {
            return Some(stored);
        }
        let stored = snapshot::load(home, own, rules).map(Arc::new);
        if stored.is_none() {
            snapshot::save(home, own, &|entry| fits_place(entry, context.skill_rules), rules);
        }
        self.stored = home.revision(&snapshot::path()).map(|revision| StoredMemo {
            revision,
            scan: Arc::clone(own),
            keeps_environments,
            stored: stored.clone(),
        });
        stored
    }
}

fn render(sources: &Sources, query: &IndexQuery<'_>, context: &IndexContext<'_>) -> IndexBlock {
    let skill_rules = context.skill_rules;
    let off = disabled(query.platform, skill_rules);
    let is_off = |entry: &Entry| off.contains(&&*entry.name) || off.contains(&&*entry.folder);
    let visible = |entry: &Entry| fits_place(entry, skill_rules) && !is_off(entry) && query.offers(entry);
    let mut shown = Shown::default();
    let own = &sources.own;
    let categories = match &sources.stored {
        // Whole texts are not in the snapshot.
        Some(stored) if own.bodies.is_none() => {
            shown.add_own(&stored.0, None, &visible);
            &stored.1
        }
        _ => {
            shown.add_own(&own.entries, own.bodies.as_deref(), &visible);
            &own.categories
        }
    };
    for other in &sources.others {
        shown.add_other(other, &visible);
    }
    shown.describe(categories);
    for other in &sources.others {
        shown.describe(&other.categories);
    }
    shown.render(query, context.texts, context.rules)
}

impl Question {
    fn of(query: &IndexQuery<'_>, skills: &Library<'_>, skill_rules: &SkillRules) -> Self {
        Self {
            roots: skills.roots().iter().map(|root| skills.absolute(&root.spot)).collect(),
            tools: query.tools.map(sorted),
            toolsets: query.toolsets.map(sorted),
            platform: query.platform.to_owned(),
            disabled: sorted(&disabled(query.platform, skill_rules)),
            demoted: sorted(query.demoted),
        }
    }
}

fn sorted(names: &[&str]) -> Vec<String> {
    let mut names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    names.sort_unstable();
    names.dedup();
    names
}
