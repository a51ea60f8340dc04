//! Sets of places in a text, as intervals.

/// Places between the characters of a text, as intervals with both ends in it: ascending, neither overlapping nor
/// touching.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Spans(Vec<(usize, usize)>);

impl Spans {
    /// All places of a text of so many characters.
    pub(super) fn all(len: usize) -> Self {
        Self(vec![(0, len)])
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn intervals(&self) -> impl Iterator<Item = (usize, usize)> {
        self.0.iter().copied()
    }

    pub(super) fn places(&self) -> impl Iterator<Item = usize> {
        self.intervals().flat_map(|(low, high)| low..=high)
    }

    /// Adds an interval that does not begin before the last one added.
    pub(super) fn push(&mut self, low: usize, high: usize) {
        match self.0.last_mut() {
            Some(last) if low <= last.1 + 1 => last.1 = last.1.max(high),
            _ => self.0.push((low, high)),
        }
    }

    /// The places of both.
    pub(super) fn union(&self, other: &Self) -> Self {
        if self.is_empty() {
            return other.clone();
        }
        let mut both = Self(Vec::with_capacity(self.0.len() + other.0.len()));
        let (mut one, mut two) = (self.intervals().peekable(), other.intervals().peekable());
        while let (Some(&left), Some(&right)) = (one.peek(), two.peek()) {
            let (low, high) = if left <= right { one.next() } else { two.next() }.expect("both were peeked");
            both.push(low, high);
        }
        for (low, high) in one.chain(two) {
            both.push(low, high);
        }
        both
    }

    /// The places that pass a test.
    pub(super) fn filtered(&self, keep: impl Fn(usize) -> bool) -> Self {
        let mut kept = Self::default();
        for place in self.places().filter(|&place| keep(place)) {
            kept.push(place, place);
        }
        kept
    }
}

/// A set of places that can be asked for each of them at once.
pub(super) struct Marks(Vec<bool>);

impl Marks {
    pub(super) fn new(len: usize) -> Self {
        Self(vec![false; len + 1])
    }

    pub(super) fn has(&self, place: usize) -> bool {
        self.0[place]
    }

    pub(super) fn add(&mut self, spans: &Spans) {
        for (low, high) in spans.intervals() {
            self.0[low..=high].fill(true);
        }
    }

    pub(super) fn into_spans(self) -> Spans {
        let mut spans = Spans::default();
        for (place, _) in self.0.iter().enumerate().filter(|(_, marked)| **marked) {
            spans.push(place, place);
        }
        spans
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touching_intervals_are_one() {
        let spans = |list: &[(usize, usize)]| Spans(list.to_vec());
        let both = spans(&[(0, 1), (5, 6), (9, 9)]).union(&spans(&[(2, 2), (6, 7), (12, 13)]));
        assert_eq!(both, spans(&[(0, 2), (5, 7), (9, 9), (12, 13)]));
        assert_eq!(both.filtered(|place| place != 1), spans(&[(0, 0), (2, 2), (5, 7), (9, 9), (12, 13)]));
    }
}
