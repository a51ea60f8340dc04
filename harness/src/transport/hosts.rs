//! Ways to the scripted model, opened once a run and shared by its cells.

use std::sync::Arc;

use agent_core::values::Seed;
use mock_llm::engine::Engine;

use super::direct::DirectTransport;
use super::http::HttpHost;
use super::{Transport, TransportKind};
use crate::scenario::{Arm, Scenario};

/// What a run keeps open.
#[derive(Debug)]
pub(crate) struct Hosts(Way);

#[derive(Debug)]
enum Way {
    /// Nothing: every cell asks its own engine.
    Direct,
    /// The server and its client.
    Http(Arc<HttpHost>),
}

impl Hosts {
    /// Opens what this way needs.
    ///
    /// # Errors
    /// The mock server cannot be started.
    pub(crate) fn open(kind: TransportKind) -> anyhow::Result<Self> {
        match kind {
            TransportKind::Direct => Ok(Self(Way::Direct)),
            TransportKind::Http => Ok(Self(Way::Http(HttpHost::start()?))),
        }
    }

    /// A way for one cell.
    pub(crate) fn transport(&self, scenario: &Scenario, arm: &Arm, seed: Seed) -> Box<dyn Transport> {
        let script = Arc::clone(scenario.script_of(arm));
        let engine = Engine::new(script, seed.0).with_start(scenario.start.as_millis());
        match &self.0 {
            Way::Direct => Box::new(DirectTransport::new(engine)),
            Way::Http(host) => Box::new(host.transport(engine)),
        }
    }
}
