//! Tools as a model is offered them.

use std::sync::Arc;

use serde_json::Value;

use super::note::Fact;

/// Whether calls of a tool may run beside others of the same reply (`spec/turn-loop.md` §6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parallel {
    /// Always safe.
    Safe,
    /// Safe beside calls whose path does not overlap (`read_file`, `write_file`, `patch`).
    ByPath,
    /// Runs alone.
    Never,
}

/// Who runs a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolOwner {
    /// The agent itself, on its home or workspace.
    Home,
    /// The world: the caller is asked by [`crate::machine::Wish::RunTool`].
    World,
}

/// One tool: what the model reads of it and how the loop treats it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    /// The name by which it is called.
    pub name: Arc<str>,
    /// What the model reads.
    pub description: Arc<str>,
    /// JSON Schema of the arguments.
    pub parameters: Value,
    /// Whether it may run beside others.
    pub parallel: Parallel,
    /// Who runs it.
    pub owner: ToolOwner,
}

/// The tools offered to a conversation, in the order of the request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolList(Vec<ToolSpec>);

impl ToolList {
    /// A list in this order; of two tools with one name the first stays.
    pub fn new(tools: Vec<ToolSpec>) -> Self {
        let mut list: Vec<ToolSpec> = Vec::with_capacity(tools.len());
        for tool in tools {
            if !list.iter().any(|known| known.name == tool.name) {
                list.push(tool);
            }
        }
        Self(list)
    }

    /// The tool of this name.
    pub fn get(&self, name: &str) -> Option<&ToolSpec> {
        self.0.iter().find(|tool| &*tool.name == name)
    }

    /// Whether a tool of this name is offered.
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// The tools in order.
    pub fn iter(&self) -> impl Iterator<Item = &ToolSpec> {
        self.0.iter()
    }

    /// The names in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|tool| &*tool.name)
    }

    /// Whether no tool is offered.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What a tool of the home answered: the text that the model reads and the facts that the trace records.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HomeAnswer {
    /// What the model reads: for most tools one JSON object.
    pub text: String,
    /// The error kind of the specs, where the call did not do what it asked.
    pub kind: Option<Arc<str>>,
    /// Whether a guard refused it (as opposed to a mistake in the call).
    pub refused: bool,
    /// Writes, loads and skill events, in order. Only what really happened.
    pub facts: Vec<Fact>,
}
