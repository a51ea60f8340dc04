//! A literal-minded reader in the model's place: it keeps to the rules that it finds in the prompt before it, and to no
//! others.
//!
//! It reads the request that the agent really sent. A rule that is only hinted at (weakened) does not bind it.

use std::collections::BTreeSet;
use std::sync::Arc;

use agent_core::behaviour::TextRules;
use agent_core::machine::{ModelOutcome, ModelRequest};
use agent_core::prompt::PromptName;
use agent_core::prompt::rules::{self, Status};
use agent_core::values::{AssistantText, Finish, Message, Reply, Role, Synthetic, Tokens, ToolCall, Usage};
use serde_json::{Value, json};

use super::library::LibraryFile;
use super::temptation::{Act, TEMPTATIONS};
use crate::transport::{Answer, Ask, Took, Transport};

/// What stands before the list of candidates in an instruction; from there on it holds data and no rules.
const DATA: &str = "\nCandidates (";

/// The main conversation before a review: an upload that fails once and then works, and a program that is not there.
const WORK: [&str; 4] =
    ["upload prices.csv", "upload prices.csv", "jq .total prices.json", "python3 -m json.tool prices.json"];

/// The reader, with what it saw and did.
pub(super) struct Reader<'a> {
    library: &'a LibraryFile,
    /// The prompts whose rules it looks for.
    prompts: &'a [PromptName],
    rules: &'a TextRules,
    /// A rule that it passes over although it is there.
    ignored: Option<&'static str>,
    steps: Option<Vec<Step>>,
    next: usize,
    calls: u32,
    /// The request as it came.
    pub(super) seen: Option<Seen>,
    /// Harmful acts, each with its rule.
    pub(super) acts: Vec<(&'static str, Harm)>,
}

/// A request as the reader saw it.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) system: Arc<str>,
    pub(super) instruction: Arc<str>,
    pub(super) tools: Vec<Arc<str>>,
}

/// A harmful act that was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Harm {
    /// The call of this id.
    Call(Arc<str>),
    /// This skill was left unmerged.
    Left(String),
}

/// One reply.
#[derive(Clone, Debug)]
enum Step {
    /// A call; harmful ones have an id by which they are found again.
    Call {
        id: Option<Arc<str>>,
        tool: &'static str,
        args: Value,
    },
    Say(String),
}

impl<'a> Reader<'a> {
    /// A reader of these prompts in this library.
    pub(super) fn new(
        library: &'a LibraryFile,
        prompts: &'a [PromptName],
        rules: &'a TextRules,
        ignored: Option<&'static str>,
    ) -> Self {
        Self {
            library,
            prompts,
            rules,
            ignored,
            steps: None,
            next: 0,
            calls: 0,
            seen: None,
            acts: Vec::new(),
        }
    }

    fn main(request: &ModelRequest) -> Step {
        let done = request.messages.iter().filter(|message| !message.calls().is_empty()).count();
        WORK.get(done).map_or_else(
            || Step::Say("The price list is in the shop.".to_owned()),
            |command| Step::Call { id: None, tool: "terminal", args: json!({ "command": command }) },
        )
    }

    /// The next reply of a review or a pass.
    fn step(&mut self, request: &ModelRequest) -> Step {
        if self.steps.is_none() {
            let instruction = instruction(request);
            self.seen = Some(Seen {
                system: Arc::clone(&request.system),
                instruction: Arc::clone(&instruction),
                tools: request.tools.iter().map(|tool| Arc::clone(&tool.name)).collect(),
            });
            let obeyed = self.obeyed(&instruction);
            self.steps = Some(self.plan(request.role, &obeyed));
        }
        let step = self.steps.as_ref().and_then(|steps| steps.get(self.next)).cloned();
        self.next += 1;
        step.unwrap_or_else(|| Step::Say("Nothing to save.".to_owned()))
    }

    /// The rules that bind the reader.
    fn obeyed(&self, instruction: &str) -> BTreeSet<&'static str> {
        let text = instruction.find(DATA).map_or(instruction, |at| &instruction[..at]);
        let findings = self.prompts.iter().flat_map(|prompt| rules::check(*prompt, text, self.rules));
        let found =
            findings.filter(|finding| finding.status == Status::Found).map(|finding| finding.rule.name);
        found.filter(|name| self.ignored != Some(name)).collect()
    }

    /// Everything that the reader will do: the harm that no rule keeps it from, then the work.
    fn plan(&mut self, role: Role, obeyed: &BTreeSet<&'static str>) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut left = BTreeSet::new();
        for temptation in TEMPTATIONS {
            let concerns = temptation.prompts.iter().any(|prompt| self.prompts.contains(prompt));
            let applies =
                concerns && self.prompts.iter().any(|prompt| self.applies(*prompt, temptation.rule));
            if !applies || obeyed.contains(temptation.rule) {
                continue;
            }
            for act in (temptation.acts)(self.library) {
                let harm = match act {
                    Act::Leave(name) => {
                        left.insert(name.clone());
                        Harm::Left(name)
                    }
                    Act::Manage(args) => {
                        let id: Arc<str> = format!("harm_{}", self.acts.len()).into();
                        steps.extend(self.read_first(&args));
                        steps.push(Step::Call { id: Some(Arc::clone(&id)), tool: "skill_manage", args });
                        Harm::Call(id)
                    }
                };
                self.acts.push((temptation.rule, harm));
            }
        }
        if role == Role::Curator {
            let preview = self.prompts.contains(&PromptName::CuratorDryRun);
            steps.extend(if preview { vec![summary(&[])] } else { self.consolidate(&left) });
        }
        steps
    }

    /// Whether a rule is asked for in this version.
    fn applies(&self, prompt: PromptName, rule: &str) -> bool {
        rules::of(prompt).iter().any(|known| known.name == rule && known.layer.applies(self.rules))
    }

    /// Views of the skill that a call changes and of the one that it names as its target.
    fn read_first(&self, args: &Value) -> Vec<Step> {
        let named = ["name", "absorbed_into"].into_iter().filter_map(|key| args[key].as_str());
        named.filter(|name| self.library.skill(name).is_some()).map(view).collect()
    }

    /// The work of a good pass: each member becomes a section of the umbrella and is archived.
    fn consolidate(&self, left: &BTreeSet<String>) -> Vec<Step> {
        let Some(cluster) = &self.library.cluster else { return vec![summary(&[])] };
        let Some(umbrella) = self.library.skill(&cluster.umbrella) else { return vec![summary(&[])] };
        let members: Vec<&String> = cluster.members.iter().filter(|name| !left.contains(*name)).collect();
        let mut steps = vec![view(&umbrella.name)];
        for name in &members {
            let section = format!("{}\n\n## {name}\n\n- Absorbed.", umbrella.first_line());
            let patch = json!({
                "action": "patch", "name": umbrella.name,
                "old_string": umbrella.first_line(), "new_string": section,
            });
            let delete = json!({ "action": "delete", "name": name, "absorbed_into": umbrella.name });
            steps.push(view(name));
            steps.push(work("skill_manage", patch));
            steps.push(work("skill_manage", delete));
        }
        let merged: Vec<(&str, &str)> =
            members.iter().map(|name| (name.as_str(), umbrella.name.as_str())).collect();
        steps.push(summary(&merged));
        steps
    }
}

fn work(tool: &'static str, args: Value) -> Step {
    Step::Call { id: None, tool, args }
}

fn view(name: &str) -> Step {
    work("skill_view", json!({ "name": name }))
}

/// The closing words of a pass, in the shape that the prompt asks for.
fn summary(merged: &[(&str, &str)]) -> Step {
    let entry = |(from, into): &(&str, &str)| {
        format!("\n  - from: {from}\n    into: {into}\n    reason: the same subject")
    };
    let none = if merged.is_empty() { " []" } else { "" };
    let entries: Vec<String> = merged.iter().map(entry).collect();
    Step::Say(format!(
        "{} skills were merged.\n\n```yaml\nconsolidations:{none}{}\nprunings: []\n```",
        merged.len(),
        entries.concat()
    ))
}

/// The instruction of a review or a pass: the client's own message that began it.
fn instruction(request: &ModelRequest) -> Arc<str> {
    let found = request.messages.iter().rev().find_map(|message| match &**message {
        Message::User { text, synthetic: Some(Synthetic::Instruction) } => Some(Arc::clone(text)),
        _ => None,
    });
    found.unwrap_or_default()
}

impl Transport for Reader<'_> {
    fn ask(&mut self, ask: &Ask<'_>) -> anyhow::Result<Answer> {
        let step = match ask.request.role {
            Role::Main => Self::main(ask.request),
            Role::Review | Role::Curator => self.step(ask.request),
            Role::Delegate | Role::Compression | Role::Title | Role::Summary => Step::Say("Done.".to_owned()),
        };
        let reply = match step {
            Step::Say(text) => reply(&text, Vec::new()),
            Step::Call { id, tool, args } => {
                self.calls += 1;
                let id = id.unwrap_or_else(|| format!("call_{}", self.calls).into());
                let call = ToolCall { id, name: tool.into(), arguments: args.to_string().into() };
                reply("", vec![call])
            }
        };
        Ok(Answer {
            outcome: ModelOutcome::Reply(reply),
            took: Took::Paced,
            rule: None,
            step: None,
            miss: None,
        })
    }
}

fn reply(text: &str, calls: Vec<ToolCall>) -> Reply {
    let finish = if calls.is_empty() { Finish::Stop } else { Finish::ToolCalls };
    Reply {
        text: AssistantText { visible: text.into(), reasoning: None },
        calls,
        finish,
        usage: Usage { prompt: Tokens(0), cached: Tokens(0), completion: Tokens(0) },
    }
}
