//! The functions of a script's expressions that look at the request.

use std::sync::Arc;

use minijinja::value::{Kwargs, Object, ObjectRepr, Serde, Value, from_args};
use minijinja::{Error, ErrorKind, State};
use serde_json::Value as Json;

use super::prompt::shows;
use super::records::Record;
use super::scene::View;
use super::turn::is_users;
use crate::script::Pattern;
use crate::wire::Author;

/// Which function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FunctionName {
    Called,
    Chance,
    Knows,
    Met,
    Offered,
    Pick,
    Seen,
    Shown,
    View,
    Viewed,
}

impl FunctionName {
    /// The function of this name.
    pub(super) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "called" => Self::Called,
            "chance" => Self::Chance,
            "knows" => Self::Knows,
            "met" => Self::Met,
            "offered" => Self::Offered,
            "pick" => Self::Pick,
            "seen" => Self::Seen,
            "shown" => Self::Shown,
            "view" => Self::View,
            "viewed" => Self::Viewed,
            _ => return None,
        })
    }
}

/// A function over one view.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) view: Arc<View>,
    pub(super) name: FunctionName,
}

impl Object for Function {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call(self: &Arc<Self>, _state: &mut State<'_, '_>, args: &[Value]) -> Result<Value, Error> {
        let view = &*self.view;
        match self.name {
            FunctionName::Called => view.called(args),
            FunctionName::Chance => {
                let (share, name): (f64, &str) = from_args(args)?;
                if !(0.0..=1.0).contains(&share) {
                    return Err(invalid(format!("chance: wanted a share from 0 to 1, found {share}")));
                }
                Ok(Value::from(view.unit("chance", name) < share))
            }
            FunctionName::Knows => {
                let (lesson, by, kwargs): (&str, Option<&str>, Kwargs) = from_args(args)?;
                let named: Option<&str> = kwargs.get("by")?;
                kwargs.assert_all_used()?;
                let pattern = view.script.lessons.get(lesson).ok_or_else(|| unknown("lesson", lesson))?;
                match by.or(named) {
                    None => Ok(Value::from(view.knows(pattern))),
                    Some(channel) => view.knows_by(pattern, channel).map(Value::from),
                }
            }
            FunctionName::Met => {
                let (hazard,): (&str,) = from_args(args)?;
                let pattern = view.script.hazards.get(hazard).ok_or_else(|| unknown("hazard", hazard))?;
                Ok(Value::from(view.answered().any(|record| pattern.is_in(record.result()))))
            }
            FunctionName::Offered => {
                let (tool, argument): (&str, Option<&str>) = from_args(args)?;
                Ok(Value::from(view.request.tools.offer(tool, argument)))
            }
            FunctionName::Pick => {
                let (list, name): (Value, &str) = from_args(args)?;
                let items: Vec<Value> = list.try_iter()?.collect();
                let index = view.draw("pick", name).checked_rem(items.len() as u64);
                let index = index.and_then(|index| usize::try_from(index).ok());
                Ok(index.map_or(Value::from(()), |index| items[index].clone()))
            }
            FunctionName::Seen => view.seen(args),
            FunctionName::Shown => {
                let (skill, words): (&str, Vec<String>) = from_args(args)?;
                let line = view.skills().iter().find(|line| line.name == skill);
                Ok(Value::from(line.is_some_and(|line| shows(&line.name, &line.description, &words))))
            }
            FunctionName::View => {
                let text = view.viewed(args)?.and_then(|record| record.text.clone());
                Ok(text.map_or(Value::from(()), Value::from))
            }
            FunctionName::Viewed => Ok(Value::from(view.viewed(args)?.is_some())),
        }
    }
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, message)
}

fn unknown(what: &str, name: &str) -> Error {
    invalid(format!("the script declares no {what} `{name}`"))
}

impl View {
    /// `called(tool, **args)`: calls of this turn that fit.
    fn called(&self, args: &[Value]) -> Result<Value, Error> {
        let (tool, kwargs): (&str, Kwargs) = from_args(args)?;
        let mut wanted: Vec<(&str, Json)> = Vec::new();
        for key in kwargs.args() {
            let Serde(value): Serde<Json> = kwargs.get(key)?;
            wanted.push((key, value));
        }
        let count = self
            .turn_records()
            .iter()
            .filter(|record| {
                *record.tool == *tool && record.has_args(wanted.iter().map(|(key, value)| (*key, value)))
            })
            .count();
        Ok(Value::from(count))
    }

    /// `seen(text, since='start')`.
    fn seen(&self, args: &[Value]) -> Result<Value, Error> {
        let (text, since, kwargs): (&str, Option<&str>, Kwargs) = from_args(args)?;
        let named: Option<&str> = kwargs.get("since")?;
        kwargs.assert_all_used()?;
        let first = match since.or(named).unwrap_or("start") {
            "start" => 0,
            "turn" => self.turn.start,
            other => return Err(invalid(format!("seen: `since` is `start` or `turn`, found `{other}`"))),
        };
        Ok(Value::from(
            self.answered().any(|record| record.answered_at >= first && record.result().contains(text)),
        ))
    }

    /// The newest good view of a skill (`viewed(skill, file=none)`).
    fn viewed(&self, args: &[Value]) -> Result<Option<&Arc<Record>>, Error> {
        let (skill, file, kwargs): (&str, Option<&str>, Kwargs) = from_args(args)?;
        let named: Option<&str> = kwargs.get("file")?;
        kwargs.assert_all_used()?;
        let file = file.or(named);
        let fits = |record: &&Arc<Record>| {
            let text = |key: &str| record.args.get(key).and_then(Json::as_str);
            self.is_view(record) && text("name") == Some(skill) && text("file_path") == file
        };
        Ok(self.answered().rev().find(fits))
    }

    /// Whether a result is a skill's text.
    fn is_view(&self, record: &Record) -> bool {
        *record.tool == *self.script.preset.skill_viewer && !record.failed()
    }

    /// Whether a pattern stands in memory or, in view, in a skill's text, a user's message or a summary. The index does not
    /// count: a title is no knowledge.
    fn knows(&self, pattern: &Pattern) -> bool {
        self.remembers(pattern) || self.was_told(pattern) || self.read_in_view(pattern, |_| true)
    }

    /// The same by one channel alone: `memory`, `skill` (a skill's own text), `support_file` (another file of a skill),
    /// `words` (the user's and a summary's).
    fn knows_by(&self, pattern: &Pattern, channel: &str) -> Result<bool, Error> {
        let is_file = |record: &Record| record.args.get("file_path").is_some_and(|path| !path.is_null());
        match channel {
            "memory" => Ok(self.remembers(pattern)),
            "skill" => Ok(self.read_in_view(pattern, |record| !is_file(record))),
            "support_file" => Ok(self.read_in_view(pattern, is_file)),
            "words" => Ok(self.was_told(pattern)),
            other => Err(invalid(format!(
                "knows: `by` is `memory`, `skill`, `support_file` or `words`, found `{other}`"
            ))),
        }
    }

    fn remembers(&self, pattern: &Pattern) -> bool {
        self.memory().iter().any(|block| pattern.is_in(block))
    }

    fn was_told(&self, pattern: &Pattern) -> bool {
        let preset = &self.script.preset;
        self.messages().iter().any(|message| {
            let counts = match message.author {
                Author::User => is_users(message, preset) || preset.summarises(&message.text),
                Author::Assistant => preset.summarises(&message.text),
                Author::System | Author::Tool => false,
            };
            counts && pattern.is_in(&message.text)
        })
    }

    fn read_in_view(&self, pattern: &Pattern, which: impl Fn(&Record) -> bool) -> bool {
        self.answered().any(|record| self.is_view(record) && which(record) && pattern.is_in(record.result()))
    }

    /// The number that belongs to this conversation and a name: equal over the requests of a turn and over arms.
    fn draw(&self, purpose: &str, name: &str) -> u64 {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.inputs.seed.to_le_bytes());
        for part in [purpose, &*self.inputs.key, name] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        let mut first = [0; 8];
        first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
        u64::from_le_bytes(first)
    }

    /// The same as a number from 0 to below 1, with 53 bits.
    fn unit(&self, purpose: &str, name: &str) -> f64 {
        (self.draw(purpose, name) >> 11) as f64 / (1_u64 << 53) as f64
    }
}
