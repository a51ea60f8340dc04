//! Commands about ownership and schedule: pin, adopt, pause.

use super::super::context::CuratorContext;
use super::answer::CommandAnswer;
use crate::skills::usage::Provenance;
use crate::values::SkillEvent;

/// Pauses or resumes automatic runs.
pub fn pause(context: &mut CuratorContext<'_, '_>, paused: bool) -> CommandAnswer {
    if !context.rules().available {
        return CommandAnswer::unknown(if paused { "pause" } else { "resume" });
    }
    context.change_schedule(|schedule| schedule.set("paused", paused));
    CommandAnswer::done(if paused { "the curator is paused" } else { "the curator goes on" })
}

/// Pins or unpins a skill. An unknown name gets a record; a protected one says yes and stays as it is, as in the
/// reference.
pub fn pin(context: &mut CuratorContext<'_, '_>, name: &str, pinned: bool) -> CommandAnswer {
    let word = if pinned { "pin" } else { "unpin" };
    if !context.rules().available {
        return CommandAnswer::unknown(word);
    }
    let pin_builtins = context.rules().pin_builtins;
    if let Some(refused) = foreign(context, name, pin_builtins) {
        return refused;
    }
    let mut usage = context.usage();
    let changes = usage.is_eligible(name) && usage.get(name).is_pinned() != pinned;
    usage.set_pinned(name, pinned);
    context.flush_if_due();
    let answer = CommandAnswer::done(format!("`{name}` is {word}ned"));
    if changes { answer.with(name, SkillEvent::Pinned(pinned)) } else { answer }
}

/// Hands a skill to the curator: only the marker is set, its dates stay.
pub fn adopt(context: &mut CuratorContext<'_, '_>, name: &str) -> CommandAnswer {
    if !context.rules().available || !context.rules().adopt {
        return CommandAnswer::unknown("adopt");
    }
    if let Some(refused) = foreign(context, name, false) {
        return refused;
    }
    let mut usage = context.usage();
    if usage.is_protected(name) {
        return CommandAnswer::refused("protected", format!("`{name}` is protected"));
    }
    if !usage.local_skills().iter().any(|skill| &*skill.declared == name) {
        return CommandAnswer::refused("not_found", format!("no skill declares the name `{name}`"));
    }
    if usage.get(name).is_managed() {
        return CommandAnswer::done(format!("`{name}` is looked after already"));
    }
    usage.mark_agent_created(name);
    context.flush_if_due();
    CommandAnswer::done(format!("`{name}` is looked after by the curator from now on"))
        .with(name, SkillEvent::Adopted)
}

/// Local skills that nobody looks after: neither hub nor bundled nor marked, sorted.
pub fn unmanaged(context: &mut CuratorContext<'_, '_>) -> Vec<String> {
    let mut usage = context.usage();
    let skills = usage.local_skills();
    let mut names: Vec<String> = skills
        .iter()
        .map(|skill| skill.declared.to_string())
        .filter(|name| usage.provenance(name) == Provenance::Agent && !usage.is_protected(name))
        .filter(|name| !usage.get(name).is_managed())
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// What to show the user once after an update of the program: where the skills of the last run went, or that the first
/// run is put off (`spec/curator.md` §13).
pub fn notice(context: &mut CuratorContext<'_, '_>) -> Option<String> {
    if !context.rules().available {
        return None;
    }
    let mut text = None;
    context.change_schedule(|schedule| text = schedule.take_notice());
    text
}

/// Why somebody else's skill is refused, if it is one.
fn foreign(context: &mut CuratorContext<'_, '_>, name: &str, builtins: bool) -> Option<CommandAnswer> {
    let ages = context.rules().builtins;
    let mut usage = context.usage();
    match usage.provenance(name) {
        Provenance::Hub => {
            Some(CommandAnswer::refused("hub_installed", format!("`{name}` was installed from a hub")))
        }
        Provenance::Bundled if !builtins => {
            Some(CommandAnswer::refused("bundled", format!("`{name}` came with the program")))
        }
        Provenance::Bundled if !ages => Some(CommandAnswer::refused(
            "bundled",
            format!("`{name}` came with the program and does not age"),
        )),
        Provenance::Agent if usage.is_external_only(name) => {
            Some(CommandAnswer::refused("external", format!("`{name}` lies in an external directory")))
        }
        Provenance::Bundled | Provenance::Agent => None,
    }
}
