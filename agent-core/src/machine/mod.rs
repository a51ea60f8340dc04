//! The machine: an [`Agent`] takes events with their time and answers with wishes.
//!
//! Two machines, as an endpoint and its connections. A `Conversation` is the loop of one turn: pure, it knows no home,
//! no store and no other conversation. The [`Agent`] is one user's: it owns the counters, the memory store, sessions,
//! reviews and the curator, runs the home's tools and persists. Callers talk to the [`Agent`] only.
//!
//! # Laws
//!
//! * [`Agent::handle`] never fails and never waits.
//! * Every [`Wish::CallModel`] and [`Wish::RunTool`] gets exactly one `…Done`, also after it was aborted or stopped; a
//!   late one for an ended conversation is noted and dropped.
//! * A review never changes the transcript of the session that caused it. (One fault of older versions does, and only
//!   that one: `faults.review_instruction_stored`.)
//! * What differs between a session, a review, a delegate and the curator's pass is their charter.

mod agent;
mod cache;
mod charter;
mod child_report;
mod children;
mod commands;
mod compress;
mod compression;
mod conversation;
mod counters;
mod curate;
mod defer;
mod delegate;
mod dispatch;
mod drive;
mod ending;
mod event;
mod failure;
mod fork;
mod guardrail;
mod home;
mod library;
mod names;
mod once;
mod plan;
mod pressure;
mod profiles;
mod prompting;
mod reply;
mod request;
mod review;
mod round;
mod session;
mod storing;
mod summary;
mod turn;
mod verdict;
mod watch;

pub use agent::{Agent, PlanError};
pub use charter::ToolHook;
pub use event::{CallerIdle, Command, Event, Wish};
pub use plan::{AgentPlan, Approvals, ServerPlan};
pub use request::{ModelFault, ModelOutcome, ModelRequest, ToolAnswer, ToolOutcome, TurnEnd};
