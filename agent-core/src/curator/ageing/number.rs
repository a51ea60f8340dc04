//! Ageing by number: as many skills go as are too many. An alternative to the reference's ageing, off by default.

use super::plan::{Candidate, anchor};
use crate::behaviour::{AgeingBy, AgeingRules};
use crate::skills::usage::{Record, SkillState};
use crate::values::Stamp;

/// Those of the evictable skills that have to go while so many are in place: the least recently active first, or the
/// least often active, then by recency and by name. Skills that may not be evicted count for the bound all the same.
pub(super) fn evicted<'a>(
    evictable: Vec<Candidate<'a>>,
    in_place: usize,
    at: Stamp,
    rules: &AgeingRules,
) -> Vec<Candidate<'a>> {
    let Some(capacity) = rules.capacity else { return Vec::new() };
    let is_in_place = |candidate: &Candidate<'_>| {
        candidate.record.is_some_and(|record| record.state() != Some(SkillState::Archived))
    };
    let key = |candidate: &Candidate<'a>| {
        let count = match rules.by {
            AgeingBy::LeastFrequent => candidate.record.map_or(0, Record::activity_count),
            _ => 0,
        };
        let anchor = candidate.record.map_or(at, |record| anchor(record, at, rules));
        (count, anchor, candidate.name)
    };
    let mut victims: Vec<_> = evictable.into_iter().filter(is_in_place).collect();
    victims.sort_by_cached_key(key);
    victims.truncate(in_place.saturating_sub(capacity));
    victims
}
