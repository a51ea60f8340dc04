//! A case played on the rig: its model replays the case's responses.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use agent_core::behaviour::{Origin, Settings, Version};
use agent_core::machine::{AgentPlan, Command, Event, ModelFault, ModelOutcome, ModelRequest, ToolHook};
use agent_core::values::{
    AgentObject, AssistantText, Fact, Finish, Message, Reply, Role, Seed, SessionName, SimDuration, ToolCall,
    Usage,
};
use serde_json::{Value, json};

use crate::rig::{Rig, Said, words};

/// What a blocked call's arguments contain.
const BLOCKED: &str = "BLOCKED";

/// A case in progress: the agent, and the turn that its model plays.
pub(super) struct Case {
    rig: Rig,
    session: SessionName,
    named: u64,
    script: Rc<RefCell<Script>>,
    pub(super) turns: usize,
}

/// What the model says in the turn in progress.
#[derive(Default)]
struct Script {
    session: Option<SessionName>,
    responses: VecDeque<Value>,
    requests: u64,
    interrupt: Option<(String, u64)>,
    compress: Vec<u64>,
    /// Numbers that make arguments differ.
    serial: u64,
}

impl Case {
    pub(super) fn new(case: &Value) -> Self {
        let script = Rc::new(RefCell::new(Script::default()));
        let mut rig = Rig::new(plan(case));
        let model = Rc::clone(&script);
        rig.model = Box::new(move |request| model.borrow_mut().answer(request));
        rig.world = Box::new(|call| panic!("the cases use tools of the home only, found {}", call.name));
        let mut this = Self { rig, session: SessionName::new("s0"), named: 0, script, turns: 0 };
        let count = |key: &str| case[key].as_u64().unwrap_or(0);
        this.open(count("resume_prior_assistant_only"), count("resume_prior_user_turns"));
        this
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
        let (session, source) = (self.session.clone(), Arc::from("gateway"));
        let command = Command::OpenSession { session, object: AgentObject::Kept, source, history };
        self.rig.at(self.rig.now, Event::Command(command));
    }

    /// Plays a turn and tells what it did.
    pub(super) fn play(&mut self, turn: &Value) -> Value {
        self.turns += 1;
        match &turn["before_turn"] {
            Value::String(word) if word == "new_session" => self.open(0, 0),
            Value::Object(map) => {
                self.open(0, map["resume_session_with_user_turns"].as_u64().expect("a number"));
            }
            _ => {}
        }
        let session = self.session.clone();
        self.script.borrow_mut().begin(&session, turn);
        let script = self.script.borrow();
        let before_first = script.interrupt.as_ref().is_some_and(|(when, _)| when == "before_first");
        let compress_first = script.compress.contains(&1);
        drop(script);
        if before_first {
            self.rig.at(self.rig.now, Event::Interrupt { session: session.clone() });
        }
        if compress_first {
            self.rig.at(self.rig.now, Event::Command(Command::Compress { session: session.clone() }));
        }
        let seen = self.rig.notes.len();
        let text = format!("please do {}", self.turns);
        self.rig.at(self.rig.now, Event::UserMessage { session, text });
        self.rig.run_until(self.rig.now + SimDuration::from_hours(1));
        let (_, _, end) = self.rig.ended.pop().expect("the turn ended");
        let review = self.rig.notes[seen..].iter().find_map(|(_, note)| review_of(&note.fact));
        super::seen(review.unwrap_or("none"), self.rig.agent.counters(&self.session), &end)
    }
}

fn plan(case: &Value) -> AgentPlan {
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
    let depth = config["delegation_depth"].as_u64().unwrap_or(0);
    plan.delegation_depth = u32::try_from(depth).expect("a small number");
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
    plan
}

fn review_of(fact: &Fact) -> Option<&'static str> {
    let Fact::ReviewStart { cause, .. } = fact else { return None };
    Some(match (cause.memory, cause.skills) {
        (true, true) => "combined",
        (true, false) => "memory",
        _ => "skill",
    })
}

impl Script {
    fn begin(&mut self, session: &SessionName, turn: &Value) {
        self.session = Some(session.clone());
        self.responses = turn["responses"].as_array().expect("a list").iter().cloned().collect();
        self.requests = 0;
        self.interrupt = turn.get("interrupt").map(|interrupt| {
            let when = interrupt["when"].as_str().expect("a word").to_owned();
            (when, interrupt["n"].as_u64().unwrap_or(0))
        });
        let numbers = turn["compress_before_call"].as_array();
        self.compress = numbers.into_iter().flatten().filter_map(Value::as_u64).collect();
    }

    fn answer(&mut self, request: &ModelRequest) -> Said {
        let is_loop = request.role == Role::Main && !request.tools.is_empty();
        if !is_loop {
            // Reviews and the closing summary are stubbed, as they were in the reference's runs.
            return Said::now(words("a summary"));
        }
        self.requests += 1;
        let number = self.requests;
        let response =
            self.responses.pop_front().unwrap_or_else(|| panic!("request {number} has no response"));
        let outcome = self.outcome(&response);
        let mut said = Said { outcome, took: SimDuration::from_millis(1), meanwhile: Vec::new() };
        let session = self.session.clone().expect("a turn is being played");
        if self.compress.contains(&(number + 1)) {
            said.meanwhile.push(Event::Command(Command::Compress { session: session.clone() }));
        }
        if let Some((when, n)) = &self.interrupt
            && *n == number
        {
            said.meanwhile.push(Event::Interrupt { session });
            if when == "during_call" {
                said.took = SimDuration::from_secs(60);
            }
        }
        said
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

fn reply(words: &str, reasoning: Option<&str>, calls: Vec<ToolCall>, finish: Finish) -> Reply {
    let text = AssistantText { visible: words.into(), reasoning: reasoning.map(Arc::from) };
    Reply { text, calls, finish, usage: Usage::default() }
}
