//! Sessions and turns.

use std::sync::Arc;

use super::Measure;
use super::state::{Key, Session, User};
use crate::records::{SessionRow, TurnRow};
use crate::trace::{Event, Kind};
use crate::words::Role;

const MS_PER_DAY: i64 = 86_400_000;

impl Measure {
    /// The keys of rows of this event's user.
    pub(super) fn key_of(&self, event: &Event) -> Key {
        Key { user: Arc::clone(&event.user), ..self.key.clone() }
    }

    pub(super) fn user(&mut self, event: &Event) -> &mut User {
        if !self.users.contains_key(&event.user) {
            self.users.insert(Arc::clone(&event.user), User::default());
        }
        self.users.get_mut(&event.user).expect("inserted above")
    }

    /// The state of the event's session; it begins here if it was never opened.
    pub(super) fn session(&mut self, event: &Event) -> Option<&mut Session> {
        let name = event.session.as_ref()?;
        if !self.user(event).sessions.contains_key(name) {
            let key = self.key_of(event);
            let row = SessionRow {
                scenario: key.scenario,
                arm: key.arm,
                seed: key.seed,
                user: key.user,
                session: Arc::clone(name),
                evidence: key.evidence,
                started_at: self.stamp(event.at_ms),
                ..SessionRow::default()
            };
            let session =
                Session { row: self.records.sessions.len(), opened_ms: event.at_ms, ..Session::default() };
            self.records.sessions.push(row);
            self.user(event).sessions.insert(Arc::clone(name), session);
        }
        self.user(event).sessions.get_mut(name)
    }

    /// The row of the event's session.
    pub(super) fn session_row(&mut self, event: &Event) -> Option<&mut SessionRow> {
        let row = self.session(event)?.row;
        Some(&mut self.records.sessions[row])
    }

    /// The row of the event's turn, if the event belongs to a turn of its session and not to a conversation beside.
    pub(super) fn turn_row(&mut self, event: &Event) -> Option<&mut TurnRow> {
        if !is_main(event) {
            return None;
        }
        let turns = &self.session(event)?.turns;
        let row = turns.iter().rev().find(|(turn, _)| *turn == event.turn)?.1;
        Some(&mut self.records.turns[row])
    }

    /// A session lasts as long as something happens in it or because of it.
    pub(super) fn extend_session(&mut self, event: &Event) {
        let Some(session) = self.session(event) else { return };
        let duration = u64::try_from(event.at_ms - session.opened_ms).unwrap_or(0);
        let row = session.row;
        let row = &mut self.records.sessions[row];
        row.duration_ms = row.duration_ms.max(duration);
    }

    pub(super) fn session_event(&mut self, event: &Event) {
        match &event.kind {
            Kind::SessionStart { .. } => self.session_start(event),
            Kind::SessionEnd { reason } => {
                if let Some(row) = self.session_row(event) {
                    row.end_reason = Arc::clone(reason);
                }
            }
            Kind::TurnStart { .. } => self.turn_start(event),
            Kind::TurnEnd { .. } => self.turn_end(event),
            Kind::Interrupt => {
                if let Some(row) = self.session_row(event) {
                    row.interrupts += 1;
                }
                if let Some(row) = self.turn_row(event) {
                    row.interrupts += 1;
                }
            }
            Kind::Steer { .. } => {
                if let Some(row) = self.turn_row(event) {
                    row.steers += 1;
                }
            }
            Kind::Compression { how, unpaired, child, .. } => {
                let (of_session, was_made) = (is_main(event), is_made(how));
                if let Some(row) = self.session_row(event) {
                    row.compressions += u64::from(of_session && was_made);
                    row.continued += u64::from(of_session && child.is_some());
                    row.forked += u64::from(!of_session && child.is_some());
                    row.unpaired += unpaired;
                }
            }
            _ => {}
        }
    }

    fn session_start(&mut self, event: &Event) {
        let Kind::SessionStart { agent, prompt, skills, index_tokens, .. } = &event.kind else { return };
        if let Some(session) = self.session(event) {
            session.index_tokens = *index_tokens;
        }
        let first = self.session_row(event).is_some_and(|row| row.openings == 0);
        if let Some(row) = self.session_row(event) {
            row.openings += 1;
            if first {
                row.agent = *agent;
                row.skills_listed = count(skills.len());
                row.index_tokens = *index_tokens;
                row.prompt_chars = count(prompt.chars().count());
            }
        }
        for listed in skills.iter() {
            let row = self.skill_row(event, &listed.name);
            row.sessions_listed += 1;
        }
    }

    fn turn_start(&mut self, event: &Event) {
        let Kind::TurnStart { family, occurrence, corrects, .. } = &event.kind else { return };
        let key = self.key_of(event);
        let row = self.records.turns.len();
        let Some(session) = self.session(event) else { return };
        session.turns.push((event.turn, row));
        self.records.turns.push(TurnRow {
            scenario: key.scenario,
            arm: key.arm,
            seed: key.seed,
            user: key.user,
            session: event.session.clone().unwrap_or_default(),
            evidence: key.evidence,
            turn: event.turn,
            started_ms: event.at_ms,
            day: event.at_ms.div_euclid(MS_PER_DAY),
            family: family.clone().unwrap_or_default(),
            occurrence: *occurrence,
            corrects: corrects.clone().unwrap_or_default(),
            ..TurnRow::default()
        });
        self.user(event).turns_begun += 1;
        if let Some(row) = self.session_row(event) {
            row.turns += 1;
        }
    }

    fn turn_end(&mut self, event: &Event) {
        let Kind::TurnEnd {
            exit, api_calls, after, waited_ms, wait_cause, completed, outcome, answer, ..
        } = &event.kind
        else {
            return;
        };
        if let Some(row) = self.session_row(event) {
            row.iterations += u64::from(*api_calls);
            row.waited_ms += waited_ms;
            row.outcome = outcome.or(row.outcome);
        }
        if let Some(row) = self.turn_row(event) {
            row.duration_ms = u64::try_from(event.at_ms - row.started_ms).ok();
            row.exit = Arc::clone(exit);
            row.iterations = u64::from(*api_calls);
            row.waited_ms = *waited_ms;
            row.wait_cause = Arc::clone(wait_cause);
            row.turns_since_memory = after.turns_since_memory;
            row.iters_since_skill = after.iters_since_skill;
            row.completed = *completed;
            row.answered = answer.as_ref().is_some_and(|answer| !answer.is_empty());
            row.outcome = *outcome;
        }
    }

    /// The index tokens that a request of role main carries.
    pub(super) fn index_tokens_of(&mut self, event: &Event) -> u64 {
        if is_main(event) { self.session(event).map_or(0, |session| session.index_tokens) } else { 0 }
    }
}

/// Whether a compression changed anything.
fn is_made(how: &str) -> bool {
    !matches!(how, "nothing to do" | "aborted")
}

/// Whether the event belongs to the session's own conversation. An event that names no role does if it names a
/// session.
pub(super) fn is_main(event: &Event) -> bool {
    role_of(event) == Some(Role::Main)
}

/// The role of the event's conversation.
pub(super) fn role_of(event: &Event) -> Option<Role> {
    event.role.or(event.session.is_some().then_some(Role::Main))
}

/// A length as a count.
pub(super) fn count(len: usize) -> u64 {
    len as u64
}
