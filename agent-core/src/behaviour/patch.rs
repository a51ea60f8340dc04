//! Fuzzy find-and-replace (`spec/fuzzy-patch.md` §9).

use super::faults::FaultRow;
use super::settings::Settings;
use super::table::{Kind, Preset, Row};

const OLD_NO: [Preset; 5] =
    [Preset::Bool(false), Preset::Bool(false), Preset::Bool(true), Preset::Bool(true), Preset::Bool(true)];

pub(super) const ROWS: &[Row] = &[
    Row::by_version(
        "patch.reindents",
        Kind::Bool,
        OLD_NO,
        "whether the new text takes the indent of the place that a tolerant strategy found",
        "spec/fuzzy-patch.md §9",
    ),
    Row::by_version(
        "patch.repairs_controls",
        Kind::Bool,
        OLD_NO,
        "whether a written-out tab or carriage return in the new text becomes a real one where the file has real ones",
        "spec/fuzzy-patch.md §9",
    ),
    Row::by_version(
        "patch.keeps_typography",
        Kind::Bool,
        [
            Preset::Bool(false),
            Preset::Bool(false),
            Preset::Bool(false),
            Preset::Bool(true),
            Preset::Bool(true),
        ],
        "whether the file's typographic quotes and dashes stay where old and new text agree",
        "spec/fuzzy-patch.md §9",
    ),
    Row::by_version(
        "patch.trailing_blanks",
        Kind::Choice(&["always", "after_blank"]),
        [
            Preset::Text("always"),
            Preset::Text("always"),
            Preset::Text("always"),
            Preset::Text("after_blank"),
            Preset::Text("after_blank"),
        ],
        "when a hit found with collapsed blanks swallows the blanks behind it",
        "spec/fuzzy-patch.md §9",
    ),
];

pub(super) const FAULTS: &[FaultRow] = &[
    FaultRow {
        name: "patch_hits_overlap",
        versions: [true, true, true, false, false],
        field: "patch.exact_hits",
        on: "a pattern that overlaps itself is found at every place, and replacing all of them garbles the text",
        off: "the search goes on behind each hit",
        report: "spec/fuzzy-patch.md §9",
    },
    FaultRow {
        name: "patch_windows_overlap",
        versions: [true; 5],
        field: "patch.overlapping_windows",
        on: "with replace_all, windows of lines that overlap are all cut in at outdated offsets, which garbles the text",
        off: "of overlapping windows only the first is replaced",
        report: "found by running 0.19.0 (spec/fuzzy-patch.md §3)",
    },
    FaultRow {
        name: "patch_blank_lines_match",
        versions: [true; 5],
        field: "patch.like_lines",
        on: "two blank lines count as alike, so a quoted line that is nowhere in the file can replace its last line",
        off: "likeness needs at least one pair of lines with words",
        report: "found by running 0.19.0 (spec/fuzzy-patch.md §2.2)",
    },
];

/// Whether plain hits may overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExactHits {
    /// The search goes on behind each hit.
    Apart,
    /// It goes on one character after the start of each hit.
    Overlapping,
}

/// What becomes of windows of lines that overlap when all are to be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverlappingWindows {
    /// All are cut in, at their original offsets.
    Stale,
    /// Only the first of them is replaced.
    FirstOnly,
}

/// Which pairs of lines make a window similar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LikeLines {
    /// Every pair counts, blank lines too.
    All,
    /// At least one pair must have words.
    WordsNeeded,
}

/// When a hit found with collapsed blanks swallows the blanks behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrailingBlanks {
    /// Unless it ends the text.
    Always,
    /// Only if the hit itself ends with a blank.
    AfterBlank,
}

/// Fuzzy find-and-replace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchRules {
    /// Whether plain hits may overlap.
    pub exact_hits: ExactHits,
    /// What becomes of windows that overlap.
    pub overlapping_windows: OverlappingWindows,
    /// Which pairs of lines make a window similar.
    pub like_lines: LikeLines,
    /// When blanks behind a collapsed hit go with it.
    pub trailing_blanks: TrailingBlanks,
    /// Whether the new text takes the indent of the place found.
    pub reindents: bool,
    /// Whether written-out tabs and carriage returns become real ones.
    pub repairs_controls: bool,
    /// Whether the file's typography stays where old and new text agree.
    pub keeps_typography: bool,
}

impl PatchRules {
    pub(super) fn resolve(settings: &Settings) -> Self {
        let fault = |name| settings.fault(name);
        let always = settings.text("patch.trailing_blanks") == "always";
        Self {
            exact_hits: if fault("patch_hits_overlap") { ExactHits::Overlapping } else { ExactHits::Apart },
            overlapping_windows: if fault("patch_windows_overlap") {
                OverlappingWindows::Stale
            } else {
                OverlappingWindows::FirstOnly
            },
            like_lines: if fault("patch_blank_lines_match") {
                LikeLines::All
            } else {
                LikeLines::WordsNeeded
            },
            trailing_blanks: if always { TrailingBlanks::Always } else { TrailingBlanks::AfterBlank },
            reindents: settings.bool_or("patch.reindents", true),
            repairs_controls: settings.bool_or("patch.repairs_controls", true),
            keeps_typography: settings.bool_or("patch.keeps_typography", true),
        }
    }
}
