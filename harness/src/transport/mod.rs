//! How a model request reaches the scripted model: over HTTP on the loopback interface, or in process.
//!
//! Both ways ask the same engine and give the same answer, so a trace does not tell which one was used; a test
//! compares the bytes. A transport knows nothing of simulated latencies: it says what was answered, and where the
//! server asked for a delay of its own, how long.

#[cfg(test)]
mod agent_tests;
mod direct;
mod encode;
mod fault;
mod hosts;
mod http;
mod reply;
mod sse;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use agent_core::machine::{ModelOutcome, ModelRequest};
use agent_core::values::{SimDuration, SimTime};

pub(crate) use hosts::Hosts;

/// Which way model requests go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum TransportKind {
    /// Through the mock server on a loopback port.
    Http,
    /// To the same engine in process.
    Direct,
}

impl TransportKind {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Direct => "direct",
        }
    }
}

/// One request with what the server is told beside it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ask<'a> {
    /// The request.
    pub(crate) request: &'a ModelRequest,
    /// The conversation's key: `user/session#turn[/review n]`.
    pub(crate) key: &'a str,
    /// The time at which it is sent.
    pub(crate) now: SimTime,
}

/// How long an answer takes in simulated time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Took {
    /// What the role's pace says.
    Paced,
    /// What the role's pace says and so much more.
    Later(SimDuration),
    /// It never comes.
    Never,
}

/// What a transport brings back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// What became of the request.
    pub(crate) outcome: ModelOutcome,
    /// How long it takes.
    pub(crate) took: Took,
    /// The rule of the script that answered.
    pub(crate) rule: Option<Arc<str>>,
    /// The step of that rule.
    pub(crate) step: Option<Arc<str>>,
    /// Set when no rule fits: the cell is broken.
    pub(crate) miss: Option<Miss>,
}

/// A request that no rule of the script fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Miss {
    /// The whole message.
    pub(crate) message: String,
    /// The nearest rules with the clause that failed, nearest first.
    pub(crate) nearest: Vec<(String, String)>,
}

/// A way to the scripted model, for one cell.
pub(crate) trait Transport {
    /// Asks, and waits (in real time) for the answer.
    ///
    /// # Errors
    /// The way itself broke: the cell's results are incomplete. Whatever the model answers, also badly, is no error.
    fn ask(&mut self, ask: &Ask<'_>) -> anyhow::Result<Answer>;
}
