//! The protocol: what a client of the chat completions protocol sends, and what it gets back (`spec/wire.md`).
//!
//! Own types for both ends, lenient on the way in (unknown fields, content as text, parts or null) and strict on the way
//! out (always a finish reason, unique ids that are never null). No network here: [`crate::server`] moves the bytes, and a
//! caller in the same process makes the requests without any JSON at all; both give the same digests and the same counts.

mod canonical;
mod parse;
mod reply;
mod request;
mod stream;

pub use canonical::canonical_json;
pub use parse::RequestError;
pub use reply::{Finish, Reply, ReplyCall, Usage};
pub use request::{Author, Call, ChatRequest, Digest, Message, Tools, tokens_of};
pub use stream::{DONE, StreamPlan, events};
