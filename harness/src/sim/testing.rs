//! What tests of a simulated cell share: a scenario read from disk, and one cell of it played.

use std::path::Path;
use std::sync::Arc;

use agent_core::values::Seed;

use super::driver::Ended;
use super::{CellInput, Driver, Recorder};
use crate::scenario::{Arm, Scenario, load};
use crate::transport::Transport;

/// The scenario of a file without mistakes.
pub(crate) fn loaded(path: &Path) -> Arc<Scenario> {
    let loaded = load(&[path.to_path_buf()]);
    let shown =
        mock_llm::diagnose::render(&loaded.diagnostics, &loaded.sources, mock_llm::diagnose::Look::default());
    assert!(!loaded.has_errors(), "{shown}");
    Arc::clone(&loaded.scenarios[0])
}

/// One cell: its trace, and how it ended.
pub(crate) fn play_cell(
    scenario: &Scenario,
    arm: &Arm,
    seed: Seed,
    transport: &mut dyn Transport,
) -> (Vec<u8>, anyhow::Result<Ended>) {
    let input = CellInput {
        scenario,
        arm,
        settings: &arm.settings,
        seed,
        digest: "digest".into(),
        varied: Vec::new(),
    };
    let mut trace = Vec::new();
    let recorder = Recorder::new(scenario, Box::new(&mut trace));
    let ended = Driver::new(input, transport, recorder).and_then(|driver| driver.run(&|| false));
    (trace, ended)
}
