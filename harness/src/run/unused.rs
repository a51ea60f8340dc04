//! Rules of scripts that answered no request of a whole run: a misspelt condition, or work that was forgotten.
//!
//! Scripts that families make are left out, since nobody wrote their rules.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use reports::records::Records;

use super::cells::Cell;

/// Which rules answered, by the script's file.
#[derive(Debug, Default)]
pub(crate) struct Answered {
    rules: BTreeMap<Arc<str>, BTreeSet<Arc<str>>>,
}

impl Answered {
    /// Looks at the requests of a cell.
    pub(super) fn look(&mut self, cell: &Cell, records: &Records) {
        let file = &cell.scenario.script_of(cell.arm()).file;
        let rules = self.rules.entry(Arc::clone(file)).or_default();
        for rule in records.model_calls.iter().filter_map(|row| row.rule.as_ref()) {
            if !rules.contains(rule) {
                rules.insert(Arc::clone(rule));
            }
        }
    }

    /// The rules that answered in none of these cells, in words: a text a script, in the order of their files.
    pub(crate) fn unused(&self, cells: &[Cell]) -> Vec<UnusedRules> {
        let written = cells.iter().filter(|cell| cell.arm().script.is_none());
        let scripts: BTreeMap<_, _> = written
            .map(|cell| cell.scenario.script_of(cell.arm()))
            .map(|script| (&script.file, script))
            .collect();
        let unused = scripts.into_iter().map(|(file, script)| {
            let answered = self.rules.get(file);
            let is_unused = |label: &Arc<str>| !answered.is_some_and(|rules| rules.contains(label));
            let rules = script.all_rules().map(|(_, rule)| &rule.label).filter(|label| is_unused(label));
            UnusedRules { file: Arc::clone(file), rules: rules.cloned().collect() }
        });
        unused.filter(|unused| !unused.rules.is_empty()).collect()
    }
}

/// Rules of one script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnusedRules {
    /// The script's file.
    pub(crate) file: Arc<str>,
    /// Their labels, in order.
    pub(crate) rules: Vec<Arc<str>>,
}

impl UnusedRules {
    /// What is wrong with them.
    pub(crate) fn words(&self) -> String {
        let rules: Vec<String> = self.rules.iter().map(|rule| format!("`{rule}`")).collect();
        format!("{} of {} answered no request", rules.join(", "), self.file)
    }
}
