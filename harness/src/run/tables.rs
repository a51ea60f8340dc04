//! The record tables of a run, put together cell by cell in the order of the grid, and read back.

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::Path;

use anyhow::Context;
use reports::records::{CsvTables, Records, RecordsError, read_records};

use super::Tables;
use super::cells::Cell;
use super::finished;
use super::store::{Draft, Store};
use super::unused::Answered;

/// Tables with a row a request or a row a tool call. No figure is made of them, and they are most of what a long
/// simulation leaves, so that a sweep leaves them out unless they are asked for.
pub(crate) const CALL_TABLES: [&str; 2] = ["model_calls", "tool_calls"];

/// Writes all tables from what the cells left. One cell's rows are in memory at a time; the rows of cells and hazards,
/// of which the last table is made, are given back. `answered` is shown every cell.
///
/// # Errors
/// The files cannot be written.
pub(crate) fn write_tables(
    cells: &[Cell],
    store: &Store,
    wanted: Tables,
    answered: &mut Answered,
) -> anyhow::Result<Records> {
    let open = |table: &'static str| {
        if !wanted.have(table) {
            return Ok(Output(None));
        }
        let draft = store.draft(&format!("records/{table}.csv")).map_err(io::Error::other)?;
        Ok(Output(Some(draft)))
    };
    let fail = || "cannot write the record tables";
    let mut tables = CsvTables::new(open).with_context(fail)?;
    let mut kept = Records::default();
    for cell in cells {
        if let Some(records) = finished::read(store, cell)? {
            tables.append(&records).with_context(fail)?;
            answered.look(cell, &records);
            kept.append(Records { cells: records.cells, hazards: records.hazards, ..Records::default() });
        }
    }
    tables
        .finish()
        .with_context(fail)?
        .into_iter()
        .filter_map(|output| output.0)
        .try_for_each(Draft::keep)?;
    Ok(kept)
}

/// Where a table goes: a file, or nowhere.
struct Output(Option<Draft>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.as_mut().map_or(Ok(bytes.len()), |draft| draft.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.as_mut().map_or(Ok(()), Write::flush)
    }
}

/// Reads the tables of a folder. Those that are not wanted may be missing, and are empty then.
///
/// # Errors
/// The first table that cannot be read.
pub(crate) fn read_tables(folder: &Path, wanted: Tables) -> Result<Records, RecordsError> {
    read_records(|table| match File::open(folder.join(format!("{table}.csv"))) {
        Ok(file) => Ok(Some(BufReader::new(file))),
        Err(error) if error.kind() == io::ErrorKind::NotFound && !wanted.have(table) => Ok(None),
        Err(error) => Err(error),
    })
}
