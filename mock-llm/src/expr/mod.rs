//! The expression language of scripts, worlds and expectations: minijinja expressions, strict, with fuel.
//!
//! One language, one module. An [`Expression`] is compiled once against the names that its place knows
//! ([`KnownNames`]), so that a misspelt name, filter or test is a mistake of the file and not of the run; it is split at its
//! top-level `and`s into clauses, so that a condition that does not hold can say which part of it failed. A [`Template`] is
//! text with `{{ expression }}` in it; nothing else in a text has a meaning (`{%`, `{#` are text).
//!
//! What the names stand for is the caller's: evaluation takes a minijinja value, usually an object that computes a name
//! when it is asked for. Results depend on that value alone: no clock, no entropy, no environment, and mappings iterate
//! sorted.

mod compile;
mod decode;
mod environment;
mod expression;
mod lexer;
mod names;
mod template;

pub use compile::CompileError;
pub use environment::lenient_json;
pub use expression::{Clause, EvalError, Expression, Guard};
pub use names::KnownNames;
pub use template::Template;

#[cfg(test)]
mod tests;
