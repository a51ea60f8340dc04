//! What an agent remembers of its library between calls.

use super::catalogue::Catalogue;
use super::library::Library;
use super::usage::{Sources, UsageBook};

/// When changed usage records reach the sidecar file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WriteBack {
    /// At the end of each tool call: for homes on disk, where others look at the file.
    #[default]
    Now,
    /// Only at [`LibraryState::flush`]: for homes in memory, where nobody reads the file between events. Until
    /// then the file in the home is older than the book; every reader of usage must ask the book.
    Later,
}

/// Usage book, catalogue and provenance lists, all of them caches that notice changes from outside.
#[derive(Clone, Debug, Default)]
pub struct LibraryState {
    /// Usage records.
    pub book: UsageBook,
    /// Where skills lie, by name.
    pub catalogue: Catalogue,
    /// Names of bundled and hub skills.
    pub sources: Sources,
    /// When changed records reach the file.
    pub write_back: WriteBack,
}

impl LibraryState {
    /// A state that knows nothing yet.
    pub fn new(write_back: WriteBack) -> Self {
        Self { write_back, ..Self::default() }
    }

    /// Writes changed usage records into the home, and keeps the catalogue valid over that write. A failure is
    /// swallowed and the records stay changed: telemetry never breaks a tool call (`spec/skill-usage.md` §1).
    pub fn flush(&mut self, library: &mut Library<'_>) {
        if !self.book.is_changed() {
            return;
        }
        let known = self.catalogue.is_current(library);
        self.book.flush(library);
        if known {
            self.catalogue.accept(library);
        }
    }

    /// [`Self::flush`] if records are written back at the end of each tool call.
    pub fn flush_if_due(&mut self, library: &mut Library<'_>) {
        if self.write_back == WriteBack::Now {
            self.flush(library);
        }
    }
}
