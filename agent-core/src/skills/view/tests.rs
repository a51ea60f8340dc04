//! List and view beyond the golden cases.
