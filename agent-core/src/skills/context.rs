//! What a call of a skill tool happens in.

use super::library::{Library, Spot};
use super::marks::{Batch, ReadMarks};
use super::state::LibraryState;
use super::usage::Usage;
use crate::behaviour::{BackgroundReads, Behaviour, SkillRules};
use crate::values::{Draws, LoadRoute, SimTime, WriteOrigin};

/// What a call of a skill tool happens in.
pub struct SkillContext<'c, 't> {
    /// The trees with skills.
    pub library: &'c mut Library<'t>,
    /// What the agent remembers of them.
    pub state: &'c mut LibraryState,
    /// How the agent behaves.
    pub behaviour: &'c Behaviour,
    /// What the calling review has read.
    pub marks: &'c mut ReadMarks,
    /// Where ids of proposals come from.
    pub draws: Draws,
    /// When.
    pub at: SimTime,
    /// Who calls.
    pub origin: WriteOrigin,
    /// What a staged record says of the origin: [`WriteOrigin::label`] within a turn, `foreground` outside of one.
    pub origin_label: &'c str,
    /// Whether the call runs beside others of its reply.
    pub batch: Batch,
    /// By which route a view is a load.
    pub route: LoadRoute,
    /// Whether the session's index lists a skill.
    pub listed: &'c dyn Fn(&str) -> bool,
    /// The session's id, where there is one: views fill it in.
    pub session: Option<&'c str>,
    /// The messaging platform, where there is one: it has a list of disabled skills.
    pub platform: Option<&'c str>,
}

impl<'t> SkillContext<'_, 't> {
    pub(super) fn rules(&self) -> &SkillRules {
        &self.behaviour.skills
    }

    /// The usage book at work.
    pub(super) fn usage(&mut self) -> Usage<'_, 't> {
        Usage::new(self.library, self.state, &self.behaviour.skills, self.at)
    }

    /// Whether the guards for unattended writers apply to the caller.
    pub(super) fn is_unattended(&self) -> bool {
        match self.origin {
            WriteOrigin::Review => true,
            WriteOrigin::Curator => self.rules().curator_unattended,
            WriteOrigin::Foreground | WriteOrigin::Delegate => false,
        }
    }

    /// Whether what the caller reads is no use of it: a review or a pass reads, and the rules tell that apart.
    pub(super) fn reads_apart(&self) -> bool {
        self.origin.is_unattended() && self.behaviour.curator.background_reads == BackgroundReads::Apart
    }

    /// Notices changes of the library from outside.
    pub(super) fn refresh(&mut self) {
        self.state.catalogue.refresh(self.library, &self.behaviour.skills);
    }

    /// Takes over an own change at or below a directory.
    pub(super) fn changed(&mut self, dir: &Spot) {
        self.state.catalogue.changed(self.library, dir);
    }

    /// Marks a file as read by an unattended caller. The fault `read_marks_per_context` loses marks that a worker of
    /// a parallel batch made.
    pub(super) fn mark_read(&mut self, file: &Spot) {
        let kept = self.batch == Batch::Alone || self.rules().marks_from_parallel;
        if kept
            && self.is_unattended()
            && let Some(real) = self.library.real(file)
        {
            self.marks.mark(real);
        }
    }

    /// Marks a file that was read whole by another tool than `skill_view`, if the rules count that. The path is
    /// absolute; one outside of all trees is nothing.
    pub fn mark_read_file(&mut self, absolute: &str) {
        if self.rules().read_file_marks
            && let Some(file) = self.library.spot_of(absolute)
        {
            self.mark_read(&file);
        }
    }
}
