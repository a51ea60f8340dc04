//! Flags and arguments of experiments: sweeps, comparisons, reports, prompts, settings, the curator of a real home.

use std::path::PathBuf;

use agent_core::behaviour::Version;
use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use super::args::{Format, How, Lay, Paths, RESULTS, count, list, path, switch, text, word};
use super::options::{Layers, OptionValue};

/// The newest version.
const NEWEST: &str = Version::ALL[Version::ALL.len() - 1].as_str();

/// `harness sweep`.
#[derive(Debug, ClapArgs)]
pub(super) struct Sweep {
    #[command(flatten)]
    pub(super) paths: Paths,
    /// What to vary, such as `memory.nudge_interval=1,3,10`; several make a grid.
    #[arg(long, value_name = "KEY=A,B,C", required = true, help_heading = "Selection")]
    vary: Vec<String>,
    #[command(flatten)]
    how: How,
    /// Take over the cells that an earlier sweep into the same directory finished.
    #[arg(long)]
    resume: bool,
    /// Begin no further cell after so many that broke.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_fail: Option<u64>,
    /// Where the results go [default: out].
    #[arg(short, long, value_name = "DIR", help_heading = RESULTS)]
    out: Option<PathBuf>,
    /// Which traces to write [default: failed].
    #[arg(long, value_name = "WHICH", help_heading = RESULTS)]
    traces: Option<WhichTraces>,
    /// Write the tables with a row a request and a row a tool call, too.
    #[arg(long, help_heading = RESULTS)]
    calls: bool,
    /// What the results on stdout look like [default: human].
    #[arg(long, value_name = "FORMAT", help_heading = RESULTS)]
    format: Option<Format>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum WhichTraces {
    /// Of every cell.
    All,
    /// Of cells that broke or did not hold.
    Failed,
    /// Of none.
    None,
}

/// `harness compare`.
#[derive(Debug, ClapArgs)]
pub(super) struct Compare {
    /// What is compared against: `DIR`, or `DIR#ARM`.
    #[arg(value_name = "BASE")]
    pub(super) base: String,
    /// What is judged: the same, or `'#ARM'` for another arm of the same run (in quotes, for to a shell a word that begins
    /// with `#` is a comment). Of a point of a sweep a few words are enough: `out#always,nudge_interval=3`.
    #[arg(value_name = "OTHER")]
    pub(super) other: String,
    /// A figure to compare; may be given several times. `all` for all of them.
    #[arg(long, value_name = "NAME")]
    pub(super) figure: Vec<String>,
    /// End with 1 if any figure is worse.
    #[arg(long)]
    pub(super) fail_if_worse: bool,
    /// What the results on stdout look like [default: human].
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
}

/// `harness report`.
#[derive(Debug, ClapArgs)]
pub(super) struct Report {
    /// The directory of a run or sweep [default: out].
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
    /// The arm that all others are compared against [default: in each world the one that spends the fewest tokens on
    /// reviews].
    #[arg(long, value_name = "ARM")]
    pub(super) against: Option<String>,
}

/// `harness prompts`.
#[derive(Debug, ClapArgs)]
pub(super) struct Prompts {
    #[command(subcommand)]
    pub(super) what: PromptsWhat,
}

#[derive(Debug, Subcommand)]
pub(super) enum PromptsWhat {
    /// Check that prompts still say what they must; ends with 1 if a rule is lost.
    Check(PromptsCheck),
    /// Accept the prompts as they are rendered over the libraries.
    Accept(PromptsWhich),
    /// Print a built-in prompt, to change a copy of it.
    Show(PromptsShow),
}

/// `harness prompts show`.
#[derive(Debug, ClapArgs)]
pub(super) struct PromptsShow {
    /// The prompt.
    #[arg(value_name = "NAME")]
    pub(super) prompt: String,
    /// The version whose wording is printed [default: the newest].
    #[arg(long = "version", value_name = "VERSION")]
    pub(super) version: Option<String>,
}

/// Which prompts.
#[derive(Debug, ClapArgs)]
pub(super) struct PromptsWhich {
    /// A prompt, or `NAME=FILE` for the text of a file in its place; may be given several times [default: all].
    #[arg(long, value_name = "NAME[=FILE]")]
    pub(super) prompt: Vec<String>,
    /// The version whose rules apply; may be given several times [default: the newest; for a check of the built-in prompts
    /// all].
    #[arg(long = "version", value_name = "VERSION")]
    pub(super) versions: Vec<String>,
    /// The folder of the libraries, with what was accepted below it [default: scenarios/libraries/prompts, if it is there].
    #[arg(long, value_name = "DIR")]
    pub(super) libraries: Option<PathBuf>,
}

/// `harness prompts check`.
#[derive(Debug, ClapArgs)]
pub(super) struct PromptsCheck {
    #[command(flatten)]
    pub(super) which: PromptsWhich,
    /// Look for the rules alone: nothing is rendered and nothing played.
    #[arg(long)]
    pub(super) rules_only: bool,
    /// End with 1 also if a rule is weakened or a rendering was not accepted.
    #[arg(long)]
    pub(super) strict: bool,
    /// What the results on stdout look like [default: human].
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
}

/// `harness config`.
#[derive(Debug, ClapArgs)]
pub(super) struct Config {
    /// The version whose settings are printed.
    #[arg(
        long = "version",
        value_name = "VERSION",
        required_unless_present = "diff",
        conflicts_with = "diff"
    )]
    pub(super) version: Option<String>,
    /// Print what separates two versions.
    #[arg(long, value_names = ["VERSION", "VERSION"], num_args = 2)]
    pub(super) diff: Option<Vec<String>>,
    /// A setting on top, such as `memory.nudge_interval=3`.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// With all faults off.
    #[arg(long)]
    pub(super) faults_off: bool,
    /// What the results on stdout look like [default: human].
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
}

/// `harness curator`.
#[derive(Debug, ClapArgs)]
pub(super) struct Curator {
    #[command(subcommand)]
    pub(super) what: CuratorWhat,
}

#[derive(Debug, Subcommand)]
pub(super) enum CuratorWhat {
    /// Print what a run of the curator would do to a home; nothing is written.
    Preview(CuratorHome),
    /// Print which skills of a home are within the curator's reach, and why not; nothing is written.
    Status(CuratorHome),
}

/// Which home, when, under which settings.
#[derive(Debug, ClapArgs)]
pub(super) struct CuratorHome {
    /// The home: the directory with `skills/` and `config.yaml`.
    #[arg(long, value_name = "DIR")]
    pub(super) home: PathBuf,
    /// When, such as 2026-03-01T09:00:00Z [default: now].
    #[arg(long, value_name = "TIME")]
    pub(super) now: Option<String>,
    /// The version whose rules apply.
    #[arg(long = "version", value_name = "VERSION", default_value = NEWEST)]
    pub(super) version: String,
    /// A setting over those of the home, such as `curator.stale_after_days=30`.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// With all faults off.
    #[arg(long)]
    pub(super) faults_off: bool,
    /// What the results on stdout look like [default: human].
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
}

impl Lay for Sweep {
    fn lay(&self, layers: &mut Layers) {
        self.paths.select.lay(layers);
        self.how.lay(layers);
        list(layers, "vary", &self.vary);
        text(layers, "out", path(self.out.as_ref()));
        text(layers, "traces", word(self.traces));
        switch(layers, "calls", self.calls);
        switch(layers, "resume", self.resume);
        count(layers, "max_fail", self.max_fail);
        text(layers, "format", word(self.format));
    }
}

impl Lay for Compare {
    fn lay(&self, layers: &mut Layers) {
        text(layers, "format", word(self.format));
    }
}

impl Lay for Report {
    fn lay(&self, layers: &mut Layers) {
        text(layers, "out", path(self.dir.as_ref()));
    }
}

impl Lay for Prompts {
    fn lay(&self, layers: &mut Layers) {
        if let PromptsWhat::Check(check) = &self.what {
            text(layers, "format", word(check.format));
        }
    }
}

impl Lay for Config {
    fn lay(&self, layers: &mut Layers) {
        settings(layers, &self.set);
        text(layers, "format", word(self.format));
    }
}

impl Lay for Curator {
    fn lay(&self, layers: &mut Layers) {
        let (CuratorWhat::Preview(home) | CuratorWhat::Status(home)) = &self.what;
        settings(layers, &home.set);
        text(layers, "format", word(home.format));
    }
}

/// Only what the command itself names: settings of a file or variable are for scenarios.
fn settings(layers: &mut Layers, set: &[String]) {
    layers.lay_flag("set", OptionValue::List(set.to_vec()));
}
