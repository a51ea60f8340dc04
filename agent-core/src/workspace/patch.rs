//! `patch`.

use serde::Serialize;
use serde_json::{Map, Value};

use super::answer::{Mistake, answer};
use super::args::Args;
use super::path::Spot;
use super::write::store;
use crate::behaviour::PatchRules;
use crate::patch::{PatchError, closest, replace};
use crate::stores::Files;
use crate::values::HomeAnswer;

/// Unchanged lines shown on each side of a change.
const AROUND: usize = 2;
/// Lines of a change that are shown.
const CHANGE_LINES_MAX: usize = 60;

/// Replaces a passage of a file.
///
/// Kinds: those of [`super::read_file`] and [`super::write_file`], and those of [`PatchError`].
pub fn patch(args: &Map<String, Value>, files: &mut dyn Files, rules: &PatchRules) -> HomeAnswer {
    answer(change(Args(args), files, rules))
}

#[derive(Serialize)]
struct Changed {
    success: bool,
    path: String,
    replacements: usize,
    /// How the passage was found, if not exactly.
    #[serde(skip_serializing_if = "Option::is_none")]
    found_by: Option<&'static str>,
    change: String,
}

fn change(args: Args<'_>, files: &mut dyn Files, rules: &PatchRules) -> Result<Changed, Mistake> {
    let spot = Spot::find(files, args.needed_text("path")?)?;
    let (old, new) = (args.needed_text("old_string")?, args.needed_text("new_string")?);
    let replace_all = args.flag("replace_all")?;
    let before = spot.text(files)?;
    let patched = replace(&before, old, new, replace_all, rules)
        .map_err(|error| Mistake::new(error.kind(), words(&error, old, &before, &spot.shown)))?;
    store(files, &spot, &patched.text)?;
    let strategy = patched.strategy.name();
    Ok(Changed {
        success: true,
        path: spot.shown,
        replacements: patched.matches,
        found_by: (strategy != "exact").then_some(strategy),
        change: shown_change(&before, &patched.text),
    })
}

fn words(error: &PatchError, old: &str, content: &str, shown: &str) -> String {
    let near = match error {
        PatchError::NoMatch => closest(old, content),
        _ => String::new(),
    };
    let tail = if near.is_empty() { String::new() } else { format!("\n\nThe nearest lines are:\n{near}") };
    format!("{shown} was not changed: {error}.{tail}")
}

/// The lines from the first to the last one that changed, with a few around them.
fn shown_change(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.split('\n').collect(), after.split('\n').collect());
    let shorter = old.len().min(new.len());
    let head = old.iter().zip(&new).take_while(|(one, two)| one == two).count();
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(one, two)| one == two).count();
    let tail = tail.min(shorter - head);
    let mut lines: Vec<String> = vec![format!("@@ line {} @@", head + 1)];
    lines.extend(old[head.saturating_sub(AROUND)..head].iter().map(|line| format!(" {line}")));
    let changed = old[head..old.len() - tail].iter().map(|line| format!("-{line}"));
    let changed: Vec<String> =
        changed.chain(new[head..new.len() - tail].iter().map(|line| format!("+{line}"))).collect();
    let more = changed.len().saturating_sub(CHANGE_LINES_MAX);
    lines.extend(changed.into_iter().take(CHANGE_LINES_MAX));
    if more > 0 {
        lines.push(format!("({more} more lines of the change)"));
    }
    let after_change = new.len() - tail;
    lines.extend(
        new[after_change..new.len().min(after_change + AROUND)].iter().map(|line| format!(" {line}")),
    );
    lines.join("\n")
}
