//! `harness schema` and `harness completions`.

use clap::CommandFactory;
use reports::verdict::Outcome;

use crate::cli::args::{Args, Schema, SchemaOf};
use crate::cli::say::Say;
use crate::scenario::{families_schema, rates_schema, scenario_schema, world_schema};

/// Prints the JSON Schema of a kind of file.
pub(crate) fn schema(args: &Schema, say: Say) -> Outcome {
    let text = match args.of {
        SchemaOf::Scenario => format!("{:#}", scenario_schema()),
        SchemaOf::World => format!("{:#}", world_schema()),
        SchemaOf::Families => format!("{:#}", families_schema()),
        SchemaOf::Rates => format!("{:#}", rates_schema()),
        // Serialised as it is: its keys have an order of their own, which a value would lose.
        SchemaOf::Trace => serde_json::to_string_pretty(&reports::trace::schema()).expect("a schema is JSON"),
    };
    say.results(&format!("{text}\n"));
    Outcome::Held
}

/// Prints a completion script.
pub(crate) fn completions(shell: clap_complete::Shell, say: Say) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "harness", &mut script);
    say.results(&String::from_utf8_lossy(&script));
    Outcome::Held
}
