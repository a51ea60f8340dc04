//! What a world is made of, once its file has been read: facts, tools, rules.

use std::sync::Arc;

use agent_core::values::{SimDuration, ToolSpec};
use globset::GlobMatcher;
use mock_llm::expr::{Expression, Template};
use regex::Regex;
use serde_json::Value as Json;

/// A world: what tools answer.
#[derive(Debug, Default)]
pub struct World {
    pub(super) facts: Vec<(Arc<str>, Json)>,
    pub(super) tools: Vec<Arc<Tool>>,
}

impl World {
    /// The tools as an agent offers them to its model.
    pub fn tools(&self) -> Vec<ToolSpec> {
        self.tools.iter().map(|tool| tool.spec.clone()).collect()
    }

    /// This world and another: of a tool that both have, the rules of this one stand first, and all else is the
    /// other's.
    ///
    /// # Errors
    /// The names of the facts that both have.
    pub(crate) fn followed_by(self, other: &Arc<Self>) -> Result<Self, Vec<Arc<str>>> {
        let has = |name: &Arc<str>| other.facts.iter().any(|(known, _)| known == name);
        let taken: Vec<_> =
            self.facts.iter().map(|(name, _)| name).filter(|name| has(name)).cloned().collect();
        if !taken.is_empty() {
            return Err(taken);
        }
        let mut facts = self.facts;
        facts.extend(other.facts.iter().cloned());
        let mut tools: Vec<Arc<Tool>> = Vec::new();
        for tool in &self.tools {
            let twin = other.tools.iter().find(|twin| twin.spec.name == tool.spec.name);
            tools.push(twin.map_or_else(|| Arc::clone(tool), |twin| Arc::new(tool.followed_by(twin))));
        }
        let is_new = |tool: &&Arc<Tool>| self.tools.iter().all(|own| own.spec.name != tool.spec.name);
        tools.extend(other.tools.iter().filter(is_new).cloned());
        Ok(Self { facts, tools })
    }
}

impl Tool {
    /// This tool's rules and then another's, whose description it has.
    fn followed_by(&self, other: &Self) -> Self {
        Self {
            spec: other.spec.clone(),
            shell: other.shell.clone(),
            lets: other.lets.clone(),
            rules: self.rules.iter().chain(&other.rules).cloned().collect(),
        }
    }
}

/// One tool and how it answers.
#[derive(Debug)]
pub(super) struct Tool {
    pub(super) spec: ToolSpec,
    /// The argument that holds a command line; its parts joined by `&&` are answered one after the other.
    pub(super) shell: Option<Arc<str>>,
    /// Names that all rules may use; each may use the ones before it.
    pub(super) lets: Vec<(Arc<str>, Template)>,
    pub(super) rules: Vec<Arc<Rule>>,
}

/// One answer and when it is given.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) matches: Vec<(Arc<str>, Matcher)>,
    pub(super) when: Option<Expression>,
    pub(super) reply: Reply,
    /// Facts set, after the reply was rendered.
    pub(super) set: Vec<(Arc<str>, Template)>,
    /// Workspace files written, or removed where there is no text.
    pub(super) files: Vec<(Template, Option<Template>)>,
    pub(super) took: Option<SimDuration>,
    /// Where it stands: `worlds/k8s.yaml:31`.
    pub(super) place: Arc<str>,
}

/// What a rule answers.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) text: Template,
    /// 0 for a good answer; a tool that is no shell knows only good and bad.
    pub(super) exit: i64,
}

/// What an argument must be.
#[derive(Debug)]
pub(super) enum Matcher {
    /// Just this text.
    Is(Arc<str>),
    /// A text that this pattern fits from its beginning to its end.
    Glob(GlobMatcher),
    /// The same; named groups are names in the rule.
    Regex(Regex),
}

impl Matcher {
    /// Whether a text fits; a pattern's named groups are added to the names.
    pub(super) fn fits(&self, text: &str, names: &mut Vec<(Arc<str>, Arc<str>)>) -> bool {
        match self {
            Self::Is(wanted) => **wanted == *text,
            Self::Glob(glob) => glob.is_match(text),
            Self::Regex(regex) => {
                let Some(captures) = regex.captures(text) else { return false };
                let groups = regex.capture_names().flatten();
                names.extend(groups.map(|name| {
                    let found = captures.name(name).map_or("", |found| found.as_str());
                    (name.into(), found.into())
                }));
                true
            }
        }
    }
}
