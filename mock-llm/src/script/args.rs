//! Arguments of calls: JSON with templates in its texts.

use std::sync::Arc;

use minijinja::value::Value as Evaluated;
use serde_json::{Map, Value};

use super::load::Loader;
use crate::decode::Decoder;
use crate::expr::{EvalError, Expression, KnownNames, Template};
use crate::yaml::{Node, Value as NodeValue};

/// A value that is made anew for each call.
#[derive(Clone, Debug)]
pub enum Args {
    /// The same every time.
    Constant(Arc<Value>),
    /// A text with expressions.
    Text(Template),
    /// The value of an expression (`$expr`).
    Expression(Expression),
    /// A list.
    List(Vec<Self>),
    /// A mapping.
    Map(Vec<(Arc<str>, Self)>),
}

impl Args {
    /// The value, as the names stand now.
    ///
    /// # Errors
    /// When an expression cannot be evaluated.
    pub fn render(&self, context: &Evaluated) -> Result<Value, EvalError> {
        match self {
            Self::Constant(value) => Ok((**value).clone()),
            Self::Text(template) => template.render(context).map(|text| Value::from(&*text)),
            Self::Expression(expression) => {
                let value = expression.eval(context)?;
                serde_json::to_value(&value).map_err(|error| EvalError {
                    expression: expression.text().clone(),
                    reason: format!("it is no JSON value: {error}"),
                })
            }
            Self::List(items) => items.iter().map(|item| item.render(context)).collect(),
            Self::Map(entries) => {
                let entries =
                    entries.iter().map(|(key, value)| Ok((key.to_string(), value.render(context)?)));
                entries.collect::<Result<Map<_, _>, _>>().map(Value::Object)
            }
        }
    }

    /// The names that its expressions use.
    pub(super) fn names(&self, into: &mut Vec<Arc<str>>) {
        match self {
            Self::Constant(_) => {}
            Self::Text(template) => into.extend(template.names().cloned()),
            Self::Expression(expression) => into.extend(expression.names().iter().cloned()),
            Self::List(items) => items.iter().for_each(|item| item.names(into)),
            Self::Map(entries) => entries.iter().for_each(|(_, value)| value.names(into)),
        }
    }

    /// The value, if it is the same every time.
    fn as_constant(&self) -> Option<&Value> {
        match self {
            Self::Constant(value) => Some(value),
            _ => None,
        }
    }
}

impl Loader<'_> {
    /// A value of a file: texts with `{{ }}` are templates, `{ $file: path }` is the text of a file as it is (or with
    /// `render: true` as a template), `{ $expr: expression }` the expression's own value.
    pub(super) fn args(&self, node: &Node, names: &KnownNames) -> Option<Args> {
        match &node.value {
            NodeValue::Text(text) if text.contains("{{") => {
                self.decoder.template(node, names).map(Args::Text)
            }
            NodeValue::Seq(items) => {
                let items: Option<Vec<Args>> = all(items.iter().map(|item| self.args(item, names)));
                items.map(|items| fold(Args::List(items)))
            }
            NodeValue::Map(map) => match map.iter().find(|entry| entry.key.starts_with('$')) {
                Some(special) => self.special(node, &special.key, names),
                None => {
                    let entries = map
                        .iter()
                        .map(|entry| Some((Arc::from(&*entry.key), self.args(&entry.value, names)?)));
                    all(entries).map(|entries| fold(Args::Map(entries)))
                }
            },
            _ => self.decoder.json_scalar(node).map(|value| Args::Constant(Arc::new(value))),
        }
    }

    fn special(&self, node: &Node, key: &str, names: &KnownNames) -> Option<Args> {
        if key == "$expr" {
            let map = self.decoder.map(node, "an expression for a value", &["$expr"])?;
            return map.required("$expr", |d, node| d.expression(node, names)).map(Args::Expression);
        }
        let template = self.included(node, names)?;
        Some(match template.as_constant() {
            Some(text) => Args::Constant(Arc::new(Value::from(&**text))),
            None => Args::Text(template),
        })
    }

    /// A text: a template, or `{ $file: path }`.
    pub(super) fn text_or_file(&self, node: &Node, names: &KnownNames) -> Option<Template> {
        let is_special = node.as_map().is_some_and(|map| map.iter().any(|entry| entry.key.starts_with('$')));
        if is_special { self.included(node, names) } else { self.decoder.template(node, names) }
    }

    fn included(&self, node: &Node, names: &KnownNames) -> Option<Template> {
        let map = self.decoder.map(node, "a text from a file", &["$file", "render"])?;
        let path = map.required("$file", |d, node| Some((node, d.word(node)?)));
        let render = map.or("render", false, Decoder::bool);
        let (path_node, path) = path?;
        let source = self.read_text(path_node, path)?;
        if !render {
            return Some(Template::verbatim(source.text.clone()));
        }
        match Template::compile(&source.text, names) {
            Ok(template) => Some(template),
            Err(error) => {
                let span = source.span(error.range);
                let diagnostic = crate::diagnose::Diagnostic::error(&source.name, span, error.message);
                self.decoder.report(diagnostic.hint_if(error.hint));
                None
            }
        }
    }
}

/// All values, after every one was looked at, so that each mistake is reported.
fn all<T>(values: impl Iterator<Item = Option<T>>) -> Option<Vec<T>> {
    let values: Vec<Option<T>> = values.collect();
    values.into_iter().collect()
}

/// A list or mapping of constants is a constant.
fn fold(args: Args) -> Args {
    let constant = match &args {
        Args::List(items) => {
            items.iter().map(|item| item.as_constant().cloned()).collect::<Option<Vec<_>>>().map(Value::from)
        }
        Args::Map(entries) => entries
            .iter()
            .map(|(key, value)| Some((key.to_string(), value.as_constant()?.clone())))
            .collect::<Option<Map<_, _>>>()
            .map(Value::Object),
        _ => None,
    };
    constant.map_or(args, |value| Args::Constant(Arc::new(value)))
}
