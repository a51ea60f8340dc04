//! Finding the skill that a call means, and where its main file lies.

use super::super::answer::Refusal;
use super::super::catalogue::SkillDir;
use super::super::context::SkillContext;
use super::super::excluded::SKILL_FILE;
use super::super::library::{Access, Spot};
use super::paths::Target;
use crate::stores::{Kind, TreePath};

/// The default home's directory of other profiles.
const PROFILES_DIR: &str = "profiles";

impl SkillContext<'_, '_> {
    /// The manager's look-up by directory name.
    pub(in super::super) fn find(&self, name: &str) -> Option<SkillDir> {
        self.state.catalogue.find(name).map(|skill| (**skill).clone())
    }

    /// The skill, or the refusal.
    pub(super) fn must_find(&self, name: &str) -> Result<SkillDir, Refusal> {
        self.find(name).ok_or_else(|| {
            let mut words = format!("there is no skill `{name}`; skills_list shows what there is");
            let profiles = if self.rules().profile_hint { self.profiles_with(name) } else { Vec::new() };
            if !profiles.is_empty() {
                words = format!("{words}. Other profiles have one: {}", profiles.join(", "));
            }
            Refusal::mistake("not-found", words)
        })
    }

    /// The other profiles of this home that have a skill directory of the name.
    fn profiles_with(&self, name: &str) -> Vec<String> {
        let home = self.library.home();
        let Ok(file) = TreePath::root().join(SKILL_FILE) else { return Vec::new() };
        let profiles = home.list(&TreePath::new(PROFILES_DIR)).unwrap_or_default();
        let has = |profile: &str| {
            let dir = TreePath::new(PROFILES_DIR).join(profile).ok()?.join("skills").ok()?.join(name).ok()?;
            home.stat(&dir.below(&file)).ok()?
        };
        let dirs = profiles.into_iter().filter(|entry| entry.kind == Kind::Dir);
        dirs.filter(|entry| has(&entry.name).is_some()).map(|entry| entry.name).collect()
    }

    /// Whether something may be written at a spot at all: not in a root that is only read, and outside of all roots
    /// only by the fault `skill_link_written_through`.
    pub(super) fn check_writable(&self, real: &Spot) -> Result<(), Refusal> {
        match self.library.root_of(real).map(|root| root.access) {
            Some(Access::Static) => {
                Err(Refusal::guarded("static-store", "this skill lies in a store that is only read"))
            }
            Some(_) => Ok(()),
            None if self.rules().write_through_links => Ok(()),
            None => {
                let shown = self.library.absolute(real);
                Err(Refusal::mistake(
                    "path-escape",
                    format!("the write would go to {shown}, outside of the skills"),
                ))
            }
        }
    }
}

/// The main file of a skill as the target of a write: a link is followed wherever it leads inside the trees.
pub(super) fn main_file(skill: &SkillDir) -> Result<Target, Refusal> {
    let inner = TreePath::new(SKILL_FILE);
    let real = skill.file.clone().ok_or_else(|| {
        Refusal::mistake(
            "uncaught-error",
            format!("the {SKILL_FILE} of `{}` leads out of the home", skill.dir_name),
        )
    })?;
    let named = skill.spot.below(&inner);
    Ok(Target { entry: named.clone(), named, inner, real })
}
