//! Sessions of the user: opening, the prologue of a turn, its end (`spec/turn-loop.md` §1, §9; `spec/nudges.md` §2).

use std::collections::VecDeque;
use std::sync::Arc;

use super::agent::{Agent, Cx, KEPT, ObjectId, Serves, Timer};
use super::charter::{Allowed, Charter, Compresses};
use super::conversation::Exit;
use super::counters::{Due, NudgeState};
use super::drive::gates;
use super::event::Wish;
use super::request::TurnEnd;
use crate::behaviour::{ClearOn, Hydrate};
use crate::sessions::StoredMessage;
use crate::values::{
    AgentObject, ConversationId, Counters, Fact, Message, NudgeEvent, NudgeKind, Role, SessionName,
    SimDuration, SimTime, Transcript, WriteOrigin,
};

/// One session of the user.
#[derive(Debug)]
pub(super) struct Session {
    /// The id under which it is stored.
    pub(super) id: Option<crate::sessions::SessionId>,
    /// The agent object that serves it.
    pub(super) object: ObjectId,
    /// How it is opened next.
    planned: AgentObject,
    history: Vec<Message>,
    /// An interrupt came before its first turn.
    pub(super) interrupted: bool,
    pub(super) source: Arc<str>,
    /// Set once it was opened.
    pub(super) conversation: Option<ConversationId>,
    pub(super) open: bool,
    /// The turn in progress.
    book: TurnBook,
    /// A turn that waits for a cancelled review.
    pub(super) pending: Option<PendingTurn>,
    /// Messages that arrived while a turn was in progress.
    queue: VecDeque<String>,
}

impl Default for Session {
    fn default() -> Self {
        Self {
            id: None,
            object: KEPT,
            planned: AgentObject::Fresh,
            history: Vec::new(),
            interrupted: false,
            source: "cli".into(),
            conversation: None,
            open: false,
            book: TurnBook::default(),
            pending: None,
            queue: VecDeque::new(),
        }
    }
}

/// A user's message whose turn has not begun yet.
#[derive(Debug)]
pub(super) struct PendingTurn {
    text: String,
    since: SimTime,
    pub(super) stamp: u64,
}

/// What the end of a turn needs to know of its beginning.
#[derive(Clone, Debug, Default)]
struct TurnBook {
    before: Counters,
    waited: SimDuration,
    wait_cause: &'static str,
}

impl Agent {
    /// Says how a session will be opened.
    pub(super) fn plan_session(
        &mut self,
        name: &SessionName,
        object: AgentObject,
        source: Arc<str>,
        history: Vec<Message>,
    ) {
        let session = self.sessions.entry(name.clone()).or_default();
        session.planned = object;
        session.source = source;
        session.history = history;
    }

    pub(super) fn user_message(&mut self, cx: &mut Cx<'_, '_>, name: &SessionName, text: String) {
        if self.is_busy(name) {
            let session = self.sessions.get_mut(name).expect("a busy session is known");
            session.queue.push_back(text);
            return;
        }
        if !self.sessions.get(name).is_some_and(|session| session.open) {
            self.open_session(cx, name);
        }
        let stamp = self.numbers.object().0;
        let session = self.sessions.get_mut(name).expect("just opened");
        session.pending = Some(PendingTurn { text, since: cx.at, stamp });
        let object = session.object;
        if self.cancel_reviews(cx, object) {
            let until = cx.at + self.rules.review.cancel_wait;
            self.set_timer(cx, until, Timer::CancelWait(name.clone(), stamp));
        } else {
            self.begin_turn(cx, name, "");
        }
    }

    /// The cancelled reviews did not end in time: the turn begins beside them.
    pub(super) fn cancel_wait_over(&mut self, cx: &mut Cx<'_, '_>, name: &SessionName, stamp: u64) {
        let waits = self.sessions.get(name).and_then(|session| session.pending.as_ref());
        if waits.is_some_and(|pending| pending.stamp == stamp) {
            self.begin_turn(cx, name, "review");
        }
    }

    /// The last cancelled review of an object has ended: turns that waited for it begin.
    pub(super) fn reviews_stopped(&mut self, cx: &mut Cx<'_, '_>, object: ObjectId) {
        let waiting: Vec<SessionName> = self
            .sessions
            .iter()
            .filter(|(_, session)| session.object == object && session.pending.is_some())
            .map(|(name, _)| name.clone())
            .collect();
        for name in waiting {
            self.begin_turn(cx, &name, "review");
        }
    }

    /// Opens a session or resumes a closed one.
    fn open_session(&mut self, cx: &mut Cx<'_, '_>, name: &SessionName) {
        let planned = self.sessions.entry(name.clone()).or_default().planned;
        let object = match planned {
            AgentObject::Fresh => {
                let id = self.numbers.object();
                self.objects.insert(id, super::agent::Object::default());
                id
            }
            AgentObject::Kept => {
                self.objects.entry(KEPT).or_default();
                KEPT
            }
        };
        self.load_memory(cx, object);
        self.audit_if_due(cx);
        let fresh = planned == AgentObject::Fresh;
        let persisted = self.rules.nudges.hydrate == Hydrate::Persisted;
        let profile = self.profile_counters;
        let state = self.objects.get_mut(&object).expect("just made");
        if persisted && fresh {
            state.nudges = NudgeState::continuing(profile);
        } else {
            state.nudges.new_session();
        }
        let resumed = self.sessions[name].conversation;
        let id = match resumed {
            Some(id) => id,
            None => self.new_conversation_of(cx, name, object),
        };
        let session = self.sessions.get_mut(name).expect("just made");
        session.object = object;
        session.conversation = Some(id);
        session.open = true;
        self.announce_session(cx, name, id, planned);
    }

    /// Makes the conversation of a new session under a freshly built prompt.
    fn new_conversation_of(
        &mut self,
        cx: &mut Cx<'_, '_>,
        name: &SessionName,
        object: ObjectId,
    ) -> ConversationId {
        let tools = self.session_tools();
        let source = Arc::clone(&self.sessions[name].source);
        let session_id = self.create_stored_session(cx, name, &source);
        let built = self.build_prompt(cx, object, &tools);
        Self::store_prompt(cx, &session_id, &built.text);
        let charter = Charter {
            role: Role::Main,
            system: Arc::clone(&built.text),
            tools,
            allowed: Allowed::Offered,
            refusal_lists_allowed: true,
            iterations_max: self.loop_rules.max_iterations,
            input_budget: None,
            origin: WriteOrigin::Foreground,
            persists: true,
            compresses: Compresses::Yes,
            nudges: true,
            hooks: self.plan.hooks.clone().into(),
            delegates_max: 3,
            rules: Arc::clone(&self.loop_rules),
            texts: Arc::clone(&self.texts),
        };
        let history = self.sessions.get_mut(name).map(|session| std::mem::take(&mut session.history));
        let transcript: Transcript = history.unwrap_or_default().into_iter().collect();
        for message in transcript.iter() {
            cx.homes.sessions.append(session_id.as_str(), StoredMessage::from(&**message), cx.at);
        }
        let id = self.add_live(charter, transcript, Serves::Session(name.clone()));
        let session = self.sessions.get_mut(name).expect("known");
        session.id = Some(session_id);
        self.prompts_built.insert(id, built);
        id
    }

    fn announce_session(
        &mut self,
        cx: &mut Cx<'_, '_>,
        name: &SessionName,
        id: ConversationId,
        agent: AgentObject,
    ) {
        let Some(built) = self.prompts_built.get(&id).cloned() else { return };
        debug_assert!(self.sessions.contains_key(name));
        self.note(
            cx,
            id,
            Fact::SessionStart {
                agent,
                prompt: Arc::clone(&built.text),
                parts: built.parts.clone(),
                skills: built.skills.clone(),
                index: built.index,
            },
        );
        self.note_visible(cx, id, &built);
    }

    /// The prologue of a turn, then its first pass.
    pub(super) fn begin_turn(&mut self, cx: &mut Cx<'_, '_>, name: &SessionName, waited_for: &'static str) {
        let Some(session) = self.sessions.get_mut(name) else { return };
        let (Some(pending), Some(id)) = (session.pending.take(), session.conversation) else { return };
        let Some(live) = self.live.get_mut(&id) else { return };
        let Some(object) = self.objects.get_mut(&session.object) else { return };
        let users = live.talk.transcript.iter().filter(|message| message.is_user()).count();
        let gates = gates(&live.talk.charter.tools, object);
        if let Some(memory) = &mut object.memory {
            memory.reset_turn(&self.rules.memory);
        }
        object.nudges.hydrate(users, &self.rules.nudges);
        let before = object.nudges.counters;
        let due = object.nudges.begin_turn(gates, &self.rules.nudges);
        session.book = TurnBook { before, waited: cx.at.since(pending.since), wait_cause: waited_for };
        let steering = live.talk.take_steering();
        let text = if steering.is_empty() {
            pending.text
        } else {
            format!("{}\n\n{}", steering.join("\n\n"), pending.text)
        };
        let text: Arc<str> = text.into();
        let words = Arc::clone(&text);
        let mut acts = Vec::new();
        if std::mem::take(&mut session.interrupted) {
            live.talk.interrupt(cx.at, &mut acts);
        }
        live.talk.begin(cx.at, Message::user(Arc::clone(&text)), &mut acts);
        self.learn_work(&words);
        self.note(cx, id, Fact::TurnStart { text });
        if due {
            self.note_nudge(
                cx,
                id,
                NudgeKind::Memory,
                NudgeEvent::Due,
                "the interval of user turns is reached",
            );
        }
        self.drive(cx, id, acts);
    }

    /// A turn left the loop or ended early (`spec/nudges.md` §2.4, §2.5).
    pub(super) fn turn_ended(
        &mut self,
        cx: &mut Cx<'_, '_>,
        name: &SessionName,
        id: ConversationId,
        exit: Exit,
    ) {
        if let Some(live) = self.live.get_mut(&id) {
            // A compression that was asked for concerned this turn.
            live.compress_next = false;
        }
        let Some(session) = self.sessions.get(name) else { return };
        let (object_id, book) = (session.object, session.book.clone());
        let rules = self.rules.nudges.clone();
        let tools = self.live.get(&id).map(|live| Arc::clone(&live.talk.charter.tools)).unwrap_or_default();
        let Some(object) = self.objects.get_mut(&object_id) else { return };
        let open = gates(&tools, object);
        if exit.early {
            if object.nudges.abandon_turn() {
                self.note_unused(cx, id, Due { memory: true, skills: false }, &exit.reason);
            }
        } else {
            let due = object.nudges.finish_turn(open, &rules);
            if due.skills {
                self.note_nudge(
                    cx,
                    id,
                    NudgeKind::Skill,
                    NudgeEvent::Due,
                    "the interval of passes is reached",
                );
            }
            self.use_nudges(cx, name, id, due, &exit);
        }
        let after = self.objects.get(&object_id).map(|object| object.nudges.counters).unwrap_or_default();
        self.profile_counters = after;
        self.last_turn_end = Some(cx.at);
        if let Some(answer) = &exit.answer {
            self.ask_title(cx, name, id, answer);
        }
        let api_calls = self.live.get(&id).map_or(0, |live| live.talk.iteration());
        self.note(
            cx,
            id,
            Fact::TurnEnd {
                exit: exit.reason.as_str().into(),
                api_calls,
                before: book.before,
                after,
                waited: book.waited,
                wait_cause: book.wait_cause.into(),
                answer: exit.answer.clone(),
                completed: exit.completed,
            },
        );
        let end = TurnEnd {
            exit: exit.reason.into(),
            answer: exit.answer,
            completed: exit.completed,
            interrupted: exit.interrupted,
            api_calls,
        };
        cx.wishes.push(Wish::TurnDone { session: name.clone(), end });
        self.next_in_queue(cx, name);
    }

    fn next_in_queue(&mut self, cx: &mut Cx<'_, '_>, name: &SessionName) {
        let next = self.sessions.get_mut(name).and_then(|session| session.queue.pop_front());
        if let Some(text) = next {
            self.user_message(cx, name, text);
        }
    }

    /// Starts the review that is due, or says why not.
    fn use_nudges(
        &mut self,
        cx: &mut Cx<'_, '_>,
        name: &SessionName,
        id: ConversationId,
        due: Due,
        exit: &Exit,
    ) {
        if !due.any() {
            return;
        }
        let answered = exit.answer.as_ref().is_some_and(|answer| !answer.is_empty());
        if !answered || exit.interrupted {
            return self.note_unused(cx, id, due, &exit.reason);
        }
        self.review_due(cx, name, id, due);
    }

    /// A due nudge starts nothing: lost where the counter is already clear, kept where it is not.
    pub(super) fn note_unused(&mut self, cx: &mut Cx<'_, '_>, id: ConversationId, due: Due, why: &str) {
        let event = match self.rules.nudges.clear_on {
            ClearOn::Threshold => NudgeEvent::Lost,
            ClearOn::Spawn => NudgeEvent::Kept,
        };
        self.note_due(cx, id, due, event, why);
    }

    pub(super) fn note_due(
        &self,
        cx: &mut Cx<'_, '_>,
        id: ConversationId,
        due: Due,
        event: NudgeEvent,
        why: &str,
    ) {
        if due.memory {
            self.note_nudge(cx, id, NudgeKind::Memory, event, why);
        }
        if due.skills {
            self.note_nudge(cx, id, NudgeKind::Skill, event, why);
        }
    }

    fn note_nudge(
        &self,
        cx: &mut Cx<'_, '_>,
        id: ConversationId,
        which: NudgeKind,
        event: NudgeEvent,
        why: &str,
    ) {
        self.note(cx, id, Fact::Nudge { which, event, why: why.into() });
    }

    pub(super) fn close_session(&mut self, cx: &mut Cx<'_, '_>, name: &SessionName, reason: &Arc<str>) {
        let Some(session) = self.sessions.get_mut(name).filter(|session| session.open) else { return };
        session.open = false;
        let (id, stored) = (session.conversation, session.id.clone());
        if let Some(stored) = stored {
            Self::end_stored_session(cx, &stored, reason);
        }
        if let Some(id) = id {
            self.note(cx, id, Fact::SessionEnd { reason: Arc::clone(reason) });
        }
    }
}
