//! Due nudges and what became of them.

use std::sync::Arc;

use super::Measure;
use super::state::OpenNudge;
use crate::records::NudgeRow;
use crate::trace::Event;
use crate::words::{Nudge, NudgeEvent};

impl Measure {
    /// One row a due nudge. Waiting nudges of one session and kind share one slot of the defer queue
    /// (`spec/background-review.md` §8), so a review that starts serves all of them.
    pub(super) fn nudge(&mut self, event: &Event, which: Nudge, what: NudgeEvent, why: &Arc<str>) {
        let slot = (event.session.clone().unwrap_or_default(), which);
        let mut open = self.user(event).open_nudges.remove(&slot).unwrap_or_default();
        let waits = |open: &[OpenNudge], rows: &[NudgeRow]| {
            open.last().is_some_and(|last| rows[last.row].outcome == NudgeEvent::Kept)
        };
        let begins = match what {
            NudgeEvent::Due => !waits(&open, &self.records.nudges),
            _ => open.is_empty(),
        };
        if begins {
            open.push(self.due(event, which, why));
        }
        match what {
            NudgeEvent::Due => {}
            NudgeEvent::Fired => self.fired(event, which, why, &std::mem::take(&mut open)),
            NudgeEvent::Lost => {
                let all_deferred =
                    open.iter().all(|nudge| self.records.nudges[nudge.row].outcome == NudgeEvent::Deferred);
                let lost = open.split_off(if all_deferred { 0 } else { open.len().saturating_sub(1) });
                self.lost(event, why, &lost);
            }
            NudgeEvent::Deferred | NudgeEvent::Kept => {
                if let Some(last) = open.last() {
                    let row = &mut self.records.nudges[last.row];
                    row.outcome = what;
                    row.why = Arc::clone(why);
                    row.deferred += u64::from(what == NudgeEvent::Deferred);
                    row.kept += u64::from(what == NudgeEvent::Kept);
                }
            }
        }
        if !open.is_empty() {
            self.user(event).open_nudges.insert(slot, open);
        }
    }

    fn due(&mut self, event: &Event, which: Nudge, why: &Arc<str>) -> OpenNudge {
        let key = self.key_of(event);
        let row = self.records.nudges.len();
        self.records.nudges.push(NudgeRow {
            scenario: key.scenario,
            arm: key.arm,
            seed: key.seed,
            user: key.user,
            session: event.session.clone().unwrap_or_default(),
            evidence: key.evidence,
            which,
            turn: event.turn,
            due_ms: event.at_ms,
            outcome: NudgeEvent::Due,
            why: Arc::clone(why),
            deferred: 0,
            kept: 0,
            delay_ms: None,
            delay_turns: None,
            review: None,
        });
        self.cell.nudges_due += 1;
        if let Some(session) = self.session_row(event) {
            session.nudges_due += 1;
        }
        let user = self.user(event);
        user.last_due = event.n;
        OpenNudge { row, turns_at_due: user.turns_begun }
    }

    fn fired(&mut self, event: &Event, which: Nudge, why: &Arc<str>, served: &[OpenNudge]) {
        let turns_begun = self.user(event).turns_begun;
        // It was due until now: what was met while it waited (a memory nudge is due when its turn begins) is served as well.
        self.user(event).last_due = event.n;
        let review = self.unclaimed_review(event, which);
        if review.is_none() {
            let slot = (event.session.clone().unwrap_or_default(), which);
            self.user(event).unclaimed_nudges.insert(slot, served.iter().map(|nudge| nudge.row).collect());
        }
        for nudge in served {
            let row = &mut self.records.nudges[nudge.row];
            row.outcome = NudgeEvent::Fired;
            row.why = Arc::clone(why);
            row.delay_ms = u64::try_from(event.at_ms - row.due_ms).ok();
            row.delay_turns = Some(turns_begun - nudge.turns_at_due);
            row.review = review;
            self.cell.nudges_run += 1;
        }
    }

    fn lost(&mut self, event: &Event, why: &Arc<str>, lost: &[OpenNudge]) {
        for nudge in lost {
            let row = &mut self.records.nudges[nudge.row];
            row.outcome = NudgeEvent::Lost;
            row.why = Arc::clone(why);
            self.cell.nudges_lost += 1;
            if let Some(session) = self.session_row(event) {
                session.nudges_lost += 1;
            }
        }
    }

    /// A review of this session that began at this instant for this nudge: the trace may name the review first.
    fn unclaimed_review(&mut self, event: &Event, which: Nudge) -> Option<u64> {
        let session = event.session.clone().unwrap_or_default();
        let row = *self.user(event).reviews.values().next_back()?;
        let review = &self.records.reviews[row];
        let armed = match which {
            Nudge::Memory => review.cause_memory,
            Nudge::Skill => review.cause_skills,
        };
        let fits = armed && review.session == session && review.started_ms == Some(event.at_ms);
        fits.then_some(review.review)
    }

    /// Gives the fired nudges that this review serves its number: the trace may name the nudge first.
    pub(super) fn claim_nudges(&mut self, event: &Event, review: u64, which: Nudge) {
        let slot = (event.session.clone().unwrap_or_default(), which);
        for row in self.user(event).unclaimed_nudges.remove(&slot).unwrap_or_default() {
            self.records.nudges[row].review = Some(review);
        }
    }
}
