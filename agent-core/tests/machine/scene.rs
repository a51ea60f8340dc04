//! A scene: the rig with a model that plays scripts by role, a world of two tools, and a log that reads well.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use agent_core::behaviour::{Origin, Settings, Version};
use agent_core::machine::{
    AgentPlan, Command, Event, ModelFault, ModelOutcome, ModelRequest, ToolAnswer, ToolOutcome, TurnEnd,
};
use agent_core::stores::{TreePath, read_text};
use agent_core::values::{
    AgentObject, AssistantText, Chars, Fact, Finish, Message, NudgeEvent, NudgeKind, Parallel, Reply,
    ReviewEnd, Role, Seed, SessionName, SimDuration, SimTime, ToolCall, ToolOwner, ToolSpec, Usage,
};
use serde_json::{Value, json};

use crate::rig::{Rig, START, Said, Worked, words};

/// A request that the model got.
#[derive(Clone)]
pub(crate) struct Got {
    pub(crate) request: ModelRequest,
}

#[derive(Default)]
struct Script {
    answers: BTreeMap<Role, VecDeque<Said>>,
    got: Vec<Got>,
    serial: u64,
}

/// A scene in progress.
pub(crate) struct Scene {
    pub(crate) rig: Rig,
    script: Rc<RefCell<Script>>,
}

/// The settings of a version.
pub(crate) fn settings(version: Version) -> Settings {
    Settings::new(version)
}

/// The same with these keys changed.
pub(crate) fn with(version: Version, keys: &[(&str, Value)]) -> Settings {
    let mut settings = settings(version);
    for (key, value) in keys {
        settings.set(key, value.clone(), Origin::CommandLine).expect("a known key");
    }
    settings
}

/// A plan with two tools of the world: `terminal` runs alone, `probe` beside others. Their arguments say what they do.
pub(crate) fn plan(settings: Settings) -> AgentPlan {
    let tool = |name: &str, parallel| ToolSpec {
        name: name.into(),
        description: "A tool of the world.".into(),
        parameters: json!({"type": "object"}),
        parallel,
        owner: ToolOwner::World,
    };
    let mut plan = AgentPlan::new(settings, Seed(7));
    plan.world_tools = vec![tool("terminal", Parallel::Never), tool("probe", Parallel::Safe)];
    plan
}

impl Scene {
    pub(crate) fn new(settings: Settings) -> Self {
        Self::of(plan(settings))
    }

    pub(crate) fn of(plan: AgentPlan) -> Self {
        let script = Rc::new(RefCell::new(Script::default()));
        let mut rig = Rig::new(plan);
        let model = Rc::clone(&script);
        rig.model = Box::new(move |request| model.borrow_mut().answer(request));
        rig.world = Box::new(world);
        Self { rig, script }
    }

    /// What the model answers to the next requests of this role; after that it says `ok`.
    pub(crate) fn answers(&mut self, role: Role, answers: impl IntoIterator<Item = Said>) {
        self.script.borrow_mut().answers.entry(role).or_default().extend(answers);
    }

    /// Answers that nobody asked for.
    pub(crate) fn unasked(&self, role: Role) -> usize {
        self.script.borrow().answers.get(&role).map_or(0, VecDeque::len)
    }

    /// The requests of this role, in order.
    pub(crate) fn got(&self, role: Role) -> Vec<Got> {
        self.script.borrow().got.iter().filter(|got| got.request.role == role).cloned().collect()
    }

    /// Opens a session of a gateway on the kept object.
    pub(crate) fn open_kept(&mut self, session: &str) {
        self.open(session, AgentObject::Kept, "gateway");
    }

    pub(crate) fn open(&mut self, session: &str, object: AgentObject, source: &str) {
        let session = name(session);
        let command = Command::OpenSession { session, object, source: source.into(), history: Vec::new() };
        self.command(command);
    }

    pub(crate) fn command(&mut self, command: Command) {
        self.event(Event::Command(command));
    }

    /// An event now.
    pub(crate) fn event(&mut self, event: Event) {
        self.rig.at(self.rig.now, event);
    }

    /// An event so many milliseconds after the start.
    pub(crate) fn event_at(&mut self, millis: u64, event: Event) {
        self.rig.at(START + SimDuration::from_millis(millis), event);
    }

    pub(crate) fn say(&mut self, session: &str, text: &str) {
        self.event(user(session, text));
    }

    /// The user says something; everything that follows within a minute of the turn's end happens.
    pub(crate) fn turn(&mut self, session: &str, text: &str) -> TurnEnd {
        let end = self.turn_only(session, text);
        self.rest(60);
        end
    }

    /// The same, up to the turn's end.
    pub(crate) fn turn_only(&mut self, session: &str, text: &str) -> TurnEnd {
        let before = self.rig.ended.len();
        self.say(session, text);
        while !self.rig.ended[before..].iter().any(|(_, of, _)| of.as_str() == session) {
            assert!(self.rig.step(), "the turn never ends");
        }
        self.rig.ended.last().expect("just ended").2.clone()
    }

    /// So many seconds pass.
    pub(crate) fn rest(&mut self, seconds: u64) {
        self.rig.run_until(self.rig.now + SimDuration::from_secs(seconds));
    }

    /// The facts, in order.
    pub(crate) fn facts(&self) -> impl Iterator<Item = &Fact> {
        self.rig.notes.iter().map(|(_, note)| &note.fact)
    }

    /// How the reviews ended, in order.
    pub(crate) fn review_ends(&self) -> Vec<ReviewEnd> {
        self.facts()
            .filter_map(|fact| match fact {
                Fact::ReviewEnd { end, .. } => Some(end.clone()),
                _ => None,
            })
            .collect()
    }

    /// What became of the nudges of this kind, in order.
    pub(crate) fn nudges(&self, kind: NudgeKind) -> Vec<NudgeEvent> {
        self.facts()
            .filter_map(|fact| match fact {
                Fact::Nudge { which, event, .. } if *which == kind => Some(*event),
                _ => None,
            })
            .collect()
    }

    /// What the user was shown.
    pub(crate) fn notices(&self) -> Vec<String> {
        self.facts()
            .filter_map(|fact| match fact {
                Fact::Notice { text } => Some(text.to_string()),
                _ => None,
            })
            .collect()
    }

    /// The texts of tool results, in order.
    pub(crate) fn results(&self) -> Vec<String> {
        self.facts()
            .filter_map(|fact| match fact {
                Fact::ToolAnswer { text, .. } => Some(text.to_string()),
                _ => None,
            })
            .collect()
    }

    /// A file of the home; empty if there is none.
    pub(crate) fn home_text(&self, path: &str) -> String {
        read_text(&self.rig.home, &TreePath::new(path)).unwrap_or_default()
    }

    /// The counters of a session's agent object: memory, skills, user turns.
    pub(crate) fn counters(&self, session: &str) -> (i64, i64, i64) {
        let counters = self.rig.agent.counters(&name(session));
        (counters.turns_since_memory, counters.iters_since_skill, counters.user_turns)
    }

    /// What happened, one line a fact, with seconds since the start.
    pub(crate) fn log(&self) -> String {
        let line = |(at, note): &(SimTime, agent_core::values::Note)| {
            let line = line_of(&note.fact)?;
            Some(format!("{:>9} {} {line}", seconds(*at), note.place.role.as_str()))
        };
        self.rig.notes.iter().filter_map(line).collect::<Vec<_>>().join("\n")
    }
}

fn seconds(at: SimTime) -> String {
    format!("{:.3}", at.since(START).as_secs_f64())
}

fn line_of(fact: &Fact) -> Option<String> {
    Some(match fact {
        Fact::TurnStart { text } => format!("turn: {}", short(text)),
        Fact::TurnEnd { exit, api_calls, waited, wait_cause, answer, .. } => {
            let wait = if *waited > SimDuration::ZERO {
                format!(", waited {waited} for {wait_cause}")
            } else {
                String::new()
            };
            let answer = answer.as_ref().map_or_else(|| "no answer".to_owned(), |answer| short(answer));
            format!("turn ends: {exit}, {api_calls} calls{wait}: {answer}")
        }
        Fact::ModelAnswer { end, .. } => format!("model: {end:?}"),
        Fact::Retry { class, wait } => format!("retry after {class} in {}", wait.as_millis() / 1000),
        Fact::ToolCall { tool, segment, .. } => format!("calls {tool} in {segment}"),
        Fact::ToolAnswer { tool, end, .. } => {
            let kind = end.kind.as_deref().unwrap_or(if end.failed { "failed" } else { "good" });
            format!("{tool} answers: {kind}")
        }
        Fact::Nudge { which, event, why } => format!("nudge {which:?} {event:?}: {why}"),
        Fact::ReviewStart { .. } => "review starts".to_owned(),
        Fact::ReviewEnd { end, .. } => format!("review ends: {end:?}"),
        Fact::Write { store, action, end, .. } => format!("writes {store:?} {action}: {end:?}"),
        Fact::Compression { before, after, how, .. } => format!("compressed {before} to {after}: {how}"),
        Fact::Delegate { status, .. } => format!("child ends: {status}"),
        Fact::Interrupt => "interrupt".to_owned(),
        Fact::Steer { text } => format!("steer: {text}"),
        Fact::Notice { text } => format!("notice: {}", short(text)),
        Fact::SessionEnd { reason } => format!("session ends: {reason}"),
        _ => return None,
    })
}

fn short(text: &str) -> String {
    let line = text.replace('\n', " / ");
    if line.chars().count() <= 70 { line } else { line.chars().take(70).chain("…".chars()).collect() }
}

impl Script {
    fn answer(&mut self, request: &ModelRequest) -> Said {
        self.got.push(Got { request: request.clone() });
        let next = self.answers.get_mut(&request.role).and_then(VecDeque::pop_front);
        let mut said = next.unwrap_or_else(|| say("ok"));
        if let ModelOutcome::Reply(reply) = &mut said.outcome {
            for call in &mut reply.calls {
                self.serial += 1;
                call.id = format!("call_{}", self.serial).into();
            }
            if reply.usage == Usage::default() {
                let completion = Chars::of(&reply.text.visible).estimate_tokens();
                reply.usage =
                    Usage { prompt: size(request).estimate_tokens(), completion, ..Usage::default() };
            }
        }
        said
    }
}

fn size(request: &ModelRequest) -> Chars {
    let tools: Chars = request
        .tools
        .iter()
        .map(|tool| {
            Chars::of(&tool.name) + Chars::of(&tool.description) + Chars::of(&tool.parameters.to_string())
        })
        .sum();
    Chars::of(&request.system) + tools + request.messages.iter().map(|message| message.chars()).sum()
}

/// `{"out": text, "exit": code, "ms": duration}`; a text alone is returned as it is.
fn world(call: &ToolCall) -> Worked {
    let args: Value = serde_json::from_str(&call.arguments).expect("the loop sends valid JSON");
    let out = args["out"].as_str().unwrap_or("done");
    let text = match args["exit"].as_i64() {
        Some(code) => json!({"output": out, "exit_code": code}).to_string(),
        None => out.to_owned(),
    };
    let took = SimDuration::from_millis(args["ms"].as_u64().unwrap_or(400));
    Worked { outcome: ToolOutcome::Answered(ToolAnswer { text }), took }
}

pub(crate) fn name(session: &str) -> SessionName {
    SessionName::new(session)
}

pub(crate) fn user(session: &str, text: &str) -> Event {
    Event::UserMessage { session: name(session), text: text.to_owned() }
}

pub(crate) fn interrupt(session: &str) -> Event {
    Event::Interrupt { session: name(session) }
}

fn said(reply: Reply) -> Said {
    Said { took: SimDuration::from_secs(1), ..Said::now(reply) }
}

/// Words, after a second.
pub(crate) fn say(text: &str) -> Said {
    said(words(text))
}

/// Calls, after a second.
pub(crate) fn calls(calls: &[(&str, Value)]) -> Said {
    let calls: Vec<(&str, String)> = calls.iter().map(|(tool, args)| (*tool, args.to_string())).collect();
    raw_calls(&calls)
}

/// Calls whose arguments are any text.
pub(crate) fn raw_calls(calls: &[(&str, String)]) -> Said {
    let calls = calls.iter().map(|(tool, arguments)| ToolCall {
        id: "".into(),
        name: (*tool).into(),
        arguments: arguments.as_str().into(),
    });
    said(Reply { calls: calls.collect(), finish: Finish::ToolCalls, ..words("") })
}

/// One call.
pub(crate) fn call(tool: &str, args: Value) -> Said {
    calls(&[(tool, args)])
}

/// A failure with this status.
pub(crate) fn failed(status: u16, message: &str) -> Said {
    fault(ModelFault { status: Some(status), message: message.to_owned(), ..ModelFault::default() })
}

pub(crate) fn fault(fault: ModelFault) -> Said {
    Said { outcome: ModelOutcome::Failed(fault), ..say("") }
}

impl Said {
    /// The same after so many milliseconds.
    pub(crate) fn after(self, millis: u64) -> Self {
        Self { took: SimDuration::from_millis(millis), ..self }
    }

    /// The same with another finish.
    pub(crate) fn finish(mut self, finish: Finish) -> Self {
        if let ModelOutcome::Reply(reply) = &mut self.outcome {
            reply.finish = finish;
        }
        self
    }

    /// The same with words beside the calls.
    pub(crate) fn saying(mut self, text: &str) -> Self {
        if let ModelOutcome::Reply(reply) = &mut self.outcome {
            reply.text = AssistantText { visible: text.into(), reasoning: None };
        }
        self
    }

    /// The same with so many prompt tokens.
    pub(crate) fn tokens(mut self, prompt: u64) -> Self {
        if let ModelOutcome::Reply(reply) = &mut self.outcome {
            reply.usage.prompt = agent_core::values::Tokens(prompt);
        }
        self
    }

    /// The same while this happens.
    pub(crate) fn while_(mut self, event: Event) -> Self {
        self.meanwhile.push(event);
        self
    }
}

/// A skill's file.
pub(crate) fn skill(name: &str) -> String {
    format!("---\nname: {name}\ndescription: How to {name}.\n---\n\nDo it well.\n")
}

pub(crate) fn create_skill(name: &str) -> Said {
    call("skill_manage", json!({"action": "create", "name": name, "content": skill(name)}))
}

pub(crate) fn remember(text: &str) -> Said {
    call("memory", json!({"action": "add", "target": "memory", "content": text}))
}

/// The texts of a request's messages.
pub(crate) fn texts(request: &ModelRequest) -> Vec<String> {
    request.messages.iter().map(|message| message.text().to_owned()).collect()
}

/// The messages of a request as one comparable value.
pub(crate) fn messages(request: &ModelRequest) -> Vec<Arc<Message>> {
    request.messages.iter().cloned().collect()
}
