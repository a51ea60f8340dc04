//! Delegated children (`spec/turn-loop.md §10`).

use super::faults::FaultRow;
use super::settings::Settings;
use super::table::{Kind, Preset, Row};
use crate::values::SimDuration;

const HERE: &str = "spec/turn-loop.md §10";

pub(super) const ROWS: &[Row] = &[
    Row::same("delegation.max_iterations", Kind::Int, Preset::Int(50), "passes of a child", HERE),
    Row::same(
        "delegation.max_concurrent_children",
        Kind::Int,
        Preset::Int(3),
        "tasks of one call, calls of one reply, and batches in the background; at least 1",
        HERE,
    ),
    Row::same(
        "delegation.max_spawn_depth",
        Kind::Int,
        Preset::Int(1),
        "depth from which nothing is delegated any more, the session being 0; at least 1",
        HERE,
    ),
    Row::by_version(
        "delegation.child_timeout_seconds",
        Kind::Float,
        [Preset::Int(600), Preset::Int(600), Preset::Int(600), Preset::Int(0), Preset::Int(0)],
        "seconds that a child may take; 0 is no limit, less than 30 counts as 30",
        HERE,
    ),
    Row::same(
        "delegation.max_summary_chars",
        Kind::Int,
        Preset::Int(24_000),
        "characters of a child's answer that its parent reads; the rest is left in a file",
        HERE,
    ),
    Row::same(
        "delegation.orchestrator_enabled",
        Kind::Bool,
        Preset::Bool(true),
        "whether a child may delegate in its turn, where the depth allows it",
        HERE,
    ),
    Row::same("delegation.provider", Kind::Text, Preset::Text(""), "provider of the children's model", HERE),
    Row::same(
        "delegation.model",
        Kind::Text,
        Preset::Text(""),
        "the children's model; the session's own if empty",
        HERE,
    ),
    Row::by_version(
        "delegation.background",
        Kind::Bool,
        [
            Preset::Bool(false),
            Preset::Bool(false),
            Preset::Bool(false),
            Preset::Bool(true),
            Preset::Bool(true),
        ],
        "whether a session goes on while its children work, and is told later",
        HERE,
    ),
];

/// That children start reviews is a fault of the reviews (`faults.review_in_delegates`).
pub(super) const FAULTS: &[FaultRow] = &[];

/// The shortest limit of a child.
const TIMEOUT_MIN: SimDuration = SimDuration::from_secs(30);

/// Delegated children.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DelegationRules {
    /// Passes of a child.
    pub iterations_max: u32,
    /// Tasks of one call, calls of one reply, batches in the background.
    pub children_max: usize,
    /// Depth from which nothing is delegated any more.
    pub depth_max: u32,
    /// How long a child may take; none without a limit.
    pub timeout: Option<SimDuration>,
    /// Characters of an answer that the parent reads.
    pub summary_chars_max: usize,
    /// Whether a child may delegate in its turn.
    pub orchestrators: bool,
    /// The children's model, if it is not the session's.
    pub model: Option<String>,
    /// Whether a session goes on while its children work.
    pub background: bool,
}

impl DelegationRules {
    pub(super) fn resolve(settings: &Settings) -> Self {
        let whole = |key, fallback: i64, least: i64| settings.int_or(key, fallback).max(least);
        let count = |key, fallback, least| u32::try_from(whole(key, fallback, least)).unwrap_or(u32::MAX);
        let size = |key, fallback, least| usize::try_from(whole(key, fallback, least)).unwrap_or(usize::MAX);
        Self {
            iterations_max: count("delegation.max_iterations", 50, 1),
            children_max: size("delegation.max_concurrent_children", 3, 1),
            depth_max: count("delegation.max_spawn_depth", 1, 1),
            timeout: timeout(settings.float_or("delegation.child_timeout_seconds", 0.0)),
            summary_chars_max: size("delegation.max_summary_chars", 24_000, 0),
            orchestrators: settings.bool_or("delegation.orchestrator_enabled", true),
            model: Some(settings.text("delegation.model").trim().to_owned()).filter(|name| !name.is_empty()),
            background: settings.bool_or("delegation.background", false),
        }
    }
}

fn timeout(seconds: f64) -> Option<SimDuration> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a positive number of milliseconds; an absurd one saturates"
    )]
    let span = SimDuration::from_millis((seconds * 1000.0) as u64);
    (seconds > 0.0).then(|| span.max(TIMEOUT_MIN))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviour::{Behaviour, Origin, Version};

    #[test]
    fn a_limit_is_none_or_at_least_half_a_minute() {
        let mut settings = Settings::new(Version::V0_13);
        let rules = |settings: &Settings| Behaviour::resolve(settings).delegation;
        assert_eq!(rules(&settings).timeout, Some(SimDuration::from_secs(600)));
        for (given, found) in [(0.into(), None), (5.into(), Some(30)), (90.into(), Some(90))] {
            settings.set("delegation.child_timeout_seconds", given, Origin::CommandLine).unwrap();
            assert_eq!(rules(&settings).timeout, found.map(SimDuration::from_secs));
        }
        settings.set("delegation.max_concurrent_children", 0.into(), Origin::CommandLine).unwrap();
        assert_eq!((rules(&settings).children_max, rules(&settings).depth_max), (1, 1));
        assert_eq!(rules(&Settings::new(Version::V0_19)).timeout, None);
    }
}
