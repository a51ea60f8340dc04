//! Sessions: rows, lineage, titles and search (`spec/sessions.md`).
//!
//! A [`SessionStore`] keeps sessions and messages in memory; SQLite is filled when a search, an export or an import
//! asks for it. The tool `session_search` is [`call`], its two-step form [`begin`] and [`finish_search`].
//!
//! Deliberately not here: written files (bytes go out), clocks (times are arguments), locks and retries of the
//! reference's file handling, which memory does not need.
//!
//! # Invariants
//!
//! * Storing never tokenises, serialises or copies a text.
//! * What a search finds depends on the rows alone, not on when an index was filled or whether it was imported.
//! * Ids given out never change: an export holds the same ones, an import takes them over.

mod error;
mod export;
mod ids;
mod import;
mod index;
mod json;
mod lineage;
mod message;
mod open;
mod query;
mod schema;
mod search;
mod session;
mod snippet;
mod store;
mod substring;
mod titles;
mod tool;
mod wal;
mod when;
mod window;

#[cfg(test)]
mod tests;

pub use error::StoreError;
pub use ids::{MessageId, SessionId};
pub use import::ReadOnlyStore;
pub use message::{MessageRole, MessageRow, RareColumns, RowState, StoredCalls, StoredMessage};
pub use open::COMPANIONS;
pub use query::{QueryPlan, explain_query};
pub use search::{Hits, SearchFailed, SearchQuery, SearchRow, Sort};
pub use session::{SessionRow, SessionTokens};
pub use store::SessionStore;
pub use titles::clean_title;
pub use tool::{Caller, Group, SearchCall, SearchContext, SearchPlan, begin, call, finish_search, tool_spec};
