//! Hazards and lessons.

use std::sync::Arc;

use super::Measure;
use super::state::Lesson;
use crate::records::{HazardRow, LessonRow};
use crate::trace::{Event, Kind};
use crate::words::{HazardOutcome, LessonEvent, Teacher};

impl Measure {
    pub(super) fn lesson_event(&mut self, event: &Event) {
        match &event.kind {
            Kind::Hazard { .. } => self.hazard(event),
            Kind::Lesson { .. } => self.lesson(event),
            _ => {}
        }
    }

    fn hazard(&mut self, event: &Event) {
        let Kind::Hazard {
            hazard,
            family,
            occurrence,
            lesson,
            outcome,
            known,
            followed,
            place,
            skill,
            listed,
            visible,
            archived,
        } = &event.kind
        else {
            return;
        };
        let hit = *outcome == HazardOutcome::Hit;
        let funnel = self.funnel(event, lesson, family);
        let load = skill.as_ref().and_then(|skill| self.session(event)?.loaded.get(skill).copied());
        let key = self.key_of(event);
        let exposures = self.user(event).exposures.entry(Arc::clone(hazard)).or_default();
        *exposures += 1;
        let exposure = u32::try_from(*exposures).unwrap_or(u32::MAX);
        self.records.hazards.push(HazardRow {
            scenario: key.scenario,
            arm: key.arm,
            seed: key.seed,
            user: key.user,
            session: event.session.clone().unwrap_or_default(),
            evidence: key.evidence,
            turn: event.turn,
            at_ms: event.at_ms,
            hazard: Arc::clone(hazard),
            family: Arc::clone(family),
            occurrence: *occurrence,
            exposure,
            lesson: Arc::clone(lesson),
            hit,
            known: *known,
            met_before: funnel.met,
            review_due: funnel.due,
            review_ran: funnel.ran,
            written: funnel.written,
            place: *place,
            skill: skill.clone(),
            listed: *listed,
            visible: *visible,
            loaded: load.is_some(),
            followed: followed.or(load.flatten()),
            archived: *archived,
        });
        self.count_exposure(event, lesson, family, hit, funnel.met > 0);
    }

    fn count_exposure(
        &mut self,
        event: &Event,
        lesson: &Arc<str>,
        family: &Arc<str>,
        hit: bool,
        taught: bool,
    ) {
        self.cell.hazards += 1;
        self.cell.hazard_hits += u64::from(hit);
        if let Some(row) = self.session_row(event) {
            row.hazards += 1;
            row.hazard_hits += u64::from(hit);
        }
        if let Some(row) = self.turn_row(event) {
            row.hazards += 1;
            row.hazard_hits += u64::from(hit);
        }
        let row = self.lesson_state(event, lesson, family).row;
        let row = &mut self.records.lessons[row];
        row.exposures += 1;
        row.hits += u64::from(hit);
        row.exposures_after += u64::from(taught);
        row.hits_after += u64::from(taught && hit);
    }

    /// What happened to the lesson since it was first taught.
    fn funnel(&mut self, event: &Event, lesson: &Arc<str>, family: &Arc<str>) -> Funnel {
        let (last_due, last_review) = {
            let user = self.user(event);
            (user.last_due, user.last_review)
        };
        let state = self.lesson_state(event, lesson, family);
        let Some(met) = state.first_met else { return Funnel::default() };
        Funnel {
            met: state.met,
            due: last_due >= met,
            ran: last_review >= met,
            written: state.first_written.is_some_and(|written| written >= met),
        }
    }

    fn lesson(&mut self, event: &Event) {
        let Kind::Lesson { lesson, family, event: what, teacher, place, is_false, .. } = &event.kind else {
            return;
        };
        let at = Some(event.at_ms);
        let n = event.n;
        let state = self.lesson_state(event, lesson, family);
        let row = state.row;
        match what {
            LessonEvent::Met => {
                state.met += 1;
                state.first_met = state.first_met.or(Some(n));
            }
            LessonEvent::Learned => state.first_written = state.first_written.or(Some(n)),
            LessonEvent::Lost => {}
        }
        let row = &mut self.records.lessons[row];
        row.is_false |= is_false;
        match what {
            LessonEvent::Met => {
                let by_user = *teacher == Some(Teacher::User);
                row.first_met_ms = row.first_met_ms.or(at);
                if by_user {
                    let repeat = u64::from(row.met_by_user > 0);
                    row.met_by_user += 1;
                    row.user_repeats += repeat;
                    self.cell.user_repeats += repeat;
                    if let Some(turn) = self.turn_row(event) {
                        turn.corrections += 1;
                    }
                } else {
                    row.met_by_error += 1;
                }
            }
            LessonEvent::Learned => {
                row.learned += 1;
                row.learned_ms = row.learned_ms.or(at);
                row.retained = true;
                row.place = *place;
            }
            LessonEvent::Lost => {
                row.lost += 1;
                row.lost_ms = at;
                row.retained = false;
                row.place = None;
            }
        }
    }

    /// Applied writes tell that a lesson was written down, even before it is known to be within reach.
    pub(super) fn note_lessons_written(&mut self, event: &Event, gained: &[Arc<str>]) {
        for lesson in gained {
            if let Some(state) = self.user(event).lessons.get_mut(lesson) {
                state.first_written = state.first_written.or(Some(event.n));
            }
        }
    }

    fn lesson_state(&mut self, event: &Event, lesson: &Arc<str>, family: &Arc<str>) -> &mut Lesson {
        if !self.user(event).lessons.contains_key(lesson) {
            let key = self.key_of(event);
            let row = self.records.lessons.len();
            self.records.lessons.push(LessonRow {
                scenario: key.scenario,
                arm: key.arm,
                seed: key.seed,
                user: key.user,
                evidence: key.evidence,
                lesson: Arc::clone(lesson),
                family: Arc::clone(family),
                ..LessonRow::default()
            });
            let state = Lesson { row, first_met: None, first_written: None, met: 0 };
            self.user(event).lessons.insert(Arc::clone(lesson), state);
        }
        self.user(event).lessons.get_mut(lesson).expect("inserted above")
    }
}

#[derive(Default)]
struct Funnel {
    met: u64,
    due: bool,
    ran: bool,
    written: bool,
}
