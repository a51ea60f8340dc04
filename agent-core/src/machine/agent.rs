//! The agent of one user: its sessions, reviews and curator over one home.
//!
//! [`Agent::handle`] takes one event and pushes what it wants done. It never fails and never waits.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::cache::{Chain, PrefixCache};
use super::charter::{Charter, LoopTexts};
use super::children::{Kin, Nursery};
use super::compress::Compressing;
use super::conversation::{CallPlace, Conversation, LoopTimer};
use super::counters::NudgeState;
use super::dispatch::CallAnswer;
use super::event::{Command, Event, Wish};
use super::home;
use super::once::Searching;
use super::plan::AgentPlan;
use super::pressure::CompressionState;
use super::profiles::Profiles;
use super::prompting::{BuiltPrompt, Unseen, loop_texts};
use super::review::ReviewDesk;
use super::session::Session;
use super::turn::Incoming;
use crate::behaviour::{Behaviour, LoopRules};
use crate::curator::{CuratorState, PassStart};
use crate::defence::words::Words;
use crate::prompt::{PromptError, PromptLibrary, SkillIndex};
use crate::skills::{LibraryState, ReadMarks};
use crate::stores::Homes;
use crate::values::{
    CallId, ConversationId, Counters, Draws, Fact, Note, Place, ReviewId, Role, RunId, SessionName, SimTime,
    TimerId, Tokens, ToolList, Transcript,
};
use crate::workspace::TodoList;

/// What one event may touch: its time, the homes, and the wishes that answer it.
pub(super) struct Cx<'a, 'h> {
    pub(super) at: SimTime,
    pub(super) homes: &'a mut Homes<'h>,
    pub(super) wishes: &'a mut Vec<Wish>,
}

/// The last number given to each kind of thing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Numbers {
    conversation: u64,
    call: u64,
    run: u64,
    timer: u64,
    review: u64,
    object: u64,
    stamp: u64,
}

impl Numbers {
    pub(super) fn conversation(&mut self) -> ConversationId {
        self.conversation += 1;
        ConversationId(self.conversation)
    }
    pub(super) fn call(&mut self) -> CallId {
        self.call += 1;
        CallId(self.call)
    }
    pub(super) fn run(&mut self) -> RunId {
        self.run += 1;
        RunId(self.run)
    }
    pub(super) fn review(&mut self) -> ReviewId {
        self.review += 1;
        ReviewId(self.review)
    }
    pub(super) fn object(&mut self) -> ObjectId {
        self.object += 1;
        ObjectId(self.object)
    }
    pub(super) fn stamp(&mut self) -> u64 {
        self.stamp += 1;
        self.stamp
    }
    fn timer(&mut self) -> TimerId {
        self.timer += 1;
        TimerId(self.timer)
    }
}

/// An agent object in the reference's sense: what dies when a process drops it. 0 is the one that a gateway keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ObjectId(pub(super) u64);

/// The gateway's object.
pub(super) const KEPT: ObjectId = ObjectId(0);

/// State of one agent object.
#[derive(Debug, Default)]
pub(super) struct Object {
    pub(super) nudges: NudgeState,
    /// None where memory is off or was skipped.
    pub(super) memory: Option<crate::memory::MemoryStore>,
}

/// Whom a conversation serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Serves {
    /// A user's session.
    Session(SessionName),
    /// A review of a session's turn.
    Review(ReviewId),
    /// The curator's consolidation pass.
    Curator,
    /// A call of `delegate_task`.
    Delegate(Arc<Kin>),
}

/// A conversation with what the agent keeps beside it.
#[derive(Debug)]
pub(super) struct Live {
    pub(super) talk: Conversation,
    pub(super) serves: Serves,
    pub(super) chain: Chain,
    /// The request in flight.
    pub(super) call: Option<CallId>,
    /// The list of things to do.
    pub(super) todo: TodoList,
    pub(super) compression: CompressionState,
    /// The skill files that it has read.
    pub(super) marks: ReadMarks,
    /// A compression whose summary is awaited.
    pub(super) compressing: Option<Compressing>,
    /// The user asked for a compression before the next request.
    pub(super) compress_next: bool,
}

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The conversation's own loop.
    Loop,
    /// The summary that compresses it.
    Compression,
    /// The summary of one group of a search's results.
    SearchSummary {
        /// Which search.
        search: u64,
        /// Which group.
        group: usize,
    },
    /// The session's title.
    Title,
}

/// A request in flight.
#[derive(Clone, Debug)]
pub(super) struct InFlight {
    /// Where it belongs, also when its conversation has ended before its answer.
    pub(super) place: Place,
    pub(super) cached: Tokens,
    pub(super) purpose: Purpose,
}

/// What a timer is for.
#[derive(Clone, Debug)]
pub(super) enum Timer {
    /// A conversation's own.
    Loop(ConversationId, LoopTimer),
    /// The answer of a home's tool arrives.
    HomeAnswer { conversation: ConversationId, place: CallPlace, answer: CallAnswer },
    /// A new turn has waited long enough for the reviews that it cancelled.
    CancelWait(SessionName, u64),
    /// Look whether a deferred review may start.
    DeferPoll,
    /// A delegated child has had its time.
    ChildLimit(ConversationId),
}

/// The agent of one user.
#[derive(Debug)]
pub struct Agent {
    pub(super) plan: AgentPlan,
    pub(super) rules: Behaviour,
    pub(super) loop_rules: Arc<LoopRules>,
    pub(super) texts: Arc<LoopTexts>,
    pub(super) draws: Draws,
    pub(super) numbers: Numbers,
    pub(super) objects: BTreeMap<ObjectId, Object>,
    pub(super) sessions: BTreeMap<SessionName, Session>,
    pub(super) live: BTreeMap<ConversationId, Live>,
    pub(super) calls: BTreeMap<CallId, InFlight>,
    pub(super) runs: BTreeMap<RunId, (ConversationId, CallPlace)>,
    pub(super) timers: BTreeMap<TimerId, Timer>,
    pub(super) reviews: ReviewDesk,
    pub(super) children: Nursery,
    pub(super) cache: PrefixCache,
    /// Nudge counters as the last turn left them, for versions that keep them with the profile.
    pub(super) profile_counters: Counters,
    /// When the last turn ended, for the quiet that deferred reviews wait for.
    pub(super) last_turn_end: Option<SimTime>,
    /// Whether others keep the managed model server busy.
    pub(super) server_busy: bool,
    /// The tools that a session is offered.
    pub(super) tools: Arc<ToolList>,
    /// The empty list of requests without tools; one object, so that the cache model knows it again.
    pub(super) no_tools: Arc<ToolList>,
    pub(super) texts_library: PromptLibrary,
    pub(super) index: SkillIndex,
    pub(super) library: LibraryState,
    /// Prompts of the sessions, with what is recorded of them.
    pub(super) prompts_built: BTreeMap<ConversationId, BuiltPrompt>,
    /// Writes that no prompt has shown yet.
    pub(super) unseen: Vec<Unseen>,
    /// What is remembered of the curator between polls.
    pub(super) curator: CuratorState,
    /// The consolidation passes in progress, by their conversations.
    pub(super) curating: BTreeMap<ConversationId, PassStart>,
    /// Searches whose results are being summarised.
    pub(super) searching: BTreeMap<u64, Searching>,
    pub(super) searches: u64,
    /// The session stores of the user's other profiles.
    pub(super) profiles: Profiles,
    /// Sessions opened so far, for audits.
    pub(super) sessions_opened: u64,
    /// The words of the user's work, for audits.
    pub(super) work: Words,
    /// The newest memory store, for what it knows of scans.
    pub(super) last_memory: Option<crate::memory::MemoryStore>,
}

/// A plan asks for something that is not there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// A prompt cannot be replaced.
    #[error(transparent)]
    Prompt(#[from] PromptError),
}

impl Agent {
    /// An agent of this plan, before its first event.
    ///
    /// # Errors
    /// A replaced prompt has an unknown name or holds one of the fixed lines.
    pub fn new(plan: AgentPlan) -> Result<Self, PlanError> {
        let rules = Behaviour::resolve(&plan.settings);
        let mut texts = PromptLibrary::new(&rules.prompt.texts);
        for (name, text) in &plan.prompts {
            texts.replace(name, text)?;
        }
        Ok(Self {
            loop_rules: Arc::new(rules.turn.clone()),
            texts: Arc::new(loop_texts(&texts)),
            draws: Draws::new(plan.seed),
            tools: Arc::new(home::session_tools(&rules, &texts, &plan)),
            no_tools: Arc::default(),
            library: LibraryState::new(plan.write_back),
            texts_library: texts,
            plan,
            rules,
            numbers: Numbers::default(),
            objects: BTreeMap::new(),
            sessions: BTreeMap::new(),
            live: BTreeMap::new(),
            calls: BTreeMap::new(),
            runs: BTreeMap::new(),
            timers: BTreeMap::new(),
            reviews: ReviewDesk::default(),
            children: Nursery::default(),
            cache: PrefixCache::default(),
            profile_counters: Counters::default(),
            last_turn_end: None,
            server_busy: false,
            index: SkillIndex::default(),
            prompts_built: BTreeMap::new(),
            unseen: Vec::new(),
            last_memory: None,
            curator: CuratorState::default(),
            curating: BTreeMap::new(),
            searching: BTreeMap::new(),
            searches: 0,
            profiles: Profiles::default(),
            sessions_opened: 0,
            work: Words::default(),
        })
    }

    /// Adds a conversation.
    pub(super) fn add_live(
        &mut self,
        charter: Charter,
        transcript: Transcript,
        serves: Serves,
    ) -> ConversationId {
        let id = self.numbers.conversation();
        let talk = Conversation::new(id, charter, transcript, self.draws);
        let live = Live {
            talk,
            serves,
            chain: Chain::default(),
            call: None,
            todo: TodoList::default(),
            compression: CompressionState::default(),
            marks: ReadMarks::new(),
            compressing: None,
            compress_next: false,
        };
        self.live.insert(id, live);
        id
    }

    /// The nudge counters of a session's agent object; zero for an unknown session.
    pub fn counters(&self, session: &SessionName) -> Counters {
        let object = self.sessions.get(session).and_then(|session| self.objects.get(&session.object));
        object.map_or_else(Counters::default, |object| object.nudges.counters)
    }

    /// Whether a turn of this session is in progress or waits to begin.
    pub fn is_busy(&self, session: &SessionName) -> bool {
        self.sessions.get(session).is_some_and(|session| {
            session.pending.is_some()
                || session
                    .conversation
                    .and_then(|id| self.live.get(&id))
                    .is_some_and(|live| live.talk.is_busy())
        })
    }

    /// Whether any conversation is in progress, reviews included.
    pub fn is_idle(&self) -> bool {
        self.live.values().all(|live| !live.talk.is_busy())
            && self.sessions.values().all(|one| one.pending.is_none())
    }

    /// Whether children of this session work in the background, so that a message of theirs is still to come.
    pub fn awaits_children(&self, session: &SessionName) -> bool {
        self.children.work_for(session)
    }

    /// Takes one event.
    pub fn handle(&mut self, at: SimTime, event: Event, homes: &mut Homes<'_>, wishes: &mut Vec<Wish>) {
        let cx = &mut Cx { at, homes, wishes };
        match event {
            Event::UserMessage { session, text } => self.arrive(cx, &session, Incoming::of_user(text, at)),
            Event::Interrupt { session } => self.interrupt(cx, &session),
            Event::Steer { session, text } => self.steer(cx, &session, text),
            Event::ModelDone { call, outcome, took } => self.model_done(cx, call, outcome, took),
            Event::ToolDone { run, outcome } => self.tool_done(cx, run, outcome),
            Event::TimerDue { timer } => self.timer_due(cx, timer),
            Event::CuratorPoll { idle } => self.curator_poll(cx, idle),
            Event::Command(command) => self.command(cx, command),
        }
    }

    fn timer_due(&mut self, cx: &mut Cx<'_, '_>, timer: TimerId) {
        match self.timers.remove(&timer) {
            Some(Timer::Loop(id, timer)) => {
                let Some(live) = self.live.get_mut(&id) else { return };
                let mut acts = Vec::new();
                live.talk.timer(cx.at, timer, &mut acts);
                self.drive(cx, id, acts);
            }
            Some(Timer::HomeAnswer { conversation, place, answer }) => {
                self.call_answered(cx, conversation, place, answer);
            }
            Some(Timer::ChildLimit(id)) => self.child_too_slow(cx, id),
            Some(Timer::CancelWait(session, stamp)) => self.cancel_wait_over(cx, &session, stamp),
            Some(Timer::DeferPoll) => self.defer_poll(cx),
            None => {}
        }
    }

    /// A call was answered. Says whether anybody still waited for it.
    pub(super) fn call_answered(
        &mut self,
        cx: &mut Cx<'_, '_>,
        id: ConversationId,
        place: CallPlace,
        answer: CallAnswer,
    ) -> bool {
        let Some(live) = self.live.get_mut(&id) else { return false };
        let mut acts = Vec::new();
        let awaited = live.talk.call_done(cx.at, place, answer, &mut acts);
        self.drive(cx, id, acts);
        awaited
    }

    pub(super) fn set_timer(&mut self, cx: &mut Cx<'_, '_>, at: SimTime, timer: Timer) {
        let id = self.numbers.timer();
        self.timers.insert(id, timer);
        cx.wishes.push(Wish::SetTimer { timer: id, at });
    }

    /// Records a fact of a conversation.
    pub(super) fn note(&self, cx: &mut Cx<'_, '_>, id: ConversationId, fact: Fact) {
        let place = self.place(id);
        cx.wishes.push(Wish::Note(Note { place, fact }));
    }

    /// Records a fact at a place that is known from before.
    pub(super) fn note_at(cx: &mut Cx<'_, '_>, place: Place, fact: Fact) {
        cx.wishes.push(Wish::Note(Note { place, fact }));
    }

    /// Records a fact that belongs to no conversation.
    pub(super) fn note_of_home(cx: &mut Cx<'_, '_>, fact: Fact) {
        let place = Place {
            session: None,
            conversation: ConversationId(0),
            role: Role::Curator,
            turn: 0,
            iteration: 0,
        };
        cx.wishes.push(Wish::Note(Note { place, fact }));
    }

    /// Where a conversation's notes belong.
    pub(super) fn place(&self, id: ConversationId) -> Place {
        let Some(live) = self.live.get(&id) else {
            return Place { session: None, conversation: id, role: Role::Main, turn: 0, iteration: 0 };
        };
        let (session, turn) = match &live.serves {
            Serves::Session(name) => (Some(name.clone()), live.talk.turn),
            Serves::Review(review) => match self.reviews.job(*review) {
                Some(job) => (Some(job.session.clone()), job.turn),
                None => (None, 0),
            },
            Serves::Curator => (None, 0),
            Serves::Delegate(kin) => (kin.session.clone(), kin.turn),
        };
        let iteration = live.talk.iteration();
        Place { session, conversation: id, role: live.talk.charter.role, turn, iteration }
    }

    fn command(&mut self, cx: &mut Cx<'_, '_>, command: Command) {
        match command {
            Command::OpenSession { session, object, source, history } => {
                self.plan_session(&session, object, source, history);
            }
            Command::HoldSession { session, stored } => self.hold_session(cx, &session, &stored),
            Command::CloseSession { session, reason } => self.close_session(cx, &session, &reason),
            Command::ProcessExit => {
                self.process_exit(cx);
                self.curator_exit(cx);
            }
            Command::Compress { session } => self.compress_on_demand(&session),
            Command::Refine { session, focus } => self.refine(cx, &session, focus),
            Command::ServerBusy { busy } => self.server_busy = busy,
            other => self.home_command(cx, other),
        }
    }
}
