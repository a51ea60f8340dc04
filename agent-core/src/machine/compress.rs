//! Compression as a phase of its conversation: the decision before a request, the summary by a model, and what
//! follows for the session's rows, memory and prompt (`spec/compression.md`).

use std::collections::BTreeSet;
use std::sync::Arc;

use super::agent::{Agent, Cx, Purpose, Serves};
use super::charter::Compresses;
use super::compression::{self, CompressionPlan, SummaryTexts};
use super::conversation::{Act, Conversation};
use super::failure::{self, FaultClass};
use super::pressure::{self, CompressionState, Limits, SummaryFailure};
use super::request::{ModelFault, ModelOutcome};
use crate::behaviour::CompressionRules;
use crate::memory::Target;
use crate::prompt;
use crate::sessions::{SessionId, SessionRow, StoredMessage};
use crate::values::{ConversationId, Fact, Message, Role, Synthetic, Tokens, Transcript};
use crate::workspace::{TodoItem, TodoStatus};

/// Compressions of one turn (`spec/compression.md` §2).
const TURN_MAX: u32 = 3;
/// From this compression on the user is told that a fresh session would be better (`spec/compression.md` §4).
const WARNED_FROM: u32 = 2;

/// A compression in progress.
#[derive(Clone, Debug)]
pub(super) struct Compressing {
    plan: CompressionPlan,
    before: usize,
    rough: u64,
    /// The provider said that the request is too long: without an effect the turn ends early.
    forced: bool,
    /// The number of messages made it due, not their length.
    by_count: bool,
}

impl Agent {
    fn limits(&self) -> Limits {
        pressure::limits(&self.rules.compression, self.loop_rules.context)
    }

    /// Whether a pass compresses before its request. `rough` is the estimate of the whole request.
    pub(super) fn compresses_now(&mut self, cx: &Cx<'_, '_>, id: ConversationId, rough: Tokens) -> bool {
        let limits = self.limits();
        let from_gateway = self.session_of(id).and_then(|name| self.sessions.get(name));
        let from_gateway = from_gateway.is_some_and(|session| &*session.source != "cli");
        let rules = &self.rules.compression;
        let Some(live) = self.live.get_mut(&id) else { return false };
        let allowed = match live.talk.charter.compresses {
            Compresses::No => false,
            Compresses::Yes => true,
            Compresses::AfterFirstReply => live.talk.has_replied(),
        };
        let first = live.talk.iteration() == 1;
        if live.compress_next || (first && from_gateway && is_too_many(&live.talk, live.compression, rules)) {
            return true;
        }
        if !allowed || live.talk.transcript.len() <= 1 || live.talk.compressions() >= TURN_MAX {
            return false;
        }
        let real = live.talk.last_prompt().map(|tokens| tokens.0);
        // After a round of tools the real usage of the last request counts, whatever the estimate says.
        if !first && let Some(real) = real.filter(|&real| real >= limits.threshold) {
            return live.compression.is_due(cx.at, rough.0.max(real), Some(real), limits, rules.enabled);
        }
        let looks = first || rules.before_each_request;
        looks && live.compression.is_due(cx.at, rough.0, real, limits, rules.enabled)
    }

    /// Begins a compression; without anything to summarise the pass goes on.
    pub(super) fn compress(
        &mut self,
        cx: &mut Cx<'_, '_>,
        id: ConversationId,
        rough: u64,
        forced: bool,
        next: &mut Vec<Act>,
    ) {
        let limits = self.limits();
        let Some(live) = self.live.get_mut(&id) else { return };
        let asked_for = std::mem::take(&mut live.compress_next);
        if asked_for {
            live.compression.asked_for();
        }
        let by_count = !forced && !asked_for && rough < limits.threshold;
        let messages: Vec<Arc<Message>> = live.talk.transcript.iter().cloned().collect();
        let before = messages.len();
        let exhausted = forced && live.talk.compressions() >= TURN_MAX;
        let plan = if exhausted || (forced && !self.rules.compression.enabled) {
            None
        } else {
            let plan = compression::plan(&messages, live.compression, &self.rules.compression, limits);
            plan.filter(|plan| plan.saves || forced || asked_for)
        };
        let Some(plan) = plan else {
            if forced {
                live.talk.compression_exhausted(next);
            } else if asked_for && before > 1 {
                // The user asked for it: the pass restarts, though nothing changed.
                live.talk.begin_compression();
                live.talk.compressed(cx.at, None, next);
            } else {
                live.compression.found_nothing(by_count, before);
                live.talk.ask(cx.at, next);
            }
            return self.note(cx, id, unchanged(before, "nothing to do"));
        };
        let instruction = prompt::compression_instruction(
            &plan.input,
            plan.previous.as_deref(),
            plan.budget,
            &self.texts_library,
        );
        live.talk.begin_compression();
        live.compressing = Some(Compressing { plan, before, rough, forced, by_count });
        self.ask_once(cx, id, Role::Compression, instruction, Purpose::Compression);
    }

    /// The summary is here, or will never be.
    pub(super) fn summary_done(&mut self, cx: &mut Cx<'_, '_>, id: ConversationId, outcome: ModelOutcome) {
        let Some(live) = self.live.get_mut(&id) else { return };
        let Some(compressing) = live.compressing.take() else { return };
        let by_model = match outcome {
            ModelOutcome::Reply(reply) if !reply.text.visible.trim().is_empty() => {
                Some(reply.text.visible.to_string())
            }
            ModelOutcome::Reply(_) | ModelOutcome::Cut { .. } | ModelOutcome::Aborted { .. } => {
                live.compression.failed(cx.at, SummaryFailure::Broken);
                None
            }
            ModelOutcome::Failed(fault) => {
                let class = class_of(&fault);
                let timed_out = class == FaultClass::Timeout;
                let why = if timed_out { SummaryFailure::TimedOut } else { SummaryFailure::Other };
                live.compression.failed(cx.at, why);
                if gives_up(class) {
                    return self.compression_aborted(cx, id, &compressing);
                }
                None
            }
        };
        if by_model.is_none() && self.rules.compression.abort_on_failure {
            return self.compression_aborted(cx, id, &compressing);
        }
        self.commit(cx, id, &compressing, by_model);
    }

    fn compression_aborted(&mut self, cx: &mut Cx<'_, '_>, id: ConversationId, compressing: &Compressing) {
        let before = compressing.before;
        self.note(cx, id, unchanged(before, "aborted"));
        let Some(live) = self.live.get_mut(&id) else { return };
        let mut acts = Vec::new();
        if compressing.forced {
            live.talk.compression_exhausted(&mut acts);
        } else {
            live.talk.compressed(cx.at, None, &mut acts);
        }
        self.drive(cx, id, acts);
    }

    fn commit(
        &mut self,
        cx: &mut Cx<'_, '_>,
        id: ConversationId,
        compressing: &Compressing,
        by_model: Option<String>,
    ) {
        let plan = &compressing.plan;
        let how = if by_model.is_some() { "model" } else { "fallback" };
        let is_by_model = by_model.is_some();
        let summary = by_model.unwrap_or_else(|| compression::fallback_summary(plan));
        let library = &self.texts_library;
        let texts = SummaryTexts {
            body: &prompt::compaction_message(&summary, library),
            absorbed: &|older: &str| prompt::compaction_absorbed(older, &summary, library),
        };
        let mut messages = compression::assemble(plan, &texts);
        messages.extend(self.kept_todo(id));
        let after = messages.len();
        let kept: u64 = messages.iter().map(|message| message.chars().estimate_tokens().0).sum();
        let child = self.store_compaction(cx, id, &messages);
        let rules = self.rules.compression.clone();
        let times = self.live.get_mut(&id).map_or(0, |live| {
            // A compression for the number of messages is not measured by what it saved.
            let saved_little = !compressing.by_count && kept * 10 > compressing.rough * 9;
            live.compression.committed(is_by_model, saved_little, after, &rules);
            live.compression.count
        });
        let (unpaired, before) = (unpaired(&messages), compressing.before);
        self.note(cx, id, Fact::Compression { before, after, how: how.into(), unpaired, child });
        if times >= WARNED_FROM {
            let text =
                format!("This session was compressed {times} times; a fresh one would know more exactly.");
            self.note(cx, id, Fact::Notice { text: text.into() });
        }
        self.refresh_prompt_after_compaction(cx, id);
        let Some(live) = self.live.get_mut(&id) else { return };
        let transcript: Transcript = messages.into_iter().collect();
        let mut acts = Vec::new();
        live.talk.compressed(cx.at, Some(transcript), &mut acts);
        self.drive(cx, id, acts);
    }

    /// The list of things to do, as far as something of it is open, is kept as a message of the client (§4).
    fn kept_todo(&self, id: ConversationId) -> Option<Arc<Message>> {
        let list = &self.live.get(&id)?.todo;
        let line = |item: &TodoItem| match item.status {
            TodoStatus::Pending => Some(format!("- [ ] {}", item.content)),
            TodoStatus::InProgress => Some(format!("- [>] {}", item.content)),
            TodoStatus::Completed | TodoStatus::Cancelled => None,
        };
        let open: Vec<String> = list.items().iter().filter_map(line).collect();
        (!open.is_empty()).then(|| {
            let text = prompt::todo_message(&open.join("\n"), &self.texts_library);
            Arc::new(Message::client(text, Synthetic::KeptTodo))
        })
    }

    /// The session's rows: archived in place, or continued by a child session, whose id this gives (§4).
    fn store_compaction(
        &mut self,
        cx: &mut Cx<'_, '_>,
        id: ConversationId,
        messages: &[Arc<Message>],
    ) -> Option<Arc<str>> {
        let live = self.live.get(&id)?;
        let forks = self.rules.review.compression_forks_session && matches!(live.serves, Serves::Review(_));
        let (persists, turn) = (live.talk.charter.persists, live.talk.turn);
        let own = match &live.serves {
            Serves::Session(name) => Some(name.clone()),
            Serves::Review(_) | Serves::Delegate(_) | Serves::Curator => None,
        };
        let stored = self.stored_of(id).filter(|_| persists || forks)?;
        let rows: Vec<StoredMessage> =
            messages.iter().map(|message| StoredMessage::from(&**message)).collect();
        // A child's session has no title and no user to follow it: it always goes on in place.
        if self.rules.compression.in_place || (own.is_none() && !forks) {
            if let Err(error) = cx.homes.sessions.compact_in_place(stored.as_str(), rows, cx.at) {
                self.note(cx, id, Fact::Notice { text: error.to_string().into() });
            }
            return None;
        }
        let source = self.session_of(id).and_then(|name| self.sessions.get(name));
        let source = source.map_or_else(|| "cli".into(), |session| Arc::clone(&session.source));
        let (turn, conversation) = (turn.to_string(), id.to_string());
        let key = ["session", &self.plan.user, stored.as_str(), "after compression", &turn, &conversation];
        let child = SessionId::of_start(cx.at, 0, &self.draws.hex(super::storing::ID_DIGITS, &key));
        let mut row = SessionRow::new(child.clone(), source, cx.at);
        row.model = Some(Arc::clone(&self.plan.model));
        if let Err(error) = cx.homes.sessions.rotate(stored.as_str(), row, rows, cx.at) {
            self.note(cx, id, Fact::Notice { text: error.to_string().into() });
            return None;
        }
        let name: Arc<str> = child.as_str().into();
        // A review's child session is nobody's: the session itself goes on under the id that just ended.
        if let Some(session) = own.and_then(|name| self.sessions.get_mut(&name)) {
            session.id = Some(child);
        }
        Some(name)
    }

    /// Memory is read again; the prompt stays byte for byte if it already shows what memory holds
    /// (`spec/prompt.md` §2).
    fn refresh_prompt_after_compaction(&mut self, cx: &mut Cx<'_, '_>, id: ConversationId) {
        let Some(object) = self.object_of(id) else { return };
        let is_session = self.live.get(&id).is_some_and(|live| matches!(live.serves, Serves::Session(_)));
        if !is_session {
            return;
        }
        self.load_memory(cx, object);
        let memory = self.objects.get(&object).and_then(|object| object.memory.as_ref());
        let targets: Vec<prompt::Target<'_>> = Target::ALL
            .into_iter()
            .map(|target| prompt::Target {
                block: memory.and_then(|store| store.block(target)).map(|text| &**text),
                label: target.label(),
            })
            .collect();
        let Some(live) = self.live.get(&id) else { return };
        if prompt::kept_at_compaction(&live.talk.charter.system, &targets, false, &self.rules.prompt) {
            return;
        }
        self.rebuild_prompt(cx, id);
    }

    /// Builds the session's prompt anew, stores it, and records what it now shows.
    pub(super) fn rebuild_prompt(&mut self, cx: &mut Cx<'_, '_>, id: ConversationId) {
        let Some(object) = self.object_of(id) else { return };
        let Some(live) = self.live.get(&id) else { return };
        let Serves::Session(name) = live.serves.clone() else { return };
        let tools = Arc::clone(&live.talk.charter.tools);
        let built = self.build_prompt(cx, object, &tools);
        if let Some(live) = self.live.get_mut(&id) {
            live.talk.charter.system = Arc::clone(&built.text);
        }
        if let Some(stored) = self.sessions.get(&name).and_then(|session| session.id.clone()) {
            Self::store_prompt(cx, &stored, &built.text);
        }
        self.note_visible(cx, id, &built);
        self.prompts_built.insert(id, built);
    }

    /// The user asks for a compression; it happens before the next request.
    pub(super) fn compress_on_demand(&mut self, session: &crate::values::SessionName) {
        let id = self.sessions.get(session).and_then(|session| session.conversation);
        if let Some(live) = id.and_then(|id| self.live.get_mut(&id)) {
            live.compress_next = true;
        }
    }
}

/// A gateway's session with very many messages is compressed before its turn, whatever its length (§5); and again when
/// it has grown by a tenth of that number since.
fn is_too_many(talk: &Conversation, state: CompressionState, rules: &CompressionRules) -> bool {
    let len = talk.transcript.len();
    let too_many = rules.messages_max.is_some_and(|max| len > max && len >= state.left + max / 10);
    too_many && rules.enabled && talk.compressions() == 0
}

/// A compression that left everything as it was.
fn unchanged(messages: usize, how: &str) -> Fact {
    Fact::Compression { before: messages, after: messages, how: how.into(), unpaired: 0, child: None }
}

/// Calls without a result and results without a call.
fn unpaired(messages: &[Arc<Message>]) -> usize {
    let mut open: BTreeSet<&str> = BTreeSet::new();
    let mut orphans = 0;
    for message in messages {
        open.extend(message.calls().iter().map(|call| &*call.id));
        if let Message::Tool { call, .. } = &**message {
            orphans += usize::from(!open.remove(&**call));
        }
    }
    orphans + open.len()
}

fn class_of(fault: &ModelFault) -> FaultClass {
    failure::classify(fault, failure::Size { tokens: 0, messages: 0, window: u64::MAX })
}

/// Without access or a network no summary will come: everything stays as it is.
fn gives_up(class: FaultClass) -> bool {
    matches!(class, FaultClass::Auth | FaultClass::Billing | FaultClass::Timeout)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::{AssistantText, ToolCall};

    fn calls(ids: &[&str]) -> Arc<Message> {
        let call = |id: &&str| ToolCall { id: (*id).into(), name: "terminal".into(), arguments: "{}".into() };
        Arc::new(Message::Assistant {
            text: AssistantText::default(),
            calls: ids.iter().map(call).collect(),
            synthetic: None,
        })
    }

    fn result(id: &str) -> Arc<Message> {
        Arc::new(Message::Tool { call: id.into(), tool: "terminal".into(), text: "done".into() })
    }

    #[test]
    fn calls_and_results_that_lack_the_other_are_counted() {
        assert_eq!(unpaired(&[calls(&["a", "b"]), result("b"), result("a")]), 0);
        assert_eq!(unpaired(&[calls(&["a"]), result("b")]), 2);
        assert_eq!(unpaired(&[result("a"), calls(&["a"])]), 2, "a result comes after its call");
    }
}
