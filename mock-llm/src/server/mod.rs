//! The engine over HTTP: `POST …/v1/chat/completions` and `GET …/v1/models`, at `/v1` and at `/cells/<n>/v1`.
//!
//! A server lives on threads of its own and stops when its handle is dropped, so that callers need no async code. It holds
//! engines by cell and no conversation. Anything else is answered with 404 at once: a client that probes for other
//! products must not find one (`spec/wire.md`).
//!
//! A request with the header `x-mock-now` is simulated: nothing sleeps, a delay comes back as `x-mock-took-ms` (`never` for a
//! stall). Without it delays are slept and stalls hold the connection. A broken stream is really broken either way.

mod broken;
mod handle;
mod respond;
mod routes;

pub use handle::{Observer, Server, ServerHandle};

/// Names the conversation of a request: `user/session#turn[/review n]`, in UTF-8.
pub const HEADER_CONVERSATION: &str = "x-mock-conversation";
/// Simulated time of a request: milliseconds since the Unix epoch, or RFC 3339.
pub const HEADER_NOW: &str = "x-mock-now";
/// Of an answer to a simulated request: milliseconds that it takes beyond the usual, or `never`.
pub const HEADER_TOOK_MS: &str = "x-mock-took-ms";
/// Of an answer: the rule that gave it.
pub const HEADER_RULE: &str = "x-mock-rule";
/// Of an answer: the step of that rule.
pub const HEADER_STEP: &str = "x-mock-step";
/// Of an answer: the role that the request was taken to serve.
pub const HEADER_ROLE: &str = "x-mock-role";
