//! What an action is going to do, and doing it.

use std::sync::Arc;

use super::super::answer::{Fields, Refusal, Reply};
use super::super::context::SkillContext;
use super::super::library::Spot;
use super::super::usage::{ArchiveError, SkillState};
use super::arguments::{Action, Arguments};
use super::text_io::{Old, failed, write};
use crate::stores::{Files, Kind, TreePath, remove_tree};
use crate::values::{Fact, SkillEvent, Store, WriteEnd, WriteOrigin};

/// One change of one skill.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// The skill's name as the call has it.
    pub(super) name: String,
    /// Its directory.
    pub(super) skill: Spot,
    /// What is done.
    pub(super) change: Change,
    /// What a success says.
    pub(super) reply: Fields,
}

#[derive(Clone, Debug)]
pub(super) enum Change {
    /// Writes one file.
    Write {
        /// Where it really lies.
        real: Spot,
        /// Its path in the skill.
        inner: TreePath,
        /// What was there; none for a new file.
        old: Option<Old>,
        /// What will be there.
        text: String,
    },
    /// Removes one file, or a link as such.
    RemoveFile {
        /// What to remove.
        entry: Spot,
        /// Its path in the skill.
        inner: TreePath,
        /// What was there, as far as it is text.
        old: String,
    },
    /// Removes the whole directory for good.
    RemoveSkill {
        /// The text of its main file, as far as it is text.
        old: String,
    },
    /// Moves the whole directory into the archive.
    Archive {
        /// The text of its main file, as far as it is text.
        old: String,
    },
}

impl SkillContext<'_, '_> {
    /// Works out what a call would do, changing nothing.
    pub(super) fn plan(&mut self, action: Action, arguments: Arguments<'_>) -> Result<Plan, Refusal> {
        match action {
            Action::Create => self.plan_create(arguments),
            Action::Edit => self.plan_edit(arguments),
            Action::Patch => self.plan_patch(arguments),
            Action::Delete => self.plan_delete(arguments),
            Action::WriteFile => self.plan_write_file(arguments),
            Action::RemoveFile => self.plan_remove_file(arguments),
        }
    }

    /// Carries a plan out and counts it. `provenance` is whose skill a created one is.
    pub(super) fn commit(
        &mut self,
        action: Action,
        plan: Plan,
        provenance: WriteOrigin,
    ) -> Result<Reply, Refusal> {
        let mut record = self.record_name(&plan.name, &plan.skill);
        let (before, after) = match &plan.change {
            Change::Write { real, old, text, .. } => {
                self.write_scanned(action, &plan, real, old.as_ref(), text)?;
                (old.as_ref().map_or("", |old| &old.raw), text.as_str())
            }
            Change::RemoveFile { entry, old, .. } => {
                self.remove_file(&plan.skill, entry)?;
                (old.as_str(), "")
            }
            Change::RemoveSkill { old } => {
                self.remove_skill(&plan.skill)?;
                (old.as_str(), "")
            }
            Change::Archive { old } => {
                self.archive(&record)?;
                (old.as_str(), "")
            }
        };
        let facts = vec![
            self.write_fact(action, plan.target(), WriteEnd::Applied, None, before, after),
            Fact::Skill {
                name: plan.name.as_str().into(),
                event: plan.change.event(action),
                cause: self.origin.as_str().into(),
            },
        ];
        self.changed(&plan.skill);
        if action == Action::Create {
            record = self.record_name(&plan.name, &plan.skill);
        }
        self.count(action, &plan, &record, provenance);
        Ok(Reply { fields: plan.reply, facts })
    }

    pub(super) fn write_fact(
        &self,
        action: Action,
        target: Arc<str>,
        end: WriteEnd,
        kind: Option<Arc<str>>,
        before: &str,
        after: &str,
    ) -> Fact {
        Fact::Write {
            store: Store::Skill,
            action: action.as_str().into(),
            target,
            origin: self.origin,
            end,
            kind,
            before: before.into(),
            after: after.into(),
        }
    }

    /// What success moves in the usage book (`spec/skill-usage.md` §3).
    fn count(&mut self, action: Action, plan: &Plan, record: &str, provenance: WriteOrigin) {
        let made_by_agent = match provenance {
            WriteOrigin::Review => true,
            WriteOrigin::Curator => self.rules().curator_unattended,
            WriteOrigin::Foreground | WriteOrigin::Delegate => false,
        };
        let keeps_dead_record = self.rules().usage.keep_dead_record;
        let mut usage = self.usage();
        match (&plan.change, action) {
            (Change::Write { .. }, Action::Create) if made_by_agent => {
                usage.begin_life(record);
                usage.mark_agent_created(record);
            }
            (Change::Write { .. }, Action::Create) if !keeps_dead_record => usage.forget(record),
            (Change::Write { .. }, Action::Create) => {}
            (Change::Write { .. } | Change::RemoveFile { .. }, _) => usage.patch(record),
            (Change::RemoveSkill { .. }, _) => usage.forget(record),
            // The archive step has done so already, if both names are one.
            (Change::Archive { .. }, _) => usage.set_state(record, SkillState::Archived),
        }
    }

    /// The name under which a skill's use is recorded: the one that it declares, as for view, curator and archive. With
    /// the fault `directory_names_mixed_up` the manager takes the name that it was called with, that of the directory.
    pub(super) fn record_name(&self, name: &str, dir: &Spot) -> String {
        let skill = self.state.catalogue.at(dir).filter(|_| self.behaviour.curator.match_directories);
        skill.map_or_else(|| name.to_owned(), |skill| skill.declared.to_string())
    }

    /// Removes a file and its directory if that is empty now.
    fn remove_file(&mut self, skill: &Spot, entry: &Spot) -> Result<(), Refusal> {
        let files = self.library.files_mut(entry.tree);
        let stat = files.stat(&entry.path).map_err(|error| failed("looked at", &error))?;
        if stat.is_some_and(|stat| stat.kind == Kind::Dir) {
            let why = format!("{} is a directory; remove its files one by one", entry.path.name());
            return Err(Refusal::mistake("uncaught-error", why));
        }
        files.remove(&entry.path).map_err(|error| failed("removed", &error))?;
        if let Some(parent) = entry.path.parent().filter(|parent| *parent != skill.path) {
            // It goes only if it is empty; that it is not is no error.
            let _ = files.remove(&parent);
        }
        Ok(())
    }

    /// Removes a skill for good, and its category if that is empty now (one level only).
    fn remove_skill(&mut self, skill: &Spot) -> Result<(), Refusal> {
        let root = self.library.root_of(skill).map(|root| root.spot.path.clone());
        let files = self.library.files_mut(skill.tree);
        remove_whole(files, &skill.path)?;
        if let Some(parent) = skill.path.parent().filter(|parent| Some(parent) != root.as_ref()) {
            let _ = files.remove(&parent);
        }
        Ok(())
    }

    fn archive(&mut self, name: &str) -> Result<(), Refusal> {
        self.usage().archive(name).map(drop).map_err(|error| {
            let kind = match &error {
                ArchiveError::External => "bg-external",
                ArchiveError::Protected => "archive-protected",
                ArchiveError::Hub => "archive-hub",
                ArchiveError::Bundled => "archive-bundled",
                ArchiveError::NotFound => "not-found",
                ArchiveError::Io(_) => "io-error",
            };
            let refused = !matches!(error, ArchiveError::NotFound | ArchiveError::Io(_));
            Refusal { refused, ..Refusal::mistake(kind, format!("`{name}` was not archived: {error}")) }
        })
    }
}

/// Moves a directory aside in one step and removes it then, its main file first: what a crash leaves is no skill.
fn remove_whole(files: &mut dyn Files, dir: &TreePath) -> Result<(), Refusal> {
    let parent = dir.parent().unwrap_or_default();
    let aside =
        parent.join(&format!(".removed-{}", dir.name())).map_err(|error| failed("removed", &error))?;
    let moved = files.rename(dir, &aside).is_ok();
    let doomed = if moved { &aside } else { dir };
    let main = doomed.below(&TreePath::new(super::super::excluded::SKILL_FILE));
    let removed = files.remove(&main).and_then(|()| remove_tree(files, doomed));
    match removed {
        // Once moved aside the skill is gone, whatever is left of its files.
        Err(error) if !moved => Err(failed("removed", &error)),
        _ => Ok(()),
    }
}

impl Plan {
    /// What the trace calls the target: the skill, or the skill and the supporting file.
    pub(super) fn target(&self) -> Arc<str> {
        match &self.change {
            Change::Write { inner, .. } | Change::RemoveFile { inner, .. } => {
                target_name(&self.name, inner.as_str())
            }
            Change::RemoveSkill { .. } | Change::Archive { .. } => self.name.as_str().into(),
        }
    }
}

impl Change {
    fn event(&self, action: Action) -> SkillEvent {
        match self {
            Self::Write { .. } if action == Action::Create => SkillEvent::Created,
            Self::Write { .. } | Self::RemoveFile { .. } => SkillEvent::Patched,
            Self::RemoveSkill { .. } => SkillEvent::Deleted,
            Self::Archive { .. } => SkillEvent::Archived,
        }
    }
}

/// The skill's name for its main file, name and path for any other.
pub(super) fn target_name(name: &str, inner: &str) -> Arc<str> {
    match inner {
        "" | super::super::excluded::SKILL_FILE => name.into(),
        inner => format!("{name}/{inner}").into(),
    }
}

/// Writes without a scan, or with it.
impl SkillContext<'_, '_> {
    fn write_scanned(
        &mut self,
        action: Action,
        plan: &Plan,
        real: &Spot,
        old: Option<&Old>,
        text: &str,
    ) -> Result<(), Refusal> {
        if !self.rules().scan_on_write {
            return write(self.library, real, text).map_err(|error| failed("written", &error));
        }
        self.scan_and_write(action, &plan.skill, real, old, text)
    }
}
