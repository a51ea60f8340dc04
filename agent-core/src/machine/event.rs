//! Events in, wishes out.

use std::sync::Arc;

use serde_json::Value;

use super::request::{ModelOutcome, ModelRequest, ToolOutcome, TurnEnd};
use crate::values::{
    AgentObject, CallId, ConversationId, Message, Note, RunId, SessionName, SimDuration, SimTime, TimerId,
    ToolCall,
};

/// What happens to an agent.
#[derive(Clone, Debug)]
pub enum Event {
    /// The user says something; this also opens a session or resumes a closed one.
    UserMessage {
        /// In which session.
        session: SessionName,
        /// What.
        text: String,
    },
    /// The user interrupts the turn in progress.
    Interrupt {
        /// In which session.
        session: SessionName,
    },
    /// The user adds a word without interrupting; without a turn in progress it opens one.
    Steer {
        /// In which session.
        session: SessionName,
        /// What.
        text: String,
    },
    /// A model request ended.
    ModelDone {
        /// Which.
        call: CallId,
        /// How.
        outcome: ModelOutcome,
        /// From request to answer.
        took: SimDuration,
    },
    /// A run of a world's tool ended.
    ToolDone {
        /// Which.
        run: RunId,
        /// How.
        outcome: ToolOutcome,
    },
    /// A timer is due.
    TimerDue {
        /// Which.
        timer: TimerId,
    },
    /// The curator's caller asks whether a run is due.
    CuratorPoll {
        /// How long the agent has been idle.
        idle: CallerIdle,
    },
    /// A command of the user or the process.
    Command(Command),
}

/// How long the agent has been idle, as the curator's caller tells it (`spec/curator.md` §4.2, §4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallerIdle {
    /// So long by measure; whether that is passed on is for the rules to say (`curator.poll_idle`).
    Measured(SimDuration),
    /// So long, passed on whatever the rules say.
    Passed(SimDuration),
    /// For ever: the test is skipped.
    Endless,
}

/// Commands of the user, of the process, and changes from outside.
#[derive(Clone, Debug)]
pub enum Command {
    /// Says how a session will be opened; before its first message.
    OpenSession {
        /// Which.
        session: SessionName,
        /// Whether it runs on a new agent object or on the one kept from before.
        object: AgentObject,
        /// Where it comes from: `cli`, `gateway`, `cron` …
        source: Arc<str>,
        /// Messages that it already holds.
        history: Vec<Message>,
    },
    /// Says that a session goes on with a stored one, as a process does that has held it open since before: the row is
    /// not touched, its messages are the conversation so far. Before its first message.
    HoldSession {
        /// Which.
        session: SessionName,
        /// The id of the stored session.
        stored: Arc<str>,
    },
    /// Asks for a compression before the next request of the session's turn, or of its next turn.
    Compress {
        /// Which session.
        session: SessionName,
    },
    /// Closes a session.
    CloseSession {
        /// Which.
        session: SessionName,
        /// Why.
        reason: Arc<str>,
    },
    /// The process ends: reviews in flight die, waiting ones are lost.
    ProcessExit,
    /// Asks for a review of a session, with or without a focus.
    Refine {
        /// Which session.
        session: SessionName,
        /// What to look for; empty for nothing special.
        focus: String,
    },
    /// Others begin or cease to keep the managed model server busy; deferred reviews wait for it.
    ServerBusy {
        /// Busy or not.
        busy: bool,
    },
    /// Pins or unpins a skill.
    Pin {
        /// Which.
        skill: String,
        /// Pinned or not.
        pinned: bool,
    },
    /// Hands a skill to the curator.
    Adopt {
        /// Which.
        skill: String,
    },
    /// Brings a skill back from the archive.
    Restore {
        /// Which.
        skill: String,
    },
    /// Archives a skill by hand.
    Archive {
        /// Which.
        skill: String,
    },
    /// Approves staged writes: all, or one by id.
    Approve {
        /// `memory` or `skills`.
        subsystem: Arc<str>,
        /// An id, or `all`.
        which: Arc<str>,
    },
    /// Rejects staged writes: all, or one by id.
    Reject {
        /// `memory` or `skills`.
        subsystem: Arc<str>,
        /// An id, or `all`.
        which: Arc<str>,
    },
    /// A load by the user's word or by a scheduled job.
    LoadSkill {
        /// Which.
        skill: String,
        /// The session it enters, if any.
        session: Option<SessionName>,
        /// Whether a scheduled job loads it.
        by_job: bool,
    },
    /// Changes a setting of the running agent.
    Set {
        /// The dotted key.
        key: String,
        /// The value.
        value: Value,
    },
    /// Installs a skill from a folder of files.
    Install {
        /// The source, which decides the trust.
        source: String,
        /// The skill's directory name.
        name: String,
        /// Its files, path and text.
        files: Vec<(String, String)>,
        /// Whether to override a refusal that can be overridden.
        force: bool,
    },
    /// Runs the curator now.
    Curate {
        /// Whether to run the consolidation pass; none follows the configuration.
        consolidate: Option<bool>,
        /// Whether to change nothing.
        dry_run: bool,
    },
    /// Pauses or resumes the curator.
    PauseCurator {
        /// Paused or not.
        paused: bool,
    },
    /// Archives at once what has been idle for so many whole days; the user was asked and said yes.
    Prune {
        /// Days; none takes the version's own.
        days: Option<i64>,
    },
    /// Takes a snapshot of the library.
    Backup {
        /// Why, in words.
        reason: String,
    },
    /// Rolls the library back to a snapshot: the newest, or one by id.
    Rollback {
        /// The id.
        id: Option<String>,
    },
    /// Writes everything that is held back for speed (usage counters) into the home.
    Flush,
}

/// What the agent wants done.
#[derive(Clone, Debug)]
pub enum Wish {
    /// Ask a model; [`Event::ModelDone`] must follow exactly once.
    CallModel {
        /// Which request.
        call: CallId,
        /// For which conversation.
        conversation: ConversationId,
        /// What to ask.
        request: ModelRequest,
        /// How long to wait.
        timeout: SimDuration,
    },
    /// Stop a request; its [`Event::ModelDone`] still follows.
    AbortModel {
        /// Which.
        call: CallId,
    },
    /// Run a tool of the world; [`Event::ToolDone`] must follow exactly once.
    RunTool {
        /// Which run.
        run: RunId,
        /// For which conversation.
        conversation: ConversationId,
        /// The call, its name repaired and its arguments valid JSON.
        call: ToolCall,
        /// How long to wait.
        timeout: SimDuration,
    },
    /// Stop a run; its [`Event::ToolDone`] still follows.
    StopTool {
        /// Which.
        run: RunId,
    },
    /// Send [`Event::TimerDue`] at this time.
    SetTimer {
        /// Which.
        timer: TimerId,
        /// When.
        at: SimTime,
    },
    /// A turn ended.
    TurnDone {
        /// In which session.
        session: SessionName,
        /// How.
        end: TurnEnd,
    },
    /// Something to record.
    Note(Note),
}
