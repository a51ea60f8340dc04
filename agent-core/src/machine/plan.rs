//! What an agent is made of: everything that the caller decides before the first event.

use std::sync::Arc;

use super::charter::ToolHook;
use crate::behaviour::Settings;
use crate::skills::WriteBack;
use crate::values::{Seed, ToolSpec};

/// Who answers a write that asks for approval (`spec/memory.md` §8). Approvals never cause a model call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Approvals {
    /// Nobody is there to be asked: such writes are staged.
    #[default]
    Unattended,
    /// The user agrees to each.
    Agree,
    /// The user denies each.
    Deny,
}

/// The locally managed model server, as far as the defer queue looks at it (`spec/background-review.md` §8).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServerPlan {
    /// Whether the agent manages the server itself, so that reviews are deferred.
    pub managed: bool,
    /// Requests that it serves at a time; 0 if its state cannot be read, so that it counts as idle.
    pub slots: u32,
}

/// What an agent is made of.
#[derive(Clone, Debug)]
pub struct AgentPlan {
    /// Version, configuration and faults.
    pub settings: Settings,
    /// What fixes its draws (session ids, pending ids, jitter).
    pub seed: Seed,
    /// The user's name, as traces have it.
    pub user: Arc<str>,
    /// The main model.
    pub model: Arc<str>,
    /// Its provider.
    pub provider: Arc<str>,
    /// The platform of the surface: `cli`, `telegram` …
    pub platform: Arc<str>,
    /// Tools of the world.
    pub world_tools: Vec<ToolSpec>,
    /// Tools of the home that are not offered.
    pub withheld_tools: Vec<String>,
    /// Refusals that stand before the tools.
    pub hooks: Vec<ToolHook>,
    /// Who answers approvals.
    pub approvals: Approvals,
    /// The model server.
    pub server: ServerPlan,
    /// Whether the agent was built never to review (`spec/nudges.md` §2.4).
    pub skip_reviews: bool,
    /// How deep the agent itself stands below a user's session: 0, unless it is the child of another agent
    /// (`spec/turn-loop.md` §10).
    pub delegation_depth: u32,
    /// Texts that replace the built-in ones, by name.
    pub prompts: Vec<(String, String)>,
    /// When usage records reach the home.
    pub write_back: WriteBack,
}

impl AgentPlan {
    /// An agent with these settings and nothing else special.
    pub fn new(settings: Settings, seed: Seed) -> Self {
        Self {
            settings,
            seed,
            user: "user".into(),
            model: "scripted".into(),
            provider: "mock".into(),
            platform: "cli".into(),
            world_tools: Vec::new(),
            withheld_tools: Vec::new(),
            hooks: Vec::new(),
            approvals: Approvals::default(),
            server: ServerPlan::default(),
            skip_reviews: false,
            delegation_depth: 0,
            prompts: Vec::new(),
            write_back: WriteBack::Later,
        }
    }
}
