//! Action `delete` (`spec/skills.md` §5).

use super::super::answer::{Fields, Refusal};
use super::super::catalogue::SkillDir;
use super::super::context::SkillContext;
use super::arguments::Arguments;
use super::plan::{Change, Plan};
use super::text_io::Old;
use crate::behaviour::ReviewDelete;
use crate::stores::is_dir;
use crate::text::trim;

impl SkillContext<'_, '_> {
    pub(super) fn plan_delete(&mut self, arguments: Arguments<'_>) -> Result<Plan, Refusal> {
        let name = arguments.name();
        let skill = self.must_find(name)?;
        self.guard(name, &skill)?;
        self.must_be_absorbed(arguments)?;
        let record = self.record_name(name, &skill.spot);
        if self.usage().stored(&record).is_some_and(super::super::usage::Record::is_pinned) {
            let why =
                format!("`{name}` is pinned; only the user can unpin it, and only then can it be deleted");
            return Err(Refusal::guarded("pinned", why));
        }
        let absorber = trim(arguments.text("absorbed_into").unwrap_or(""));
        self.check_absorber(name, absorber)?;
        self.check_writable(&skill.spot)?;
        if self.rules().delete_checks {
            self.check_deletable(&skill)?;
        }
        let old = skill.file.as_ref().and_then(|file| Old::read(self.library, file).ok());
        let old = old.map(|old| old.raw).unwrap_or_default();
        let archives = self.is_unattended() && self.rules().review_delete == ReviewDelete::Archive;
        let done = if archives { "archived" } else { "deleted" };
        let suffix =
            if absorber.is_empty() { String::new() } else { format!(", absorbed into `{absorber}`") };
        let mut reply = Fields::default().with("message", format!("Skill `{name}` {done}{suffix}."));
        let change = if archives {
            reply.add("_archived", true);
            Change::Archive { old }
        } else {
            Change::RemoveSkill { old }
        };
        Ok(Plan { name: name.to_owned(), skill: skill.spot, change, reply })
    }

    fn check_absorber(&self, name: &str, absorber: &str) -> Result<(), Refusal> {
        if absorber.is_empty() {
            return Ok(());
        }
        if absorber == name {
            let why = format!("`{name}` cannot be absorbed into itself");
            return Err(Refusal::mistake("absorbed-into-self", why));
        }
        if self.find(absorber).is_none() {
            let why = format!(
                "there is no skill `{absorber}` that could have absorbed `{name}`; create or name it first"
            );
            return Err(Refusal::mistake("absorbed-into-missing", why));
        }
        Ok(())
    }

    /// The directory must be a real one, strictly inside a root.
    fn check_deletable(&self, skill: &SkillDir) -> Result<(), Refusal> {
        let real_dir = is_dir(self.library.files(skill.spot.tree), &skill.spot.path);
        let is_root = self.library.roots().iter().any(|root| root.spot == skill.spot);
        let inside = self.library.root_of(&skill.spot).is_some();
        if real_dir && inside && !is_root {
            return Ok(());
        }
        let place = self.library.absolute(&skill.spot);
        Err(Refusal::mistake(
            "unsafe-delete",
            format!("{place} is no directory strictly inside a skill root"),
        ))
    }
}
