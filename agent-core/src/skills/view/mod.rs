//! The tools `skills_list` and `skill_view`: names, then a main file, then a supporting file
//! (`spec/skills.md` §10 and §11).
//!
//! Deliberately not here: running shell snippets of a skill (nothing is ever executed), the index in the prompt
//! ([`crate::prompt`]), and lists kept for some seconds: a list is always that of now.

mod candidates;
mod conditions;
mod file;
mod linked;
mod list;
mod main_view;
mod setup;
#[cfg(test)]
mod tests;
mod tool;

pub use conditions::{matches_environments, matches_platforms};
pub use list::{ListedSkill, list};
pub use tool::{load, look, mark_read_file, view};
