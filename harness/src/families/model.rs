//! What a family of tasks is made of, once its file has been read.

use std::sync::Arc;

use agent_core::values::SimDuration;
use mock_llm::diagnose::Span;

use super::text::{Call, Slot, SlotText};

/// All families of a scenario, in the order of their file.
#[derive(Debug, Default)]
pub(crate) struct Families {
    /// The families.
    pub(crate) list: Vec<Family>,
    /// The file that they stand in.
    pub(crate) file: Arc<str>,
}

/// Which hazard: of which family, and its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct HazardId {
    pub(crate) family: usize,
    pub(crate) hazard: usize,
}

impl Families {
    /// The family of this name.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.list.iter().position(|family| *family.name == *name)
    }

    /// A hazard.
    pub(crate) fn hazard(&self, id: HazardId) -> &Hazard {
        &self.list[id.family].hazards[id.hazard]
    }

    /// All hazards in order.
    pub(crate) fn hazards(&self) -> impl Iterator<Item = (HazardId, &Hazard)> {
        self.list.iter().enumerate().flat_map(|(family, one)| {
            one.hazards.iter().enumerate().map(move |(hazard, found)| (HazardId { family, hazard }, found))
        })
    }
}

/// A kind of task.
#[derive(Debug)]
pub(crate) struct Family {
    pub(crate) name: Arc<str>,
    /// Where the name stands.
    pub(crate) span: Span,
    /// How often it is drawn, relative to others.
    pub(crate) weight: f64,
    /// Every task of it is a case of its own, and nothing that one teaches helps with another.
    pub(crate) one_off: bool,
    /// What varies from task to task.
    pub(crate) slots: Vec<Slot>,
    /// Ways in which a user asks for it; never empty.
    pub(crate) says: Vec<SlotText>,
    /// A text that stands in every one of them, and in what no other family says.
    pub(crate) cue: Arc<str>,
    /// Words by which its skill is found in the index.
    pub(crate) words: Vec<Arc<str>>,
    /// The skill that its lessons go to.
    pub(crate) skill: Option<FamilySkill>,
    /// What is done, in order.
    pub(crate) steps: Vec<Step>,
    /// Where it goes wrong.
    pub(crate) hazards: Vec<Hazard>,
    /// What the model says at the end.
    pub(crate) done: SlotText,
}

/// The skill of a family.
#[derive(Debug)]
pub(crate) struct FamilySkill {
    /// Its name; a one-off's has its case behind it.
    pub(crate) name: Arc<str>,
    pub(crate) description: Arc<str>,
    pub(crate) category: Option<Arc<str>>,
    /// What stands above the pitfalls.
    pub(crate) body: Arc<str>,
}

/// One step of the work.
#[derive(Debug)]
pub(crate) struct Step {
    /// What one does who knows no better.
    pub(crate) action: Action,
    /// The hazard that lies here.
    pub(crate) hazard: Option<usize>,
}

/// A call and what it is answered.
#[derive(Debug)]
pub(crate) struct Action {
    pub(crate) call: Call,
    /// None for a tool of the agent's own, and where the hazard answers.
    pub(crate) output: Option<SlotText>,
    pub(crate) took: Option<SimDuration>,
}

/// Where work goes wrong without the right knowledge.
#[derive(Debug)]
pub(crate) struct Hazard {
    /// Its name, which is its lesson's as well; unique in a scenario.
    pub(crate) name: Arc<str>,
    pub(crate) span: Span,
    pub(crate) kind: HazardKind,
    /// What one does instead who knows.
    pub(crate) instead: Vec<Action>,
    /// What one does, once it has gone wrong, before doing it the right way.
    pub(crate) fix: Vec<Action>,
    pub(crate) lesson: Lesson,
}

/// How work goes wrong.
#[derive(Debug)]
pub(crate) enum HazardKind {
    /// The step fails with this error.
    Error(SlotText),
    /// The step goes through, but the user is not content and says this.
    Correction(Arc<str>),
    /// The step fails once in this share of the tasks, for no reason that would last: the lesson is false.
    Passing {
        /// The share.
        share: f64,
        /// The error.
        error: SlotText,
    },
}

impl Hazard {
    /// The error that a tool answers, if it is one.
    pub(crate) fn error(&self) -> Option<&SlotText> {
        match &self.kind {
            HazardKind::Error(error) | HazardKind::Passing { error, .. } => Some(error),
            HazardKind::Correction(_) => None,
        }
    }

    /// What the user says, if it is the user who finds fault.
    pub(crate) fn correction(&self) -> Option<&Arc<str>> {
        match &self.kind {
            HazardKind::Correction(text) => Some(text),
            HazardKind::Error(_) | HazardKind::Passing { .. } => None,
        }
    }

    /// Whether its lesson is false.
    pub(crate) fn is_passing(&self) -> bool {
        matches!(self.kind, HazardKind::Passing { .. })
    }
}

/// The piece of knowledge that spares a hazard.
#[derive(Debug)]
pub(crate) struct Lesson {
    /// What is written down.
    pub(crate) text: Arc<str>,
    /// The part of it by which it is recognised.
    pub(crate) pattern: Arc<str>,
    pub(crate) belongs: Belongs,
}

/// Where a lesson is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Belongs {
    /// As a pitfall of the family's skill.
    Skill,
    /// As an entry of the notes.
    Memory,
    /// As an entry of the user's profile.
    Profile,
    /// In a supporting file of the family's skill.
    SupportFile,
}

impl Belongs {
    /// Whether a skill holds it.
    pub(crate) fn in_skill(self) -> bool {
        matches!(self, Self::Skill | Self::SupportFile)
    }
}
