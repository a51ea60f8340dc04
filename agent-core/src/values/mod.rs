//! Values: units, instants, identifiers, draws, messages and notes. They know nothing of rules, homes or machines.

mod draws;
mod ids;
mod message;
mod note;
mod origin;
mod stamp;
mod tool;
mod units;

pub use draws::{Draws, Seed};
pub use ids::{CallId, ConversationId, ReviewId, RunId, SessionName, TimerId};
pub use message::{AssistantText, Finish, Message, Reply, Role, Synthetic, ToolCall, Transcript, Usage};
pub use note::{
    AgentObject, Counters, CuratorCause, Fact, LoadRoute, ModelEnd, Note, NudgeEvent, NudgeKind, Place,
    ReviewCause, ReviewEnd, SkillEvent, Store, ToolEnd, WriteEnd,
};
pub use origin::WriteOrigin;
pub use stamp::Stamp;
pub use tool::{HomeAnswer, Parallel, ToolList, ToolOwner, ToolSpec};
pub use units::{Chars, SimDuration, SimTime, Tokens};
