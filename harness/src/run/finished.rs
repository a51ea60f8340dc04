//! What is known of finished cells: written as each ends, read when a run is resumed and when its tables are written.
//!
//! A cell is known by the digest of everything that its results depend on. Only what is whole is taken over: a cell
//! that broke or was stopped runs again.

use std::collections::BTreeMap;

use anyhow::Context;
use reports::records::{Records, read_records, table_csv};
use reports::verdict::CellStatus;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::cells::Cell;
use super::store::Store;
use super::tables::read_tables;
use super::{RunPlan, Tables, Traces};

/// Version of the state file's format.
const VERSION: u32 = 1;

/// The state of one cell.
#[derive(Debug, Serialize, Deserialize)]
struct StateFile {
    version: u32,
    digest: String,
    /// Whether the cell reached its end.
    whole: bool,
    /// Its record tables as CSV, by name.
    records: BTreeMap<String, String>,
}

/// Notes what a cell left.
pub(super) fn write(
    store: &Store,
    cell: &Cell,
    whole: bool,
    records: &Records,
    wanted: Tables,
) -> anyhow::Result<()> {
    let tables = records.tables();
    let filled = tables.iter().filter(|table| !table.is_empty() && wanted.have(table.name()));
    let records = filled.map(|table| (table.name().to_owned(), table_csv(*table))).collect();
    let file = StateFile { version: VERSION, digest: cell.digest().to_string(), whole, records };
    store.write(&name(cell), &serde_json::to_vec(&file)?)
}

/// What a cell of this run left, whole or not.
pub(super) fn read(store: &Store, cell: &Cell) -> anyhow::Result<Option<Records>> {
    let Some(bytes) = store.read(&name(cell)) else { return Ok(None) };
    let file: StateFile =
        serde_json::from_slice(&bytes).with_context(|| format!("the state of {cell} is damaged"))?;
    Ok(Some(records(&file)?))
}

fn name(cell: &Cell) -> String {
    format!("state/{}.json", cell.stem())
}

fn records(file: &StateFile) -> anyhow::Result<Records> {
    Ok(read_records(|name| Ok(file.records.get(name).map(String::as_bytes)))?)
}

/// Finished cells of earlier runs into the same directory.
#[derive(Debug, Default)]
pub(super) struct Earlier {
    /// Of runs whose results are in place, by the cell's name.
    placed: BTreeMap<String, (String, Records)>,
}

impl Earlier {
    /// Looks at what is in place. What cannot be read is as good as absent: its cells run again.
    pub(super) fn of(store: &Store, wanted: Tables) -> Self {
        Self { placed: placed(store, wanted).unwrap_or_default() }
    }

    /// The records of a cell that was finished with the same inputs, its trace (and home) taken over.
    pub(super) fn take_over(
        &self,
        store: &Store,
        cell: &Cell,
        plan: &RunPlan,
    ) -> anyhow::Result<Option<Records>> {
        let (with_trace, with_home) = (plan.traces == Traces::All, plan.keep_homes);
        let (trace, home) = (format!("traces/{}.jsonl", cell.stem()), format!("homes/{}", cell.stem()));
        let state =
            store.read(&name(cell)).and_then(|bytes| serde_json::from_slice::<StateFile>(&bytes).ok());
        if let Some(file) = state
            && file.version == VERSION
            && file.whole
            && file.digest == *cell.digest()
            && (!with_trace || store.has(&trace))
            && (!with_home || store.has(&home))
        {
            return records(&file).map(Some);
        }
        let Some((digest, records)) = self.placed.get(&cell.to_string()) else { return Ok(None) };
        let is_there = |name: &str| store.root().join(name).exists();
        let lacks = |name: &str, is_wanted| is_wanted && !is_there(name);
        if **digest != *cell.digest() || lacks(&trace, with_trace) || lacks(&home, with_home) {
            return Ok(None);
        }
        if with_trace {
            store.take_over(&trace)?;
        }
        if with_home {
            store.take_over(&home)?;
        }
        write(store, cell, true, records, plan.tables)?;
        Ok(Some(records.clone()))
    }
}

/// The whole cells of the results that are in place, with digest and records.
fn placed(store: &Store, wanted: Tables) -> Option<BTreeMap<String, (String, Records)>> {
    let run: Value = serde_json::from_slice(&store.read_placed("run.json")?).ok()?;
    // Another version may simulate otherwise: its cells are run again.
    if run["harness"] != env!("CARGO_PKG_VERSION") {
        return None;
    }
    let whole = |status: &str| status == CellStatus::Held.as_str() || status == CellStatus::Failed.as_str();
    let mut digests = BTreeMap::new();
    for cell in run["cells"].as_array()? {
        let (name, digest, status) =
            (cell["cell"].as_str()?, cell["digest"].as_str()?, cell["status"].as_str()?);
        if whole(status) {
            digests.insert(name.to_owned(), digest.to_owned());
        }
    }
    let all = read_tables(&store.root().join("records"), wanted).ok()?;
    let names: Vec<&String> = digests.keys().collect();
    let mut parts = BTreeMap::new();
    split(all, &names, &mut parts);
    Some(parts.into_iter().map(|(name, records)| (name.clone(), (digests[&name].clone(), records))).collect())
}

/// Tells records apart by cell, by halves: each row is looked at once for each doubling of the number of cells.
fn split(mut records: Records, names: &[&String], parts: &mut BTreeMap<String, Records>) {
    let (half, rest) = names.split_at(names.len() / 2);
    let keep = |records: &mut Records, names: &[&String]| {
        records.retain_cells(|scenario, arm, seed| {
            names.iter().any(|name| **name == format!("{scenario}/{arm}/{seed}"))
        });
    };
    match names {
        [] => {}
        [name] => {
            keep(&mut records, names);
            parts.insert((*name).clone(), records);
        }
        _ => {
            let mut first = records.clone();
            keep(&mut first, half);
            split(first, half, parts);
            keep(&mut records, rest);
            split(records, rest, parts);
        }
    }
}
