//! A scripted, deterministic model behind an OpenAI-compatible HTTP server.

pub mod decode;
pub mod diagnose;
pub mod expr;
pub mod yaml;
