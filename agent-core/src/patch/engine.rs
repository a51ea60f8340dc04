//! The chain, the question of uniqueness, and cutting the new text in.

use super::adapt::Adapted;
use super::find::{CHAIN, Search};
use super::lines::Region;
use crate::behaviour::{OverlappingWindows, PatchRules};

/// How the text was found. The names are those of the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strategy {
    /// Plain substring.
    Exact,
    /// Whole lines, each trimmed on both ends.
    LineTrimmed,
    /// Runs of spaces and tabs made one space.
    WhitespaceNormalized,
    /// Written-out control characters in the quoted text made real.
    EscapeNormalized,
    /// Typographic characters folded to ASCII on both sides.
    UnicodeNormalized,
    /// First and last line equal, the lines between alike.
    BlockAnchor,
    /// At least half of the lines alike.
    ContextAware,
}

impl Strategy {
    /// The reported name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::LineTrimmed => "line_trimmed",
            Self::WhitespaceNormalized => "whitespace_normalized",
            Self::EscapeNormalized => "escape_normalized",
            Self::UnicodeNormalized => "unicode_normalized",
            Self::BlockAnchor => "block_anchor",
            Self::ContextAware => "context_aware",
        }
    }
}

/// A text with the replacement in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patched {
    /// The new text.
    pub text: String,
    /// How many regions were replaced, at least 1.
    pub matches: usize,
    /// How they were found.
    pub strategy: Strategy,
}

/// Why nothing was replaced (`spec/fuzzy-patch.md` §1). The words are for the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// There is nothing to look for.
    #[error("the text to replace is empty")]
    EmptyOld,
    /// Old and new text are the same.
    #[error("the text to replace and its replacement are the same")]
    Identical,
    /// Several regions fit and not all were to be replaced.
    #[error(
        "the text to replace fits {found} places; quote more lines around it so that it fits one, \
         or set replace_all to change every one"
    )]
    Ambiguous {
        /// How many.
        found: usize,
    },
    /// The quotes in the new text carry backslashes that the file does not have there.
    #[error(
        "old and new text both write {} but the file has no backslash there: \
         quote the file as it stands, without escaping",
        escape
    )]
    EscapeDrift {
        /// The escaped quote.
        escape: &'static str,
    },
    /// Nothing fits.
    #[error(
        "the text to replace was not found, neither exactly nor with tolerance for blanks and small differences"
    )]
    NoMatch,
}

impl PatchError {
    /// The error kind.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::EmptyOld => "empty-old",
            Self::Identical => "identical",
            Self::Ambiguous { .. } => "ambiguous-match",
            Self::EscapeDrift { .. } => "escape-drift",
            Self::NoMatch => "no-match",
        }
    }

    /// How many regions fit, where that was the trouble.
    pub const fn found(&self) -> Option<usize> {
        match self {
            Self::Ambiguous { found } => Some(*found),
            _ => None,
        }
    }
}

/// Looks for `old` in `content` and puts `new` in its place: in one place, or in all with `replace_all`.
///
/// # Errors
/// See [`PatchError`]; the content then stays as it is.
pub fn replace(
    content: &str,
    old: &str,
    new: &str,
    replace_all: bool,
    rules: &PatchRules,
) -> Result<Patched, PatchError> {
    if old.is_empty() {
        return Err(PatchError::EmptyOld);
    }
    if old == new {
        return Err(PatchError::Identical);
    }
    let search = Search { content, old, rules };
    let (strategy, mut regions) = CHAIN
        .iter()
        .map(|(strategy, find)| (*strategy, find(&search)))
        .find(|(_, regions)| !regions.is_empty())
        .ok_or(PatchError::NoMatch)?;
    if regions.len() > 1 && !replace_all {
        return Err(PatchError::Ambiguous { found: regions.len() });
    }
    if rules.overlapping_windows == OverlappingWindows::FirstOnly {
        keep_apart(&mut regions);
    }
    let adapted = Adapted::prepare(&search, new, strategy, &regions)?;
    let pieces: Vec<String> = regions.iter().map(|region| adapted.for_region(*region)).collect();
    Ok(Patched { text: cut_in(content, &regions, &pieces), matches: regions.len(), strategy })
}

fn overlap(regions: &[Region]) -> bool {
    regions.windows(2).any(|pair| pair[1].0 < pair[0].1)
}

/// Drops each region that begins inside the one kept before it.
fn keep_apart(regions: &mut Vec<Region>) {
    let mut end = 0;
    regions.retain(|region| {
        let keep = region.0 >= end;
        if keep {
            end = region.1;
        }
        keep
    });
}

/// The content with each region (ascending by start) replaced by its piece.
fn cut_in(content: &str, regions: &[Region], pieces: &[String]) -> String {
    if overlap(regions) {
        return cut_in_stale(content, regions, pieces);
    }
    let mut text = String::with_capacity(content.len() + pieces.iter().map(String::len).sum::<usize>());
    let mut from = 0;
    for (region, piece) in regions.iter().zip(pieces) {
        text.push_str(&content[from..region.0]);
        text.push_str(piece);
        from = region.1;
    }
    text.push_str(&content[from..]);
    text
}

/// Overlapping regions as the reference cuts them in: last one first, each at its original offsets in the running
/// result, although the text behind its start has changed already (`spec/fuzzy-patch.md` §3). Offsets count code
/// points and stop at the end of the text, as Python's slices do.
fn cut_in_stale(content: &str, regions: &[Region], pieces: &[String]) -> String {
    let mut text: Vec<char> = content.chars().collect();
    let mut starts: Vec<usize> = content.char_indices().map(|(at, _)| at).collect();
    starts.push(content.len());
    let char_at = |byte: usize| starts.partition_point(|&start| start < byte);
    for (region, piece) in regions.iter().zip(pieces).rev() {
        let start = char_at(region.0).min(text.len());
        let end = char_at(region.1).min(text.len());
        text.splice(start..end, piece.chars());
    }
    text.into_iter().collect()
}
