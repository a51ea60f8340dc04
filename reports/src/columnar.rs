//! Record tables as Parquet, for people who work with data frames.
//!
//! The only module that knows polars, and nothing on the way from simulation to verdict imports it. The same records
//! give the same bytes: one thread, fixed row groups, no statistics that depend on more than the data.

use std::io::Write;

use polars::prelude::{Column as PolarsColumn, DataFrame, NamedFrom, Series};
use polars_io::parquet::write::{ParquetCompression, ParquetWriter};
use thiserror::Error;

use crate::records::{Column, ColumnType, Datum, Table};

/// Rows in a row group, fixed so that a file does not depend on the machine.
const ROW_GROUP_ROWS: usize = 100_000;

/// Why a table could not be written as Parquet.
#[derive(Debug, Error)]
#[error("cannot write {table}.parquet: {source}")]
pub struct ColumnarError {
    /// The table.
    pub table: &'static str,
    /// Why.
    #[source]
    pub source: polars::error::PolarsError,
}

/// Writes the table as Parquet: unsigned and signed 64-bit integers and text, null where a cell is empty.
///
/// # Errors
/// If the output cannot be written.
pub fn write_parquet(table: &dyn Table, out: impl Write) -> Result<(), ColumnarError> {
    let failed = |source| ColumnarError { table: table.name(), source };
    let mut frame = frame(table).map_err(failed)?;
    let writer = ParquetWriter::new(out)
        .with_compression(ParquetCompression::Zstd(None))
        .with_row_group_size(Some(ROW_GROUP_ROWS))
        .set_parallel(false);
    writer.finish(&mut frame).map(|_bytes| ()).map_err(failed)
}

fn frame(table: &dyn Table) -> Result<DataFrame, polars::error::PolarsError> {
    let rows: Vec<Vec<Datum<'_>>> = (0..table.len()).map(|index| table.row(index)).collect();
    let column = |(place, column): (usize, &Column)| {
        let cells = rows.iter().map(|row| &row[place]);
        PolarsColumn::from(series(column, cells))
    };
    DataFrame::new(rows.len(), table.columns().iter().enumerate().map(column).collect())
}

fn series<'a>(column: &Column, cells: impl Iterator<Item = &'a Datum<'a>>) -> Series {
    let name = column.name.into();
    match column.kind {
        ColumnType::Unsigned => Series::new(name, cells.map(integer::<u64>).collect::<Vec<_>>()),
        ColumnType::Signed => Series::new(name, cells.map(integer::<i64>).collect::<Vec<_>>()),
        ColumnType::Text => Series::new(name, cells.map(text).collect::<Vec<_>>()),
    }
}

/// A cell of an integer column; its type and the column's agree.
fn integer<T: TryFrom<i128>>(datum: &Datum<'_>) -> Option<T> {
    match datum {
        Datum::Integer(value) => T::try_from(*value).ok(),
        Datum::Null | Datum::Text(_) => None,
    }
}

fn text<'a>(datum: &'a Datum<'_>) -> Option<&'a str> {
    match datum {
        Datum::Text(text) => Some(text),
        Datum::Null | Datum::Integer(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use polars::prelude::SerReader;
    use polars_io::parquet::read::ParquetReader;

    use super::*;
    use crate::figures::samples::study;
    use crate::records::{CellRow, Records};

    fn bytes(table: &dyn Table) -> Vec<u8> {
        let mut out = Vec::new();
        write_parquet(table, &mut out).unwrap();
        out
    }

    #[test]
    fn every_table_reads_back_with_its_types_and_nulls() {
        let records = study();
        for table in records.tables() {
            let read = ParquetReader::new(std::io::Cursor::new(bytes(table))).finish().unwrap();
            assert_eq!(read.shape(), (table.len(), table.columns().len()), "{}", table.name());
            assert_eq!(read, frame(table).unwrap(), "{}", table.name());
        }
    }

    #[test]
    fn the_same_records_give_the_same_bytes() {
        let records = study();
        assert_eq!(bytes(&records.turns), bytes(&records.turns));
    }

    #[test]
    fn the_widest_integers_survive_and_no_rows_are_a_table_too() {
        let rows = vec![CellRow { seed: u64::MAX, ..CellRow::default() }];
        let frame = frame(&rows).unwrap();
        assert_eq!(frame.column("seed").unwrap().u64().unwrap().get(0), Some(u64::MAX));
        assert_eq!(frame.column("cost_nanos").unwrap().null_count(), 1);
        assert!(!bytes(&Records::default().lessons).is_empty());
    }
}
