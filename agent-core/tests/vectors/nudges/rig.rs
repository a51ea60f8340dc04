//! An agent with a scripted model, driven one turn at a time.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use agent_core::behaviour::{Origin, Settings, Version};
use agent_core::machine::{
    Agent, AgentPlan, Command, Event, ModelFault, ModelOutcome, ModelRequest, ToolAnswer, ToolHook,
    ToolOutcome, TurnEnd, Wish,
};
use agent_core::sessions::SessionStore;
use agent_core::stores::{Homes, MemFiles};
use agent_core::values::{
    AgentObject, AssistantText, CallId, Fact, Finish, Message, Reply, Role, Seed, SessionName, SimDuration,
    SimTime, TimerId, ToolCall, Usage,
};
use serde_json::{Value, json};

/// What a blocked call's arguments contain.
const BLOCKED: &str = "BLOCKED";

pub(super) struct Rig {
    agent: Agent,
    home: MemFiles,
    workspace: MemFiles,
    sessions: SessionStore,
    now: SimTime,
    timers: BTreeMap<(SimTime, u64), TimerId>,
    events: u64,
    session: SessionName,
    named: u64,
    /// Numbers that make arguments differ.
    serial: u64,
    pub(super) turns: usize,
}

/// The turn in progress.
struct Turn<'a> {
    responses: VecDeque<&'a Value>,
    requests: u64,
    interrupt: Option<(&'a str, u64)>,
    compress: Vec<u64>,
    review: &'static str,
    end: Option<TurnEnd>,
    calls: VecDeque<(CallId, ModelRequest)>,
    aborted: Vec<CallId>,
}

impl Rig {
    pub(super) fn new(case: &Value) -> Self {
        let version = match case["profile"].as_str().expect("a profile") {
            "0.13" => Version::V0_13,
            "0.16" => Version::V0_16,
            "0.19" => Version::V0_19,
            "main-2026-09" => Version::September2026,
            other => panic!("unknown profile {other}"),
        };
        let config = &case["config"];
        let is = |key: &str, fallback| config[key].as_bool().unwrap_or(fallback);
        let mut settings = Settings::new(version);
        let mut set =
            |key: &str, value: Value| settings.set(key, value, Origin::CommandLine).expect("a known key");
        set("memory.nudge_interval", config["memory_interval"].clone());
        set("skills.creation_nudge_interval", config["skill_interval"].clone());
        set("agent.max_turns", json!(config["max_iterations"].as_i64().unwrap_or(30)));
        set("memory.memory_enabled", json!(is("memory_store", true)));
        set("memory.user_profile_enabled", json!(is("memory_store", true)));
        set("tool_loop_guardrails.hard_stop_enabled", json!(is("hard_stop", false)));
        if let Some(enabled) = config["review_enabled"].as_bool() {
            set("auxiliary.background_review.enabled", json!(enabled));
        }
        let mut plan = AgentPlan::new(settings, Seed(7));
        plan.skip_reviews = is("skip_background_review", false);
        if !is("memory_tool", true) {
            plan.withheld_tools.push("memory".to_owned());
        }
        if !is("skill_tool", true) {
            plan.withheld_tools.extend(["skill_manage", "skills_list"].map(str::to_owned));
        }
        plan.hooks = ["memory", "skill_manage"]
            .map(|tool| ToolHook {
                tool: tool.to_owned(),
                contains: BLOCKED.to_owned(),
                refusal: "a hook refused this call".to_owned(),
            })
            .into();
        let mut rig = Self {
            agent: Agent::new(plan).expect("no prompt is replaced"),
            home: MemFiles::new("/home/agent/.hermes"),
            workspace: MemFiles::new("/work"),
            sessions: SessionStore::new(),
            now: SimTime::from_millis(1_767_603_600_000),
            timers: BTreeMap::new(),
            events: 0,
            session: SessionName::new("s0"),
            named: 0,
            serial: 0,
            turns: 0,
        };
        let count = |key: &str| case[key].as_u64().unwrap_or(0);
        rig.open(count("resume_prior_assistant_only"), count("resume_prior_user_turns"));
        rig
    }

    /// Opens a new session on the same object, with a history of so many exchanges.
    fn open(&mut self, assistants: u64, pairs: u64) {
        self.session = SessionName::new(format!("s{}", self.named));
        self.named += 1;
        let mut history: Vec<Message> =
            (0..assistants).map(|n| Message::assistant(format!("earlier {n}"))).collect();
        for n in 0..pairs {
            history.push(Message::user(format!("question {n}")));
            history.push(Message::assistant(format!("answer {n}")));
        }
        let session = self.session.clone();
        let command = Command::OpenSession {
            session,
            object: AgentObject::Kept,
            source: Arc::from("gateway"),
            history,
        };
        let mut turn = Turn::empty();
        self.handle(Event::Command(command), &mut turn);
    }

    /// Plays a turn and tells what it did.
    pub(super) fn play(&mut self, script: &Value) -> Value {
        self.turns += 1;
        match &script["before_turn"] {
            Value::String(word) if word == "new_session" => self.open(0, 0),
            Value::Object(map) => {
                self.open(0, map["resume_session_with_user_turns"].as_u64().expect("a number"));
            }
            _ => {}
        }
        let interrupt = script.get("interrupt").map(|interrupt| {
            (interrupt["when"].as_str().expect("a word"), interrupt["n"].as_u64().unwrap_or(0))
        });
        let numbers = script["compress_before_call"].as_array();
        let mut turn = Turn {
            responses: script["responses"].as_array().expect("a list").iter().collect(),
            interrupt,
            compress: numbers.into_iter().flatten().filter_map(Value::as_u64).collect(),
            ..Turn::empty()
        };
        if let Some(("before_first", _)) = turn.interrupt {
            self.handle(Event::Interrupt { session: self.session.clone() }, &mut turn);
        }
        if turn.compress.contains(&1) {
            self.compress(&mut turn);
        }
        let (session, text) = (self.session.clone(), format!("please do {}", self.turns));
        self.handle(Event::UserMessage { session, text }, &mut turn);
        while turn.end.is_none() || !turn.calls.is_empty() {
            self.step(&mut turn);
        }
        let end = turn.end.take().expect("the loop above waits for it");
        super::seen(turn.review, self.agent.counters(&self.session), &end)
    }

    fn compress(&mut self, turn: &mut Turn<'_>) {
        self.handle(Event::Command(Command::Compress { session: self.session.clone() }), turn);
    }

    /// Answers the oldest request, or lets the next timer come.
    fn step(&mut self, turn: &mut Turn<'_>) {
        if let Some((call, request)) = turn.calls.pop_front() {
            return self.answer(call, &request, turn);
        }
        let ((at, _), timer) = self.timers.pop_first().expect("a turn that waits has a timer");
        self.now = at;
        self.handle(Event::TimerDue { timer }, turn);
    }

    fn answer(&mut self, call: CallId, request: &ModelRequest, turn: &mut Turn<'_>) {
        let is_loop = request.role == Role::Main && !request.tools.is_empty();
        if !is_loop {
            // Reviews and the closing summary are stubbed, as they were in the reference's runs.
            let outcome = ModelOutcome::Reply(reply("a summary", None, Vec::new(), Finish::Stop));
            return self.done(call, outcome, turn);
        }
        turn.requests += 1;
        let number = turn.requests;
        let response =
            turn.responses.pop_front().unwrap_or_else(|| panic!("request {number} has no response"));
        if turn.compress.contains(&(number + 1)) {
            self.compress(turn);
        }
        match turn.interrupt {
            Some(("after_response", n)) if n == number => {
                self.handle(Event::Interrupt { session: self.session.clone() }, turn);
            }
            Some(("during_call", n)) if n == number => {
                self.handle(Event::Interrupt { session: self.session.clone() }, turn);
                while !turn.aborted.contains(&call) {
                    let ((at, _), timer) = self.timers.pop_first().expect("the interrupt is looked at");
                    self.now = at;
                    self.handle(Event::TimerDue { timer }, turn);
                }
                return self.done(call, ModelOutcome::Aborted { partial: String::new() }, turn);
            }
            _ => {}
        }
        let outcome = self.outcome(response);
        self.done(call, outcome, turn);
    }

    fn done(&mut self, call: CallId, outcome: ModelOutcome, turn: &mut Turn<'_>) {
        self.handle(Event::ModelDone { call, outcome, took: SimDuration::ZERO }, turn);
    }

    fn handle(&mut self, event: Event, turn: &mut Turn<'_>) {
        self.home.set_now(self.now);
        let mut wishes = Vec::new();
        let mut homes = Homes {
            own: &mut self.home,
            shared: Vec::new(),
            workspace: &mut self.workspace,
            sessions: &mut self.sessions,
        };
        self.agent.handle(self.now, event, &mut homes, &mut wishes);
        for wish in wishes {
            match wish {
                Wish::CallModel { call, request, .. } => turn.calls.push_back((call, request)),
                Wish::AbortModel { call } => turn.aborted.push(call),
                Wish::SetTimer { timer, at } => {
                    self.events += 1;
                    self.timers.insert((at, self.events), timer);
                }
                Wish::TurnDone { end, .. } => turn.end = Some(end),
                Wish::RunTool { run, call, .. } => {
                    let outcome = ToolOutcome::Answered(ToolAnswer { text: world(&call) });
                    self.handle(Event::ToolDone { run, outcome }, turn);
                }
                Wish::StopTool { .. } => {}
                Wish::Note(note) => {
                    if let Fact::ReviewStart { cause, .. } = note.fact {
                        turn.review = match (cause.memory, cause.skills) {
                            (true, true) => "combined",
                            (true, false) => "memory",
                            _ => "skill",
                        };
                    }
                }
            }
        }
    }

    /// The model's answer for a response of the case.
    fn outcome(&mut self, response: &Value) -> ModelOutcome {
        let mut call = |name: &str, arguments: String| {
            self.serial += 1;
            vec![ToolCall {
                id: format!("call_{}", self.serial).into(),
                name: name.into(),
                arguments: arguments.into(),
            }]
        };
        let whole = match response["kind"].as_str().expect("a kind") {
            "text" => reply("final words", None, Vec::new(), Finish::Stop),
            "empty" => reply("", None, Vec::new(), Finish::Stop),
            "thinking" => reply("", Some("let me think"), Vec::new(), Finish::Stop),
            "length" => reply("the first half", None, Vec::new(), Finish::Length),
            "content_filter" => reply("", None, Vec::new(), Finish::ContentFilter),
            "bad_json" => reply("", None, call("todo", r#"{"todos": [oops]}"#.to_owned()), Finish::ToolCalls),
            "truncated_json" => {
                reply("", None, call("todo", r#"{"todos": [{"id": "1"#.to_owned()), Finish::ToolCalls)
            }
            "unknown_tool" => reply("", None, call("qqxzzy", "{}".to_owned()), Finish::ToolCalls),
            "api_error" => {
                let message = "something went wrong".to_owned();
                return ModelOutcome::Failed(ModelFault { message, ..ModelFault::default() });
            }
            "tools" => {
                let words = response["content"].as_str().unwrap_or("");
                let calls =
                    response["calls"].as_array().expect("calls").iter().map(|call| self.call(call)).collect();
                reply(words, None, calls, Finish::ToolCalls)
            }
            other => panic!("unknown response {other}"),
        };
        ModelOutcome::Reply(whole)
    }

    /// A call `tool:outcome`, with arguments that make the real tool do that.
    fn call(&mut self, call: &Value) -> ToolCall {
        let (tool, outcome) = call.as_str().and_then(|call| call.split_once(':')).expect("tool:outcome");
        self.serial += 1;
        let n = self.serial;
        let (name, arguments) = match (tool, outcome) {
            ("unknown", _) => ("qqxzzy", json!({})),
            (tool, "nonobject") => (tool, json!([n])),
            (tool, "blocked") => (tool, json!({"action": "add", "content": format!("{BLOCKED} {n}")})),
            ("memory", "ok") => {
                ("memory", json!({"action": "add", "target": "memory", "content": format!("f{n}")}))
            }
            ("memory", "fail") => {
                ("memory", json!({"action": "remove", "target": "memory", "old_text": format!("none {n}")}))
            }
            ("memory", "fail_same") => {
                ("memory", json!({"action": "remove", "target": "memory", "old_text": "none"}))
            }
            ("skill_manage", "ok") => {
                let content = format!("---\nname: s-{n}\ndescription: A skill.\n---\nDo it.\n");
                ("skill_manage", json!({"action": "create", "name": format!("s-{n}"), "content": content}))
            }
            ("skill_manage", "fail") => {
                ("skill_manage", json!({"action": "delete", "name": format!("none-{n}")}))
            }
            ("skill_manage", "fail_same") => ("skill_manage", json!({"action": "delete", "name": "none"})),
            ("skills_list", "ok") => ("skills_list", json!({"category": format!("c{n}")})),
            ("todo", "ok") => {
                ("todo", json!({"todos": [{"id": n.to_string(), "content": "x", "status": "pending"}]}))
            }
            other => panic!("unknown call {other:?}"),
        };
        ToolCall {
            id: format!("call_{n}").into(),
            name: name.into(),
            arguments: arguments.to_string().into(),
        }
    }
}

impl Turn<'_> {
    fn empty() -> Self {
        Self {
            responses: VecDeque::new(),
            requests: 0,
            interrupt: None,
            compress: Vec::new(),
            review: "none",
            end: None,
            calls: VecDeque::new(),
            aborted: Vec::new(),
        }
    }
}

fn reply(words: &str, reasoning: Option<&str>, calls: Vec<ToolCall>, finish: Finish) -> Reply {
    let text = AssistantText { visible: words.into(), reasoning: reasoning.map(Arc::from) };
    Reply { text, calls, finish, usage: Usage::default() }
}

fn world(call: &ToolCall) -> String {
    panic!("the cases use tools of the home only, found {}", call.name)
}
