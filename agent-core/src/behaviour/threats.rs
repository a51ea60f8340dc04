//! The scan for threats in memory entries and context files (`spec/memory.md` §11, `spec/prompt.md` §6).

use super::settings::Settings;
use super::table::{Kind, Preset, Row};

pub(super) const ROWS: &[Row] = &[
    Row::by_version(
        "threats.list",
        Kind::Choice(&["own", "shared", "bounded"]),
        [
            Preset::Text("own"),
            Preset::Text("own"),
            Preset::Text("shared"),
            Preset::Text("bounded"),
            Preset::Text("bounded"),
        ],
        "which list of threat classes: each scanner's own, the shared one, or that one with bounded spans",
        "spec/memory.md §9.2, §11",
    ),
    Row::by_version(
        "threats.normalizes",
        Kind::Bool,
        [
            Preset::Bool(false),
            Preset::Bool(false),
            Preset::Bool(false),
            Preset::Bool(true),
            Preset::Bool(true),
        ],
        "whether compatibility forms of characters are seen through (NFKC)",
        "spec/memory.md §9, §11",
    ),
    Row::by_version(
        "threats.chars_max",
        Kind::Int,
        [Preset::None, Preset::None, Preset::None, Preset::Int(65_536), Preset::Int(65_536)],
        "how many characters of a text are scanned; unset is all",
        "spec/memory.md §9, §11",
    ),
    Row::by_version(
        "threats.invisible",
        Kind::Choice(&["ten", "seventeen"]),
        [
            Preset::Text("ten"),
            Preset::Text("ten"),
            Preset::Text("seventeen"),
            Preset::Text("seventeen"),
            Preset::Text("seventeen"),
        ],
        "which set of invisible characters counts",
        "spec/memory.md §9, §11",
    ),
];

/// Which list of threat classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreatList {
    /// Twelve for memory, ten for context files, without filler words.
    Own,
    /// The shared library, its spans without bounds.
    Shared,
    /// The same with bounded spans.
    Bounded,
}

/// Which invisible characters count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvisibleSet {
    /// Zero-width ones and direction embeddings.
    Ten,
    /// Also invisible operators and direction isolates.
    Seventeen,
}

/// The scan for threats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreatRules {
    /// Which list of classes.
    pub list: ThreatList,
    /// Whether compatibility forms are seen through.
    pub normalizes: bool,
    /// How many characters are scanned; none for all.
    pub chars_max: Option<usize>,
    /// Which invisible characters count.
    pub invisible: InvisibleSet,
}

impl ThreatRules {
    pub(super) fn resolve(settings: &Settings) -> Self {
        let list = match settings.text("threats.list") {
            "own" => ThreatList::Own,
            "shared" => ThreatList::Shared,
            _ => ThreatList::Bounded,
        };
        let ten = settings.text("threats.invisible") == "ten";
        Self {
            list,
            normalizes: settings.bool_or("threats.normalizes", true),
            chars_max: settings
                .value("threats.chars_max")
                .as_u64()
                .and_then(|limit| usize::try_from(limit).ok()),
            invisible: if ten { InvisibleSet::Ten } else { InvisibleSet::Seventeen },
        }
    }
}
