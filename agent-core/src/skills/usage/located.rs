//! Where skills lie, for those who look at the library as a whole.

use std::sync::Arc;

use super::super::catalogue::SkillDir;
use super::names::Usage;

impl Usage<'_, '_> {
    /// The skills that count as the agent's own, in order of search; those reached over links left out.
    pub fn local_skills(&mut self) -> Vec<Arc<SkillDir>> {
        self.refresh();
        let all = self.state.catalogue.iter().filter(|skill| !skill.via_link && self.is_local(skill));
        all.map(Arc::clone).collect()
    }

    /// Whether the name is declared, but only outside the local roots.
    pub fn is_external_only(&mut self, name: &str) -> bool {
        self.local(name).is_none() && self.has_elsewhere(name)
    }

    /// All skills in all roots, in order of search; those reached over links included.
    pub fn all_skills(&mut self) -> Vec<Arc<SkillDir>> {
        self.refresh();
        self.state.catalogue.iter().map(Arc::clone).collect()
    }
}
