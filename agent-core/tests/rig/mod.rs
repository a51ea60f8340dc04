//! An agent in simulated time: a model and a world that are closures, one queue of what is due.
//!
//! It keeps the caller's half of the laws: every request and every run is answered exactly once, an aborted request at
//! once, and time never goes back. Equal instants come in the order in which they were queued.

use std::collections::BTreeMap;

use agent_core::machine::{
    Agent, AgentPlan, Event, ModelOutcome, ModelRequest, ToolAnswer, ToolOutcome, TurnEnd, Wish,
};
use agent_core::sessions::SessionStore;
use agent_core::stores::{Homes, MemFiles};
use agent_core::values::{
    AssistantText, CallId, Finish, Note, Reply, RunId, SessionName, SimDuration, SimTime, TimerId, ToolCall,
    Usage,
};

/// 2026-01-05T09:00:00Z.
pub(crate) const START: SimTime = SimTime::from_millis(1_767_603_600_000);

/// What the model does with a request.
pub(crate) struct Said {
    pub(crate) outcome: ModelOutcome,
    pub(crate) took: SimDuration,
    /// What happens while the answer is on its way.
    pub(crate) meanwhile: Vec<Event>,
}

/// What a tool of the world does with a call.
pub(crate) struct Worked {
    pub(crate) outcome: ToolOutcome,
    pub(crate) took: SimDuration,
}

type Model = Box<dyn FnMut(&ModelRequest) -> Said>;
type World = Box<dyn FnMut(&ToolCall) -> Worked>;

enum Due {
    Event(Event),
    Model(CallId),
    Tool(RunId),
    Timer(TimerId),
}

/// The agent and everything around it.
pub(crate) struct Rig {
    pub(crate) agent: Agent,
    pub(crate) home: MemFiles,
    pub(crate) workspace: MemFiles,
    pub(crate) store: SessionStore,
    pub(crate) now: SimTime,
    pub(crate) model: Model,
    pub(crate) world: World,
    pub(crate) notes: Vec<(SimTime, Note)>,
    /// The turns that ended, in order.
    pub(crate) ended: Vec<(SimTime, SessionName, TurnEnd)>,
    queue: BTreeMap<(SimTime, u64), Due>,
    queued: u64,
    calls: BTreeMap<CallId, (SimTime, ModelOutcome)>,
    runs: BTreeMap<RunId, ToolOutcome>,
}

impl Rig {
    /// An agent of this plan over an empty home. Its model says `ok`, its world answers `done`.
    pub(crate) fn new(plan: AgentPlan) -> Self {
        Self {
            agent: Agent::new(plan).expect("the plan's prompts are sound"),
            home: MemFiles::new("/home/agent/.hermes"),
            workspace: MemFiles::new("/work"),
            store: SessionStore::new(),
            now: START,
            model: Box::new(|_| Said::now(words("ok"))),
            world: Box::new(|_| Worked::now("done")),
            notes: Vec::new(),
            ended: Vec::new(),
            queue: BTreeMap::new(),
            queued: 0,
            calls: BTreeMap::new(),
            runs: BTreeMap::new(),
        }
    }

    /// Queues an event.
    pub(crate) fn at(&mut self, at: SimTime, event: Event) {
        self.push(at, Due::Event(event));
    }

    fn push(&mut self, at: SimTime, due: Due) {
        self.queued += 1;
        self.queue.insert((at.max(self.now), self.queued), due);
    }

    /// Takes what is due next; says whether there was anything.
    pub(crate) fn step(&mut self) -> bool {
        let Some(((at, _), due)) = self.queue.pop_first() else { return false };
        self.now = at;
        let event = match due {
            Due::Event(event) => Some(event),
            Due::Timer(timer) => Some(Event::TimerDue { timer }),
            Due::Model(call) => self.calls.remove(&call).map(|(asked, outcome)| Event::ModelDone {
                call,
                outcome,
                took: at.since(asked),
            }),
            Due::Tool(run) => self.runs.remove(&run).map(|outcome| Event::ToolDone { run, outcome }),
        };
        if let Some(event) = event {
            self.handle(event);
        }
        true
    }

    /// Takes everything that is due until the next thing is later than this.
    pub(crate) fn run_until(&mut self, until: SimTime) {
        while self.queue.first_key_value().is_some_and(|((at, _), _)| *at <= until) {
            self.step();
        }
        self.now = self.now.max(until);
    }

    /// Hands an event to the agent now.
    fn handle(&mut self, event: Event) {
        self.home.set_now(self.now);
        self.workspace.set_now(self.now);
        let mut wishes = Vec::new();
        let mut homes = Homes {
            own: &mut self.home,
            shared: Vec::new(),
            workspace: &mut self.workspace,
            sessions: &mut self.store,
        };
        self.agent.handle(self.now, event, &mut homes, &mut wishes);
        for wish in wishes {
            self.see_to(wish);
        }
    }

    fn see_to(&mut self, wish: Wish) {
        match wish {
            Wish::CallModel { call, request, timeout, .. } => {
                let Said { outcome, took, meanwhile } = (self.model)(&request);
                assert!(took <= timeout, "a driver ends a request at its time-out");
                let new = self.calls.insert(call, (self.now, outcome)).is_none();
                assert!(new, "each request has a number of its own");
                for event in meanwhile {
                    self.push(self.now, Due::Event(event));
                }
                self.push(self.now + took, Due::Model(call));
            }
            Wish::AbortModel { call } => {
                if let Some((_, outcome)) = self.calls.get_mut(&call) {
                    *outcome = ModelOutcome::Aborted { partial: String::new() };
                    self.push(self.now, Due::Model(call));
                }
            }
            Wish::RunTool { run, call, .. } => {
                let Worked { outcome, took } = (self.world)(&call);
                let new = self.runs.insert(run, outcome).is_none();
                assert!(new, "each run has a number of its own");
                self.push(self.now + took, Due::Tool(run));
            }
            Wish::StopTool { run } => {
                if let Some(outcome) = self.runs.get_mut(&run) {
                    *outcome = ToolOutcome::Stopped;
                    self.push(self.now, Due::Tool(run));
                }
            }
            Wish::SetTimer { timer, at } => self.push(at, Due::Timer(timer)),
            Wish::TurnDone { session, end } => self.ended.push((self.now, session, end)),
            Wish::Note(note) => self.notes.push((self.now, note)),
        }
    }
}

impl Said {
    /// This reply, a millisecond later.
    pub(crate) fn now(reply: Reply) -> Self {
        let took = SimDuration::from_millis(1);
        Self { outcome: ModelOutcome::Reply(reply), took, meanwhile: Vec::new() }
    }
}

impl Worked {
    /// This answer, at once.
    pub(crate) fn now(text: &str) -> Self {
        let outcome = ToolOutcome::Answered(ToolAnswer { text: text.to_owned() });
        Self { outcome, took: SimDuration::ZERO }
    }
}

/// A reply of words.
pub(crate) fn words(text: &str) -> Reply {
    let text = AssistantText { visible: text.into(), reasoning: None };
    Reply { text, calls: Vec::new(), finish: Finish::Stop, usage: Usage::default() }
}
