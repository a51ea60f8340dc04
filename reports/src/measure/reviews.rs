//! Reviews: their beginning, their end, and which events are theirs.

use std::sync::Arc;

use super::Measure;
use super::sessions::role_of;
use crate::records::ReviewRow;
use crate::trace::{Event, Kind};
use crate::words::{Nudge, Role};

impl Measure {
    pub(super) fn review_event(&mut self, event: &Event) {
        match &event.kind {
            Kind::ReviewStart { review, .. } => self.review_start(event, *review),
            Kind::ReviewEnd { review, .. } => self.review_end(event, *review),
            _ => {}
        }
    }

    fn review_start(&mut self, event: &Event, review: u64) {
        let Kind::ReviewStart { cause, digest, .. } = &event.kind else { return };
        let row = self.review_by_number(event, review);
        row.cause_memory = cause.memory;
        row.cause_skills = cause.skills;
        row.cause_explicit = cause.explicit;
        row.digest = *digest;
        row.started_ms = Some(event.at_ms);
        self.user(event).last_review = event.n;
        self.cell.reviews += 1;
        if let Some(session) = self.session_row(event) {
            session.reviews += 1;
        }
        if let (Some(conversation), Some(Role::Review)) = (event.conversation, event.role) {
            self.user(event).review_conversations.insert(conversation, review);
        }
        for (which, armed) in [(Nudge::Memory, cause.memory), (Nudge::Skill, cause.skills)] {
            if armed {
                self.claim_nudges(event, review, which);
            }
        }
    }

    fn review_end(&mut self, event: &Event, review: u64) {
        let Kind::ReviewEnd { outcome, reason, iterations, summary, .. } = &event.kind else { return };
        let row = self.review_by_number(event, review);
        row.outcome = Some(*outcome);
        row.reason = Arc::clone(reason);
        row.notice = Arc::clone(summary.shared());
        row.iterations = u64::from(*iterations);
        row.duration_ms = row.started_ms.and_then(|started| u64::try_from(event.at_ms - started).ok());
    }

    fn review_by_number(&mut self, event: &Event, review: u64) -> &mut ReviewRow {
        let key = self.key_of(event);
        let next = self.records.reviews.len();
        let row = *self.user(event).reviews.entry(review).or_insert(next);
        if row == next {
            self.records.reviews.push(ReviewRow {
                scenario: key.scenario,
                arm: key.arm,
                seed: key.seed,
                user: key.user,
                session: event.session.clone().unwrap_or_default(),
                evidence: key.evidence,
                review,
                turn: event.turn,
                ..ReviewRow::default()
            });
        }
        &mut self.records.reviews[row]
    }

    /// The number of the review that the event belongs to: by its conversation, or else the last one that its
    /// session caused.
    pub(super) fn review_of(&mut self, event: &Event) -> Option<u64> {
        if role_of(event) != Some(Role::Review) {
            return None;
        }
        let user = self.users.get(&event.user)?;
        let by_conversation = event.conversation.and_then(|number| user.review_conversations.get(&number));
        let last = || {
            let of_session = |row: &&usize| {
                event.session.as_ref().is_some_and(|session| self.records.reviews[**row].session == *session)
            };
            user.reviews.values().rev().find(of_session).map(|row| self.records.reviews[*row].review)
        };
        let review = by_conversation.copied().or_else(last)?;
        if let Some(conversation) = event.conversation {
            self.user(event).review_conversations.insert(conversation, review);
        }
        Some(review)
    }

    /// The row of the review that the event belongs to.
    pub(super) fn review_row(&mut self, event: &Event) -> Option<&mut ReviewRow> {
        let review = self.review_of(event)?;
        let row = *self.user(event).reviews.get(&review)?;
        Some(&mut self.records.reviews[row])
    }
}
