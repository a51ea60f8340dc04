//! The `mock-llm` command: serves a scripted model, or checks a script.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
