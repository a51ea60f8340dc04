//! Writes a trace as it happens: one JSON line an event, each long text once.

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde::Serialize;

use super::event::Event;
use super::text::digest;

/// The line that holds a long text, for the events after it to refer to. It carries the number and time of the
/// first event that needs it, so that a trace can be cut anywhere between two events and stays readable.
#[derive(Serialize)]
struct TextLine<'a> {
    n: u64,
    at_ms: i64,
    user: &'a str,
    kind: &'static str,
    digest: &'a str,
    text: &'a str,
}

/// A streaming writer. Its memory holds the digests of the long texts, nothing else.
pub struct TraceWriter<W> {
    out: W,
    written: BTreeSet<String>,
    hasher: blake3::Hasher,
    line: Vec<u8>,
}

impl<W: Write> TraceWriter<W> {
    /// A writer to this place. The caller buffers.
    pub fn new(out: W) -> Self {
        Self { out, written: BTreeSet::new(), hasher: blake3::Hasher::new(), line: Vec::new() }
    }

    /// Writes one event, and before it the long texts that were not written yet.
    ///
    /// # Errors
    /// Those of the underlying writer.
    pub fn write(&mut self, event: &Event) -> io::Result<()> {
        let mut outcome = Ok(());
        event.kind.visit_long_texts(&mut |text| {
            if outcome.is_ok() {
                outcome = self.write_text(event, text);
            }
        });
        outcome?;
        self.write_line(event)
    }

    /// The digest of all lines so far: 64 hexadecimal digits of BLAKE3.
    pub fn digest(&self) -> String {
        self.hasher.finalize().to_hex().to_string()
    }

    /// Flushes, and gives the place back.
    ///
    /// # Errors
    /// Those of the underlying writer.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }

    fn write_text(&mut self, event: &Event, text: &str) -> io::Result<()> {
        let digest = digest(text);
        if self.written.contains(&digest) {
            return Ok(());
        }
        let line = TextLine {
            n: event.n,
            at_ms: event.at_ms,
            user: &event.user,
            kind: super::TEXT_KIND,
            digest: &digest,
            text,
        };
        self.write_line(&line)?;
        self.written.insert(digest);
        Ok(())
    }

    fn write_line(&mut self, line: &impl Serialize) -> io::Result<()> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, line)?;
        self.line.push(b'\n');
        self.hasher.update(&self.line);
        self.out.write_all(&self.line)
    }
}
