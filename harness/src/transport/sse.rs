//! Server-sent events, decoded from chunks cut anywhere.
//!
//! Only what a model's stream needs: the data of each event, in order. It knows nothing of JSON or of what the data
//! means. Line ends may be LF, CR or CRLF, also cut between the two characters; comments and other fields are
//! skipped; several `data` lines of one event are joined by a line break. Invariant: the events found do not depend
//! on where the chunks are cut.

/// No event of a model is longer than this; a longer one is an attack or a bug.
const EVENT_BYTES_MAX: usize = 16 << 20;

/// A decoder of one stream.
#[derive(Debug, Default)]
pub(crate) struct SseDecoder {
    line: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    after_cr: bool,
    started: bool,
}

/// The stream cannot be read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SseError {
    /// One event is longer than the limit.
    #[error("one event of the stream is longer than {EVENT_BYTES_MAX} bytes")]
    TooLong,
    /// An event's bytes are not UTF-8.
    #[error("the stream is not UTF-8 text")]
    NotUtf8,
}

impl SseDecoder {
    /// Takes the next chunk and adds the data of every event that it completes.
    pub(crate) fn push(&mut self, chunk: &[u8], events: &mut Vec<String>) -> Result<(), SseError> {
        for &byte in chunk {
            let ended = match byte {
                b'\n' if self.after_cr => None,
                b'\n' | b'\r' => Some(()),
                _ => {
                    self.line.push(byte);
                    None
                }
            };
            self.after_cr = byte == b'\r';
            if ended.is_some() {
                self.end_line(events)?;
            }
            if self.line.len() + self.data.len() > EVENT_BYTES_MAX {
                return Err(SseError::TooLong);
            }
        }
        Ok(())
    }

    fn end_line(&mut self, events: &mut Vec<String>) -> Result<(), SseError> {
        let mut line = std::mem::take(&mut self.line);
        if !std::mem::replace(&mut self.started, true) && line.starts_with(b"\xEF\xBB\xBF") {
            line.drain(..3);
        }
        if line.is_empty() {
            if std::mem::take(&mut self.has_data) {
                let data = std::mem::take(&mut self.data);
                events.push(String::from_utf8(data).map_err(|_| SseError::NotUtf8)?);
            }
        } else if let Some(value) = field(&line, b"data") {
            if std::mem::replace(&mut self.has_data, true) {
                self.data.push(b'\n');
            }
            self.data.extend_from_slice(value);
        }
        line.clear();
        self.line = line;
        Ok(())
    }
}

/// The value of a line if it has this field: what follows the colon, less one blank.
fn field<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let rest = line.strip_prefix(name)?;
    match rest.split_first() {
        None => Some(rest),
        Some((b':', value)) => Some(value.strip_prefix(b" ").unwrap_or(value)),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decode(chunks: &[&[u8]]) -> Vec<String> {
        let mut decoder = SseDecoder::default();
        let mut events = Vec::new();
        for chunk in chunks {
            decoder.push(chunk, &mut events).unwrap();
        }
        events
    }

    #[test]
    fn events_end_at_a_blank_line_and_a_rest_is_no_event() {
        let stream = b"\xEF\xBB\xBFdata: one\n\n: comment\r\nevent: x\r\ndata:two\r\ndata:  three\r\r\ndata\n\ndata: cut";
        assert_eq!(decode(&[stream]), ["one", "two\n three", ""]);
    }

    #[test]
    fn bytes_that_are_no_text_are_named() {
        let mut decoder = SseDecoder::default();
        assert_eq!(decoder.push(b"data: \xFF\n\n", &mut Vec::new()), Err(SseError::NotUtf8));
    }

    proptest! {
        #[test]
        fn cuts_do_not_matter(
            lines in prop::collection::vec("(data: ?|data|: |event:)?[a-zé ]{0,6}(\n|\r|\r\n|\n\n|\r\n\r\n|\r\r)", 0..12),
            cuts in prop::collection::vec(0_usize..200, 0..12),
        ) {
            let stream = lines.concat().into_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(stream.len())).collect();
            cuts.push(stream.len());
            cuts.sort_unstable();
            let mut from = 0;
            let chunks: Vec<&[u8]> = cuts.iter().map(|&to| &stream[std::mem::replace(&mut from, to)..to]).collect();
            prop_assert_eq!(decode(&chunks), decode(&[&stream]));
        }
    }
}
