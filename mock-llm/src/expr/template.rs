//! Text with expressions in it.

use std::sync::Arc;

use minijinja::value::Value;

use super::compile::CompileError;
use super::expression::{EvalError, Expression};
use super::lexer;
use super::names::KnownNames;

/// A text with `{{ expression }}` in it. To write `{{` itself: `{{ '{{' }}`.
#[derive(Clone, Debug)]
pub struct Template {
    text: Arc<str>,
    parts: Arc<[Part]>,
}

#[derive(Clone, Debug)]
enum Part {
    Text(Arc<str>),
    Value(Expression),
}

impl Template {
    /// Compiles a text whose expressions may use these names.
    ///
    /// # Errors
    /// The first mistake in an expression, or `{{` without its `}}`.
    pub fn compile(text: &str, names: &KnownNames) -> Result<Self, CompileError> {
        let mut parts = Vec::new();
        let mut at = 0;
        while let Some(open) = text[at..].find("{{").map(|open| at + open) {
            if open > at {
                parts.push(Part::Text(text[at..open].into()));
            }
            let inner = open + 2;
            let Some(length) = lexer::end_of_expression(&text[inner..]) else {
                return Err(CompileError {
                    message: "`{{` without its `}}`".to_owned(),
                    range: open..inner,
                    hint: Some("for the sign itself write `{{ '{{' }}`".to_owned()),
                });
            };
            let expression = Expression::compile(&text[inner..inner + length], names).map_err(|error| {
                CompileError { range: inner + error.range.start..inner + error.range.end, ..error }
            })?;
            parts.push(Part::Value(expression));
            at = inner + length + 2;
        }
        if at < text.len() || parts.is_empty() {
            parts.push(Part::Text(text[at..].into()));
        }
        Ok(Self { text: text.into(), parts: parts.into() })
    }

    /// A text that is taken as it is, whatever it contains.
    pub fn verbatim(text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        Self { parts: [Part::Text(text.clone())].into(), text }
    }

    /// The template as written.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The names that its expressions use.
    pub fn names(&self) -> impl Iterator<Item = &Arc<str>> {
        self.parts.iter().flat_map(|part| match part {
            Part::Text(_) => [].iter(),
            Part::Value(expression) => expression.names().iter(),
        })
    }

    /// The text, if it contains no expression.
    pub fn as_constant(&self) -> Option<&Arc<str>> {
        match &*self.parts {
            [Part::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// The text with the values of its expressions: texts as they are, numbers and truth values in their usual form,
    /// lists and mappings as JSON.
    ///
    /// # Errors
    /// When an expression cannot be evaluated, or gives none.
    pub fn render(&self, context: &Value) -> Result<Arc<str>, EvalError> {
        if let Some(text) = self.as_constant() {
            return Ok(text.clone());
        }
        let mut out = String::new();
        for part in &*self.parts {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Value(expression) => {
                    let value = expression.eval(context)?;
                    if value.is_none() {
                        let reason =
                            "it is none, and none cannot be written (add `|default('…', true)`)".to_owned();
                        return Err(EvalError { expression: expression.text().clone(), reason });
                    }
                    push(&mut out, &value);
                }
            }
        }
        Ok(out.into())
    }

    /// The value: of a template that is one expression and nothing else, that expression's own (a number stays a number,
    /// none stays none); of any other the rendered text.
    ///
    /// # Errors
    /// When an expression cannot be evaluated.
    pub fn value(&self, context: &Value) -> Result<Value, EvalError> {
        match &*self.parts {
            [Part::Value(expression)] => expression.eval(context),
            _ => self.render(context).map(Value::from),
        }
    }
}

fn push(out: &mut String, value: &Value) {
    match value.as_str() {
        Some(text) => out.push_str(text),
        None => out.push_str(&shown(value)),
    }
}

/// A value in a message: JSON, so that a text is told from a number.
pub(super) fn shown(value: &Value) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| value.to_string())
}
