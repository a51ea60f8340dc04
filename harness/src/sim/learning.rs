//! What a user's agent was taught, what stood before it when it acted, and what came of it.
//!
//! It observes and never decides: hazards are hit or avoided by what the agent called and what the world answered, lessons
//! lie where the home holds them. Only whether a lesson that stood before the model was heeded is not to be seen; it is
//! asked of the same draws that the script asks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use agent_core::stores::MemFiles;
use agent_core::values::{Draws, SessionName};
use mock_llm::preset::Preset;
use mock_llm::view::{memory_blocks, shows};
use reports::trace::{Kind, Text};
use reports::{HazardOutcome, LessonEvent, Route, Teacher, TurnOutcome};

use super::places::{Lie, Moved, Places, lessons_in};
use crate::families::script::{GAVE_UP, draws};
use crate::families::{Families, Family, HazardId, HazardKind, Rates, SlotText};
use crate::work::Task;

/// The tool by which a skill is opened.
const SKILL_VIEW: &str = "skill_view";

/// One user's learning.
#[derive(Debug)]
pub(crate) struct Learning {
    families: Arc<Families>,
    rates: Arc<Rates>,
    draws: Draws,
    preset: Arc<Preset>,
    places: Places,
    sessions: BTreeMap<SessionName, Facing>,
}

/// What stands before the model in a session.
#[derive(Debug, Default)]
struct Facing {
    /// The skills of the frozen index, each with what it shows.
    skills: Arc<[(Arc<str>, Arc<str>)]>,
    /// Lessons by the way in which they came.
    known: BTreeMap<Channel, BTreeSet<HazardId>>,
    /// The turn in progress.
    turn: Option<Turn>,
    /// Corrections that the user is going to give.
    owed: Vec<HazardId>,
}

/// A way in which a lesson comes before the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Channel {
    Memory,
    Skill,
    SupportFile,
    Conversation,
}

impl Channel {
    /// The name of its rate and, but for skills, of its draw.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Skill => "skill",
            Self::SupportFile => "support_file",
            Self::Conversation => "conversation",
        }
    }
}

/// A turn in progress that works on a task.
#[derive(Debug)]
struct Turn {
    task: Arc<Task>,
    key: Arc<str>,
    /// Where the lessons of the family lay when it began.
    lay: Vec<Lie>,
    /// Calls without an answer: which hazard, and whether it was done the right way.
    calls: BTreeMap<Arc<str>, (usize, bool)>,
    /// Opened skills without an answer, and whether a supporting file was meant.
    views: BTreeMap<Arc<str>, bool>,
    /// What came of the hazards so far.
    outcomes: BTreeMap<usize, HazardOutcome>,
}

/// A note on its way into the trace, with what its turn is.
pub(crate) struct Observed<'a> {
    pub(crate) session: &'a SessionName,
    /// The task of the session's turn in progress.
    pub(crate) task: Option<&'a Arc<Task>>,
    /// The conversation's key, by which it draws.
    pub(crate) key: Arc<str>,
}

impl Learning {
    /// Nothing taught yet.
    pub(crate) fn new(
        families: &Arc<Families>,
        rates: &Arc<Rates>,
        draws: Draws,
        preset: &Arc<Preset>,
    ) -> Self {
        Self {
            families: Arc::clone(families),
            rates: Arc::clone(rates),
            draws,
            preset: Arc::clone(preset),
            places: Places::default(),
            sessions: BTreeMap::new(),
        }
    }

    /// Looks where lessons lie now; the events of those that moved.
    pub(crate) fn look(&mut self, home: &MemFiles) -> Vec<Kind> {
        let moved = self.places.look(home, &self.families);
        moved.into_iter().filter_map(|moved| self.moved(moved)).collect()
    }

    fn moved(&self, Moved { id, lie, learned }: Moved) -> Option<Kind> {
        let (family, hazard) = (&self.families.list[id.family], self.families.hazard(id));
        // What a one-off teaches is of no use to any other task.
        if family.one_off {
            return None;
        }
        let target = lie.skill.unwrap_or_else(|| Arc::clone(&hazard.lesson.text));
        Some(Kind::Lesson {
            lesson: Arc::clone(&hazard.name),
            family: Arc::clone(&family.name),
            event: if learned { LessonEvent::Learned } else { LessonEvent::Lost },
            teacher: None,
            place: lie.place,
            target: Some(Text::from(target)),
            is_false: hazard.is_passing(),
        })
    }

    /// The corrections that the user owes a session after its turn.
    pub(crate) fn owed(&mut self, session: &SessionName) -> Vec<HazardId> {
        self.sessions.get_mut(session).map(|facing| std::mem::take(&mut facing.owed)).unwrap_or_default()
    }

    /// Takes in an event of a session's own conversation and completes it; the events that it gives rise to.
    pub(crate) fn observe(&mut self, observed: &Observed<'_>, kind: &mut Kind) -> Vec<Kind> {
        match kind {
            Kind::SessionStart { prompt, skills, .. } => {
                let shown =
                    skills.iter().map(|skill| (Arc::clone(&skill.name), Arc::clone(&skill.shown))).collect();
                self.opened(observed.session, prompt, shown);
                Vec::new()
            }
            Kind::SessionEnd { .. } => {
                self.sessions.remove(observed.session);
                Vec::new()
            }
            Kind::TurnStart { family, occurrence, corrects, .. } => {
                let Some(task) = observed.task else { return Vec::new() };
                if let Some(hazard) = task.corrects {
                    *corrects = Some(Arc::clone(&self.families.list[task.family].hazards[hazard].name));
                    return self.corrected(observed.session, HazardId { family: task.family, hazard });
                }
                let of = &self.families.list[task.family];
                *family = Some(Arc::clone(&of.name));
                *occurrence = (!of.one_off).then_some(task.occurrence);
                self.begins(observed, task);
                Vec::new()
            }
            Kind::ToolCall { id, tool, args, .. } => {
                self.called(observed.session, id, tool, args);
                Vec::new()
            }
            Kind::ToolAnswer { id, failed, refused, cancelled, timed_out, unknown, text, .. } => {
                let lost = *refused || *cancelled || *timed_out || *unknown;
                self.answered(observed.session, id, *failed, lost, text)
            }
            Kind::Load { skill, file, route, visible, followed, .. } if *route == Route::Index => {
                (*visible, *followed) = self.loaded(observed.session, skill, file.as_deref());
                Vec::new()
            }
            Kind::TurnEnd { completed, answer, outcome, .. } => {
                let gave_up = answer.as_deref().is_none_or(|answer| answer.starts_with(GAVE_UP));
                *outcome = self.ended(observed.session, *completed, gave_up);
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn opened(&mut self, session: &SessionName, prompt: &str, skills: Arc<[(Arc<str>, Arc<str>)]>) {
        let blocks = memory_blocks(&self.preset, prompt);
        let mut remembered = lessons_in(blocks.notes, &self.families);
        remembered.extend(lessons_in(blocks.profile, &self.families));
        let facing = self.sessions.entry(session.clone()).or_default();
        facing.skills = skills;
        facing.known.insert(Channel::Memory, remembered);
    }

    fn begins(&mut self, observed: &Observed<'_>, task: &Arc<Task>) {
        let hazards = 0..self.families.list[task.family].hazards.len();
        let lay = hazards.map(|hazard| self.places.of(HazardId { family: task.family, hazard })).collect();
        let facing = self.sessions.entry(observed.session.clone()).or_default();
        facing.turn = Some(Turn {
            task: Arc::clone(task),
            key: Arc::clone(&observed.key),
            lay,
            calls: BTreeMap::new(),
            views: BTreeMap::new(),
            outcomes: BTreeMap::new(),
        });
    }

    /// The user's correction teaches, again if need be.
    fn corrected(&mut self, session: &SessionName, id: HazardId) -> Vec<Kind> {
        let facing = self.sessions.entry(session.clone()).or_default();
        facing.turn = None;
        facing.known.entry(Channel::Conversation).or_default().insert(id);
        self.met(id, Teacher::User).into_iter().collect()
    }

    fn called(&mut self, session: &SessionName, id: &Arc<str>, tool: &str, args: &serde_json::Value) {
        let families = Arc::clone(&self.families);
        let Some(turn) = self.sessions.get_mut(session).and_then(|facing| facing.turn.as_mut()) else {
            return;
        };
        if tool == SKILL_VIEW {
            let is_file = args.get("file_path").is_some_and(|path| !path.is_null());
            turn.views.insert(Arc::clone(id), is_file);
            return;
        }
        let family = &families.list[turn.task.family];
        for step in &family.steps {
            let Some(index) = step.hazard else { continue };
            let right = family.hazards[index].instead.last().is_some_and(|last| last.call.is(tool, args));
            if right || step.action.call.is(tool, args) {
                turn.calls.insert(Arc::clone(id), (index, right));
                return;
            }
        }
    }

    fn answered(
        &mut self,
        session: &SessionName,
        id: &Arc<str>,
        failed: bool,
        lost: bool,
        text: &str,
    ) -> Vec<Kind> {
        let families = Arc::clone(&self.families);
        let Some(facing) = self.sessions.get_mut(session) else { return Vec::new() };
        let Some(turn) = &mut facing.turn else { return Vec::new() };
        if let Some(is_file) = turn.views.remove(id) {
            if !failed {
                let channel = if is_file { Channel::SupportFile } else { Channel::Skill };
                facing.known.entry(channel).or_default().extend(lessons_in(text, &families));
            }
            return Vec::new();
        }
        let Some((index, right)) = turn.calls.remove(id).filter(|_| !lost) else { return Vec::new() };
        let id = HazardId { family: turn.task.family, hazard: index };
        let hazard = families.hazard(id);
        let is_error = |error: &SlotText| failed && text.contains(error.signature());
        let outcome = match &hazard.kind {
            HazardKind::Passing { error, .. } if !right && is_error(error) => {
                return self.met(id, Teacher::Error).into_iter().collect();
            }
            HazardKind::Passing { .. } => return Vec::new(),
            HazardKind::Error(error) if !right && is_error(error) => HazardOutcome::Hit,
            HazardKind::Correction(_) if !right && !failed => HazardOutcome::Hit,
            _ if right && !failed => HazardOutcome::Avoided,
            _ => return Vec::new(),
        };
        if turn.outcomes.contains_key(&index) {
            return Vec::new();
        }
        turn.outcomes.insert(index, outcome);
        self.exposed(session, id, outcome)
    }

    /// One exposure, and what it taught.
    fn exposed(&mut self, session: &SessionName, id: HazardId, outcome: HazardOutcome) -> Vec<Kind> {
        let hazard = self.families.hazard(id);
        let mut events: Vec<Kind> = self.hazard(session, id, outcome).into_iter().collect();
        if outcome == HazardOutcome::Avoided {
            return events;
        }
        if hazard.correction().is_some() {
            // The user speaks after the turn.
            if let Some(facing) = self.sessions.get_mut(session) {
                facing.owed.push(id);
            }
        } else {
            events.extend(self.met(id, Teacher::Error));
        }
        events
    }

    fn hazard(&self, session: &SessionName, id: HazardId, outcome: HazardOutcome) -> Option<Kind> {
        let (family, hazard) = (&self.families.list[id.family], self.families.hazard(id));
        let facing = self.sessions.get(session)?;
        let turn = facing.turn.as_ref()?;
        let lie = turn.lay[id.hazard].clone();
        let shown = lie.skill.as_ref().and_then(|skill| facing.shown(skill));
        // A one-off's hazard is met once in a life: its name holds the case.
        let name = |name: &Arc<str>| match &turn.task.case {
            Some(case) => format!("{name}@{case}").into(),
            None => Arc::clone(name),
        };
        let known = facing.ways(id).next().is_some();
        Some(Kind::Hazard {
            hazard: name(&hazard.name),
            family: Arc::clone(&family.name),
            occurrence: if family.one_off { 1 } else { turn.task.occurrence },
            lesson: name(&hazard.name),
            outcome,
            known,
            followed: known.then(|| self.heeded(facing, &turn.key, id)),
            place: lie.place,
            listed: shown.is_some() && !lie.archived,
            visible: !lie.archived && shown.is_some_and(|(name, shown)| shows(name, shown, &family.words)),
            skill: lie.skill,
            archived: lie.archived,
        })
    }

    fn met(&self, id: HazardId, teacher: Teacher) -> Option<Kind> {
        let (family, hazard) = (&self.families.list[id.family], self.families.hazard(id));
        (!family.one_off).then(|| Kind::Lesson {
            lesson: Arc::clone(&hazard.name),
            family: Arc::clone(&family.name),
            event: LessonEvent::Met,
            teacher: Some(teacher),
            place: None,
            target: None,
            is_false: hazard.is_passing(),
        })
    }

    /// Whether a lesson that stands before the model is heeded, by the draws that the script asks.
    fn heeded(&self, facing: &Facing, key: &str, id: HazardId) -> bool {
        let hazard = self.families.hazard(id);
        facing.ways(id).any(|channel| {
            let draw = match channel {
                Channel::Skill => draws::FOLLOW_SKILL.to_owned(),
                channel => draws::follow(channel.as_str(), &hazard.name),
            };
            self.chance(key, &draw, &format!("follow.{}", channel.as_str()))
        })
    }

    fn chance(&self, key: &str, draw: &str, rate: &str) -> bool {
        self.draws.unit(&["chance", key, draw]) < self.rates.value(rate)
    }

    /// Of a skill that the model opened: whether a word of the task is shown of it, and whether it is going to be heeded.
    fn loaded(&self, session: &SessionName, skill: &str, file: Option<&str>) -> (Option<bool>, Option<bool>) {
        let Some(facing) = self.sessions.get(session) else { return (None, None) };
        let Some(turn) = &facing.turn else { return (None, None) };
        let family: &Family = &self.families.list[turn.task.family];
        let visible = facing.shown(skill).is_some_and(|(name, shown)| shows(name, shown, &family.words));
        let of_task = (0..family.hazards.len()).map(|hazard| HazardId { family: turn.task.family, hazard });
        let mut held = of_task.filter(|id| turn.lay[id.hazard].skill.as_deref() == Some(skill));
        let followed = match file {
            None => held.next().map(|_| self.chance(&turn.key, draws::FOLLOW_SKILL, "follow.skill")),
            Some(file) => held.find(|id| file.contains(&*self.families.hazard(*id).name)).map(|id| {
                let draw = draws::follow(Channel::SupportFile.as_str(), &self.families.hazard(id).name);
                self.chance(&turn.key, &draw, "follow.support_file")
            }),
        };
        (Some(visible), followed)
    }

    /// How the work came out.
    fn ended(&mut self, session: &SessionName, completed: bool, gave_up: bool) -> Option<TurnOutcome> {
        let facing = self.sessions.get_mut(session)?;
        let turn = facing.turn.take()?;
        let family = &self.families.list[turn.task.family];
        // An error of this turn stands in the conversation from now on.
        let errors = turn.outcomes.iter().filter(|(index, outcome)| {
            **outcome == HazardOutcome::Hit && family.hazards[**index].correction().is_none()
        });
        let errors = errors.map(|(index, _)| HazardId { family: turn.task.family, hazard: *index });
        facing.known.entry(Channel::Conversation).or_default().extend(errors);
        Some(if !completed || gave_up {
            facing.owed.clear();
            TurnOutcome::Abandoned
        } else if facing.owed.is_empty() {
            TurnOutcome::Solved
        } else {
            TurnOutcome::Corrected
        })
    }
}

impl Facing {
    /// The ways in which a lesson stands before the model.
    fn ways(&self, id: HazardId) -> impl Iterator<Item = Channel> {
        self.known.iter().filter(move |(_, lessons)| lessons.contains(&id)).map(|(channel, _)| *channel)
    }

    /// A skill as the index shows it.
    fn shown(&self, skill: &str) -> Option<(&str, &str)> {
        self.skills.iter().find(|(name, _)| **name == *skill).map(|(name, shown)| (&**name, &**shown))
    }
}
