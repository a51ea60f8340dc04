//! The command line: flags become plain values, plain values become a run, a run becomes one exit code.
//!
//! stdout carries results, stderr carries talk. No environment variable but the documented ones is read.

mod args;
mod commands;
mod files;
mod output;

use std::process::ExitCode;

use clap::Parser;
use reports::verdict::Outcome;

use args::{Args, Command};

/// Runs the program and gives its exit code (`harness explain exit-codes` lists them).
pub fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // Help and version are answers, not mistakes. A closed pipe is nobody's fault.
            let code = if error.use_stderr() { Outcome::InputWrong.exit_code() } else { 0 };
            let _closed_pipe = error.print();
            return code.into();
        }
    };
    let outcome = match args.command {
        Command::Run(run) => commands::run(&run),
        Command::Validate(paths) => Ok(commands::validate(&paths)),
        Command::List(paths) => Ok(commands::list(&paths)),
    };
    match outcome {
        Ok(outcome) => outcome.exit_code().into(),
        Err(error) => {
            output::talk(&format!("error: {error:#}"));
            Outcome::Broken.exit_code().into()
        }
    }
}
