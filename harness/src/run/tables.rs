//! The record tables of a run, put together cell by cell in the order of the grid.

use std::io;

use reports::records::CsvTables;

use super::cells::Cell;
use super::finished;
use super::store::{Draft, Store};

/// Writes all tables from what the cells left. One cell's rows are in memory at a time.
///
/// # Errors
/// The files cannot be written.
pub(crate) fn write_tables(cells: &[Cell], store: &Store) -> anyhow::Result<()> {
    let open = |table: &str| store.draft(&format!("records/{table}.csv")).map_err(io::Error::other);
    let mut tables: CsvTables<Draft> = CsvTables::new(open)?;
    for cell in cells {
        if let Some(records) = finished::read(store, cell)? {
            tables.append(&records)?;
        }
    }
    tables.finish()?.into_iter().try_for_each(Draft::keep)
}
