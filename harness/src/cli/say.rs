//! How the program speaks: results on stdout, talk on stderr. The only place that prints.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use mock_llm::diagnose;
use reports::table;
use reports::verdict::Outcome;
use terminal_size::{Width, terminal_size_of};

/// Columns where nobody says how many there are.
const COLUMNS: u16 = 100;

/// How much is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verbosity {
    /// What did not hold, and the verdict.
    Quiet,
    /// What a person wants to know.
    Normal,
    /// Every cell.
    Verbose,
}

/// How the program speaks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Say {
    pub(super) verbosity: Verbosity,
    /// Whether progress is wanted at all.
    progress: bool,
    colour: Option<bool>,
}

impl Say {
    /// As the options say; what they leave open follows the environment and the terminal.
    pub(super) fn new(colour: Option<&str>, verbosity: Option<&str>, progress: bool) -> Self {
        let verbosity = match verbosity {
            Some("quiet") => Verbosity::Quiet,
            Some("verbose") => Verbosity::Verbose,
            _ => Verbosity::Normal,
        };
        let colour = match colour {
            Some("always") => Some(true),
            Some("never") => Some(false),
            _ => colour_of_environment(|name| std::env::var(name).ok()),
        };
        Self { verbosity, progress, colour }
    }

    /// Writes results. A closed pipe ends the output quietly: whoever closed it has read enough. Any other failure ends
    /// the program.
    pub(super) fn results(self, text: &str) {
        let mut stdout = io::stdout().lock();
        let text = harmless(text);
        // Data in a pipe is never changed; a person at such a terminal would see rubbish.
        let text = if is_dumb() && stdout.is_terminal() { Cow::Owned(typewritten(&text)) } else { text };
        let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
        if let Err(error) = written
            && error.kind() != io::ErrorKind::BrokenPipe
        {
            // Half a result must not look like a whole one.
            self.must(&format!("error: cannot write to stdout: {error}"));
            std::process::exit(i32::from(Outcome::Broken.exit_code()));
        }
    }

    /// Writes a line of talk, unless only the necessary is wanted.
    pub(super) fn talk(self, text: &str) {
        if self.verbosity > Verbosity::Quiet {
            self.must(text);
        }
    }

    /// Writes a line that is never left out.
    pub(super) fn must(self, text: &str) {
        self.raw(&harmless(text));
    }

    /// Writes a line of talk as it is.
    #[expect(clippy::unused_self, reason = "everything that is said goes through this value")]
    fn raw(self, text: &str) {
        let _closed_pipe = writeln!(io::stderr().lock(), "{text}");
    }

    /// Says what is wrong, with a hint.
    pub(super) fn error(self, words: &str, hint: Option<&str>) {
        self.must(&format!("error: {words}"));
        if let Some(hint) = hint {
            self.must(&format!("hint: {hint}"));
        }
    }

    /// Shows the mistakes of files.
    pub(super) fn mistakes(self, found: &[diagnose::Diagnostic], sources: &diagnose::Sources) {
        let is_terminal = io::stderr().is_terminal();
        let width = columns(terminal_size_of(io::stderr()).map(|(width, _)| width)).unwrap_or(COLUMNS);
        let color = self.colour.unwrap_or(is_terminal);
        let look = diagnose::Look { color, width: usize::from(width), unicode: !is_dumb() };
        self.must(diagnose::render(found, sources, look).trim_end());
        if is_set("GITHUB_ACTIONS") {
            for found in found {
                let level = if found.is_error() { "error" } else { "warning" };
                self.annotate(level, &found.file, found.span.line, &found.message);
            }
        }
    }

    /// Tells GitHub where something is wrong.
    pub(super) fn annotate(self, level: &str, file: &str, line: u32, message: &str) {
        let escape = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
        let property = |text: &str| escape(text).replace(':', "%3A").replace(',', "%2C");
        self.raw(&format!("::{level} file={},line={line}::{}", property(file), escape(message)));
    }

    /// How a table may look on stdout.
    pub(super) fn table_look(self) -> table::Look {
        let is_terminal = io::stdout().is_terminal();
        let width = columns(terminal_size_of(io::stdout()).map(|(width, _)| width))
            .or(is_terminal.then_some(COLUMNS));
        table::Look { width, colour: self.colour.unwrap_or(is_terminal), unicode: !is_dumb() }
    }

    /// Whether a bar may move on stderr: it is a terminal, and nobody said otherwise.
    pub(super) fn has_bar(self) -> bool {
        self.has_progress() && io::stderr().is_terminal() && !is_dumb() && !is_set("CI")
    }

    /// Whether progress is told at all.
    pub(super) fn has_progress(self) -> bool {
        self.progress && self.verbosity > Verbosity::Quiet
    }
}

/// A text in which GitHub's runner finds no command, where it listens: it takes a line for one that begins with `::` or
/// `##[` behind blanks, whoever wrote it.
fn harmless(text: &str) -> Cow<'_, str> {
    let is_command = |line: &str| ["::", "##["].iter().any(|start| line.trim_start().starts_with(start));
    if !is_set("GITHUB_ACTIONS") || !text.lines().any(is_command) {
        return Cow::Borrowed(text);
    }
    let escaped = |line: &str| {
        let blanks = line.len() - line.trim_start().len();
        if is_command(line) { format!("{}\\{}", &line[..blanks], &line[blanks..]) } else { line.to_owned() }
    };
    Cow::Owned(text.split_inclusive('\n').map(escaped).collect())
}

/// Our own signs in ASCII, for a terminal that has no others.
fn typewritten(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '–' | '—' | '─' => out.push('-'),
            '═' => out.push('='),
            '…' => out.push_str("..."),
            '·' => out.push('.'),
            '→' => out.push_str("->"),
            '×' => out.push('x'),
            '≥' => out.push_str(">="),
            '≤' => out.push_str("<="),
            'Σ' => out.push_str("sum of"),
            '§' => out.push_str("section "),
            other => out.push(other),
        }
    }
    out
}

/// Whether a variable is there and not empty.
pub(super) fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}

fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// What the environment says of colour; none if it leaves it to the terminal.
fn colour_of_environment(get: impl Fn(&str) -> Option<String>) -> Option<bool> {
    let given = |name: &str| get(name).filter(|value| !value.is_empty());
    if given("NO_COLOR").is_some() {
        return Some(false);
    }
    if ["CLICOLOR_FORCE", "FORCE_COLOR"].iter().any(|name| given(name).is_some_and(|value| value != "0")) {
        return Some(true);
    }
    (given("TERM").as_deref() == Some("dumb")).then_some(false)
}

/// How many columns a place has: what `COLUMNS` says, else what the terminal says.
fn columns(terminal: Option<Width>) -> Option<u16> {
    let given =
        std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok()).filter(|columns| *columns >= 20);
    given.or(terminal.map(|Width(columns)| columns))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dumb_terminal_is_spared_our_signs() {
        assert_eq!(
            typewritten("12 → 9 – Σ calls … §3, ≥ 2 ×"),
            "12 -> 9 - sum of calls ... section 3, >= 2 x"
        );
    }

    #[test]
    fn the_environment_decides_on_colour_before_the_terminal_does() {
        let with = |variables: &[(&str, &str)]| {
            let variables = variables.to_vec();
            colour_of_environment(move |name| {
                variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(with(&[]), None);
        assert_eq!(with(&[("NO_COLOR", ""), ("TERM", "xterm")]), None);
        assert_eq!(with(&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]), Some(false));
        assert_eq!(with(&[("CLICOLOR_FORCE", "1"), ("TERM", "dumb")]), Some(true));
        assert_eq!(with(&[("FORCE_COLOR", "0")]), None);
        assert_eq!(with(&[("TERM", "dumb")]), Some(false));
    }
}
