//! Writing a store as the bytes of a `state.db`.
//!
//! The rows go into the database that the searches use, so what they indexed is not indexed again, and what an
//! import found beside our columns stays. Ids are those of the store.

use rusqlite::{Connection, MAIN_DB, OptionalExtension, params};

use super::error::StoreError;
use super::message::{MessageRow, RareColumns, RowState};
use super::schema::{self, FullText, MESSAGE_COLUMNS, SESSION_COLUMNS};
use super::session::{Session, SessionRow};
use super::store::SessionStore;

impl SessionStore {
    /// The bytes of a `state.db` with everything in the store, declaring this schema version (a newer one of an
    /// imported database stays).
    ///
    /// # Errors
    /// The store stands in for a database that could not be opened, or SQLite failed. The store is as before.
    pub fn export(&mut self, schema_version: i64) -> Result<Vec<u8>, StoreError> {
        if let Some(why) = &self.unavailable {
            return Err(StoreError::Unavailable { why: why.clone() });
        }
        for table in FullText::ALL {
            self.index.fill(table, &self.messages)?;
        }
        let connection = self.index.connection()?;
        write_tables(connection, schema_version)?;
        write_rows(connection, &self.sessions, &self.messages, self.next_id)?;
        connection.execute_batch(schema::INDEXES)?;
        for table in FullText::ALL {
            connection.execute_batch(&table.triggers())?;
        }
        Ok(connection.serialize(MAIN_DB)?.to_vec())
    }
}

fn write_tables(connection: &Connection, schema_version: i64) -> rusqlite::Result<()> {
    connection.execute_batch(&schema::create_table("sessions", "TEXT PRIMARY KEY", SESSION_COLUMNS))?;
    let key = "INTEGER PRIMARY KEY AUTOINCREMENT";
    connection.execute_batch(&schema::create_table("messages", key, MESSAGE_COLUMNS))?;
    add_missing_columns(connection, "sessions", SESSION_COLUMNS)?;
    add_missing_columns(connection, "messages", MESSAGE_COLUMNS)?;
    connection.execute_batch(schema::VERSION_TABLE)?;
    let declared: Option<i64> = connection
        .query_row("SELECT max(version) FROM schema_version", [], |row| row.get(0))
        .optional()?
        .flatten();
    if declared.is_none_or(|declared| declared < schema_version) {
        connection.execute("DELETE FROM schema_version", [])?;
        connection.execute("INSERT INTO schema_version (version) VALUES (?)", [schema_version])?;
    }
    Ok(())
}

/// An imported database may be older: what it lacks is added, as the reference does when it opens a file.
fn add_missing_columns(
    connection: &Connection,
    table: &str,
    columns: &[(&str, &str)],
) -> rusqlite::Result<()> {
    let live = column_names(connection, table)?;
    for (name, kind) in columns {
        if !live.iter().any(|known| known == name) {
            connection.execute_batch(&format!("ALTER TABLE {table} ADD COLUMN {name} {kind}"))?;
        }
    }
    Ok(())
}

/// The names of a table's columns; empty if there is no such table.
pub(super) fn column_names(connection: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?)")?;
    statement.query_map([table], |row| row.get(0))?.collect()
}

fn write_rows(
    connection: &mut Connection,
    sessions: &[Session],
    messages: &[MessageRow],
    next_id: i64,
) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    // A title may have moved from one session to another: no two rows may hold it in between.
    transaction.execute("UPDATE sessions SET title = NULL", [])?;
    {
        let mut insert = transaction.prepare(&schema::upsert("sessions", SESSION_COLUMNS, |_| true))?;
        for session in sessions {
            write_session(&mut insert, &session.row)?;
        }
        // Of a message only its state ever changes; what an import could not read exactly stays as it was.
        let is_state = |name: &&str| matches!(*name, "active" | "compacted");
        let mut insert = transaction.prepare(&schema::upsert("messages", MESSAGE_COLUMNS, is_state))?;
        for message in messages {
            write_message(&mut insert, message, &sessions[message.session].row)?;
        }
    }
    // The reference must not give out a number again that an earlier row had. An imported table may not count.
    if !column_names(&transaction, "sqlite_sequence")?.is_empty() {
        let last = next_id.saturating_sub(1);
        transaction.execute("DELETE FROM sqlite_sequence WHERE name = 'messages'", [])?;
        transaction.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('messages', ?)", [last])?;
    }
    transaction.commit()
}

fn write_session(insert: &mut rusqlite::Statement<'_>, row: &SessionRow) -> rusqlite::Result<()> {
    insert.execute(params![
        row.id.as_str(),
        &*row.source,
        row.model.as_deref(),
        row.model_config.as_deref(),
        row.system_prompt.as_deref(),
        row.parent.as_deref(),
        row.started_at,
        row.ended_at,
        row.end_reason.as_deref(),
        row.message_count,
        row.tool_call_count,
        signed(row.tokens.input),
        signed(row.tokens.output),
        signed(row.tokens.cache_read),
        row.title.as_deref(),
        row.archived,
        row.rewind_count,
        row.cwd.as_deref(),
        row.git_branch.as_deref(),
        row.git_repo_root.as_deref(),
        row.profile_name.as_deref(),
    ])?;
    Ok(())
}

fn write_message(
    insert: &mut rusqlite::Statement<'_>,
    row: &MessageRow,
    session: &SessionRow,
) -> rusqlite::Result<()> {
    let message = &row.message;
    let none = RareColumns::default();
    let rare = message.rare.as_deref().unwrap_or(&none);
    insert.execute(params![
        row.id.0,
        session.id.as_str(),
        message.role.as_str(),
        message.content.as_deref(),
        message.tool_call_id.as_deref(),
        message.calls.to_json().as_deref(),
        message.tool_name.as_deref(),
        row.timestamp(),
        rare.token_count,
        rare.finish_reason.as_deref(),
        rare.reasoning.as_deref(),
        rare.reasoning_content.as_deref(),
        rare.reasoning_details.as_deref(),
        rare.platform_message_id.as_deref(),
        rare.observed,
        row.state == RowState::Live,
        row.state == RowState::Archived,
        rare.api_content.as_deref(),
    ])?;
    Ok(())
}

/// SQLite's integers are signed.
fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
