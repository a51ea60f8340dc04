//! Reads a trace line by line and puts the long texts back in place.
//!
//! Kinds and fields that this build does not know are skipped: within one version of the format changes only add.

use std::collections::BTreeMap;
use std::io::{self, BufRead};

use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

use super::event::{Event, Kind};
use super::text::{as_reference, digest};
use super::{SCHEMA_VERSION, TEXT_KIND};

/// Why a trace cannot be read, with the line, counted from 1.
#[derive(Debug, Error)]
pub enum TraceError {
    /// The file could not be read.
    #[error("line {line}: cannot be read")]
    Io {
        /// The line.
        line: u64,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The line is no JSON, or an event lacks a field or has one of another type.
    #[error("line {line} is not an event of a trace")]
    Event {
        /// The line.
        line: u64,
        /// Why, with the column.
        #[source]
        source: serde_json::Error,
    },
    /// The last line has no end: the writer was stopped in the middle.
    #[error("line {line}: cut off in the middle; the trace was not written to its end")]
    CutOff {
        /// The line.
        line: u64,
    },
    /// The first event is not `cell_start`.
    #[error("line {line}: a trace starts with `cell_start`, this one with `{found}`")]
    NoStart {
        /// The line.
        line: u64,
        /// The kind found.
        found: String,
    },
    /// The trace has another version of the format.
    #[error("line {line}: trace format {found}, but this build reads format {SCHEMA_VERSION}")]
    Version {
        /// The line.
        line: u64,
        /// The version found.
        found: u64,
    },
    /// An event refers to a text that no earlier line holds.
    #[error("line {line}: refers to the text {digest}, which no earlier line holds")]
    UnknownText {
        /// The line.
        line: u64,
        /// The text's digest.
        digest: String,
    },
    /// A text does not fit its digest: the file was changed.
    #[error("line {line}: the text does not fit its digest {digest}")]
    ChangedText {
        /// The line.
        line: u64,
        /// The digest.
        digest: String,
    },
}

/// An iterator over the events of a trace. After an error it ends.
pub struct TraceReader<R> {
    input: R,
    line: u64,
    buffer: Vec<u8>,
    texts: BTreeMap<String, String>,
    started: bool,
    ended: bool,
    unknown_kinds: BTreeMap<String, u64>,
}

/// What every line has: enough to know how to read the rest.
#[derive(Deserialize)]
struct Head {
    kind: String,
}

#[derive(Deserialize)]
struct TextLine {
    digest: String,
    text: String,
}

impl<R: BufRead> TraceReader<R> {
    /// A reader of this input.
    pub fn new(input: R) -> Self {
        Self {
            input,
            line: 0,
            buffer: Vec::new(),
            texts: BTreeMap::new(),
            started: false,
            ended: false,
            unknown_kinds: BTreeMap::new(),
        }
    }

    /// The number of the line read last, from 1; 0 before the first.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Kinds that this build does not know, with the number of lines skipped for each.
    pub fn unknown_kinds(&self) -> &BTreeMap<String, u64> {
        &self.unknown_kinds
    }

    fn read(&mut self) -> Result<Option<Event>, TraceError> {
        loop {
            self.buffer.clear();
            self.line += 1;
            let line = self.line;
            let read = self.input.read_until(b'\n', &mut self.buffer);
            match read.map_err(|source| TraceError::Io { line, source })? {
                0 => return Ok(None),
                _ if self.buffer.ends_with(b"\n") => {}
                _ => return Err(TraceError::CutOff { line }),
            }
            if let Some(event) = self.parse()? {
                return Ok(Some(event));
            }
        }
    }

    /// The event of the line at hand; none if it holds a text or a kind that is not known here.
    fn parse(&mut self) -> Result<Option<Event>, TraceError> {
        let line = self.line;
        let syntax = |source| TraceError::Event { line, source };
        let head: Head = serde_json::from_slice(&self.buffer).map_err(syntax)?;
        if head.kind == TEXT_KIND {
            return self.keep_text().map(|()| None);
        }
        self.check_start(&head)?;
        if Kind::NAMES.binary_search(&head.kind.as_str()).is_err() {
            *self.unknown_kinds.entry(head.kind).or_default() += 1;
            return Ok(None);
        }
        let event = if self.buffer.windows(3).any(|bytes| bytes == b"{\"$") {
            let whole: Value = serde_json::from_slice(&self.buffer).map_err(syntax)?;
            serde_json::from_value(self.resolve(whole)?).map_err(syntax)?
        } else {
            serde_json::from_slice(&self.buffer).map_err(syntax)?
        };
        Ok(Some(event))
    }

    fn keep_text(&mut self) -> Result<(), TraceError> {
        let line = self.line;
        let held: TextLine =
            serde_json::from_slice(&self.buffer).map_err(|source| TraceError::Event { line, source })?;
        if digest(&held.text) != held.digest {
            return Err(TraceError::ChangedText { line, digest: held.digest });
        }
        self.texts.insert(held.digest, held.text);
        Ok(())
    }

    fn check_start(&mut self, head: &Head) -> Result<(), TraceError> {
        #[derive(Deserialize)]
        struct Start {
            schema: u64,
        }
        if self.started {
            return Ok(());
        }
        let line = self.line;
        if head.kind != "cell_start" {
            return Err(TraceError::NoStart { line, found: head.kind.clone() });
        }
        let start: Start =
            serde_json::from_slice(&self.buffer).map_err(|source| TraceError::Event { line, source })?;
        if start.schema != u64::from(SCHEMA_VERSION) {
            return Err(TraceError::Version { line, found: start.schema });
        }
        self.started = true;
        Ok(())
    }

    /// Puts texts back for references. Only fields of the event itself hold references.
    fn resolve(&self, mut event: Value) -> Result<Value, TraceError> {
        let line = self.line;
        for value in event.as_object_mut().into_iter().flat_map(|fields| fields.values_mut()) {
            let Some((digest, structured)) = as_reference(value) else { continue };
            let Some(text) = self.texts.get(digest) else {
                return Err(TraceError::UnknownText { line, digest: digest.to_owned() });
            };
            *value = if structured {
                serde_json::from_str(text).map_err(|source| TraceError::Event { line, source })?
            } else {
                Value::String(text.clone())
            };
        }
        Ok(event)
    }
}

impl<R: BufRead> Iterator for TraceReader<R> {
    type Item = Result<Event, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = self.read().transpose();
        self.ended = !matches!(next, Some(Ok(_)));
        next
    }
}
