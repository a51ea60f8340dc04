//! The server and the binary, driven from outside.

#![expect(clippy::unwrap_used, reason = "a test may panic, and its helpers are part of it")]

#[path = "mock/binary.rs"]
mod binary;
#[path = "mock/client.rs"]
mod client;
#[path = "mock/example.rs"]
mod example;
#[path = "mock/server.rs"]
mod server;
