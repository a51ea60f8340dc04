//! Sessions and their turns: when the user speaks, interrupts, waits, leaves.

use std::collections::VecDeque;
use std::sync::Arc;

use agent_core::machine::{Command, Event};
use agent_core::stores::Content;
use agent_core::values::{Fact, Note, Role, SessionName};
use minijinja::Value;

use super::driver::{Driver, Due, Owner};
use super::files;
use super::user::{ActiveTurn, CallCounts, OpenSession, Workspace};
use crate::scenario::{Begins, IfBusy, Interrupt, Moment, Session, Surface, Turn};

impl Driver<'_> {
    /// A session begins.
    pub(super) fn open_session(&mut self, user: usize, session: &Arc<Session>) -> anyhow::Result<()> {
        let home = &mut self.users[user];
        if !session.keeps_workspace || home.workspaces.len() == 1 {
            home.workspaces.push(Workspace::new());
        }
        let workspace = home.workspaces.len() - 1;
        home.workspaces[workspace].open += 1;
        home.sessions.push(OpenSession {
            name: session.name.clone(),
            spec: Some(Arc::clone(session)),
            workspace,
            next: 0,
            coming: 0,
            active: None,
            held: VecDeque::new(),
            closed: false,
            answer: "".into(),
        });
        let owner = Owner { user, session: Some(home.sessions.len() - 1) };
        let command = Command::OpenSession {
            session: session.name.clone(),
            object: session.object,
            source: session.surface.as_str().into(),
            history: Vec::new(),
        };
        self.feed(owner, Event::Command(command))?;
        if let Some(stored) = &session.holds {
            let (session, stored) = (session.name.clone(), Arc::clone(stored));
            self.feed(owner, Event::Command(Command::HoldSession { session, stored }))?;
        }
        if matches!(session.surface, Surface::Cli { .. }) {
            self.poll_at_start(user)?;
        }
        self.schedule_next(owner);
        Ok(())
    }

    /// Whether the user says this at all, now that the time for it has come.
    fn is_said(&mut self, owner: Owner, turn: &Turn) -> anyhow::Result<bool> {
        let Some(when) = &turn.when else { return Ok(true) };
        let answer = Arc::clone(&self.open(owner).answer);
        let day = self.days.day_of(self.now);
        let seen = Value::from_pairs([("answer", Value::from(answer)), ("day", Value::from(day))]);
        Ok(when.holds(&seen)?)
    }

    /// What the user was answered.
    pub(super) fn heard(&mut self, user: usize, name: &SessionName, answer: Option<Arc<str>>) {
        let (Some(index), Some(answer)) = (self.users[user].session(name), answer) else { return };
        self.users[user].sessions[index].answer = answer;
    }

    /// The next turn comes at its own time, or so long after now. A turn that waits for the end of the one before is
    /// queued when that has come.
    fn schedule_next(&mut self, owner: Owner) {
        let session = self.open(owner);
        let (next, waits) = (session.next, session.active.is_some());
        let spec = self.spec_of(owner);
        let Some(turn) = spec.turns.get(next) else { return };
        let at = match turn.begins {
            Begins::At(span) => self.at(span).max(self.now),
            Begins::After(_) if waits => return,
            Begins::After(span) => self.now + span,
        };
        let session = self.open(owner);
        session.next += 1;
        session.coming += 1;
        self.queue(at, Due::Turn(owner, next));
    }

    /// A turn comes: at once if the session is free, else as the turn says.
    pub(super) fn turn(&mut self, owner: Owner, turn: usize) -> anyhow::Result<()> {
        let spec = self.spec_of(owner);
        let spec = &spec.turns[turn];
        self.open(owner).coming -= 1;
        if !self.is_said(owner, spec)? {
            self.schedule_next(owner);
            self.queue(self.now, Due::Close(owner));
            return Ok(());
        }
        let session = self.open(owner);
        if session.active.is_none() {
            return self.begin_turn(owner, turn);
        }
        let session = session.name.clone();
        match spec.if_busy {
            IfBusy::Queue => self.open(owner).held.push_back(turn),
            IfBusy::Interrupt => {
                self.open(owner).held.push_back(turn);
                self.feed(owner, Event::Interrupt { session })?;
            }
            IfBusy::Steer => {
                self.drop_files(owner, turn)?;
                self.feed(owner, Event::Steer { session, text: spec.text.to_string() })?;
            }
        }
        self.schedule_next(owner);
        Ok(())
    }

    fn begin_turn(&mut self, owner: Owner, turn: usize) -> anyhow::Result<()> {
        let spec = self.spec_of(owner);
        let spec = &spec.turns[turn];
        self.drop_files(owner, turn)?;
        self.task_begins(owner, spec.task.as_deref())?;
        if let Some(Interrupt::After(span)) = spec.interrupt {
            self.queue(self.now + span, Due::Interrupt(owner, turn));
        }
        self.users[owner.user].last_activity = self.now;
        let session = self.open(owner);
        session.active = Some(ActiveTurn { turn, calls: CallCounts::default() });
        let name = session.name.clone();
        self.feed(owner, Event::UserMessage { session: name, text: spec.text.to_string() })?;
        self.schedule_next(owner);
        Ok(())
    }

    fn drop_files(&mut self, owner: Owner, turn: usize) -> anyhow::Result<()> {
        let spec = self.spec_of(owner);
        let spec = &spec.turns[turn];
        let user = &mut self.users[owner.user];
        let workspace = user.workspace_of(owner.session);
        let tree = &mut user.workspaces[workspace].files;
        tree.set_now(self.now);
        for (path, bytes) in &spec.files {
            files::put(tree, path, Content::bytes(Arc::clone(bytes)))?;
        }
        Ok(())
    }

    /// A turn ended: what was held comes now, then what waits for it; after the last one the session closes. A turn
    /// that the client opened, with results of delegated work, is none of the user's: it only kept the session open.
    pub(super) fn turn_done(
        &mut self,
        user: usize,
        name: &SessionName,
        by_client: bool,
    ) -> anyhow::Result<()> {
        let Some(index) = self.users[user].session(name) else { return Ok(()) };
        let owner = Owner { user, session: Some(index) };
        if by_client {
            self.queue(self.now, Due::Close(owner));
            return Ok(());
        }
        self.users[user].last_activity = self.now;
        if let Some(active) = self.open(owner).active.take() {
            let spec = self.spec_of(owner);
            self.task_done(owner, spec.turns[active.turn].task.as_deref())?;
        }
        let session = self.open(owner);
        if let Some(held) = session.held.pop_front() {
            session.coming += 1;
            self.queue(self.now, Due::Turn(owner, held));
        } else if session.coming == 0 {
            self.schedule_next(owner);
            self.queue(self.now, Due::Close(owner));
        }
        Ok(())
    }

    /// The session closes once nothing of it is left to come; a command line's process ends some time later.
    pub(super) fn close(&mut self, owner: Owner) -> anyhow::Result<()> {
        let user = &self.users[owner.user];
        let name = &user.sessions[owner.session.expect("a session closes")].name;
        let works = user.agent.is_busy(name) || user.agent.awaits_children(name);
        let session = self.open(owner);
        let goes_on = works || session.active.is_some() || session.coming > 0;
        if goes_on || std::mem::replace(&mut session.closed, true) {
            return Ok(());
        }
        let (workspace, surface) = (session.workspace, session.spec.take().map(|spec| spec.surface));
        self.users[owner.user].workspaces[workspace].open -= 1;
        let session = self.open(owner);
        let command = Command::CloseSession { session: session.name.clone(), reason: "done".into() };
        self.feed(owner, Event::Command(command))?;
        if let Some(Surface::Cli { exit }) = surface {
            self.queue(self.now + exit, Due::Exit(owner));
        }
        Ok(())
    }

    /// The process of a command line ends.
    pub(super) fn exit(&mut self, owner: Owner) -> anyhow::Result<()> {
        self.feed(owner, Event::Command(Command::ProcessExit))
    }

    /// The user interrupts, if that turn is still being worked on.
    pub(super) fn interrupt(&mut self, owner: Owner, turn: usize) -> anyhow::Result<()> {
        let session = self.open(owner);
        if session.active.as_ref().is_none_or(|active| active.turn != turn) {
            return Ok(());
        }
        let name = session.name.clone();
        self.feed(owner, Event::Interrupt { session: name })
    }

    /// Counts the calls of a turn, for interrupts at one of them.
    pub(super) fn watch(&mut self, user: usize, note: &Note) {
        if note.place.role != Role::Main {
            return;
        }
        let Some(name) = &note.place.session else { return };
        let Some(index) = self.users[user].session(name) else { return };
        let owner = Owner { user, session: Some(index) };
        let Some(active) = &mut self.open(owner).active else { return };
        let (turn, calls) = (active.turn, &mut active.calls);
        let (is_model, when, number) = match note.fact {
            Fact::ModelCall { .. } => (true, Moment::Started, count(&mut calls.model_started)),
            Fact::ModelAnswer { .. } => (true, Moment::Done, count(&mut calls.model_done)),
            Fact::ToolCall { .. } => (false, Moment::Started, count(&mut calls.tool_started)),
            Fact::ToolAnswer { .. } => (false, Moment::Done, count(&mut calls.tool_done)),
            _ => return,
        };
        let here = if is_model {
            Interrupt::ModelCall { number, when }
        } else {
            Interrupt::ToolCall { number, when }
        };
        if self.spec_of(owner).turns[turn].interrupt == Some(here) {
            self.queue(self.now, Due::Interrupt(owner, turn));
        }
    }

    pub(super) fn open(&mut self, owner: Owner) -> &mut OpenSession {
        let session = owner.session.expect("turns belong to a session");
        &mut self.users[owner.user].sessions[session]
    }

    /// What happens in a session that is not closed.
    pub(super) fn spec_of(&mut self, owner: Owner) -> Arc<Session> {
        let spec = self.open(owner).spec.as_ref();
        Arc::clone(spec.expect("nothing of a session is due once it is closed"))
    }
}

fn count(counter: &mut u32) -> u32 {
    *counter += 1;
    *counter
}
