//! What is checked when an expression is loaded: syntax, names, filters, tests, literals, patterns.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use minijinja::Expression as Program;

use super::environment::{ENVIRONMENT, FILTERS, FILTERS_MORE, TESTS, pattern};
use super::lexer::{Kind, Token};
use super::names::KnownNames;
use crate::diagnose::nearest_hint;

/// A mistake in an expression or template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError {
    /// What is wrong, as a lower-case fragment.
    pub message: String,
    /// Where, in bytes of the text that was compiled.
    pub range: Range<usize>,
    /// What to do about it.
    pub hint: Option<String>,
}

/// A program and the names that it uses, sorted.
pub(super) type Compiled = (Program<'static, 'static>, Arc<[Arc<str>]>);

/// Compiles a text and checks its names.
pub(super) fn compile(
    text: &str,
    tokens: &[Token<'_>],
    names: &KnownNames,
) -> Result<Compiled, CompileError> {
    if text.trim().is_empty() {
        return Err(CompileError {
            message: "an empty expression".to_owned(),
            range: 0..text.len(),
            hint: None,
        });
    }
    let program =
        ENVIRONMENT.compile_expression_owned(text.to_owned()).map_err(|error| syntax(text, &error))?;
    // A sorted set: the first mistake must not depend on the order of a hash.
    let undeclared: BTreeSet<String> = program.undeclared_variables(false).into_iter().collect();
    if let Some(name) = undeclared.iter().find(|name| !names.has(name)) {
        let range = place_of(tokens, name).unwrap_or(0..text.len());
        let called = tokens.iter().any(|token| token.at.start == range.end && token.is(Kind::Open, "("));
        let message = format!("unknown {} `{name}`", if called { "function" } else { "name" });
        return Err(CompileError { message, range, hint: nearest_hint(name, names.iter()) });
    }
    check_filters_and_tests(tokens)?;
    check_literals(tokens, names)?;
    Ok((program, undeclared.into_iter().map(Arc::from).collect()))
}

fn syntax(text: &str, error: &minijinja::Error) -> CompileError {
    let range = error.range().filter(|range| text.get(range.clone()).is_some()).unwrap_or(0..text.len());
    let message = format!("not an expression: {}", error.detail().unwrap_or("syntax error"));
    let hint = if text.contains("&&") || text.contains("||") {
        Some("write `and`, `or`, `not`".to_owned())
    } else if text.contains("{{") {
        Some("a condition is an expression already: leave out `{{` and `}}`".to_owned())
    } else {
        None
    };
    CompileError { message, range, hint }
}

/// Where a name stands that is no attribute, filter or test.
fn place_of(tokens: &[Token<'_>], name: &str) -> Option<Range<usize>> {
    let is_free = |index: usize| {
        index == 0 || {
            let previous = &tokens[index - 1];
            !(previous.is(Kind::Sign, ".") || previous.is(Kind::Sign, "|") || previous.is(Kind::Name, "is"))
        }
    };
    (0..tokens.len())
        .find(|index| tokens[*index].is(Kind::Name, name) && is_free(*index))
        .map(|i| tokens[i].at.clone())
}

fn check_filters_and_tests(tokens: &[Token<'_>]) -> Result<(), CompileError> {
    for (index, token) in tokens.iter().enumerate() {
        let next = |offset: usize| tokens.get(index + offset).filter(|next| next.kind == Kind::Name);
        if token.is(Kind::Sign, "|") {
            let known = || FILTERS.into_iter().chain(FILTERS_MORE);
            if let Some(filter) = next(1).filter(|filter| !known().any(|name| name == filter.text)) {
                return Err(unknown("filter", filter, known()));
            }
        }
        if token.is(Kind::Name, "is") {
            let negated = usize::from(next(1).is_some_and(|word| word.text == "not"));
            if let Some(test) = next(1 + negated).filter(|test| !TESTS.contains(&test.text)) {
                return Err(unknown("test", test, TESTS.into_iter()));
            }
        }
    }
    Ok(())
}

fn unknown<'a>(what: &str, token: &Token<'_>, known: impl Iterator<Item = &'a str> + Clone) -> CompileError {
    let message = format!("unknown {what} `{}`", token.text);
    CompileError { message, range: token.at.clone(), hint: nearest_hint(token.text, known) }
}

/// Checks the first arguments of calls that are written as literals: names of fixed sets, and patterns.
fn check_literals(tokens: &[Token<'_>], names: &KnownNames) -> Result<(), CompileError> {
    for call in tokens.windows(3) {
        let [function, open, argument] = call else { continue };
        if function.kind != Kind::Name || !open.is(Kind::Open, "(") || argument.kind != Kind::Text {
            continue;
        }
        let Some(literal) = literal(argument.text) else { continue };
        let inside = argument.at.start + 1..argument.at.end.saturating_sub(1).max(argument.at.start + 1);
        if let Some(known) = names.literals_of(function.text)
            && !known.clone().any(|name| name == literal)
        {
            let message = format!("`{}` knows no `{literal}`", function.text);
            return Err(CompileError { message, range: inside, hint: nearest_hint(&literal, known) });
        }
        if function.text == "capture"
            && let Err(error) = pattern(&literal)
        {
            let reason = error.to_string();
            let last = reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
            return Err(CompileError {
                message: format!("not a pattern: {last}"),
                range: inside,
                hint: None,
            });
        }
    }
    Ok(())
}

/// The text that a literal in quotes stands for.
pub(super) fn literal(quoted: &str) -> Option<String> {
    let program = ENVIRONMENT.compile_expression(quoted).ok()?;
    let value = program.eval(()).ok()?;
    value.as_str().map(str::to_owned)
}
