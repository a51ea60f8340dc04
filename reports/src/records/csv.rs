//! Record tables as CSV: a header always, LF, empty cells for figures that do not exist.
//!
//! A column that this build does not know is skipped when read, so that files of a later build stay readable; a
//! column that is missing is an error.

use std::io::{self, Read, Write};

use thiserror::Error;

use super::field::Column;
use super::record::{Record, Table};
use super::tables::{Fill, Records};

/// Why a record table cannot be read.
#[derive(Debug, Error)]
pub enum RecordsError {
    /// The file could not be read, or is no CSV.
    #[error("{table}.csv: not a readable CSV file: {source}")]
    Csv {
        /// The table.
        table: &'static str,
        /// Why.
        #[source]
        source: csv::Error,
    },
    /// The file could not be opened.
    #[error("{table}.csv: cannot be opened: {source}")]
    Open {
        /// The table.
        table: &'static str,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The header lacks a column.
    #[error("{table}.csv: column `{column}` is missing; was it written by another version?")]
    MissingColumn {
        /// The table.
        table: &'static str,
        /// The column.
        column: &'static str,
    },
    /// A cell holds nothing of its column's kind.
    #[error("{table}.csv line {line}: `{found}` in column `{column}` is not what belongs there ({expected})")]
    Cell {
        /// The table.
        table: &'static str,
        /// The line, from 1.
        line: u64,
        /// The column.
        column: &'static str,
        /// What the column is.
        expected: &'static str,
        /// What was found.
        found: String,
    },
}

/// Writes tables cell after cell: each file gets its header at once and then the rows of one cell after another.
/// Cells come in ascending order of scenario, arm and seed; so the files are sorted, whoever simulated what when.
pub struct CsvTables<W: Write> {
    writers: Vec<csv::Writer<W>>,
    last: Option<(String, String, u64)>,
}

impl<W: Write> CsvTables<W> {
    /// Opens one output a table, by the table's name, and writes the headers.
    ///
    /// # Errors
    /// Those of opening and writing.
    pub fn new(mut open: impl FnMut(&'static str) -> io::Result<W>) -> io::Result<Self> {
        let none = Records::default();
        let mut writers = Vec::new();
        for table in none.tables() {
            let mut writer = csv_writer(open(table.name())?);
            writer.write_record(table.columns().iter().map(|column| column.name))?;
            writers.push(writer);
        }
        Ok(Self { writers, last: None })
    }

    /// Writes the rows of one cell, or of several in order.
    ///
    /// # Errors
    /// Those of writing, and `InvalidInput` if the cell does not come after the one before.
    pub fn append(&mut self, records: &Records) -> io::Result<()> {
        for cell in &records.cells {
            let key = (cell.scenario.to_string(), cell.arm.to_string(), cell.seed);
            if self.last.as_ref().is_some_and(|last| *last >= key) {
                let (scenario, arm, seed) = key;
                let message = format!("the cell {scenario}, {arm}, {seed} is out of order or repeated");
                return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
            }
            self.last = Some(key);
        }
        for (writer, table) in self.writers.iter_mut().zip(records.tables()) {
            write_rows(writer, table)?;
        }
        Ok(())
    }

    /// Flushes all outputs and gives them back, in the order of [`Records::TABLES`].
    ///
    /// # Errors
    /// Those of writing.
    pub fn finish(self) -> io::Result<Vec<W>> {
        let inner = |writer: csv::Writer<W>| writer.into_inner().map_err(csv::IntoInnerError::into_error);
        self.writers.into_iter().map(inner).collect()
    }
}

/// The whole table as CSV.
pub fn table_csv(table: &dyn Table) -> String {
    let mut writer = csv_writer(Vec::new());
    let header = writer.write_record(table.columns().iter().map(|column| column.name));
    header
        .map_err(io::Error::from)
        .and_then(|()| write_rows(&mut writer, table))
        .expect("memory can be written");
    let bytes = writer.into_inner().expect("memory can be flushed");
    String::from_utf8(bytes).expect("all cells are UTF-8")
}

/// Reads all tables. `open` gives the input of a table by its name; a table without one is empty.
///
/// # Errors
/// The first file that cannot be opened or read, with line and column.
pub fn read_records<R: Read>(
    open: impl FnMut(&'static str) -> io::Result<Option<R>>,
) -> Result<Records, RecordsError> {
    let mut records = Records::default();
    records.try_fill(&mut Reading(open))?;
    Ok(records)
}

fn csv_writer<W: Write>(out: W) -> csv::Writer<W> {
    csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(out)
}

fn write_rows<W: Write>(writer: &mut csv::Writer<W>, table: &dyn Table) -> io::Result<()> {
    for index in 0..table.len() {
        for datum in table.row(index) {
            writer.write_field(datum.csv().as_bytes())?;
        }
        writer.write_record(None::<&[u8]>)?;
    }
    Ok(())
}

struct Reading<F>(F);

impl<R: Read, F: FnMut(&'static str) -> io::Result<Option<R>>> Fill for Reading<F> {
    type Error = RecordsError;

    fn fill<T: Record>(&mut self) -> Result<Vec<T>, RecordsError> {
        let table = T::TABLE;
        let input = (self.0)(table).map_err(|source| RecordsError::Open { table, source })?;
        let Some(input) = input else { return Ok(Vec::new()) };
        let csv_error = |source| RecordsError::Csv { table, source };
        let mut reader = csv::Reader::from_reader(input);
        let header = reader.headers().map_err(csv_error)?.clone();
        let place = |column: &Column| {
            let missing = RecordsError::MissingColumn { table, column: column.name };
            header.iter().position(|name| name == column.name).ok_or(missing)
        };
        let places = T::COLUMNS.iter().map(place).collect::<Result<Vec<_>, _>>()?;
        let mut rows = Vec::new();
        for line in reader.records() {
            let line = line.map_err(csv_error)?;
            let mut cells = places.iter();
            let row = T::read(|_| cells.next().and_then(|&place| line.get(place)));
            rows.push(row.map_err(|column| bad_cell(table, column, &header, &line))?);
        }
        Ok(rows)
    }
}

fn bad_cell(
    table: &'static str,
    column: &'static Column,
    header: &csv::StringRecord,
    line: &csv::StringRecord,
) -> RecordsError {
    let found = header.iter().position(|name| name == column.name).and_then(|place| line.get(place));
    RecordsError::Cell {
        table,
        line: line.position().map_or(0, csv::Position::line),
        column: column.name,
        expected: column.unit(),
        found: found.unwrap_or_default().to_owned(),
    }
}
