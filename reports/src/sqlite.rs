//! All record tables in one `SQLite` file, for people who ask questions in SQL.
//!
//! The same records give the same bytes: one connection, one transaction, a fixed page size, no journal. A table
//! `figures` explains every column.

use std::path::Path;

use rusqlite::types::{ToSql, ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, params_from_iter};
use thiserror::Error;

use crate::figures::figures;
use crate::records::{Column, ColumnType, Datum, Records, Table};

/// Why the file could not be written.
#[derive(Debug, Error)]
#[error("cannot write the SQLite file {path}")]
pub struct SqliteError {
    /// The file.
    pub path: String,
    /// Why.
    #[source]
    pub source: rusqlite::Error,
}

/// A file that takes the records of one cell after another.
pub struct SqliteTables {
    connection: Connection,
    path: String,
}

impl SqliteTables {
    /// Makes a new file here, with empty tables. The caller sees to it that there is none yet.
    ///
    /// # Errors
    /// If `SQLite` cannot make the file or its tables.
    pub fn create(path: &Path) -> Result<Self, SqliteError> {
        let name = path.display().to_string();
        let failed = |source| SqliteError { path: name.clone(), source };
        let connection = Connection::open(path).map_err(failed)?;
        let tables = Self { connection, path: name.clone() };
        tables.set_up().map_err(failed)?;
        Ok(tables)
    }

    /// Adds the rows of a cell.
    ///
    /// # Errors
    /// If `SQLite` cannot write.
    pub fn append(&mut self, records: &Records) -> Result<(), SqliteError> {
        records
            .tables()
            .into_iter()
            .try_for_each(|table| insert(&self.connection, table))
            .map_err(|source| SqliteError { path: self.path.clone(), source })
    }

    /// Commits and closes.
    ///
    /// # Errors
    /// If `SQLite` cannot write.
    pub fn finish(self) -> Result<(), SqliteError> {
        let Self { connection, path } = self;
        connection
            .execute_batch("COMMIT")
            .and_then(|()| connection.close().map_err(|(_, source)| source))
            .map_err(|source| SqliteError { path, source })
    }

    fn set_up(&self) -> rusqlite::Result<()> {
        let settings = "PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN";
        self.connection.execute_batch(settings)?;
        for table in Records::default().tables() {
            let columns: Vec<_> = table.columns().iter().map(declaration).collect();
            let create = format!("CREATE TABLE {} ({})", table.name(), columns.join(", "));
            self.connection.execute_batch(&create)?;
        }
        self.connection.execute_batch(
            "CREATE TABLE figures (name TEXT NOT NULL, unit TEXT NOT NULL, formula TEXT NOT NULL, \
             source TEXT NOT NULL, evidence TEXT NOT NULL)",
        )?;
        let mut insert = self.connection.prepare("INSERT INTO figures VALUES (?, ?, ?, ?, ?)")?;
        for figure in figures() {
            insert.execute((figure.name, figure.unit, figure.formula, figure.source, figure.evidence))?;
        }
        Ok(())
    }
}

/// Names are quoted because some are words of SQL. A seed has no declared type, which keeps the text of one that is
/// beyond 64 signed bits; with a type it would become a float.
fn declaration(column: &Column) -> String {
    let kind = match column.kind {
        _ if column.name == "seed" => "",
        ColumnType::Unsigned | ColumnType::Signed => "INTEGER",
        ColumnType::Text => "TEXT",
    };
    let null = if column.optional { "" } else { " NOT NULL" };
    format!("\"{}\" {kind}{null}", column.name)
}

fn insert(connection: &Connection, table: &dyn Table) -> rusqlite::Result<()> {
    if table.is_empty() {
        return Ok(());
    }
    let places = vec!["?"; table.columns().len()].join(", ");
    let mut insert = connection.prepare_cached(&format!("INSERT INTO {} VALUES ({places})", table.name()))?;
    for index in 0..table.len() {
        insert.execute(params_from_iter(table.row(index)))?;
    }
    Ok(())
}

impl ToSql for Datum<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Owned(Value::Null),
            Self::Integer(value) => match i64::try_from(*value) {
                Ok(value) => ToSqlOutput::Owned(Value::Integer(value)),
                // A seed beyond 2^63 stays readable as text; SQLite has no wider integer.
                Err(_) => ToSqlOutput::Owned(Value::Text(value.to_string())),
            },
            Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::{CellRow, SessionRow};

    fn records(seed: u64) -> Records {
        let cell = CellRow { scenario: "k8s".into(), seed, tool_calls: 12, ..CellRow::default() };
        let session =
            SessionRow { scenario: "k8s".into(), seed, session: "flask".into(), ..SessionRow::default() };
        Records { cells: vec![cell], sessions: vec![session], ..Records::default() }
    }

    fn write(path: &Path) {
        let mut tables = SqliteTables::create(path).unwrap();
        tables.append(&records(1)).unwrap();
        tables.append(&records(u64::MAX)).unwrap();
        tables.finish().unwrap();
    }

    #[test]
    fn the_same_records_give_the_same_bytes_and_read_back() {
        let dir = tempfile::tempdir().unwrap();
        let (one, other) = (dir.path().join("one.sqlite"), dir.path().join("other.sqlite"));
        write(&one);
        write(&other);
        assert_eq!(std::fs::read(&one).unwrap(), std::fs::read(&other).unwrap());
        let connection = Connection::open(&one).unwrap();
        let ask = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap();
        assert_eq!(
            ask("SELECT group_concat(seed || ':' || tool_calls) FROM cells"),
            "1:12,18446744073709551615:12"
        );
        assert_eq!(ask("SELECT count(*) || '' FROM sessions WHERE cost_nanos IS NULL"), "2");
        assert_eq!(ask("SELECT unit FROM figures WHERE name = 'sessions.waited_ms'"), "ms of simulated time");
    }

    #[test]
    fn a_place_that_cannot_be_written_is_named() {
        let error = SqliteTables::create(Path::new("/nowhere/at/all.sqlite")).err().unwrap();
        assert_eq!(error.to_string(), "cannot write the SQLite file /nowhere/at/all.sqlite");
    }
}
