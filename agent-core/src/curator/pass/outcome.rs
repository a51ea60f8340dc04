//! What a conversation of role curator left.

use super::super::classify::RecordedCall;

/// What a conversation left; the default is that of a run without one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PassOutcome {
    /// Every call that the model asked for, refused ones included, with whole arguments.
    pub tool_calls: Vec<RecordedCall>,
    /// The last answer.
    pub final_text: String,
    /// Why the conversation failed, if it did.
    pub error: Option<String>,
    /// The model's name; empty if unknown.
    pub model: String,
    /// The provider's name; empty if unknown.
    pub provider: String,
}
