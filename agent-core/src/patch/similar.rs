//! Lines compared by likeness, with cheap upper bounds before the exact figure.

use super::matcher::{SequenceMatcher, ratio_of};

const BUCKETS: usize = 32;

/// A text ready to be compared many times: its characters and how many of them fall into each bucket.
pub(super) struct Profile {
    chars: Vec<char>,
    buckets: [usize; BUCKETS],
}

impl Profile {
    pub(super) fn of(text: &str) -> Self {
        let chars: Vec<char> = text.chars().collect();
        let mut buckets = [0; BUCKETS];
        for &char in &chars {
            buckets[char as usize % BUCKETS] += 1;
        }
        Self { chars, buckets }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.chars.is_empty()
    }

    /// A figure that the ratio of the two never exceeds.
    pub(super) fn ratio_max(&self, other: &Self) -> f64 {
        let common = self.buckets.iter().zip(&other.buckets).map(|(one, two)| one.min(two)).sum();
        ratio_of(common, self.chars.len() + other.chars.len())
    }

    /// The ratio of this text to another, which is the one that is indexed.
    pub(super) fn ratio(&self, other: &Self) -> f64 {
        if self.chars == other.chars {
            return 1.0;
        }
        SequenceMatcher::new(&self.chars, &other.chars).ratio()
    }

    /// Whether the ratio reaches a threshold.
    pub(super) fn reaches(&self, other: &Self, threshold: f64) -> bool {
        self.ratio_max(other) >= threshold && self.ratio(other) >= threshold
    }
}

/// The ratio of two texts, the second one indexed, for callers that compare a pair once.
pub(crate) fn ratio(one: &str, two: &str) -> f64 {
    Profile::of(one).ratio(&Profile::of(two))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_bound_holds(a in "[a-c ]{0,12}|[ab]{190,210}", b in "[a-d ]{0,12}|[ab]{190,210}") {
            let (a, b) = (Profile::of(&a), Profile::of(&b));
            prop_assert!(a.ratio(&b) <= a.ratio_max(&b));
            let exact = SequenceMatcher::new(&a.chars, &b.chars).ratio();
            prop_assert!((a.ratio(&b) - exact).abs() < f64::EPSILON, "the short cut for equal texts is exact");
        }
    }
}
