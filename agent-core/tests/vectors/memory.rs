//! Memory: the tool, write approval.
