//! The curator of a real home, looked at: what a run would do, and who is within its reach. Nothing is ever written.

use agent_core::curator::preview::{HomeStatus, Preview, PreviewStep};
use agent_core::curator::{Consolidation, IdleReason, Poll};
use agent_core::values::Stamp;
use reports::table::{Grid, Tone};
use serde_json::{Value, json};

/// What stands under everything that is said of a real home.
const UNCHANGED: &str = "Nothing was changed.";

/// What a run would change, skill by skill.
pub(crate) fn preview_grid(preview: &Preview, home: &str) -> Grid {
    let title = format!("What a run at {} would do to {home}", preview.at);
    let heads = ["change", "skill", "from", ">idle days", "its age counts from", "goes to"];
    let mut grid = Grid::new(title, &heads);
    for step in &preview.steps {
        let to = step.to.clone().unwrap_or_default();
        let idle = step.idle_days.to_string();
        let anchor = step.anchor.to_string();
        let cells = [step.change.as_str(), &step.name, &step.from, &idle, &anchor, &to];
        let tone = if step.to.is_some() { Tone::Doubtful } else { Tone::Plain };
        grid.toned(tone, cells);
    }
    let counters = &preview.counters;
    grid.note(format!(
        "{} skills looked at: {} seeded, {} to stale, {} to the archive, {} active again.",
        counters.checked, counters.seeded, counters.marked_stale, counters.archived, counters.reactivated
    ));
    if let Some(name) = &preview.stopped {
        grid.note(format!("The run would stop at `{name}`, whose counter is no number."));
    }
    if let Some(error) = &preview.error {
        grid.note(format!("The run would fail: {error}."));
    }
    grid.note(gate(preview));
    let snapshot =
        if preview.snapshot { "A snapshot would be taken first." } else { "No snapshot would be taken." };
    let model = match preview.consolidation {
        Consolidation::Off => "No model would be asked.",
        Consolidation::NoCandidates => "A model would be asked if there were a candidate.",
        Consolidation::Asks => "A model would be asked to consolidate, and may change more than this.",
    };
    grid.note(format!("{snapshot} {model}"));
    for warning in &preview.warnings {
        grid.note(format!("Warning: {warning}."));
    }
    grid.note(UNCHANGED);
    grid
}

/// Whether an automatic run is due, and when the next one is.
fn gate(preview: &Preview) -> String {
    let on = |words: &str| preview.next_due.map_or_else(|| ".".to_owned(), |due| format!("{words} {due}."));
    match preview.poll {
        Poll::Due => format!("An automatic run is due{}", on(" since")),
        Poll::Idle(IdleReason::NotDue) => {
            format!("No automatic run is due yet{}", on(", the next one is at"))
        }
        Poll::Idle(IdleReason::Disabled) => {
            "No automatic run happens: the curator is switched off.".to_owned()
        }
        Poll::Idle(IdleReason::Paused) => "No automatic run happens: the curator is paused.".to_owned(),
        Poll::Idle(IdleReason::Seeded) => {
            "No automatic run happens yet: the first poll only starts the clock, and writes that down."
                .to_owned()
        }
        Poll::Idle(IdleReason::Busy) => "No automatic run happens: one is in progress.".to_owned(),
        Poll::Idle(IdleReason::Damaged) => {
            "No automatic run happens: the curator's state cannot be read.".to_owned()
        }
    }
}

/// The preview for programs.
pub(crate) fn preview_json(preview: &Preview, home: &str) -> Value {
    let step = |step: &PreviewStep| {
        json!({
            "skill": step.name, "change": step.change.as_str(), "from": step.from,
            "anchor": step.anchor.to_string(), "idle_days": step.idle_days, "to": step.to,
        })
    };
    let counters = &preview.counters;
    json!({
        "home": home,
        "at": preview.at.to_string(),
        "gate": match preview.poll { Poll::Due => "due", Poll::Idle(reason) => reason.as_str() },
        "next_due": preview.next_due.map(|stamp| stamp.to_string()),
        "counters": {
            "checked": counters.checked, "seeded": counters.seeded, "marked_stale": counters.marked_stale,
            "archived": counters.archived, "reactivated": counters.reactivated,
            "promoted": counters.promoted, "low_use": counters.low_use,
        },
        "steps": preview.steps.iter().map(step).collect::<Vec<_>>(),
        "stopped_at": preview.stopped,
        "error": preview.error.as_ref().map(ToString::to_string),
        "snapshot": preview.snapshot,
        "asks_model": preview.consolidation == Consolidation::Asks,
        "warnings": preview.warnings,
        "changed": false,
    })
}

/// Who is within the curator's reach, skill by skill.
pub(crate) fn status_grid(status: &HomeStatus, home: &str) -> Grid {
    let heads = ["skill", "state", "curator", "its age counts from", "stale", "archived"];
    let mut grid = Grid::new(format!("Skills of {home}"), &heads);
    let shown = |stamp: Option<Stamp>| stamp.map_or_else(|| "–".to_owned(), |stamp| stamp.to_string());
    for skill in &status.skills {
        let (stale, archived) = (skill.limits.map(|limits| limits.0), skill.limits.map(|limits| limits.1));
        grid.row([
            skill.name.clone(),
            skill.state.clone(),
            skill.why.as_str().to_owned(),
            shown(skill.anchor),
            shown(stale),
            shown(archived),
        ]);
    }
    grid.note("Stale and archived: the first instant at which a run would do it, if nothing else happens.");
    for warning in &status.warnings {
        grid.note(format!("Warning: {warning}."));
    }
    grid.note(UNCHANGED);
    grid
}

/// The same for programs.
pub(crate) fn status_json(status: &HomeStatus, home: &str, at: Stamp) -> Value {
    let skills: Vec<Value> = status
        .skills
        .iter()
        .map(|skill| {
            json!({
                "skill": skill.name, "dir": skill.dir, "state": skill.state, "curator": skill.why.as_str(),
                "anchor": skill.anchor.map(|stamp| stamp.to_string()),
                "stale_at": skill.limits.map(|limits| limits.0.to_string()),
                "archived_at": skill.limits.map(|limits| limits.1.to_string()),
            })
        })
        .collect();
    let counts = status.status.counts;
    json!({
        "home": home,
        "at": at.to_string(),
        "summary": status.status.to_text(),
        "counts": { "active": counts.active, "stale": counts.stale, "archived": counts.archived, "other": counts.other },
        "skills": skills,
        "changed": false,
    })
}
