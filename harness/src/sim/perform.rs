//! What an agent wishes, done: model calls, runs of the world's tools, timers, notes.
//!
//! Model and world are asked at once and their answers wait in the queue until their simulated time has come. A run's
//! effect on the world happens when it is dispatched; a stop can hide the answer, never half the effect.

use std::collections::BTreeMap;
use std::sync::Arc;

use agent_core::machine::{Event, ModelFault, ModelOutcome, ModelRequest, ToolAnswer, ToolOutcome, Wish};
use agent_core::values::{
    CallId, Chars, ConversationId, Fact, Note, Place, Role, RunId, SimDuration, Tokens, ToolCall,
};
use mock_llm::script::Pattern;
use reports::WriteOutcome;
use reports::trace::{Data, Kind, NearRule};

use super::driver::{Driver, Due, Owner};
use super::learning::Observed;
use super::notes::{CallFacts, kind_of};
use super::user::{PendingCall, User};
use crate::transport::{Answer, Ask, Miss, Took};
use crate::world::Asked;

impl Driver<'_> {
    /// Learns from a batch of wishes what must be known before any of them is done: what each conversation is, and
    /// which model each call asks.
    pub(super) fn learn(&mut self, user: usize, wishes: &[Wish]) {
        let user = &mut self.users[user];
        for wish in wishes {
            match wish {
                Wish::Note(note) => user.keys.learn(&note.place),
                Wish::CallModel { call, request, .. } => {
                    let model = Arc::clone(&request.model);
                    user.call_facts.insert(*call, CallFacts { model, ..CallFacts::default() });
                    if request.role == Role::Main && !request.tools.is_empty() {
                        user.tools = Arc::clone(&request.tools);
                    }
                }
                _ => {}
            }
        }
    }

    pub(super) fn perform(&mut self, owner: Owner, wish: Wish) -> anyhow::Result<()> {
        match wish {
            Wish::CallModel { call, conversation, request, timeout } => {
                self.call_model(owner, call, conversation, &request, timeout)
            }
            Wish::AbortModel { call } => {
                self.abort_model(owner, call);
                Ok(())
            }
            Wish::RunTool { run, call, timeout, .. } => self.run_tool(owner, run, &call, timeout),
            Wish::StopTool { run } => {
                if let Some(outcome) = self.users[owner.user].runs.get_mut(&run) {
                    *outcome = ToolOutcome::Stopped;
                    self.queue(self.now, Due::Tool(owner, run));
                }
                Ok(())
            }
            Wish::SetTimer { timer, at } => {
                self.queue(at.max(self.now), Due::Timer(owner, timer));
                Ok(())
            }
            Wish::TurnDone { session, end } => {
                self.heard(owner.user, &session, end.answer);
                self.turn_done(owner.user, &session, end.by_client)
            }
            Wish::Note(note) => self.note(owner, note),
        }
    }

    fn call_model(
        &mut self,
        owner: Owner,
        call: CallId,
        conversation: ConversationId,
        request: &ModelRequest,
        timeout: SimDuration,
    ) -> anyhow::Result<()> {
        if self.broken.is_some() {
            return Ok(());
        }
        let key = self.users[owner.user].keys.of(conversation);
        let answer = self.transport.ask(&Ask { request, key: &key, now: self.now })?;
        if let Some(miss) = answer.miss {
            return self.miss(owner, &key, miss);
        }
        let Answer { outcome, took, rule, step, .. } = answer;
        let (outcome, took) = self.timed(request, outcome, took, timeout);
        let user = &mut self.users[owner.user];
        let facts = user.call_facts.entry(call).or_default();
        (facts.rule, facts.step) = (rule, step);
        user.calls.insert(call, PendingCall { asked: self.now, role: request.role, took, outcome });
        self.queue(self.now + took, Due::Model(owner, call));
        Ok(())
    }

    /// The outcome with its own count of cached tokens, and when it arrives: never after the time-out.
    fn timed(
        &self,
        request: &ModelRequest,
        mut outcome: ModelOutcome,
        took: Took,
        timeout: SimDuration,
    ) -> (ModelOutcome, SimDuration) {
        if let ModelOutcome::Reply(reply) = &mut outcome {
            reply.usage.cached = request.cached.min(reply.usage.prompt);
        }
        let paced = self.input.scenario.latencies.of(request.role).took(streamed(&outcome));
        let took = match took {
            Took::Paced => paced,
            Took::Later(more) => paced + more,
            Took::Never => timeout + SimDuration::from_millis(1),
        };
        if took > timeout {
            let message = format!("no answer within the request's limit of {timeout}");
            let fault = ModelFault { message, transport: true, ..ModelFault::default() };
            return (ModelOutcome::Failed(fault), timeout);
        }
        (outcome, took)
    }

    /// An aborted request answers at once with the text that had arrived.
    fn abort_model(&mut self, owner: Owner, call: CallId) {
        let Some(pending) = self.users[owner.user].calls.get_mut(&call) else { return };
        let after = self.now.since(pending.asked);
        let text = match &pending.outcome {
            ModelOutcome::Reply(reply) => &*reply.text.visible,
            ModelOutcome::Cut { partial, .. } | ModelOutcome::Aborted { partial } => partial,
            ModelOutcome::Failed(_) => "",
        };
        let partial = self.input.scenario.latencies.of(pending.role).arrived(text, after).to_owned();
        pending.outcome = ModelOutcome::Aborted { partial };
        pending.took = after;
        self.queue(self.now, Due::Model(owner, call));
    }

    /// A model's answer arrives, unless it already came by an abort.
    pub(super) fn model_done(&mut self, owner: Owner, call: CallId) -> anyhow::Result<()> {
        let Some(pending) = self.users[owner.user].calls.remove(&call) else { return Ok(()) };
        self.feed(owner, Event::ModelDone { call, outcome: pending.outcome, took: pending.took })
    }

    fn run_tool(
        &mut self,
        owner: Owner,
        run: RunId,
        call: &ToolCall,
        timeout: SimDuration,
    ) -> anyhow::Result<()> {
        let user = &mut self.users[owner.user];
        let workspace = user.workspace_of(owner.session);
        let files = &mut user.workspaces[workspace].files;
        files.set_now(self.now);
        let day = self.days.day_of(self.now);
        let answer = self.world.answer(&Asked { call, day, user: &user.name, home: &user.home }, files)?;
        let took = answer.took.unwrap_or(self.input.scenario.latencies.tool);
        let (outcome, took) = if took > timeout {
            (ToolOutcome::TimedOut, timeout)
        } else {
            (ToolOutcome::Answered(ToolAnswer { text: answer.text }), took)
        };
        user.runs.insert(run, outcome);
        self.queue(self.now + took, Due::Tool(owner, run));
        for change in answer.changes {
            let user = &self.users[owner.user];
            let session = owner.session.map(|session| &user.sessions[session].name);
            self.recorder.of_session(self.now, &user.name, session, change)?;
        }
        Ok(())
    }

    /// A tool's answer arrives, unless it already came by a stop.
    pub(super) fn tool_done(&mut self, owner: Owner, run: RunId) -> anyhow::Result<()> {
        let Some(outcome) = self.users[owner.user].runs.remove(&run) else { return Ok(()) };
        self.feed(owner, Event::ToolDone { run, outcome })
    }

    /// A request that no rule fits breaks the cell.
    fn miss(&mut self, owner: Owner, key: &str, miss: Miss) -> anyhow::Result<()> {
        let nearest = miss.nearest.into_iter();
        let nearest =
            nearest.map(|(rule, clause)| NearRule { rule: rule.into(), clause: clause.into() }).collect();
        let message = format!("{key}: {}", miss.message);
        let kind = Kind::Miss { message: message.clone().into(), nearest: Data(nearest) };
        self.recorder.of_user(self.now, &self.users[owner.user].name, kind)?;
        self.broken = Some(message);
        Ok(())
    }

    fn note(&mut self, owner: Owner, note: Note) -> anyhow::Result<()> {
        if let Fact::CuratorIdle { reason } = note.fact
            && !self.users[owner.user].polls.is_news(reason)
        {
            return Ok(());
        }
        if let Fact::Notice { text } = &note.fact {
            self.tell(owner.user, text);
        }
        self.watch(owner.user, &note);
        let user = &mut self.users[owner.user];
        let call = match &note.fact {
            Fact::ModelCall { call, .. } => user.call_facts.get(call).cloned(),
            Fact::ModelAnswer { call, .. } => user.call_facts.remove(call),
            _ => None,
        };
        let mut kind = kind_of(note.fact, &call.unwrap_or_default());
        mark_lessons(&self.script.lessons, &mut kind);
        let more = observe(user, &note.place, &mut kind);
        self.recorder.of_place(self.now, &user.name, &note.place, kind)?;
        for kind in more {
            self.recorder.of_place(self.now, &user.name, &note.place, kind)?;
        }
        Ok(())
    }
}

/// Completes an event of a session's own conversation by what its task is; the events that it gives rise to.
fn observe(user: &mut User, place: &Place, kind: &mut Kind) -> Vec<Kind> {
    let (Role::Main, Some(session), true) = (place.role, &place.session, user.learning.is_some()) else {
        return Vec::new();
    };
    let turn = user.session(session).and_then(|index| {
        let open = &user.sessions[index];
        open.spec.as_ref()?.turns.get(open.active.as_ref()?.turn)
    });
    let task = turn.and_then(|turn| turn.task.as_ref());
    let observed = Observed { session, task, key: user.keys.of(place.conversation) };
    user.learning.as_mut().map(|learning| learning.observe(&observed, kind)).unwrap_or_default()
}

/// Says of an applied write which of the script's lessons its text gained and which it lost.
fn mark_lessons(lessons: &BTreeMap<Arc<str>, Pattern>, kind: &mut Kind) {
    let Kind::Write { outcome: WriteOutcome::Applied, before, after, gained, lost, .. } = kind else {
        return;
    };
    for (name, pattern) in lessons {
        match (pattern.is_in(before), pattern.is_in(after)) {
            (false, true) => gained.push(Arc::clone(name)),
            (true, false) => lost.push(Arc::clone(name)),
            _ => {}
        }
    }
}

/// The tokens that stream in before the outcome is known.
fn streamed(outcome: &ModelOutcome) -> Tokens {
    match outcome {
        ModelOutcome::Reply(reply) => reply.usage.completion,
        ModelOutcome::Cut { partial, .. } | ModelOutcome::Aborted { partial } => {
            Chars::of(partial).estimate_tokens()
        }
        ModelOutcome::Failed(_) => Tokens(0),
    }
}
