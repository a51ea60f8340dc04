//! The command line: what is printed where, and with which exit code the process ends.
//!
//! stdout carries the address, the counts of `check` and nothing else; stderr carries diagnostics and what happens.

mod check;
mod load;
mod serve;

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use mock_llm::diagnose::Look;

/// Command line or script are wrong, or the address cannot be used.
const EXIT_WRONG: u8 = 2;

/// A scripted, deterministic model behind an OpenAI-compatible HTTP server.
#[derive(Debug, Parser)]
#[command(version, about, after_help = "Exit codes: 0 done, 2 command line or script wrong.")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// When to use colour.
    #[arg(long, value_enum, default_value_t = Color::Auto, global = true)]
    color: Color,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve a script until SIGINT or SIGTERM.
    Serve(serve::Serve),
    /// Check a script and count its rules.
    Check(check::Check),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How text on stderr looks.
fn look(color: Color) -> Look {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let color = match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto if set("NO_COLOR") => false,
        Color::Auto if set("CLICOLOR_FORCE") || set("FORCE_COLOR") => true,
        Color::Auto => io::stderr().is_terminal() && !dumb,
    };
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    Look { color, width: columns.unwrap_or(Look::default().width), unicode: !dumb }
}

/// Writes to stderr; one that is closed is no reason to stop.
fn tell(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Runs the command of this process.
pub(crate) fn run() -> ExitCode {
    let arguments = Arguments::parse();
    let look = look(arguments.color);
    match arguments.command {
        Command::Serve(serve) => serve.run(look),
        Command::Check(check) => check.run(look),
    }
}
