//! Which rule applies, and if none does, which ones nearly did.

use std::sync::Arc;

use minijinja::value::Value;

use super::index::Index;
use super::miss::{Near, brief};
use crate::expr::{EvalError, Expression};
use crate::script::{Lets, Rule, Script};
use crate::view::{Scene, View};

/// Nearest rules that a miss names.
const NEAREST_MAX: usize = 3;

/// The rules of the request's role and the view in which they are looked at.
pub(super) struct Chooser<'a> {
    pub(super) script: &'a Script,
    pub(super) rules: &'a [Rule],
    /// The guards of the rules; none if the role has no rules.
    pub(super) index: Option<&'a Index>,
    /// Whether every rule is looked at, whatever the index says of its guard.
    scan: bool,
    pub(super) view: &'a Arc<View>,
    /// The root for rules without named values of their own.
    plain: Value,
}

impl<'a> Chooser<'a> {
    pub(super) fn new(script: &'a Script, view: &'a Arc<View>, scan: bool) -> Self {
        let role = view.turn.role;
        let (rules, index) = (script.rules(role), script.indexes().of(role));
        Self { script, rules, index, scan, view, plain: Scene::value(view, &Lets::default()) }
    }

    /// The root value for a rule's expressions.
    pub(super) fn scene(&self, rule: usize) -> Value {
        let lets = &self.rules[rule].lets;
        if lets.is_empty() { self.plain.clone() } else { Scene::value(self.view, lets) }
    }

    /// The first rule from `first` on that applies.
    pub(super) fn choose(&self, first: usize) -> Result<Option<usize>, EvalError> {
        let candidates = match self.index.filter(|_| !self.scan) {
            Some(index) => index.candidates(self.view, first),
            None => (first..self.rules.len()).collect(),
        };
        for rule in candidates {
            if self.first_failed(rule)?.is_none() {
                return Ok(Some(rule));
            }
        }
        Ok(None)
    }

    /// The order in which a rule's clauses are checked: the guard first.
    fn order(&self, rule: usize, when: &Expression) -> (Option<usize>, impl Iterator<Item = usize> + use<>) {
        let guard = self.index.and_then(|index| index.guard(rule)).map(|guard| guard.clause);
        (guard, (0..when.clauses().len()).filter(move |clause| Some(*clause) != guard))
    }

    /// The first clause that does not hold, and how many held before it; none if the rule applies.
    fn first_failed(&self, rule: usize) -> Result<Option<(usize, usize)>, EvalError> {
        let Some(when) = &self.rules[rule].when else { return Ok(None) };
        let (guard, others) = self.order(rule, when);
        let mut held = 0;
        if let Some(clause) = guard {
            let holds =
                self.index.and_then(|index| index.guard(rule)).is_some_and(|guard| guard.holds(self.view));
            if !holds {
                return Ok(Some((clause, 0)));
            }
            held += 1;
        }
        let scene = self.scene(rule);
        for clause in others {
            if !when.clause_holds(clause, &scene)? {
                return Ok(Some((clause, held)));
            }
            held += 1;
        }
        Ok(None)
    }

    /// The rules from `first` on that came nearest: most clauses held, then their order.
    pub(super) fn nearest(&self, first: usize) -> Vec<Near> {
        let mut near: Vec<Near> = (first..self.rules.len()).map(|rule| self.near(rule)).collect();
        // More clauses of the rule held, and fewer were left.
        near.sort_by_key(|near| (std::cmp::Reverse(near.held.0), near.held.1 - near.held.0));
        near.truncate(NEAREST_MAX);
        near
    }

    fn near(&self, index: usize) -> Near {
        let rule = &self.rules[index];
        let place = format!("{}:{}", self.script.file, rule.span.line);
        let Some(when) = &rule.when else {
            let clause = "its steps, none of which apply now".into();
            return Near { rule: rule.label.clone(), place, clause, held: (0, 0), values: Vec::new() };
        };
        let all = when.clauses().len();
        let near = |clause: Arc<str>, held: usize, values: Vec<(String, String)>| Near {
            rule: rule.label.clone(),
            place: place.clone(),
            clause,
            held: (held, all),
            values,
        };
        match self.first_failed(index) {
            Ok(Some((clause, held))) => {
                let values = when.clause_values(clause, &self.scene(index));
                let values = values.into_iter().map(|(name, value)| (name, brief(&value))).collect();
                near(when.clauses()[clause].text().clone(), held, values)
            }
            Ok(None) => near("its steps, none of which apply now".into(), all, Vec::new()),
            Err(error) => near(error.to_string().into(), 0, Vec::new()),
        }
    }
}
