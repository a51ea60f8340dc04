//! Commands that move skills into the archive and back.

use super::super::ageing::RESTORED;
use super::super::context::CuratorContext;
use super::answer::CommandAnswer;
use crate::skills::frontmatter::light_name;
use crate::skills::usage::{ArchiveError, RestoreError, Restored, SkillState, Usage};
use crate::stores::TreePath;
use crate::values::SkillEvent;

const SKILL_FILE: &str = "SKILL.md";
const ARCHIVE: &str = ".archive";

/// Archives a skill; a pinned one is refused. Unmarked local skills can be archived as well.
pub fn archive(context: &mut CuratorContext<'_, '_>, name: &str) -> CommandAnswer {
    if !context.rules().available {
        return CommandAnswer::unknown("archive");
    }
    let mut usage = context.usage();
    if usage.stored(name).is_some_and(crate::skills::usage::Record::is_pinned) {
        return CommandAnswer::refused("pinned", format!("`{name}` is pinned"));
    }
    let archived = usage.archive(name);
    context.flush_if_due();
    match archived {
        Ok(_) => CommandAnswer::done(format!("`{name}` is archived")).with(name, SkillEvent::Archived),
        Err(error) => CommandAnswer::refused(archive_kind(&error), error.to_string()),
    }
}

/// The kind of a refusal in the terms of the curator's cases.
fn archive_kind(error: &ArchiveError) -> &'static str {
    match error {
        ArchiveError::External => "external",
        ArchiveError::Protected => "protected",
        ArchiveError::Hub => "hub_installed",
        ArchiveError::Bundled => "bundled",
        ArchiveError::NotFound => "not_found",
        ArchiveError::Io(_) => "io_error",
    }
}

/// Brings a skill back, by the name of its directory. Without the fault `directory_names_mixed_up` the name that it
/// declares will do, and the state goes to the record of that name.
pub fn restore(context: &mut CuratorContext<'_, '_>, name: &str) -> CommandAnswer {
    let rules = context.rules();
    if !rules.available {
        return CommandAnswer::unknown("restore");
    }
    let (at, archived) = (context.at, archived_dirs(context));
    let mut usage = context.usage();
    let mut asked = name.to_owned();
    let mut restored = usage.restore(name);
    if rules.match_directories && matches!(restored, Err(RestoreError::NotFound)) {
        let by_declared = archived.iter().rev().find(|(_, declared)| declared == name);
        if let Some((dir, _)) = by_declared {
            // A stamp tells copies apart; the restore finds the newest one and drops it.
            without_stamp(dir).clone_into(&mut asked);
            restored = usage.restore(&asked);
        }
    }
    let place = match restored {
        Ok(place) => place,
        Err(error) => {
            context.flush_if_due();
            return CommandAnswer::refused(restore_kind(&error), error.to_string());
        }
    };
    let declared = declared_name(&usage, &place).unwrap_or_else(|| asked.clone());
    if rules.match_directories && declared != asked {
        // The primitive made the state active under the directory's name.
        usage.forget(&asked);
        usage.set_state(&declared, SkillState::Active);
    }
    let aged = if rules.match_directories { declared } else { asked };
    if rules.ageing.restore_counts {
        usage.set_field(&aged, RESTORED, at.to_string());
    }
    context.flush_if_due();
    CommandAnswer::done(format!("`{aged}` is back")).with(&aged, SkillEvent::Restored)
}

/// The name of an archived directory without the time that tells a second copy apart.
fn without_stamp(dir: &str) -> &str {
    match dir.rsplit_once('-') {
        Some((name, stamp)) if stamp.len() == 14 && stamp.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => dir,
    }
}

/// The kind of a refusal in the terms of the curator's cases.
fn restore_kind(error: &RestoreError) -> &'static str {
    match error {
        RestoreError::ShadowsHub => "hub_installed",
        RestoreError::ShadowsBundled => "bundled_now",
        RestoreError::NoArchive => "no_archive_dir",
        RestoreError::NotFound => "not_in_archive",
        RestoreError::DestinationExists => "destination_exists",
        RestoreError::Io(_) => "io_error",
    }
}

fn declared_name(usage: &Usage<'_, '_>, place: &Restored) -> Option<String> {
    let file = place.to.path.below(&TreePath::new(SKILL_FILE));
    let bytes = usage.library().files(place.to.tree).read(&file).ok()?;
    light_name(&bytes)
}

/// The directories at the top of the archive with the names that they declare, sorted.
fn archived_dirs(context: &CuratorContext<'_, '_>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for root in context.library.local_roots() {
        let files = context.library.files(root.spot.tree);
        let archive = root.spot.path.below(&TreePath::new(ARCHIVE));
        for entry in files.list(&archive).unwrap_or_default() {
            let Ok(dir) = archive.join(&entry.name) else { continue };
            if let Ok(bytes) = files.read(&dir.below(&TreePath::new(SKILL_FILE))) {
                let declared = light_name(&bytes).unwrap_or_else(|| entry.name.clone());
                found.push((entry.name, declared));
            }
        }
    }
    found.sort_unstable();
    found
}

/// The names of the archive's directories, sorted, stamped ones included.
pub fn list_archived(context: &mut CuratorContext<'_, '_>) -> Vec<String> {
    context.usage().archived_names()
}
