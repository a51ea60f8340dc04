//! How a world answers a call: rule by rule, and nothing is ever executed.
//!
//! A call that no rule fits is answered as a shell answers an unknown command (exit code 127), and noted; it does not
//! break the cell, because a model that tries something impossible is ordinary.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use agent_core::stores::{MemFiles, TreePath, exists, remove_tree, write_text};
use agent_core::values::{SimDuration, ToolCall};
use anyhow::Context as _;
use minijinja::value::Value;
use reports::trace::{Data, Kind};
use serde::Serialize;
use serde_json::{Value as Json, json};

use super::context::{Context, Workspace, value_of};
use super::model::{Rule, Tool, World};
use super::shell::parts;

/// The exit code of a shell for a command that it does not know.
const EXIT_UNKNOWN: i64 = 127;

/// A world in the course of a cell: its facts change.
#[derive(Debug)]
pub(crate) struct WorldState {
    world: Arc<World>,
    facts: BTreeMap<Arc<str>, Json>,
}

/// A call to be answered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    /// The call; its arguments are valid JSON.
    pub(crate) call: &'a ToolCall,
    /// The day of the scenario, the first being 0.
    pub(crate) day: u32,
    /// Whose agent calls.
    pub(crate) user: &'a Arc<str>,
    /// That agent's home, for reading.
    pub(crate) home: &'a MemFiles,
}

/// A world's answer.
#[derive(Debug, Default)]
pub(crate) struct Answered {
    /// What the model reads.
    pub(crate) text: String,
    /// How long it took, where a rule says so.
    pub(crate) took: Option<SimDuration>,
    /// What changed in the world and what it had no answer for, for the trace.
    pub(crate) changes: Vec<Kind>,
}

/// What a shell's tool answers, its keys in this order.
#[derive(Debug, Serialize)]
struct ShellAnswer {
    output: String,
    exit_code: i64,
}

/// The answer to a call or to one part of a command line.
#[derive(Debug)]
struct Part {
    text: Arc<str>,
    exit: i64,
}

impl WorldState {
    /// A world at the start of a cell.
    pub(crate) fn new(world: &Arc<World>) -> Self {
        Self { world: Arc::clone(world), facts: world.facts.iter().cloned().collect() }
    }

    /// A fact; none if it is not set.
    pub(crate) fn fact(&self, name: &str) -> Option<&Json> {
        self.facts.get(name)
    }

    /// Sets a fact from outside.
    pub(crate) fn set(&mut self, name: &Arc<str>, value: &Json) {
        self.facts.insert(Arc::clone(name), value.clone());
    }

    /// Answers a call. Effects on facts and workspace happen now.
    ///
    /// # Errors
    /// A rule's expression cannot be evaluated: a mistake of the world's file that shows only when it is used.
    pub(crate) fn answer(&mut self, asked: &Asked<'_>, files: &mut MemFiles) -> anyhow::Result<Answered> {
        let args: Json = serde_json::from_str(&asked.call.arguments).unwrap_or_else(|_| json!({}));
        let mut answered = Answered::default();
        let world = Arc::clone(&self.world);
        let Some(tool) = world.tools.iter().find(|tool| tool.spec.name == asked.call.name) else {
            answered.text = json!({"error": format!("no tool named {}", asked.call.name)}).to_string();
            return Ok(answered);
        };
        let Some(name) = &tool.shell else {
            let part = self.part(tool, &args, asked, files, &mut answered)?;
            answered.text = match part.exit {
                0 => part.text.to_string(),
                _ => json!({"error": *part.text}).to_string(),
            };
            return Ok(answered);
        };
        let line = args.get(&**name).and_then(Json::as_str).unwrap_or_default().to_owned();
        let mut output = Vec::new();
        let mut exit = 0;
        for command in parts(&line) {
            let mut args = args.clone();
            args[&**name] = command.into();
            let part = self.part(tool, &args, asked, files, &mut answered)?;
            if !part.text.is_empty() {
                output.push(part.text.trim_end().to_owned());
            }
            exit = part.exit;
            if exit != 0 {
                break;
            }
        }
        let answer = ShellAnswer { output: output.join("\n"), exit_code: exit };
        answered.text = serde_json::to_string(&answer)?;
        Ok(answered)
    }

    /// The answer of the first rule that fits.
    fn part(
        &mut self,
        tool: &Tool,
        args: &Json,
        asked: &Asked<'_>,
        files: &mut MemFiles,
        answered: &mut Answered,
    ) -> anyhow::Result<Part> {
        let context = Arc::new(Context {
            args: value_of(args),
            facts: Value::from(minijinja::value::Serde(&self.facts)),
            files: Value::from_object(Workspace(files.clone())),
            home: Value::from_object(Workspace(asked.home.clone())),
            day: asked.day,
            user: Arc::clone(asked.user),
            lets: tool
                .lets
                .iter()
                .map(|(name, text)| (Arc::clone(name), text.clone(), OnceLock::new()))
                .collect(),
        });
        for rule in &tool.rules {
            let Some(groups) = fits(rule, args) else { continue };
            let names = context.with_groups(groups);
            let holds = rule.when.as_ref().map_or(Ok(true), |when| when.holds(&names));
            if !holds.with_context(|| rule.place.clone())? {
                continue;
            }
            let part = self.apply(rule, &names, files, answered).with_context(|| rule.place.clone())?;
            answered.took =
                rule.took.map_or(answered.took, |took| Some(answered.took.unwrap_or_default() + took));
            return Ok(part);
        }
        Ok(unanswered(tool, args, answered))
    }

    /// Renders the reply, then does what the rule does.
    fn apply(
        &mut self,
        rule: &Rule,
        names: &Value,
        files: &mut MemFiles,
        answered: &mut Answered,
    ) -> anyhow::Result<Part> {
        let text = rule.reply.text.render(names)?;
        let mut facts = Vec::new();
        for (name, template) in &rule.set {
            let value = serde_json::to_value(template.value(names)?)?;
            facts.push((Arc::clone(name), value));
        }
        for (path, text) in &rule.files {
            let path = path.render(names)?;
            let path = TreePath::parse(&path).with_context(|| format!("`{path}` is not a relative path"))?;
            match text {
                Some(text) => write_text(files, &path, &text.render(names)?)?,
                None if exists(files, &path) => remove_tree(files, &path)?,
                None => {}
            }
        }
        for (name, value) in facts {
            let value_for_trace = Data(value.clone());
            answered.changes.push(Kind::Change {
                what: "fact".into(),
                target: Arc::clone(&name),
                value: value_for_trace,
            });
            self.facts.insert(name, value);
        }
        Ok(Part { text, exit: rule.reply.exit })
    }
}

/// The groups of a rule's patterns if all its arguments fit.
fn fits(rule: &Rule, args: &Json) -> Option<Vec<(Arc<str>, Arc<str>)>> {
    let mut groups = Vec::new();
    for (name, matcher) in &rule.matches {
        let fits = match args.get(&**name)? {
            Json::String(text) => matcher.fits(text, &mut groups),
            other => matcher.fits(&other.to_string(), &mut groups),
        };
        if !fits {
            return None;
        }
    }
    Some(groups)
}

/// What a call gets that no rule fits.
fn unanswered(tool: &Tool, args: &Json, answered: &mut Answered) -> Part {
    answered.changes.push(Kind::Unanswered { tool: Arc::clone(&tool.spec.name), args: Data(args.clone()) });
    match &tool.shell {
        Some(name) => {
            let line = args.get(&**name).and_then(Json::as_str).unwrap_or_default();
            let command = line.split_whitespace().next().unwrap_or_default();
            Part { text: format!("{command}: command not found").into(), exit: EXIT_UNKNOWN }
        }
        None => Part { text: format!("nothing answers this call of {}", tool.spec.name).into(), exit: 1 },
    }
}
