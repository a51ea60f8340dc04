//! The options of a run: one row each, for flags, environment, `harness.toml`, `--print-config` and `explain`.

/// One option.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OptionRow {
    /// Its name: `--max-fail`, `HARNESS_MAX_FAIL`, `max_fail` in `harness.toml` are written from it.
    pub(crate) key: &'static str,
    /// What values it takes.
    pub(crate) kind: OptionKind,
    /// Its value when nobody says otherwise, in the words of the documentation.
    pub(crate) default: &'static str,
    /// What it decides.
    pub(crate) about: &'static str,
}

/// What values an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OptionKind {
    /// `true` or `false`.
    Switch,
    /// A whole number not below this one.
    Count(u64),
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Any text that is not empty.
    Text,
    /// Several texts.
    List,
}

impl OptionKind {
    /// What a person should have written.
    pub(crate) fn wanted(self) -> String {
        match self {
            Self::Switch => "true or false".to_owned(),
            Self::Count(least) => format!("a whole number from {least}"),
            Self::Choice(words) => format!("one of {}", words.join(", ")),
            Self::Text => "text".to_owned(),
            Self::List => "a list of texts".to_owned(),
        }
    }
}

/// All options, in the order of the help.
pub(crate) const OPTIONS: &[OptionRow] = &[
    row("arm", OptionKind::List, "all", "arms that are run, by name"),
    row(
        "filter",
        OptionKind::List,
        "all",
        "parts of the names of cells that are run; `!` in front leaves them out",
    ),
    row("set", OptionKind::List, "none", "settings for all arms, KEY=VALUE"),
    row("prompt", OptionKind::List, "none", "files whose texts replace prompts in all arms, NAME=FILE"),
    row("seed", OptionKind::Count(0), "1", "the first seed"),
    row("repeat", OptionKind::Count(1), "1", "how many seeds, counted up from the first"),
    row("vary", OptionKind::List, "none", "what a sweep varies, KEY=A,B,C"),
    row("partition", OptionKind::Text, "none", "the part of the cells that is run: count:I/N or hash:I/N"),
    row(
        "transport",
        OptionKind::Choice(&["http", "direct"]),
        "http",
        "how requests reach the scripted model",
    ),
    row("jobs", OptionKind::Count(1), "the number of cores", "cells at a time"),
    row(
        "max_fail",
        OptionKind::Count(1),
        "none",
        "after so many cells that did not hold no further one begins",
    ),
    row(
        "deny_unused",
        OptionKind::Switch,
        "false",
        "whether a rule of a script that answers no request fails the run",
    ),
    row("allow_empty", OptionKind::Switch, "false", "whether a selection without cells is fine"),
    row("out", OptionKind::Text, "out", "the directory of the results"),
    row(
        "traces",
        OptionKind::Choice(&["all", "failed", "none"]),
        "all; failed in a sweep",
        "which traces are written",
    ),
    row(
        "calls",
        OptionKind::Switch,
        "true; false in a sweep",
        "whether the tables model_calls and tool_calls are written",
    ),
    row("keep_homes", OptionKind::Switch, "false", "whether simulated homes are written out"),
    row("resume", OptionKind::Switch, "false", "whether cells that an earlier run finished are taken over"),
    row(
        "junit",
        OptionKind::Text,
        "junit.xml in the directory of the results",
        "a further place for the JUnit file",
    ),
    row(
        "format",
        OptionKind::Choice(&["human", "json", "jsonl", "markdown"]),
        "human",
        "what the results on stdout look like",
    ),
    row("color", OptionKind::Choice(&["auto", "always", "never"]), "auto", "whether output has colour"),
    row("progress", OptionKind::Switch, "true", "whether progress is shown on stderr"),
    row("verbosity", OptionKind::Choice(&["quiet", "normal", "verbose"]), "normal", "how much is said"),
];

const fn row(key: &'static str, kind: OptionKind, default: &'static str, about: &'static str) -> OptionRow {
    OptionRow { key, kind, default, about }
}

/// The row of a key.
pub(crate) fn find(key: &str) -> Option<&'static OptionRow> {
    OPTIONS.iter().find(|row| row.key == key)
}

impl OptionRow {
    /// The environment variable that sets it.
    pub(crate) fn variable(&self) -> String {
        format!("HARNESS_{}", self.key.to_ascii_uppercase())
    }

    /// The flag that sets it.
    pub(crate) fn flag(&self) -> String {
        format!("--{}", self.key.replace('_', "-"))
    }
}
