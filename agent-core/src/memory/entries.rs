//! The entries of a store: how a file holds them, how they are counted, found and shown.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::target::Limit;
use crate::text;
use crate::values::Chars;

/// What stands between two entries (`spec/memory.md` §2).
pub const DELIMITER: &str = "\n§\n";

/// Characters of a delimiter.
const DELIMITER_CHARS: usize = 3;

/// How much of an entry a preview shows, in characters (`spec/memory.md` §4.2).
const PREVIEW_CHARS: usize = 80;

/// One entry: trimmed text, not blank.
pub(super) type Entry = Arc<str>;

/// The pieces of a file's folded text, trimmed, blank ones left out.
fn pieces(raw: &str) -> impl Iterator<Item = &str> {
    raw.split(DELIMITER).map(text::trim).filter(|piece| !piece.is_empty())
}

/// The entries that a file's folded text holds; of equal ones the first stays.
pub(super) fn parse(raw: &str) -> Vec<Entry> {
    let mut seen = BTreeSet::new();
    pieces(raw).filter(|piece| seen.insert(*piece)).map(Entry::from).collect()
}

/// The text of a file that holds these entries.
pub(super) fn render(entries: &[Entry]) -> String {
    entries.join(DELIMITER)
}

/// The count that limits and usage speak of: characters of the entries and of the delimiters between them.
pub(super) fn chars(entries: &[Entry]) -> usize {
    let entries_chars: Chars = entries.iter().map(|entry| Chars::of(entry)).sum();
    entries_chars.0 + DELIMITER_CHARS * entries.len().saturating_sub(1)
}

/// Whether a file's folded text is not what the tool would have written (`spec/memory.md` §5.1).
pub(super) fn drifted(raw: &str, limit: Limit) -> bool {
    if text::is_blank(raw) {
        return false;
    }
    let mut rest = text::trim(raw);
    for (index, piece) in pieces(raw).enumerate() {
        if index > 0 {
            match rest.strip_prefix(DELIMITER) {
                Some(after) => rest = after,
                None => return true,
            }
        }
        match rest.strip_prefix(piece) {
            Some(after) => rest = after,
            None => return true,
        }
        if limit.is_exceeded_by(Chars::of(piece).0) {
            return true;
        }
    }
    !rest.is_empty()
}

/// Whether the format cannot hold the content as one entry: a delimiter lies inside, or would with the next entry.
pub(super) fn falls_apart(content: &str) -> bool {
    let folded = text::fold_newlines(content);
    folded.contains(DELIMITER) || folded.ends_with("\n§")
}

/// Which entry a piece of text means.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// None holds it.
    Nothing,
    /// This one, or the first of several equal ones.
    At(usize),
    /// Several that differ.
    Several(Vec<usize>),
}

/// Looks for the entries that hold the text. Case counts, nothing is normalised.
pub(super) fn find(entries: &[Entry], old: &str) -> Found {
    let hits: Vec<usize> =
        entries.iter().enumerate().filter(|(_, entry)| entry.contains(old)).map(|(index, _)| index).collect();
    match hits.first() {
        None => Found::Nothing,
        Some(first) if hits.iter().all(|hit| entries[*hit] == entries[*first]) => Found::At(*first),
        Some(_) => Found::Several(hits),
    }
}

/// An entry as an ambiguous match shows it.
pub(super) fn preview(entry: &str) -> String {
    let start = text::cut(entry, PREVIEW_CHARS);
    if start.len() == entry.len() { start.to_owned() } else { format!("{start}...") }
}

/// A number of characters against the limit: `24/2,200`, or `24` without a limit.
pub(super) fn usage(chars: usize, limit: Limit) -> String {
    match limit {
        Limit::Chars(limit) => format!("{}/{}", text::thousands(chars), signed_thousands(limit)),
        Limit::None => text::thousands(chars),
    }
}

/// The same with the share in percent: `1% — 24/2,200 chars`, or `24 chars` without a limit.
pub(super) fn usage_with_share(chars: usize, limit: Limit) -> String {
    match limit {
        Limit::Chars(size) => format!("{}% — {} chars", percent(chars, size), usage(chars, limit)),
        Limit::None => format!("{} chars", usage(chars, limit)),
    }
}

/// Computed in 64-bit floats and cut, so that 29 of 100 gives 28 (`spec/memory.md` §4.1).
fn percent(chars: usize, limit: i64) -> u64 {
    if limit <= 0 {
        return 0;
    }
    let share = (chars as f64 / limit as f64) * 100.0;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and 100, and cutting is what the format asks for"
    )]
    let whole = share.min(100.0) as u64;
    whole
}

pub(super) fn signed_thousands(number: i64) -> String {
    let digits = text::thousands(usize::try_from(number.unsigned_abs()).unwrap_or(usize::MAX));
    if number < 0 { format!("-{digits}") } else { digits }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entries(texts: &[&str]) -> Vec<Entry> {
        texts.iter().map(|text| Entry::from(*text)).collect()
    }

    /// The definition of `spec/memory.md` §5.1, word for word.
    fn drifted_by_definition(raw: &str, limit: Limit) -> bool {
        let parts: Vec<&str> = pieces(raw).collect();
        !text::is_blank(raw)
            && (text::trim(raw) != parts.join(DELIMITER)
                || parts.iter().any(|part| limit.is_exceeded_by(Chars::of(part).0)))
    }

    #[test]
    fn shares_are_cut_in_floats() {
        let shares: Vec<u64> = [7, 14, 28, 29, 57, 58, 99].map(|chars| percent(chars, 100)).to_vec();
        assert_eq!(shares, [7, 14, 28, 28, 56, 57, 99]);
        assert_eq!((percent(3, 0), percent(50, 20), percent(1, -5)), (0, 100, 0));
        assert_eq!(usage_with_share(1234, Limit::Chars(12_345)), "9% — 1,234/12,345 chars");
        assert_eq!(usage_with_share(1234, Limit::None), "1,234 chars");
        assert_eq!(usage(3, Limit::Chars(-1234)), "3/-1,234");
    }

    #[test]
    fn equal_hits_are_one_and_different_ones_are_shown() {
        let store = entries(&["b2", "one", "b2", "two"]);
        assert_eq!(find(&store, "b2"), Found::At(0));
        assert_eq!(find(&store, "o"), Found::Several(vec![1, 3]));
        assert_eq!(find(&store, "O"), Found::Nothing);
        assert_eq!(preview(&"x".repeat(80)), "x".repeat(80));
        assert_eq!(preview(&"ä".repeat(81)), format!("{}...", "ä".repeat(80)));
    }

    proptest! {
        #[test]
        fn drift_is_as_defined(raw in "([ab §\n\r]|\n§\n){0,12}", limit in 0_i64..8) {
            let raw = text::fold_newlines(&raw);
            let limit = Limit::Chars(limit);
            prop_assert_eq!(drifted(&raw, limit), drifted_by_definition(&raw, limit));
        }

        #[test]
        fn what_does_not_fall_apart_is_read_as_it_was_written(texts in prop::collection::vec("[ab§\n ]{1,6}", 0..5)) {
            let mut kept: Vec<Entry> = Vec::new();
            for content in &texts {
                let content = text::trim(content);
                let entry = Entry::from(content);
                if !content.is_empty() && !falls_apart(content) && !kept.contains(&entry) {
                    kept.push(entry);
                }
            }
            prop_assert_eq!(parse(&render(&kept)), kept);
        }
    }
}
