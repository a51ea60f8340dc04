//! One test binary with a module for each subject.

mod context;
mod mistakes;
mod run;
mod workspace;
