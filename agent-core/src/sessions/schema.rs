//! The layout of `state.db` as far as sessions, messages and search need it (`spec/sessions.md` §1).
//!
//! Names of tables, columns, indexes and triggers are those of the reference, which creates whatever is missing when
//! it opens a file and must not create a second trigger beside ours. Columns of other concerns are left to it.

/// The columns of `sessions` after the key, in order, with what their declaration says.
pub(super) const SESSION_COLUMNS: &[(&str, &str)] = &[
    ("source", "TEXT NOT NULL"),
    ("model", "TEXT"),
    ("model_config", "TEXT"),
    ("system_prompt", "TEXT"),
    ("parent_session_id", "TEXT REFERENCES sessions(id)"),
    ("started_at", "REAL NOT NULL"),
    ("ended_at", "REAL"),
    ("end_reason", "TEXT"),
    ("message_count", "INTEGER DEFAULT 0"),
    ("tool_call_count", "INTEGER DEFAULT 0"),
    ("input_tokens", "INTEGER DEFAULT 0"),
    ("output_tokens", "INTEGER DEFAULT 0"),
    ("cache_read_tokens", "INTEGER DEFAULT 0"),
    ("title", "TEXT"),
    ("archived", "INTEGER NOT NULL DEFAULT 0"),
    ("rewind_count", "INTEGER NOT NULL DEFAULT 0"),
    ("cwd", "TEXT"),
    ("git_branch", "TEXT"),
    ("git_repo_root", "TEXT"),
    ("profile_name", "TEXT"),
];

/// The columns of `messages` after the key.
pub(super) const MESSAGE_COLUMNS: &[(&str, &str)] = &[
    ("session_id", "TEXT NOT NULL REFERENCES sessions(id)"),
    ("role", "TEXT NOT NULL"),
    ("content", "TEXT"),
    ("tool_call_id", "TEXT"),
    ("tool_calls", "TEXT"),
    ("tool_name", "TEXT"),
    ("timestamp", "REAL NOT NULL"),
    ("token_count", "INTEGER"),
    ("finish_reason", "TEXT"),
    ("reasoning", "TEXT"),
    ("reasoning_content", "TEXT"),
    ("reasoning_details", "TEXT"),
    ("platform_message_id", "TEXT"),
    ("observed", "INTEGER DEFAULT 0"),
    ("active", "INTEGER NOT NULL DEFAULT 1"),
    ("compacted", "INTEGER NOT NULL DEFAULT 0"),
    ("api_content", "TEXT"),
];

/// What is created beside the tables' own declarations, before rows are written.
pub(super) const VERSION_TABLE: &str =
    "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL);";

/// Indexes, made after the rows were written.
pub(super) const INDEXES: &str = "
CREATE UNIQUE INDEX IF NOT EXISTS idx_sessions_title_unique ON sessions (title) WHERE title IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_sessions_parent ON sessions (parent_session_id);
CREATE INDEX IF NOT EXISTS idx_messages_session ON messages (session_id, timestamp);
";

/// One of the two full-text tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FullText {
    /// Words, without regard to case and diacritics.
    Main,
    /// Sequences of three characters.
    Trigram,
}

impl FullText {
    pub(super) const ALL: [Self; 2] = [Self::Main, Self::Trigram];

    /// The table's name.
    pub(super) const fn table(self) -> &'static str {
        match self {
            Self::Main => "messages_fts",
            Self::Trigram => "messages_fts_trigram",
        }
    }

    /// The name of the passing table in which snippets are made; it is not part of the file.
    pub(super) const fn scratch(self) -> &'static str {
        match self {
            Self::Main => "scratch_main",
            Self::Trigram => "scratch_trigram",
        }
    }

    /// The statement that creates the table.
    pub(super) fn create(self) -> String {
        format!("CREATE VIRTUAL TABLE IF NOT EXISTS {} USING {}", self.table(), self.module())
    }

    /// The statement that creates the passing table.
    pub(super) fn create_scratch(self) -> String {
        format!("CREATE VIRTUAL TABLE IF NOT EXISTS temp.{} USING {}", self.scratch(), self.module())
    }

    const fn module(self) -> &'static str {
        match self {
            Self::Main => "fts5(content)",
            Self::Trigram => "fts5(content, tokenize = 'trigram')",
        }
    }

    /// The statements that create the three triggers which keep the table.
    pub(super) fn triggers(self) -> String {
        let table = self.table();
        let text = "ifnull(new.content, '') || ' ' || ifnull(new.tool_name, '') || ' ' || ifnull(new.tool_calls, '')";
        let remove = format!("DELETE FROM {table} WHERE rowid = old.id;");
        let add = format!("INSERT INTO {table} (rowid, content) VALUES (new.id, {text});");
        format!(
            "CREATE TRIGGER IF NOT EXISTS {table}_insert AFTER INSERT ON messages BEGIN {add} END;
             CREATE TRIGGER IF NOT EXISTS {table}_delete AFTER DELETE ON messages BEGIN {remove} END;
             CREATE TRIGGER IF NOT EXISTS {table}_update AFTER UPDATE ON messages BEGIN {remove} {add} END;"
        )
    }
}

/// `CREATE TABLE` for one of the two tables of rows.
pub(super) fn create_table(name: &str, key: &str, columns: &[(&str, &str)]) -> String {
    let columns: Vec<String> = columns.iter().map(|(name, kind)| format!("{name} {kind}")).collect();
    format!("CREATE TABLE IF NOT EXISTS {name} (id {key}, {})", columns.join(", "))
}

/// `INSERT` of a whole row; of a row that is there these columns are overwritten.
pub(super) fn upsert<'a>(
    name: &str,
    columns: &[(&'a str, &str)],
    overwritten: impl Fn(&&'a str) -> bool,
) -> String {
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let marks = vec!["?"; names.len() + 1].join(", ");
    let updates: Vec<String> = names
        .iter()
        .filter(|name| overwritten(name))
        .map(|name| format!("{name} = excluded.{name}"))
        .collect();
    format!(
        "INSERT INTO {name} (id, {}) VALUES ({marks}) ON CONFLICT (id) DO UPDATE SET {}",
        names.join(", "),
        updates.join(", ")
    )
}
