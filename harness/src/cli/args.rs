//! Flags and arguments, as clap reads them.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand};

use crate::run::SEED;
use crate::transport::TransportKind;

/// Simulates self-improving agents over weeks, in seconds, with the same bytes every time.
#[derive(Debug, Parser)]
#[command(name = "harness", version, max_term_width = 100)]
pub(super) struct Args {
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
}

/// Which scenarios.
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
pub(super) struct Select {
    /// Only this arm; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub(super) arm: Vec<String>,
    /// Only cells whose name (`scenario/arm/seed`) holds this text; `!TEXT` leaves them out.
    #[arg(short = 'k', long, value_name = "TEXT")]
    pub(super) filter: Vec<String>,
    /// A setting for all arms, such as `memory.nudge_interval=3`.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(super) set: Vec<String>,
    /// The first seed.
    #[arg(long, value_name = "N", default_value_t = SEED)]
    pub(super) seed: u64,
    /// How many seeds, counted up from the first.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(super) repeat: u64,
}

/// `harness run`.
#[derive(Debug, ClapArgs)]
pub(super) struct Run {
    #[command(flatten)]
    pub(super) paths: Paths,
    /// How requests reach the scripted model.
    #[arg(long, value_enum, default_value_t = TransportKind::Http)]
    pub(super) transport: TransportKind,
    /// Cells at a time [default: the number of cores].
    #[arg(short, long, value_name = "N")]
    pub(super) jobs: Option<std::num::NonZeroUsize>,
    /// Where the results go.
    #[arg(short, long, value_name = "DIR", default_value = "out")]
    pub(super) out: PathBuf,
    /// Write every simulated home into `homes/`.
    #[arg(long)]
    pub(super) keep_homes: bool,
}
