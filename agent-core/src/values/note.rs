//! Notes: what the machine reports of itself. A trace is made of them, and every figure of traces.
//!
//! A note says where it belongs ([`Place`]) and what happened ([`Fact`]). The caller adds the time of the event
//! that it handed in.

use std::sync::Arc;

use serde_json::Value;

use super::ids::{CallId, ConversationId, ReviewId, SessionName};
use super::message::{Finish, Role, Usage};
use super::origin::WriteOrigin;
use super::units::{Chars, SimDuration, Tokens};

/// Where a note belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The session that it belongs to or was caused by; none for a curator pass.
    pub session: Option<SessionName>,
    /// The conversation.
    pub conversation: ConversationId,
    /// What the conversation serves.
    pub role: Role,
    /// The turn of the session, from 1; 0 before the first.
    pub turn: u32,
    /// The iteration of the conversation's turn, from 1; 0 before the first.
    pub iteration: u32,
}

/// One reported fact with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// Where.
    pub place: Place,
    /// What.
    pub fact: Fact,
}

/// Whether a session began with a new agent object or on a kept one (`spec/nudges.md` §3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AgentObject {
    /// As a command line starts one: counters at zero, hydrated from history.
    #[default]
    Fresh,
    /// As a gateway holds one: counters carry over.
    Kept,
}

/// The nudge counters of an agent object (`spec/nudges.md` §1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// User turns since the memory counter was last cleared.
    pub turns_since_memory: i64,
    /// Loop passes (or tool rounds) since the skill counter was last cleared.
    pub iters_since_skill: i64,
    /// User turns that this object saw in this session.
    pub user_turns: i64,
}

/// Which nudge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NudgeKind {
    /// Looks back for facts worth remembering.
    Memory,
    /// Looks back for methods worth writing down.
    Skill,
}

/// What became of a nudge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NudgeEvent {
    /// The counter reached its interval.
    Due,
    /// It started a review.
    Fired,
    /// Its review waits in the defer queue.
    Deferred,
    /// It will start nothing; a whole interval is needed again.
    Lost,
    /// It could not be used now and stays due.
    Kept,
}

/// What armed a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReviewCause {
    /// The memory nudge.
    pub memory: bool,
    /// The skill nudge.
    pub skills: bool,
    /// The user asked for it.
    pub explicit: bool,
}

/// How a review ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReviewEnd {
    /// It said its last word.
    Done,
    /// A new turn cancelled it.
    Cancelled,
    /// It was not started, for this reason.
    Dropped(Arc<str>),
    /// The process ended while it ran or waited.
    LostAtExit,
    /// A budget ended it; which one.
    Budget(Arc<str>),
    /// It failed, for this reason.
    Failed(Arc<str>),
}

/// How a model call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelEnd {
    /// A whole reply.
    Reply(Finish),
    /// The stream broke off after some text.
    Cut,
    /// It was aborted.
    Aborted,
    /// It failed, with the class of the failure.
    Failed(Arc<str>),
    /// It arrived after its conversation had ended, and was dropped.
    Late,
}

/// What became of a tool call. Several may hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent marks of one call, as the trace's fields have them"
)]
pub struct ToolEnd {
    /// The loop's own test calls the result failed.
    pub failed: bool,
    /// A whitelist, guard or guardrail refused it.
    pub refused: bool,
    /// An interrupt cancelled it before it began.
    pub cancelled: bool,
    /// The batch limit passed before it answered.
    pub timed_out: bool,
    /// No such tool.
    pub unknown: bool,
    /// The error kind of the specs, where there is one.
    pub kind: Option<Arc<str>>,
}

/// Where a write goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Store {
    /// The agent's notes, `MEMORY.md`.
    Memory,
    /// The user's profile, `USER.md`.
    User,
    /// The skill library.
    Skill,
}

/// What became of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteEnd {
    /// It is in the store.
    Applied,
    /// It waits as a proposal.
    Staged,
    /// A guard refused it.
    Refused,
    /// It failed on its content or its target.
    Failed,
}

/// How a skill's text entered a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadRoute {
    /// The model chose it.
    Index,
    /// The user named it.
    User,
    /// A scheduled job loads it.
    Job,
    /// A review read it.
    Review,
    /// The curator read it.
    Curator,
}

/// A change in the life of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkillEvent {
    /// It was created.
    Created,
    /// Its text or a file of it changed.
    Patched,
    /// Its state changed.
    State {
        /// Before.
        from: Arc<str>,
        /// After.
        to: Arc<str>,
    },
    /// It was archived.
    Archived,
    /// It came back from the archive.
    Restored,
    /// It was removed for good.
    Deleted,
    /// It was pinned or unpinned.
    Pinned(bool),
    /// It was handed to the curator.
    Adopted,
    /// It was installed from elsewhere.
    Installed,
}

/// What started a curator run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CuratorCause {
    /// A poll found it due.
    Poll,
    /// A command.
    Manual,
}

/// What happened. The kinds and their fields are those of the trace.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// A session opened or was resumed with this frozen prompt.
    SessionStart {
        /// New or kept agent object.
        agent: AgentObject,
        /// The whole system prompt.
        prompt: Arc<str>,
        /// Its named parts, in order.
        parts: Vec<(Arc<str>, Chars)>,
        /// The skills listed, each with what the index shows of it.
        skills: Arc<[(Arc<str>, Arc<str>)]>,
        /// Tokens of the index block.
        index: Tokens,
    },
    /// A session was closed.
    SessionEnd {
        /// Why.
        reason: Arc<str>,
    },
    /// A turn began with these words of the user.
    TurnStart {
        /// The words.
        text: Arc<str>,
    },
    /// A message entered the conversation.
    Message {
        /// `user`, `assistant` or `tool`.
        role: &'static str,
        /// Whether the client made it.
        synthetic: bool,
        /// Its text.
        text: Arc<str>,
    },
    /// A steering text reached the conversation.
    Steer {
        /// The text.
        text: Arc<str>,
    },
    /// The user interrupted.
    Interrupt,
    /// A turn ended.
    TurnEnd {
        /// The exit reason, as the reference names it, or `early_return`.
        exit: Arc<str>,
        /// Passes of the loop, the closing summary not counted.
        api_calls: u32,
        /// Before the turn.
        before: Counters,
        /// After it.
        after: Counters,
        /// How long background work kept the user waiting, and by what cause.
        waited: SimDuration,
        /// The cause of the wait; empty without one.
        wait_cause: Arc<str>,
        /// The final answer.
        answer: Option<Arc<str>>,
        /// Whether the turn counts as completed.
        completed: bool,
    },
    /// A request went out.
    ModelCall {
        /// Which.
        call: CallId,
        /// Number of this attempt, from 1.
        attempt: u32,
        /// Messages in the request.
        messages: usize,
        /// Tokens that this request shares with an earlier one from its beginning on, by the cache model.
        shared: Tokens,
    },
    /// A request was answered.
    ModelAnswer {
        /// Which.
        call: CallId,
        /// How it ended.
        end: ModelEnd,
        /// Token counts.
        usage: Usage,
        /// From request to answer.
        took: SimDuration,
        /// Whether the tokens stand in the agent's own books, on the session that they were spent for.
        booked: bool,
    },
    /// A failed request will be tried again.
    Retry {
        /// Class of the failure.
        class: Arc<str>,
        /// The wait before it.
        wait: SimDuration,
    },
    /// A tool call was taken up (refused and unknown ones included).
    ToolCall {
        /// The call's id.
        id: Arc<str>,
        /// The tool, after name repair.
        tool: Arc<str>,
        /// The arguments, parsed; text where they are not JSON.
        args: Value,
        /// Who calls.
        origin: WriteOrigin,
        /// The segment of the reply that it belongs to, from 0.
        segment: u32,
    },
    /// A tool call was answered.
    ToolAnswer {
        /// The call's id.
        id: Arc<str>,
        /// The tool.
        tool: Arc<str>,
        /// What became of it.
        end: ToolEnd,
        /// What the model reads.
        text: Arc<str>,
        /// From dispatch to answer.
        took: SimDuration,
    },
    /// Something happened to a nudge.
    Nudge {
        /// Which.
        which: NudgeKind,
        /// What.
        event: NudgeEvent,
        /// Why.
        why: Arc<str>,
    },
    /// A review began.
    ReviewStart {
        /// Which.
        review: ReviewId,
        /// What armed it.
        cause: ReviewCause,
        /// Whether it reads a digest instead of the whole history.
        digest: bool,
    },
    /// A review ended.
    ReviewEnd {
        /// Which.
        review: ReviewId,
        /// How.
        end: ReviewEnd,
        /// Its model calls.
        iterations: u32,
        /// Its tokens.
        usage: Usage,
        /// What the user is shown; empty for nothing.
        summary: Arc<str>,
    },
    /// A write to memory or to the library.
    Write {
        /// Where.
        store: Store,
        /// The tool's action.
        action: Arc<str>,
        /// The entry, skill or file meant.
        target: Arc<str>,
        /// Who wrote.
        origin: WriteOrigin,
        /// What became of it.
        end: WriteEnd,
        /// The error kind, where it was refused or failed.
        kind: Option<Arc<str>>,
        /// Text before; empty for a new one.
        before: Arc<str>,
        /// Text after; empty for a removed one.
        after: Arc<str>,
    },
    /// An earlier write stands in a prompt for the first time.
    Visible {
        /// Where it went.
        store: Store,
        /// Which entry or skill.
        target: Arc<str>,
    },
    /// A skill's text entered the conversation.
    Load {
        /// The skill.
        skill: Arc<str>,
        /// The supporting file, if it was one.
        file: Option<Arc<str>>,
        /// By which route.
        route: LoadRoute,
        /// Whether the session's index lists it.
        listed: bool,
    },
    /// A change in the life of a skill.
    Skill {
        /// The skill.
        name: Arc<str>,
        /// What happened.
        event: SkillEvent,
        /// By whom or what.
        cause: Arc<str>,
    },
    /// A conversation was compressed.
    Compression {
        /// Messages before.
        before: usize,
        /// Messages after.
        after: usize,
        /// `model`, `fallback`, `nothing to do`, `aborted` …
        how: Arc<str>,
        /// Calls without a result and results without a call that it left; there should be none.
        unpaired: usize,
        /// The stored session that goes on with it; none if the session keeps its id.
        child: Option<Arc<str>>,
    },
    /// A delegated child ended.
    Delegate {
        /// The call that asked for it.
        parent: Arc<str>,
        /// The child.
        child: ConversationId,
        /// `completed`, `failed`, `interrupted`, `timeout` or `error`.
        status: Arc<str>,
        /// Its tokens.
        usage: Usage,
    },
    /// A curator run.
    CuratorRun {
        /// What started it.
        cause: CuratorCause,
        /// The counters of the timed transitions and, where there was one, the outcome of the pass.
        report: Value,
    },
    /// A poll of the curator that started nothing; the reason in a word.
    CuratorIdle {
        /// `disabled`, `paused`, `seeded`, `not due`, `busy` or `damaged`.
        reason: &'static str,
    },
    /// A setting, file or installation changed from outside.
    Change {
        /// `config`, `install`, `file` …
        what: &'static str,
        /// The key or path.
        target: Arc<str>,
        /// What it is now.
        value: Value,
    },
    /// Something that a user of the agent would be shown (a review's notice, a warning).
    Notice {
        /// The text.
        text: Arc<str>,
    },
}
