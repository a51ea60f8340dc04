//! A scenario as the simulation wants it: every reference resolved, every span and instant a number.
//!
//! What a person writes is decoded in the modules beside this one; nothing here knows YAML.

use std::sync::Arc;

use agent_core::behaviour::Settings;
use agent_core::machine::{Command, ServerPlan};
use agent_core::stores::{Bytes, Content, TreePath};
use agent_core::values::{AgentObject, SessionName, SimDuration, SimTime};
use mock_llm::diagnose::Span;
use mock_llm::expr::Expression;
use mock_llm::script::Script;

use reports::money::Prices;

use crate::families::{self, Families, RateError, Rates};
use crate::sim::Latencies;
use crate::work::{Task, Work};
use crate::world::World;

/// One scenario.
#[derive(Debug)]
pub struct Scenario {
    /// Its name, unique in a run.
    pub name: Arc<str>,
    /// Where the name stands in its file.
    pub name_span: Span,
    /// What it shows.
    pub description: String,
    /// The file, as the command line named it.
    pub file: Arc<str>,
    /// The first instant of simulated time.
    pub start: SimTime,
    /// The settings being compared.
    pub arms: Vec<Arm>,
    /// The users, each with an agent and a home of their own; never empty.
    pub users: Vec<Arc<str>>,
    /// What tools answer; shared by all users.
    pub world: Arc<World>,
    /// How the scripted model behaves, in arms that have no script of their own.
    pub script: Option<Arc<Script>>,
    /// The families that work is drawn from.
    pub(crate) families: Option<Arc<Families>>,
    /// What happens, by time and then as written.
    pub timeline: Vec<Item>,
    /// What must hold at the end.
    pub expect: Vec<Expectation>,
    /// How long calls take.
    pub latencies: Latencies,
    /// The name of the main model.
    pub model: Arc<str>,
    /// What agents know of the model server.
    pub server: ServerPlan,
    /// What tokens cost; none leaves money columns empty.
    pub prices: Option<Prices>,
    /// What every user's home holds at the start.
    pub home: Vec<(TreePath, Content)>,
    /// Sessions that were held before the start.
    pub past: Vec<PastSession>,
    /// Skill stores beside the homes.
    pub stores: Vec<SharedStore>,
    /// Digest of every file that the scenario is made of.
    pub digest: Arc<str>,
}

/// A named set of settings being compared.
#[derive(Clone, Debug)]
pub struct Arm {
    /// Its name, unique in its scenario.
    pub name: Arc<str>,
    /// Where the name stands in its file.
    pub span: Span,
    /// Version, configuration and faults, each value with its origin.
    pub settings: Settings,
    /// How often the model does what families leave open.
    pub(crate) rates: Option<Arc<Rates>>,
    /// The script that families make under these rates.
    pub(crate) script: Option<Arc<Script>>,
    /// Texts that replace the built-in prompts, by name.
    pub prompts: Vec<(String, String)>,
}

/// One thing that happens.
#[derive(Clone, Debug)]
pub struct Item {
    /// When, from the scenario's start.
    pub at: SimDuration,
    /// To which user, as an index into [`Scenario::users`].
    pub user: usize,
    /// What.
    pub what: What,
}

/// What happens.
#[derive(Clone, Debug)]
pub enum What {
    /// A session begins, or a closed one is resumed.
    Session(Arc<Session>),
    /// Sessions that are drawn when they are due.
    Work(Arc<Work>),
    /// The curator is polled again and again.
    Polls(Polls),
    /// A command of the user or the process.
    Command(Command),
    /// Somebody deletes a skill's directory.
    DeleteSkill(Arc<str>),
    /// Somebody writes or removes files of the home.
    Home(Vec<(TreePath, Option<Content>)>),
    /// The world changes.
    Facts(Vec<(Arc<str>, serde_json::Value)>),
    /// From now on the user answers what the agent tells.
    Reaction(Reaction),
}

/// What a user does whenever the agent tells something.
#[derive(Clone, Debug)]
pub struct Reaction {
    /// What a notice must hold.
    pub told: Arc<str>,
    /// How long after it.
    pub after: SimDuration,
    /// What is done; never a session, polls or a reaction.
    pub then: Box<What>,
}

/// A session that was held before the start: stored, not simulated.
#[derive(Clone, Debug)]
pub struct PastSession {
    /// Its id in the database.
    pub id: Arc<str>,
    /// Whose it is, as an index into [`Scenario::users`]; none for all.
    pub user: Option<usize>,
    /// In which other profile of the user it lies; none for the user's own home.
    pub profile: Option<Arc<str>>,
    /// How long before the start it began.
    pub ago: SimDuration,
    /// Where it came from.
    pub source: Arc<str>,
    /// Its title.
    pub title: Option<Arc<str>>,
    /// The session that it goes on from.
    pub parent: Option<Arc<str>>,
    /// Whether it branched off its parent.
    pub branch: bool,
    /// Why it ended; none if it did not.
    pub ended: Option<Arc<str>>,
    /// What was said, a minute apart.
    pub messages: Vec<PastMessage>,
}

/// A message of a past session.
#[derive(Clone, Debug)]
pub struct PastMessage {
    /// Whether the user said it, or else the agent.
    pub by_user: bool,
    /// The words.
    pub text: Arc<str>,
    /// A picture that came with them.
    pub picture: Option<Arc<str>>,
    /// Whether the user took it back.
    pub rewound: bool,
}

/// A skill store that several users share, or that all only read.
#[derive(Clone, Debug)]
pub struct SharedStore {
    /// Its name.
    pub name: Arc<str>,
    /// The absolute path by which prompts show it.
    pub path: Arc<str>,
    /// What it holds at the start; skills lie directly in it.
    pub files: Vec<(TreePath, Content)>,
    /// Whether agents may write to it.
    pub writable: bool,
}

/// One session.
#[derive(Clone, Debug)]
pub struct Session {
    /// Its name, unique to its user.
    pub name: SessionName,
    /// Whether it goes on with a session of this name that was closed.
    pub resumes: bool,
    /// A new agent object or the kept one.
    pub object: AgentObject,
    /// Where it runs.
    pub surface: Surface,
    /// Whether it goes on in the workspace of the user's session before it.
    pub keeps_workspace: bool,
    /// The past session that it goes on with, as a process does that has held it open.
    pub holds: Option<Arc<str>>,
    /// What the user says; never empty.
    pub turns: Vec<Turn>,
}

/// Where a session runs, and so what becomes of a review that outlives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// The process stays: reviews live on.
    Gateway,
    /// The process ends so long after the session's last turn.
    Cli {
        /// How long.
        exit: SimDuration,
    },
}

impl Scenario {
    /// How the scripted model behaves in an arm.
    pub fn script_of<'a>(&'a self, arm: &'a Arm) -> &'a Arc<Script> {
        let script = arm.script.as_ref().or(self.script.as_ref());
        script.expect("a scenario without a script has families, and then every arm has one")
    }

    /// An arm with some of its rates changed, and the script that follows from them; none for an arm without rates.
    /// `made` holds the scripts that were made so far, which may do again.
    ///
    /// # Errors
    /// There is no such rate, or a value is no share.
    pub(crate) fn arm_with_rates<'c>(
        &self,
        arm: &Arm,
        changes: impl Iterator<Item = (&'c str, f64)>,
        made: &mut Vec<(Arc<Rates>, Arc<Script>)>,
    ) -> Result<Option<Arm>, RateError> {
        let (Some(families), Some(own)) = (&self.families, &arm.rates) else { return Ok(None) };
        let mut wanted = Rates::clone(own);
        for (name, value) in changes {
            wanted = wanted.changed(name, value)?;
        }
        let known = made.iter().find(|(rates, _)| **rates == wanted);
        let (rates, script) = known.cloned().unwrap_or_else(|| {
            let script =
                families::script(families, &wanted).expect("these families made a script when loaded");
            let script = match &self.script {
                Some(own) => script.followed_by(own).expect("and it went together with the scenario's own"),
                None => script,
            };
            made.push((Arc::new(wanted), Arc::new(script)));
            made[made.len() - 1].clone()
        });
        Ok(Some(Arm { rates: Some(rates), script: Some(script), ..arm.clone() }))
    }

    /// From the start to the last thing that the timeline holds.
    pub fn span(&self) -> SimDuration {
        self.timeline.iter().map(Item::last).max().unwrap_or_default()
    }
}

impl Item {
    /// The last instant that it names, from the scenario's start.
    fn last(&self) -> SimDuration {
        match &self.what {
            What::Polls(polls) => self.at.max(polls.until),
            What::Work(work) => self.at.max(work.until),
            What::Session(session) => session.turns.iter().fold(self.at, |last, turn| match turn.begins {
                Begins::At(at) => last.max(at),
                Begins::After(span) => last + span,
            }),
            _ => self.at,
        }
    }
}

impl Surface {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Gateway => "gateway",
            Self::Cli { .. } => "cli",
        }
    }
}

/// One message of the user and how it comes.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The whole text, with the names of the files dropped in.
    pub text: Arc<str>,
    /// Files that appear in the workspace with it.
    pub files: Vec<(TreePath, Bytes)>,
    /// When it comes.
    pub begins: Begins,
    /// Whether the user interrupts the answer.
    pub interrupt: Option<Interrupt>,
    /// What a message does to an answer that is still being worked on.
    pub if_busy: IfBusy,
    /// The task of a family that it asks for.
    pub(crate) task: Option<Arc<Task>>,
    /// Whether the user says it at all, seen from what was answered before; none for always.
    pub when: Option<Expression>,
}

/// When a turn begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begins {
    /// At this distance from the scenario's start.
    At(SimDuration),
    /// So long after the end of the turn before (of the session's start, for the first).
    After(SimDuration),
}

/// When the user interrupts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupt {
    /// So long after the turn began.
    After(SimDuration),
    /// At the n-th model call of the turn.
    ModelCall {
        /// Which, from 1.
        number: u32,
        /// When it goes out, or when it is answered.
        when: Moment,
    },
    /// At the n-th tool call of the turn.
    ToolCall {
        /// Which, from 1.
        number: u32,
        /// When it is taken up, or when it is answered.
        when: Moment,
    },
}

/// The beginning or the end of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// The beginning.
    Started,
    /// The end.
    Done,
}

/// What a message does to an answer that is still being worked on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IfBusy {
    /// It interrupts it and begins a new turn.
    #[default]
    Interrupt,
    /// It waits for its end.
    Queue,
    /// It joins it without interrupting.
    Steer,
}

/// Polls of the curator (`spec/curator.md` §4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Polls {
    /// When they come, from the item's time on.
    pub times: PollTimes,
    /// The last instant at which one may happen, from the scenario's start.
    pub until: SimDuration,
    /// The idle time that the caller passes; none follows the arm's settings.
    pub idle: Option<Idle>,
}

/// When the curator is polled: by its one caller or the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PollTimes {
    /// By a gateway's housekeeping: at the item's time, and again after each such span.
    Every(SimDuration),
    /// By each command line when it starts.
    CommandLines,
}

/// The idle time that the curator's caller passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idle {
    /// It passes an endless time, so that the test always holds.
    Infinite,
    /// It measures from the user's last activity.
    Measured,
}

/// Something that must hold at the end of a cell.
#[derive(Debug)]
pub struct Expectation {
    /// What.
    pub that: Expression,
    /// For which cells; none for all.
    pub when: Option<Expression>,
    /// Why it should hold, for the person who reads a failure.
    pub why: Option<String>,
    /// Line in the scenario's file.
    pub line: u32,
}
