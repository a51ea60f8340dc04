//! Curator: transitions, schedule, timelines, classification, rollback, archive.
