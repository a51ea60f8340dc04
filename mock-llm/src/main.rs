//! The `mock-llm` command.
fn main() {}
