//! The command line: flags become plain values, plain values become a run, a run becomes one exit code.
//!
//! stdout carries results, stderr carries talk. No environment variable but the documented ones is read.

mod args;
mod clock;
mod commands;
mod experiment_args;
mod files;
mod options;
mod progress;
mod resolve;
mod say;
mod signals;

use std::process::ExitCode;

use clap::Parser;
use reports::verdict::Outcome;

use args::{Args, Command};
use commands::Failed;
use resolve::{Options, WrongInput};
use say::Say;

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
    let layers = match resolve::layers(&args) {
        Ok(layers) => layers,
        Err(wrong) => return fail(Say::new(None, None, false), wrong),
    };
    let say = resolve::say(&layers);
    let outcome =
        Options::resolve(layers).map_err(Failed::from).and_then(|options| command(&args, &options, say));
    match outcome {
        Ok(outcome) => outcome.exit_code().into(),
        Err(Failed::Input(wrong)) => fail(say, wrong),
        Err(Failed::Run(error)) => broken(say, &error, None),
        Err(Failed::Stuck(error, hint)) => broken(say, &error, Some(&hint)),
    }
}

fn command(args: &Args, options: &Options, say: Say) -> commands::Result {
    let paths = match &args.command {
        Command::Run(run) => run.paths.paths.as_slice(),
        Command::Sweep(sweep) => &sweep.paths.paths,
        Command::Validate(paths) | Command::List(paths) => &paths.paths,
        Command::Determinism(determinism) => &determinism.paths.paths,
        _ => &[],
    };
    if args.common.print_config {
        return commands::print_config(paths, options, say);
    }
    match &args.command {
        Command::Run(_) => commands::run(paths, options, say),
        Command::Validate(_) => commands::validate(paths, options, say),
        Command::List(_) => commands::list(paths, options, say),
        Command::Determinism(_) => commands::determinism(paths, options, say),
        Command::Sweep(_) => commands::sweep(paths, options, say),
        Command::Compare(compare) => commands::compare(compare, options, say),
        Command::Report(report) => commands::report(report, options, say),
        Command::Prompts(prompts) => commands::prompts(prompts, options, say),
        Command::Config(config) => commands::config(config, options, say),
        Command::Curator(curator) => commands::curator(curator, options, say),
        Command::Rerun(rerun) => commands::rerun(rerun, options, say),
        Command::Show(show) => commands::show(show, options, say),
        Command::Explain(explain) => commands::explain(explain, say),
        Command::Schema(schema) => Ok(commands::schema(schema, say)),
        Command::Completions { shell } => Ok(commands::completions(*shell, say)),
    }
}

/// Says what kept the program from its work.
fn broken(say: Say, error: &anyhow::Error, hint: Option<&str>) -> ExitCode {
    say.error(&format!("{error:#}"), hint);
    Outcome::Broken.exit_code().into()
}

/// Says what is wrong with the input.
fn fail(say: Say, wrong: WrongInput) -> ExitCode {
    match wrong {
        WrongInput::Words(words, hint) => say.error(&words, hint.as_deref()),
        WrongInput::Mistakes(found, sources) => {
            say.mistakes(&found, &sources);
            let count = found.iter().filter(|found| found.is_error()).count();
            let words = if count == 1 { "mistake" } else { "mistakes" };
            say.must(&format!("\n{count} {words}; nothing ran"));
        }
    }
    Outcome::InputWrong.exit_code().into()
}
