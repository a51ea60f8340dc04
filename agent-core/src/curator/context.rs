//! What the curator works in, and what it remembers between calls.

use std::collections::BTreeSet;

use super::backup::{self, RollbackEnd, Shelf, Snapshot, SnapshotId};
use super::gate::Gate;
use super::jobs::JobSkills;
use super::schedule::Schedule;
use crate::behaviour::{Behaviour, CuratorRules};
use crate::skills::usage::Usage;
use crate::skills::{Library, LibraryState, WriteBack};
use crate::stores::{Files, TreePath};
use crate::values::Stamp;

/// What an agent remembers of its curator between calls.
#[derive(Clone, Debug, Default)]
pub struct CuratorState {
    /// What polls are answered from.
    pub gate: Gate,
    /// Snapshots that are not written yet.
    pub shelf: Shelf,
}

/// What the curator works in.
pub struct CuratorContext<'c, 't> {
    /// The trees with skills.
    pub library: &'c mut Library<'t>,
    /// What the agent remembers of them.
    pub skills: &'c mut LibraryState,
    /// What the agent remembers of its curator.
    pub state: &'c mut CuratorState,
    /// How the agent behaves.
    pub behaviour: &'c Behaviour,
    /// When.
    pub at: Stamp,
}

impl<'c, 't> CuratorContext<'c, 't> {
    /// The curator's rules.
    pub fn rules(&self) -> &'c CuratorRules {
        &self.behaviour.curator
    }

    /// The usage book at work.
    pub(super) fn usage(&mut self) -> Usage<'_, 't> {
        Usage::new(self.library, self.skills, &self.behaviour.skills, self.at)
    }

    /// The directory with skills and the curator's own files.
    pub(super) fn skills_dir(&self) -> TreePath {
        self.library.own().path.clone()
    }

    /// The skills that scheduled jobs name.
    pub(super) fn job_skills(&self) -> JobSkills {
        JobSkills::of(self.library.home())
    }

    /// The scheduler's state as the file has it.
    pub fn schedule(&self) -> Schedule {
        Schedule::read_lossy(self.library.home(), &self.skills_dir())
    }

    /// Writes something that concerns no skill: what is known of the library stays valid over it.
    pub(super) fn write<T>(&mut self, body: impl FnOnce(&mut dyn Files, &TreePath) -> T) -> T {
        let known = self.skills.catalogue.is_current(self.library);
        let skills = self.skills_dir();
        let done = body(self.library.home_mut(), &skills);
        if known {
            self.skills.catalogue.accept(self.library);
        }
        done
    }

    /// Changes the scheduler's state on top of what the file has; a failing write is passed over.
    pub(super) fn change_schedule(&mut self, body: impl FnOnce(&mut Schedule)) {
        self.write(|home, skills| Schedule::change(home, skills, body));
    }

    /// Writes usage records that are due, as at the end of a tool call.
    pub(super) fn flush_if_due(&mut self) {
        self.skills.flush_if_due(self.library);
    }

    /// Takes a snapshot of the library, usage records included; none where that is switched off or fails.
    pub fn snapshot(&mut self, reason: &str) -> Option<SnapshotId> {
        self.skills.flush(self.library);
        let (behaviour, at) = (self.behaviour, self.at);
        let known = self.skills.catalogue.is_current(self.library);
        let skills = self.skills_dir();
        let taken = backup::take(
            self.library.home_mut(),
            &mut self.state.shelf,
            &skills,
            &behaviour.curator.backup,
            behaviour.skills.excluded,
            (reason, at),
            &BTreeSet::new(),
        );
        if known {
            self.skills.catalogue.accept(self.library);
        }
        taken
    }

    /// Lets old snapshots go without taking a new one.
    pub(super) fn age_out_snapshots(&mut self) {
        let rules = &self.behaviour.curator.backup;
        let skills = self.skills_dir();
        let home = self.library.home_mut();
        backup::age_out(home, &mut self.state.shelf, &skills, rules, &BTreeSet::new());
    }

    /// The snapshots, newest first. Those that were only held in memory are written by it.
    pub fn snapshots(&mut self) -> Vec<Snapshot> {
        self.settle();
        backup::list(self.library.home(), &self.skills_dir())
    }

    /// Writes into the home what is held in memory for speed: usage records and snapshots. For an export, or before
    /// others look at the home.
    pub fn settle(&mut self) {
        self.skills.flush(self.library);
        let (rules, excluded) = (&self.behaviour.curator.backup, self.behaviour.skills.excluded);
        let skills = self.skills_dir();
        self.state.shelf.settle(self.library.home_mut(), &skills, rules, excluded);
    }

    /// Rolls the library back to a snapshot, or to the newest one.
    pub fn rollback(&mut self, id: Option<&str>) -> RollbackEnd {
        self.skills.flush(self.library);
        let (behaviour, at) = (self.behaviour, self.at);
        let skills = self.skills_dir();
        let end = backup::rollback(
            self.library.home_mut(),
            &mut self.state.shelf,
            &skills,
            &behaviour.curator.backup,
            behaviour.skills.excluded,
            (id, at),
        );
        if end.is_ok() {
            // Records, names and places are those of the snapshot now.
            let write_back: WriteBack = self.skills.write_back;
            *self.skills = LibraryState::new(write_back);
        }
        end
    }
}
