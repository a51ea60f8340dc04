//! One line of a trace: where it belongs, and what happened.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::text::{Data, Text};
use crate::words::{
    AgentObject, CellOutcome, CuratorCause, Evidence, Finish, HazardOutcome, LessonEvent, ModelOutcome,
    Nudge, NudgeEvent, Origin, Place, ReviewOutcome, Role, Route, SkillEvent, Store, Teacher, TurnOutcome,
    WriteOutcome,
};

/// One event of a cell. Key fields first, then the kind and its fields, in this order, on one line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// Number of the event in its cell, from 1.
    pub n: u64,
    /// Simulated milliseconds since the scenario's start.
    pub at_ms: i64,
    /// The user; empty for what concerns the whole cell.
    pub user: Arc<str>,
    /// The session that it belongs to or was caused by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Arc<str>>,
    /// The conversation, numbered from 1 within its user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<u64>,
    /// What the conversation serves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// The turn of the session, from 1; 0 before the first or outside any.
    #[serde(default)]
    pub turn: u32,
    /// The iteration of the conversation's turn, from 1; 0 before the first or outside any.
    #[serde(default)]
    pub iteration: u32,
    /// What happened.
    #[serde(flatten)]
    pub kind: Kind,
}

impl Event {
    /// An event that concerns the whole cell.
    pub fn of_cell(n: u64, at_ms: i64, kind: Kind) -> Self {
        Self {
            n,
            at_ms,
            user: Arc::from(""),
            session: None,
            conversation: None,
            role: None,
            turn: 0,
            iteration: 0,
            kind,
        }
    }
}

/// The nudge counters of an agent object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counters {
    /// User turns since the memory counter was last cleared.
    pub turns_since_memory: i64,
    /// Loop passes (or tool rounds) since the skill counter was last cleared.
    pub iters_since_skill: i64,
    /// User turns that the object saw in this session.
    pub user_turns: i64,
}

/// What armed a review.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewCause {
    /// The memory nudge.
    pub memory: bool,
    /// The skill nudge.
    pub skills: bool,
    /// The user asked for it.
    pub explicit: bool,
}

/// One named part of a system prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PromptPart {
    /// Its name.
    pub name: Arc<str>,
    /// Its length in code points.
    pub chars: u64,
}

/// One skill of a prompt's index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListedSkill {
    /// Its name.
    pub name: Arc<str>,
    /// What the index shows of its description.
    pub shown: Arc<str>,
}

/// One setting that differs between the arms of a sweep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Setting {
    /// Its dotted key.
    pub key: Arc<str>,
    /// Its value, as typed.
    pub value: Arc<str>,
}

/// A script rule that came near to a request that no rule fits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NearRule {
    /// Where the rule stands.
    pub rule: Arc<str>,
    /// The clause of its condition that failed.
    pub clause: Arc<str>,
}

/// Token counts of one or several requests and their answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TokenCounts {
    /// Of the requests.
    pub prompt: u64,
    /// Of those, the ones a prefix cache served.
    pub cached: u64,
    /// Of the answers.
    pub completion: u64,
}

impl std::ops::AddAssign for TokenCounts {
    fn add_assign(&mut self, other: Self) {
        self.prompt += other.prompt;
        self.cached += other.cached;
        self.completion += other.completion;
    }
}

/// What happened. A reader of an older build skips kinds and fields that it does not know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Kind {
    /// The first event of every trace.
    CellStart {
        /// Version of the trace format, [`super::SCHEMA_VERSION`].
        schema: u32,
        /// The scenario's name.
        scenario: Arc<str>,
        /// The arm's name.
        arm: Arc<str>,
        /// The seed.
        seed: u64,
        /// The scenario's first instant, in milliseconds since 1970-01-01T00:00:00Z.
        start_ms: i64,
        /// Which version's behaviour the agent has.
        version: Arc<str>,
        /// Digest of all inputs of the cell.
        digest: Arc<str>,
        /// The weakest evidence among the scenario's rates; *counted* without rates.
        evidence: Evidence,
        /// The named world that the rates come from, or empty.
        #[serde(default)]
        world: Arc<str>,
        /// What a sweep varies, in the order of its command line.
        #[serde(default)]
        settings: Vec<Setting>,
    },
    /// The last event of every whole trace.
    CellEnd {
        /// How the simulation ended.
        outcome: CellOutcome,
        /// Why, where it did not reach its end; else empty.
        reason: Text,
        /// Digest of all lines before this one.
        digest: Arc<str>,
    },
    /// A session opened or was resumed with this frozen prompt.
    SessionStart {
        /// New or kept agent object.
        agent: AgentObject,
        /// The whole system prompt.
        prompt: Text,
        /// Its named parts, in order.
        parts: Data<Vec<PromptPart>>,
        /// The skills listed, in the order of the index.
        skills: Data<Vec<ListedSkill>>,
        /// Tokens of the index block.
        index_tokens: u64,
    },
    /// A session was closed.
    SessionEnd {
        /// Why.
        reason: Arc<str>,
    },
    /// A turn began with these words of the user.
    TurnStart {
        /// The words.
        text: Text,
        /// The family of recurring tasks that the turn's work belongs to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        family: Option<Arc<str>>,
        /// The occurrence of that family for this user, from 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        occurrence: Option<u32>,
        /// The hazard about which the user complains, where the turn asks for no new task but corrects how an earlier
        /// one was done.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        corrects: Option<Arc<str>>,
    },
    /// A message entered the conversation.
    Message {
        /// `user`, `assistant` or `tool`. (`role` is the conversation's.)
        of: Arc<str>,
        /// Whether the client made it.
        synthetic: bool,
        /// Its text.
        text: Text,
    },
    /// A steering text reached the conversation.
    Steer {
        /// The text.
        text: Text,
    },
    /// The user interrupted.
    Interrupt,
    /// A turn ended.
    TurnEnd {
        /// The exit reason.
        exit: Arc<str>,
        /// Passes of the loop, the closing summary not counted: the turn's iterations.
        api_calls: u32,
        /// Counters before the turn.
        before: Counters,
        /// Counters after it.
        after: Counters,
        /// How long background work kept the user waiting.
        waited_ms: u64,
        /// The cause of the wait; empty without one.
        wait_cause: Arc<str>,
        /// The final answer.
        answer: Option<Text>,
        /// Whether the turn counts as completed.
        completed: bool,
        /// How the scenario judges the work.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        outcome: Option<TurnOutcome>,
    },
    /// A request went out.
    ModelCall {
        /// Which, numbered from 1 within its user.
        call: u64,
        /// The model asked for.
        #[serde(default)]
        model: Arc<str>,
        /// Number of this attempt, from 1.
        attempt: u32,
        /// Messages in the request.
        messages: u64,
        /// Tokens that the request shares with an earlier one from its beginning on.
        shared_tokens: u64,
    },
    /// A request was answered.
    ModelAnswer {
        /// Which.
        call: u64,
        /// How it ended.
        outcome: ModelOutcome,
        /// How the reply ended, if there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        finish: Option<Finish>,
        /// The class of the failure, if it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        class: Option<Arc<str>>,
        /// Token counts.
        tokens: TokenCounts,
        /// The rule of the script that answered.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rule: Option<Arc<str>>,
        /// The step of that rule.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<Arc<str>>,
        /// From request to answer.
        took_ms: u64,
        /// Whether the tokens stand in the agent's own books.
        #[serde(default = "yes")]
        booked: bool,
    },
    /// A failed request will be tried again.
    Retry {
        /// Class of the failure.
        class: Arc<str>,
        /// The wait before it.
        wait_ms: u64,
    },
    /// A tool call was taken up, refused and unknown ones included.
    ToolCall {
        /// The call's id.
        id: Arc<str>,
        /// The tool, after name repair.
        tool: Arc<str>,
        /// The arguments, parsed; text where they are not JSON.
        args: Data<Value>,
        /// Who calls.
        origin: Origin,
        /// The segment of the reply that it belongs to, from 0.
        segment: u32,
    },
    /// A tool call was answered. It is fine when none of the marks holds; several may.
    ToolAnswer {
        /// The call's id.
        id: Arc<str>,
        /// The tool.
        tool: Arc<str>,
        /// The loop's own test calls the result failed.
        failed: bool,
        /// A whitelist, guard or guardrail refused it.
        refused: bool,
        /// An interrupt cancelled it before it began.
        cancelled: bool,
        /// The batch limit passed before it answered.
        timed_out: bool,
        /// No such tool.
        unknown: bool,
        /// The error kind, where there is one. (`kind` is the event's.)
        error: Option<Arc<str>>,
        /// What the model reads.
        text: Text,
        /// From dispatch to answer.
        took_ms: u64,
    },
    /// Something happened to a nudge.
    Nudge {
        /// Which.
        which: Nudge,
        /// What.
        event: NudgeEvent,
        /// Why.
        why: Arc<str>,
    },
    /// A review began.
    ReviewStart {
        /// Which, numbered from 1 within its user.
        review: u64,
        /// What armed it.
        cause: ReviewCause,
        /// Whether it reads a digest instead of the whole history.
        digest: bool,
    },
    /// A review ended.
    ReviewEnd {
        /// Which.
        review: u64,
        /// How.
        outcome: ReviewOutcome,
        /// Why it was dropped, ended or failed; else empty.
        reason: Arc<str>,
        /// Its model calls.
        iterations: u32,
        /// Its tokens.
        tokens: TokenCounts,
        /// What the user is shown; empty for nothing.
        summary: Text,
    },
    /// A write to memory or to the library.
    Write {
        /// Where.
        store: Store,
        /// The tool's action.
        action: Arc<str>,
        /// The entry, skill or file meant.
        target: Text,
        /// Who wrote.
        origin: Origin,
        /// What became of it.
        outcome: WriteOutcome,
        /// The error kind, where it was refused or failed.
        error: Option<Arc<str>>,
        /// Text before; empty for a new one.
        before: Text,
        /// Text after; empty for a removed one.
        after: Text,
        /// Lessons that the text after holds and the text before did not.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        gained: Vec<Arc<str>>,
        /// Lessons that the text before held and the text after does not.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        lost: Vec<Arc<str>>,
    },
    /// An earlier write stands in a prompt for the first time.
    Visible {
        /// Where it went.
        store: Store,
        /// Which entry or skill, as in the write.
        target: Text,
    },
    /// A skill's text entered the conversation.
    Load {
        /// The skill.
        skill: Arc<str>,
        /// The supporting file, if it was one.
        file: Option<Arc<str>>,
        /// By which route.
        route: Route,
        /// Whether the session's index lists it.
        listed: bool,
        /// Whether a trigger word of the task stands in what the index shows of it; none where no task says.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        visible: Option<bool>,
        /// Whether its advice was followed; none where nothing checks.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        followed: Option<bool>,
    },
    /// A change in the life of a skill.
    Skill {
        /// The skill.
        name: Arc<str>,
        /// What happened.
        event: SkillEvent,
        /// The state before, for a change of state.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<Arc<str>>,
        /// The state after, for a change of state.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<Arc<str>>,
        /// By whom or what.
        cause: Arc<str>,
    },
    /// A turn met a place where work goes wrong without the right knowledge. One event is one exposure.
    Hazard {
        /// The hazard.
        hazard: Arc<str>,
        /// The family of tasks.
        family: Arc<str>,
        /// The occurrence of that family for this user, from 1.
        occurrence: u32,
        /// The lesson that spares it.
        lesson: Arc<str>,
        /// What it did.
        outcome: HazardOutcome,
        /// Whether the lesson stood before the model when it acted.
        known: bool,
        /// Whether it was heeded; none where it did not stand before the model, or nothing checks.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        followed: Option<bool>,
        /// Where the lesson lay within reach when the turn began; none if nowhere.
        place: Option<Place>,
        /// The skill that holds it, where a skill does.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        skill: Option<Arc<str>>,
        /// Whether the session's index lists that skill.
        #[serde(default)]
        listed: bool,
        /// Whether a trigger word of the task stands in what the index shows of it.
        #[serde(default)]
        visible: bool,
        /// Whether that skill is archived.
        #[serde(default)]
        archived: bool,
    },
    /// Something happened to a lesson.
    Lesson {
        /// The lesson.
        lesson: Arc<str>,
        /// The family of tasks that it belongs to; empty for none.
        family: Arc<str>,
        /// What happened.
        event: LessonEvent,
        /// What taught it, when it was met.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        teacher: Option<Teacher>,
        /// Where it lies (learned) or lay (lost).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<Place>,
        /// The skill or entry that holds it or held it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<Text>,
        /// Whether the lesson is wrong: a passing failure taken for a rule.
        #[serde(default)]
        is_false: bool,
    },
    /// A conversation was compressed.
    Compression {
        /// Messages before.
        before: u64,
        /// Messages after.
        after: u64,
        /// How: `model`, `fallback`, `nothing to do`, `aborted` …
        how: Arc<str>,
        /// Calls without a result and results without a call that it left.
        #[serde(default)]
        unpaired: u64,
        /// The stored session that goes on with it; empty if the session keeps its id.
        #[serde(default)]
        child: Option<Arc<str>>,
    },
    /// A delegated child ended.
    Delegate {
        /// The call that asked for it.
        parent: Arc<str>,
        /// The child's conversation.
        child: u64,
        /// How it ended.
        status: Arc<str>,
        /// Its tokens.
        tokens: TokenCounts,
    },
    /// A curator run.
    CuratorRun {
        /// What started it.
        cause: CuratorCause,
        /// The counters of the timed transitions and, where there was one, the outcome of the pass.
        report: Data<Value>,
    },
    /// A poll of the curator that started nothing. Polls that are merely not due may be left out and counted in `day`.
    CuratorIdle {
        /// Why not, in a word.
        reason: Arc<str>,
    },
    /// The state at the end of a day, one event for each user.
    Day {
        /// The day of the scenario, the first being 0.
        day: u32,
        /// The library.
        library: LibraryState,
        /// The notes and the profile.
        memory: MemoryState,
        /// Polls of the curator on this day.
        polls: u32,
    },
    /// A setting, file or installation changed from outside.
    Change {
        /// `config`, `install`, `file`, `fact`, `clock` …
        what: Arc<str>,
        /// The key or path.
        target: Arc<str>,
        /// What it is now.
        value: Data<Value>,
    },
    /// Something that a user of the agent would be shown.
    Notice {
        /// The text.
        text: Text,
    },
    /// A call of a world's tool that no rule of the world answers: the tool answered as an unknown command would.
    Unanswered {
        /// The tool.
        tool: Arc<str>,
        /// Its arguments.
        args: Data<Value>,
    },
    /// A request that no rule of the script fits. The cell is broken.
    Miss {
        /// The whole message.
        message: Text,
        /// The nearest rules, nearest first.
        nearest: Data<Vec<NearRule>>,
    },
}

/// The library at the end of a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LibraryState {
    /// Skills in use.
    pub active: u64,
    /// Skills not used for some time.
    pub stale: u64,
    /// Skills in the archive.
    pub archived: u64,
    /// Pinned skills, whatever their state.
    pub pinned: u64,
    /// Code points of the texts of all skills that are not archived.
    pub chars: u64,
    /// Tokens of the index block that a session opened now would have.
    pub index_tokens: u64,
    /// Scheduled jobs.
    #[serde(default)]
    pub jobs: u64,
    /// Those of them that name a skill which is not there.
    #[serde(default)]
    pub jobs_astray: u64,
    /// Scheduled jobs that name no skill.
    #[serde(default)]
    pub jobs_bare: u64,
}

/// Notes and profile at the end of a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryState {
    /// Entries of the notes.
    pub notes_entries: u64,
    /// Code points of the notes.
    pub notes_chars: u64,
    /// The limit of the notes.
    pub notes_limit: u64,
    /// Entries of the profile.
    pub profile_entries: u64,
    /// Code points of the profile.
    pub profile_chars: u64,
    /// The limit of the profile.
    pub profile_limit: u64,
}

/// What a field is that older traces do not have.
fn yes() -> bool {
    true
}
