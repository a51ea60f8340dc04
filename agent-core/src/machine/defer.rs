//! The queue of reviews that wait for a quiet model server (`spec/background-review.md` §8).
//!
//! One slot a conversation; a newer snapshot takes the older one's place but keeps its time of entry. The queue lives
//! in the process and is lost with it.

use super::agent::{Agent, Cx, Timer};
use super::review::ReviewJob;
use crate::values::{NudgeEvent, SimDuration};

impl Agent {
    /// Whether a review waits for quiet: an automatic one, on a server that the agent manages itself.
    pub(super) fn defers(&self, job: &ReviewJob) -> bool {
        self.rules.review.defer.is_some() && self.plan.server.managed && !job.cause.explicit
    }

    /// Puts a job into its slot.
    pub(super) fn defer(&mut self, cx: &mut Cx<'_, '_>, mut job: ReviewJob) {
        Self::note_job_due(cx, &job, job.due, NudgeEvent::Deferred, "waits until the server is quiet");
        if let Some(older) = self.reviews.deferred.remove(&job.origin) {
            job.enqueued = older.enqueued;
            self.drop_review(cx, &older, "a newer snapshot took its place");
        }
        self.reviews.deferred.insert(job.origin, job);
        self.arm_poll(cx);
    }

    /// Puts a cancelled review back, unless it is no longer to wait, a newer snapshot does, or it was put back too
    /// often.
    pub(super) fn requeue(&mut self, cx: &mut Cx<'_, '_>, mut job: ReviewJob) {
        let Some(defer) = self.rules.review.defer.filter(|_| self.defers(&job)) else { return };
        job.attempts += 1;
        // Its nudges were used when it first started.
        job.due = super::counters::Due::default();
        if job.attempts <= defer.requeues_max && !self.reviews.deferred.contains_key(&job.origin) {
            self.reviews.deferred.insert(job.origin, job);
            self.arm_poll(cx);
        }
    }

    fn arm_poll(&mut self, cx: &mut Cx<'_, '_>) {
        let Some(defer) = self.rules.review.defer else { return };
        if !self.reviews.polls {
            self.reviews.polls = true;
            self.set_timer(cx, cx.at + defer.poll, Timer::DeferPoll);
        }
    }

    /// Starts the oldest job, if it is too old to wait on or all is quiet.
    pub(super) fn defer_poll(&mut self, cx: &mut Cx<'_, '_>) {
        self.reviews.polls = false;
        let Some(defer) = self.rules.review.defer else {
            // The queue was switched off while jobs waited in it: nothing keeps them any longer.
            let jobs = std::mem::take(&mut self.reviews.deferred);
            return jobs.into_values().for_each(|job| self.dispatch_deferred(cx, job));
        };
        let oldest = self.reviews.deferred.values().min_by_key(|job| job.enqueued);
        let ready =
            oldest.filter(|job| cx.at.since(job.enqueued) >= defer.age_max || self.is_quiet(cx, defer.quiet));
        if let Some(origin) = ready.map(|job| job.origin)
            && let Some(job) = self.reviews.deferred.remove(&origin)
        {
            self.dispatch_deferred(cx, job);
        }
        if !self.reviews.deferred.is_empty() {
            self.arm_poll(cx);
        }
    }

    /// The enabled flag is read once more.
    fn dispatch_deferred(&mut self, cx: &mut Cx<'_, '_>, job: ReviewJob) {
        if self.rules.review.enabled {
            self.start_or_wait(cx, job);
        } else {
            self.clear_spawned(&job);
            self.drop_review(cx, &job, "reviews were switched off while it waited");
        }
    }

    /// No turn for a while, and no busy slot of the server; of a server whose slots are not known nothing is seen.
    fn is_quiet(&self, cx: &Cx<'_, '_>, quiet: SimDuration) -> bool {
        let own_requests = self.plan.server.slots > 0 && !self.calls.is_empty();
        let idle = self.last_turn_end.is_none_or(|end| cx.at.since(end) >= quiet);
        !self.server_busy && !own_requests && !self.in_turn() && idle
    }
}
