//! Session storing and search (`spec/sessions.md`).

use std::sync::Arc;

use super::faults::FaultRow;
use super::settings::Settings;
use super::table::{Kind, Preset, Row};

/// One default for the versions up to 0.13, one for 0.16, one from 0.19 on.
const fn three(old: Preset, middle: Preset, new: Preset) -> [Preset; 5] {
    [old, old, middle, new, new]
}

/// One default for the versions up to 0.13 and one from 0.16 on.
const fn since_0_16(old: Preset, new: Preset) -> [Preset; 5] {
    three(old, new, new)
}

/// One default for the versions up to 0.16 and one from 0.19 on.
const fn since_0_19(old: Preset, new: Preset) -> [Preset; 5] {
    three(old, old, new)
}

const SOURCE: &str = "spec/sessions.md §6";

pub(super) const ROWS: &[Row] = &[
    Row::by_version(
        "sessions.search",
        Kind::Choice(&["fts", "fts_summary"]),
        since_0_16(Preset::Text("fts_summary"), Preset::Text("fts")),
        "what a query returns: messages with their surroundings, or one model summary a session",
        SOURCE,
    ),
    Row::by_version(
        "sessions.modes",
        Kind::Choice(&["two", "four"]),
        since_0_16(Preset::Text("two"), Preset::Text("four")),
        "modes of the tool: query and recent, or discover, scroll, read and browse",
        SOURCE,
    ),
    Row::by_version(
        "sessions.limit_max",
        Kind::Int,
        since_0_16(Preset::Int(5), Preset::Int(10)),
        "most results of one call",
        SOURCE,
    ),
    Row::by_version(
        "sessions.default_roles",
        Kind::List,
        since_0_16(Preset::None, Preset::List(&["user", "assistant"])),
        "roles searched when the call names none; unset is all",
        SOURCE,
    ),
    Row::by_version(
        "sessions.result_session",
        Kind::Choice(&["root", "owner"]),
        since_0_16(Preset::Text("root"), Preset::Text("owner")),
        "the session that a result names: the root of the lineage, or the one that holds the message",
        SOURCE,
    ),
    Row::by_version(
        "sessions.scan_rows",
        Kind::Int,
        since_0_19(Preset::Int(50), Preset::Int(300)),
        "messages that a query looks at before it groups them by session",
        SOURCE,
    ),
    Row::by_version(
        "sessions.demoted_sources",
        Kind::List,
        since_0_19(Preset::List(&[]), Preset::List(&["cron"])),
        "sources whose messages come after all others",
        SOURCE,
    ),
    Row::by_version(
        "sessions.hidden_sources",
        Kind::List,
        since_0_19(Preset::List(&["tool"]), Preset::List(&["subagent", "tool"])),
        "sources that searches and listings leave out",
        SOURCE,
    ),
    Row::by_version(
        "sessions.match_titles",
        Kind::Bool,
        since_0_19(Preset::Bool(false), Preset::Bool(true)),
        "whether a query that is a session's title puts that session first",
        SOURCE,
    ),
    Row::by_version(
        "sessions.sort",
        Kind::Bool,
        since_0_16(Preset::Bool(false), Preset::Bool(true)),
        "whether a call may ask for newest or oldest first",
        SOURCE,
    ),
    Row::by_version(
        "sessions.find_archived",
        Kind::Bool,
        since_0_19(Preset::Bool(false), Preset::Bool(true)),
        "whether messages that compaction archived are still found",
        SOURCE,
    ),
    Row::by_version(
        "sessions.query_chars_max",
        Kind::Int,
        since_0_19(Preset::None, Preset::Int(2048)),
        "characters of a query that are read; unset is all",
        SOURCE,
    ),
    Row::by_version(
        "sessions.strip_colon",
        Kind::Bool,
        since_0_19(Preset::Bool(false), Preset::Bool(true)),
        "whether a colon is taken out of a query (else it names a column, which seldom exists)",
        SOURCE,
    ),
    Row::by_version(
        "sessions.trigram_failure",
        Kind::Choice(&["nothing", "substring"]),
        since_0_19(Preset::Text("nothing"), Preset::Text("substring")),
        "what a query gives that the trigram index cannot answer",
        SOURCE,
    ),
    Row::by_version(
        "sessions.continuation",
        Kind::Choice(&["after_end", "any_time"]),
        since_0_19(Preset::Text("after_end"), Preset::Text("any_time")),
        "whether a session that continues a compressed one must start after that one's end",
        SOURCE,
    ),
    Row::by_version(
        "sessions.schema_version",
        Kind::Int,
        three(Preset::Int(11), Preset::Int(14), Preset::Int(22)),
        "the version that an exported database declares",
        SOURCE,
    ),
];

pub(super) const FAULTS: &[FaultRow] = &[
    FaultRow {
        name: "other_profile_without_full_text",
        versions: [true; 5],
        field: "sessions.read_only_full_text",
        on: "a database opened read-only never finds anything by full text: another profile's messages stay unfound",
        off: "another profile is searched like the own one",
        report: "found in 0.19.0 (spec/sessions.md §1, known quirk)",
    },
    FaultRow {
        name: "profile_argument_dropped",
        versions: [true; 5],
        field: "sessions.forward_profile",
        on: "the loop does not pass `profile` on: the model believes that it searched another profile",
        off: "`profile` works as its description says",
        report: "found in 0.19.0 (spec/sessions.md §4)",
    },
    FaultRow {
        name: "query_syntax_finds_nothing",
        versions: [true; 5],
        field: "sessions.on_bad_syntax",
        on: "a query with `?`, `'`, `,`, `/` or the like is no full-text expression and finds nothing, without an error",
        off: "such a query is read again as plain words",
        report: "found in 0.19.0 (spec/sessions.md §2.1)",
    },
    FaultRow {
        name: "substring_ignores_operators",
        versions: [true; 5],
        field: "sessions.substring_operators",
        on: "short Chinese, Japanese or Korean words are joined by OR whatever the operators say, excluded words included",
        off: "AND, OR and NOT hold there as well",
        report: "found in 0.19.0 (spec/sessions.md §2.2)",
    },
    FaultRow {
        name: "substring_shows_rewound",
        versions: [false, false, true, true, true],
        field: "sessions.substring_rewound",
        on: "a search for short Chinese, Japanese or Korean words finds messages that the user took back",
        off: "messages taken back are not found on any route",
        report: "found in 0.19.0 (spec/sessions.md §2.2)",
    },
    FaultRow {
        name: "windows_show_rewound",
        versions: [false, false, true, true, true],
        field: "sessions.window_rewound",
        on: "the surroundings of a hit show messages that the user took back",
        off: "they are left out, but for the anchor itself",
        report: "found in 0.19.0 (spec/sessions.md §3)",
    },
    FaultRow {
        name: "structured_messages_count_as_empty",
        versions: [true; 5],
        field: "sessions.structured_bookends",
        on: "a message with pictures counts as empty: it is never shown as the beginning or end of a session",
        off: "it counts by its text",
        report: "found in 0.19.0 (spec/sessions.md §3)",
    },
    FaultRow {
        name: "numbered_title_beats_exact",
        versions: [true; 5],
        field: "sessions.exact_title_first",
        on: "a session titled `X #2` is resolved for the title `X` although a session of that very title exists",
        off: "an exact title wins",
        report: "found in 0.19.0 (spec/sessions.md §1.4)",
    },
    FaultRow {
        name: "browse_spends_slots",
        versions: [true; 5],
        field: "sessions.browse_spare",
        on: "branches and the current session use up fetched rows: a listing can fall short although more sessions exist",
        off: "rows that are not shown are not counted",
        report: "found in 0.19.0 (spec/sessions.md §4.4)",
    },
    FaultRow {
        name: "browse_lists_current_chain",
        versions: [true; 5],
        field: "sessions.browse_own_chain",
        on: "a current session in the middle of a compressed chain is listed as a past one under its newest part",
        off: "no part of the current session's chain is listed",
        report: "found in 0.19.0 (spec/sessions.md §4.4)",
    },
];

/// What a query returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchMode {
    /// Messages with their surroundings; no model is asked.
    Fts,
    /// One summary by a model (role `summary`) for each session found.
    FtsSummary,
}

/// Which modes the tool has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolModes {
    /// `query` and `recent`.
    Two,
    /// `discover`, `scroll`, `read` and `browse`.
    Four,
}

/// Which session a result names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultSession {
    /// The root of the lineage.
    Root,
    /// The one that holds the message, with the root beside it where they differ.
    Owner,
}

/// What becomes of a query that the trigram index cannot answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrigramFailure {
    /// Nothing is found.
    Nothing,
    /// The substring search answers.
    Substring,
}

/// Which child continues a compressed session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Continuation {
    /// One that started after its parent ended.
    AfterEnd,
    /// Any that is no branch and no delegate.
    AnyTime,
}

/// What becomes of a query that is no full-text expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadSyntax {
    /// Nothing is found.
    Nothing,
    /// It is read again as plain words.
    PlainWords,
}

/// Session storing and search.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches, each with its own row or fault")]
pub struct SessionRules {
    /// What a query returns.
    pub search: SearchMode,
    /// Which modes the tool has.
    pub modes: ToolModes,
    /// Most results of one call; at least 1.
    pub limit_max: usize,
    /// Roles searched when the call names none; none is all.
    pub default_roles: Option<Vec<Arc<str>>>,
    /// Which session a result names.
    pub result_session: ResultSession,
    /// Messages that a query looks at before it groups them.
    pub scan_rows: usize,
    /// Sources whose messages come last.
    pub demoted_sources: Vec<Arc<str>>,
    /// Sources that searches and listings leave out.
    pub hidden_sources: Vec<Arc<str>>,
    /// Whether a title that equals the query puts its session first.
    pub match_titles: bool,
    /// Whether a call may choose an order by time.
    pub sort: bool,
    /// Whether messages archived by compaction are found.
    pub find_archived: bool,
    /// Characters of a query that are read; none is all.
    pub query_chars_max: Option<usize>,
    /// Whether a colon is taken out of a query.
    pub strip_colon: bool,
    /// What becomes of a query that the trigram index cannot answer.
    pub trigram_failure: TrigramFailure,
    /// Which child continues a compressed session.
    pub continuation: Continuation,
    /// The version that an exported database declares.
    pub schema_version: i64,
    /// Whether a database opened read-only can be searched by full text.
    pub read_only_full_text: bool,
    /// Whether the loop passes the argument `profile` on.
    pub forward_profile: bool,
    /// What becomes of a query that is no full-text expression.
    pub on_bad_syntax: BadSyntax,
    /// Whether AND, OR and NOT hold in the substring search.
    pub substring_operators: bool,
    /// Whether the substring search finds messages that the user took back.
    pub substring_rewound: bool,
    /// Whether the surroundings of a message show messages that the user took back.
    pub window_rewound: bool,
    /// Whether a structured message (text with pictures) counts by its text where empty ones are left out.
    pub structured_bookends: bool,
    /// Whether an exact title wins over a numbered one.
    pub exact_title_first: bool,
    /// Whether a listing counts only the rows that it shows.
    pub browse_counts_shown: bool,
    /// Whether a listing may show the chain of the current session.
    pub browse_own_chain: bool,
}

impl SessionRules {
    pub(super) fn resolve(settings: &Settings) -> Self {
        let word = |key, yes: &str| settings.text(key) == yes;
        Self {
            search: if word("sessions.search", "fts_summary") {
                SearchMode::FtsSummary
            } else {
                SearchMode::Fts
            },
            modes: if word("sessions.modes", "two") { ToolModes::Two } else { ToolModes::Four },
            limit_max: count(settings, "sessions.limit_max").unwrap_or(10).max(1),
            default_roles: list(settings, "sessions.default_roles"),
            result_session: if word("sessions.result_session", "root") {
                ResultSession::Root
            } else {
                ResultSession::Owner
            },
            scan_rows: count(settings, "sessions.scan_rows").unwrap_or(300),
            demoted_sources: list(settings, "sessions.demoted_sources").unwrap_or_default(),
            hidden_sources: list(settings, "sessions.hidden_sources").unwrap_or_default(),
            match_titles: settings.bool_or("sessions.match_titles", true),
            sort: settings.bool_or("sessions.sort", true),
            find_archived: settings.bool_or("sessions.find_archived", true),
            query_chars_max: count(settings, "sessions.query_chars_max"),
            strip_colon: settings.bool_or("sessions.strip_colon", true),
            trigram_failure: if word("sessions.trigram_failure", "nothing") {
                TrigramFailure::Nothing
            } else {
                TrigramFailure::Substring
            },
            continuation: if word("sessions.continuation", "after_end") {
                Continuation::AfterEnd
            } else {
                Continuation::AnyTime
            },
            schema_version: settings.int_or("sessions.schema_version", 22),
            read_only_full_text: !settings.fault("other_profile_without_full_text"),
            forward_profile: !settings.fault("profile_argument_dropped"),
            on_bad_syntax: if settings.fault("query_syntax_finds_nothing") {
                BadSyntax::Nothing
            } else {
                BadSyntax::PlainWords
            },
            substring_operators: !settings.fault("substring_ignores_operators"),
            substring_rewound: settings.fault("substring_shows_rewound"),
            window_rewound: settings.fault("windows_show_rewound"),
            structured_bookends: !settings.fault("structured_messages_count_as_empty"),
            exact_title_first: !settings.fault("numbered_title_beats_exact"),
            browse_counts_shown: !settings.fault("browse_spends_slots"),
            browse_own_chain: settings.fault("browse_lists_current_chain"),
        }
    }
}

/// A number that cannot be negative; anything else is unset.
fn count(settings: &Settings, key: &str) -> Option<usize> {
    settings.value(key).as_u64().and_then(|number| usize::try_from(number).ok())
}

/// The texts of a list; anything else is unset.
fn list(settings: &Settings, key: &str) -> Option<Vec<Arc<str>>> {
    let items = settings.value(key).as_array()?;
    Some(items.iter().filter_map(|item| item.as_str()).map(Arc::from).collect())
}
