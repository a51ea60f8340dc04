//! A scripted, deterministic model behind an OpenAI-compatible HTTP server.
//!
//! A *script* says, role by role, how the model behaves: rules with conditions over what really stands before it, and steps
//! of calls and replies. The engine turns a request into an answer that depends on the request, the seed, the
//! conversation's key, simulated time and the attempt, and on nothing else. The same engine answers in process and over
//! HTTP.
//!
//! Modules, each building on the ones before it:
//!
//! - [`diagnose`]: mistakes in files and how they are shown; [`yaml`]: files as trees of nodes with places; [`decode`]: from
//!   nodes to meanings, all mistakes collected; [`expr`]: the expression language. The harness reads its own files with these.
//! - [`wire`]: the protocol's requests and answers; [`preset`]: how a family of clients is recognised; [`script`]: the file;
//!   [`view`]: a request as a turn of a conversation; [`engine`]: the answer; [`server`]: the same over HTTP.
//!
//! Invariants:
//!
//! - No wall clock, no entropy, no environment and no order of a hash reaches an answer. Times come with the request, draws
//!   are keyed hashes, ids are digests.
//! - Content never makes it panic: a bad file becomes diagnostics, a bad request an error with its reason, a request without
//!   an answer a [`engine::Miss`] that says which clause failed.
//! - The server keeps counts and a journal, and no conversation: positions travel in call ids.
//! - Nothing here knows the agent: what a client puts into its requests is data (`presets/`).

pub mod decode;
pub mod diagnose;
pub mod engine;
pub mod expr;
pub mod preset;
pub mod script;
pub mod server;
pub mod view;
pub mod wire;
pub mod yaml;
