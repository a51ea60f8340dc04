//! What a world's expressions see: `args facts files home day user`, the names of the tool, the groups of the rule.

use std::sync::{Arc, OnceLock};

use agent_core::stores::{Files, MemFiles, TreePath, read_text, walk_files};
use minijinja::value::{Enumerator, Object, ObjectRepr, Serde, Value};
use mock_llm::expr::Template;
use serde_json::Value as Json;

/// The names of one answered call (or of one part of a command line).
#[derive(Debug)]
pub(super) struct Context {
    pub(super) args: Value,
    pub(super) facts: Value,
    pub(super) files: Value,
    pub(super) home: Value,
    pub(super) day: u32,
    pub(super) user: Arc<str>,
    /// Names of the tool, evaluated when asked for, at most once.
    pub(super) lets: Vec<(Arc<str>, Template, OnceLock<Value>)>,
}

impl Context {
    /// The context as a value in which further names stand in front.
    pub(super) fn with_groups(self: &Arc<Self>, groups: Vec<(Arc<str>, Arc<str>)>) -> Value {
        Value::from_object(WithGroups { groups, context: Arc::clone(self) })
    }
}

impl Object for Context {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        match key.as_str()? {
            "args" => Some(self.args.clone()),
            "facts" => Some(self.facts.clone()),
            "files" => Some(self.files.clone()),
            "home" => Some(self.home.clone()),
            "day" => Some(self.day.into()),
            "user" => Some(Value::from(Arc::clone(&self.user))),
            name => {
                let (_, template, value) = self.lets.iter().find(|(known, ..)| **known == *name)?;
                let evaluate = || {
                    template.value(&Value::from_dyn_object(Arc::clone(self))).unwrap_or_else(|error| {
                        let error = error.to_string();
                        minijinja::Error::new(minijinja::ErrorKind::InvalidOperation, error).into()
                    })
                };
                Some(value.get_or_init(evaluate).clone())
            }
        }
    }
}

/// A context with the groups of a rule's patterns in front.
#[derive(Debug)]
struct WithGroups {
    groups: Vec<(Arc<str>, Arc<str>)>,
    context: Arc<Context>,
}

impl Object for WithGroups {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let name = key.as_str()?;
        match self.groups.iter().find(|(group, _)| **group == *name) {
            Some((_, text)) => Some(Value::from(Arc::clone(text))),
            None => self.context.get_value(key),
        }
    }
}

/// The workspace (or the home) as a mapping from path to text. Binary files are there without text.
#[derive(Debug)]
pub(super) struct Workspace(pub(super) MemFiles);

impl Object for Workspace {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Map
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let path = TreePath::parse(key.as_str()?)?;
        self.0.read(&path).ok()?;
        Some(read_text(&self.0, &path).map_or(Value::from(""), Value::from))
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        let mut paths = Vec::new();
        walk_files(&self.0, &TreePath::root(), &mut |path, _| paths.push(Value::from(path.as_str())));
        Enumerator::Values(paths)
    }
}

/// JSON as a value of an expression.
pub(super) fn value_of(json: &Json) -> Value {
    Value::from(Serde(json))
}
