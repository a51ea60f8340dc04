//! Keys and version rules of the curator. `curator.prune_builtins` stands with the usage sidecar's rows.

use super::super::table::{Kind, Preset, Row};

const YES: Preset = Preset::Bool(true);
const NO: Preset = Preset::Bool(false);
const CONFIG: &str = "spec/curator.md §2";
const VERSIONS: &str = "spec/curator.md §18";
const OURS: &str = "a setting of the harness, not of the reference";

const fn int(number: i64) -> Preset {
    Preset::Int(number)
}

const fn text(text: &'static str) -> Preset {
    Preset::Text(text)
}

pub(in crate::behaviour) const ROWS: &[Row] = &[
    Row::by_version(
        "curator.available",
        Kind::Bool,
        [NO, YES, YES, YES, YES],
        "whether there is a curator at all",
        "spec/config.md §2",
    ),
    Row::same("curator.enabled", Kind::Any, YES, "whether runs may start", CONFIG),
    Row::same("curator.interval_hours", Kind::Any, int(168), "hours from run to run", CONFIG),
    Row::same(
        "curator.min_idle_hours",
        Kind::Any,
        int(2),
        "hours without activity before a run, where the caller measured them",
        CONFIG,
    ),
    Row::same(
        "curator.poll_idle",
        Kind::Choice(&["infinite", "measured"]),
        text("infinite"),
        "the idle time that the curator's callers pass",
        "spec/curator.md §4.3, spec/config.md §2",
    ),
    Row::by_version(
        "curator.stale_after_days",
        Kind::Any,
        [int(30), int(30), int(30), int(30), int(14)],
        "days without activity from active to stale",
        CONFIG,
    ),
    Row::by_version(
        "curator.archive_after_days",
        Kind::Any,
        [int(90), int(90), int(90), int(90), int(30)],
        "days without activity to the archive",
        CONFIG,
    ),
    Row::by_version(
        "curator.unused_grace",
        Kind::Bool,
        [NO, NO, NO, YES, YES],
        "whether a never-used skill younger than the limit of staleness is never archived",
        VERSIONS,
    ),
    Row::by_version(
        "curator.builtin_clock",
        Kind::Choice(&["record", "idle_anew"]),
        [text("record"), text("record"), text("record"), text("record"), text("idle_anew")],
        "from when a built-in ages: its record's dates, or, if it was never active, the curator's first sight",
        VERSIONS,
    ),
    Row::same(
        "curator.ageing",
        Kind::Choice(&["timed", "lru", "lfu", "off"]),
        text("timed"),
        "what sends skills to the archive: time, a bound on their number (least recently or least often active \
         first), or nothing",
        OURS,
    ),
    Row::same(
        "curator.capacity",
        Kind::Any,
        int(0),
        "skills that ageing by lru or lfu leaves in place; 0 or less is no bound",
        OURS,
    ),
    Row::same(
        "curator.observation_days",
        Kind::Any,
        int(0),
        "days that a new skill is on trial; 0 or less is no trial",
        OURS,
    ),
    Row::same("curator.min_uses", Kind::Any, int(1), "uses that end a trial well", OURS),
    Row::same(
        "curator.restore_touches",
        Kind::Any,
        NO,
        "whether a restore counts as activity",
        "spec/curator.md §16 H1",
    ),
    Row::by_version(
        "curator.consolidate",
        Kind::Any,
        [NO, YES, YES, NO, NO],
        "whether a run asks a model to consolidate the library",
        "spec/curator.md §2 and §18",
    ),
    Row::by_version(
        "curator.list_jobs",
        Kind::Bool,
        [NO, NO, NO, YES, YES],
        "whether the list of candidates says which are used by scheduled jobs",
        VERSIONS,
    ),
    Row::same(
        "curator.merge_min_age_days",
        Kind::Any,
        int(0),
        "days that a skill must have existed before a pass may merge it; 0 or less is no guard",
        "NousResearch/hermes-agent#75317",
    ),
    Row::by_version(
        "curator.snapshot",
        Kind::Choice(&["never", "every_run", "consolidation"]),
        [text("never"), text("every_run"), text("every_run"), text("every_run"), text("consolidation")],
        "before which runs a snapshot is taken",
        VERSIONS,
    ),
    Row::same("curator.backup.enabled", Kind::Any, YES, "whether snapshots are taken", CONFIG),
    Row::same("curator.backup.keep", Kind::Any, int(5), "snapshots that are kept; at least 1", CONFIG),
    Row::by_version(
        "curator.backup.git",
        Kind::Bool,
        [YES, YES, YES, YES, NO],
        "whether snapshots hold `.git` directories; if not, a rollback carries over the live ones",
        "spec/curator-backup.md §8",
    ),
    Row::by_version(
        "curator.backup.counts_archived",
        Kind::Bool,
        [NO, YES, NO, NO, NO],
        "whether a manifest's number of skills includes archived ones",
        "spec/curator-backup.md §8",
    ),
    Row::by_version(
        "curator.adopt",
        Kind::Bool,
        [NO, NO, NO, NO, YES],
        "whether a skill can be handed to the curator",
        VERSIONS,
    ),
    Row::by_version(
        "curator.prune_days",
        Kind::Any,
        [int(90), int(90), int(90), int(90), Preset::None],
        "days of the prune command without an argument; unset takes `archive_after_days`",
        VERSIONS,
    ),
    Row::same(
        "auxiliary.curator.provider",
        Kind::Text,
        text("auto"),
        "provider of the pass's own model; it needs a model as well",
        CONFIG,
    ),
    Row::same("auxiliary.curator.model", Kind::Text, text(""), "the pass's own model", CONFIG),
    Row::same("auxiliary.curator.timeout", Kind::Any, int(600), "seconds to wait for one answer", CONFIG),
    Row::same(
        "curator.auxiliary.provider",
        Kind::Text,
        text(""),
        "the same, deprecated: taken where `auxiliary.curator` names no model",
        CONFIG,
    ),
    Row::same("curator.auxiliary.model", Kind::Text, text(""), "the same, deprecated", CONFIG),
];
