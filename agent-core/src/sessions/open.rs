//! Opening the database of a home with what another program keeps beside it.
//!
//! A home may be in use: `state.db-wal` holds rows that the file lacks, and a `state.db-journal` says that the file is
//! half-written. Nothing is ever changed here.

use super::error::StoreError;
use super::store::SessionStore;
use super::wal::folded;
use crate::stores::{Files, TreePath, exists};

/// How a journal begins that has yet to be rolled back.
const HOT_JOURNAL: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

/// The ends of the names of the files that SQLite keeps beside a database.
pub const COMPANIONS: [&str; 3] = ["-wal", "-shm", "-journal"];

impl SessionStore {
    /// The store in the database at this path of a home; an empty one if there is none.
    ///
    /// # Errors
    /// The file cannot be read, another program is writing it or was cut off while it did, or as
    /// [`SessionStore::import`].
    pub fn open(home: &dyn Files, path: &TreePath) -> Result<Self, StoreError> {
        let beside = |end: &str| TreePath::parse(&format!("{path}{end}")).filter(|path| exists(home, path));
        let read = |path: &TreePath| {
            home.read(path).map_err(|error| StoreError::Unavailable { why: error.to_string() })
        };
        let [wal, _, journal] = COMPANIONS.map(beside);
        if !exists(home, path) {
            return Ok(Self::new());
        }
        if let Some(journal) = journal
            && read(&journal)?.starts_with(&HOT_JOURNAL)
        {
            return Err(StoreError::Locked);
        }
        let database = read(path)?;
        match wal {
            Some(wal) => Self::import(&folded(&database, &read(&wal)?)),
            None => Self::import(&database),
        }
    }
}
