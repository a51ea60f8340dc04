//! Background reviews: admission, the fork's charter, cancellation, the defer queue, and the end
//! (`spec/background-review.md`).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::agent::{Agent, Cx, ObjectId, Serves, Timer};
use super::charter::{Allowed, Charter, Compresses};
use super::conversation::Exit;
use super::counters::Due;
use crate::behaviour::{ReviewBudget, ReviewCompression, ReviewRules, ReviewWhitelist};
use crate::values::{
    ConversationId, Fact, Message, NudgeEvent, ReviewCause, ReviewEnd, ReviewId, Role, SessionName, SimTime,
    Synthetic, Tokens, ToolList, Transcript, WriteOrigin,
};

/// A session's history as a review sees it.
pub(super) type Snapshot = Arc<[Arc<Message>]>;

/// The unset input budget: three quarters of the window, at most this, and this much where the window is unknown
/// (`spec/background-review.md` §9).
const BUDGET_MAX: u64 = 600_000;
const BUDGET_UNKNOWN: u64 = 120_000;

/// One review, waiting or running.
#[derive(Clone, Debug)]
pub(super) struct ReviewJob {
    pub(super) session: SessionName,
    /// The turn that caused it.
    pub(super) turn: u32,
    pub(super) object: ObjectId,
    pub(super) cause: ReviewCause,
    pub(super) focus: String,
    pub(super) snapshot: Snapshot,
    /// The session's prompt and tools at the time.
    system: Arc<str>,
    tools: Arc<ToolList>,
    due: Due,
    enqueued: SimTime,
    attempts: u32,
    origin: ConversationId,
}

/// A running review.
#[derive(Debug)]
struct Running {
    job: ReviewJob,
    conversation: ConversationId,
    cancelled: bool,
    /// The model of its own, if it is routed.
    model: Option<Arc<str>>,
}

/// All reviews of an agent.
#[derive(Debug, Default)]
pub(super) struct ReviewDesk {
    running: BTreeMap<ReviewId, Running>,
    /// Jobs that wait for quiet, one a session.
    deferred: BTreeMap<SessionName, ReviewJob>,
    /// Jobs that wait for the running review, one an agent object; the newest stays.
    waiting: BTreeMap<ObjectId, ReviewJob>,
    polls: bool,
}

impl ReviewDesk {
    pub(super) fn job(&self, review: ReviewId) -> Option<&ReviewJob> {
        self.running.get(&review).map(|running| &running.job)
    }

    pub(super) fn model(&self, review: ReviewId) -> Option<Arc<str>> {
        self.running.get(&review).and_then(|running| running.model.clone())
    }

    fn running_of(&self, object: ObjectId) -> bool {
        self.running.values().any(|running| running.job.object == object)
    }

    fn cancelled_of(&self, object: ObjectId) -> bool {
        self.running.values().any(|running| running.job.object == object && running.cancelled)
    }
}

impl Agent {
    /// Nudges are due after a good turn.
    pub(super) fn review_due(
        &mut self,
        cx: &mut Cx<'_, '_>,
        name: &SessionName,
        id: ConversationId,
        due: Due,
    ) {
        if self.plan.skip_reviews {
            return self.note_unused(cx, id, due, "this agent never reviews");
        }
        if !self.rules.review.enabled {
            self.clear_spawned(name, due);
            return self.note_due(cx, id, due, NudgeEvent::Lost, "reviews are switched off");
        }
        let cause = ReviewCause { memory: due.memory, skills: due.skills, explicit: false };
        if let Some(job) = self.review_job(cx, name, id, cause, due, "") {
            self.admit_review(cx, job);
        }
    }

    /// The user asks for a review: never deferred, also where reviews are switched off.
    pub(super) fn refine(&mut self, cx: &mut Cx<'_, '_>, name: &SessionName, focus: &str) {
        let Some(session) = self.sessions.get(name) else { return };
        let Some(id) = session.conversation else { return };
        let Some(live) = self.live.get(&id) else { return };
        let Some(object) = self.objects.get(&session.object) else { return };
        let open = super::drive::gates(&live.talk.charter.tools, object);
        let cause = ReviewCause { memory: open.memory, skills: open.skills, explicit: true };
        if let Some(job) = self.review_job(cx, name, id, cause, Due::default(), focus) {
            self.start_review(cx, job);
        }
    }

    fn review_job(
        &mut self,
        cx: &Cx<'_, '_>,
        name: &SessionName,
        id: ConversationId,
        cause: ReviewCause,
        due: Due,
        focus: &str,
    ) -> Option<ReviewJob> {
        let object = self.sessions.get(name)?.object;
        let live = self.live.get_mut(&id)?;
        Some(ReviewJob {
            session: name.clone(),
            turn: live.talk.turn,
            object,
            cause,
            focus: focus.to_owned(),
            snapshot: live.talk.transcript.share(),
            system: Arc::clone(&live.talk.charter.system),
            tools: Arc::clone(&live.talk.charter.tools),
            due,
            enqueued: cx.at,
            attempts: 0,
            origin: id,
        })
    }

    /// Starts a job, or lets it wait, or drops it.
    fn admit_review(&mut self, cx: &mut Cx<'_, '_>, job: ReviewJob) {
        if self.rules.review.defer.is_some() && self.plan.server.managed {
            return self.defer(cx, job);
        }
        let rules = &self.rules.review;
        if rules.one_at_a_time && self.reviews.running_of(job.object) {
            if rules.drops_when_busy {
                return self.drop_review(cx, &job, "another review is still running");
            }
            self.note_due(cx, job.origin, job.due, NudgeEvent::Deferred, "another review is still running");
            if let Some(older) = self.reviews.waiting.insert(job.object, job) {
                self.drop_review(cx, &older, "a newer one took its place");
            }
            return;
        }
        self.start_review(cx, job);
    }

    fn drop_review(&mut self, cx: &mut Cx<'_, '_>, job: &ReviewJob, why: &str) {
        self.note_due(cx, job.origin, job.due, NudgeEvent::Lost, why);
        let review = self.numbers.review();
        let end = ReviewEnd::Dropped(why.into());
        let usage = crate::values::Usage::default();
        self.note(cx, job.origin, Fact::ReviewEnd { review, end, iterations: 0, usage, summary: "".into() });
    }

    fn clear_spawned(&mut self, name: &SessionName, due: Due) {
        let Some(object) = self.sessions.get(name).map(|session| session.object) else { return };
        let rules = &self.rules.nudges;
        if let Some(object) = self.objects.get_mut(&object) {
            object.nudges.spawned(due, rules);
        }
    }

    fn start_review(&mut self, cx: &mut Cx<'_, '_>, job: ReviewJob) {
        let review = self.numbers.review();
        self.clear_spawned(&job.session.clone(), job.due);
        self.note_due(cx, job.origin, job.due, NudgeEvent::Fired, "its review started");
        let route = self.route_of_reviews();
        let digest = route.is_some();
        let charter = self.review_charter(cx, &job, digest);
        let history = if digest { self.digest(&job.snapshot) } else { Arc::clone(&job.snapshot) };
        let instruction = self.review_instruction(&job, &charter.allowed, &charter.tools);
        let cause = job.cause;
        let id = self.add_live(charter, Transcript::sharing(history), Serves::Review(review));
        self.reviews
            .running
            .insert(review, Running { job, conversation: id, cancelled: false, model: route });
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

    fn review_charter(&mut self, cx: &mut Cx<'_, '_>, job: &ReviewJob, digest: bool) -> Charter {
        let inherits = self.rules.review.inherits_prompt && !digest;
        let tools =
            if self.rules.review.inherits_tools { Arc::clone(&job.tools) } else { self.session_tools() };
        let system =
            if inherits { Arc::clone(&job.system) } else { self.build_prompt(cx, job.object, &tools).text };
        let rules = &self.rules.review;
        Charter {
            role: Role::Review,
            system,
            allowed: allowed(rules, job.cause, &tools, self.memory_enabled()),
            tools,
            refusal_lists_allowed: rules.refusal_lists_allowed,
            iterations_max: rules.iterations_max,
            input_budget: budget(rules.budget, self.loop_rules.context),
            origin: WriteOrigin::Review,
            persists: false,
            compresses: match rules.compression {
                ReviewCompression::AsSession => Compresses::Yes,
                ReviewCompression::Off => Compresses::No,
                ReviewCompression::AfterFirstReply => Compresses::AfterFirstReply,
            },
            nudges: false,
            hooks: Arc::from([]),
            delegates_max: 0,
            rules: Arc::clone(&self.loop_rules),
            texts: Arc::clone(&self.texts),
        }
    }

    /// A new turn of an object begins: its reviews are cancelled. Says whether one is still running.
    pub(super) fn cancel_reviews(&mut self, cx: &mut Cx<'_, '_>, object: ObjectId) -> bool {
        if !self.rules.review.cancelled_by_turn {
            return false;
        }
        let running: Vec<ConversationId> = self
            .reviews
            .running
            .values_mut()
            .filter(|running| running.job.object == object)
            .map(|running| {
                running.cancelled = true;
                running.conversation
            })
            .collect();
        for id in running {
            let Some(live) = self.live.get_mut(&id) else { continue };
            let mut acts = Vec::new();
            live.talk.interrupt(cx.at, &mut acts);
            self.drive(cx, id, acts);
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
        let summary: Arc<str> = self.review_summary(id, &running.job.snapshot).into();
        let failed = matches!(end, ReviewEnd::Failed(_));
        self.note(cx, id, Fact::ReviewEnd { review, end, iterations, usage, summary: Arc::clone(&summary) });
        if !summary.is_empty() {
            self.note(cx, id, Fact::Notice { text: summary });
        } else if failed && self.rules.review.tells_failure {
            self.note(cx, id, Fact::Notice { text: "A background review failed.".into() });
        }
        let running = self.reviews.running.remove(&review).expect("looked up above");
        self.leak_instruction(cx, &running.job, id);
        self.live.remove(&id);
        if cancelled && exit.interrupted {
            self.requeue(cx, running.job);
        }
        if !self.reviews.cancelled_of(object) {
            self.reviews_stopped(cx, object);
        }
        if !self.reviews.running_of(object)
            && let Some(job) = self.reviews.waiting.remove(&object)
        {
            self.start_review(cx, job);
        }
    }

    /// Fault: the fork stored its messages under the session's id, so the next turn finds them in its history.
    fn leak_instruction(&mut self, cx: &mut Cx<'_, '_>, job: &ReviewJob, review: ConversationId) {
        if !self.rules.review.leaks_instruction {
            return;
        }
        let Some(live) = self.live.get(&review) else { return };
        let leaked: Vec<Message> = live
            .talk
            .transcript
            .iter()
            .skip(job.snapshot.len())
            .filter(|message| message.calls().is_empty() && !matches!(***message, Message::Tool { .. }))
            .map(|message| match &**message {
                Message::User { text, .. } => Message::user(Arc::clone(text)),
                other => other.clone(),
            })
            .collect();
        let idle = self.live.get(&job.origin).is_some_and(|live| !live.talk.is_busy());
        if !idle {
            return;
        }
        for message in leaked {
            let message = Arc::new(message);
            self.store_message(cx, job.origin, &message);
            if let Some(live) = self.live.get_mut(&job.origin) {
                live.talk.transcript.push((*message).clone());
            }
        }
    }

    // The defer queue (§8).

    /// Puts a job into its session's slot; the newer snapshot wins, the first enqueue time stays.
    fn defer(&mut self, cx: &mut Cx<'_, '_>, mut job: ReviewJob) {
        self.note_due(cx, job.origin, job.due, NudgeEvent::Deferred, "waits until the server is quiet");
        self.clear_spawned(&job.session.clone(), job.due);
        if let Some(older) = self.reviews.deferred.get(&job.session) {
            job.enqueued = older.enqueued;
        }
        self.reviews.deferred.insert(job.session.clone(), job);
        self.arm_poll(cx);
    }

    /// Puts a cancelled automatic review back, unless a newer snapshot waits or it was put back too often.
    fn requeue(&mut self, cx: &mut Cx<'_, '_>, mut job: ReviewJob) {
        let Some(defer) = self.rules.review.defer.filter(|_| self.plan.server.managed && !job.cause.explicit)
        else {
            return;
        };
        job.attempts += 1;
        if job.attempts > defer.requeues_max || self.reviews.deferred.contains_key(&job.session) {
            return;
        }
        self.reviews.deferred.insert(job.session.clone(), job);
        self.arm_poll(cx);
    }

    fn arm_poll(&mut self, cx: &mut Cx<'_, '_>) {
        let Some(defer) = self.rules.review.defer else { return };
        if !self.reviews.polls {
            self.reviews.polls = true;
            let at = cx.at + defer.poll;
            self.set_timer(cx, at, Timer::DeferPoll);
        }
    }

    /// Starts the oldest over-age job, or the oldest one if all is quiet.
    pub(super) fn defer_poll(&mut self, cx: &mut Cx<'_, '_>) {
        self.reviews.polls = false;
        let Some(defer) = self.rules.review.defer else { return };
        let oldest = self.reviews.deferred.values().min_by_key(|job| job.enqueued);
        let chosen = oldest
            .filter(|job| cx.at.since(job.enqueued) >= defer.age_max || self.is_quiet(cx, defer.quiet))
            .map(|job| job.session.clone());
        if let Some(session) = chosen {
            let job = self.reviews.deferred.remove(&session).expect("just found");
            if self.rules.review.enabled {
                self.start_deferred(cx, job);
            } else {
                self.drop_review(cx, &job, "reviews were switched off while it waited");
            }
        }
        if !self.reviews.deferred.is_empty() {
            self.arm_poll(cx);
        }
    }

    fn start_deferred(&mut self, cx: &mut Cx<'_, '_>, mut job: ReviewJob) {
        // Its nudges were booked as used when it entered the queue.
        let due = std::mem::take(&mut job.due);
        self.note_due(cx, job.origin, due, NudgeEvent::Fired, "its review started after a wait");
        self.start_review(cx, job);
    }

    fn is_quiet(&self, cx: &Cx<'_, '_>, quiet: crate::values::SimDuration) -> bool {
        let in_turn =
            self.live.values().any(|live| matches!(live.serves, Serves::Session(_)) && live.talk.is_busy());
        let in_use = !self.calls.is_empty() || self.server_busy;
        !in_turn && !in_use && self.last_turn_end.is_none_or(|end| cx.at.since(end) >= quiet)
    }

    /// The process ends: reviews in flight die, waiting ones are lost. What they wrote stays.
    pub(super) fn process_exit(&mut self, cx: &mut Cx<'_, '_>) {
        let running = std::mem::take(&mut self.reviews.running);
        for (review, running) in running {
            let id = running.conversation;
            let (iterations, usage) =
                self.live.get(&id).map(|live| (live.talk.iteration(), live.talk.usage)).unwrap_or_default();
            let call = self.live.get(&id).and_then(|live| live.call);
            self.reviews.running.insert(review, running);
            let end = ReviewEnd::LostAtExit;
            self.note(cx, id, Fact::ReviewEnd { review, end, iterations, usage, summary: "".into() });
            self.reviews.running.remove(&review);
            if let Some(call) = call {
                cx.wishes.push(super::event::Wish::AbortModel { call });
            }
            self.live.remove(&id);
        }
        let lost = std::mem::take(&mut self.reviews.deferred).into_values();
        let waiting = std::mem::take(&mut self.reviews.waiting).into_values();
        let lost: Vec<ReviewJob> = lost.chain(waiting).collect();
        for job in lost {
            self.note_due(cx, job.origin, job.due, NudgeEvent::Lost, "the process ended");
            let review = self.numbers.review();
            let usage = crate::values::Usage::default();
            let end = ReviewEnd::LostAtExit;
            self.note(
                cx,
                job.origin,
                Fact::ReviewEnd { review, end, iterations: 0, usage, summary: "".into() },
            );
        }
        self.objects.remove(&super::agent::KEPT);
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
    if exit.failed || exit.reason == "empty_response_exhausted" {
        return ReviewEnd::Failed(exit.reason.as_str().into());
    }
    ReviewEnd::Done
}

/// The dispatch whitelist (§5). Extra tools only admit what the session is offered.
fn allowed(rules: &ReviewRules, cause: ReviewCause, tools: &ToolList, memory_enabled: bool) -> Allowed {
    let skills = ["skills_list", "skill_view", "skill_manage"];
    let armed = cause.memory || cause.explicit || !rules.memory_only_if_armed;
    let mut names: Vec<Arc<str>> = Vec::new();
    let mut add = |name: &str| {
        if tools.has(name) && !names.iter().any(|known| **known == *name) {
            names.push(name.into());
        }
    };
    match rules.whitelist {
        ReviewWhitelist::None => return Allowed::Offered,
        ReviewWhitelist::Toolsets => {
            if armed {
                add("memory");
            }
            skills.into_iter().for_each(&mut add);
        }
        ReviewWhitelist::Enabled => {
            skills.into_iter().for_each(&mut add);
            if memory_enabled && armed {
                add("memory");
            }
        }
        ReviewWhitelist::Armed => {
            skills.into_iter().for_each(&mut add);
            ["read_file", "search_files"].into_iter().for_each(&mut add);
            if memory_enabled && (cause.memory || cause.explicit) {
                add("memory");
            }
            for extra in &rules.extra_tools {
                add(extra);
            }
        }
    }
    Allowed::Only(names.into())
}

fn budget(rule: ReviewBudget, window: Tokens) -> Option<Tokens> {
    match rule {
        ReviewBudget::Unlimited => None,
        ReviewBudget::Fixed(tokens) => Some(tokens),
        ReviewBudget::OfWindow if window.0 == 0 => Some(Tokens(BUDGET_UNKNOWN)),
        ReviewBudget::OfWindow => Some(Tokens((window.0 * 3 / 4).min(BUDGET_MAX))),
    }
}
