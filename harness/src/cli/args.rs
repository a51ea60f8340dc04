//! Flags and arguments, as clap reads them. What they mean is decided in [`super::resolve`].

use std::path::PathBuf;

use clap::{ArgAction, Args as ClapArgs, Parser, Subcommand, ValueEnum};

use super::experiment_args::{Compare, Config, Curator, Prompts, Report, Sweep, WhichTraces};
use super::options::{Layers, OptionValue};

/// Where help lists what concerns the results.
pub(super) const RESULTS: &str = "Results";

/// Simulates self-improving agents over weeks, in seconds, with the same bytes every time.
#[derive(Debug, Parser)]
#[command(name = "harness", version, max_term_width = 100)]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) common: Common,
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run scenarios and check what they expect.
    Run(Run),
    /// Check scenarios and everything they refer to; nothing runs, nothing is written.
    Validate(Paths),
    /// List the cells that a run would run.
    List(Paths),
    /// Run a grid of settings and measure every point.
    Sweep(Sweep),
    /// Compare two arms, two runs or two points of a sweep.
    Compare(Compare),
    /// Make the report of a run: tables, plots, a page.
    Report(Report),
    /// Run one cell of an earlier run again and compare.
    Rerun(Rerun),
    /// Show what happened in a cell of an earlier run.
    Show(Show),
    /// Run everything twice in other ways and name the first event that differs.
    Determinism(Determinism),
    /// Check prompts against the rules that they must convey.
    Prompts(Prompts),
    /// Print an agent's settings with their origin, or what separates two versions.
    Config(Config),
    /// Look at the curator of a real home; nothing is ever written there.
    Curator(Curator),
    /// Explain exit codes, settings, faults, figures, options.
    Explain(Explain),
    /// Print the JSON Schema of scenario files, for editors.
    Schema(Schema),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// What every command takes.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Common options")]
pub(super) struct Common {
    /// The file of options [default: harness.toml, if there is one].
    #[arg(long, value_name = "FILE", global = true)]
    pub(super) config: Option<PathBuf>,
    /// Say less; twice is the same as once.
    #[arg(short, long, action = ArgAction::Count, global = true, conflicts_with = "verbose")]
    quiet: u8,
    /// Say more.
    #[arg(short, long, action = ArgAction::Count, global = true)]
    verbose: u8,
    /// Whether output has colour.
    #[arg(long, value_name = "WHEN", global = true)]
    color: Option<When>,
    /// Show no progress.
    #[arg(long, global = true)]
    no_progress: bool,
    /// Print every option and setting with its origin, and do nothing else.
    #[arg(long, global = true)]
    pub(super) print_config: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum When {
    Auto,
    Always,
    Never,
}

/// Which scenarios and which of their cells.
#[derive(Debug, ClapArgs)]
pub(super) struct Paths {
    /// Scenario files, or folders that hold some.
    #[arg(required = true, value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) select: Select,
}

/// Which cells.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Selection")]
pub(super) struct Select {
    /// Only this arm; may be given several times.
    #[arg(long, value_name = "NAME")]
    arm: Vec<String>,
    /// Only cells whose name (`scenario/arm/seed`) holds this text; `!TEXT` leaves them out.
    #[arg(short = 'k', long, value_name = "TEXT")]
    filter: Vec<String>,
    /// A setting for all arms, such as `memory.nudge_interval=3`.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// A file whose text replaces a prompt in all arms, such as `curator=new.md`.
    #[arg(long, value_name = "NAME=FILE")]
    prompt: Vec<String>,
    /// The first seed [default: 1].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// How many seeds, counted up from the first [default: 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    repeat: Option<u64>,
    /// Only the I-th of N parts of the cells: `count:I/N`, or `hash:I/N`.
    #[arg(long, value_name = "PART")]
    partition: Option<String>,
    /// Selecting no cell at all is fine.
    #[arg(long)]
    allow_empty: bool,
}

/// `harness run`.
#[derive(Debug, ClapArgs)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch that a person gives or does not give")]
pub(super) struct Run {
    #[command(flatten)]
    pub(super) paths: Paths,
    #[command(flatten)]
    pub(super) how: How,
    /// Take over the cells that an earlier run into the same directory finished.
    #[arg(long)]
    resume: bool,
    /// Begin no further cell after the first that did not hold.
    #[arg(long, conflicts_with = "max_fail")]
    fail_fast: bool,
    /// Begin no further cell after so many that did not hold.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_fail: Option<u64>,
    /// Fail if a rule of a script answers no request; needs all cells of its scenarios.
    #[arg(long)]
    deny_unused: bool,
    /// Where the results go [default: out].
    #[arg(short, long, value_name = "DIR", help_heading = RESULTS)]
    out: Option<PathBuf>,
    /// Which traces to write [default: all].
    #[arg(long, value_name = "WHICH", help_heading = RESULTS)]
    traces: Option<WhichTraces>,
    /// Write every simulated home into `homes/`.
    #[arg(long, help_heading = RESULTS)]
    keep_homes: bool,
    #[arg(long, value_name = "FILE", help_heading = RESULTS, help = "Write the JUnit file here, too")]
    junit: Option<PathBuf>,
    /// What the results on stdout look like [default: human].
    #[arg(long, value_name = "FORMAT", help_heading = RESULTS)]
    format: Option<Format>,
}

/// How cells are run.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Running")]
pub(super) struct How {
    /// How requests reach the scripted model [default: http].
    #[arg(long, value_name = "WAY")]
    transport: Option<Way>,
    /// Cells at a time [default: the number of cores].
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=4096))]
    jobs: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Way {
    /// Through the mock server on a loopback port.
    Http,
    /// To the same engine in process.
    Direct,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// A table.
    Human,
    /// One JSON document.
    Json,
    /// One JSON line a cell, then the verdict.
    Jsonl,
    /// Markdown, as for a pull request.
    Markdown,
}

/// `harness rerun`.
#[derive(Debug, ClapArgs)]
pub(super) struct Rerun {
    /// The cell: `scenario/arm/seed`.
    pub(super) cell: String,
    /// The directory of the earlier run [default: out].
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    pub(super) how: How,
}

/// `harness show`.
#[derive(Debug, ClapArgs)]
pub(super) struct Show {
    /// The cell: `scenario/arm/seed`.
    pub(super) cell: String,
    /// The directory of the earlier run [default: out].
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Only this session.
    #[arg(long, value_name = "NAME")]
    pub(super) session: Option<String>,
    /// Whole texts, and the whole system prompt.
    #[arg(long)]
    pub(super) full: bool,
}

/// `harness determinism`.
#[derive(Debug, ClapArgs)]
pub(super) struct Determinism {
    #[command(flatten)]
    pub(super) paths: Paths,
}

/// `harness explain`.
#[derive(Debug, ClapArgs)]
pub(super) struct Explain {
    /// What: `exit-codes`, `options`, `settings`, `faults`, `figures`, `expressions`; or the name of one.
    pub(super) topic: Option<String>,
}

/// `harness schema`.
#[derive(Debug, ClapArgs)]
pub(super) struct Schema {
    /// Of which file.
    #[arg(value_enum, default_value_t = SchemaOf::Scenario)]
    pub(super) of: SchemaOf,
}

/// The kinds of file that have a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum SchemaOf {
    /// A scenario.
    Scenario,
    /// A world.
    World,
    /// Families of tasks.
    Families,
    /// Rates of a model's conduct.
    Rates,
    /// A line of a trace.
    Trace,
}

/// Lays flags over the layers below them.
pub(super) trait Lay {
    /// Lays the flags that were given.
    fn lay(&self, layers: &mut Layers);
}

pub(super) fn switch(layers: &mut Layers, key: &str, on: bool) {
    if on {
        layers.lay_flag(key, OptionValue::Switch(true));
    }
}

pub(super) fn text(layers: &mut Layers, key: &str, value: Option<impl Into<String>>) {
    if let Some(value) = value {
        layers.lay_flag(key, OptionValue::Text(value.into()));
    }
}

pub(super) fn count(layers: &mut Layers, key: &str, value: Option<u64>) {
    if let Some(value) = value {
        layers.lay_flag(key, OptionValue::Count(value));
    }
}

pub(super) fn list(layers: &mut Layers, key: &str, items: &[String]) {
    if !items.is_empty() {
        layers.lay_flag(key, OptionValue::List(items.to_vec()));
    }
}

pub(super) fn word<T: ValueEnum>(value: Option<T>) -> Option<String> {
    value.and_then(|value| value.to_possible_value()).map(|value| value.get_name().to_owned())
}

pub(super) fn path(value: Option<&PathBuf>) -> Option<String> {
    value.map(|path| path.to_string_lossy().into_owned())
}

impl Lay for Common {
    fn lay(&self, layers: &mut Layers) {
        text(layers, "color", word(self.color));
        if self.no_progress {
            layers.lay_flag("progress", OptionValue::Switch(false));
        }
        let verbosity = if self.quiet > 0 { Some("quiet") } else { (self.verbose > 0).then_some("verbose") };
        text(layers, "verbosity", verbosity);
    }
}

impl Lay for Select {
    fn lay(&self, layers: &mut Layers) {
        list(layers, "arm", &self.arm);
        list(layers, "filter", &self.filter);
        list(layers, "set", &self.set);
        list(layers, "prompt", &self.prompt);
        count(layers, "seed", self.seed);
        count(layers, "repeat", self.repeat);
        text(layers, "partition", self.partition.as_deref());
        switch(layers, "allow_empty", self.allow_empty);
    }
}

impl Lay for How {
    fn lay(&self, layers: &mut Layers) {
        text(layers, "transport", word(self.transport));
        count(layers, "jobs", self.jobs);
    }
}

impl Lay for Run {
    fn lay(&self, layers: &mut Layers) {
        self.paths.select.lay(layers);
        self.how.lay(layers);
        text(layers, "out", path(self.out.as_ref()));
        switch(layers, "deny_unused", self.deny_unused);
        switch(layers, "keep_homes", self.keep_homes);
        switch(layers, "resume", self.resume);
        count(layers, "max_fail", self.max_fail.or(self.fail_fast.then_some(1)));
        text(layers, "traces", word(self.traces));
        text(layers, "junit", path(self.junit.as_ref()));
        text(layers, "format", word(self.format));
    }
}

impl Lay for Rerun {
    fn lay(&self, layers: &mut Layers) {
        self.how.lay(layers);
        text(layers, "out", path(self.out.as_ref()));
    }
}

impl Lay for Show {
    fn lay(&self, layers: &mut Layers) {
        text(layers, "out", path(self.out.as_ref()));
    }
}

impl Lay for Command {
    fn lay(&self, layers: &mut Layers) {
        match self {
            Self::Run(run) => run.lay(layers),
            Self::Validate(paths) | Self::List(paths) => paths.select.lay(layers),
            Self::Determinism(determinism) => determinism.paths.select.lay(layers),
            Self::Sweep(sweep) => sweep.lay(layers),
            Self::Compare(compare) => compare.lay(layers),
            Self::Report(report) => report.lay(layers),
            Self::Prompts(prompts) => prompts.lay(layers),
            Self::Config(config) => config.lay(layers),
            Self::Curator(curator) => curator.lay(layers),
            Self::Rerun(rerun) => rerun.lay(layers),
            Self::Show(show) => show.lay(layers),
            Self::Explain(_) | Self::Schema(_) | Self::Completions { .. } => {}
        }
    }
}
