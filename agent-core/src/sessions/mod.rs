//! Sessions: rows, lineage, titles and search (`spec/sessions.md`).

/// Sessions and messages of one home.
#[derive(Debug, Default)]
pub struct SessionStore {}
