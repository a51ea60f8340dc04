//! The manager beyond the golden cases.
