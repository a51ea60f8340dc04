//! Skills, the state of library and memory day by day, and the curator's runs.

use std::sync::Arc;

use crate::records::record::record;
use crate::words::{CuratorCause, Evidence};

record! {
    /// One row a life of a skill: from its creation, or from the first that was heard of it, to its removal for
    /// good. Archive and restore stay within a life.
    #[derive(Default)]
    SkillRow, "skills", user {
        /// The skill.
        skill: Arc<str>,
        /// The life, from 1.
        life: u32,
        /// The session in which it was created; empty if it was there before or came from outside.
        session: Arc<str>,
        /// By whom or what it was created or installed; empty if it was there before.
        cause: Arc<str>,
        /// When it was created, since the scenario's start; empty if it was there before.
        created_ms: Option<i64>,
        /// Sessions whose index listed it when they were opened.
        sessions_listed: u64,
        /// When its text first entered a turn by index, user or job.
        first_load_ms: Option<i64>,
        /// When it last did.
        last_load_ms: Option<i64>,
        /// Loads that the model chose.
        loads_index: u64,
        /// Loads that the user named.
        loads_user: u64,
        /// Loads by a scheduled job.
        loads_job: u64,
        /// Loads by reviews.
        loads_review: u64,
        /// Loads by the curator.
        loads_curator: u64,
        /// Loads by index, user or job in another session than the one that created it.
        loads_later: u64,
        /// Changes of its text or files.
        patches: u64,
        /// When it first became stale.
        stale_ms: Option<i64>,
        /// Times that it became stale.
        stale: u64,
        /// When it was first archived.
        archived_ms: Option<i64>,
        /// Times that it was archived.
        archived: u64,
        /// Times that it came back from the archive.
        restored: u64,
        /// When it was removed for good.
        deleted_ms: Option<i64>,
        /// Whether it is pinned at the end.
        pinned: bool,
        /// Its state at the end: `active`, `stale`, `archived`, `deleted`, or another that the home holds.
        state: Arc<str>,
        /// Whether its text never entered a turn by index, user or job.
        never_used: bool,
        /// Length of its main text after the last write seen; 0 if none was seen.
        text_chars: u64,
        /// What the figures rest on, at best.
        evidence: Evidence,
    }
}

record! {
    /// One row a user and day: the library at the day's end, and what happened to it on that day.
    #[derive(Default)]
    LibraryDayRow, "library_days", user {
        /// The day of the scenario.
        day: u32,
        /// Skills in use.
        active: u64,
        /// Skills not used for some time.
        stale: u64,
        /// Skills in the archive.
        archived: u64,
        /// Pinned skills.
        pinned: u64,
        /// Skills created or installed since the day before.
        created: u64,
        /// Changes of skills since the day before.
        patched: u64,
        /// Archivings since the day before.
        archivings: u64,
        /// Restorations since the day before.
        restored: u64,
        /// Removals for good since the day before.
        deleted: u64,
        /// Loads by index, user or job since the day before.
        loads: u64,
        /// Length of the texts of all skills that are not archived.
        library_chars: u64,
        /// Tokens of the index block that a session opened now would have.
        index_tokens: u64,
        /// Scheduled jobs.
        jobs: u64,
        /// Those of them that name a skill which is not there: they run without it.
        jobs_astray: u64,
        /// Scheduled jobs that name no skill.
        jobs_bare: u64,
        /// Polls of the curator on this day.
        polls: u64,
        /// What the figures rest on, at best.
        evidence: Evidence,
    }
}

record! {
    /// One row a user and day: notes and profile at the day's end.
    #[derive(Default)]
    MemoryDayRow, "memory_days", user {
        /// The day of the scenario.
        day: u32,
        /// Entries of the notes.
        notes_entries: u64,
        /// Length of the notes.
        notes_chars: u64,
        /// Their limit.
        notes_limit_chars: u64,
        /// Entries of the profile.
        profile_entries: u64,
        /// Length of the profile.
        profile_chars: u64,
        /// Its limit.
        profile_limit_chars: u64,
        /// Applied writes to either since the day before.
        writes: u64,
        /// What the figures rest on, at best.
        evidence: Evidence,
    }
}

record! {
    /// One row a curator run, with the calls of its consolidation pass.
    #[derive(Default)]
    CuratorRunRow, "curator_runs", user {
        /// The run, from 1.
        run: u64,
        /// When, since the scenario's start.
        at_ms: i64,
        /// What started it; empty where the trace does not say.
        cause: Option<CuratorCause>,
        /// Skills looked at by the timed transitions (`spec/curator.md` §6).
        checked: u64,
        /// Records made for built-ins that had none.
        seeded: u64,
        /// Skills marked stale by time.
        marked_stale: u64,
        /// Skills archived by time.
        archived: u64,
        /// Skills made active again.
        reactivated: u64,
        /// Skills that the pass absorbed into others (`spec/curator.md` §13).
        consolidated: u64,
        /// Skills that the pass removed without absorbing.
        pruned: u64,
        /// Skills that the pass added.
        added: u64,
        /// Scheduled jobs that were led to other skills, or lost one.
        jobs_rewritten: u64,
        /// Whether nothing was meant to be changed.
        dry_run: bool,
        /// Why the pass failed; empty if it did not.
        error: Option<Arc<str>>,
        /// Links of umbrellas that lead to nothing; empty where nobody looked (`spec/curator.md` §18).
        links_broken: Option<u64>,
        /// Merges that kept less than 40 % of what they absorbed; empty where nobody looked (`spec/metrics.md`).
        thin_merges: Option<u64>,
        /// Scheduled jobs that name a skill which is not there; empty where nobody looked.
        jobs_astray: Option<u64>,
        /// Removed skills of which nobody can say where they went; empty where nobody looked.
        removals_unverified: Option<u64>,
        /// Requests of the pass, each attempt counted.
        calls: u64,
        /// Its tool calls.
        tool_calls: u64,
        /// Those that were refused.
        refused_calls: u64,
        /// Its applied writes.
        writes: u64,
        /// Tokens of its requests.
        prompt_tokens: u64,
        /// Of those, the ones that the prefix cache served.
        cached_tokens: u64,
        /// Tokens of its answers.
        completion_tokens: u64,
        /// Money, by the price table; empty without one.
        cost_nanos: Option<u64>,
        /// What the figures rest on, at best.
        evidence: Evidence,
    }
}
