//! The driver: takes what is due, hands it to the agent of its user, and sees to what the agent wishes.
//!
//! One cell is one thread of events. The driver never looks at a clock: time moves to the next thing that is due.
//! Causes are kept: what an agent wishes while it handles something of a session belongs to that session, so that
//! its later events find that session's workspace.

use std::collections::BTreeMap;
use std::sync::Arc;

use agent_core::behaviour::{Behaviour, Settings};
use agent_core::machine::{Agent, AgentPlan, Event, Wish};
use anyhow::Context as _;

use agent_core::sessions::SessionStore;
use agent_core::skills::WriteBack;
use agent_core::stores::MemFiles;
use agent_core::values::{CallId, Draws, RunId, Seed, SimDuration, SimTime, TimerId};
use mock_llm::script::Script;
use reports::CellOutcome;
use reports::records::Records;
use reports::trace::Setting;

use super::days::DayClock;
use super::keys::Keys;
use super::learning::Learning;
use super::queue::Queue;
use super::recorder::Recorder;
use super::stores::{self, Store};
use super::survey::Survey;
use super::user::{HOME_ROOT, Polled, User, Workspace};
use super::work::Coming;
use crate::scenario::{Arm, Scenario};
use crate::transport::Transport;
use crate::work::Tasks;
use crate::world::WorldState;

/// A cell still busy so long after the last thing that its timeline holds is stuck.
const AFTERMATH_MAX: SimDuration = SimDuration::from_days(30);

/// The platform by which prompts and filters know the surface.
pub(crate) const PLATFORM: &str = "cli";

/// Something that is due.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Due {
    /// An item of the timeline, as its index.
    Item(usize),
    /// A poll of the curator, again and again.
    Poll(usize),
    /// A session of generated work, as the index of its item.
    Arrival(usize),
    /// What a user does who was told something, as the index of the item that says so.
    Reaction(usize),
    /// A turn of a session, as an index into its item's turns.
    Turn(Owner, usize),
    /// The user's interrupt of that turn.
    Interrupt(Owner, usize),
    /// The end of a session after its last turn.
    Close(Owner),
    /// The end of a command line's process.
    Exit(Owner),
    /// A model's answer.
    Model(Owner, CallId),
    /// A tool's answer.
    Tool(Owner, RunId),
    /// A timer of the agent.
    Timer(Owner, TimerId),
}

/// Whose something is: a user's, and of which of the user's sessions, if of any.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owner {
    pub(crate) user: usize,
    pub(crate) session: Option<usize>,
}

/// What a cell is simulated from.
pub(crate) struct CellInput<'a> {
    /// The scenario.
    pub(crate) scenario: &'a Scenario,
    /// One of its arms.
    pub(crate) arm: &'a Arm,
    /// The arm's settings, with the command line's on top.
    pub(crate) settings: &'a Settings,
    /// What fixes its chance.
    pub(crate) seed: Seed,
    /// Digest of all that the cell's results depend on.
    pub(crate) digest: Arc<str>,
    /// What a sweep varies, with the values of this cell.
    pub(crate) varied: Vec<Setting>,
}

/// The simulation of one cell.
pub(crate) struct Driver<'a> {
    pub(crate) input: CellInput<'a>,
    pub(crate) now: SimTime,
    pub(crate) queue: Queue<Due>,
    pub(crate) users: Vec<User>,
    pub(crate) stores: Vec<Store>,
    pub(crate) world: WorldState,
    pub(crate) transport: &'a mut dyn Transport,
    pub(crate) recorder: Recorder<'a>,
    pub(crate) days: DayClock,
    pub(crate) script: Arc<Script>,
    pub(crate) works: BTreeMap<usize, Coming>,
    wishes: Vec<Wish>,
    pub(crate) broken: Option<String>,
}

/// How the simulation of a cell ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// At its end.
    Finished,
    /// Earlier, for this reason: its results are incomplete.
    Broken(String),
    /// Because it was stopped.
    Stopped,
}

/// What a simulated cell leaves.
pub(crate) struct Ended {
    /// The homes of all users and then the stores beside them, for export.
    pub(crate) homes: Vec<(Arc<str>, MemFiles)>,
    /// The sessions of the users, in their order; a home gets them as a database when it is kept.
    pub(crate) sessions: Vec<SessionStore>,
    /// How it ended.
    pub(crate) ending: Ending,
    /// What was measured.
    pub(crate) records: Records,
}

impl<'a> Driver<'a> {
    /// A driver at the first instant of its cell.
    ///
    /// # Errors
    /// The scenario's settings ask for an agent that cannot be.
    pub(crate) fn new(
        input: CellInput<'a>,
        transport: &'a mut dyn Transport,
        recorder: Recorder<'a>,
    ) -> anyhow::Result<Self> {
        let start = input.scenario.start;
        let names = input.scenario.users.iter().enumerate();
        let users =
            names.map(|(index, name)| new_user(&input, index, name)).collect::<anyhow::Result<_>>()?;
        let stores = stores::open(input.scenario)?;
        let world = WorldState::new(&input.scenario.world);
        Ok(Self {
            now: start,
            queue: Queue::new(),
            users,
            stores,
            world,
            transport,
            recorder,
            days: DayClock::new(start),
            script: Arc::clone(input.scenario.script_of(input.arm)),
            works: BTreeMap::new(),
            wishes: Vec::new(),
            broken: None,
            input,
        })
    }

    /// Simulates the whole cell, or until `stop` says so.
    ///
    /// # Errors
    /// The trace cannot be written, or the transport broke.
    pub(crate) fn run(mut self, stop: &dyn Fn() -> bool) -> anyhow::Result<Ended> {
        self.recorder.start(&self.input)?;
        for user in 0..self.users.len() {
            self.lessons_moved(user)?;
        }
        for (index, item) in self.input.scenario.timeline.iter().enumerate() {
            self.queue.push(self.at(item.at), Due::Item(index));
        }
        let deadline = self.at(self.input.scenario.span()) + AFTERMATH_MAX;
        while let Some((at, due)) = self.queue.pop() {
            if at > deadline {
                self.broken = Some(format!("still busy {AFTERMATH_MAX} after the timeline's end"));
            }
            if stop() {
                return self.end(Ending::Stopped);
            }
            if self.broken.is_some() {
                break;
            }
            self.close_days(at)?;
            self.now = at;
            self.take(due)?;
        }
        match self.broken.take() {
            Some(reason) => self.end(Ending::Broken(reason)),
            None => {
                self.close_last_day()?;
                self.end(Ending::Finished)
            }
        }
    }

    fn end(mut self, ending: Ending) -> anyhow::Result<Ended> {
        let (outcome, reason) = match &ending {
            Ending::Finished => (CellOutcome::Finished, ""),
            Ending::Broken(reason) => (CellOutcome::Broken, &**reason),
            Ending::Stopped => (CellOutcome::Stopped, ""),
        };
        self.recorder.end(self.now, outcome, reason)?;
        let stores =
            self.stores.into_iter().map(|store| (format!("store.{}", store.name).into(), store.files));
        let (homes, sessions): (Vec<_>, Vec<_>) =
            self.users.into_iter().map(|user| ((user.name, user.home), user.store)).unzip();
        let homes = homes.into_iter().chain(stores).collect();
        Ok(Ended { homes, sessions, ending, records: self.recorder.finish()? })
    }

    /// The instant at this distance from the scenario's start.
    pub(crate) fn at(&self, span: SimDuration) -> SimTime {
        self.input.scenario.start + span
    }

    fn take(&mut self, due: Due) -> anyhow::Result<()> {
        if let Some(owner) = due.owner() {
            let user = &mut self.users[owner.user];
            let workspace = user.workspace_of(owner.session);
            user.workspaces[workspace].waiting -= 1;
            self.take_owned(due)?;
            self.users[owner.user].tidy(workspace);
            self.lessons_moved(owner.user)
        } else {
            let (Due::Item(item) | Due::Poll(item) | Due::Arrival(item) | Due::Reaction(item)) = due else {
                unreachable!("all else has an owner")
            };
            self.take_owned(due)?;
            self.lessons_moved(self.input.scenario.timeline[item].user)
        }
    }

    fn take_owned(&mut self, due: Due) -> anyhow::Result<()> {
        match due {
            Due::Item(index) => self.item(index),
            Due::Poll(index) => self.poll(index),
            Due::Arrival(index) => self.arrival(index),
            Due::Reaction(index) => self.react(index),
            Due::Turn(owner, turn) => self.turn(owner, turn),
            Due::Interrupt(owner, turn) => self.interrupt(owner, turn),
            Due::Close(owner) => self.close(owner),
            Due::Exit(owner) => self.exit(owner),
            Due::Model(owner, call) => self.model_done(owner, call),
            Due::Tool(owner, run) => self.tool_done(owner, run),
            Due::Timer(owner, timer) => self.feed(owner, Event::TimerDue { timer }),
        }
    }

    /// Queues something that belongs to a session (or to no session of a user).
    pub(crate) fn queue(&mut self, at: SimTime, due: Due) {
        if let Some(owner) = due.owner() {
            let user = &mut self.users[owner.user];
            let workspace = user.workspace_of(owner.session);
            user.workspaces[workspace].waiting += 1;
        }
        self.queue.push(at, due);
    }

    /// Hands an event to the agent and sees to its wishes.
    pub(crate) fn feed(&mut self, owner: Owner, event: Event) -> anyhow::Result<()> {
        let mut wishes = std::mem::take(&mut self.wishes);
        let user = &mut self.users[owner.user];
        let workspace = user.workspace_of(owner.session);
        user.handle(self.now, workspace, event, &mut self.stores, &mut wishes);
        self.learn(owner.user, &wishes);
        for wish in wishes.drain(..) {
            self.perform(owner, wish)?;
        }
        self.wishes = wishes;
        Ok(())
    }
}

impl Due {
    /// Whose it is; nobody's for what the timeline itself holds.
    fn owner(self) -> Option<Owner> {
        match self {
            Self::Item(_) | Self::Poll(_) | Self::Arrival(_) | Self::Reaction(_) => None,
            Self::Turn(owner, _)
            | Self::Interrupt(owner, _)
            | Self::Close(owner)
            | Self::Exit(owner)
            | Self::Model(owner, _)
            | Self::Tool(owner, _)
            | Self::Timer(owner, _) => Some(owner),
        }
    }
}

/// What a user is taught, where there are families.
fn learning(input: &CellInput<'_>) -> Option<Learning> {
    let (families, rates) = (input.scenario.families.as_ref()?, input.arm.rates.as_ref()?);
    let preset = &input.scenario.script_of(input.arm).preset;
    Some(Learning::new(families, rates, Draws::new(input.seed), preset))
}

fn new_user(input: &CellInput<'_>, index: usize, name: &Arc<str>) -> anyhow::Result<User> {
    let scenario = input.scenario;
    let mut plan = AgentPlan::new(input.settings.clone(), input.seed);
    plan.user = Arc::clone(name);
    plan.model = Arc::clone(&scenario.model);
    plan.server = scenario.server;
    plan.platform = PLATFORM.into();
    plan.prompts.clone_from(&input.arm.prompts);
    plan.world_tools = scenario.world.tools();
    plan.write_back = WriteBack::Later;
    let mut home = MemFiles::new(HOME_ROOT);
    home.set_now(scenario.start);
    for (path, content) in &scenario.home {
        super::files::put(&mut home, path, content.clone())
            .with_context(|| format!("the starting home cannot hold {path}"))?;
    }
    let mut user = User {
        name: Arc::clone(name),
        agent: Agent::new(plan)?,
        store: super::past::open(&home),
        home,
        sessions: Vec::new(),
        workspaces: vec![Workspace::new()],
        calls: BTreeMap::new(),
        runs: BTreeMap::new(),
        call_facts: BTreeMap::new(),
        keys: Keys::new(name),
        last_activity: scenario.start,
        polls: Polled::default(),
        survey: Survey::new(input.settings),
        tools: Arc::default(),
        tasks: Tasks::new(Draws::new(input.seed), name),
        learning: learning(input),
        reactions: Vec::new(),
        start_polls: Vec::new(),
    };
    let schema = Behaviour::resolve(input.settings).sessions.schema_version;
    super::past::store(scenario, index, &mut user, schema)?;
    Ok(user)
}
