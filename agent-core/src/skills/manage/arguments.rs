//! The arguments of a call: whatever a model sends.

use serde_json::{Map, Value};

use super::super::answer::Refusal;

/// What the tool does. A closed set: the names are those of the reference, compared exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// Makes a new skill.
    Create,
    /// Replaces the whole `SKILL.md`.
    Edit,
    /// Replaces a text in `SKILL.md` or a supporting file.
    Patch,
    /// Removes a skill, or archives it.
    Delete,
    /// Writes a supporting file.
    WriteFile,
    /// Removes a supporting file.
    RemoveFile,
}

impl Action {
    /// All actions.
    pub const ALL: [Self; 6] =
        [Self::Create, Self::Edit, Self::Patch, Self::Delete, Self::WriteFile, Self::RemoveFile];

    /// The name in a call.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Edit => "edit",
            Self::Patch => "patch",
            Self::Delete => "delete",
            Self::WriteFile => "write_file",
            Self::RemoveFile => "remove_file",
        }
    }

    /// The action of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.as_str() == name)
    }
}

/// The keys that go into a staged payload, in its order.
const KEYS: [&str; 10] = [
    "action",
    "name",
    "content",
    "category",
    "file_path",
    "file_content",
    "old_string",
    "new_string",
    "replace_all",
    "absorbed_into",
];

/// The arguments of a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arguments<'a>(pub(super) &'a Value);

impl<'a> Arguments<'a> {
    /// The action; none if it is no known one.
    pub(super) fn action(self) -> Option<Action> {
        self.0.get("action").and_then(Value::as_str).and_then(Action::parse)
    }

    /// The skill's name; anything but text is no name.
    pub(super) fn name(self) -> &'a str {
        self.text("name").unwrap_or("")
    }

    /// A text, if it is one.
    pub(super) fn text(self, key: &str) -> Option<&'a str> {
        self.0.get(key).and_then(Value::as_str)
    }

    /// Any value that is not null.
    pub(super) fn value(self, key: &str) -> Option<&'a Value> {
        self.0.get(key).filter(|value| !value.is_null())
    }

    /// A text that must be there, empty or not.
    ///
    /// # Errors
    /// It is missing, or no text.
    pub(super) fn given(self, key: &'static str, missing: &'static str) -> Result<&'a str, Refusal> {
        match self.value(key) {
            None => Err(Refusal::mistake(missing, format!("`{key}` is missing"))),
            Some(Value::String(text)) => Ok(text),
            // The reference raises here.
            Some(_) => Err(Refusal::mistake("uncaught-error", format!("`{key}` must be text"))),
        }
    }

    /// A text that must be there and not be empty.
    ///
    /// # Errors
    /// It is missing, empty, or no text.
    pub(super) fn filled(self, key: &'static str, missing: &'static str) -> Result<&'a str, Refusal> {
        match self.given(key, missing)? {
            "" => Err(Refusal::mistake(missing, format!("`{key}` is missing"))),
            text => Ok(text),
        }
    }

    /// Whether a flag is set: any truthy value.
    pub(super) fn flag(self, key: &str) -> bool {
        match self.0.get(key) {
            None | Some(Value::Null | Value::Bool(false)) => false,
            Some(Value::String(text)) => !text.is_empty(),
            Some(Value::Number(number)) => number.as_f64() != Some(0.0),
            Some(_) => true,
        }
    }

    /// The payload to stage: action, name and every argument that is not null; `replace_all` always.
    pub(super) fn payload(self) -> Value {
        let mut payload = Map::new();
        for key in KEYS {
            match (self.value(key), key) {
                (Some(value), _) => drop(payload.insert(key.to_owned(), value.clone())),
                (None, "replace_all") => drop(payload.insert(key.to_owned(), false.into())),
                (None, "name") => drop(payload.insert(key.to_owned(), "".into())),
                (None, _) => {}
            }
        }
        Value::Object(payload)
    }
}
