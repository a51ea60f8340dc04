//! Laws of the machine, for any order of events: nothing panics, every request and run is accounted for once, every
//! request is well formed, and the same events give the same wishes.

use std::collections::{BTreeMap, BTreeSet};

use agent_core::behaviour::{Origin, Settings, Version};
use agent_core::machine::{
    Agent, CallerIdle, Command, Event, ModelFault, ModelOutcome, ModelRequest, ServerPlan, ToolAnswer,
    ToolOutcome, Wish,
};
use agent_core::sessions::SessionStore;
use agent_core::stores::{Homes, MemFiles};
use agent_core::values::{
    AgentObject, AssistantText, CallId, Fact, Finish, Message, Reply, Role, RunId, SimDuration, SimTime,
    TimerId, Tokens, ToolCall, Usage,
};
use proptest::prelude::*;
use serde_json::json;

use crate::rig::START;
use crate::scene;

/// What may happen next; the numbers pick among what is outstanding, or name something that never was.
#[derive(Clone, Debug)]
enum Step {
    User(u8),
    Interrupt(u8),
    Steer(u8),
    Model(u8, u8),
    Tool(u8, u8),
    Timer(u8),
    Wait(u16),
    Command(u8, u8),
    Poll,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0..3_u8).prop_map(Step::User),
        1 => (0..4_u8).prop_map(Step::Interrupt),
        1 => (0..4_u8).prop_map(Step::Steer),
        10 => (any::<u8>(), any::<u8>()).prop_map(|(pick, kind)| Step::Model(pick, kind)),
        4 => (any::<u8>(), 0..3_u8).prop_map(|(pick, kind)| Step::Tool(pick, kind)),
        8 => any::<u8>().prop_map(Step::Timer),
        2 => (0..30_000_u16).prop_map(Step::Wait),
        2 => (0..10_u8, 0..3_u8).prop_map(|(kind, session)| Step::Command(kind, session)),
        1 => Just(Step::Poll),
    ]
}

#[derive(Clone, Debug)]
struct Setup {
    version: Version,
    faults: bool,
    managed: bool,
    steps: Vec<Step>,
}

fn setup() -> impl Strategy<Value = Setup> {
    let versions = proptest::sample::select(Version::ALL.to_vec());
    let steps = proptest::collection::vec(step(), 1..90);
    (versions, any::<bool>(), any::<bool>(), steps).prop_map(|(version, faults, managed, steps)| Setup {
        version,
        faults,
        managed,
        steps,
    })
}

/// The agent with everything that is outstanding.
struct Chaos {
    agent: Agent,
    home: MemFiles,
    workspace: MemFiles,
    store: SessionStore,
    now: SimTime,
    calls: Vec<CallId>,
    runs: Vec<RunId>,
    timers: BTreeMap<TimerId, SimTime>,
    serial: u64,
    asked: BTreeSet<CallId>,
    answered: BTreeMap<CallId, u32>,
    tool_calls: BTreeSet<String>,
    tool_answers: Vec<String>,
    trail: Vec<String>,
}

impl Chaos {
    fn new(setup: &Setup) -> Self {
        let mut settings = Settings::new(setup.version);
        if !setup.faults {
            settings.faults_off(&Origin::CommandLine);
        }
        for (key, value) in [
            ("memory.nudge_interval", json!(2)),
            ("skills.creation_nudge_interval", json!(3)),
            ("agent.max_turns", json!(4)),
            ("delegation.max_spawn_depth", json!(2)),
            ("delegation.child_timeout_seconds", json!(40)),
            ("model.context_tokens", json!(9000)),
            ("compression.hygiene_hard_message_limit", json!(12)),
            ("compression.protect_last_n", json!(3)),
            ("tool_loop_guardrails.hard_stop_enabled", json!(true)),
            ("sessions.auto_title", json!(true)),
        ] {
            settings.set(key, value, Origin::CommandLine).expect("a known key");
        }
        let mut plan = scene::plan(settings);
        plan.server = ServerPlan { managed: setup.managed, slots: u32::from(setup.managed) };
        Self {
            agent: Agent::new(plan).expect("a sound plan"),
            home: MemFiles::new("/home/agent/.hermes"),
            workspace: MemFiles::new("/work"),
            store: SessionStore::new(),
            now: START,
            calls: Vec::new(),
            runs: Vec::new(),
            timers: BTreeMap::new(),
            serial: 0,
            asked: BTreeSet::new(),
            answered: BTreeMap::new(),
            tool_calls: BTreeSet::new(),
            tool_answers: Vec::new(),
            trail: Vec::new(),
        }
    }

    fn feed(&mut self, event: Event) {
        self.home.set_now(self.now);
        let mut wishes = Vec::new();
        let mut homes = Homes {
            own: &mut self.home,
            shared: Vec::new(),
            workspace: &mut self.workspace,
            sessions: &mut self.store,
        };
        self.agent.handle(self.now, event, &mut homes, &mut wishes);
        for wish in wishes {
            self.trail.push(format!("{} {wish:?}", self.now.as_millis()));
            self.take(wish);
        }
    }

    fn take(&mut self, wish: Wish) {
        match wish {
            Wish::CallModel { call, request, .. } => {
                assert!(self.asked.insert(call), "a request's number comes once");
                well_formed(&request);
                self.calls.push(call);
            }
            Wish::RunTool { run, call, .. } => {
                serde_json::from_str::<serde_json::Value>(&call.arguments).expect("runs get valid JSON");
                self.runs.push(run);
            }
            Wish::SetTimer { timer, at } => {
                assert!(self.timers.insert(timer, at.max(self.now)).is_none(), "a timer's number comes once");
            }
            Wish::Note(note) => match note.fact {
                Fact::ModelAnswer { call, .. } => *self.answered.entry(call).or_default() += 1,
                Fact::ToolCall { id, .. } if note.place.role == Role::Main => {
                    self.tool_calls.insert(id.to_string());
                }
                Fact::ToolAnswer { id, .. } if note.place.role == Role::Main => {
                    self.tool_answers.push(id.to_string());
                }
                _ => {}
            },
            Wish::AbortModel { .. } | Wish::StopTool { .. } | Wish::TurnDone { .. } => {}
        }
    }

    fn play(&mut self, step: &Step) {
        let session = |number: u8| scene::name(&format!("s{number}"));
        match *step {
            Step::User(number) => {
                self.feed(Event::UserMessage { session: session(number), text: format!("do {number}") });
            }
            Step::Interrupt(number) => self.feed(Event::Interrupt { session: session(number) }),
            Step::Steer(number) => {
                self.feed(Event::Steer { session: session(number), text: "be quick".to_owned() });
            }
            Step::Model(pick, kind) => {
                let call = picked(&mut self.calls, pick).unwrap_or(CallId(9999));
                let outcome = self.outcome(kind);
                self.feed(Event::ModelDone { call, outcome, took: SimDuration::from_millis(7) });
            }
            Step::Tool(pick, kind) => {
                let run = picked(&mut self.runs, pick).unwrap_or(RunId(9999));
                let outcome = match kind {
                    0 => ToolOutcome::Answered(ToolAnswer { text: "done".to_owned() }),
                    1 => ToolOutcome::TimedOut,
                    _ => ToolOutcome::Stopped,
                };
                self.feed(Event::ToolDone { run, outcome });
            }
            Step::Timer(pick) => self.timer(pick),
            Step::Wait(millis) => self.now = self.now + SimDuration::from_millis(u64::from(millis)),
            Step::Command(kind, number) => self.command(kind, number),
            Step::Poll => self.feed(Event::CuratorPoll { idle: CallerIdle::Endless }),
        }
    }

    /// A timer comes, in any order but never before its time.
    fn timer(&mut self, pick: u8) {
        let known: Vec<TimerId> = self.timers.keys().copied().collect();
        let timer = known.get(usize::from(pick) % known.len().max(1)).copied().unwrap_or(TimerId(9999));
        if let Some(at) = self.timers.remove(&timer) {
            self.now = self.now.max(at);
        }
        self.feed(Event::TimerDue { timer });
    }

    fn command(&mut self, kind: u8, number: u8) {
        let session = scene::name(&format!("s{number}"));
        self.feed(Event::Command(match kind {
            0 => Command::OpenSession {
                session,
                object: if number == 0 { AgentObject::Kept } else { AgentObject::Fresh },
                source: if number == 1 { "cli".into() } else { "gateway".into() },
                history: vec![Message::user("before"), Message::assistant("yes")],
            },
            1 => Command::CloseSession { session, reason: "done".into() },
            2 => Command::ProcessExit,
            3 => Command::Compress { session },
            4 => Command::Refine { session, focus: "the tests".to_owned() },
            5 => Command::ServerBusy { busy: number > 0 },
            6 => Command::Set { key: "memory.nudge_interval".to_owned(), value: number.into() },
            7 => Command::Set { key: "delegation.background".to_owned(), value: (number > 0).into() },
            8 => Command::Approve { subsystem: "memory".into(), which: "all".into() },
            _ => Command::Flush,
        }));
    }

    fn outcome(&mut self, kind: u8) -> ModelOutcome {
        let transport = kind.is_multiple_of(2);
        let fault = |status, message: &str| {
            let message = message.to_owned();
            ModelOutcome::Failed(ModelFault { status, message, transport, ..ModelFault::default() })
        };
        match kind % 24 {
            0 => fault(None, "connection reset"),
            1 => fault(Some(429), "slow down"),
            2 => fault(Some(401), "who are you"),
            3 => fault(Some(400), "maximum context length exceeded"),
            4 => ModelOutcome::Cut { partial: "half of".to_owned(), usage: Usage::default() },
            5 => ModelOutcome::Cut { partial: String::new(), usage: Usage::default() },
            6 => ModelOutcome::Aborted { partial: "so f".to_owned() },
            7 => self.reply("", None, &[], Finish::Stop),
            8 => self.reply("", Some("hmm"), &[], Finish::Stop),
            9 => self.reply("the first part", None, &[], Finish::Length),
            10 => self.reply("", None, &[("terminal", "{\"out\": ")], Finish::Length),
            11 => self.reply("", None, &[], Finish::ContentFilter),
            12 => self.reply("", None, &[("terminal", "{\"out\": [oops]}")], Finish::ToolCalls),
            13 => self.reply("", None, &[("qqxzzy", "{}"), ("", "")], Finish::ToolCalls),
            14 => self.reply("", None, &[("memory", "[1]"), ("todo", TODO)], Finish::ToolCalls),
            15 => self.reply(
                "",
                None,
                &[("probe", "{}"), ("probe", "{\"a\": 1}"), ("terminal", "{}")],
                Finish::ToolCalls,
            ),
            16 => self.reply("", None, &[("delegate_task", TASKS)], Finish::ToolCalls),
            17 => self.reply("I note it.", None, &[("memory", FACT)], Finish::ToolCalls),
            18 => self.reply(
                "",
                None,
                &[("skill_manage", SKILL), ("skill_view", "{\"name\": \"x\"}")],
                Finish::ToolCalls,
            ),
            19 => self.reply("", None, &[("session_search", "{\"query\": \"do\"}")], Finish::ToolCalls),
            20 => self.reply(
                "",
                None,
                &[("write_file", "{\"path\": \"a\", \"content\": \"x\"}")],
                Finish::ToolCalls,
            ),
            _ => self.reply("That is all.", None, &[], Finish::Stop),
        }
    }

    fn reply(
        &mut self,
        words: &str,
        thought: Option<&str>,
        calls: &[(&str, &str)],
        finish: Finish,
    ) -> ModelOutcome {
        let calls = calls.iter().map(|(name, arguments)| {
            self.serial += 1;
            ToolCall {
                id: format!("call_{}", self.serial).into(),
                name: (*name).into(),
                arguments: (*arguments).into(),
            }
        });
        let calls = calls.collect();
        let text = AssistantText { visible: words.into(), reasoning: thought.map(Into::into) };
        let usage = Usage { prompt: Tokens(self.serial * 300), ..Usage::default() };
        ModelOutcome::Reply(Reply { text, calls, finish, usage })
    }

    /// Everything outstanding is answered until nothing is left to do.
    fn drain(&mut self) {
        for _ in 0..2000 {
            if let Some(call) = self.calls.pop() {
                let outcome = self.reply("That is all.", None, &[], Finish::Stop);
                self.feed(Event::ModelDone { call, outcome, took: SimDuration::ZERO });
            } else if let Some(run) = self.runs.pop() {
                self.feed(Event::ToolDone { run, outcome: ToolOutcome::Stopped });
            } else if let Some((timer, at)) =
                self.timers.iter().map(|(timer, at)| (*timer, *at)).min_by_key(|(timer, at)| (*at, *timer))
            {
                self.timers.remove(&timer);
                self.now = self.now.max(at);
                self.feed(Event::TimerDue { timer });
            } else {
                return;
            }
        }
        panic!("the agent never comes to rest");
    }
}

const TODO: &str = "{\"todos\": [{\"id\": \"1\", \"content\": \"look\", \"status\": \"pending\"}]}";
const TASKS: &str =
    "{\"tasks\": [{\"goal\": \"find it\", \"role\": \"orchestrator\"}, {\"goal\": \"count them\"}]}";
const FACT: &str = "{\"action\": \"add\", \"target\": \"user\", \"content\": \"likes tea\"}";
const SKILL: &str =
    "{\"action\": \"create\", \"name\": \"x\", \"content\": \"---\\nname: x\\ndescription: y\\n---\\nz\\n\"}";

fn picked<T: Copy>(list: &mut Vec<T>, pick: u8) -> Option<T> {
    // Now and then an answer comes for something that nobody asked.
    let known = !list.is_empty() && pick != 255;
    known.then(|| list.remove(usize::from(pick) % list.len()))
}

/// Every result follows its call, every call has its result before anything else is said.
fn well_formed(request: &ModelRequest) {
    let mut open: BTreeSet<String> = BTreeSet::new();
    for message in request.messages.iter() {
        if let Message::Tool { call, .. } = &**message {
            assert!(open.remove(&**call), "a result without its call, {request:#?}");
        } else {
            assert!(open.is_empty(), "calls without results, {request:#?}");
            open.extend(message.calls().iter().map(|call| call.id.to_string()));
        }
    }
    assert!(open.is_empty(), "a request in the midst of a round, {request:#?}");
}

fn run(setup: &Setup) -> Chaos {
    let mut chaos = Chaos::new(setup);
    for step in &setup.steps {
        chaos.play(step);
    }
    chaos.drain();
    chaos
}

proptest! {
    #[test]
    fn any_order_of_events_is_survived_and_accounted_for_and_repeats(setup in setup()) {
        let chaos = run(&setup);
        prop_assert!(chaos.agent.is_idle());
        for call in &chaos.asked {
            prop_assert_eq!(chaos.answered.get(call), Some(&1), "request {}", call);
        }
        prop_assert_eq!(chaos.answered.len(), chaos.asked.len());
        let mut answers = chaos.tool_answers.clone();
        answers.sort();
        answers.dedup();
        prop_assert_eq!(answers.len(), chaos.tool_answers.len(), "an answer came twice");
        prop_assert_eq!(answers, chaos.tool_calls.iter().cloned().collect::<Vec<_>>());
        prop_assert_eq!(run(&setup).trail, chaos.trail, "the same events give the same wishes");
    }
}
