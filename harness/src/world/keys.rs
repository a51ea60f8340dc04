//! The keys of a world's file, for the decoder and for the schema.

pub(crate) const WORLD: &[&str] = &["facts", "tools"];
pub(crate) const TOOL: &[&str] = &["name", "description", "parameters", "parallel", "shell", "let", "rules"];
pub(crate) const RULE: &[&str] = &["match", "when", "output", "error", "exit", "set", "files", "took"];
pub(crate) const MATCH: &[&str] = &["is", "glob", "regex"];
