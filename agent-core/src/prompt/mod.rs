//! Prompt assembly: blocks, skills index, context files, prompt texts and tool descriptions (`spec/prompt.md`).
