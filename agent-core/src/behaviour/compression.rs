//! Compression of long conversations (`spec/compression.md`).

use super::faults::FaultRow;
use super::settings::Settings;
use super::table::{Kind, Preset, Row};

const HERE: &str = "spec/compression.md §1, §5";

const fn five(preset: [i64; 5]) -> [Preset; 5] {
    [
        Preset::Int(preset[0]),
        Preset::Int(preset[1]),
        Preset::Int(preset[2]),
        Preset::Int(preset[3]),
        Preset::Int(preset[4]),
    ]
}

const OLD: [Preset; 5] =
    [Preset::Bool(false), Preset::Bool(false), Preset::Bool(false), Preset::Bool(true), Preset::Bool(true)];

pub(super) const ROWS: &[Row] = &[
    Row::same(
        "compression.enabled",
        Kind::Bool,
        Preset::Bool(true),
        "whether long conversations are compressed",
        HERE,
    ),
    Row::same(
        "compression.threshold",
        Kind::Float,
        Preset::Float(0.5),
        "share of the usable window from which a conversation is compressed",
        HERE,
    ),
    Row::same(
        "compression.target_ratio",
        Kind::Float,
        Preset::Float(0.2),
        "share of the threshold that the kept tail may fill; 0.10 to 0.80",
        HERE,
    ),
    Row::same(
        "compression.protect_first_n",
        Kind::Int,
        Preset::Int(3),
        "messages kept at the beginning",
        HERE,
    ),
    Row::same("compression.protect_last_n", Kind::Int, Preset::Int(20), "messages kept at the end", HERE),
    Row::same(
        "compression.abort_on_summary_failure",
        Kind::Bool,
        Preset::Bool(false),
        "whether a failed summary leaves the conversation as it is instead of a summary without a model",
        HERE,
    ),
    Row::by_version(
        "compression.in_place",
        Kind::Bool,
        OLD,
        "whether the session goes on under its id; otherwise a child session continues it",
        HERE,
    ),
    Row::same(
        "auxiliary.compression.timeout",
        Kind::Int,
        Preset::Int(120),
        "seconds to wait for the summary",
        HERE,
    ),
    Row::by_version(
        "compression.hygiene_hard_message_limit",
        Kind::Int,
        five([400, 400, 400, 5000, 5000]),
        "messages from which a gateway's session is compressed at the start of a turn; 0 or less is none",
        HERE,
    ),
    Row::by_version(
        "compression.summary_tokens_max",
        Kind::Int,
        five([12_000, 12_000, 12_000, 10_000, 10_000]),
        "ceiling of a summary in tokens",
        HERE,
    ),
    Row::by_version(
        "compression.small_window_floor",
        Kind::Bool,
        OLD,
        "whether windows below 512,000 tokens are used to three quarters",
        HERE,
    ),
    Row::by_version(
        "compression.head_decays",
        Kind::Bool,
        OLD,
        "whether the beginning loses its protection after the first compression",
        HERE,
    ),
    Row::by_version(
        "compression.before_each_request",
        Kind::Bool,
        OLD,
        "whether every pass looks at the length before its request, not only turns and tool rounds",
        HERE,
    ),
    Row::by_version(
        "compression.thrash_guard",
        Kind::Choice(&["saved_little", "still_over"]),
        [
            Preset::Text("saved_little"),
            Preset::Text("saved_little"),
            Preset::Text("saved_little"),
            Preset::Text("still_over"),
            Preset::Text("still_over"),
        ],
        "what counts as an ineffective compression",
        HERE,
    ),
];

pub(super) const FAULTS: &[FaultRow] = &[];

/// What counts as an ineffective compression; after two in a row no further one is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThrashGuard {
    /// It saved less than a tenth.
    SavedLittle,
    /// The next request's real usage was still over the threshold.
    StillOver,
}

/// Compression of long conversations.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "independent rules of the versions, one a row")]
pub struct CompressionRules {
    /// Whether there is any.
    pub enabled: bool,
    /// Share of the usable window.
    pub threshold: f64,
    /// Share of the threshold that the tail may fill, within its bounds.
    pub target_ratio: f64,
    /// Messages kept at the beginning.
    pub protect_first: usize,
    /// Messages kept at the end.
    pub protect_last: usize,
    /// Whether a failed summary leaves everything as it is.
    pub abort_on_failure: bool,
    /// Whether the session keeps its id.
    pub in_place: bool,
    /// Messages from which a gateway's session is compressed at the start of a turn; none without a limit.
    pub messages_max: Option<usize>,
    /// How long to wait for the summary, in seconds.
    pub timeout_secs: u64,
    /// Ceiling of a summary in tokens.
    pub summary_max: u64,
    /// Whether small windows are used to three quarters.
    pub small_window_floor: bool,
    /// Whether the beginning loses its protection.
    pub head_decays: bool,
    /// Whether every pass looks at the length.
    pub before_each_request: bool,
    /// What counts as ineffective.
    pub thrash_guard: ThrashGuard,
}

impl CompressionRules {
    pub(super) fn resolve(settings: &Settings) -> Self {
        let flag = |key: &str| settings.bool_or(key, false);
        let whole =
            |key: &str, fallback: i64| u64::try_from(settings.int_or(key, fallback).max(0)).unwrap_or(0);
        let count = |key: &str, fallback| usize::try_from(whole(key, fallback)).unwrap_or(usize::MAX);
        Self {
            enabled: settings.bool_or("compression.enabled", true),
            threshold: settings.float_or("compression.threshold", 0.5),
            target_ratio: settings.float_or("compression.target_ratio", 0.2).clamp(0.10, 0.80),
            protect_first: count("compression.protect_first_n", 3),
            protect_last: count("compression.protect_last_n", 20),
            abort_on_failure: flag("compression.abort_on_summary_failure"),
            in_place: flag("compression.in_place"),
            messages_max: Some(count("compression.hygiene_hard_message_limit", 5000)).filter(|&max| max > 0),
            timeout_secs: whole("auxiliary.compression.timeout", 120),
            summary_max: whole("compression.summary_tokens_max", 10_000),
            small_window_floor: flag("compression.small_window_floor"),
            head_decays: flag("compression.head_decays"),
            before_each_request: flag("compression.before_each_request"),
            thrash_guard: match settings.text("compression.thrash_guard") {
                "saved_little" => ThrashGuard::SavedLittle,
                _ => ThrashGuard::StillOver,
            },
        }
    }
}
