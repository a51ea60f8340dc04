//! Performing what conversations ask for: requests, calls, timers, and the end of a turn.

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::Value;

use super::agent::{Agent, Cx, InFlight, Live, Object, Purpose, Serves, Timer};
use super::conversation::{Act, Ask, CallPlace};
use super::counters::Gates;
use super::dispatch::CallAnswer;
use super::event::Wish;
use super::request::{ModelOutcome, ModelRequest, ToolOutcome};
use crate::values::{
    CallId, ConversationId, Fact, HomeAnswer, Message, ModelEnd, NudgeEvent, NudgeKind, Role, RunId,
    SimDuration, Store, Tokens, ToolCall, ToolList, ToolOwner, Usage, WriteEnd,
};

/// How long a tool of the home takes (machine: time).
pub(super) const HOME_TOOL: SimDuration = SimDuration::from_millis(5);
/// How long a session's request and a world's tool may take before the driver gives up on them.
const MODEL_TIMEOUT: SimDuration = SimDuration::from_secs(600);
const TOOL_TIMEOUT: SimDuration = SimDuration::from_secs(600);

impl Agent {
    /// Performs a conversation's acts, in order, and those that they lead to.
    pub(super) fn drive(&mut self, cx: &mut Cx<'_, '_>, id: ConversationId, acts: Vec<Act>) {
        let mut queue: VecDeque<Act> = acts.into();
        while let Some(act) = queue.pop_front() {
            let mut next = Vec::new();
            self.perform(cx, id, act, &mut next);
            for act in next.into_iter().rev() {
                queue.push_front(act);
            }
        }
    }

    fn perform(&mut self, cx: &mut Cx<'_, '_>, id: ConversationId, act: Act, next: &mut Vec<Act>) {
        match act {
            Act::PassBegan { restarted } => self.with_nudges(id, |object, gates, rules| {
                object.nudges.begin_pass(gates, rules, restarted);
            }),
            Act::RoundBegan => {
                self.with_nudges(id, |object, gates, rules| object.nudges.begin_round(gates, rules));
            }
            Act::Ready => self.ready(cx, id, next),
            Act::Ask(ask) => self.ask_model(cx, id, ask),
            Act::Abort => {
                if let Some(call) = self.live.get(&id).and_then(|live| live.call) {
                    cx.wishes.push(Wish::AbortModel { call });
                }
            }
            Act::Dispatch { place, args } => self.dispatch(cx, id, place, &args),
            Act::Stop { place } => {
                let run = self.runs.iter().find(|(_, at)| **at == (id, place)).map(|(run, _)| *run);
                if let Some(run) = run {
                    cx.wishes.push(Wish::StopTool { run });
                }
            }
            Act::Arm { timer, at } => self.set_timer(cx, at, Timer::Loop(id, timer)),
            Act::CompressForced => {
                let rough = self.rough_tokens(id).unwrap_or_default();
                self.compress(cx, id, rough.0, true, next);
            }
            Act::Appended(message) => self.appended(cx, id, &message),
            // What is removed again was never stored.
            Act::Removed | Act::Amended => {}
            Act::Note(fact) => self.note(cx, id, fact),
            Act::Ended(exit) => match self.live.get(&id).map(|live| live.serves.clone()) {
                Some(Serves::Session(name)) => self.turn_ended(cx, &name, id, exit),
                Some(Serves::Review(review)) => self.review_ended(cx, review, id, &exit),
                Some(Serves::Curator) => self.consolidation_ended(cx, id, &exit),
                Some(Serves::Delegate(_)) => self.child_ended(cx, id, &exit),
                None => {}
            },
        }
    }

    /// Runs a change of the nudge counters, if the conversation moves any.
    pub(super) fn with_nudges(
        &mut self,
        id: ConversationId,
        change: impl FnOnce(&mut Object, Gates, &crate::behaviour::NudgeRules),
    ) {
        let Some(live) = self.live.get(&id).filter(|live| live.talk.charter.nudges) else { return };
        let tools = Arc::clone(&live.talk.charter.tools);
        let object = self.object_of(id).and_then(|object| self.objects.get_mut(&object));
        let Some(object) = object else { return };
        let gates = gates(&tools, object);
        change(object, gates, &self.rules.nudges);
    }

    /// A pass is ready for its request: compression first, if it is due.
    fn ready(&mut self, cx: &mut Cx<'_, '_>, id: ConversationId, next: &mut Vec<Act>) {
        let Some(rough) = self.rough_tokens(id) else { return };
        if self.compresses_now(cx, id, rough) {
            return self.compress(cx, id, rough.0, false, next);
        }
        if let Some(live) = self.live.get_mut(&id) {
            live.talk.ask(cx.at, next);
        }
    }

    /// The estimate of a conversation's next request, tools included.
    fn rough_tokens(&mut self, id: ConversationId) -> Option<Tokens> {
        let live = self.live.get_mut(&id)?;
        let charter = &live.talk.charter;
        Some(live.chain.chars(&charter.system, &charter.tools, &live.talk.transcript).estimate_tokens())
    }

    fn ask_model(&mut self, cx: &mut Cx<'_, '_>, id: ConversationId, ask: Ask) {
        let call = self.numbers.call();
        let Some(live) = self.live.get_mut(&id) else { return };
        let charter = &live.talk.charter;
        let tools = if ask.tools { Arc::clone(&charter.tools) } else { Arc::clone(&self.no_tools) };
        let model = match &live.serves {
            Serves::Review(review) => {
                self.reviews.model(*review).unwrap_or_else(|| Arc::clone(&self.plan.model))
            }
            Serves::Session(_) | Serves::Curator => Arc::clone(&self.plan.model),
            Serves::Delegate(kin) => Arc::clone(&kin.model),
        };
        let mut request = ModelRequest {
            role: charter.role,
            model,
            system: Arc::clone(&charter.system),
            tools,
            messages: live.talk.transcript.clone(),
            max_tokens: ask.max_tokens,
            cached: Tokens(0),
            retry: ask.attempt - 1,
        };
        request.cached = self.cache.serve(cx.at, &mut live.chain, &request, &self.loop_rules.cache);
        live.call = Some(call);
        let (messages, cached, role) = (request.messages.len(), request.cached, request.role);
        let flight = InFlight { place: self.place(id), cached, purpose: Purpose::Loop };
        self.calls.insert(call, flight);
        self.note(cx, id, Fact::ModelCall { call, attempt: ask.attempt, messages, shared: cached });
        let timeout = if role == Role::Review { self.rules.review.timeout } else { MODEL_TIMEOUT };
        cx.wishes.push(Wish::CallModel { call, conversation: id, request, timeout });
    }

    pub(super) fn model_done(
        &mut self,
        cx: &mut Cx<'_, '_>,
        call: CallId,
        mut outcome: ModelOutcome,
        took: SimDuration,
    ) {
        let Some(flight) = self.calls.remove(&call) else { return };
        let usage = settle(&mut outcome, &flight);
        let id = flight.place.conversation;
        let waits = self.live.get(&id).is_some_and(|live| match flight.purpose {
            Purpose::Loop => live.call == Some(call),
            Purpose::Compression => live.compressing.is_some(),
            Purpose::SearchSummary { search, .. } => self.searching.contains_key(&search),
            Purpose::Title => true,
        });
        let booked = self.book_usage(cx, &flight, usage);
        let end = if waits { model_end(&outcome) } else { ModelEnd::Late };
        Self::note_at(cx, flight.place, Fact::ModelAnswer { call, end, usage, took, booked });
        if !waits {
            return;
        }
        if flight.purpose != Purpose::Loop {
            return self.once_done(cx, id, flight.purpose, outcome);
        }
        let limits = super::pressure::limits(&self.rules.compression, self.loop_rules.context);
        let Some(live) = self.live.get_mut(&id) else { return };
        live.call = None;
        if usage.prompt > Tokens(0) {
            live.compression.used(usage.prompt.0, limits, &self.rules.compression);
        }
        let mut acts = Vec::new();
        live.talk.model_done(cx.at, outcome, &mut acts);
        self.drive(cx, id, acts);
    }

    /// Tokens are booked on the stored session that they were spent for. Says whether the rules have them booked.
    fn book_usage(&self, cx: &mut Cx<'_, '_>, flight: &InFlight, usage: Usage) -> bool {
        let booked = flight.place.role != Role::Review || self.rules.review.books_usage;
        if booked && let Some(stored) = self.stored_of(flight.place.conversation) {
            cx.homes.sessions.add_usage(stored.as_str(), usage);
        }
        booked
    }

    pub(super) fn tool_done(&mut self, cx: &mut Cx<'_, '_>, run: RunId, outcome: ToolOutcome) {
        let Some((id, place)) = self.runs.remove(&run) else { return };
        let answer = match outcome {
            ToolOutcome::Answered(answer) => CallAnswer::text(answer.text),
            ToolOutcome::TimedOut => CallAnswer {
                timed_out: true,
                kind: Some("timed-out".into()),
                ..CallAnswer::text(format!(
                    "Error: no answer after {TOOL_TIMEOUT}, the limit of one call; whether it took effect is not known."
                ))
            },
            ToolOutcome::Stopped => CallAnswer {
                stopped: true,
                kind: Some("stopped".into()),
                ..CallAnswer::text("Error: stopped; whether it took effect is not known.".to_owned())
            },
        };
        let stopped = answer.stopped;
        if !self.call_answered(cx, id, place, answer) && !stopped {
            let text = "A tool's answer came when nobody waited for it any more; it was dropped.";
            self.note(cx, id, Fact::Notice { text: text.into() });
        }
    }

    /// A call of the round begins: nudge counters first, then the tool (`spec/turn-loop.md` §6).
    fn dispatch(&mut self, cx: &mut Cx<'_, '_>, id: ConversationId, place: CallPlace, args: &Value) {
        let Some(live) = self.live.get(&id) else { return };
        let Some(call) = live.talk.call_at(place).cloned() else { return };
        let parallel = live.talk.is_parallel_call();
        let owner = live.talk.charter.tools.get(&call.name).map(|tool| tool.owner);
        self.with_nudges(id, |object, _, _| object.nudges.dispatched(&call.name));
        if owner == Some(ToolOwner::World) {
            let run = self.numbers.run();
            self.runs.insert(run, (id, place));
            let call = ToolCall { arguments: args.to_string().into(), ..call };
            cx.wishes.push(Wish::RunTool { run, conversation: id, call, timeout: TOOL_TIMEOUT });
            return;
        }
        let answer = self.run_home_tool(cx, (id, place), &call, args, parallel);
        let Some(answer) = answer else { return };
        for fact in &answer.facts {
            self.watch_write(cx, id, fact);
            self.note(cx, id, fact.clone());
        }
        self.follow_writes(cx, id, &answer);
        let answer = CallAnswer::of_home(answer);
        self.set_timer(cx, cx.at + HOME_TOOL, Timer::HomeAnswer { conversation: id, place, answer });
    }

    /// A successful memory write of the session itself may call a due memory nudge off.
    fn watch_write(&mut self, cx: &mut Cx<'_, '_>, id: ConversationId, fact: &Fact) {
        let Fact::Write { store: Store::Memory | Store::User, end: WriteEnd::Applied, .. } = fact else {
            return;
        };
        let mut dropped = false;
        self.with_nudges(id, |object, _, rules| dropped = object.nudges.wrote_memory(rules));
        if dropped {
            let why = "the turn itself wrote to memory".into();
            self.note(cx, id, Fact::Nudge { which: NudgeKind::Memory, event: NudgeEvent::Lost, why });
        }
    }

    fn appended(&mut self, cx: &mut Cx<'_, '_>, id: ConversationId, message: &Arc<Message>) {
        if let Some(Live { serves: Serves::Review(review), .. }) = self.live.get(&id) {
            self.reviews.said(*review, message);
        }
        let (role, synthetic) = match &**message {
            Message::User { synthetic, .. } => ("user", synthetic.is_some()),
            Message::Assistant { synthetic, .. } => ("assistant", synthetic.is_some()),
            // Results are recorded with their calls.
            Message::Tool { .. } => return self.store_message(cx, id, message),
        };
        let text: Arc<str> = message.text().into();
        if !text.is_empty() {
            self.note(cx, id, Fact::Message { role, synthetic, text });
        }
        self.store_message(cx, id, message);
    }
}

/// Which gates are open for an object with these tools (`spec/nudges.md` §1).
pub(super) fn gates(tools: &ToolList, object: &Object) -> Gates {
    Gates { memory: tools.has("memory") && object.memory.is_some(), skills: tools.has("skill_manage") }
}

impl CallAnswer {
    /// The answer of a tool of the home.
    pub(super) fn of_home(answer: HomeAnswer) -> Self {
        Self {
            text: answer.text.into(),
            kind: answer.kind,
            refused: answer.refused,
            timed_out: false,
            stopped: false,
        }
    }

    pub(super) fn text(text: String) -> Self {
        Self { text: text.into(), kind: None, refused: false, timed_out: false, stopped: false }
    }
}

/// Cached tokens follow the agent's own cache model, never above the prompt.
fn settle(outcome: &mut ModelOutcome, flight: &InFlight) -> Usage {
    match outcome {
        ModelOutcome::Reply(reply) => {
            reply.usage.cached = flight.cached.min(reply.usage.prompt);
            reply.usage
        }
        ModelOutcome::Cut { usage, .. } => {
            usage.cached = flight.cached.min(usage.prompt);
            *usage
        }
        ModelOutcome::Failed(_) | ModelOutcome::Aborted { .. } => Usage::default(),
    }
}

fn model_end(outcome: &ModelOutcome) -> ModelEnd {
    match outcome {
        ModelOutcome::Reply(reply) => ModelEnd::Reply(reply.finish),
        ModelOutcome::Cut { .. } => ModelEnd::Cut,
        ModelOutcome::Aborted { .. } => ModelEnd::Aborted,
        ModelOutcome::Failed(fault) => {
            let what = match fault.status {
                Some(status) => format!("{status} {}", fault.message),
                None => fault.message.clone(),
            };
            ModelEnd::Failed(what.into())
        }
    }
}
