//! Generated work as it happens: sessions that are drawn when they are due, passing failures, corrections.

use std::sync::Arc;

use agent_core::values::{Draws, SimDuration};
use reports::trace::{Data, Kind};
use serde_json::Value as Json;

use super::driver::{Driver, Due, Owner};
use crate::families::TROUBLE;
use crate::scenario::{Begins, IfBusy, Turn};
use crate::work::{Stream, Task, Whose, Work};

/// A user who is not content says so after this time.
const CORRECTS_AFTER: SimDuration = SimDuration::from_secs(60);

/// What is still to come of a piece of work.
#[derive(Debug)]
pub(crate) struct Coming {
    work: Arc<Work>,
    arrivals: Stream,
    /// Sessions so far.
    sessions: u64,
}

impl Driver<'_> {
    /// The time of a piece of work begins.
    pub(super) fn start_work(&mut self, index: usize, work: &Arc<Work>) {
        let item = &self.input.scenario.timeline[index];
        let user = &self.users[item.user].name;
        let whose = Whose { user, work: &work.name };
        let (draws, start) = (Draws::new(self.input.seed), self.input.scenario.start);
        let arrivals = Stream::new(work.arrivals, draws, start, whose, item.at, work.until);
        self.works.insert(index, Coming { work: Arc::clone(work), arrivals, sessions: 0 });
        self.next_arrival(index);
    }

    fn next_arrival(&mut self, index: usize) {
        let next = self.works.get_mut(&index).and_then(|coming| coming.arrivals.next());
        match next {
            Some(at) => self.queue(self.at(at).max(self.now), Due::Arrival(index)),
            None => {
                self.works.remove(&index);
            }
        }
    }

    /// A session of generated work begins, and the one after it is drawn.
    pub(super) fn arrival(&mut self, index: usize) -> anyhow::Result<()> {
        let scenario = self.input.scenario;
        let user = scenario.timeline[index].user;
        let (Some(coming), Some(families)) = (self.works.get_mut(&index), &scenario.families) else {
            return Ok(());
        };
        coming.sessions += 1;
        let session = self.users[user].tasks.session(&coming.work, families, coming.sessions);
        self.open_session(user, &Arc::new(session))?;
        self.next_arrival(index);
        Ok(())
    }

    /// A task begins: passing failures that were drawn for it are going to happen.
    pub(super) fn task_begins(&mut self, owner: Owner, task: Option<&Task>) -> anyhow::Result<()> {
        match task {
            Some(task) if !task.trouble.is_empty() => self.trouble(owner, task, true),
            _ => Ok(()),
        }
    }

    /// A task is done: what did not happen to it happens to no other, and the user says what is not right.
    pub(super) fn task_done(&mut self, owner: Owner, task: Option<&Task>) -> anyhow::Result<()> {
        let Some(task) = task else { return Ok(()) };
        if !task.trouble.is_empty() {
            self.trouble(owner, task, false)?;
        }
        let name = self.open(owner).name.clone();
        let user = &mut self.users[owner.user];
        let owed = user.learning.as_mut().map(|learning| learning.owed(&name)).unwrap_or_default();
        let Some(families) = &self.input.scenario.families else { return Ok(()) };
        for id in owed.into_iter().rev() {
            let Some(text) = families.hazard(id).correction() else { continue };
            let task = Task { trouble: Vec::new(), corrects: Some(id.hazard), ..task.clone() };
            let turn = Turn {
                text: Arc::clone(text),
                files: Vec::new(),
                begins: Begins::After(CORRECTS_AFTER),
                interrupt: None,
                if_busy: IfBusy::Queue,
                when: None,
                task: Some(Arc::new(task)),
            };
            let session = self.open(owner);
            let next = session.next;
            if let Some(spec) = &mut session.spec {
                Arc::make_mut(spec).turns.insert(next, turn);
            }
        }
        Ok(())
    }

    fn trouble(&mut self, owner: Owner, task: &Task, comes: bool) -> anyhow::Result<()> {
        let Some(families) = &self.input.scenario.families else { return Ok(()) };
        let user = Arc::clone(&self.users[owner.user].name);
        let name = |hazard: &usize| {
            Json::from(format!("{user}/{}", families.list[task.family].hazards[*hazard].name))
        };
        let names: Vec<Json> = task.trouble.iter().map(name).collect();
        let before = self.world.fact(TROUBLE).and_then(Json::as_array).cloned().unwrap_or_default();
        let mut now: Vec<Json> = before.iter().filter(|known| !names.contains(known)).cloned().collect();
        if comes {
            now.extend(names);
        }
        if now == before {
            return Ok(());
        }
        let value = Json::from(now);
        self.world.set(&TROUBLE.into(), &value);
        let kind = Kind::Change { what: "fact".into(), target: TROUBLE.into(), value: Data(value) };
        self.recorder.of_user(self.now, &user, kind)
    }

    /// The events of lessons that came within reach or got lost since the last look at a user's home.
    pub(super) fn lessons_moved(&mut self, user: usize) -> anyhow::Result<()> {
        let user = &mut self.users[user];
        let Some(learning) = &mut user.learning else { return Ok(()) };
        for kind in learning.look(&user.home) {
            self.recorder.of_user(self.now, &user.name, kind)?;
        }
        Ok(())
    }
}
