//! How the index looks in the prompt (`spec/prompt.md` §3).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use super::super::library::{PromptLibrary, PromptName};
use super::entry::Entry;
use super::filter::IndexQuery;
use super::scan::Scan;
use crate::behaviour::{IndexRules, SkillsBlock};
use crate::values::{Chars, Tokens};

/// The index of one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexBlock {
    /// The block; empty where no skill is visible.
    pub text: Arc<str>,
    /// The skills listed, each with what is shown of its description, in the order shown.
    pub listed: Arc<[(Arc<str>, Arc<str>)]>,
    /// Tokens of the block.
    pub tokens: Tokens,
}

impl IndexBlock {
    pub(super) fn empty() -> Self {
        Self { text: "".into(), listed: Arc::from([]), tokens: Tokens(0) }
    }
}

/// The skills that are shown, by category.
#[derive(Default)]
pub(super) struct Shown<'a> {
    categories: BTreeMap<&'a str, Category<'a>>,
    names: BTreeSet<&'a str>,
}

#[derive(Default)]
struct Category<'a> {
    words: Option<&'a str>,
    /// In path order.
    skills: Vec<(&'a Entry, Option<&'a str>)>,
}

impl<'a> Shown<'a> {
    /// Adds the visible skills of the own library, in path order, with their whole texts where those are shown.
    pub(super) fn add_own(
        &mut self,
        entries: &'a [Entry],
        bodies: Option<&'a [Arc<str>]>,
        visible: &dyn Fn(&Entry) -> bool,
    ) {
        for (at, entry) in entries.iter().enumerate().filter(|(_, entry)| visible(entry)) {
            self.push(entry, bodies.and_then(|bodies| bodies.get(at)));
        }
    }

    /// Adds the visible skills of another library whose names were not seen yet.
    pub(super) fn add_other(&mut self, library: &'a Scan, visible: &dyn Fn(&Entry) -> bool) {
        for (at, entry) in library.entries.iter().enumerate().filter(|(_, entry)| visible(entry)) {
            if !self.names.contains(&*entry.name) {
                self.push(entry, library.bodies.as_ref().and_then(|bodies| bodies.get(at)));
            }
        }
    }

    fn push(&mut self, entry: &'a Entry, body: Option<&'a Arc<str>>) {
        self.names.insert(&entry.name);
        self.categories.entry(&entry.category).or_default().skills.push((entry, body.map(|body| &**body)));
    }

    /// Adds what categories of the skills added so far say of themselves, where nothing is said yet.
    pub(super) fn describe(&mut self, words: &'a BTreeMap<Arc<str>, Arc<str>>) {
        for (category, words) in words {
            if let Some(known) = self.categories.get_mut(&**category) {
                known.words.get_or_insert(words);
            }
        }
    }

    pub(super) fn render(
        self,
        query: &IndexQuery<'_>,
        library: &PromptLibrary,
        rules: IndexRules,
    ) -> IndexBlock {
        if self.categories.is_empty() {
            return IndexBlock::empty();
        }
        let mut lines = String::new();
        let mut bodies = String::new();
        let mut listed = Vec::new();
        let mut any_demoted = false;
        for (name, category) in self.categories {
            let skills = sorted(category.skills);
            if query.demotes(name, rules) {
                any_demoted = true;
                demoted_line(&mut lines, name, &skills);
                listed.extend(skills.iter().map(|(entry, _)| (Arc::clone(&entry.name), Arc::from(""))));
            } else {
                category_lines(&mut lines, name, category.words, &skills);
                listed.extend(
                    skills.iter().map(|(entry, _)| (Arc::clone(&entry.name), Arc::clone(&entry.description))),
                );
            }
            if rules.block == SkillsBlock::Full {
                skill_bodies(&mut bodies, &skills);
            }
        }
        let note = if any_demoted { library.get(PromptName::IndexDemotion) } else { "" };
        let mut text = format!(
            "{}\n\n<available_skills>\n{lines}</available_skills>\n",
            library.get(PromptName::IndexIntro)
        );
        write!(text, "\n{}", library.get(PromptName::IndexClosing))
            .expect("writing to a string does not fail");
        for more in [note, &bodies] {
            if !more.is_empty() {
                write!(text, "\n\n{more}").expect("writing to a string does not fail");
            }
        }
        let tokens = Chars::of(&text).estimate_tokens();
        IndexBlock { text: text.into(), listed: listed.into(), tokens }
    }
}

/// By name; of two with one name the first in path order stays.
fn sorted<'a>(mut skills: Vec<(&'a Entry, Option<&'a str>)>) -> Vec<(&'a Entry, Option<&'a str>)> {
    skills.sort_by(|one, two| one.0.name.cmp(&two.0.name));
    skills.dedup_by(|later, first| later.0.name == first.0.name);
    skills
}

fn category_lines(lines: &mut String, name: &str, words: Option<&str>, skills: &[(&Entry, Option<&str>)]) {
    lines.push_str("  ");
    lines.push_str(name);
    lines.push(':');
    if let Some(words) = words {
        lines.push(' ');
        lines.push_str(words);
    }
    lines.push('\n');
    for (entry, _) in skills {
        lines.push_str("    - ");
        lines.push_str(&entry.name);
        if !entry.description.is_empty() {
            lines.push_str(": ");
            lines.push_str(&entry.description);
        }
        lines.push('\n');
    }
}

fn demoted_line(lines: &mut String, category: &str, skills: &[(&Entry, Option<&str>)]) {
    let names: Vec<&str> = skills.iter().map(|(entry, _)| &*entry.name).collect();
    writeln!(lines, "  {category} [names only]: {}", names.join(", "))
        .expect("writing to a string does not fail");
}

fn skill_bodies(bodies: &mut String, skills: &[(&Entry, Option<&str>)]) {
    for (entry, body) in skills {
        let gap = if bodies.is_empty() { "" } else { "\n\n" };
        let body = crate::text::trim(body.unwrap_or(""));
        write!(bodies, "{gap}<skill name=\"{}\">\n{body}\n</skill>", entry.name)
            .expect("writing to a string does not fail");
    }
}
