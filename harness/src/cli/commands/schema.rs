//! `harness schema` and `harness completions`.

use clap::CommandFactory;
use reports::verdict::Outcome;

use crate::cli::args::{Args, Schema, SchemaOf};
use crate::cli::say::Say;
use crate::scenario::{families_schema, rates_schema, scenario_schema, world_schema};

/// Prints the JSON Schema of a kind of file.
pub(crate) fn schema(args: &Schema, say: Say) -> Outcome {
    let schema = match args.of {
        SchemaOf::Scenario => scenario_schema(),
        SchemaOf::World => world_schema(),
        SchemaOf::Families => families_schema(),
        SchemaOf::Rates => rates_schema(),
        SchemaOf::Trace => reports::trace::schema().to_value(),
    };
    say.results(&format!("{schema:#}\n"));
    Outcome::Held
}

/// Prints a completion script.
pub(crate) fn completions(shell: clap_complete::Shell, say: Say) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "harness", &mut script);
    say.results(&String::from_utf8_lossy(&script));
    Outcome::Held
}
