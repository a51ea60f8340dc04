//! `harness config`.

use agent_core::behaviour::{Origin, Settings};
use reports::table::{markdown, terminal};
use reports::verdict::Outcome;

use super::{Result, version};
use crate::cli::experiment_args::Config;
use crate::cli::resolve::{Options, OutputFormat};
use crate::cli::say::Say;
use crate::experiments::{difference_grid, difference_json, settings_grid, settings_json};

/// Prints the settings of a version, or what separates two.
///
/// # Errors
/// There is no such version.
pub(crate) fn config(args: &Config, options: &Options, say: Say) -> Result {
    let named = |name: &str| -> Result<Settings> {
        let mut settings = Settings::new(version(name)?);
        if args.faults_off {
            settings.faults_off(&Origin::CommandLine);
        }
        for (key, value) in &options.selection.settings {
            let set = settings.set(key, value.clone(), Origin::CommandLine);
            set.expect("checked when the command line was read");
        }
        Ok(settings)
    };
    let (grid, json) = match (&args.diff, &args.version) {
        (Some(versions), _) => {
            let (one, other) = (named(&versions[0])?, named(&versions[1])?);
            (difference_grid(&one, &other), difference_json(&one, &other))
        }
        (None, name) => {
            let settings = named(name.as_deref().unwrap_or_default())?;
            (settings_grid(&settings), settings_json(&settings))
        }
    };
    say.results(&match options.format {
        OutputFormat::Human => terminal(&grid, say.table_look()),
        OutputFormat::Markdown => markdown(&grid, usize::MAX),
        OutputFormat::Json => format!("{json:#}\n"),
        OutputFormat::Jsonl => format!("{json}\n"),
    });
    Ok(Outcome::Held)
}
