//! The conversation loop (`spec/turn-loop.md`).

use serde_json::Value;

use super::faults::FaultRow;
use super::settings::Settings;
use super::table::{Kind, Preset, Row};
use crate::values::{SimDuration, Tokens};

const LOOP: &str = "spec/turn-loop.md";

pub(super) const ROWS: &[Row] = &[
    Row::same(
        "agent.max_turns",
        Kind::Int,
        Preset::Int(90),
        "passes of the loop in one turn",
        "spec/turn-loop.md §2",
    ),
    Row::same(
        "agent.api_max_retries",
        Kind::Int,
        Preset::Int(3),
        "failed attempts at one request before the turn ends early",
        "spec/turn-loop.md §3",
    ),
    Row::same(
        "agent.disabled_toolsets",
        Kind::Any,
        Preset::List(&[]),
        "tools of the home that sessions are not offered, by toolset: memory, skills, file, session_search, todo, \
         delegation; what is no list of texts is ignored",
        "spec/config.md §1",
    ),
    Row::same(
        "model.context_tokens",
        Kind::Int,
        Preset::Int(200_000),
        "context window of the model in tokens",
        LOOP,
    ),
    Row::by_version(
        "loop.parallel",
        Kind::Choice(&["batch", "segments"]),
        [
            Preset::Text("batch"),
            Preset::Text("batch"),
            Preset::Text("batch"),
            Preset::Text("segments"),
            Preset::Text("segments"),
        ],
        "whether calls of one reply run beside each other only if all may, or in maximal segments of those that may",
        "spec/turn-loop.md §6",
    ),
    Row::same(
        "loop.batch_limit_s",
        Kind::Int,
        Preset::Int(420),
        "seconds after which an unfinished parallel segment is answered with time-outs; 0 or less is none",
        "spec/turn-loop.md §6",
    ),
    Row::by_version(
        "loop.non_object_arguments",
        Kind::Choice(&["empty", "refuse"]),
        [
            Preset::Text("empty"),
            Preset::Text("empty"),
            Preset::Text("empty"),
            Preset::Text("refuse"),
            Preset::Text("refuse"),
        ],
        "whether arguments that are JSON but no object count as empty or are answered with an error",
        "spec/nudges.md §2.3, spec/config.md §2",
    ),
    Row::same(
        "display.turn_completion_explainer",
        Kind::Bool,
        Preset::Bool(true),
        "whether an empty final answer is replaced by an explanation",
        "spec/turn-loop.md §9",
    ),
    Row::same(
        "tool_loop_guardrails.warnings_enabled",
        Kind::Bool,
        Preset::Bool(true),
        "whether repeated failures and repeated reads are remarked on",
        "spec/turn-loop.md §6",
    ),
    Row::same(
        "tool_loop_guardrails.hard_stop_enabled",
        Kind::Bool,
        Preset::Bool(false),
        "whether they end the turn",
        "spec/turn-loop.md §6",
    ),
    Row::same(
        "tool_loop_guardrails.warn_after.exact_failure",
        Kind::Any,
        Preset::Int(2),
        "same call failed",
        LOOP,
    ),
    Row::same(
        "tool_loop_guardrails.warn_after.same_tool_failure",
        Kind::Any,
        Preset::Int(3),
        "same tool failed",
        LOOP,
    ),
    Row::same(
        "tool_loop_guardrails.warn_after.idempotent_no_progress",
        Kind::Any,
        Preset::Int(2),
        "same read gave the same result",
        LOOP,
    ),
    Row::same(
        "tool_loop_guardrails.hard_stop_after.exact_failure",
        Kind::Any,
        Preset::Int(5),
        "as above",
        LOOP,
    ),
    Row::same(
        "tool_loop_guardrails.hard_stop_after.same_tool_failure",
        Kind::Any,
        Preset::Int(8),
        "as above",
        LOOP,
    ),
    Row::same(
        "tool_loop_guardrails.hard_stop_after.idempotent_no_progress",
        Kind::Any,
        Preset::Int(5),
        "as above",
        LOOP,
    ),
    Row::same(
        "sessions.auto_title",
        Kind::Bool,
        Preset::Bool(false),
        "whether a session gets a title by a model call after its first exchange",
        "machine: one-call conversations",
    ),
    Row::same(
        "cache.lifetime_s",
        Kind::Int,
        Preset::Int(300),
        "seconds that a prefix stays in the provider's cache after its last use",
        "the five minutes that providers state for prompt caches",
    ),
    Row::same(
        "cache.minimum_tokens",
        Kind::Int,
        Preset::Int(1024),
        "shortest prefix that is cached, in tokens",
        "the minimum that providers state for prompt caches",
    ),
    Row::same(
        "cache.granularity_tokens",
        Kind::Int,
        Preset::Int(128),
        "cached prefixes are counted in steps of so many tokens",
        "the step that providers state for prompt caches",
    ),
];

pub(super) const FAULTS: &[FaultRow] = &[
    FaultRow {
        name: "unfinished_turn_is_silent",
        versions: [true, true, true, true, false],
        field: "turn.unfinished",
        on: "a turn can end with a tool result as its last message and no answer",
        off: "such a turn is failed and ends with a visible closing text",
        report: "spec/turn-loop.md §9",
    },
    FaultRow {
        name: "old_tool_results_prompt_a_nudge",
        versions: [true; 5],
        field: "turn.nudge_window",
        on: "an empty reply is nudged because of a tool result of the previous turn",
        off: "only tool results of this turn count",
        report: "spec/turn-loop.md §7 step 3",
    },
];

/// How calls of one reply run beside each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParallelRule {
    /// All of them, or one after the other.
    Batch,
    /// Maximal runs of parallel-safe calls; the others alone.
    Segments,
}

/// What arguments that are JSON but no object count as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NonObjectRule {
    /// An empty object.
    Empty,
    /// A mistake.
    Refuse,
}

/// Limits of the guardrails, each a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuardrailLimits {
    /// The same call failed.
    pub exact_failure: u32,
    /// The same tool failed, whatever the arguments.
    pub same_tool_failure: u32,
    /// The same read gave the same result.
    pub no_progress: u32,
}

/// The guardrails of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuardrailRules {
    /// Limits for a remark; none without warnings.
    pub warn: Option<GuardrailLimits>,
    /// Limits for ending the turn; none without a hard stop.
    pub stop: Option<GuardrailLimits>,
}

/// The provider's prefix cache, as the agent's own model of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheRules {
    /// How long a prefix stays after its last use.
    pub lifetime: SimDuration,
    /// Shortest prefix that is cached.
    pub minimum: Tokens,
    /// Cached prefixes are counted in steps of so many tokens.
    pub granularity: Tokens,
}

/// The conversation loop.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "independent rules of the versions, one a row")]
pub struct LoopRules {
    /// Passes of one turn.
    pub max_iterations: u32,
    /// Failed attempts at one request.
    pub api_max_retries: u32,
    /// Context window of the model.
    pub context: Tokens,
    /// How calls run beside each other.
    pub parallel: ParallelRule,
    /// Limit of a parallel segment; none without one.
    pub batch_limit: Option<SimDuration>,
    /// What arguments that are no object count as.
    pub non_object: NonObjectRule,
    /// Whether an empty answer is explained.
    pub explain_empty: bool,
    /// The guardrails.
    pub guardrails: GuardrailRules,
    /// Whether a turn that ends on a tool result gets a closing text and counts as failed.
    pub close_unfinished: bool,
    /// Whether only this turn's tool results ask for a nudge after an empty reply.
    pub nudge_this_turn_only: bool,
    /// The provider's prefix cache.
    pub cache: CacheRules,
    /// Whether sessions get titles by a model call.
    pub titles: bool,
    /// Tools of the home that sessions are not offered.
    pub withheld: Vec<&'static str>,
}

impl LoopRules {
    pub(super) fn resolve(settings: &Settings) -> Self {
        let text = |key| settings.text(key);
        let whole = |key, fallback: i64| u64::try_from(settings.int_or(key, fallback).max(0)).unwrap_or(0);
        let count = |key, fallback| u32::try_from(whole(key, fallback)).unwrap_or(u32::MAX);
        Self {
            max_iterations: count("agent.max_turns", 90),
            api_max_retries: count("agent.api_max_retries", 3).max(1),
            context: Tokens(whole("model.context_tokens", 200_000)),
            parallel: if text("loop.parallel") == "batch" {
                ParallelRule::Batch
            } else {
                ParallelRule::Segments
            },
            batch_limit: Some(whole("loop.batch_limit_s", 420))
                .filter(|&secs| secs > 0)
                .map(SimDuration::from_secs),
            non_object: match text("loop.non_object_arguments") {
                "empty" => NonObjectRule::Empty,
                _ => NonObjectRule::Refuse,
            },
            explain_empty: settings.bool_or("display.turn_completion_explainer", true),
            guardrails: guardrails(settings),
            close_unfinished: !settings.fault("unfinished_turn_is_silent"),
            nudge_this_turn_only: !settings.fault("old_tool_results_prompt_a_nudge"),
            titles: settings.bool_or("sessions.auto_title", false),
            withheld: withheld(settings.value("agent.disabled_toolsets")),
            cache: CacheRules {
                lifetime: SimDuration::from_secs(whole("cache.lifetime_s", 300)),
                minimum: Tokens(whole("cache.minimum_tokens", 1024)),
                granularity: Tokens(whole("cache.granularity_tokens", 128).max(1)),
            },
        }
    }
}

/// The tools of each toolset of the home.
const TOOLSETS: [(&str, &[&str]); 6] = [
    ("memory", &["memory"]),
    ("skills", &["skills_list", "skill_view", "skill_manage"]),
    ("file", &["read_file", "write_file", "patch", "search_files"]),
    ("session_search", &["session_search"]),
    ("todo", &["todo"]),
    ("delegation", &["delegate_task"]),
];

/// The tools of the toolsets that are named; unknown ones are ignored.
fn withheld(value: &Value) -> Vec<&'static str> {
    let names: Vec<&str> = value.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let disabled = TOOLSETS.iter().filter(|(toolset, _)| names.contains(toolset));
    disabled.flat_map(|(_, tools)| tools.iter().copied()).collect()
}

/// Limits that are no number or below 1 fall back to their defaults (`spec/config.md` §1).
fn guardrails(settings: &Settings) -> GuardrailRules {
    let limit = |group: &str, name: &str, fallback: u32| {
        let value = settings.value(&format!("tool_loop_guardrails.{group}.{name}"));
        value
            .as_u64()
            .and_then(|number| u32::try_from(number).ok())
            .filter(|&number| number >= 1)
            .unwrap_or(fallback)
    };
    let limits = |group: &str, fallback: [u32; 3]| GuardrailLimits {
        exact_failure: limit(group, "exact_failure", fallback[0]),
        same_tool_failure: limit(group, "same_tool_failure", fallback[1]),
        no_progress: limit(group, "idempotent_no_progress", fallback[2]),
    };
    let on = |key: &str, fallback| settings.bool_or(&format!("tool_loop_guardrails.{key}"), fallback);
    GuardrailRules {
        warn: on("warnings_enabled", true).then(|| limits("warn_after", [2, 3, 2])),
        stop: on("hard_stop_enabled", false).then(|| limits("hard_stop_after", [5, 8, 5])),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn toolsets_are_withheld_by_name() {
        assert_eq!(
            withheld(&json!(["todo", "skills", "none", 5])),
            ["skills_list", "skill_view", "skill_manage", "todo"]
        );
        assert!(withheld(&json!("todo")).is_empty() && withheld(&Value::Null).is_empty());
    }
}
