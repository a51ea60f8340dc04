//! Conditions and values.

use std::ops::Range;
use std::sync::Arc;

use minijinja::Expression as Program;
use minijinja::value::Value;

use super::compile::{CompileError, compile, literal};
use super::lexer::{self, Kind, Token};
use super::names::KnownNames;

/// Why an evaluation gave no value: a mistake of the file that shows only when it runs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{expression}`: {reason}")]
pub struct EvalError {
    /// The expression or clause.
    pub expression: Arc<str>,
    /// What went wrong.
    pub reason: String,
}

/// An expression, compiled and checked.
#[derive(Clone, Debug)]
pub struct Expression {
    text: Arc<str>,
    names: Arc<[Arc<str>]>,
    whole: Arc<Program<'static, 'static>>,
    clauses: Arc<[Clause]>,
}

/// One part of a condition between its top-level `and`s.
#[derive(Debug)]
pub struct Clause {
    text: Arc<str>,
    /// None when the clause is the whole expression.
    program: Option<Program<'static, 'static>>,
    guard: Option<Guard>,
}

/// What a clause `'literal' in name` (or `… in name|lower`) asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The name, with its attributes: `user`, `last.text`.
    pub name: String,
    /// Whether the text is compared in lower case.
    pub lower: bool,
    /// The text that must occur; not empty.
    pub literal: String,
}

impl Expression {
    /// Compiles an expression that may use these names.
    ///
    /// # Errors
    /// The first mistake: syntax, an unknown name, filter or test, an unknown literal, a bad pattern.
    pub fn compile(text: &str, names: &KnownNames) -> Result<Self, CompileError> {
        let tokens = lexer::tokens(text);
        let (whole, used) = compile(text, &tokens, names)?;
        let parts = lexer::clauses(text, &tokens);
        let mut clauses = Vec::with_capacity(parts.len());
        for part in &parts {
            clauses.push(Clause::compile(text, &tokens, part, parts.len() == 1, names)?);
        }
        Ok(Self { text: text.trim().into(), names: used, whole: Arc::new(whole), clauses: clauses.into() })
    }

    /// The expression as written.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The names that it uses, sorted, functions among them.
    pub fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    /// The clauses in order; a condition holds when all do.
    pub fn clauses(&self) -> &[Clause] {
        &self.clauses
    }

    /// The value.
    ///
    /// # Errors
    /// When the expression cannot be evaluated or gives nothing (an undefined attribute).
    pub fn eval(&self, context: &Value) -> Result<Value, EvalError> {
        eval(&self.whole, &self.text, context)
    }

    /// Whether the condition holds.
    ///
    /// # Errors
    /// When a clause that is reached cannot be evaluated.
    pub fn holds(&self, context: &Value) -> Result<bool, EvalError> {
        self.first_failed(context).map(|failed| failed.is_none())
    }

    /// The index of the first clause that does not hold; none if the condition holds.
    ///
    /// # Errors
    /// When a clause that is reached cannot be evaluated.
    pub fn first_failed(&self, context: &Value) -> Result<Option<usize>, EvalError> {
        for index in 0..self.clauses.len() {
            if !self.clause_holds(index, context)? {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    /// Whether one clause holds.
    ///
    /// # Errors
    /// When it cannot be evaluated.
    pub fn clause_holds(&self, index: usize, context: &Value) -> Result<bool, EvalError> {
        let clause = &self.clauses[index];
        let program = clause.program.as_ref().unwrap_or(&self.whole);
        eval(program, &clause.text, context).map(|value| value.is_true())
    }

    /// The operands with their values, for a message: `skill('x').patches` → `1`. What cannot be evaluated says why.
    pub fn values(&self, context: &Value) -> Vec<(String, String)> {
        values(&self.text, context)
    }

    /// The same for one clause.
    pub fn clause_values(&self, index: usize, context: &Value) -> Vec<(String, String)> {
        values(&self.clauses[index].text, context)
    }
}

fn values(text: &str, context: &Value) -> Vec<(String, String)> {
    let tokens = lexer::tokens(text);
    let names = lexer::operands(text, &tokens);
    names.into_iter().filter_map(|operand| value_of(operand, context)).collect()
}

fn value_of(operand: &str, context: &Value) -> Option<(String, String)> {
    let program = super::environment::ENVIRONMENT.compile_expression_owned(operand.to_owned()).ok()?;
    let shown = match eval(&program, &operand.into(), context) {
        Ok(value) => super::template::shown(&value),
        Err(error) => error.reason,
    };
    Some((operand.to_owned(), shown))
}

fn eval(program: &Program<'_, '_>, text: &Arc<str>, context: &Value) -> Result<Value, EvalError> {
    let fail = |reason: String| EvalError { expression: text.clone(), reason };
    let value = program.eval(context.clone()).map_err(|error| fail(reason(&error)))?;
    if value.is_undefined() { Err(fail("it is undefined".to_owned())) } else { Ok(value) }
}

/// An error in words, without the name that minijinja gives to expressions.
pub(super) fn reason(error: &minijinja::Error) -> String {
    match error.detail() {
        Some(detail) => detail.to_owned(),
        None => error.kind().to_string(),
    }
}

impl Clause {
    fn compile(
        text: &str,
        tokens: &[Token<'_>],
        part: &Range<usize>,
        is_whole: bool,
        names: &KnownNames,
    ) -> Result<Self, CompileError> {
        let own: Vec<Token<'_>> = tokens
            .iter()
            .filter(|token| part.start <= token.at.start && token.at.end <= part.end)
            .cloned()
            .collect();
        let written = text[part.clone()].trim();
        let program = if is_whole {
            None
        } else {
            let shifted = lexer::tokens(written);
            let place = |error: CompileError| CompileError { range: part.clone(), ..error };
            Some(compile(written, &shifted, names).map_err(place)?.0)
        };
        Ok(Self { text: written.into(), program, guard: guard(&own) })
    }

    /// The clause as written.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// What it asks for, if it is of the form `'literal' in name`.
    pub fn guard(&self) -> Option<&Guard> {
        self.guard.as_ref()
    }
}

fn guard(tokens: &[Token<'_>]) -> Option<Guard> {
    let [text, is_in, path @ ..] = tokens else { return None };
    if text.kind != Kind::Text || !is_in.is(Kind::Name, "in") {
        return None;
    }
    let (path, lower) = match path {
        [path @ .., pipe, filter] if pipe.is(Kind::Sign, "|") && filter.is(Kind::Name, "lower") => {
            (path, true)
        }
        path => (path, false),
    };
    let is_path = path.len() % 2 == 1
        && path.iter().enumerate().all(|(index, token)| match index % 2 {
            0 => token.kind == Kind::Name,
            _ => token.is(Kind::Sign, "."),
        });
    let literal = literal(text.text).filter(|literal| !literal.is_empty())?;
    is_path.then(|| Guard { name: path.iter().map(|token| token.text).collect(), lower, literal })
}
