//! Reading the bytes of a `state.db`.
//!
//! The file may be older or newer than what we write, and parts of it may be damaged: columns that are missing have
//! their default, values of an unexpected type are read as text, and a full-text table that does not hold what the
//! rows say is dropped and filled anew. Only a file whose rows cannot be read is refused, and it is never changed:
//! bytes come in, and nothing goes out.

use std::io::Read as _;
use std::sync::Arc;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, MAIN_DB, Row};

use super::error::StoreError;
use super::export::column_names;
use super::ids::{MessageId, SessionId};
use super::index::{self, Index};
use super::message::{MessageRole, RareColumns, RowState, StoredCalls, StoredMessage};
use super::schema::FullText;
use super::session::{SessionRow, SessionTokens};
use super::store::SessionStore;
use crate::stores::{Files, TreePath};
use crate::values::SimTime;

/// Length of SQLite's file header.
const HEADER: usize = 100;

/// Rows whose indexed text is compared, from each end.
const SAMPLE: usize = 16;

impl SessionStore {
    /// The store that these bytes hold. Rows of a write-ahead log beside the file are not among them: see
    /// [`SessionStore::open`].
    ///
    /// # Errors
    /// No database, damaged rows, or no session store.
    pub fn import(bytes: &[u8]) -> Result<Self, StoreError> {
        if bytes.is_empty() {
            return Ok(Self::new());
        }
        let connection = load(bytes)?;
        for table in ["sessions", "messages"] {
            if !is_plain_table(&connection, table)? {
                return Err(StoreError::NotASessionStore { missing: table });
            }
        }
        let mut store = Self::new();
        read_sessions(&connection, &mut store)?;
        read_messages(&connection, &mut store)?;
        let mut filled = [None; 2];
        for table in FullText::ALL {
            if is_good(&connection, table, &store).unwrap_or(false) {
                filled[table as usize] = Some(store.messages.len());
            } else if connection.execute_batch(&format!("DROP TABLE IF EXISTS {}", table.table())).is_err() {
                // Too damaged even for that, but the rows were read: they get a database of their own.
                return Ok(store);
            }
        }
        store.index = Index::over(connection, filled);
        Ok(store)
    }
}

/// Whether a table of this name holds rows itself; a view could compute forever.
fn is_plain_table(connection: &Connection, name: &str) -> rusqlite::Result<bool> {
    let sql = "SELECT count(*) FROM sqlite_master WHERE name = ? AND type = 'table' AND lower(sql) NOT LIKE 'create virtual%'";
    let tables: i64 = connection.query_row(sql, [name], |row| row.get(0))?;
    Ok(tables == 1)
}

/// A database in memory with these bytes. A header that asks for a write-ahead log is changed: memory has none.
fn load(bytes: &[u8]) -> Result<Connection, StoreError> {
    if bytes.len() < HEADER {
        return Err(StoreError::Corrupt { why: format!("{} bytes are no database", bytes.len()) });
    }
    let (header, body) = bytes.split_at(HEADER);
    let mut header = header.to_vec();
    if header[18..20] == [2, 2] {
        header[18..20].copy_from_slice(&[1, 1]);
    }
    let mut connection = Connection::open_in_memory()?;
    connection.deserialize_read_exact(MAIN_DB, header.chain(body), bytes.len(), false)?;
    index::prepare(&connection)?;
    Ok(connection)
}

/// The columns of a row by name; what is missing or of another type has a default.
struct Columns<'a, 'b> {
    row: &'a Row<'b>,
}

impl Columns<'_, '_> {
    fn value(&self, name: &str) -> ValueRef<'_> {
        self.row.get_ref(name).unwrap_or(ValueRef::Null)
    }

    fn text(&self, name: &str) -> Option<Arc<str>> {
        match self.value(name) {
            ValueRef::Null => None,
            ValueRef::Integer(number) => Some(number.to_string().into()),
            ValueRef::Real(number) => Some(number.to_string().into()),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes).into()),
        }
    }

    fn float(&self, name: &str) -> Option<f64> {
        match self.value(name) {
            ValueRef::Integer(number) => Some(number as f64),
            ValueRef::Real(number) => Some(number),
            ValueRef::Text(bytes) => std::str::from_utf8(bytes).ok()?.trim().parse().ok(),
            ValueRef::Null | ValueRef::Blob(_) => None,
        }
        .filter(|number| number.is_finite())
    }

    fn int(&self, name: &str) -> Option<i64> {
        match self.value(name) {
            ValueRef::Integer(number) => Some(number),
            #[expect(clippy::cast_possible_truncation, reason = "`as` saturates, as is wanted")]
            ValueRef::Real(number) => Some(number as i64),
            ValueRef::Text(bytes) => std::str::from_utf8(bytes).ok()?.trim().parse().ok(),
            ValueRef::Null | ValueRef::Blob(_) => None,
        }
    }

    fn count(&self, name: &str) -> u32 {
        self.int(name).and_then(|number| u32::try_from(number).ok()).unwrap_or(0)
    }

    fn tokens(&self, name: &str) -> u64 {
        self.int(name).and_then(|number| u64::try_from(number).ok()).unwrap_or(0)
    }
}

fn read_sessions(connection: &Connection, store: &mut SessionStore) -> Result<(), StoreError> {
    let mut statement = connection.prepare("SELECT * FROM sessions ORDER BY rowid")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let mut session = session_of(&Columns { row });
        if session.title.as_ref().is_some_and(|title| store.titles.contains_key(title)) {
            session.title = None;
        }
        if store.place(&session.id).is_none() {
            store.insert_session(session);
        }
    }
    Ok(())
}

fn session_of(columns: &Columns<'_, '_>) -> SessionRow {
    let text = |name| columns.text(name);
    let unknown = || Arc::from("unknown");
    SessionRow {
        source: text("source").unwrap_or_else(unknown),
        model: text("model"),
        model_config: text("model_config"),
        system_prompt: text("system_prompt"),
        parent: text("parent_session_id").map(SessionId::new),
        started_at: columns.float("started_at").unwrap_or(0.0),
        ended_at: columns.float("ended_at"),
        end_reason: text("end_reason"),
        message_count: columns.count("message_count"),
        tool_call_count: columns.count("tool_call_count"),
        title: text("title"),
        archived: columns.int("archived").is_some_and(|flag| flag != 0),
        rewind_count: columns.count("rewind_count"),
        cwd: text("cwd"),
        git_branch: text("git_branch"),
        git_repo_root: text("git_repo_root"),
        profile_name: text("profile_name"),
        tokens: SessionTokens {
            input: columns.tokens("input_tokens"),
            output: columns.tokens("output_tokens"),
            cache_read: columns.tokens("cache_read_tokens"),
        },
        ..SessionRow::new(SessionId::new(text("id").unwrap_or_else(unknown)), "", SimTime::from_millis(0))
    }
}

fn read_messages(connection: &Connection, store: &mut SessionStore) -> Result<(), StoreError> {
    let mut statement = connection.prepare("SELECT * FROM messages ORDER BY id")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let columns = Columns { row };
        let Some(id) = columns.int("id").filter(|&id| id < i64::MAX) else { continue };
        let owner = SessionId::new(columns.text("session_id").unwrap_or_else(|| Arc::from("unknown")));
        let place = store.place(&owner).unwrap_or_else(|| {
            // Nothing is lost: a message without its session brings one along.
            store.insert_session(SessionRow::new(owner, "unknown", SimTime::from_millis(0)))
        });
        store.push_row(place, MessageId(id), message_of(&columns), state_of(&columns), 0.0);
    }
    let last: Option<i64> = connection
        .query_row("SELECT max(seq) FROM sqlite_sequence WHERE name = 'messages'", [], |row| row.get(0))
        .unwrap_or(None);
    store.next_id = store.next_id.max(last.unwrap_or(0).saturating_add(1));
    Ok(())
}

fn message_of(columns: &Columns<'_, '_>) -> StoredMessage {
    let text = |name| columns.text(name);
    let rare = RareColumns {
        token_count: columns.int("token_count"),
        finish_reason: text("finish_reason"),
        reasoning: text("reasoning"),
        reasoning_content: text("reasoning_content"),
        reasoning_details: text("reasoning_details"),
        platform_message_id: text("platform_message_id"),
        observed: columns.int("observed").is_some_and(|flag| flag != 0),
        api_content: text("api_content"),
    };
    StoredMessage {
        role: MessageRole::new(text("role").as_deref().unwrap_or("")),
        content: text("content"),
        tool_call_id: text("tool_call_id"),
        calls: text("tool_calls").map_or(StoredCalls::None, StoredCalls::Json),
        tool_name: text("tool_name"),
        timestamp: columns.float("timestamp"),
        rare: (rare != RareColumns::default()).then(|| Box::new(rare)),
    }
}

/// A row without the columns, or with nothing in them, is live.
fn state_of(columns: &Columns<'_, '_>) -> RowState {
    let set = |name, default| columns.int(name).map_or(default, |flag| flag != 0);
    match (set("active", true), set("compacted", false)) {
        (true, _) => RowState::Live,
        (false, true) => RowState::Archived,
        (false, false) => RowState::Rewound,
    }
}

/// Whether a full-text table holds what we would put into it: one column, as many rows, the same text at both ends.
fn is_good(connection: &Connection, table: FullText, store: &SessionStore) -> rusqlite::Result<bool> {
    let name = table.table();
    if column_names(connection, name)? != ["content"] {
        return Ok(false);
    }
    let sql: String =
        connection
            .query_row("SELECT lower(sql) FROM sqlite_master WHERE name = ?", [name], |row| row.get(0))?;
    if sql.contains("trigram'") != (table == FullText::Trigram) {
        return Ok(false);
    }
    let rows: i64 =
        connection.query_row(&format!("SELECT count(*) FROM {name}_docsize"), [], |row| row.get(0))?;
    if usize::try_from(rows) != Ok(store.messages.len()) {
        return Ok(false);
    }
    let mut statement = connection.prepare(&format!("SELECT content FROM {name} WHERE rowid = ?"))?;
    let count = store.messages.len();
    let sample = (0..count).filter(|&place| place < SAMPLE || place + SAMPLE >= count);
    for row in sample.map(|place| &store.messages[place]) {
        let indexed: String = statement.query_row([row.id.0], |row| row.get(0))?;
        if indexed != row.message.indexed_text() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The store of another profile, opened read-only: it can be searched and read.
#[derive(Debug)]
pub struct ReadOnlyStore(SessionStore);

impl ReadOnlyStore {
    /// The store that these bytes hold.
    ///
    /// # Errors
    /// As [`SessionStore::import`].
    pub fn import(bytes: &[u8]) -> Result<Self, StoreError> {
        SessionStore::import(bytes).map(Self)
    }

    /// The store in the database at this path of a home.
    ///
    /// # Errors
    /// As [`SessionStore::open`].
    pub fn open(home: &dyn Files, path: &TreePath) -> Result<Self, StoreError> {
        SessionStore::open(home, path).map(Self)
    }

    /// The rows.
    pub fn store(&self) -> &SessionStore {
        &self.0
    }

    /// The rows, for a search that may fill the index.
    pub(super) fn inner(&mut self) -> &mut SessionStore {
        &mut self.0
    }
}
