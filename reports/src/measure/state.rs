//! What the measure remembers of each user while events come in.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::records::CuratorRunRow;
use crate::words::{Evidence, Nudge, Store};

/// All users of a cell, by name.
pub(super) type Users = BTreeMap<Arc<str>, User>;

/// The keys that every row of a user starts with.
#[derive(Clone, Debug, Default)]
pub(super) struct Key {
    pub(super) scenario: Arc<str>,
    pub(super) arm: Arc<str>,
    pub(super) seed: u64,
    pub(super) user: Arc<str>,
    pub(super) evidence: Evidence,
}

/// One user. Numbers named `…_row` are places in the table of that name.
#[derive(Debug, Default)]
pub(super) struct User {
    pub(super) sessions: BTreeMap<Arc<str>, Session>,
    /// Requests without an answer, by call.
    pub(super) open_calls: BTreeMap<u64, usize>,
    /// Tool calls without an answer, by conversation and id.
    pub(super) open_tools: BTreeMap<(Option<u64>, Arc<str>), usize>,
    /// Nudges that may still start a review.
    pub(super) open_nudges: BTreeMap<(Arc<str>, Nudge), Vec<OpenNudge>>,
    /// Nudges that started a review whose number the trace did not name yet.
    pub(super) unclaimed_nudges: BTreeMap<(Arc<str>, Nudge), Vec<usize>>,
    /// Reviews by number.
    pub(super) reviews: BTreeMap<u64, usize>,
    /// Reviews by their conversation.
    pub(super) review_conversations: BTreeMap<u64, u64>,
    pub(super) turns_begun: u64,
    /// Applied writes that did not stand in a prompt yet, by store and target.
    pub(super) invisible_writes: BTreeMap<(Store, Arc<str>), Vec<usize>>,
    /// Applied writes to the library, each with its event's number and its skill.
    pub(super) skill_writes: Vec<(usize, u64, Arc<str>)>,
    /// The last life of each skill, by name.
    pub(super) skills: BTreeMap<Arc<str>, Skill>,
    /// Lives that ended before another of the same name began.
    pub(super) earlier_lives: Vec<(Arc<str>, Skill)>,
    pub(super) lessons: BTreeMap<Arc<str>, Lesson>,
    /// Exposures by hazard.
    pub(super) exposures: BTreeMap<Arc<str>, u64>,
    /// Numbers of the last event in which a nudge became due and in which a review began.
    pub(super) last_due: u64,
    pub(super) last_review: u64,
    /// What the curator's pass did since its last run was reported.
    pub(super) curator: CuratorRunRow,
    pub(super) curator_runs: Vec<usize>,
    pub(super) today: Today,
}

/// What happened since the last end of a day.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Today {
    pub(super) created: u64,
    pub(super) patched: u64,
    pub(super) archivings: u64,
    pub(super) restored: u64,
    pub(super) deleted: u64,
    pub(super) loads: u64,
    pub(super) memory_writes: u64,
}

/// One session.
#[derive(Debug, Default)]
pub(super) struct Session {
    pub(super) row: usize,
    pub(super) opened_ms: i64,
    pub(super) index_tokens: u64,
    /// Turns by number, in order of beginning.
    pub(super) turns: Vec<(u32, usize)>,
    /// Skills whose text entered its turns, with whether their advice was followed.
    pub(super) loaded: BTreeMap<Arc<str>, Option<bool>>,
}

/// A nudge that may still start a review.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenNudge {
    pub(super) row: usize,
    pub(super) turns_at_due: u64,
}

/// A life of a skill.
#[derive(Debug)]
pub(super) struct Skill {
    pub(super) row: usize,
    pub(super) ended: bool,
    /// Numbers of the events in which its text entered a turn by index, user or job, ascending.
    pub(super) loads: Vec<u64>,
}

/// A lesson.
#[derive(Debug)]
pub(super) struct Lesson {
    pub(super) row: usize,
    /// Event number of the first occasion on which it was taught.
    pub(super) first_met: Option<u64>,
    /// Event number of the first time that it was written down.
    pub(super) first_written: Option<u64>,
    pub(super) met: u64,
}
