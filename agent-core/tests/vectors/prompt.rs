//! Prompt blocks, skills index, context files.
