//! Experiments: sweeps, comparisons, reports, prompts, settings, the curator of a real home.

mod compare;
mod config;
mod curator;
mod preview_vectors;
mod prompts;
mod report;
mod sample;
mod sweep;
