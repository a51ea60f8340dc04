//! One user of a cell: the agent, its home, and what the driver must remember of both.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use agent_core::machine::{Agent, Event, ModelOutcome, ToolOutcome, Wish};
use agent_core::sessions::SessionStore;
use agent_core::stores::{Homes, MemFiles};
use agent_core::values::{CallId, Role, RunId, SessionName, SimDuration, SimTime, ToolList};

use super::keys::Keys;
use super::learning::Learning;
use super::notes::CallFacts;
use super::stores::{self, Store};
use super::survey::Survey;
use crate::scenario::Session;
use crate::work::Tasks;

/// The root of a home as prompts and results show it.
pub(crate) const HOME_ROOT: &str = "/home/agent/.hermes";

/// The root of a workspace as prompts and results show it.
pub(crate) const WORKSPACE_ROOT: &str = "/work";

/// One user.
pub(crate) struct User {
    pub(crate) name: Arc<str>,
    pub(crate) agent: Agent,
    pub(crate) home: MemFiles,
    pub(crate) store: SessionStore,
    /// Sessions in order of starting.
    pub(crate) sessions: Vec<OpenSession>,
    /// Working directories; the first belongs to no session and stays empty.
    pub(crate) workspaces: Vec<Workspace>,
    pub(crate) calls: BTreeMap<CallId, PendingCall>,
    pub(crate) runs: BTreeMap<RunId, ToolOutcome>,
    pub(crate) call_facts: BTreeMap<CallId, CallFacts>,
    pub(crate) keys: Keys,
    pub(crate) last_activity: SimTime,
    pub(crate) polls: Polled,
    pub(crate) survey: Survey,
    /// The tools of its main conversations, as the last request offered them.
    pub(crate) tools: Arc<ToolList>,
    /// Its generated tasks.
    pub(crate) tasks: Tasks,
    /// What it was taught, where the scenario has families.
    pub(crate) learning: Option<Learning>,
    /// What it does when it is told something, as indices into the timeline.
    pub(crate) reactions: Vec<usize>,
    /// The polls of the curator that come with each command line, as indices of items.
    pub(crate) start_polls: Vec<usize>,
}

/// Polls of the curator since the day began, and why the last one started nothing.
#[derive(Debug, Default)]
pub(crate) struct Polled {
    pub(crate) today: u32,
    pub(crate) last_reason: &'static str,
}

impl Polled {
    /// Whether a poll that started nothing is worth a line: not the ordinary one that is not due, and not the same
    /// reason again and again.
    pub(crate) fn is_news(&mut self, reason: &'static str) -> bool {
        let last = std::mem::replace(&mut self.last_reason, reason);
        reason != "not due" && reason != last
    }
}

/// A session that has begun.
#[derive(Debug)]
pub(crate) struct OpenSession {
    pub(crate) name: SessionName,
    /// What happens in it; none once it is closed, so that ten thousand sessions do not pile up.
    pub(crate) spec: Option<Arc<Session>>,
    pub(crate) workspace: usize,
    /// The turn that has not come yet, as an index into the item's turns.
    pub(crate) next: usize,
    /// Turns that wait in the queue.
    pub(crate) coming: usize,
    /// The turn that is being worked on.
    pub(crate) active: Option<ActiveTurn>,
    /// Turns that came while another was being worked on.
    pub(crate) held: VecDeque<usize>,
    pub(crate) closed: bool,
    /// The last answer; empty before the first.
    pub(crate) answer: Arc<str>,
}

/// A turn that is being worked on: which, and how many calls began and ended.
#[derive(Debug, Default)]
pub(crate) struct ActiveTurn {
    pub(crate) turn: usize,
    pub(crate) calls: CallCounts,
}

/// Calls of a turn by kind and moment.
#[derive(Debug, Default)]
pub(crate) struct CallCounts {
    pub(crate) model_started: u32,
    pub(crate) model_done: u32,
    pub(crate) tool_started: u32,
    pub(crate) tool_done: u32,
}

/// A working directory, how many things that may still touch it wait in the queue, and how many sessions work in it.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) files: MemFiles,
    pub(crate) waiting: u32,
    pub(crate) open: u32,
}

impl Workspace {
    /// An empty working directory.
    pub(crate) fn new() -> Self {
        Self { files: MemFiles::new(WORKSPACE_ROOT), waiting: 0, open: 0 }
    }
}

/// A request on its way.
#[derive(Debug)]
pub(crate) struct PendingCall {
    pub(crate) asked: SimTime,
    pub(crate) role: Role,
    pub(crate) took: SimDuration,
    pub(crate) outcome: ModelOutcome,
}

impl User {
    /// Hands an event to the agent.
    pub(crate) fn handle(
        &mut self,
        now: SimTime,
        workspace: usize,
        event: Event,
        stores: &mut [Store],
        wishes: &mut Vec<Wish>,
    ) {
        self.home.set_now(now);
        stores::set_now(stores, now);
        let workspace = &mut self.workspaces[workspace].files;
        workspace.set_now(now);
        let shared = stores::roots(stores);
        let mut homes = Homes { own: &mut self.home, shared, workspace, sessions: &mut self.store };
        self.agent.handle(now, event, &mut homes, wishes);
    }

    /// The workspace of a session; that of no session is the first.
    pub(crate) fn workspace_of(&self, session: Option<usize>) -> usize {
        session.map_or(0, |session| self.sessions[session].workspace)
    }

    /// The latest session of this name.
    pub(crate) fn session(&self, name: &SessionName) -> Option<usize> {
        self.sessions.iter().rposition(|session| session.name == *name)
    }

    /// Forgets a working directory that nothing can touch any more.
    pub(crate) fn tidy(&mut self, workspace: usize) {
        let latest = self.workspaces.len() - 1;
        let Workspace { waiting, open, .. } = self.workspaces[workspace];
        if workspace != latest && waiting == 0 && open == 0 {
            self.workspaces[workspace] = Workspace::new();
        }
    }
}
