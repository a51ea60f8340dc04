//! The skill guard (`spec/skill-guard.md` §7).

use super::faults::FaultRow;
use super::settings::Settings;
use super::table::{Kind, Preset, Row};

const FIRST_TRUSTED: Preset = Preset::List(&["openai/skills", "anthropics/skills"]);
const LATER_TRUSTED: Preset =
    Preset::List(&["openai/skills", "anthropics/skills", "huggingface/skills", "NVIDIA/skills"]);

/// As 2026-04 and 0.13, and as 0.16 and later.
const fn since_0_16(before: Preset, after: Preset) -> [Preset; 5] {
    [before, before, after, after, after]
}

pub(super) const ROWS: &[Row] = &[
    Row::by_version(
        "guard.rules",
        Kind::Choice(&["early", "current"]),
        since_0_16(Preset::Text("early"), Preset::Text("current")),
        "which list of rules the skill guard goes by",
        "spec/skill-guard.md §2, §7",
    ),
    Row::by_version(
        "guard.trusted_repositories",
        Kind::List,
        since_0_16(FIRST_TRUSTED, LATER_TRUSTED),
        "the repositories whose skills are trusted",
        "spec/skill-guard.md §3, §7",
    ),
    Row::by_version(
        "guard.official_below",
        Kind::Bool,
        since_0_16(Preset::Bool(true), Preset::Bool(false)),
        "whether everything below `official/` counts as shipped with the agent",
        "spec/skill-guard.md §7",
    ),
    Row::by_version(
        "guard.minor_findings_caution",
        Kind::Bool,
        since_0_16(Preset::Bool(true), Preset::Bool(false)),
        "whether medium and low findings call for caution",
        "spec/skill-guard.md §7",
    ),
    Row::by_version(
        "guard.force_overrides_all",
        Kind::Bool,
        since_0_16(Preset::Bool(true), Preset::Bool(false)),
        "whether force installs dangerous skills too",
        "spec/skill-guard.md §7",
    ),
    Row::by_version(
        "guard.ignore_files",
        Kind::Bool,
        since_0_16(Preset::Bool(false), Preset::Bool(true)),
        "whether a skill may exclude files from its scan",
        "spec/skill-guard.md §5, §7",
    ),
    Row::by_version(
        "guard.hash_skips_unreadable",
        Kind::Bool,
        [
            Preset::Bool(true),
            Preset::Bool(true),
            Preset::Bool(true),
            Preset::Bool(false),
            Preset::Bool(false),
        ],
        "whether the content hash passes unreadable files over",
        "spec/skill-guard.md §7",
    ),
    Row::by_version(
        "guard.caches_scans",
        Kind::Bool,
        [
            Preset::Bool(false),
            Preset::Bool(false),
            Preset::Bool(false),
            Preset::Bool(true),
            Preset::Bool(true),
        ],
        "whether attested scans are kept beside the skill",
        "spec/skill-guard.md §6, §7",
    ),
];

pub(super) const FAULTS: &[FaultRow] = &[
    FaultRow {
        name: "guard_trusts_sibling_names",
        versions: [true, true, false, false, false],
        field: "guard.trusted_names",
        on: "a repository whose name only begins like a trusted one is trusted",
        off: "the whole name must be the same",
        report: "spec/skill-guard.md §7",
    },
    FaultRow {
        name: "guard_hash_ignores_paths",
        versions: [true, true, false, false, false],
        field: "guard.hash_over",
        on: "the content hash is the same after a file was renamed",
        off: "paths are part of the content hash",
        report: "spec/skill-guard.md §7",
    },
    FaultRow {
        name: "guard_fails_on_link_loop",
        versions: [true; 5],
        field: "guard.link_loop",
        on: "a link to itself makes the whole scan fail, and a failed scan blocks no write",
        off: "it is reported as a broken link and the scan goes on",
        report: "found by running 0.19.0 (spec/skill-guard.md §4)",
    },
];

/// Which list of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuardList {
    /// The first one.
    Early,
    /// With filler words, exemptions and a rule for secrets read one by one.
    Current,
}

/// How the names of trusted repositories are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrustedNames {
    /// By their beginning.
    Prefix,
    /// Whole, or followed by a path.
    Whole,
}

/// Which sources count as shipped with the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfficialSources {
    /// `official` alone.
    Exactly,
    /// Everything below it too.
    Below,
}

/// What the content hash makes of a file that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// It is passed over.
    Skipped,
    /// There is no hash.
    Fails,
}

/// What medium and low findings do to the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MinorFindings {
    /// They call for caution.
    Caution,
    /// Nothing.
    Ignored,
}

/// What force overrides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForceRule {
    /// Every refusal.
    Everything,
    /// All but a dangerous skill from outside.
    NotDangerous,
}

/// What the content hash covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashOver {
    /// The bytes of the files, one after the other.
    Bytes,
    /// Each path with its bytes.
    PathsAndBytes,
}

/// What a link into a loop does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkLoop {
    /// The scan fails.
    Fails,
    /// It is a broken link.
    Broken,
}

/// The skill guard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardRules {
    /// Which list of rules.
    pub list: GuardList,
    /// Whose skills are trusted.
    pub trusted_repositories: Vec<String>,
    /// How those names are compared.
    pub trusted_names: TrustedNames,
    /// Which sources count as shipped.
    pub official: OfficialSources,
    /// What medium and low findings do.
    pub minor_findings: MinorFindings,
    /// What force overrides.
    pub force: ForceRule,
    /// Whether a skill may exclude files.
    pub ignore_files: bool,
    /// What the content hash covers.
    pub hash_over: HashOver,
    /// What the content hash makes of unreadable files.
    pub unreadable: Unreadable,
    /// Whether attested scans are kept.
    pub caches_scans: bool,
    /// What a link into a loop does.
    pub link_loop: LinkLoop,
}

impl GuardRules {
    pub(super) fn resolve(settings: &Settings) -> Self {
        let on = |key| settings.bool_or(key, false);
        let fault = |name| settings.fault(name);
        let repositories = settings.value("guard.trusted_repositories").as_array();
        let names = repositories.into_iter().flatten().filter_map(|name| name.as_str());
        Self {
            list: if settings.text("guard.rules") == "early" { GuardList::Early } else { GuardList::Current },
            trusted_repositories: names.map(str::to_owned).collect(),
            trusted_names: if fault("guard_trusts_sibling_names") {
                TrustedNames::Prefix
            } else {
                TrustedNames::Whole
            },
            official: if on("guard.official_below") {
                OfficialSources::Below
            } else {
                OfficialSources::Exactly
            },
            minor_findings: if on("guard.minor_findings_caution") {
                MinorFindings::Caution
            } else {
                MinorFindings::Ignored
            },
            force: if on("guard.force_overrides_all") {
                ForceRule::Everything
            } else {
                ForceRule::NotDangerous
            },
            ignore_files: on("guard.ignore_files"),
            hash_over: if fault("guard_hash_ignores_paths") {
                HashOver::Bytes
            } else {
                HashOver::PathsAndBytes
            },
            unreadable: if on("guard.hash_skips_unreadable") {
                Unreadable::Skipped
            } else {
                Unreadable::Fails
            },
            caches_scans: on("guard.caches_scans"),
            link_loop: if fault("guard_fails_on_link_loop") { LinkLoop::Fails } else { LinkLoop::Broken },
        }
    }
}
