//! `harness curator`: a real home is only ever read.

use agent_core::behaviour::{Origin, Settings};
use agent_core::curator::preview::{home_config, preview, status};
use agent_core::stores::{DiskFiles, TreePath, is_dir};
use agent_core::values::{SimTime, Stamp};
use reports::table::{Grid, markdown, terminal};
use reports::verdict::Outcome;
use serde_json::Value;

use super::{Result, version};
use crate::cli::clock::now;
use crate::cli::experiment_args::{Curator, CuratorHome, CuratorWhat};
use crate::cli::resolve::{Options, OutputFormat, WrongInput};
use crate::cli::say::Say;
use crate::experiments::{preview_grid, preview_json, status_grid, status_json};

/// Prints what a run would do to a home, or who is within the curator's reach.
///
/// # Errors
/// The home, its configuration, the version or the time cannot be read.
pub(crate) fn curator(args: &Curator, options: &Options, say: Say) -> Result {
    let (CuratorWhat::Preview(of) | CuratorWhat::Status(of)) = &args.what;
    let home = open(of)?;
    let settings = settings(of, options, &home)?;
    let at = instant(of)?;
    let name = of.home.display().to_string();
    match &args.what {
        CuratorWhat::Preview(_) => {
            let preview = preview(&home, at, &settings);
            print("", &preview_grid(&preview, &name), &preview_json(&preview, &name), options, say);
        }
        CuratorWhat::Status(_) => {
            let status = status(&home, at, &settings);
            let json = status_json(&status, &name, at);
            print(&status.status.to_text(), &status_grid(&status, &name), &json, options, say);
        }
    }
    Ok(Outcome::Held)
}

fn print(head: &str, grid: &Grid, json: &Value, options: &Options, say: Say) {
    say.results(&match options.format {
        OutputFormat::Human => format!("{head}{}", terminal(grid, say.table_look())),
        OutputFormat::Markdown => markdown(grid, usize::MAX),
        OutputFormat::Json => format!("{json:#}\n"),
        OutputFormat::Jsonl => format!("{json}\n"),
    });
}

fn open(of: &CuratorHome) -> std::result::Result<DiskFiles, WrongInput> {
    let name = of.home.display();
    let home = DiskFiles::open(&of.home)
        .map_err(|error| WrongInput::words(format!("cannot open the home {name}: {}", error.trouble)))?;
    if !is_dir(&home, &TreePath::new("skills")) {
        let hint = "a home is the directory above `skills`".to_owned();
        return Err(WrongInput::Words(format!("{name} holds no directory `skills`"), Some(hint)));
    }
    Ok(home)
}

/// The version's settings, the home's own over them, the command line's on top.
fn settings(
    of: &CuratorHome,
    options: &Options,
    home: &DiskFiles,
) -> std::result::Result<Settings, WrongInput> {
    let mut settings = Settings::new(version(&of.version)?);
    if of.faults_off {
        settings.faults_off(&Origin::CommandLine);
    }
    let config = home_config(home).map_err(|error| {
        WrongInput::words(format!(
            "the configuration of {}: {:#}",
            of.home.display(),
            anyhow::Error::new(error)
        ))
    })?;
    settings.overlay_home(&config);
    for (key, value) in &options.selection.settings {
        let set = settings.set(key, value.clone(), Origin::CommandLine);
        set.expect("checked when the command line was read");
    }
    Ok(settings)
}

/// The instant that is named, or this one.
fn instant(of: &CuratorHome) -> std::result::Result<Stamp, WrongInput> {
    let Some(text) = &of.now else { return Ok(Stamp::from(SimTime::from_millis(now().as_millisecond()))) };
    // Records count microseconds, and a run compares by them.
    match Stamp::parse(text) {
        Some(instant) => Ok(instant),
        None => {
            let hint = "such as 2026-03-01T09:00:00Z, or 2026-03-01".to_owned();
            Err(WrongInput::Words(format!("`--now {text}` is no instant"), Some(hint)))
        }
    }
}
