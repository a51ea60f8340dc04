//! What a conversation is for and what it may do. Sessions, reviews, the curator's pass and delegates are
//! conversations of one kind; they differ in their charter and in nothing else.

use std::sync::Arc;

use crate::behaviour::LoopRules;
use crate::values::{Role, Tokens, ToolList, WriteOrigin};

/// Which tools may really run, of those that are offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Allowed {
    /// All that are offered.
    Offered,
    /// Only these; a call of another is answered with a refusal.
    Only(Arc<[Arc<str>]>),
}

impl Allowed {
    pub(crate) fn has(&self, tool: &str) -> bool {
        match self {
            Self::Offered => true,
            Self::Only(names) => names.iter().any(|name| &**name == tool),
        }
    }
}

/// A refusal that stands before the tools: a hook of the surface or a denied approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolHook {
    /// The tool.
    pub tool: String,
    /// Text that its arguments must contain for the hook to act; empty for every call.
    pub contains: String,
    /// What the model reads instead of a result.
    pub refusal: String,
}

/// Whether and when a conversation may be compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compresses {
    /// Never.
    No,
    /// When it grows too long.
    Yes,
    /// The same, but not before its first reply has arrived, so that its first request finds the cache warm.
    AfterFirstReply,
}

/// The texts that the loop itself puts into a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LoopTexts {
    pub(crate) empty_nudge: Arc<str>,
    pub(crate) empty_placeholder: Arc<str>,
    pub(crate) length_continuation: Arc<str>,
    pub(crate) closing_request: Arc<str>,
    pub(crate) closing_fallback: Arc<str>,
    pub(crate) empty_explanation: Arc<str>,
    pub(crate) interrupted_tail: Arc<str>,
    pub(crate) unfinished: Arc<str>,
    pub(crate) halt: Arc<str>,
    pub(crate) steer_open: Arc<str>,
    pub(crate) steer_close: Arc<str>,
}

/// What a conversation is for and what it may do.
#[derive(Clone, Debug)]
pub(crate) struct Charter {
    pub(crate) role: Role,
    pub(crate) system: Arc<str>,
    pub(crate) tools: Arc<ToolList>,
    pub(crate) allowed: Allowed,
    /// Whether a refusal lists what is allowed and says not to try again.
    pub(crate) refusal_lists_allowed: bool,
    /// Passes of one turn.
    pub(crate) iterations_max: u32,
    /// Input tokens (cache reads and writes included) after which no further pass begins.
    pub(crate) input_budget: Option<Tokens>,
    pub(crate) origin: WriteOrigin,
    /// Whether its messages are stored with the session.
    pub(crate) persists: bool,
    pub(crate) compresses: Compresses,
    /// Whether its passes and calls move the nudge counters.
    pub(crate) nudges: bool,
    pub(crate) hooks: Arc<[ToolHook]>,
    /// Children that one reply may ask for.
    pub(crate) delegates_max: usize,
    pub(crate) rules: Arc<LoopRules>,
    pub(crate) texts: Arc<LoopTexts>,
}
