//! Writes, their first appearance in a prompt, loads, and the lives of skills.

use std::sync::Arc;

use super::Measure;
use super::sessions::{count, is_main, role_of};
use super::state::Skill;
use crate::records::{LoadRow, SkillRow, WriteRow};
use crate::trace::{Event, Kind, Text};
use crate::words::{Origin, Role, Route, SkillEvent, Store, WriteOutcome};

/// A write's target is shown up to so many code points; memory entries can be long.
const TARGET_CHARS_MAX: usize = 80;

impl Measure {
    pub(super) fn knowledge_event(&mut self, event: &Event) {
        match &event.kind {
            Kind::Write { .. } => self.write(event),
            Kind::Visible { store, target } => self.visible(event, *store, target),
            Kind::Load { .. } => self.load(event),
            Kind::Skill { .. } => self.skill(event),
            _ => {}
        }
    }

    fn write(&mut self, event: &Event) {
        let Kind::Write { store, action, target, origin, outcome, error, before, after, gained, lost } =
            &event.kind
        else {
            return;
        };
        let key = self.key_of(event);
        let review = self.review_of(event);
        let row = self.records.writes.len();
        self.records.writes.push(WriteRow {
            scenario: key.scenario,
            arm: key.arm,
            seed: key.seed,
            user: key.user,
            session: event.session.clone().unwrap_or_default(),
            evidence: key.evidence,
            conversation: event.conversation.unwrap_or(0),
            role: role_of(event),
            turn: event.turn,
            review,
            at_ms: event.at_ms,
            store: *store,
            action: Arc::clone(action),
            target: short(target),
            origin: *origin,
            outcome: *outcome,
            error: error.clone(),
            before_chars: count(before.chars().count()),
            after_chars: count(after.chars().count()),
            gained: join(gained),
            lost: join(lost),
            visible_ms: None,
            loads_after: 0,
        });
        self.count_write(event, *store, *origin, *outcome);
        if *outcome == WriteOutcome::Applied {
            self.note_lessons_written(event, gained);
            let user = self.user(event);
            let slot = (*store, Arc::clone(target.shared()));
            user.invisible_writes.entry(slot).or_default().push(row);
            if *store == Store::Skill {
                let skill = skill_of(target);
                user.skill_writes.push((row, event.n, Arc::clone(&skill)));
                if *target.shared() == skill && !after.is_empty() {
                    self.skill_row(event, &skill).text_chars = count(after.chars().count());
                }
            }
        }
    }

    fn count_write(&mut self, event: &Event, store: Store, origin: Origin, outcome: WriteOutcome) {
        let applied = outcome == WriteOutcome::Applied;
        let (memory, skill) = (applied && store != Store::Skill, applied && store == Store::Skill);
        let by_review = applied && origin == Origin::Review;
        self.cell.memory_writes += u64::from(memory);
        self.cell.skill_writes += u64::from(skill);
        self.cell.review_writes += u64::from(by_review);
        self.user(event).today.memory_writes += u64::from(memory);
        if let Some(row) = self.session_row(event) {
            row.memory_writes += u64::from(memory);
            row.skill_writes += u64::from(skill);
            row.review_writes += u64::from(by_review);
            row.staged_writes += u64::from(outcome == WriteOutcome::Staged);
            row.refused_writes += u64::from(outcome == WriteOutcome::Refused);
            row.failed_writes += u64::from(outcome == WriteOutcome::Failed);
        }
        if role_of(event) == Some(Role::Curator) {
            self.user(event).curator.writes += u64::from(applied);
        } else if let Some(row) = self.review_row(event) {
            row.memory_writes += u64::from(memory);
            row.skill_writes += u64::from(skill);
            row.staged_writes += u64::from(outcome == WriteOutcome::Staged);
            row.refused_writes += u64::from(outcome == WriteOutcome::Refused);
            row.failed_writes += u64::from(outcome == WriteOutcome::Failed);
        }
    }

    fn visible(&mut self, event: &Event, store: Store, target: &Text) {
        let slot = (store, Arc::clone(target.shared()));
        for row in self.user(event).invisible_writes.remove(&slot).unwrap_or_default() {
            self.records.writes[row].visible_ms = Some(event.at_ms);
        }
    }

    fn load(&mut self, event: &Event) {
        let Kind::Load { skill, file, route, listed, visible, followed } = &event.kind else { return };
        let key = self.key_of(event);
        self.records.loads.push(LoadRow {
            scenario: key.scenario,
            arm: key.arm,
            seed: key.seed,
            user: key.user,
            session: event.session.clone().unwrap_or_default(),
            evidence: key.evidence,
            conversation: event.conversation.unwrap_or(0),
            role: role_of(event),
            turn: event.turn,
            at_ms: event.at_ms,
            skill: Arc::clone(skill),
            file: file.clone(),
            route: *route,
            listed: *listed,
            visible: *visible,
            followed: *followed,
        });
        self.cell.loads += 1;
        self.load_in_life(event, skill, *route);
        if !is_use(*route) {
            return;
        }
        self.user(event).today.loads += 1;
        if is_main(event) {
            if let Some(session) = self.session(event) {
                let known = session.loaded.entry(Arc::clone(skill)).or_default();
                *known = followed.or(*known);
            }
            if let Some(row) = self.session_row(event) {
                row.loads += 1;
            }
            if let Some(row) = self.turn_row(event) {
                row.loads += 1;
            }
        }
    }

    fn load_in_life(&mut self, event: &Event, skill: &Arc<str>, route: Route) {
        let row = self.skill_row(event, skill);
        match route {
            Route::Index => row.loads_index += 1,
            Route::User => row.loads_user += 1,
            Route::Job => row.loads_job += 1,
            Route::Review => row.loads_review += 1,
            Route::Curator => row.loads_curator += 1,
        }
        if !is_use(route) {
            return;
        }
        row.first_load_ms = row.first_load_ms.or(Some(event.at_ms));
        row.last_load_ms = Some(event.at_ms);
        let elsewhere = event.session.as_ref().is_none_or(|session| row.session != *session);
        row.loads_later += u64::from(elsewhere);
        let life = self.user(event).skills.get_mut(skill).expect("made by skill_row above");
        life.loads.push(event.n);
    }

    /// The row of the skill's life that goes on; it begins here if nothing was heard of the skill before.
    pub(super) fn skill_row(&mut self, event: &Event, skill: &Arc<str>) -> &mut SkillRow {
        let row = match self.user(event).skills.get(skill) {
            Some(life) => life.row,
            None => self.begin_life(event, skill),
        };
        &mut self.records.skills[row]
    }

    fn begin_life(&mut self, event: &Event, skill: &Arc<str>) -> usize {
        let key = self.key_of(event);
        let row = self.records.skills.len();
        let before = self.user(event).skills.get(skill).map(|life| life.row);
        let life = before.map_or(1, |before| self.records.skills[before].life + 1);
        self.records.skills.push(SkillRow {
            scenario: key.scenario,
            arm: key.arm,
            seed: key.seed,
            user: key.user,
            evidence: key.evidence,
            skill: Arc::clone(skill),
            life,
            state: "active".into(),
            ..SkillRow::default()
        });
        let life = Skill { row, ended: false, loads: Vec::new() };
        if let Some(earlier) = self.user(event).skills.insert(Arc::clone(skill), life) {
            self.user(event).earlier_lives.push((Arc::clone(skill), earlier));
        }
        row
    }

    fn skill(&mut self, event: &Event) {
        let Kind::Skill { name, event: what, to, cause, .. } = &event.kind else { return };
        let at = Some(event.at_ms);
        let born = matches!(what, SkillEvent::Created | SkillEvent::Installed);
        if self.user(event).skills.get(name).is_some_and(|life| life.ended) {
            self.begin_life(event, name);
        }
        let row = self.skill_row(event, name);
        // The write that creates a skill may stand before the event of its creation.
        let only_written = row.sessions_listed == 0 && row.first_load_ms.is_none() && row.loads_review == 0;
        if born && row.created_ms.is_none() && only_written {
            row.created_ms = at;
            row.cause = Arc::clone(cause);
            row.session = event.session.clone().unwrap_or_default();
        }
        match what {
            SkillEvent::Created | SkillEvent::Installed | SkillEvent::Adopted => {}
            SkillEvent::Patched => row.patches += 1,
            SkillEvent::State => row.state = to.clone().unwrap_or_default(),
            SkillEvent::Archived => row.state = "archived".into(),
            SkillEvent::Restored => {
                row.restored += 1;
                row.state = "active".into();
            }
            SkillEvent::Deleted => {
                row.deleted_ms = at;
                row.state = "deleted".into();
            }
            SkillEvent::Pinned => row.pinned = true,
            SkillEvent::Unpinned => row.pinned = false,
        }
        let stale = *what == SkillEvent::State && to.as_deref() == Some("stale");
        let archived = *what == SkillEvent::Archived;
        if stale {
            row.stale += 1;
            row.stale_ms = row.stale_ms.or(at);
        }
        if archived {
            row.archived += 1;
            row.archived_ms = row.archived_ms.or(at);
        }
        let user = self.user(event);
        if *what == SkillEvent::Deleted
            && let Some(life) = user.skills.get_mut(name)
        {
            life.ended = true;
        }
        user.today.created += u64::from(born);
        user.today.patched += u64::from(*what == SkillEvent::Patched);
        user.today.archivings += u64::from(archived);
        user.today.restored += u64::from(*what == SkillEvent::Restored);
        user.today.deleted += u64::from(*what == SkillEvent::Deleted);
    }
}

/// Whether a load by this route is a use of the skill. Reviews and the curator only read.
pub(super) fn is_use(route: Route) -> bool {
    matches!(route, Route::Index | Route::User | Route::Job)
}

/// The skill that a write's target names: `skill`, or `skill/file`.
fn skill_of(target: &Text) -> Arc<str> {
    match target.split_once('/') {
        Some((skill, _)) => Arc::from(skill),
        None => Arc::clone(target.shared()),
    }
}

fn short(target: &Text) -> Arc<str> {
    match target.char_indices().nth(TARGET_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &target[..end]).into(),
        None => Arc::clone(target.shared()),
    }
}

fn join(names: &[Arc<str>]) -> Arc<str> {
    names.join(";").into()
}
