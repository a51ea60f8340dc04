//! The names that an expression may use at its place.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::environment::GLOBAL_NAMES;

/// Known names: variables, functions, and the texts that some functions take as their first argument.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownNames {
    names: BTreeSet<Arc<str>>,
    literals: BTreeMap<Arc<str>, BTreeSet<Arc<str>>>,
}

impl KnownNames {
    /// These names, variables and functions alike. The functions of the language itself (`range`, `dict`, `capture`,
    /// `json`) are known everywhere.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let names = names.into_iter().chain(GLOBAL_NAMES).map(Arc::from).collect();
        Self { names, literals: BTreeMap::new() }
    }

    /// The same and these.
    pub fn with<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut all = self.clone();
        all.names.extend(names.into_iter().map(Arc::from));
        all
    }

    /// The same, and the first argument of `function` must be one of these when it is written as a literal.
    pub fn with_literals<'a>(&self, function: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let mut all = self.clone();
        all.names.insert(function.into());
        all.literals.entry(function.into()).or_default().extend(known.into_iter().map(Arc::from));
        all
    }

    /// Whether a name is known.
    pub fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// All names, sorted.
    pub fn iter(&self) -> impl Iterator<Item = &str> + Clone {
        self.names.iter().map(|name| &**name)
    }

    /// The texts that a function takes, if they are fixed.
    pub(super) fn literals_of(&self, function: &str) -> Option<impl Iterator<Item = &str> + Clone> {
        self.literals.get(function).map(|known| known.iter().map(|name| &**name))
    }
}
