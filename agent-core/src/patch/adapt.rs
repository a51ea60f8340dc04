//! Fitting the new text to what it replaces (`spec/fuzzy-patch.md` §4 and §5): a model that quoted with wrong blanks,
//! escapes or quotes has most often written the replacement with the same ones.

use std::borrow::Cow;

use super::engine::{PatchError, Strategy};
use super::find::{Search, first_worded};
use super::fold::{fold, folded};
use super::lines::Region;
use super::matcher::{Edit, SequenceMatcher};
use crate::text::is_blank;

const ESCAPED_QUOTES: [&str; 2] = ["\\'", "\\\""];

/// The new text, fitted to all regions; what remains depends on each.
pub(super) struct Adapted<'a> {
    content: &'a str,
    text: Cow<'a, str>,
    /// Indent of the first worded line of the old text, where the new text is to be indented anew.
    old_indent: Option<&'a str>,
}

impl<'a> Adapted<'a> {
    /// # Errors
    /// [`PatchError::EscapeDrift`].
    pub(super) fn prepare(
        search: &Search<'a>,
        new: &'a str,
        strategy: Strategy,
        regions: &[Region],
    ) -> Result<Self, PatchError> {
        let found: String = regions.iter().map(|&(start, end)| &search.content[start..end]).collect();
        if strategy != Strategy::Exact {
            let drifted =
                |quote: &&str| new.contains(*quote) && search.old.contains(*quote) && !found.contains(*quote);
            if let Some(escape) = ESCAPED_QUOTES.into_iter().find(|quote| drifted(quote)) {
                return Err(PatchError::EscapeDrift { escape });
            }
        }
        let mut text = Cow::Borrowed(new);
        if search.rules.repairs_controls {
            text = repaired(repaired(text, &found, "\\t", "\t"), &found, "\\r", "\r");
        }
        if strategy == Strategy::UnicodeNormalized
            && search.rules.keeps_typography
            && let Some(kept) = with_typography(search.old, &found, &text)
        {
            text = Cow::Owned(kept);
        }
        let reindents = search.rules.reindents && strategy != Strategy::Exact && !text.is_empty();
        let old_indent = first_worded(search.old).filter(|_| reindents).map(indent_of);
        Ok(Self { content: search.content, text, old_indent })
    }

    /// What stands in a region's place.
    pub(super) fn for_region(&self, (start, end): Region) -> String {
        let worded = first_worded(&self.content[start..end]);
        match (self.old_indent, worded.map(indent_of)) {
            (Some(old), Some(new)) if old != new => reindented(&self.text, old, new),
            _ => self.text.clone().into_owned(),
        }
    }
}

fn repaired<'a>(text: Cow<'a, str>, found: &str, written: &str, real: &str) -> Cow<'a, str> {
    if text.contains(written) && found.contains(real) {
        Cow::Owned(text.replace(written, real))
    } else {
        text
    }
}

/// Leading spaces and tabs.
fn indent_of(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

fn reindented(text: &str, old: &str, new: &str) -> String {
    let line = |line: &str| match line.strip_prefix(old) {
        _ if is_blank(line) => line.to_owned(),
        Some(rest) => format!("{new}{rest}"),
        None => format!("{new}{}", line.trim_start_matches([' ', '\t'])),
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// The new text with the typography of the found one wherever both say the same; none unless the old text folds to
/// the found one.
fn with_typography(old: &str, found: &str, text: &str) -> Option<String> {
    let old_folded = fold(old);
    if old_folded != fold(found) {
        return None;
    }
    let (a, b): (Vec<char>, Vec<char>) = (old_folded.chars().collect(), text.chars().collect());
    let (original, starts) = folded_starts(found);
    let mut kept = String::with_capacity(text.len());
    for (edit, (from, to), (new_from, new_to)) in SequenceMatcher::new(&a, &b).steps() {
        match edit {
            Edit::Change => kept.extend(&b[new_from..new_to]),
            Edit::Equal => {
                // A stretch that starts inside an expanded character goes back to the very start, as in the reference.
                let first = starts.binary_search(&from).unwrap_or(0);
                let end = first + starts[first..].partition_point(|&start| start < to);
                kept.extend(&original[first..end]);
            }
        }
    }
    Some(kept)
}

/// The characters of a text, and for each its position in the folded text, both in code points.
fn folded_starts(text: &str) -> (Vec<char>, Vec<usize>) {
    let mut at = 0;
    let starts = |char| {
        let start = at;
        // The folded forms are ASCII, so bytes are characters.
        at += folded(char).map_or(1, str::len);
        start
    };
    (text.chars().collect(), text.chars().map(starts).collect())
}
