//! Hazards and lessons.

use std::sync::Arc;

use crate::records::record::record;
use crate::words::{Evidence, Place};

record! {
    /// One row an exposure: a turn that met a place where work goes wrong without the right knowledge. Its columns
    /// are the funnel, seen from this exposure.
    HazardRow, "hazards", session {
        /// The turn of the session.
        turn: u32,
        /// When, since the scenario's start.
        at_ms: i64,
        /// The hazard.
        hazard: Arc<str>,
        /// The family of tasks.
        family: Arc<str>,
        /// The occurrence of that family for this user, from 1.
        occurrence: u32,
        /// The exposure of this user to this hazard, from 1.
        exposure: u32,
        /// The lesson that spares it.
        lesson: Arc<str>,
        /// Whether the agent ran into it.
        hit: bool,
        /// Whether the lesson stood before the model when it acted.
        known: bool,
        /// Earlier occasions on which the lesson was taught: errors and corrections.
        met_before: u64,
        /// Whether a nudge became due between the first such occasion and this exposure.
        review_due: bool,
        /// Whether a review began in between.
        review_ran: bool,
        /// Whether the lesson was written down in between.
        written: bool,
        /// Where it lay within reach when the turn began; empty for nowhere.
        place: Option<Place>,
        /// The skill that holds it.
        skill: Option<Arc<str>>,
        /// Whether the session's index lists that skill.
        listed: bool,
        /// Whether a trigger word of the task stands in what the index shows of it.
        visible: bool,
        /// Whether that skill's text entered the session before, by index, user or job.
        loaded: bool,
        /// Whether its advice was followed; empty where nothing checks.
        followed: Option<bool>,
        /// Whether that skill is archived (`spec/metrics.md`, curator regret).
        archived: bool,
        /// What the figures rest on, at best.
        evidence: Evidence,
    }
}

record! {
    /// One row a user and lesson that was met, learned, or that an exposure needed.
    #[derive(Default)]
    LessonRow, "lessons", user {
        /// The lesson.
        lesson: Arc<str>,
        /// The family of tasks; empty for none.
        family: Arc<str>,
        /// Whether it is wrong: a passing failure taken for a rule.
        is_false: bool,
        /// When it was first taught, since the scenario's start.
        first_met_ms: Option<i64>,
        /// Times that an error taught it.
        met_by_error: u64,
        /// Times that the user taught it.
        met_by_user: u64,
        /// Corrections that the user had to give again: all but the first.
        user_repeats: u64,
        /// When it was first written down, since the scenario's start.
        learned_ms: Option<i64>,
        /// Times that it came within reach.
        learned: u64,
        /// Times that it got lost.
        lost: u64,
        /// When it last got lost, since the scenario's start.
        lost_ms: Option<i64>,
        /// Whether it is within reach at the end: in notes or profile, in a skill that is not archived, or in a
        /// supporting file of one.
        retained: bool,
        /// Where it lies at the end; empty for nowhere.
        place: Option<Place>,
        /// Exposures that needed it.
        exposures: u64,
        /// Exposures in which the agent ran into its hazard.
        hits: u64,
        /// Exposures after it was first taught.
        exposures_after: u64,
        /// Of those, the ones in which the agent ran into its hazard again.
        hits_after: u64,
        /// What the figures rest on, at best.
        evidence: Evidence,
    }
}
