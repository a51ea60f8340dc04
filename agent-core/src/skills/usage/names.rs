//! The book at work: mutators, eligibility, candidates (`spec/skill-usage.md` §3 and §4).

use serde_json::Value;

use super::super::catalogue::SkillDir;
use super::super::library::Library;
use super::super::state::LibraryState;
use super::record::{Counter, Record, SkillState};
use super::sources::{Provenance, read_suppressed};
use crate::behaviour::SkillRules;
use crate::values::Stamp;

/// The field that counts reads by reviews and passes, where they are no use.
const BACKGROUND_VIEWS: &str = "background_view_count";

/// Who loaded a skill outside the view tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsedBy {
    /// The user named it, or it was loaded before the first turn.
    User,
    /// A scheduled job.
    Job,
}

/// The book with what it needs to work: the library, its state, the rules and the time.
pub struct Usage<'u, 't> {
    pub(super) library: &'u mut Library<'t>,
    pub(super) state: &'u mut LibraryState,
    pub(super) rules: &'u SkillRules,
    pub(super) at: Stamp,
}

impl<'u, 't> Usage<'u, 't> {
    /// What a person should know of a sidecar file whose records count as none.
    pub fn warning(&self) -> Option<String> {
        let why = self.state.book.damage()?;
        Some(format!("skills/.usage.json cannot be read and counts as empty: {why}"))
    }

    /// Opens the book at this time.
    pub fn new(
        library: &'u mut Library<'t>,
        state: &'u mut LibraryState,
        rules: &'u SkillRules,
        at: impl Into<Stamp>,
    ) -> Self {
        let mut usage = Self { library, state, rules, at: at.into() };
        usage.sync();
        usage
    }

    /// Takes notice of changes of the files from outside.
    pub fn sync(&mut self) {
        self.state.book.sync(self.library);
        self.state.sources.sync(self.library);
    }

    /// Writes changed records into the home; see [`LibraryState::flush`].
    pub fn flush(&mut self) {
        self.state.flush(self.library);
    }

    /// The library at work.
    pub fn library(&self) -> &Library<'t> {
        self.library
    }

    /// The stored record of a skill, if there is one.
    pub fn stored(&self, name: &str) -> Option<&Record> {
        self.state.book.get(name)
    }

    /// The record of a skill with missing fields filled in. Nothing is stored.
    pub fn get(&self, name: &str) -> Record {
        let mut record = self.stored(name).cloned().unwrap_or_default();
        record.fill(self.at);
        record
    }

    /// Counts a view.
    pub fn view(&mut self, name: &str) {
        self.bump(name, Counter::View);
    }

    /// Counts a use.
    pub fn use_(&mut self, name: &str) {
        self.bump(name, Counter::Use);
    }

    /// Counts a change by the manager.
    pub fn patch(&mut self, name: &str) {
        self.bump(name, Counter::Patch);
    }

    /// What the view tool counts: a view and, by the rule, a use.
    pub fn count_view(&mut self, name: &str) {
        self.view(name);
        if self.rules.usage.view_counts_as_use && self.rules.usage.count_use {
            self.use_(name);
        }
    }

    /// What a read by a review or a pass counts where it is no use: nothing but itself, and only where there is a
    /// record already.
    pub fn count_background_view(&mut self, name: &str) {
        let known = self.stored(name).and_then(|record| record.get(BACKGROUND_VIEWS)).and_then(Value::as_u64);
        let (count, at) = (known.unwrap_or(0).saturating_add(1), self.at.to_string());
        if self.stored(name).is_some() {
            self.change(name, |record| {
                record.set(BACKGROUND_VIEWS, count);
                record.set("last_background_view_at", at);
                true
            });
        }
    }

    /// What a load outside the view tool counts: a use, by the rules.
    pub fn count_load(&mut self, name: &str, by: UsedBy) {
        let counts = self.rules.usage.count_use && (by == UsedBy::User || self.rules.usage.count_jobs);
        if counts {
            self.use_(name);
        }
    }

    fn bump(&mut self, name: &str, which: Counter) {
        let recorded = self.rules.usage.record_all || self.provenance(name) == Provenance::Agent;
        if recorded {
            let at = self.at;
            self.change(name, |record| record.bump(which, at));
        }
    }

    fn change(&mut self, name: &str, body: impl FnOnce(&mut Record) -> bool) {
        if self.rules.usage.sidecar {
            let at = self.at;
            self.state.book.change(name, || Record::fresh(at), body);
        }
    }

    fn change_eligible(&mut self, name: &str, body: impl FnOnce(&mut Record)) {
        if !name.is_empty() && self.is_eligible(name) {
            self.change(name, |record| {
                body(record);
                true
            });
        }
    }

    /// Marks a skill as made by the agent, so that the curator manages it.
    pub fn mark_agent_created(&mut self, name: &str) {
        self.change_eligible(name, |record| record.set("created_by", "agent"));
    }

    /// Starts a new skill's record: by the fault `dead_name_keeps_record` an older one under the name stays.
    pub fn begin_life(&mut self, name: &str) {
        if !self.rules.usage.keep_dead_record && self.stored(name).is_some() {
            let at = self.at;
            self.change_eligible(name, |record| *record = Record::fresh(at));
        }
    }

    /// Sets the state.
    pub fn set_state(&mut self, name: &str, state: SkillState) {
        let at = self.at;
        self.change_eligible(name, |record| record.set_state(state, at));
    }

    /// Pins or unpins.
    pub fn set_pinned(&mut self, name: &str, pinned: bool) {
        self.change_eligible(name, |record| record.set("pinned", pinned));
    }

    /// Removes the record.
    pub fn forget(&mut self, name: &str) {
        self.state.book.remove(name);
    }

    /// Stores a fresh record if there is none.
    pub fn seed(&mut self, name: &str) {
        if self.stored(name).is_none() {
            self.change_eligible(name, |_| {});
        }
    }

    /// Sets any field of a record, for tests and imports; eligibility is not asked for.
    pub fn set_field(&mut self, name: &str, key: &str, value: impl Into<Value>) {
        self.change(name, |record| {
            record.set(key, value);
            true
        });
    }

    /// Where a skill came from.
    pub fn provenance(&self, name: &str) -> Provenance {
        if self.is_hub(name) {
            Provenance::Hub
        } else if self.is_bundled(name) {
            Provenance::Bundled
        } else {
            Provenance::Agent
        }
    }

    /// Whether it is a hub skill.
    pub fn is_hub(&self, name: &str) -> bool {
        self.state.sources.is_hub(self.library, name)
    }

    /// Whether it came with the program.
    pub fn is_bundled(&self, name: &str) -> bool {
        self.state.sources.is_bundled(name)
    }

    /// Whether nothing unattended may touch it.
    pub fn is_protected(&self, name: &str) -> bool {
        self.rules.usage.protected.iter().any(|known| known == name)
    }

    /// Whether its record may carry a state, a pin or the marker.
    pub fn is_eligible(&mut self, name: &str) -> bool {
        if self.is_protected(name) || self.is_hub(name) {
            return false;
        }
        if self.is_bundled(name) {
            return self.rules.usage.prune_builtins;
        }
        self.local(name).is_some() || !self.has_elsewhere(name)
    }

    /// The skill of this declared name in a local root, external places left out.
    pub(super) fn local(&mut self, name: &str) -> Option<SkillDir> {
        self.refresh();
        let found = self.state.catalogue.declared(name).find(|skill| self.is_local(skill));
        found.map(|skill| (**skill).clone())
    }

    /// Whether the name is declared outside the local roots.
    pub(super) fn has_elsewhere(&mut self, name: &str) -> bool {
        self.refresh();
        self.rules.usage.external_known
            && self.state.catalogue.declared(name).any(|skill| !self.is_local(skill))
    }

    pub(super) fn refresh(&mut self) {
        self.state.catalogue.refresh(self.library, self.rules);
    }

    /// Whether a skill counts as the agent's own: in a local root, not below an external directory.
    pub(super) fn is_local(&self, skill: &SkillDir) -> bool {
        let local = self.library.roots().get(skill.root).is_some_and(|root| root.access.is_local());
        local && !(self.rules.usage.external_known && self.library.is_external(&skill.spot))
    }

    /// The curator's candidates: unique names, sorted by code point (`spec/skill-usage.md` §4).
    pub fn candidates(&mut self) -> Vec<String> {
        self.refresh();
        let mut names: Vec<String> = self
            .state
            .catalogue
            .iter()
            .filter(|skill| !skill.via_link && self.is_local(skill) && self.is_in_sight(skill))
            .filter(|skill| self.is_candidate(&skill.declared))
            .map(|skill| skill.declared.to_string())
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    fn is_candidate(&self, name: &str) -> bool {
        if self.is_hub(name) || self.is_protected(name) {
            return false;
        }
        if self.is_bundled(name) {
            return self.rules.usage.prune_builtins;
        }
        self.stored(name).is_some_and(Record::is_managed)
    }

    /// Whether the version's rule about dot directories at the top leaves it in sight.
    fn is_in_sight(&self, skill: &SkillDir) -> bool {
        if !self.rules.usage.skip_top_dot_dirs {
            return true;
        }
        let root = self.library.roots().get(skill.root);
        let below = root.and_then(|root| skill.spot.path.strip(&root.spot.path));
        !below.is_some_and(|path| path.as_str().starts_with('.'))
    }

    /// The names that the installer of bundled skills passes over, sorted.
    pub fn suppressed(&self) -> Vec<String> {
        read_suppressed(self.library).into_iter().collect()
    }
}
