//! Lines of a text as byte ranges, and windows of whole lines (`spec/fuzzy-patch.md` §2.1).

use std::collections::BTreeMap;

use crate::text::trim;

/// A stretch of the content in bytes, half open.
pub(super) type Region = (usize, usize);

/// A text split at LF only. A text ending in a newline has an extra, empty last line.
pub(super) struct Lines<'a> {
    text: &'a str,
    ranges: Vec<Region>,
}

impl<'a> Lines<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let mut ranges = Vec::new();
        let mut start = 0;
        for (at, _) in text.match_indices('\n') {
            ranges.push((start, at));
            start = at + 1;
        }
        ranges.push((start, text.len()));
        Self { text, ranges }
    }

    pub(super) fn len(&self) -> usize {
        self.ranges.len()
    }

    pub(super) fn line(&self, at: usize) -> &'a str {
        let (start, end) = self.ranges[at];
        &self.text[start..end]
    }

    pub(super) fn trimmed(&self, at: usize) -> &'a str {
        trim(self.line(at))
    }

    /// From the first character of a line to the last one of another, without its newline.
    pub(super) fn span(&self, first: usize, last: usize) -> Region {
        (self.ranges[first].0, self.ranges[last].1)
    }

    /// The text of some lines, newlines between them.
    pub(super) fn text_of(&self, first: usize, last: usize) -> &'a str {
        let (start, end) = self.span(first, last);
        &self.text[start..end]
    }

    /// Where windows of so many lines can start.
    pub(super) fn windows(&self, size: usize) -> std::ops::Range<usize> {
        0..(self.len() + 1).saturating_sub(size)
    }
}

/// The windows whose trimmed lines equal the pattern's, overlapping ones included.
pub(super) fn equal_windows(pattern: &Lines<'_>, text: &Lines<'_>) -> Vec<usize> {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let wanted: Vec<Option<usize>> = (0..pattern.len())
        .map(|at| {
            let next = numbers.len();
            Some(*numbers.entry(pattern.trimmed(at)).or_insert(next))
        })
        .collect();
    let found: Vec<Option<usize>> =
        (0..text.len()).map(|at| numbers.get(text.trimmed(at)).copied()).collect();
    occurrences(&wanted, &found)
}

/// Knuth, Morris and Pratt: every start of the pattern in the text, in linear time even where nearly all lines are
/// blank.
fn occurrences<T: PartialEq>(pattern: &[T], text: &[T]) -> Vec<usize> {
    let mut borders = vec![0; pattern.len()];
    let mut held = 0;
    for at in 1..pattern.len() {
        while held > 0 && pattern[at] != pattern[held] {
            held = borders[held - 1];
        }
        held += usize::from(pattern[at] == pattern[held]);
        borders[at] = held;
    }
    let mut starts = Vec::new();
    held = 0;
    for (at, item) in text.iter().enumerate() {
        while held > 0 && (held == pattern.len() || *item != pattern[held]) {
            held = borders[held - 1];
        }
        held += usize::from(*item == pattern[held]);
        if held == pattern.len() {
            starts.push(at + 1 - held);
        }
    }
    starts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_final_newline_makes_an_empty_line() {
        let lines = Lines::of("a\r\n\nb\n");
        assert_eq!((0..lines.len()).map(|at| lines.line(at)).collect::<Vec<_>>(), ["a\r", "", "b", ""]);
        assert_eq!(lines.text_of(1, 2), "\nb");
        assert_eq!(lines.windows(5).len(), 0);
        assert_eq!(lines.windows(4).len(), 1);
    }

    proptest! {
        #[test]
        fn occurrences_are_those_of_a_plain_scan(
            pattern in prop::collection::vec(0..2_u8, 1..4),
            text in prop::collection::vec(0..2_u8, 0..20),
        ) {
            let plain: Vec<usize> = text
                .windows(pattern.len())
                .enumerate()
                .filter(|(_, window)| *window == pattern)
                .map(|(at, _)| at)
                .collect();
            prop_assert_eq!(occurrences(&pattern, &text), plain);
        }
    }
}
