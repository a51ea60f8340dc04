//! The curator: gate, timed transitions, consolidation, snapshots and rollback (`spec/curator.md`, `spec/curator-backup.md`).
