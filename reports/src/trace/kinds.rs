//! The kinds of a trace by name, and the long texts that each carries.

use super::event::Kind;

impl Kind {
    /// The names of all kinds that this build knows, sorted.
    pub const NAMES: &'static [&'static str] = &[
        "cell_end",
        "cell_start",
        "change",
        "compression",
        "curator_idle",
        "curator_run",
        "day",
        "delegate",
        "hazard",
        "interrupt",
        "lesson",
        "load",
        "message",
        "miss",
        "model_answer",
        "model_call",
        "notice",
        "nudge",
        "retry",
        "review_end",
        "review_start",
        "session_end",
        "session_start",
        "skill",
        "steer",
        "tool_answer",
        "tool_call",
        "turn_end",
        "turn_start",
        "unanswered",
        "visible",
        "write",
    ];

    /// The kind's name, as the line has it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::CellStart { .. } => "cell_start",
            Self::CellEnd { .. } => "cell_end",
            Self::SessionStart { .. } => "session_start",
            Self::SessionEnd { .. } => "session_end",
            Self::TurnStart { .. } => "turn_start",
            Self::Message { .. } => "message",
            Self::Steer { .. } => "steer",
            Self::Interrupt => "interrupt",
            Self::TurnEnd { .. } => "turn_end",
            Self::ModelCall { .. } => "model_call",
            Self::ModelAnswer { .. } => "model_answer",
            Self::Retry { .. } => "retry",
            Self::ToolCall { .. } => "tool_call",
            Self::ToolAnswer { .. } => "tool_answer",
            Self::Nudge { .. } => "nudge",
            Self::ReviewStart { .. } => "review_start",
            Self::ReviewEnd { .. } => "review_end",
            Self::Write { .. } => "write",
            Self::Visible { .. } => "visible",
            Self::Load { .. } => "load",
            Self::Skill { .. } => "skill",
            Self::Hazard { .. } => "hazard",
            Self::Lesson { .. } => "lesson",
            Self::Compression { .. } => "compression",
            Self::Delegate { .. } => "delegate",
            Self::CuratorRun { .. } => "curator_run",
            Self::CuratorIdle { .. } => "curator_idle",
            Self::Day { .. } => "day",
            Self::Change { .. } => "change",
            Self::Notice { .. } => "notice",
            Self::Unanswered { .. } => "unanswered",
            Self::Miss { .. } => "miss",
        }
    }

    /// Shows the visitor every text (or JSON of a value) that is too long to stand in the event itself.
    pub(super) fn visit_long_texts(&self, visit: &mut dyn FnMut(&str)) {
        match self {
            Self::SessionStart { prompt, parts, skills, .. } => {
                prompt.visit_long(visit);
                parts.visit_long(visit);
                skills.visit_long(visit);
            }
            Self::CellEnd { reason: text, .. }
            | Self::TurnStart { text, .. }
            | Self::Message { text, .. }
            | Self::Steer { text }
            | Self::Notice { text }
            | Self::ToolAnswer { text, .. }
            | Self::ReviewEnd { summary: text, .. }
            | Self::Visible { target: text, .. }
            | Self::TurnEnd { answer: Some(text), .. }
            | Self::Lesson { target: Some(text), .. } => text.visit_long(visit),
            Self::ToolCall { args: value, .. }
            | Self::Unanswered { args: value, .. }
            | Self::CuratorRun { report: value, .. }
            | Self::Change { value, .. } => value.visit_long(visit),
            Self::Write { target, before, after, .. } => {
                target.visit_long(visit);
                before.visit_long(visit);
                after.visit_long(visit);
            }
            Self::Miss { message, nearest } => {
                message.visit_long(visit);
                nearest.visit_long(visit);
            }
            Self::CellStart { .. }
            | Self::SessionEnd { .. }
            | Self::Interrupt
            | Self::TurnEnd { answer: None, .. }
            | Self::ModelCall { .. }
            | Self::ModelAnswer { .. }
            | Self::Retry { .. }
            | Self::Nudge { .. }
            | Self::ReviewStart { .. }
            | Self::Load { .. }
            | Self::Skill { .. }
            | Self::Hazard { .. }
            | Self::Lesson { target: None, .. }
            | Self::Compression { .. }
            | Self::Delegate { .. }
            | Self::CuratorIdle { .. }
            | Self::Day { .. } => {}
        }
    }
}
