//! Background reviews (`spec/background-review.md`).

use serde_json::Value;

use super::faults::FaultRow;
use super::settings::Settings;
use super::table::{Kind, Preset, Row};
use crate::values::{SimDuration, Tokens};

const REVIEW: &str = "spec/background-review.md";
const NONE: Preset = Preset::None;
const YES: Preset = Preset::Bool(true);
const NO: Preset = Preset::Bool(false);

const fn text(text: &'static str) -> Preset {
    Preset::Text(text)
}

const fn int(number: i64) -> Preset {
    Preset::Int(number)
}

pub(super) const ROWS: &[Row] = &[
    Row::by_version(
        "auxiliary.background_review.enabled",
        Kind::Any,
        [NONE, NONE, NONE, NONE, YES],
        "whether nudges start reviews; explicit requests are not affected",
        "spec/background-review.md §1",
    ),
    Row::by_version(
        "auxiliary.background_review.provider",
        Kind::Text,
        [NONE, NONE, NONE, text("auto"), text("auto")],
        "provider of the review's model; routing needs a model as well",
        "spec/background-review.md §2",
    ),
    Row::by_version(
        "auxiliary.background_review.model",
        Kind::Text,
        [NONE, NONE, NONE, text(""), text("")],
        "the review's own model",
        "spec/background-review.md §2",
    ),
    Row::same(
        "auxiliary.background_review.timeout",
        Kind::Int,
        int(120),
        "seconds to wait for one answer of the review's model",
        "spec/config.md §1",
    ),
    Row::by_version(
        "auxiliary.background_review.max_input_tokens",
        Kind::Any,
        [NONE; 5],
        "input tokens after which no further pass of a review begins; unset derives it, 0 or less is unlimited",
        "spec/background-review.md §9",
    ),
    Row::by_version(
        "auxiliary.background_review.extra_tools",
        Kind::Any,
        [NONE; 5],
        "tools that a review may call beside its own, of those the session is offered",
        "spec/background-review.md §5",
    ),
    Row::by_version(
        "auxiliary.background_review.defer",
        Kind::Any,
        [NONE, NONE, NONE, NONE, text("auto")],
        "whether reviews wait for quiet on a managed server: auto or never",
        "spec/background-review.md §8",
    ),
    Row::by_version(
        "auxiliary.background_review.defer_max_age_s",
        Kind::Any,
        [NONE, NONE, NONE, NONE, int(1800)],
        "seconds after which a deferred review starts without quiet",
        "spec/background-review.md §8",
    ),
    Row::by_version(
        "review.max_iterations",
        Kind::Int,
        [int(8), int(16), int(16), int(16), int(16)],
        "passes of a review",
        "spec/background-review.md §2",
    ),
    Row::by_version(
        "review.whitelist",
        Kind::Choice(&["none", "toolsets", "enabled", "armed"]),
        [text("none"), text("toolsets"), text("toolsets"), text("enabled"), text("armed")],
        "what a review may call: all; memory and skills; memory only if enabled; only if armed, plus reading files",
        "spec/background-review.md §5",
    ),
    Row::by_version(
        "review.compression",
        Kind::Choice(&["as_session", "off", "after_first_reply"]),
        [text("as_session"), text("as_session"), text("off"), text("off"), text("after_first_reply")],
        "whether a review may be compressed",
        "spec/background-review.md §4",
    ),
    Row::by_version(
        "review.refusal_lists_allowed",
        Kind::Bool,
        [NO, NO, NO, NO, YES],
        "whether a refused call is told what is allowed",
        REVIEW,
    ),
    Row::by_version(
        "display.memory_notifications",
        Kind::Choice(&["off", "on", "verbose"]),
        [text("on"); 5],
        "how much of a review's writes the user is shown",
        "spec/background-review.md §10",
    ),
    Row::by_version(
        "review.notice_modes",
        Kind::Bool,
        [NO, NO, NO, YES, YES],
        "whether the mode of the notice can be chosen; otherwise it is `on`",
        "spec/background-review.md §10",
    ),
    Row::by_version(
        "review.tells_failure",
        Kind::Bool,
        [NO, NO, NO, YES, YES],
        "whether the user is told that a review failed",
        "spec/background-review.md §4",
    ),
];

pub(super) const FAULTS: &[FaultRow] = &[
    FaultRow {
        name: "review_dropped_when_busy",
        versions: [false, false, false, false, true],
        field: "review.when_busy",
        on: "a review that becomes due while another runs is dropped without a word",
        off: "it waits for the other one; of several waiting ones the newest stays",
        report: "found by running the main line (spec/known-faults.md 30)",
    },
    FaultRow {
        name: "review_outlives_turn",
        versions: [true, true, true, true, false],
        field: "review.cancelled_by_turn, review.one_at_a_time",
        on: "a review runs on beside the user's next turn, and several may overlap",
        off: "the next turn cancels it and waits for it at most 2 s; one review at a time",
        report: "NousResearch/hermes-agent#84423, PR 82070, PR 82418",
    },
    FaultRow {
        name: "review_cannot_be_disabled",
        versions: [true, true, true, true, false],
        field: "review.enabled",
        on: "`auxiliary.background_review.enabled` is read by nothing",
        off: "with it off, nudges start no review",
        report: "NousResearch/hermes-agent#87250",
    },
    FaultRow {
        name: "review_usage_unbooked",
        versions: [true, true, true, true, false],
        field: "review.books_usage",
        on: "the tokens of a review are booked on no session",
        off: "they are booked on the session that caused it",
        report: "NousResearch/hermes-agent#87250",
    },
    FaultRow {
        name: "review_input_unbounded",
        versions: [true, true, true, true, false],
        field: "review.budget",
        on: "without a figure of its own a review may read as many input tokens as its passes take",
        off: "it may read 75 % of the window, at most 600,000; 120,000 where the window is unknown",
        report: "NousResearch/hermes-agent#93057",
    },
    FaultRow {
        name: "review_prompt_rebuilt",
        versions: [true, false, false, false, false],
        field: "review.inherits_prompt",
        on: "a review runs under a system prompt built anew, so that no cache serves its first request",
        off: "it runs under its session's prompt, byte for byte",
        report: "NousResearch/hermes-agent#25322, PR 17276",
    },
    FaultRow {
        name: "review_tools_default",
        versions: [true, true, false, false, false],
        field: "review.inherits_tools",
        on: "a review is offered the default tools, also those that its session is not offered: another prefix",
        off: "it is offered its session's tools, in the session's order",
        report: "NousResearch/hermes-agent#76938, #18871",
    },
    FaultRow {
        name: "review_in_delegates",
        versions: [true, true, true, true, false],
        field: "review.in_delegates",
        on: "a delegated child starts reviews of its own",
        off: "no review at a depth above 0",
        report: "NousResearch/hermes-agent#85859",
    },
    FaultRow {
        name: "review_cannot_read_files",
        versions: [false, true, true, true, false],
        field: "review.reads_files",
        on: "a review is refused `read_file` and `search_files`, so its patches are blind",
        off: "both are allowed",
        report: "NousResearch/hermes-agent#41465, #61521, #39996",
    },
    FaultRow {
        name: "review_compression_forks_session",
        versions: [true, true, false, false, false],
        field: "review.compression_forks_session",
        on: "a review that is compressed ends its session's row and continues it by a child of its own",
        off: "compression in a review touches nothing but the review",
        report: "NousResearch/hermes-agent#38727",
    },
    FaultRow {
        name: "review_ignores_memory_switch",
        versions: [true, true, true, false, false],
        field: "review.ignores_memory_switch",
        on: "a review writes memory although the profile has it switched off",
        off: "without a memory store there is nothing to write to",
        report: "NousResearch/hermes-agent#54937",
    },
    FaultRow {
        name: "review_notice_lost",
        versions: [false, true, false, false, false],
        field: "review.notice",
        on: "the review is forgotten before its notice is made, so that none is ever shown",
        off: "what a review wrote is told to the user",
        report: "spec/background-review.md §10",
    },
    FaultRow {
        name: "odd_result_hides_notice",
        versions: [true, true, true, false, false],
        field: "review.notice_needs_objects",
        on: "one result that is a list makes the notice of all others disappear",
        off: "results of an unexpected shape are passed over",
        report: "NousResearch/hermes-agent#59437",
    },
    FaultRow {
        name: "verbose_summary_shows_staged",
        versions: [false, false, false, true, false],
        field: "review.notice_shows_staged",
        on: "the verbose notice shows a staged memory entry as if it were saved",
        off: "staged writes are told apart",
        report: "spec/known-faults.md 34, PR 103916",
    },
    FaultRow {
        name: "old_results_shown_as_fresh",
        versions: [true, true, false, false, false],
        field: "review.notice_repeats_old",
        on: "the notice repeats writes that the session itself made before the review",
        off: "only the review's own writes are shown",
        report: "NousResearch/hermes-agent#14944",
    },
    FaultRow {
        name: "review_instruction_stored",
        versions: [true, true, true, false, false],
        field: "review.leaks",
        on: "the review's messages are stored with the session, and the next turn reads them as its own history",
        off: "nothing of a review is stored with the session",
        report: "spec/known-faults.md 28",
    },
    FaultRow {
        name: "review_writes_any_store",
        versions: [true, true, true, true, false],
        field: "review.memory_only_if_armed",
        on: "a skill review may change memory entries",
        off: "a review may touch memory only if it was armed for it",
        report: "NousResearch/hermes-agent#105921",
    },
];

/// What a review may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewWhitelist {
    /// Everything that is offered.
    None,
    /// `memory` and the skill tools.
    Toolsets,
    /// The skill tools, and `memory` if a memory store is enabled.
    Enabled,
    /// The skill tools, extra tools, and `memory` if a memory store is enabled and this review was armed for it.
    Armed,
}

/// Whether a review may be compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewCompression {
    /// Like the session.
    AsSession,
    /// Never.
    Off,
    /// Not before its first reply.
    AfterFirstReply,
}

/// When reviews wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeferRules {
    /// No live turn for so long, and no busy slot of the server, is quiet.
    pub quiet: SimDuration,
    /// How often quiet is looked for.
    pub poll: SimDuration,
    /// After so long a review starts without quiet.
    pub age_max: SimDuration,
    /// How often a pre-empted review is put back.
    pub requeues_max: u32,
}

/// How much of a review's writes the user is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeMode {
    /// Nothing.
    Off,
    /// One line a write.
    On,
    /// With what was written.
    Verbose,
}

/// Input tokens of a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewBudget {
    /// No limit.
    Unlimited,
    /// This many.
    Fixed(Tokens),
    /// 75 % of the window, at most 600,000.
    OfWindow,
}

/// What a review may do and how it ends.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "independent rules of the versions, one a row")]
pub struct ReviewRules {
    /// Whether nudges start reviews.
    pub enabled: bool,
    /// Provider and model of its own, if it is routed.
    pub route: Option<(String, String)>,
    /// How long to wait for an answer.
    pub timeout: SimDuration,
    /// Input tokens after which no further pass begins.
    pub budget: ReviewBudget,
    /// Tools beside its own.
    pub extra_tools: Vec<String>,
    /// When it waits; none where it never does.
    pub defer: Option<DeferRules>,
    /// Passes.
    pub iterations_max: u32,
    /// What it may call.
    pub whitelist: ReviewWhitelist,
    /// Whether it may read files.
    pub reads_files: bool,
    /// Whether it may touch memory only if it was armed for it.
    pub memory_only_if_armed: bool,
    /// Whether it writes memory that is switched off.
    pub ignores_memory_switch: bool,
    /// Whether it runs under the session's system prompt.
    pub inherits_prompt: bool,
    /// Whether it is offered the session's tools.
    pub inherits_tools: bool,
    /// Whether it may be compressed.
    pub compression: ReviewCompression,
    /// Whether its compression ends the session's row.
    pub compression_forks_session: bool,
    /// Whether its messages are stored with the session and read by the next turn.
    pub leaks: bool,
    /// Whether its tokens are booked on the session.
    pub books_usage: bool,
    /// Whether a new turn cancels it.
    pub cancelled_by_turn: bool,
    /// How long a new turn waits for it.
    pub cancel_wait: SimDuration,
    /// Whether reviews may not overlap.
    pub one_at_a_time: bool,
    /// Whether one that may not overlap is dropped instead of kept.
    pub drops_when_busy: bool,
    /// Whether delegated children start reviews.
    pub in_delegates: bool,
    /// Whether a refused call is told what is allowed.
    pub refusal_lists_allowed: bool,
    /// How much the user is shown.
    pub notice: NoticeMode,
    /// Whether staged writes are shown as if they were saved (verbose mode).
    pub notice_shows_staged: bool,
    /// Whether the notice repeats writes of the session itself.
    pub notice_repeats_old: bool,
    /// Whether a result of an unexpected shape makes the whole notice disappear.
    pub notice_needs_objects: bool,
    /// Whether the user is told of a failure.
    pub tells_failure: bool,
}

/// The main line's waits (`spec/background-review.md` §8).
const QUIET: SimDuration = SimDuration::from_secs(15);
const POLL: SimDuration = SimDuration::from_secs(5);
const CANCEL_WAIT: SimDuration = SimDuration::from_secs(2);
const REQUEUES_MAX: u32 = 3;
const AGE_MAX_S: f64 = 1800.0;

impl ReviewRules {
    pub(super) fn resolve(settings: &Settings) -> Self {
        let key = |name: &str| format!("auxiliary.background_review.{name}");
        let flag = |name| settings.bool_or(name, false);
        let whole = |name: &str, fallback: u64| {
            u64::try_from(settings.int_or(name, -1)).ok().filter(|&number| number > 0).unwrap_or(fallback)
        };
        let outlives = settings.fault("review_outlives_turn");
        Self {
            enabled: settings.fault("review_cannot_be_disabled")
                || truthy(settings.value(&key("enabled")), true),
            route: route(settings.text(&key("provider")), settings.text(&key("model"))),
            timeout: SimDuration::from_secs(whole(&key("timeout"), 120)),
            budget: budget(
                settings.value(&key("max_input_tokens")),
                settings.fault("review_input_unbounded"),
            ),
            extra_tools: names(settings.value(&key("extra_tools"))),
            defer: defer(settings),
            iterations_max: u32::try_from(whole("review.max_iterations", 16)).unwrap_or(u32::MAX),
            whitelist: match settings.text("review.whitelist") {
                "none" => ReviewWhitelist::None,
                "toolsets" => ReviewWhitelist::Toolsets,
                "enabled" => ReviewWhitelist::Enabled,
                _ => ReviewWhitelist::Armed,
            },
            reads_files: !settings.fault("review_cannot_read_files"),
            memory_only_if_armed: !settings.fault("review_writes_any_store"),
            ignores_memory_switch: settings.fault("review_ignores_memory_switch"),
            inherits_prompt: !settings.fault("review_prompt_rebuilt"),
            inherits_tools: !settings.fault("review_tools_default"),
            compression: match settings.text("review.compression") {
                "as_session" => ReviewCompression::AsSession,
                "off" => ReviewCompression::Off,
                _ => ReviewCompression::AfterFirstReply,
            },
            compression_forks_session: settings.fault("review_compression_forks_session"),
            leaks: settings.fault("review_instruction_stored"),
            books_usage: !settings.fault("review_usage_unbooked"),
            cancelled_by_turn: !outlives,
            cancel_wait: CANCEL_WAIT,
            one_at_a_time: !outlives,
            drops_when_busy: settings.fault("review_dropped_when_busy"),
            in_delegates: settings.fault("review_in_delegates"),
            refusal_lists_allowed: flag("review.refusal_lists_allowed"),
            notice: notice(settings),
            notice_shows_staged: settings.fault("verbose_summary_shows_staged"),
            notice_repeats_old: settings.fault("old_results_shown_as_fresh"),
            notice_needs_objects: settings.fault("odd_result_hides_notice"),
            tells_failure: flag("review.tells_failure"),
        }
    }
}

/// Versions without modes read no key.
fn notice(settings: &Settings) -> NoticeMode {
    if settings.fault("review_notice_lost") {
        return NoticeMode::Off;
    }
    match settings.text("display.memory_notifications") {
        _ if !settings.bool_or("review.notice_modes", false) => NoticeMode::On,
        "off" => NoticeMode::Off,
        "verbose" => NoticeMode::Verbose,
        _ => NoticeMode::On,
    }
}

/// Unreadable counts as switched on (`spec/background-review.md` §1).
fn truthy(value: &Value, fallback: bool) -> bool {
    match value {
        Value::Bool(truth) => *truth,
        Value::String(text) => !matches!(text.trim().to_lowercase().as_str(), "0" | "false" | "no" | "off"),
        Value::Number(number) => number.as_f64() != Some(0.0),
        _ => fallback,
    }
}

fn route(provider: &str, model: &str) -> Option<(String, String)> {
    let chosen = !matches!(provider, "" | "auto") && !model.is_empty();
    chosen.then(|| (provider.to_owned(), model.to_owned()))
}

fn budget(value: &Value, unbounded: bool) -> ReviewBudget {
    match value.as_i64() {
        Some(tokens) if tokens > 0 => ReviewBudget::Fixed(Tokens(tokens.unsigned_abs())),
        None if !unbounded => ReviewBudget::OfWindow,
        Some(_) | None => ReviewBudget::Unlimited,
    }
}

/// A value that is no list is ignored, and so are items that are no text or blank.
fn names(value: &Value) -> Vec<String> {
    let items = value.as_array().into_iter().flatten().filter_map(Value::as_str);
    items.map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// `never` switches it off; every other word reads as `auto`. A version without the queue has no value.
fn defer(settings: &Settings) -> Option<DeferRules> {
    let mode = settings.value("auxiliary.background_review.defer");
    if mode.is_null() || mode.as_str() == Some("never") {
        return None;
    }
    let age = settings.value("auxiliary.background_review.defer_max_age_s").as_f64();
    let seconds = age.filter(|&age| age > 0.0).unwrap_or(AGE_MAX_S);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a positive number of milliseconds"
    )]
    let age_max = SimDuration::from_millis((seconds * 1000.0) as u64);
    Some(DeferRules { quiet: QUIET, poll: POLL, age_max, requeues_max: REQUEUES_MAX })
}
