//! The lists of threat classes, read once from data.

use std::sync::LazyLock;

use super::scan::Scope;
use crate::behaviour::ThreatList;
use crate::guard::pattern::{Pattern, SoftBounds};

/// One class.
pub(super) struct Threat {
    pub(super) id: &'static str,
    scopes: Vec<Scope>,
    pub(super) pattern: Pattern,
}

impl Threat {
    pub(super) fn is_in(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope)
    }
}

static BOUNDED: LazyLock<Vec<Threat>> = LazyLock::new(|| nested(include_str!("rules.txt"), SoftBounds::Held));

static SHARED: LazyLock<Vec<Threat>> = LazyLock::new(|| {
    let mut threats = nested(include_str!("rules.txt"), SoftBounds::Lifted);
    for changed in nested(include_str!("rules_shared.txt"), SoftBounds::Lifted) {
        let at =
            threats.iter().position(|known| known.id == changed.id).expect("a changed class has a successor");
        threats[at] = changed;
    }
    threats
});

static OWN: LazyLock<Vec<Threat>> = LazyLock::new(|| {
    let scopes = |names: &str| names.split(',').map(scope_of).collect();
    parse(include_str!("rules_own.txt"), SoftBounds::Lifted, scopes)
});

/// The classes of a list, in order.
pub(super) fn threats(list: ThreatList) -> &'static [Threat] {
    match list {
        ThreatList::Own => &OWN,
        ThreatList::Shared => &SHARED,
        ThreatList::Bounded => &BOUNDED,
    }
}

fn scope_of(name: &str) -> Scope {
    match name {
        "all" => Scope::All,
        "context" => Scope::Context,
        "strict" => Scope::Strict,
        other => panic!("no such scope: {other}"),
    }
}

/// Lists whose scopes nest: what a scope asks for, the stricter ones ask for too.
fn nested(text: &'static str, bounds: SoftBounds) -> Vec<Threat> {
    let scopes = |name: &str| {
        let narrowest = scope_of(name);
        [Scope::All, Scope::Context, Scope::Strict].into_iter().filter(|scope| *scope >= narrowest).collect()
    };
    parse(text, bounds, scopes)
}

fn parse(text: &'static str, bounds: SoftBounds, scopes: impl Fn(&str) -> Vec<Scope>) -> Vec<Threat> {
    let rules = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let threat = |line: &'static str| {
        let mut words = line.splitn(3, ' ');
        let mut word = || words.next().expect("a class has an id, a scope and a pattern");
        Threat { id: word(), scopes: scopes(word()), pattern: Pattern::parse(word(), bounds) }
    };
    rules.map(threat).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_has_its_number_of_classes() {
        let count = |list, scope| threats(list).iter().filter(|threat| threat.is_in(scope)).count();
        for list in [ThreatList::Bounded, ThreatList::Shared] {
            assert_eq!(
                [Scope::All, Scope::Context, Scope::Strict].map(|scope| count(list, scope)),
                [11, 28, 36]
            );
        }
        assert_eq!([Scope::Context, Scope::Strict].map(|scope| count(ThreatList::Own, scope)), [10, 12]);
    }
}
