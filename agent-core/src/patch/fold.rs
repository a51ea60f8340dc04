//! Typographic characters folded to ASCII, with the way back (`spec/fuzzy-patch.md` §2.2, eight characters only).

use super::lines::Region;

/// What a character is folded to; none for all but eight.
pub(super) fn folded(char: char) -> Option<&'static str> {
    match char {
        '\u{201c}' | '\u{201d}' => Some("\""),
        '\u{2018}' | '\u{2019}' => Some("'"),
        '\u{2014}' => Some("--"),
        '\u{2013}' => Some("-"),
        '\u{2026}' => Some("..."),
        '\u{a0}' => Some(" "),
        _ => None,
    }
}

/// A text with those characters folded.
pub(super) fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match folded(char) {
            Some(plain) => out.push_str(plain),
            None => out.push(char),
        }
    }
    out
}

/// A folded text that knows where its characters came from.
pub(super) struct Folded {
    /// The folded text.
    pub(super) text: String,
    /// For each character of the original: its first byte in the folded text and in the original.
    starts: Vec<(usize, usize)>,
    original_len: usize,
}

impl Folded {
    pub(super) fn of(original: &str) -> Self {
        let mut text = String::with_capacity(original.len());
        let mut starts = Vec::with_capacity(original.len());
        for (at, char) in original.char_indices() {
            starts.push((text.len(), at));
            match folded(char) {
                Some(plain) => text.push_str(plain),
                None => text.push(char),
            }
        }
        Self { text, starts, original_len: original.len() }
    }

    /// The original stretch of a folded one. One that starts inside an expanded character has none; one that ends
    /// inside an expanded character takes the whole character.
    pub(super) fn original(&self, (start, end): Region) -> Option<Region> {
        let first = self.starts.binary_search_by_key(&start, |&(folded, _)| folded).ok()?;
        Some((self.starts[first].1, self.end(end)))
    }

    /// Where the original starts again at or after a folded position.
    pub(super) fn end(&self, end: usize) -> usize {
        let after = self.starts.partition_point(|&(folded, _)| folded < end);
        self.starts.get(after).map_or(self.original_len, |&(_, original)| original)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_lead_back() {
        let folded = Folded::of("a\u{2014}b\u{2026}");
        assert_eq!(folded.text, "a--b...");
        assert_eq!(folded.original((1, 3)), Some((1, 4)));
        assert_eq!(folded.original((2, 3)), None, "inside the dash");
        assert_eq!(folded.original((3, 5)), Some((4, 8)), "all of the ellipsis");
        assert_eq!(folded.original((0, 7)), Some((0, 8)));
    }
}
