//! One test binary with a module for each subject.

mod conduct;
mod context;
mod kill;
mod mistakes;
mod run;
mod workspace;
