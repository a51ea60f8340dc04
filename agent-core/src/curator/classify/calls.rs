//! The calls of a pass, as they are recorded.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::text::{cut, trim};

/// Characters of a call's arguments that the reference records (`spec/curator.md` §9).
const ARGUMENT_CHARS: usize = 400;
const MANAGE: &str = "skill_manage";

/// One call of a pass.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedCall {
    /// The tool.
    pub name: String,
    /// Its arguments: an object, or text that may be one; null if there are none.
    pub arguments: Value,
}

impl RecordedCall {
    /// A call as a model sent it.
    pub fn new(name: impl Into<String>, arguments: impl Into<Value>) -> Self {
        Self { name: name.into(), arguments: arguments.into() }
    }

    /// The call with the names of directories replaced by the names that they declare.
    pub(super) fn with_names(&self, aliases: &BTreeMap<String, String>) -> Self {
        let Some(arguments) = self.managed() else { return self.clone() };
        let mut arguments = arguments.into_owned();
        for key in ["name", "absorbed_into"] {
            let declared =
                arguments.get(key).and_then(Value::as_str).and_then(|name| aliases.get(trim(name)));
            if let Some(declared) = declared {
                arguments.insert(key.to_owned(), declared.clone().into());
            }
        }
        Self { name: self.name.clone(), arguments: Value::Object(arguments) }
    }

    /// The arguments of a `skill_manage` call, if they can be read as an object.
    pub(super) fn managed(&self) -> Option<Cow<'_, Map<String, Value>>> {
        if self.name != MANAGE {
            return None;
        }
        match &self.arguments {
            Value::Object(fields) => Some(Cow::Borrowed(fields)),
            Value::String(text) => match serde_json::from_str(text) {
                Ok(Value::Object(fields)) => Some(Cow::Owned(fields)),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Arguments as a report shows them: text, cut to 400 characters with an ellipsis.
pub fn cut_arguments(arguments: &Value) -> Value {
    let text = match arguments {
        Value::String(text) => Cow::Borrowed(text.as_str()),
        Value::Null => return Value::Null,
        other => Cow::Owned(other.to_string()),
    };
    let head = cut(&text, ARGUMENT_CHARS);
    if head.len() < text.len() { format!("{head}…").into() } else { text.into_owned().into() }
}
