//! Which rules a request can fit at all: one automaton for each text that conditions look into.
//!
//! A clause `'literal' in user` is its rule's guard: without the literal in the text the rule does not apply. Every guard is
//! checked before the other clauses of its rule, so that the index and a look at every rule choose the same
//! (a law, tested).

use std::collections::BTreeMap;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::preset::Role;
use crate::script::{Rule, Script};
use crate::view::View;

/// The texts that guards may look into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Looked {
    User,
    System,
    Instruction,
    LastText,
}

impl Looked {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "user" => Self::User,
            "system" => Self::System,
            "instruction" => Self::Instruction,
            "last.text" => Self::LastText,
            _ => return None,
        })
    }

    fn text(self, view: &View) -> Arc<str> {
        match self {
            Self::User => view.user(),
            Self::System => view.system(),
            Self::Instruction => view.instruction(),
            Self::LastText => view.last().and_then(|record| record.text.clone()).unwrap_or_default(),
        }
    }
}

/// A rule's guard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RuleGuard {
    /// Which clause of the rule's condition it is.
    pub(super) clause: usize,
    looked: Looked,
    lower: bool,
    literal: String,
}

impl RuleGuard {
    /// The guard of a rule: of the clauses that can be one, that with the longest literal.
    pub(super) fn of(rule: &Rule) -> Option<Self> {
        let clauses = rule.when.as_ref()?.clauses().iter().enumerate();
        let guards = clauses.filter_map(|(clause, text)| {
            let guard = text.guard()?;
            let looked = Looked::of(&guard.name)?;
            Some(Self { clause, looked, lower: guard.lower, literal: guard.literal.clone() })
        });
        // The first of the longest ones, so that the choice does not depend on how ties are broken.
        guards.reduce(|best, guard| if guard.literal.len() > best.literal.len() { guard } else { best })
    }

    /// Whether the literal stands in the text.
    pub(super) fn holds(&self, view: &View) -> bool {
        let text = self.looked.text(view);
        if self.lower { text.to_lowercase().contains(&self.literal) } else { text.contains(&self.literal) }
    }
}

/// The automata of all roles of a script.
#[derive(Debug)]
pub(crate) struct Indexes(BTreeMap<Role, Index>);

impl Indexes {
    /// The index of a script's rules.
    pub(crate) fn new(script: &Script) -> Self {
        let roles = Role::ALL.into_iter().filter(|role| script.has_role(*role));
        Self(roles.map(|role| (role, Index::new(script.rules(role)))).collect())
    }

    /// Whether a rule has a guard.
    pub(crate) fn guards(rule: &Rule) -> bool {
        RuleGuard::of(rule).is_some()
    }

    pub(super) fn of(&self, role: Role) -> Option<&Index> {
        self.0.get(&role)
    }
}

/// The rules of one role.
#[derive(Debug)]
pub(super) struct Index {
    guards: Vec<Option<RuleGuard>>,
    unguarded: Vec<usize>,
    automata: Vec<Automaton>,
}

#[derive(Debug)]
struct Automaton {
    looked: Looked,
    lower: bool,
    search: AhoCorasick,
    /// Rules by pattern.
    rules: Vec<Vec<usize>>,
}

impl Index {
    fn new(rules: &[Rule]) -> Self {
        let guards: Vec<Option<RuleGuard>> = rules.iter().map(RuleGuard::of).collect();
        let unguarded = (0..rules.len()).filter(|rule| guards[*rule].is_none()).collect();
        let mut texts: BTreeMap<(Looked, bool), BTreeMap<&str, Vec<usize>>> = BTreeMap::new();
        for (rule, guard) in guards.iter().enumerate() {
            if let Some(guard) = guard {
                texts
                    .entry((guard.looked, guard.lower))
                    .or_default()
                    .entry(&guard.literal)
                    .or_default()
                    .push(rule);
            }
        }
        let automata = texts.into_iter().map(|((looked, lower), literals)| {
            let search = AhoCorasick::builder()
                .match_kind(MatchKind::Standard)
                .build(literals.keys())
                .expect("literals of a file within its size limit fit an automaton");
            Automaton { looked, lower, search, rules: literals.into_values().collect() }
        });
        let automata = automata.collect();
        Self { guards, unguarded, automata }
    }

    pub(super) fn guard(&self, rule: usize) -> Option<&RuleGuard> {
        self.guards[rule].as_ref()
    }

    /// The rules from `first` on that can apply, in order: the unguarded ones and those whose guard holds.
    pub(super) fn candidates(&self, view: &View, first: usize) -> Vec<usize> {
        let mut found: Vec<usize> = self.unguarded.iter().copied().filter(|rule| *rule >= first).collect();
        for automaton in &self.automata {
            let mut text = automaton.looked.text(view);
            if automaton.lower {
                text = text.to_lowercase().into();
            }
            let mut seen = vec![false; automaton.rules.len()];
            for hit in automaton.search.find_overlapping_iter(&*text) {
                let pattern = hit.pattern().as_usize();
                if !std::mem::replace(&mut seen[pattern], true) {
                    found.extend(automaton.rules[pattern].iter().copied().filter(|rule| *rule >= first));
                }
            }
        }
        found.sort_unstable();
        found
    }
}
