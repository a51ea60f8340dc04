//! The SQLite side: full-text indexes, filled when a search asks for them.
//!
//! The database lies in memory and is opened at the first need. Each index knows up to which row of the store it
//! was filled, so a later search adds only what is new, and the trigram index, four times as costly as the main one,
//! is not touched by searches that do not need it. Triggers never fire on this connection: the indexes are filled
//! here, the triggers are there for the next program that opens an exported file.

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OptionalExtension, params};

use super::message::MessageRow;
use super::schema::FullText;
use super::snippet;

/// The database behind a store.
#[derive(Debug, Default)]
pub(super) struct Index {
    connection: Option<Connection>,
    /// Rows of the store that each full-text table holds, in the order of [`FullText::ALL`]; none if there is no
    /// such table yet.
    filled: [Option<usize>; 2],
    /// Whether the tables were rebuilt after damage; once is enough.
    rebuilt: bool,
}

/// Why an index gave no answer.
#[derive(Debug)]
pub(super) enum Failure {
    /// The text is no full-text expression.
    Syntax,
    /// SQLite failed.
    Engine(rusqlite::Error),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::Unknown) => Self::Syntax,
            _ => Self::Engine(error),
        }
    }
}

/// Opens a database in memory and sets it up for work that never leaves the memory.
pub(super) fn open() -> rusqlite::Result<Connection> {
    let connection = Connection::open_in_memory()?;
    prepare(&connection)?;
    Ok(connection)
}

/// Settings of a connection. Sorting must not spill to a file of the host; rows may name parents that are gone; an
/// imported schema is not trusted.
pub(super) fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.pragma_update(None, "temp_store", "MEMORY")
}

impl Index {
    /// The index over an imported database whose full-text tables hold so many rows of the store.
    pub(super) fn over(connection: Connection, filled: [Option<usize>; 2]) -> Self {
        Self { connection: Some(connection), filled, rebuilt: false }
    }

    /// The connection, opened if needed.
    pub(super) fn connection(&mut self) -> rusqlite::Result<&mut Connection> {
        if self.connection.is_none() {
            self.connection = Some(open()?);
        }
        Ok(self.connection.as_mut().expect("opened just now"))
    }

    /// Brings a full-text table up to these rows.
    pub(super) fn fill(&mut self, table: FullText, rows: &[MessageRow]) -> rusqlite::Result<()> {
        let filled = self.filled[table as usize];
        if filled == Some(rows.len()) {
            return Ok(());
        }
        let transaction = self.connection()?.transaction()?;
        transaction.execute_batch(&table.create())?;
        {
            let sql = format!("INSERT INTO {} (rowid, content) VALUES (?, ?)", table.table());
            let mut insert = transaction.prepare_cached(&sql)?;
            for row in &rows[filled.unwrap_or(0)..] {
                match insert.execute(params![row.id.0, row.message.indexed_text()]) {
                    // A text beyond SQLite's own limit of 1 GB cannot be found; all others can.
                    Ok(_)
                    | Err(rusqlite::Error::SqliteFailure(
                        rusqlite::ffi::Error { code: ErrorCode::TooBig, .. },
                        _,
                    )) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        transaction.commit()?;
        self.filled[table as usize] = Some(rows.len());
        Ok(())
    }

    /// The rows that an expression matches, in order of the rows. Asked for, each has its rank (smaller is better),
    /// else 0: ranking costs six times as much as finding.
    pub(super) fn matches(
        &mut self,
        table: FullText,
        expression: &str,
        rows: &[MessageRow],
        ranked: bool,
    ) -> Result<Vec<(i64, f64)>, Failure> {
        self.fill(table, rows).map_err(Failure::Engine)?;
        match self.ask(table, expression, ranked) {
            Err(Failure::Engine(error)) if is_damage(&error) && !self.rebuilt => {
                self.rebuild(table, rows).map_err(Failure::Engine)?;
                self.ask(table, expression, ranked)
            }
            answer => answer,
        }
    }

    fn ask(&mut self, table: FullText, expression: &str, ranked: bool) -> Result<Vec<(i64, f64)>, Failure> {
        let name = table.table();
        let rank = if ranked { "rank" } else { "0.0" };
        let sql = format!("SELECT rowid, {rank} FROM {name} WHERE {name} MATCH ?");
        let connection = self.connection().map_err(Failure::Engine)?;
        let mut statement = connection.prepare_cached(&sql).map_err(Failure::Engine)?;
        let mut found = statement.query([expression])?;
        let mut matches = Vec::new();
        while let Some(row) = found.next()? {
            matches.push((row.get(0)?, row.get(1)?));
        }
        Ok(matches)
    }

    /// Drops a damaged table and fills it anew. Happens once.
    fn rebuild(&mut self, table: FullText, rows: &[MessageRow]) -> rusqlite::Result<()> {
        self.rebuilt = true;
        self.filled[table as usize] = None;
        let sql = format!("DROP TABLE IF EXISTS {}", table.table());
        if self.connection()?.execute_batch(&sql).is_err() {
            // Not even that works: the rows in memory are all that is needed.
            self.connection = Some(open()?);
            self.filled = [None; 2];
        }
        self.fill(table, rows)
    }

    /// The passages of these texts around what the expression matches: marks, an ellipsis, 40 tokens. The marks of
    /// the trigram table are those of [`snippet::of_trigram`].
    ///
    /// A passage depends on its text alone, so the texts are matched in a table of their own, which stays empty: in
    /// the big one, each would cost a walk through all matches.
    pub(super) fn snippets(
        &mut self,
        table: FullText,
        expression: &str,
        texts: &[String],
    ) -> rusqlite::Result<Vec<String>> {
        let (open, close) = match table {
            FullText::Main => (snippet::OPEN.to_owned(), snippet::CLOSE.to_owned()),
            FullText::Trigram => (snippet::OPEN_INSIDE.to_string(), snippet::CLOSE_INSIDE.to_string()),
        };
        let name = table.scratch();
        let connection = self.connection()?;
        connection.execute_batch(&table.create_scratch())?;
        let transaction = connection.transaction()?;
        let mut snippets = Vec::with_capacity(texts.len());
        {
            let sql = format!("INSERT INTO {name} (rowid, content) VALUES (?, ?)");
            let mut insert = transaction.prepare_cached(&sql)?;
            let sql = format!(
                "SELECT snippet({name}, 0, ?, ?, '...', 40) FROM {name} WHERE {name} MATCH ? AND rowid = ?"
            );
            let mut select = transaction.prepare_cached(&sql)?;
            for (n, text) in (1_i64..).zip(texts) {
                insert.execute(params![n, text])?;
                let snippet =
                    select.query_row(params![open, close, expression, n], |row| row.get(0)).optional()?;
                snippets.push(snippet.unwrap_or_default());
            }
        }
        transaction.rollback()?;
        Ok(snippets)
    }
}

fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}
