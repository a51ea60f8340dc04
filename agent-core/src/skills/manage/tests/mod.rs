//! The manager beyond the golden cases.

mod answers;
mod faults;
mod laws;
mod origins;
mod staging;
mod stores;
