//! What a store can refuse.

use super::ids::{MessageId, SessionId};

/// Why the store did not do what was asked. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// A title of more than 100 characters after cleaning.
    #[error("the title has {chars} characters, at most {max} are taken")]
    TitleTooLong {
        /// Its length.
        chars: usize,
        /// The limit.
        max: usize,
    },
    /// Another session has the title.
    #[error("the title `{title}` belongs to the session {holder}")]
    TitleInUse {
        /// The title.
        title: String,
        /// Who has it.
        holder: SessionId,
    },
    /// No session of this id.
    #[error("there is no session {id}")]
    UnknownSession {
        /// The id.
        id: SessionId,
    },
    /// The session has no message of this number.
    #[error("the session {session} has no message {message}")]
    UnknownMessage {
        /// The session.
        session: SessionId,
        /// The number.
        message: MessageId,
    },
    /// A conversation can be rewound to a user's message only.
    #[error("message {message} is not the user's")]
    NotUserMessage {
        /// The number.
        message: MessageId,
    },
    /// The bytes are no readable database.
    #[error("the session database cannot be read: {why}")]
    Corrupt {
        /// What SQLite said.
        why: String,
    },
    /// A database without the tables of a session store.
    #[error("the database is no session store: it has no table `{missing}`")]
    NotASessionStore {
        /// The first missing table.
        missing: &'static str,
    },
    /// The store stands in for a database that could not be opened, which must not be overwritten.
    #[error("the session database is not available: {why}")]
    Unavailable {
        /// Why it could not be opened.
        why: String,
    },
    /// A database in the middle of a write: what stands in the file is half of it.
    #[error("another program is writing the session database, or was cut off while it did")]
    Locked,
    /// SQLite failed for another reason (out of memory, a value too large).
    #[error("the session database failed: {why}")]
    Engine {
        /// What SQLite said.
        why: String,
    },
}

impl StoreError {
    /// The error kind of the specs, where they name one.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::TitleTooLong { .. } => "title-too-long",
            Self::TitleInUse { .. } => "title-in-use",
            Self::UnknownSession { .. } => "session-not-found",
            Self::UnknownMessage { .. } => "message-not-found",
            Self::NotUserMessage { .. } => "not-a-user-message",
            Self::Corrupt { .. } => "db-corrupt",
            Self::NotASessionStore { .. } => "db-not-a-session-store",
            Self::Unavailable { .. } => "db-unavailable",
            Self::Locked => "db-locked",
            Self::Engine { .. } => "db-failed",
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        let why = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::CannotOpen) => {
                Self::Corrupt { why }
            }
            _ => Self::Engine { why },
        }
    }
}
