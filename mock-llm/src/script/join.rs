//! Two scripts as one.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::values::{Lets, Rule, Script};

impl Script {
    /// This script and then another: of every role the rules of this one stand first. How requests are read and the
    /// name of the model are the other's.
    ///
    /// # Errors
    /// The names (`lesson x`, `rule y of main` …) that mean something in both.
    pub fn followed_by(&self, other: &Self) -> Result<Self, Vec<String>> {
        let mut taken = Vec::new();
        let lessons = union(&self.lessons, &other.lessons, "lesson", &mut taken);
        let hazards = union(&self.hazards, &other.hazards, "hazard", &mut taken);
        let lets: Lets = Arc::new(union(&self.lets, &other.lets, "name", &mut taken));
        let mut rules = self.rules.clone();
        for (role, more) in &other.rules {
            let own: &mut Vec<Rule> = rules.entry(*role).or_default();
            let known = |rule: &&Rule| own.iter().any(|first| first.label == rule.label);
            taken.extend(more.iter().filter(known).map(|rule| format!("rule {} of {role}", rule.label)));
            own.extend(more.iter().cloned());
        }
        if !taken.is_empty() {
            return Err(taken);
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.digest.to_le_bytes()).update(&other.digest.to_le_bytes());
        let bytes = hasher.finalize();
        Ok(Self {
            file: Arc::clone(&other.file),
            model: Arc::clone(&other.model),
            preset: Arc::clone(&other.preset),
            lessons,
            hazards,
            lets,
            faults: self.faults.iter().chain(&other.faults).cloned().collect(),
            rules,
            digest: u16::from_le_bytes([bytes.as_bytes()[0], bytes.as_bytes()[1]]),
            indexes: OnceLock::new(),
        })
    }
}

fn union<T: Clone>(
    one: &BTreeMap<Arc<str>, T>,
    other: &BTreeMap<Arc<str>, T>,
    what: &str,
    taken: &mut Vec<String>,
) -> BTreeMap<Arc<str>, T> {
    taken.extend(other.keys().filter(|name| one.contains_key(*name)).map(|name| format!("{what} {name}")));
    one.iter().chain(other).map(|(name, value)| (Arc::clone(name), value.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::Source;
    use crate::preset::Role;

    fn script(text: &str) -> Script {
        let none = |_: &str| Err(String::new());
        Script::load(&Source::new("s.yaml", text), &none).script.expect("the script is right")
    }

    #[test]
    fn rules_of_the_first_stand_first_and_names_must_differ() {
        let first = script("lessons: { a: x }\nmain: [{ name: one, when: \"'x' in user\", reply: a }]");
        let second = script("lessons: { b: y }\nmain: [{ name: two, reply: b }]\nreview: [{ reply: c }]");
        let both = first.followed_by(&second).unwrap();
        let labels: Vec<&str> = both.all_rules().map(|(_, rule)| &*rule.label).collect();
        assert_eq!(labels, ["one", "two", "review#1"]);
        assert!(both.has_role(Role::Review) && both.lessons.len() == 2);
        assert_ne!(both.digest, second.digest);
        assert_eq!(first.followed_by(&first).unwrap_err(), ["lesson a", "rule one of main"]);
    }
}
