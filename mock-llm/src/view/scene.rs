//! The names of a script's expressions, computed when they are asked for.

use std::sync::{Arc, OnceLock};

use jiff::Timestamp;
use minijinja::value::{Enumerator, Object, Serde, Value};
use minijinja::{Error, ErrorKind};

use super::functions::{Function, FunctionName};
use super::prompt::{SkillLine, candidates};
use super::reading::{Prompt, Prompts};
use super::records::{Record, Shown, records};
use super::turn::{Turn, is_users};
use crate::script::{Let, Lets, Script};
use crate::wire::{Author, ChatRequest, Digest, Message};

/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;

/// What the view is made of besides the request.
#[derive(Clone, Debug)]
pub(crate) struct ViewInputs {
    /// The conversation's key.
    pub(crate) key: Arc<str>,
    /// The seed of everything that is drawn.
    pub(crate) seed: u64,
    /// Milliseconds since the Unix epoch.
    pub(crate) now_ms: i64,
    /// The scenario's start on the same scale.
    pub(crate) start_ms: i64,
    /// How often this cell saw this request, from 1.
    pub(crate) attempt: u32,
    /// What stands for the request.
    pub(crate) digest: Digest,
}

/// One request as the script sees it.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) request: Arc<ChatRequest>,
    pub(crate) script: Arc<Script>,
    pub(crate) turn: Turn,
    pub(crate) inputs: ViewInputs,
    prompts: Arc<Prompts>,
    prompt: OnceLock<Arc<Prompt>>,
    records: OnceLock<Vec<Arc<Record>>>,
    turn_records: OnceLock<Vec<Arc<Record>>>,
    candidates: OnceLock<Value>,
    results: OnceLock<Value>,
    calls: OnceLock<Value>,
    users: OnceLock<Value>,
}

impl View {
    pub(crate) fn new(
        request: Arc<ChatRequest>,
        script: Arc<Script>,
        turn: Turn,
        inputs: ViewInputs,
        prompts: Arc<Prompts>,
    ) -> Self {
        Self {
            request,
            script,
            turn,
            inputs,
            prompts,
            prompt: OnceLock::new(),
            records: OnceLock::new(),
            turn_records: OnceLock::new(),
            candidates: OnceLock::new(),
            results: OnceLock::new(),
            calls: OnceLock::new(),
            users: OnceLock::new(),
        }
    }

    pub(crate) fn messages(&self) -> &[Arc<Message>] {
        &self.request.messages
    }

    /// All calls in view with their results.
    pub(crate) fn records(&self) -> &[Arc<Record>] {
        self.records.get_or_init(|| records(self.messages(), 0, &self.script.preset))
    }

    /// The calls of this turn with their results. Apart from [`Self::records`], so that a step of a long conversation
    /// costs what its turn costs.
    pub(crate) fn turn_records(&self) -> &[Arc<Record>] {
        let first = self.turn.start + 1;
        self.turn_records.get_or_init(|| records(self.messages(), first, &self.script.preset))
    }

    /// The calls that have a result.
    pub(super) fn answered(&self) -> impl DoubleEndedIterator<Item = &Arc<Record>> {
        self.records().iter().filter(|record| record.text.is_some())
    }

    /// The newest result.
    pub(crate) fn last(&self) -> Option<&Arc<Record>> {
        let newest = |records: &'_ [Arc<Record>]| {
            let answered = records.iter().enumerate().filter(|(_, record)| record.text.is_some());
            answered.max_by_key(|(_, record)| record.answered_at).map(|(index, _)| index)
        };
        let turn = self.turn_records();
        newest(turn).map(|index| &turn[index]).or_else(|| {
            let all = self.records();
            newest(all).map(|index| &all[index])
        })
    }

    /// The system prompt, parts joined by blank lines.
    pub(crate) fn system(&self) -> Arc<str> {
        self.prompt().text().clone()
    }

    /// The system prompt and what was read of it.
    fn prompt(&self) -> &Prompt {
        self.prompt.get_or_init(|| {
            let parts = || self.messages().iter().filter(|message| message.author == Author::System);
            let text = || {
                let mut parts = parts();
                let first = parts.next().map(|message| message.text.clone()).unwrap_or_default();
                parts.fold(first, |joined, message| format!("{joined}\n\n{}", message.text).into())
            };
            let digest = match (parts().next(), parts().nth(1)) {
                (Some(only), None) => *only.digest(),
                _ => *Message::system(text()).digest(),
            };
            self.prompts.of(digest, text)
        })
    }

    /// The last words of the user.
    pub(crate) fn user(&self) -> Arc<str> {
        self.turn.user.map(|index| self.users_words(&self.messages()[index])).unwrap_or_default()
    }

    fn users_words(&self, message: &Message) -> Arc<str> {
        match self.script.preset.split_absorbed(&message.text) {
            (_, None) => message.text.clone(),
            (words, Some(_)) => words.into(),
        }
    }

    /// The message that starts the turn, if it is an instruction.
    pub(crate) fn instruction(&self) -> Arc<str> {
        let text = self.messages().get(self.turn.start).filter(|_| self.turn.instructed);
        text.map(|message| message.text.clone()).unwrap_or_default()
    }

    /// Notes and profile of the system prompt.
    pub(super) fn memory(&self) -> &[Arc<str>; 2] {
        self.prompt().memory(&self.script.preset)
    }

    /// The lines of the skills index.
    pub(super) fn skills(&self) -> &[SkillLine] {
        self.prompt().skills(&self.script.preset)
    }

    fn candidates(&self) -> Value {
        let value = self.candidates.get_or_init(|| {
            let rows = candidates(&self.instruction());
            rows.into_iter().map(|row| Value::from(Serde(row))).collect()
        });
        value.clone()
    }

    fn results(&self) -> Value {
        self.results.get_or_init(|| self.answered().map(shown).collect()).clone()
    }

    fn calls(&self) -> Value {
        self.calls.get_or_init(|| self.turn_records().iter().map(shown).collect()).clone()
    }

    fn users(&self) -> Value {
        let value = self.users.get_or_init(|| {
            let preset = &self.script.preset;
            // An instruction that did not begin this turn stands in the history as the user's words.
            let left_over = |at: usize, message: &Message| {
                at < self.turn.start
                    && message.author == Author::User
                    && preset.instruction(&message.text).is_some()
            };
            let own = self.messages().iter().enumerate();
            let own = own.filter(|(at, message)| is_users(message, preset) || left_over(*at, message));
            own.map(|(_, message)| Value::from(self.users_words(message))).collect()
        });
        value.clone()
    }

    fn now(&self) -> String {
        Timestamp::from_millisecond(self.inputs.now_ms).map(|now| now.to_string()).unwrap_or_default()
    }

    fn day(&self) -> i64 {
        self.inputs.now_ms.saturating_sub(self.inputs.start_ms).div_euclid(DAY_MS)
    }

    fn value(&self, name: &str) -> Option<Value> {
        Some(match name {
            "role" => Value::from(self.turn.role.of_conversation()),
            "model" => Value::from(self.request.model.clone()),
            "now" => Value::from(self.now()),
            "day" => Value::from(self.day()),
            "turn" => Value::from(self.turn.number),
            "iteration" => Value::from(self.turn.iteration),
            "attempt" => Value::from(self.inputs.attempt),
            "user" => Value::from(self.user()),
            "users" => self.users(),
            "instruction" => Value::from(self.instruction()),
            "asks" => self.turn.asks.iter().map(|ask| Value::from(ask.clone())).collect(),
            "system" => Value::from(self.system()),
            "tools" => self.request.tools.names().iter().map(|name| Value::from(name.clone())).collect(),
            "skills" => self.prompt().skills_by_name(&self.script.preset),
            "memory" => {
                let [notes, profile] = self.memory().clone();
                Value::from_pairs([("notes", Value::from(notes)), ("profile", Value::from(profile))])
            }
            "candidates" => self.candidates(),
            "last" => Value::from_object(Shown(self.last().cloned())),
            "calls" => self.calls(),
            "results" => self.results(),
            _ => return None,
        })
    }
}

fn shown(record: &Arc<Record>) -> Value {
    Value::from_object(Shown(Some(record.clone())))
}

/// The root of an evaluation: a view, with the named values of a rule.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(crate) view: Arc<View>,
    /// The rule's own named values.
    pub(crate) lets: Lets,
}

impl Scene {
    /// The root value of a rule's expressions.
    pub(crate) fn value(view: &Arc<View>, lets: &Lets) -> Value {
        Value::from_object(Self { view: view.clone(), lets: lets.clone() })
    }

    fn named(&self, name: &str) -> Option<Value> {
        let named = self.lets.get(name).or_else(|| self.view.script.lets.get(name))?;
        let context = Value::from_object(self.clone());
        let value = match named {
            Let::Text(template) => template.value(&context),
            Let::Value(args) => args.render(&context).map(|json| Value::from(Serde(json))),
        };
        let broken = |reason: String| {
            Value::from(Error::new(ErrorKind::InvalidOperation, format!("`{name}`: {reason}")))
        };
        Some(value.unwrap_or_else(|error| broken(error.to_string())))
    }
}

impl Object for Scene {
    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        if let Some(value) = self.view.value(key) {
            return Some(value);
        }
        if let Some(name) = FunctionName::of(key) {
            return Some(Value::from_object(Function { view: self.view.clone(), name }));
        }
        self.named(key)
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        key.as_str().and_then(|key| self.get_value_by_str(key))
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Empty
    }
}
