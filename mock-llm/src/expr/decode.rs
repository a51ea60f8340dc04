//! Expressions and templates as values of a file: mistakes at their place in the file.

use super::compile::CompileError;
use super::{Expression, KnownNames, Template};
use crate::decode::Decoder;
use crate::diagnose::Diagnostic;
use crate::yaml::{Node, Value};

impl Decoder {
    /// An expression. A number or truth value without quotes is one, too.
    pub fn expression(&self, node: &Node, names: &KnownNames) -> Option<Expression> {
        let text = match &node.value {
            Value::Bool(_) | Value::Int(_) if node.is_canonical() => node.written(),
            _ => self.text(node)?,
        };
        match Expression::compile(text, names) {
            Ok(expression) => Some(expression),
            Err(error) => self.miscompiled(node, error),
        }
    }

    /// A text with `{{ expression }}` in it.
    pub fn template(&self, node: &Node, names: &KnownNames) -> Option<Template> {
        match Template::compile(self.text(node)?, names) {
            Ok(template) => Some(template),
            Err(error) => self.miscompiled(node, error),
        }
    }

    fn miscompiled<T>(&self, node: &Node, error: CompileError) -> Option<T> {
        let span = node.span_within(error.range);
        self.report(Diagnostic::error(self.file(), span, error.message).hint_if(error.hint));
        None
    }
}
