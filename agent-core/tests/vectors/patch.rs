//! Fuzzy find-and-replace.
