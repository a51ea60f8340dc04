//! Background reviews: admission, start, cancellation and end (`spec/background-review.md`). What a review may do is in
//! `fork.rs`, the queue of reviews that wait for quiet in `defer.rs`.
//!
//! A review runs on a snapshot that it shares with its session and never changes it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::agent::{Agent, Cx, ObjectId, Serves};
use super::conversation::Exit;
use super::counters::{self, Due};
use super::ending::is_scaffold;
use super::event::Wish;
use crate::values::{
    ConversationId, Fact, Message, Note, NudgeEvent, NudgeKind, Place, ReviewCause, ReviewEnd, ReviewId,
    Role, SessionName, SimTime, Synthetic, ToolList, Transcript, Usage,
};

/// A session's history as a review sees it.
pub(super) type Snapshot = Arc<[Arc<Message>]>;

/// One review, waiting or running.
#[derive(Clone, Debug)]
pub(super) struct ReviewJob {
    pub(super) session: SessionName,
    /// The turn that caused it.
    pub(super) turn: u32,
    /// The conversation that caused it, and what that serves.
    pub(super) origin: ConversationId,
    role: Role,
    pub(super) object: ObjectId,
    pub(super) cause: ReviewCause,
    pub(super) focus: String,
    pub(super) snapshot: Snapshot,
    /// The prompt and tools of its origin at the time.
    pub(super) system: Arc<str>,
    pub(super) tools: Arc<ToolList>,
    pub(super) due: Due,
    pub(super) enqueued: SimTime,
    /// How often it was cancelled and put back.
    pub(super) attempts: u32,
}

/// A running review.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) job: ReviewJob,
    pub(super) conversation: ConversationId,
    pub(super) cancelled: bool,
    /// The model of its own, if it is routed.
    model: Option<Arc<str>>,
    /// What was said in it after the shared history.
    said: Vec<Arc<Message>>,
}

/// All reviews of an agent.
#[derive(Debug, Default)]
pub(super) struct ReviewDesk {
    pub(super) running: BTreeMap<ReviewId, Running>,
    /// Jobs that wait for quiet, one a conversation.
    pub(super) deferred: BTreeMap<ConversationId, ReviewJob>,
    /// Jobs that wait for the running review, one an agent object.
    waiting: BTreeMap<ObjectId, ReviewJob>,
    /// Whether a look at the queue is planned.
    pub(super) polls: bool,
}

impl ReviewDesk {
    pub(super) fn job(&self, review: ReviewId) -> Option<&ReviewJob> {
        self.running.get(&review).map(|running| &running.job)
    }

    pub(super) fn model(&self, review: ReviewId) -> Option<Arc<str>> {
        self.running.get(&review).and_then(|running| running.model.clone())
    }

    /// A message entered a review.
    pub(super) fn said(&mut self, review: ReviewId, message: &Arc<Message>) {
        if let Some(running) = self.running.get_mut(&review) {
            running.said.push(Arc::clone(message));
        }
    }

    fn running_of(&self, object: ObjectId) -> bool {
        self.running.values().any(|running| running.job.object == object)
    }

    fn cancelled_of(&self, object: ObjectId) -> bool {
        self.running.values().any(|running| running.job.object == object && running.cancelled)
    }

    /// Whether a review works with this agent object or will.
    pub(super) fn uses(&self, object: ObjectId) -> bool {
        let mut waiting = self.deferred.values().chain(self.waiting.values());
        self.running_of(object) || waiting.any(|job| job.object == object)
    }
}

impl Agent {
    /// Nudges are due after a good turn of a conversation.
    pub(super) fn review_due(&mut self, cx: &mut Cx<'_, '_>, id: ConversationId, due: Due) {
        if self.plan.skip_reviews {
            return self.note_unused(cx, id, due, "this agent never reviews");
        }
        if self.depth_of(id) > 0 && !self.rules.review.in_delegates {
            return self.note_unused(cx, id, due, "delegated children start no reviews");
        }
        let cause = ReviewCause { memory: due.memory, skills: due.skills, explicit: false };
        let Some(job) = self.review_job(cx, id, cause, due, "") else { return };
        if self.rules.review.enabled {
            self.admit_review(cx, job);
        } else {
            // The counters go on as if the review had been made (`spec/nudges.md` §4).
            self.clear_spawned(&job);
            Self::note_job_due(cx, &job, job.due, NudgeEvent::Lost, "reviews are switched off");
        }
    }

    /// The user asks for a review: never deferred, also where reviews are switched off. In the midst of a turn it waits
    /// for its end.
    pub(super) fn refine(&mut self, cx: &mut Cx<'_, '_>, name: &SessionName, focus: String) {
        let known = self.sessions.get_mut(name).filter(|session| session.conversation.is_some());
        let Some(session) = known else {
            let text = format!("there is no session {name} to look back on").into();
            return Self::note_of_home(cx, Fact::Notice { text });
        };
        session.refines.push(focus);
        if !self.is_busy(name) {
            self.refine_now(cx, name);
        }
    }

    /// Starts the reviews that the user asked for meanwhile.
    pub(super) fn refine_now(&mut self, cx: &mut Cx<'_, '_>, name: &SessionName) {
        let Some(session) = self.sessions.get_mut(name) else { return };
        let (wanted, conversation, object) =
            (std::mem::take(&mut session.refines), session.conversation, session.object);
        let Some(id) = conversation else { return };
        for focus in wanted {
            let Some(live) = self.live.get(&id) else { return };
            let tools = Arc::clone(&live.talk.charter.tools);
            let open = super::drive::gates(&tools, self.object_mut(object));
            let cause = ReviewCause { memory: open.memory, skills: open.skills, explicit: true };
            if let Some(job) = self.review_job(cx, id, cause, Due::default(), &focus) {
                self.start_or_wait(cx, job);
            }
        }
    }

    fn review_job(
        &mut self,
        cx: &Cx<'_, '_>,
        id: ConversationId,
        cause: ReviewCause,
        due: Due,
        focus: &str,
    ) -> Option<ReviewJob> {
        let place = self.place(id);
        let object = self.object_of(id)?;
        let talk = &mut self.live.get_mut(&id)?.talk;
        Some(ReviewJob {
            session: place.session?,
            turn: place.turn,
            origin: id,
            role: place.role,
            object,
            cause,
            focus: focus.to_owned(),
            snapshot: talk.transcript.share(),
            system: Arc::clone(&talk.charter.system),
            tools: Arc::clone(&talk.charter.tools),
            due,
            enqueued: cx.at,
            attempts: 0,
        })
    }

    fn admit_review(&mut self, cx: &mut Cx<'_, '_>, job: ReviewJob) {
        if self.defers(&job) { self.defer(cx, job) } else { self.start_or_wait(cx, job) }
    }

    /// Starts a job unless another review of its agent object is running.
    pub(super) fn start_or_wait(&mut self, cx: &mut Cx<'_, '_>, job: ReviewJob) {
        let rules = &self.rules.review;
        if !rules.one_at_a_time || !self.reviews.running_of(job.object) {
            self.start_review(cx, job);
        } else if rules.drops_when_busy {
            self.drop_review(cx, &job, "another review is still running");
        } else {
            self.wait_for_other(cx, job);
        }
    }

    /// The newest snapshot waits; it takes the causes of an older one along.
    fn wait_for_other(&mut self, cx: &mut Cx<'_, '_>, mut job: ReviewJob) {
        let why = "another review is still running";
        Self::note_job_due(cx, &job, job.due, NudgeEvent::Deferred, why);
        if let Some(older) = self.reviews.waiting.remove(&job.object) {
            Self::note_job_due(cx, &older, older.due, NudgeEvent::Kept, "a newer review takes it along");
            job.due = job.due.either(older.due);
            job.cause.memory |= older.cause.memory;
            job.cause.skills |= older.cause.skills;
            job.cause.explicit |= older.cause.explicit;
            let wishes = [older.focus, job.focus];
            job.focus = wishes.into_iter().filter(|focus| !focus.is_empty()).collect::<Vec<_>>().join("\n");
        }
        self.reviews.waiting.insert(job.object, job);
    }

    /// The job that waited for a running review starts, unless a live turn would cancel it at once.
    pub(super) fn start_waiting(&mut self, cx: &mut Cx<'_, '_>, object: ObjectId) {
        let in_turn = self.sessions.iter().any(|(name, one)| one.object == object && self.is_busy(name));
        if self.reviews.running_of(object) || (self.rules.review.cancelled_by_turn && in_turn) {
            return;
        }
        if let Some(job) = self.reviews.waiting.remove(&object) {
            self.start_review(cx, job);
        }
    }

    /// A review is not made after all.
    pub(super) fn drop_review(&mut self, cx: &mut Cx<'_, '_>, job: &ReviewJob, why: &str) {
        self.end_unmade(cx, job, ReviewEnd::Dropped(why.into()), why);
    }

    /// A review that never started ends; its nudges are kept where their counters still stand.
    pub(super) fn end_unmade(&mut self, cx: &mut Cx<'_, '_>, job: &ReviewJob, end: ReviewEnd, why: &str) {
        let counters = self.objects.get(&job.object).map(|object| object.nudges.counters).unwrap_or_default();
        let kept = job.due.both(counters::still_due(counters, &self.rules.nudges));
        Self::note_job_due(cx, job, kept, NudgeEvent::Kept, why);
        Self::note_job_due(cx, job, job.due.without(kept), NudgeEvent::Lost, why);
        let review = self.numbers.review();
        let (usage, summary) = (Usage::default(), "".into());
        Self::note_of_job(cx, job, Fact::ReviewEnd { review, end, iterations: 0, usage, summary });
    }

    /// A review really starts: only now its counters are clear, where the rules say so.
    pub(super) fn clear_spawned(&mut self, job: &ReviewJob) {
        let rules = &self.rules.nudges;
        if let Some(object) = self.objects.get_mut(&job.object) {
            counters::spawned(&mut object.nudges.counters, job.due, rules);
        }
        counters::spawned(&mut self.profile_counters, job.due, rules);
    }

    fn start_review(&mut self, cx: &mut Cx<'_, '_>, job: ReviewJob) {
        let review = self.numbers.review();
        self.clear_spawned(&job);
        Self::note_job_due(cx, &job, job.due, NudgeEvent::Fired, "its review started");
        let model = self.route_of_reviews();
        let digest = model.is_some();
        let charter = self.review_charter(cx, &job, digest);
        let history = if digest { self.digest(&job.snapshot) } else { Arc::clone(&job.snapshot) };
        let instruction = self.review_instruction(&job, &charter.allowed, &charter.tools);
        let cause = job.cause;
        let id = self.add_live(charter, Transcript::sharing(history), Serves::Review(review));
        let running = Running { job, conversation: id, cancelled: false, model, said: Vec::new() };
        self.reviews.running.insert(review, running);
        self.note(cx, id, Fact::ReviewStart { review, cause, digest });
        let Some(live) = self.live.get_mut(&id) else { return };
        let mut acts = Vec::new();
        live.talk.begin(cx.at, Message::client(instruction, Synthetic::Instruction), &mut acts);
        self.drive(cx, id, acts);
    }

    /// A model of its own, where provider and model are set and are not the session's pair (§2).
    fn route_of_reviews(&self) -> Option<Arc<str>> {
        let (provider, model) = self.rules.review.route.as_ref()?;
        let same = **provider == *self.plan.provider && **model == *self.plan.model;
        (!same).then(|| model.as_str().into())
    }

    /// A new turn of an object begins: its reviews are cancelled. Says whether one is still running.
    pub(super) fn cancel_reviews(&mut self, cx: &mut Cx<'_, '_>, object: ObjectId) -> bool {
        if !self.rules.review.cancelled_by_turn {
            return false;
        }
        let mut cancelled = Vec::new();
        for running in self.reviews.running.values_mut().filter(|running| running.job.object == object) {
            running.cancelled = true;
            cancelled.push(running.conversation);
        }
        for id in cancelled {
            self.interrupt_conversation(cx, id);
        }
        self.reviews.cancelled_of(object)
    }

    /// A review's conversation ended.
    pub(super) fn review_ended(
        &mut self,
        cx: &mut Cx<'_, '_>,
        review: ReviewId,
        id: ConversationId,
        exit: &Exit,
    ) {
        let Some(running) = self.reviews.running.get(&review) else { return };
        let (cancelled, object) = (running.cancelled, running.job.object);
        let end = review_end(exit, cancelled);
        let (iterations, usage) =
            self.live.get(&id).map(|live| (live.talk.iteration(), live.talk.usage)).unwrap_or_default();
        let summary: Arc<str> = match end {
            // A cancelled review ends before its summary is made (§8).
            ReviewEnd::Cancelled => "".into(),
            _ => self.review_notice(&running.job.snapshot, &running.said).into(),
        };
        let failed = matches!(end, ReviewEnd::Failed(_));
        let requeued = end == ReviewEnd::Cancelled;
        self.note(cx, id, Fact::ReviewEnd { review, end, iterations, usage, summary: Arc::clone(&summary) });
        if !summary.is_empty() {
            self.note(cx, id, Fact::Notice { text: summary });
        } else if failed && self.rules.review.tells_failure {
            self.note(cx, id, Fact::Notice { text: "A background review failed.".into() });
        }
        let running = self.reviews.running.remove(&review).expect("looked up above");
        self.live.remove(&id);
        self.leak(&running);
        if requeued {
            self.requeue(cx, running.job);
        }
        if !self.reviews.cancelled_of(object) {
            self.reviews_stopped(cx, object);
        }
        self.start_waiting(cx, object);
        self.forget_object(object);
    }

    /// Fault: the fork stores its messages under the session's id, so the next turn finds them in its history.
    fn leak(&mut self, running: &Running) {
        if !self.rules.review.leaks || running.job.role != Role::Main {
            return;
        }
        let Some(session) = self.sessions.get_mut(&running.job.session) else { return };
        let unfinished = running.said.iter().rposition(|message| !message.calls().is_empty());
        let whole = match unfinished {
            Some(at) if running.said.len() - at <= running.said[at].calls().len() => &running.said[..at],
            _ => &running.said[..],
        };
        session.leaked.extend(whole.iter().filter(|message| !is_scaffold(message)).map(as_own));
    }

    /// The reviews of a process that ends: those in flight die, those that wait are lost.
    pub(super) fn reviews_die(&mut self, cx: &mut Cx<'_, '_>) {
        let running: Vec<(ReviewId, ConversationId)> =
            self.reviews.running.iter().map(|(review, one)| (*review, one.conversation)).collect();
        for (review, id) in running {
            let (iterations, usage) =
                self.live.get(&id).map(|live| (live.talk.iteration(), live.talk.usage)).unwrap_or_default();
            let (end, summary) = (ReviewEnd::LostAtExit, "".into());
            self.note(cx, id, Fact::ReviewEnd { review, end, iterations, usage, summary });
            self.abandon(cx, id);
            if let Some(running) = self.reviews.running.remove(&review) {
                self.leak(&running);
            }
        }
        let deferred = std::mem::take(&mut self.reviews.deferred).into_values();
        let waiting = std::mem::take(&mut self.reviews.waiting).into_values();
        let lost: Vec<ReviewJob> = deferred.chain(waiting).collect();
        for job in lost {
            self.end_unmade(cx, &job, ReviewEnd::LostAtExit, "the process ended");
        }
    }

    /// Records a fact of a review that has no conversation, at the turn that caused it.
    pub(super) fn note_of_job(cx: &mut Cx<'_, '_>, job: &ReviewJob, fact: Fact) {
        let place = Place {
            session: Some(job.session.clone()),
            conversation: job.origin,
            role: job.role,
            turn: job.turn,
            iteration: 0,
        };
        cx.wishes.push(Wish::Note(Note { place, fact }));
    }

    pub(super) fn note_job_due(cx: &mut Cx<'_, '_>, job: &ReviewJob, due: Due, event: NudgeEvent, why: &str) {
        for (is_due, which) in [(due.memory, NudgeKind::Memory), (due.skills, NudgeKind::Skill)] {
            if is_due {
                Self::note_of_job(cx, job, Fact::Nudge { which, event, why: why.into() });
            }
        }
    }
}

/// What a review said, as the session reads it: its instruction stands there as the user's own words.
fn as_own(message: &Arc<Message>) -> Arc<Message> {
    match &**message {
        Message::User { text, synthetic: Some(Synthetic::Instruction) } => {
            Arc::new(Message::user(Arc::clone(text)))
        }
        _ => Arc::clone(message),
    }
}

fn review_end(exit: &Exit, cancelled: bool) -> ReviewEnd {
    if exit.interrupted {
        return if cancelled { ReviewEnd::Cancelled } else { ReviewEnd::Failed(exit.reason.as_str().into()) };
    }
    if exit.reason.starts_with("max_iterations_reached") {
        return ReviewEnd::Budget("iterations".into());
    }
    if exit.reason == "review_input_budget_exhausted" {
        return ReviewEnd::Budget("input tokens".into());
    }
    if exit.early || exit.failed || exit.reason == "empty_response_exhausted" {
        return ReviewEnd::Failed(exit.reason.as_str().into());
    }
    ReviewEnd::Done
}
