//! One test binary with a module for each subject.

mod alternatives;
mod ci;
mod conduct;
mod context;
#[cfg(unix)]
mod disk;
mod experiments;
mod faults;
mod generated;
mod help;
mod homes;
mod kill;
mod learning;
mod look;
mod mistakes;
mod mistakes_work;
mod options;
mod places;
mod published;
mod readme;
mod run;
mod script;
mod show;
mod typed_prompts;
mod workspace;
mod xml;
mod yaml;
