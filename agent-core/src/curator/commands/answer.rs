//! What a command answers.

use crate::values::{Fact, SkillEvent};

/// What a command answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CommandAnswer {
    /// The exit code: 0 done, 1 refused or failed, 2 wrongly asked.
    pub exit: u8,
    /// The kind of the reason, where it was refused or failed.
    pub kind: Option<&'static str>,
    /// In words.
    pub text: String,
    /// What happened.
    pub facts: Vec<Fact>,
}

impl CommandAnswer {
    pub(super) fn done(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    pub(super) fn refused(kind: &'static str, text: impl Into<String>) -> Self {
        Self { exit: 1, kind: Some(kind), text: text.into(), facts: Vec::new() }
    }

    pub(super) fn unknown(command: &str) -> Self {
        let text = format!("this version has no command `curator {command}`");
        Self { exit: 2, kind: Some("unknown-command"), text, facts: Vec::new() }
    }

    pub(super) fn with(mut self, name: &str, event: SkillEvent) -> Self {
        self.facts.push(Fact::Skill { name: name.into(), event, cause: "user".into() });
        self
    }
}
