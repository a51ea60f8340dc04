//! Bullets and sentences of a text, and word patterns in them.
//!
//! A pattern is words in a row, compared without case: `pinned` is just this word, `pin*` one that begins so, `~` up
//! to six words of any kind. A hyphen parts words, so `class level` also finds "class-level".

use std::ops::Range;

/// Words that a `~` may pass over.
const GAP_WORDS: usize = 6;

/// A bullet, or a sentence of a paragraph.
#[derive(Debug)]
pub(super) struct Unit {
    /// Where it stands, in bytes of the text.
    pub(super) at: Range<usize>,
    words: Vec<String>,
    /// The words of the heading or line that introduces the bullet.
    lead: Vec<String>,
}

impl Unit {
    /// Whether one of the patterns occurs.
    pub(super) fn says(&self, patterns: &[&str]) -> bool {
        patterns.iter().any(|pattern| occurs(pattern, &self.words))
    }

    /// Whether one of the patterns occurs in what introduces it.
    pub(super) fn is_introduced_by(&self, patterns: &[&str]) -> bool {
        patterns.iter().any(|pattern| occurs(pattern, &self.lead))
    }
}

fn words(text: &str) -> Vec<String> {
    let part = |char: char| !(char.is_alphanumeric() || matches!(char, '_' | '.' | '\'' | '’'));
    text.split(part)
        .map(|word| word.trim_matches(['.', '\'', '’']).to_lowercase().replace('’', "'"))
        .filter(|word| !word.is_empty())
        .collect()
}

fn occurs(pattern: &str, words: &[String]) -> bool {
    let pattern: Vec<&str> = pattern.split(' ').collect();
    (0..words.len()).any(|at| begins(&pattern, &words[at..]))
}

fn begins(pattern: &[&str], words: &[String]) -> bool {
    let Some((first, rest)) = pattern.split_first() else { return true };
    if *first == "~" {
        return (0..=GAP_WORDS.min(words.len())).any(|skip| begins(rest, &words[skip..]));
    }
    let Some((word, others)) = words.split_first() else { return false };
    let fits = match first.strip_suffix('*') {
        Some(beginning) => word.starts_with(beginning),
        None => word == first,
    };
    fits && begins(rest, others)
}

/// What kind of block a line belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Heading,
    Bullet,
    Paragraph,
}

/// The bullets of a text, and the sentences of its paragraphs. Fenced code is passed over.
pub(super) fn units(text: &str) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut lead = Vec::new();
    for (kind, at) in blocks(text) {
        let block = &text[at.clone()];
        match kind {
            Kind::Bullet => units.push(Unit { words: words(block), at, lead: lead.clone() }),
            Kind::Heading => lead = words(block),
            Kind::Paragraph => {
                // A line that introduces bullets is no rule of its own.
                lead = if block.trim_end().ends_with(':') { words(block) } else { Vec::new() };
                units.extend(sentences(block).map(|range| {
                    let at = at.start + range.start..at.start + range.end;
                    Unit { words: words(&text[at.clone()]), at, lead: Vec::new() }
                }));
            }
        }
    }
    units
}

/// Blocks with where they stand, line ends at the end included.
fn blocks(text: &str) -> Vec<(Kind, Range<usize>)> {
    let mut blocks: Vec<(Kind, Range<usize>)> = Vec::new();
    let mut open = false;
    let mut fenced = false;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let at = start..start + line.len();
        start = at.end;
        let bare = line.trim();
        if bare.starts_with("```") {
            fenced = !fenced;
            open = false;
        } else if fenced || bare.is_empty() {
            open = false;
        } else if bare.starts_with('#') {
            blocks.push((Kind::Heading, at));
            open = false;
        } else if is_bullet(bare) {
            blocks.push((Kind::Bullet, at));
            open = true;
        } else if let Some((_, last)) = blocks.last_mut().filter(|_| open) {
            last.end = at.end;
        } else {
            blocks.push((Kind::Paragraph, at));
            open = true;
        }
    }
    blocks
}

fn is_bullet(line: &str) -> bool {
    if ["- ", "* ", "+ ", "• "].iter().any(|mark| line.starts_with(mark)) {
        return true;
    }
    let inner = line.strip_prefix('(').unwrap_or(line);
    let label = inner.trim_start_matches(|char: char| char.is_ascii_digit());
    let label = if label.len() == inner.len() {
        inner.strip_prefix(|char: char| char.is_ascii_lowercase()).unwrap_or("")
    } else {
        label
    };
    label.starts_with(". ") || label.starts_with(") ")
}

/// Sentences of a paragraph: they end at a full stop, question or exclamation mark before a blank and a capital.
fn sentences(block: &str) -> impl Iterator<Item = Range<usize>> {
    let mut ends: Vec<usize> = block
        .char_indices()
        .filter(|(at, char)| {
            let rest = &block[at + char.len_utf8()..];
            let after = rest.trim_start_matches(['"', '\'', '”', '’', ')', '`', '*']);
            let next = after.trim_start();
            matches!(char, '.' | '?' | '!')
                && next.len() < after.len()
                && next.starts_with(|char: char| !char.is_lowercase())
        })
        .map(|(at, char)| {
            let rest = &block[at + char.len_utf8()..];
            let closing = rest.len() - rest.trim_start_matches(['"', '\'', '”', '’', ')', '`', '*']).len();
            at + char.len_utf8() + closing
        })
        .collect();
    ends.push(block.len());
    let mut start = 0;
    ends.into_iter().filter_map(move |end| {
        let range = start..end;
        start = end;
        (!range.is_empty()).then_some(range)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        units(text).into_iter().map(|unit| text[unit.at].trim()).collect()
    }

    #[test]
    fn bullets_are_whole_and_paragraphs_are_parted() {
        let text = "# Head\n\nOne sentence. Two, e.g. this\none? \"Three.\" Four\n\n- a bullet. With two\n  lines\n1. next\n\
                    (b) last\n```\ncode. Is not. Read\n```\nEnd";
        assert_eq!(
            texts(text),
            [
                "One sentence.",
                "Two, e.g. this\none?",
                "\"Three.\"",
                "Four",
                "- a bullet. With two\n  lines",
                "1. next",
                "(b) last",
                "End",
            ]
        );
    }

    #[test]
    fn patterns_know_beginnings_and_gaps() {
        let words =
            words("Leave every skill that's *pinned* completely alone; it is class-level (see SKILL.md).");
        for hit in ["pinned", "pin*", "leave ~ alone", "class level", "skill.md", "that's pinned"] {
            assert!(occurs(hit, &words), "{hit}");
        }
        for miss in ["pin", "level class", "leave alone", "skill.md x", "every ~ class"] {
            assert!(!occurs(miss, &words), "{miss}");
        }
    }

    #[test]
    fn an_introduction_lends_its_force() {
        let units = units("Never touch:\n\n- pinned skills\n\nMore.\n\n- others\n");
        assert!(units[1].is_introduced_by(&["never"]) && !units[1].says(&["never"]));
        assert!(!units[3].is_introduced_by(&["never"]));
    }
}
