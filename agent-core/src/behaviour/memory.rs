//! The memory stores and their tool (`spec/memory.md`).

use serde_json::Value;

use super::faults::FaultRow;
use super::settings::Settings;
use super::staging::{StagingRules, gate};
use super::table::{Kind, Preset, Row};

/// One default before 0.19 and one from then on.
const fn since_0_19(before: Preset, after: Preset) -> [Preset; 5] {
    [before, before, before, after, after]
}

/// Failed attempts to make room that get their own answer (`spec/memory.md` §4.2).
const RETRIES_0_19: i64 = 3;

/// One attempt and one retry (`spec/known-faults.md` 35).
const RETRIES_BOUNDED: u32 = 2;

const NOTES_CHARS: i64 = 2200;
const PROFILE_CHARS: i64 = 1375;

pub(super) const ROWS: &[Row] = &[
    Row::same(
        "memory.memory_enabled",
        Kind::Bool,
        Preset::Bool(true),
        "whether the agent keeps notes of its own",
        "spec/config.md §1",
    ),
    Row::same(
        "memory.user_profile_enabled",
        Kind::Bool,
        Preset::Bool(true),
        "whether the agent keeps a profile of its user",
        "spec/config.md §1",
    ),
    Row::same(
        "memory.memory_char_limit",
        Kind::Int,
        Preset::Int(NOTES_CHARS),
        "characters that the notes may hold",
        "spec/memory.md §1",
    ),
    Row::same(
        "memory.user_char_limit",
        Kind::Int,
        Preset::Int(PROFILE_CHARS),
        "characters that the profile may hold",
        "spec/memory.md §1",
    ),
    Row::by_version(
        "memory.write_approval",
        Kind::Any,
        since_0_19(Preset::None, Preset::Bool(false)),
        "whether each memory write is asked for or staged; before 0.19 there is no such gate",
        "spec/memory.md §8",
    ),
    Row::same(
        "memory.provider",
        Kind::Text,
        Preset::Text(""),
        "an external memory provider; none is simulated",
        "spec/config.md §1",
    ),
    Row::same(
        "memory.flush_min_turns",
        Kind::Any,
        Preset::None,
        "a dead key, read by nothing",
        "spec/config.md §1",
    ),
    Row::same(
        "memory.mode",
        Kind::Choice(&["bounded", "append_only"]),
        Preset::Text("bounded"),
        "append_only: entries are only ever added, without limit, as static stores have it",
        "a switch of ours",
    ),
    Row::by_version(
        "memory.null_target",
        Kind::Choice(&["error", "memory"]),
        since_0_19(Preset::Text("error"), Preset::Text("memory")),
        "what a target of null means",
        "spec/memory.md §11",
    ),
    Row::by_version(
        "memory.success_shape",
        Kind::Choice(&["entries", "compact"]),
        since_0_19(Preset::Text("entries"), Preset::Text("compact")),
        "whether a success lists the entries, or says that it is done and no more",
        "spec/memory.md §11",
    ),
    Row::by_version(
        "memory.failure_shape",
        Kind::Choice(&["brief", "inventory"]),
        since_0_19(Preset::Text("brief"), Preset::Text("inventory")),
        "whether failures other than a full store at an add list the entries as well",
        "spec/memory.md §11",
    ),
    Row::by_version(
        "memory.retries",
        Kind::Int,
        since_0_19(Preset::None, Preset::Int(RETRIES_0_19)),
        "failed attempts to make room that get their own answer; unset for no end",
        "spec/memory.md §4.2, §11",
    ),
    Row::by_version(
        "memory.drift_guard",
        Kind::Choice(&["never", "always", "edits"]),
        [
            Preset::Text("never"),
            Preset::Text("never"),
            Preset::Text("always"),
            Preset::Text("edits"),
            Preset::Text("edits"),
        ],
        "which operations refuse a file that the tool would not have written (edits: all but a single add)",
        "spec/memory.md §5.1, §11",
    ),
    Row::by_version(
        "memory.scan_snapshot",
        Kind::Bool,
        [
            Preset::Bool(false),
            Preset::Bool(false),
            Preset::Bool(true),
            Preset::Bool(true),
            Preset::Bool(true),
        ],
        "whether entries are scanned when they are loaded into a prompt",
        "spec/memory.md §7, §11",
    ),
    Row::by_version(
        "memory.unattended_edits",
        Kind::Choice(&["apply", "stage"]),
        [
            Preset::Text("apply"),
            Preset::Text("apply"),
            Preset::Text("apply"),
            Preset::Text("apply"),
            Preset::Text("stage"),
        ],
        "what becomes of a replace or remove by an unattended review while the gate is off",
        "spec/background-review.md §7",
    ),
];

pub(super) const FAULTS: &[FaultRow] = &[
    FaultRow {
        name: "memory_one_change_a_call",
        versions: [true, true, true, false, false],
        field: "memory.batch",
        on: "a call makes one change, so a full store needs a remove that may fail before the add",
        off: "a call takes a list of operations that is applied as a whole or not at all",
        report: "NousResearch/hermes-agent#42405, #23378",
    },
    FaultRow {
        name: "memory_retries_rearm",
        versions: [true, true, true, true, true],
        field: "memory.retry",
        on: "the count of failed attempts begins anew with each turn (before 0.19 nothing counts them), so a model may \
             go on for ever at a full store, and the write is lost without notice",
        off: "one retry; the count lasts until a write succeeds, and the user is told what was lost",
        report: "NousResearch/hermes-agent#42405, #60900, #90255, #35121",
    },
    FaultRow {
        name: "memory_shrink_refused",
        versions: [true; 5],
        field: "memory.over_full",
        on: "in a store above its limit even a change that frees room is refused unless it frees enough",
        off: "a change that leaves the store smaller than before is accepted",
        report: "spec/memory.md §5 (replace)",
    },
    FaultRow {
        name: "memory_delimiter_accepted",
        versions: [true; 5],
        field: "memory.delimiter",
        on: "content that holds a line with the section sign alone is stored as one entry and falls apart at the next load",
        off: "such content is refused with the kind `delimiter-in-content`",
        report: "spec/memory.md §2 (consequences)",
    },
    FaultRow {
        name: "memory_carriage_returns_kept",
        versions: [true; 5],
        field: "memory.newlines",
        on: "carriage returns are written as they come and folded by the next read, so one text can be added twice",
        off: "line ends are folded before content is compared and written",
        report: "spec/memory.md §2 (consequences)",
    },
];

/// Whether entries may be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryMode {
    /// A limit in characters, and tools to make room.
    Bounded,
    /// Entries are only ever added, without limit.
    AppendOnly,
}

/// What a target of null means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NullTarget {
    /// A mistake.
    Invalid,
    /// The agent's notes.
    Notes,
}

/// What a success says beside usage and count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuccessShape {
    /// All entries.
    Entries,
    /// That it is done, and a note.
    Compact,
}

/// Which failures list the entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureShape {
    /// Only a full store at an add.
    Brief,
    /// Those of `spec/memory.md` §4.2.
    Inventory,
}

/// Which operations refuse a file that the tool would not have written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriftGuard {
    /// None.
    Never,
    /// All.
    Always,
    /// Replace, remove and batch.
    Edits,
}

/// What becomes of a replace or remove by an unattended writer while the gate is off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnattendedEdits {
    /// It is applied.
    Apply,
    /// It is staged, or refused if that fails.
    Stage,
}

/// What happens at a store above its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverFull {
    /// Nothing but removals until it fits.
    Refuse,
    /// Whatever leaves it smaller is accepted.
    AllowShrinking,
}

/// What happens to content that the file format cannot hold as one entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelimiterInContent {
    /// It is stored, and falls apart at the next load.
    Accept,
    /// It is refused.
    Refuse,
}

/// What happens to carriage returns in content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Newlines {
    /// They are written as they come.
    Keep,
    /// Line ends are folded first.
    Fold,
}

/// How failed attempts to make room are counted (`spec/memory.md` §4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryRules {
    /// Failures that get their own answer; none for no end.
    pub own_answers: Option<u32>,
    /// Whether each user turn begins the count anew.
    pub rearm_each_turn: bool,
    /// Whether the user is told when attempts are used up.
    pub tell_user: bool,
}

/// The memory stores and their tool.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches of the configuration")]
pub struct MemoryRules {
    /// Whether the agent keeps notes.
    pub notes_enabled: bool,
    /// Whether the agent keeps a profile of its user.
    pub profile_enabled: bool,
    /// Whether setting up memory works at all: it fails as a whole, quietly, if the nudge interval is no number.
    pub set_up: bool,
    /// Whether entries may be changed.
    pub mode: MemoryMode,
    /// Characters of the notes.
    pub notes_limit: i64,
    /// Characters of the profile.
    pub profile_limit: i64,
    /// Whether writes are asked for or staged.
    pub gate: bool,
    /// Whether a call may hold a list of operations.
    pub batch: bool,
    /// What a target of null means.
    pub null_target: NullTarget,
    /// What a success says.
    pub success: SuccessShape,
    /// Which failures list the entries.
    pub failure: FailureShape,
    /// How failed attempts are counted.
    pub retry: RetryRules,
    /// Which operations refuse a file that the tool would not have written.
    pub drift: DriftGuard,
    /// Whether entries are scanned when they are loaded into a prompt.
    pub scan_snapshot: bool,
    /// What becomes of edits by an unattended writer.
    pub unattended_edits: UnattendedEdits,
    /// What happens at a store above its limit.
    pub over_full: OverFull,
    /// What happens to content that the file format cannot hold.
    pub delimiter: DelimiterInContent,
    /// What happens to carriage returns.
    pub newlines: Newlines,
    /// How writes are staged.
    pub staging: StagingRules,
}

impl MemoryRules {
    /// Whether an agent has a store (`spec/memory.md` §1).
    pub fn has_store(&self) -> bool {
        self.set_up && (self.notes_enabled || self.profile_enabled)
    }

    pub(super) fn resolve(settings: &Settings) -> Self {
        let pick = |key: &str, word: &str| settings.text(key) == word;
        let fault = |name: &str| settings.fault(name);
        Self {
            notes_enabled: truthy(settings.value("memory.memory_enabled")),
            profile_enabled: truthy(settings.value("memory.user_profile_enabled")),
            set_up: is_number(settings.value("memory.nudge_interval")),
            mode: if pick("memory.mode", "append_only") {
                MemoryMode::AppendOnly
            } else {
                MemoryMode::Bounded
            },
            notes_limit: settings.int_or("memory.memory_char_limit", NOTES_CHARS),
            profile_limit: settings.int_or("memory.user_char_limit", PROFILE_CHARS),
            gate: gate(settings.value("memory.write_approval")),
            batch: !fault("memory_one_change_a_call"),
            null_target: if pick("memory.null_target", "memory") {
                NullTarget::Notes
            } else {
                NullTarget::Invalid
            },
            success: if pick("memory.success_shape", "entries") {
                SuccessShape::Entries
            } else {
                SuccessShape::Compact
            },
            failure: if pick("memory.failure_shape", "brief") {
                FailureShape::Brief
            } else {
                FailureShape::Inventory
            },
            retry: retry(settings),
            drift: match settings.text("memory.drift_guard") {
                "never" => DriftGuard::Never,
                "always" => DriftGuard::Always,
                _ => DriftGuard::Edits,
            },
            scan_snapshot: settings.bool_or("memory.scan_snapshot", true),
            unattended_edits: if pick("memory.unattended_edits", "stage") {
                UnattendedEdits::Stage
            } else {
                UnattendedEdits::Apply
            },
            over_full: if fault("memory_shrink_refused") {
                OverFull::Refuse
            } else {
                OverFull::AllowShrinking
            },
            delimiter: if fault("memory_delimiter_accepted") {
                DelimiterInContent::Accept
            } else {
                DelimiterInContent::Refuse
            },
            newlines: if fault("memory_carriage_returns_kept") { Newlines::Keep } else { Newlines::Fold },
            staging: StagingRules::resolve(settings),
        }
    }
}

fn retry(settings: &Settings) -> RetryRules {
    if !settings.fault("memory_retries_rearm") {
        return RetryRules { own_answers: Some(RETRIES_BOUNDED), rearm_each_turn: false, tell_user: true };
    }
    let own_answers = settings.value("memory.retries").as_i64();
    RetryRules {
        own_answers: own_answers.map(|count| u32::try_from(count).unwrap_or(0)),
        rearm_each_turn: true,
        tell_user: false,
    }
}

/// What the reference takes for true in a merged configuration (`spec/config.md`, first paragraph).
pub(super) fn truthy(value: &Value) -> bool {
    match value {
        Value::Bool(truth) => *truth,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(word) => {
            let word = crate::text::trim(word).to_lowercase();
            matches!(word.as_str(), "1" | "true" | "yes" | "on" | "enabled")
        }
        _ => false,
    }
}

/// Whether Python's `int()` takes it. Unset counts as the default.
fn is_number(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => crate::text::trim(text).parse::<i64>().is_ok(),
        Value::Array(_) | Value::Object(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{Origin, Version};
    use super::*;

    fn rules(version: Version) -> MemoryRules {
        MemoryRules::resolve(&Settings::new(version))
    }

    #[test]
    fn versions_differ_where_the_spec_says() {
        let shown: Vec<String> = Version::ALL
            .into_iter()
            .map(|version| {
                let rules = rules(version);
                format!(
                    "{version}: batch {}, null target {:?}, success {:?}, failures {:?}, retries {:?}, drift {:?}, \
                     snapshot scanned {}, unattended edits {:?}, staging failure {:?}",
                    rules.batch,
                    rules.null_target,
                    rules.success,
                    rules.failure,
                    rules.retry.own_answers,
                    rules.drift,
                    rules.scan_snapshot,
                    rules.unattended_edits,
                    rules.staging.on_failure,
                )
            })
            .collect();
        insta::assert_snapshot!(shown.join("\n"), @r"
            hermes-2026-04: batch false, null target Invalid, success Entries, failures Brief, retries None, drift Never, snapshot scanned false, unattended edits Apply, staging failure Refuse
            hermes-0.13: batch false, null target Invalid, success Entries, failures Brief, retries None, drift Never, snapshot scanned false, unattended edits Apply, staging failure Refuse
            hermes-0.16: batch false, null target Invalid, success Entries, failures Brief, retries None, drift Always, snapshot scanned true, unattended edits Apply, staging failure Refuse
            hermes-0.19: batch true, null target Notes, success Compact, failures Inventory, retries Some(3), drift Edits, snapshot scanned true, unattended edits Apply, staging failure Hide
            hermes-2026-09: batch true, null target Notes, success Compact, failures Inventory, retries Some(3), drift Edits, snapshot scanned true, unattended edits Stage, staging failure Refuse
            ");
    }

    #[test]
    fn faults_off_gives_one_retry_for_all_turns() {
        for version in Version::ALL {
            let mut settings = Settings::new(version);
            settings.faults_off(&Origin::CommandLine);
            let rules = MemoryRules::resolve(&settings);
            let retry = RetryRules { own_answers: Some(2), rearm_each_turn: false, tell_user: true };
            assert_eq!(rules.retry, retry);
            assert!(rules.batch && rules.staging.validate && rules.staging.announce);
            assert_eq!(rules.over_full, OverFull::AllowShrinking);
            assert_eq!(rules.delimiter, DelimiterInContent::Refuse);
            assert_eq!(rules.newlines, Newlines::Fold);
        }
    }

    #[test]
    fn a_home_may_hold_odd_values() {
        let with = |memory: Value| {
            let mut settings = Settings::new(Version::V0_19);
            settings.overlay_home(&json!({ "memory": memory }));
            MemoryRules::resolve(&settings)
        };
        assert!(with(json!({})).has_store());
        assert!(!with(json!({"memory_enabled": false, "user_profile_enabled": "no"})).has_store());
        assert!(with(json!({"memory_enabled": false, "user_profile_enabled": "Yes "})).has_store());
        assert!(!with(json!({"nudge_interval": "often"})).has_store());
        assert!(with(json!({"nudge_interval": " 7 "})).has_store());
        for on in [json!(true), json!("on"), json!(" TRUE"), json!("1"), json!("Approve"), json!("enabled")] {
            assert!(with(json!({ "write_approval": on })).gate, "{on}");
        }
        for off in [json!(1), json!([true]), json!(null), json!("maybe"), json!({}), json!(false)] {
            assert!(!with(json!({ "write_approval": off })).gate, "{off}");
        }
    }
}
