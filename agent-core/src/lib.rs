//! The agent under test: a deterministic library without a clock, entropy, environment, network or threads.
//!
//! An [`machine::Agent`] is handed events with their time and answers with wishes. The caller (a simulation,
//! a test) owns the homes, performs the wishes and hands their outcomes back as events.
//!
//! # Invariants
//!
//! * **Sans-IO.** No socket, no process, no wall clock, no environment, no thread. The only module that touches
//!   the host is [`stores::disk`], a home on disk behind the same [`stores::Files`] interface as the one in memory.
//! * **Deterministic.** The same events in the same order give the same wishes and the same bytes in the home.
//!   No unordered map, no random source but [`values::Draws`], a keyed hash.
//! * **Content never makes it fail.** What a model, a user or a file says wrongly becomes an answer to the model
//!   or a note; nothing here panics on content.
//! * **Three rings.** [`values`] and [`text`] ← rules (`memory`, `skills`, `pending`, `patch`, `guard`, `defence`,
//!   `prompt`, `curator`, `workspace`, over a resolved [`behaviour::Behaviour`]) ← [`machine`] and [`stores`]. The
//!   inner never names the outer, except that rules work on the [`stores::Files`] trait.
//! * **One table of versions.** Only [`behaviour`] knows which version does what; the rest reads typed rules.

pub mod behaviour;
pub mod curator;
pub mod defence;
pub mod guard;
pub mod machine;
pub mod memory;
pub mod patch;
pub mod pending;
pub mod prompt;
pub mod sessions;
pub mod skills;
pub mod stores;
pub mod text;
pub mod values;
pub mod workspace;
