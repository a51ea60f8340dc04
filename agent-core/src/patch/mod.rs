//! Fuzzy find-and-replace (`spec/fuzzy-patch.md`).
