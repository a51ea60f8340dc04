//! Tests of memory beside the golden cases: hostile content, versions, faults and switches, facts, and laws.

mod bench;
mod facts;
mod hostile;
mod laws;
mod staging;
mod versions;
