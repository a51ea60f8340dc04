//! The skill stores beside the homes, as the simulation holds them: one tree each, whoever looks at it.

use std::sync::Arc;

use agent_core::stores::{MemFiles, SharedRoot};
use agent_core::values::SimTime;
use anyhow::Context as _;

use super::files;
use crate::scenario::Scenario;

/// One store.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    pub(crate) name: Arc<str>,
    pub(crate) files: MemFiles,
    path: Arc<str>,
    writable: bool,
}

/// All stores of a scenario at its start.
pub(crate) fn open(scenario: &Scenario) -> anyhow::Result<Vec<Store>> {
    let open = |store: &crate::scenario::SharedStore| {
        let mut tree = MemFiles::new(&store.path);
        tree.set_now(scenario.start);
        for (path, content) in &store.files {
            files::put(&mut tree, path, content.clone())
                .with_context(|| format!("the store {} cannot hold {path}", store.name))?;
        }
        let (name, path) = (Arc::clone(&store.name), Arc::clone(&store.path));
        Ok(Store { name, files: tree, path, writable: store.writable })
    };
    scenario.stores.iter().map(open).collect()
}

/// The stores as an agent's homes name them.
pub(crate) fn roots(stores: &mut [Store]) -> Vec<SharedRoot<'_>> {
    let mut roots = Vec::with_capacity(stores.len());
    for Store { path, files, writable, .. } in stores {
        roots.push(SharedRoot { path: &*path, files, writable: *writable });
    }
    roots
}

/// Tells all stores what time it is.
pub(crate) fn set_now(stores: &mut [Store], now: SimTime) {
    for store in stores {
        store.files.set_now(now);
    }
}
