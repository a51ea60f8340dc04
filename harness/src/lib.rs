//! Scenarios, simulation and experiments.
