//! Turns of a session: how they begin, what their end sets off, what waits for it (`spec/turn-loop.md` §1, §9;
//! `spec/nudges.md` §2).
//!
//! A turn begins with a message of the user, or with one that the client made: results of delegated work. One session
//! has one turn at a time; what arrives in the midst of one waits.

use std::sync::Arc;

use super::agent::{Agent, Cx, ObjectId, Serves, Timer};
use super::conversation::Exit;
use super::counters::{self, Due};
use super::drive::gates;
use super::event::Wish;
use super::request::TurnEnd;
use crate::behaviour::Hydrate;
use crate::values::{
    ConversationId, Counters, Fact, Message, NudgeEvent, NudgeKind, SessionName, SimDuration, SimTime,
    Synthetic,
};

/// A message that will open a turn.
#[derive(Debug)]
pub(super) struct Incoming {
    text: String,
    /// Set when the client made it.
    made: Option<Synthetic>,
    since: SimTime,
    /// How long turns of the client kept it waiting.
    behind: SimDuration,
}

impl Incoming {
    pub(super) fn of_user(text: String, since: SimTime) -> Self {
        Self { text, made: None, since, behind: SimDuration::ZERO }
    }

    pub(super) fn of_client(text: String, made: Synthetic, since: SimTime) -> Self {
        Self { text, made: Some(made), since, behind: SimDuration::ZERO }
    }
}

/// A message whose turn waits for a cancelled review.
#[derive(Debug)]
pub(super) struct PendingTurn {
    incoming: Incoming,
    since: SimTime,
    stamp: u64,
}

/// What the end of a turn needs to know of its beginning.
#[derive(Clone, Copy, Debug)]
pub(super) struct TurnBook {
    before: Counters,
    began: SimTime,
    waited: SimDuration,
    wait_cause: &'static str,
    by_client: bool,
}

impl Default for TurnBook {
    fn default() -> Self {
        Self {
            before: Counters::default(),
            began: SimTime::from_millis(0),
            waited: SimDuration::ZERO,
            wait_cause: "",
            by_client: false,
        }
    }
}

impl Agent {
    /// Something that opens a turn arrives: at once, after the reviews that it cancels, or after the turn in progress.
    pub(super) fn arrive(&mut self, cx: &mut Cx<'_, '_>, name: &SessionName, incoming: Incoming) {
        if self.is_busy(name) {
            let session = self.sessions.get_mut(name).expect("a busy session is known");
            session.queue.push_back(incoming);
            return;
        }
        if !self.sessions.get(name).is_some_and(|session| session.open) {
            self.open_session(cx, name);
        }
        let stamp = self.numbers.stamp();
        let session = self.sessions.get_mut(name).expect("just opened");
        session.pending = Some(PendingTurn { incoming, since: cx.at, stamp });
        let object = session.object;
        if self.cancel_reviews(cx, object) {
            let until = cx.at + self.rules.review.cancel_wait;
            self.set_timer(cx, until, Timer::CancelWait(name.clone(), stamp));
        } else {
            self.begin_turn(cx, name);
        }
    }

    /// The cancelled reviews did not end in time: the turn begins beside them.
    pub(super) fn cancel_wait_over(&mut self, cx: &mut Cx<'_, '_>, name: &SessionName, stamp: u64) {
        let waits = self.sessions.get(name).and_then(|session| session.pending.as_ref());
        if waits.is_some_and(|pending| pending.stamp == stamp) {
            self.begin_turn(cx, name);
        }
    }

    /// The last cancelled review of an object has ended: turns that waited for it begin.
    pub(super) fn reviews_stopped(&mut self, cx: &mut Cx<'_, '_>, object: ObjectId) {
        let waits = |session: &super::session::Session| session.object == object && session.pending.is_some();
        let waiting: Vec<SessionName> =
            self.sessions.iter().filter(|(_, one)| waits(one)).map(|(name, _)| name.clone()).collect();
        for name in waiting {
            self.begin_turn(cx, &name);
        }
    }

    /// A word of the user beside the turn in progress: it joins the newest tool result, or the message that is about
    /// to open a turn. Without a turn it opens one.
    pub(super) fn steer(&mut self, cx: &mut Cx<'_, '_>, name: &SessionName, text: String) {
        if !self.is_busy(name) {
            return self.arrive(cx, name, Incoming::of_user(text, cx.at));
        }
        let session = self.sessions.get_mut(name).expect("a busy session is known");
        let Some(id) = session.conversation else { return };
        if let Some(pending) = &mut session.pending {
            pending.incoming.text.extend(["\n\n", &text]);
            return self.note(cx, id, Fact::Steer { text: text.into() });
        }
        let Some(live) = self.live.get_mut(&id) else { return };
        let mut acts = Vec::new();
        live.talk.steer(&text, &mut acts);
        self.drive(cx, id, acts);
    }

    /// The user interrupts: the turn in progress, or the one that is about to begin.
    pub(super) fn interrupt(&mut self, cx: &mut Cx<'_, '_>, name: &SessionName) {
        let Some(session) = self.sessions.get_mut(name) else { return };
        let Some(id) = session.conversation else {
            session.interrupted = true;
            return;
        };
        self.note(cx, id, Fact::Interrupt);
        self.interrupt_conversation(cx, id);
    }

    /// Interrupts a conversation, and the children whose results it waits for.
    pub(super) fn interrupt_conversation(&mut self, cx: &mut Cx<'_, '_>, id: ConversationId) {
        let Some(live) = self.live.get_mut(&id) else { return };
        let mut acts = Vec::new();
        live.talk.interrupt(cx.at, &mut acts);
        self.drive(cx, id, acts);
        for child in self.children.awaited_by(&self.live, id) {
            self.interrupt_conversation(cx, child);
        }
    }

    /// The prologue of a turn, then its first pass.
    fn begin_turn(&mut self, cx: &mut Cx<'_, '_>, name: &SessionName) {
        let kept = (self.rules.nudges.hydrate == Hydrate::Persisted).then_some(self.profile_counters);
        let Some(session) = self.sessions.get_mut(name) else { return };
        let (Some(pending), Some(id)) = (session.pending.take(), session.conversation) else { return };
        let Some(live) = self.live.get_mut(&id) else { return };
        let object = self.objects.entry(session.object).or_default();
        for message in session.leaked.drain(..) {
            live.talk.transcript.push((*message).clone());
        }
        if let Some(memory) = &mut object.memory {
            memory.reset_turn(&self.rules.memory);
        }
        if let Some(kept) = kept {
            object.nudges.adopt(kept);
        }
        if object.nudges.counters.user_turns == 0 {
            let users = live.talk.transcript.iter().filter(|message| message.is_user()).count();
            object.nudges.hydrate(users, &self.rules.nudges);
        }
        let before = object.nudges.counters;
        let open = gates(&live.talk.charter.tools, object);
        let due = object.nudges.begin_turn(open, &self.rules.nudges);
        session.book = book(before, &pending, cx.at);
        let Incoming { text, made, .. } = pending.incoming;
        let mut words = live.talk.take_steering();
        words.push(text);
        let text: Arc<str> = words.join("\n\n").into();
        let mut acts = Vec::new();
        if std::mem::take(&mut session.interrupted) {
            live.talk.interrupt(cx.at, &mut acts);
        }
        let message = Message::User { text: Arc::clone(&text), synthetic: made };
        live.talk.begin(cx.at, message, &mut acts);
        if made.is_none() {
            self.learn_work(&text);
        }
        self.note(cx, id, Fact::TurnStart { text });
        if due {
            let why = "the interval of user turns is reached";
            self.note_nudge(cx, id, NudgeKind::Memory, NudgeEvent::Due, why);
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
        let (object, book) = (session.object, session.book);
        let due = self.finish_nudges(cx, id, &exit);
        self.profile_counters = self.object_mut(object).nudges.counters;
        self.last_turn_end = Some(cx.at);
        self.use_nudges(cx, id, due, &exit);
        self.refine_now(cx, name);
        if let Some(answer) = &exit.answer {
            self.ask_title(cx, name, id, answer);
        }
        let after = self.object_mut(object).nudges.counters;
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
            by_client: book.by_client,
        };
        cx.wishes.push(Wish::TurnDone { session: name.clone(), end });
        self.next_in_queue(cx, name, book);
        self.start_waiting(cx, object);
    }

    fn next_in_queue(&mut self, cx: &mut Cx<'_, '_>, name: &SessionName, ended: TurnBook) {
        let Some(session) = self.sessions.get_mut(name) else { return };
        if ended.by_client {
            for incoming in session.queue.iter_mut().filter(|incoming| incoming.made.is_none()) {
                incoming.behind += cx.at.since(incoming.since.max(ended.began));
            }
        }
        if let Some(next) = session.queue.pop_front() {
            self.arrive(cx, name, next);
        }
    }

    /// The nudges of a conversation whose turn ended: what is due now. Early returns pass the finaliser by.
    pub(super) fn finish_nudges(&mut self, cx: &mut Cx<'_, '_>, id: ConversationId, exit: &Exit) -> Due {
        let Some(live) = self.live.get(&id) else { return Due::default() };
        let tools = Arc::clone(&live.talk.charter.tools);
        let object = self.object_of(id).and_then(|object| self.objects.get_mut(&object));
        let Some(object) = object else { return Due::default() };
        let open = gates(&tools, object);
        if exit.early {
            let unused = object.nudges.abandon_turn(&self.rules.nudges);
            self.note_unused(cx, id, unused, &exit.reason);
            return Due::default();
        }
        let due = object.nudges.finish_turn(open, &self.rules.nudges);
        if due.skills {
            let why = "the interval of passes is reached";
            self.note_nudge(cx, id, NudgeKind::Skill, NudgeEvent::Due, why);
        }
        due
    }

    /// Starts the review that is due, or says why not.
    pub(super) fn use_nudges(&mut self, cx: &mut Cx<'_, '_>, id: ConversationId, due: Due, exit: &Exit) {
        let answered = exit.answer.as_ref().is_some_and(|answer| !answer.is_empty());
        if !due.any() {
        } else if !answered || exit.interrupted {
            self.note_unused(cx, id, due, &exit.reason);
        } else {
            self.review_due(cx, id, due);
        }
    }

    /// A due nudge starts nothing: it is kept where its counter still stands at its interval, lost where not.
    pub(super) fn note_unused(&mut self, cx: &mut Cx<'_, '_>, id: ConversationId, due: Due, why: &str) {
        let counters = self.object_of(id).and_then(|object| self.objects.get(&object));
        let counters = counters.map(|object| object.nudges.counters).unwrap_or_default();
        let kept = due.both(counters::still_due(counters, &self.rules.nudges));
        self.note_due(cx, id, kept, NudgeEvent::Kept, why);
        self.note_due(cx, id, due.without(kept), NudgeEvent::Lost, why);
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

    /// Whether any turn of the user is in progress or waits to begin.
    pub(super) fn in_turn(&self) -> bool {
        let busy =
            |live: &super::agent::Live| matches!(live.serves, Serves::Session(_)) && live.talk.is_busy();
        self.live.values().any(busy) || self.sessions.values().any(|session| session.pending.is_some())
    }
}

/// Opens the book of a turn: how long background work kept the user waiting, and which.
fn book(before: Counters, pending: &PendingTurn, at: SimTime) -> TurnBook {
    let incoming = &pending.incoming;
    let of_user = incoming.made.is_none();
    let (behind, review) = (incoming.behind, at.since(pending.since));
    let wait_cause = match (behind > SimDuration::ZERO, review > SimDuration::ZERO) {
        _ if !of_user => "",
        (false, false) => "",
        (true, false) => "delegate",
        (false, true) => "review",
        (true, true) => "delegate, review",
    };
    let waited = if of_user { behind + review } else { SimDuration::ZERO };
    TurnBook { before, began: at, waited, wait_cause, by_client: !of_user }
}
