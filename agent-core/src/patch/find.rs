//! The strategies that find something (`spec/fuzzy-patch.md` §2).
//!
//! Two strategies of the reference are left out, since they can never win: whatever equals after trimming on the
//! left, or with only the outer lines trimmed, equals after trimming every line, which is asked before.

use super::engine::Strategy;
use super::fold::{Folded, fold};
use super::lines::{Lines, Region, equal_windows};
use super::similar::Profile;
use crate::behaviour::{ExactHits, LikeLines, PatchRules, TrailingBlanks};
use crate::text::trim;

/// Least likeness of the lines between the anchors if one place has both anchors, and if several have.
const MIDDLE_RATIO_ONE: f64 = 0.50;
const MIDDLE_RATIO_MANY: f64 = 0.70;

/// Least likeness of two lines that count as a pair.
const LINE_RATIO: f64 = 0.80;

/// What is looked for, where, and how.
pub(super) struct Search<'a> {
    pub(super) content: &'a str,
    pub(super) old: &'a str,
    pub(super) rules: &'a PatchRules,
}

type Finder = fn(&Search<'_>) -> Vec<Region>;

/// The chain: the first that finds anything decides.
pub(super) const CHAIN: [(Strategy, Finder); 7] = [
    (Strategy::Exact, exact),
    (Strategy::LineTrimmed, line_trimmed),
    (Strategy::WhitespaceNormalized, whitespace_normalized),
    (Strategy::EscapeNormalized, escape_normalized),
    (Strategy::UnicodeNormalized, unicode_normalized),
    (Strategy::BlockAnchor, block_anchor),
    (Strategy::ContextAware, context_aware),
];

fn exact(search: &Search<'_>) -> Vec<Region> {
    hits(search.content, search.old, search.rules)
}

/// Plain hits of a pattern, which is not empty.
fn hits(text: &str, pattern: &str, rules: &PatchRules) -> Vec<Region> {
    match rules.exact_hits {
        ExactHits::Apart => text.match_indices(pattern).map(|(at, _)| (at, at + pattern.len())).collect(),
        ExactHits::Overlapping => {
            let step = pattern.chars().next().map_or(1, char::len_utf8);
            let mut found = Vec::new();
            let mut from = 0;
            while let Some(at) = text[from..].find(pattern) {
                found.push((from + at, from + at + pattern.len()));
                from += at + step;
            }
            found
        }
    }
}

fn line_trimmed(search: &Search<'_>) -> Vec<Region> {
    trimmed_windows(search.content, search.old)
}

fn trimmed_windows(text: &str, pattern: &str) -> Vec<Region> {
    let (pattern, text) = (Lines::of(pattern), Lines::of(text));
    equal_windows(&pattern, &text)
        .into_iter()
        .map(|first| text.span(first, first + pattern.len() - 1))
        .collect()
}

fn is_blank_byte(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn whitespace_normalized(search: &Search<'_>) -> Vec<Region> {
    let (text, pattern) = (collapsed(search.content), collapsed(search.old));
    let found = hits(&text, &pattern, search.rules);
    if found.is_empty() {
        return found;
    }
    let map = Collapse::of(search.content.as_bytes(), text.as_bytes());
    found.into_iter().map(|hit| map.original(hit, search.rules.trailing_blanks)).collect()
}

/// The text with each run of spaces and tabs made one space.
fn collapsed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut in_run = false;
    for char in text.chars() {
        let blank = matches!(char, ' ' | '\t');
        match (blank, in_run) {
            (true, true) => {}
            (true, false) => out.push(' '),
            (false, _) => out.push(char),
        }
        in_run = blank;
    }
    out
}

/// Which bytes of a text belong to which of its collapsed form. Blanks are single bytes and all others are equal on
/// both sides, so bytes do as well as characters.
struct Collapse<'a> {
    original: &'a [u8],
    collapsed: &'a [u8],
    /// First and last original position of each collapsed one.
    ends: Vec<Region>,
}

impl<'a> Collapse<'a> {
    /// Walks both texts as the reference does. Its quirk is kept: of several spaces the second and later ones go
    /// with the word that follows.
    fn of(original: &'a [u8], collapsed: &'a [u8]) -> Self {
        let mut ends: Vec<Region> = Vec::with_capacity(collapsed.len());
        let mut at = 0;
        for (from, &byte) in original.iter().enumerate() {
            if at == collapsed.len() {
                break;
            }
            match ends.get_mut(at) {
                Some(end) => end.1 = from,
                None => ends.push((from, from)),
            }
            let run_ends = || original.get(from + 1).is_some_and(|&next| !is_blank_byte(next));
            if byte == collapsed[at] || (is_blank_byte(byte) && collapsed[at] == b' ' && run_ends()) {
                at += 1;
            }
        }
        Self { original, collapsed, ends }
    }

    fn original(&self, (start, end): Region, trailing: TrailingBlanks) -> Region {
        let first = self.ends[start].0;
        let mut last = self.ends[end - 1].1 + 1;
        let swallow = trailing == TrailingBlanks::Always || self.collapsed[end - 1] == b' ';
        if swallow && end < self.collapsed.len() {
            while self.original.get(last).is_some_and(|&byte| is_blank_byte(byte)) {
                last += 1;
            }
        }
        (first, last)
    }
}

fn escape_normalized(search: &Search<'_>) -> Vec<Region> {
    let plain = search.old.replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\r");
    if plain == search.old { Vec::new() } else { hits(search.content, &plain, search.rules) }
}

fn unicode_normalized(search: &Search<'_>) -> Vec<Region> {
    let (text, pattern) = (Folded::of(search.content), fold(search.old));
    if text.text == search.content && pattern == search.old {
        return Vec::new();
    }
    let mut found = hits(&text.text, &pattern, search.rules);
    if found.is_empty() {
        found = trimmed_windows(&text.text, &pattern);
    }
    found.into_iter().filter_map(|hit| text.original(hit)).collect()
}

fn block_anchor(search: &Search<'_>) -> Vec<Region> {
    let (text, pattern) = (fold(search.content), fold(search.old));
    let (text, pattern) = (Lines::of(&text), Lines::of(&pattern));
    let size = pattern.len();
    if size < 2 {
        return Vec::new();
    }
    let (first, last) = (pattern.trimmed(0), pattern.trimmed(size - 1));
    let anchored: Vec<usize> = text
        .windows(size)
        .filter(|&at| text.trimmed(at) == first && text.trimmed(at + size - 1) == last)
        .collect();
    let threshold = if anchored.len() == 1 { MIDDLE_RATIO_ONE } else { MIDDLE_RATIO_MANY };
    let lines = Lines::of(search.content);
    let regions = |at: usize| lines.span(at, at + size - 1);
    if size == 2 {
        return anchored.into_iter().map(regions).collect();
    }
    let middle = Profile::of(pattern.text_of(1, size - 2));
    anchored
        .into_iter()
        .filter(|&at| Profile::of(text.text_of(at + 1, at + size - 2)).reaches(&middle, threshold))
        .map(regions)
        .collect()
}

fn context_aware(search: &Search<'_>) -> Vec<Region> {
    let (text, pattern) = (Lines::of(search.content), Lines::of(search.old));
    let size = pattern.len();
    let profiles = |lines: &Lines<'_>| -> Vec<Profile> {
        (0..lines.len()).map(|at| Profile::of(lines.trimmed(at))).collect()
    };
    let (wanted, found) = (profiles(&pattern), profiles(&text));
    text.windows(size)
        .filter(|&first| similar_window(&wanted, &found[first..first + size], search.rules.like_lines))
        .map(|first| text.span(first, first + size - 1))
        .collect()
}

/// Whether at least half of the lines are alike. Stops as soon as that is settled.
fn similar_window(wanted: &[Profile], window: &[Profile], like: LikeLines) -> bool {
    let size = wanted.len();
    let mut alike = 0;
    let mut worded = false;
    for (at, (one, two)) in wanted.iter().zip(window).enumerate() {
        if 2 * (alike + size - at) < size {
            return false;
        }
        if one.reaches(two, LINE_RATIO) {
            alike += 1;
            worded |= !one.is_empty();
        }
        if 2 * alike >= size && (worded || like == LikeLines::All) {
            return true;
        }
    }
    false
}

/// The first line that is not blank, untrimmed.
pub(super) fn first_worded(text: &str) -> Option<&str> {
    text.split('\n').find(|line| !trim(line).is_empty())
}
