//! One session as it is stored.

use std::sync::Arc;

use serde_json::Value;

use super::ids::SessionId;
use super::json;
use super::when;
use crate::values::{SimTime, Usage};

/// The end reason of a session that compression replaced by a child.
pub(super) const ENDED_BY_COMPRESSION: &str = "compression";

/// The end reason of a session that a branch left behind.
pub(super) const ENDED_BY_BRANCH: &str = "branched";

/// The source of sessions that integrations open.
pub(super) const SOURCE_TOOL: &str = "tool";

/// Tokens booked on a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionTokens {
    /// Prompt tokens that no cache served.
    pub input: u64,
    /// Completion tokens.
    pub output: u64,
    /// Prompt tokens that a cache served.
    pub cache_read: u64,
}

/// A session (`spec/sessions.md` §1.1). Times are seconds since the Unix epoch.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionRow {
    /// Its key.
    pub id: SessionId,
    /// Where it comes from: `cli`, `gateway`, `cron`, `subagent`, `tool` …
    pub source: Arc<str>,
    /// The model.
    pub model: Option<Arc<str>>,
    /// Settings of the model, as JSON text; also holds the markers of branches and delegates.
    pub model_config: Option<Arc<str>>,
    /// The frozen prompt.
    pub system_prompt: Option<Arc<str>>,
    /// The session that it continues, branches from or was delegated by.
    pub parent: Option<SessionId>,
    /// Start.
    pub started_at: f64,
    /// End, if it ended.
    pub ended_at: Option<f64>,
    /// Why it ended.
    pub end_reason: Option<Arc<str>>,
    /// Messages of the conversation.
    pub message_count: u32,
    /// Tool calls of the conversation.
    pub tool_call_count: u32,
    /// The title; unique.
    pub title: Option<Arc<str>>,
    /// Whether the user put it away.
    pub archived: bool,
    /// How often the user took messages back.
    pub rewind_count: u32,
    /// The working directory.
    pub cwd: Option<Arc<str>>,
    /// The branch checked out there.
    pub git_branch: Option<Arc<str>>,
    /// The root of the repository there.
    pub git_repo_root: Option<Arc<str>>,
    /// The profile.
    pub profile_name: Option<Arc<str>>,
    /// Tokens booked on it.
    pub tokens: SessionTokens,
}

impl SessionRow {
    /// A session that starts now.
    pub fn new(id: impl Into<SessionId>, source: impl Into<Arc<str>>, at: SimTime) -> Self {
        Self {
            id: id.into(),
            source: source.into(),
            model: None,
            model_config: None,
            system_prompt: None,
            parent: None,
            started_at: when::epoch(at),
            ended_at: None,
            end_reason: None,
            message_count: 0,
            tool_call_count: 0,
            title: None,
            archived: false,
            rewind_count: 0,
            cwd: None,
            git_branch: None,
            git_repo_root: None,
            profile_name: None,
            tokens: SessionTokens::default(),
        }
    }

    /// Whether it ended for this reason.
    pub(super) fn ended_by(&self, reason: &str) -> bool {
        self.end_reason.as_deref() == Some(reason)
    }

    /// Fills what is still empty from another row of the same key; nothing is overwritten and the source stays.
    pub(super) fn fill_from(&mut self, other: Self) {
        fn fill<T>(slot: &mut Option<T>, value: Option<T>) {
            if slot.is_none() {
                *slot = value;
            }
        }
        fill(&mut self.model, other.model);
        fill(&mut self.model_config, other.model_config);
        fill(&mut self.system_prompt, other.system_prompt);
        fill(&mut self.parent, other.parent);
        fill(&mut self.cwd, other.cwd);
        fill(&mut self.git_branch, other.git_branch);
        fill(&mut self.git_repo_root, other.git_repo_root);
        fill(&mut self.profile_name, other.profile_name);
    }
}

/// The markers in a session's model configuration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Markers {
    /// The user branched it off another session.
    pub(super) branch: bool,
    /// An agent opened it for a part of its work.
    pub(super) delegate: bool,
}

impl Markers {
    pub(super) fn of(row: &SessionRow) -> Self {
        let config = row.model_config.as_deref().and_then(json::parse).unwrap_or(Value::Null);
        let has = |key: &str| config.get(key).is_some_and(|value| !value.is_null());
        Self { branch: has("_branched_from"), delegate: has("_delegate_from") }
    }

    pub(super) fn any(self) -> bool {
        self.branch || self.delegate
    }
}

/// A session in the store, with what the store derives of it.
#[derive(Clone, Debug)]
pub(super) struct Session {
    pub(super) row: SessionRow,
    pub(super) markers: Markers,
    /// Places of its messages in the store, in order of insertion.
    pub(super) messages: Vec<usize>,
    /// The latest time of a message.
    pub(super) last_message_at: Option<f64>,
}

impl Session {
    pub(super) fn new(row: SessionRow) -> Self {
        let markers = Markers::of(&row);
        Self { row, markers, messages: Vec::new(), last_message_at: None }
    }

    /// The latest time of a message, else the start.
    pub(super) fn last_active(&self) -> f64 {
        self.last_message_at.unwrap_or(self.row.started_at)
    }

    pub(super) fn book(&mut self, usage: Usage) {
        let tokens = &mut self.row.tokens;
        tokens.input += usage.prompt.0.saturating_sub(usage.cached.0);
        tokens.cache_read += usage.cached.0;
        tokens.output += usage.completion.0;
    }
}
