//! Options of the command line and the layers below it: environment, `harness.toml`, defaults.

mod layers;
mod table;

pub(crate) use layers::{Layers, OptionValue};
pub(crate) use table::OPTIONS;
