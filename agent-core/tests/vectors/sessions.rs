//! Session store and search.
