//! The lists of rules, read once from data.

use std::sync::LazyLock;

use super::report::Severity;
use crate::behaviour::GuardList;
use crate::guard::pattern::{Pattern, SoftBounds};

/// One rule on a single line.
pub(super) struct Rule {
    pub(super) id: &'static str,
    pub(super) severity: Severity,
    pub(super) category: &'static str,
    pub(super) about: &'static str,
    pub(super) pattern: Pattern,
}

static CURRENT: LazyLock<Vec<Rule>> = LazyLock::new(|| parse(include_str!("rules.txt")).0);

static EARLY: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let (changed, dropped) = parse(include_str!("rules_early.txt"));
    let mut rules = parse(include_str!("rules.txt")).0;
    rules.retain(|rule| !dropped.contains(&rule.id));
    for rule in changed {
        let at = rules.iter().position(|known| known.id == rule.id).expect("a changed rule has a successor");
        rules[at] = rule;
    }
    rules
});

/// The rules of a list, in order.
pub(super) fn rules(list: GuardList) -> &'static [Rule] {
    match list {
        GuardList::Early => &EARLY,
        GuardList::Current => &CURRENT,
    }
}

/// The rules of a data file, and the ids that it drops.
fn parse(text: &'static str) -> (Vec<Rule>, Vec<&'static str>) {
    let (mut rules, mut dropped): (Vec<Rule>, Vec<&str>) = (Vec::new(), Vec::new());
    let mut category = "";
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[') {
            category = name.trim_end_matches(']');
        } else if let Some(id) = line.strip_prefix("- ") {
            dropped.push(id);
        } else if line.starts_with(' ') {
            rules.last_mut().expect("a rule stands before its meaning").about = line.trim_start();
        } else {
            let mut words = line.splitn(3, ' ');
            let mut word = || words.next().expect("a rule has an id, a severity and a pattern");
            let (id, severity) = (word(), Severity::parse(word()).expect("a known severity"));
            let pattern = Pattern::parse(word(), SoftBounds::Lifted);
            rules.push(Rule { id, severity, category, about: "", pattern });
        }
    }
    (rules, dropped)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_rule_is_read_and_says_what_it_means() {
        for (list, count) in [(GuardList::Current, 121), (GuardList::Early, 120)] {
            let ids: BTreeSet<&str> = rules(list).iter().map(|rule| rule.id).collect();
            assert_eq!((ids.len(), rules(list).len()), (count, count));
            assert!(rules(list).iter().all(|rule| !rule.about.is_empty() && !rule.category.is_empty()));
        }
    }
}
