//! Closed sets of words: enums whose members are written the same way in traces, records and tables.

/// Declares enums of words: serialised, parsed and printed by the given text, ordered as declared.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($(#[$member_doc:meta])* $member:ident = $text:literal),+ $(,)? })+) => {$(
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash,
            serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        pub enum $name {
            $($(#[$member_doc])* #[serde(rename = $text)] $member,)+
        }

        impl $name {
            /// All members, in order.
            pub const ALL: &'static [Self] = &[$(Self::$member),+];

            /// The word for it.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$member => $text,)+ }
            }

            /// The member of this word.
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($text => Some(Self::$member),)+ _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(self.as_str())
            }
        }
    )+};
}

words! {
    /// What a figure rests on, strongest first. A figure has the weakest evidence of its inputs, the largest here.
    Evidence {
        /// It follows from rules and records alone.
        Counted = "counted",
        /// It rests on a rate fitted to data, with n and an interval.
        Estimated = "estimated",
        /// It rests on a rate that a person typed.
        Assumed = "assumed",
    }

    /// What a model call serves.
    Role {
        /// The user's session.
        Main = "main",
        /// A background review.
        Review = "review",
        /// The curator's consolidation pass.
        Curator = "curator",
        /// A delegated child.
        Delegate = "delegate",
        /// The summary that replaces the middle of a long conversation.
        Compression = "compression",
        /// A session's title.
        Title = "title",
        /// The summary of a search result.
        Summary = "summary",
    }

    /// Whether a session began with a new agent object or on a kept one.
    AgentObject {
        /// As a command line starts one.
        Fresh = "fresh",
        /// As a gateway holds one.
        Kept = "kept",
    }

    /// How a model call ended.
    ModelOutcome {
        /// A whole reply.
        Reply = "reply",
        /// The stream broke off after some text.
        Cut = "cut",
        /// It was aborted.
        Aborted = "aborted",
        /// It failed.
        Failed = "failed",
        /// It arrived after its conversation had ended, and was dropped.
        Late = "late",
    }

    /// How a reply ended.
    Finish {
        /// The model was done.
        Stop = "stop",
        /// It asks for tools.
        ToolCalls = "tool_calls",
        /// The output limit cut it.
        Length = "length",
        /// The provider refused.
        ContentFilter = "content_filter",
    }

    /// Who caused a tool call or a write.
    Origin {
        /// A turn of the user's own session, or a command of the user.
        Foreground = "foreground",
        /// A background review.
        Review = "review",
        /// The curator's consolidation pass.
        Curator = "curator",
        /// A delegated child.
        Delegate = "delegate",
    }

    /// Which nudge.
    Nudge {
        /// Looks back for facts worth remembering.
        Memory = "memory",
        /// Looks back for methods worth writing down.
        Skill = "skill",
    }

    /// What became of a nudge.
    NudgeEvent {
        /// The counter reached its interval.
        Due = "due",
        /// It started a review.
        Fired = "fired",
        /// Its review waits in the defer queue.
        Deferred = "deferred",
        /// It will start nothing; a whole interval is needed again.
        Lost = "lost",
        /// It could not be used now and stays due.
        Kept = "kept",
    }

    /// How a review ended.
    ReviewOutcome {
        /// It said its last word.
        Done = "done",
        /// A new turn cancelled it.
        Cancelled = "cancelled",
        /// It was not started.
        Dropped = "dropped",
        /// The process ended while it ran or waited.
        LostAtExit = "lost_at_exit",
        /// A budget ended it.
        Budget = "budget",
        /// It failed.
        Failed = "failed",
    }

    /// Where a write goes.
    Store {
        /// The agent's notes.
        Memory = "memory",
        /// The user's profile.
        User = "user",
        /// The skill library.
        Skill = "skill",
    }

    /// What became of a write.
    WriteOutcome {
        /// It is in the store.
        Applied = "applied",
        /// It waits as a proposal.
        Staged = "staged",
        /// A guard refused it.
        Refused = "refused",
        /// It failed on its content or its target.
        Failed = "failed",
    }

    /// How a skill's text entered a conversation.
    Route {
        /// The model chose it from the index.
        Index = "index",
        /// The user named it.
        User = "user",
        /// A scheduled job loads it.
        Job = "job",
        /// A review read it.
        Review = "review",
        /// The curator read it.
        Curator = "curator",
    }

    /// A change in the life of a skill.
    SkillEvent {
        /// It was created.
        Created = "created",
        /// Its text or a file of it changed.
        Patched = "patched",
        /// Its state changed.
        State = "state",
        /// It was archived.
        Archived = "archived",
        /// It came back from the archive.
        Restored = "restored",
        /// It was removed for good.
        Deleted = "deleted",
        /// It was pinned.
        Pinned = "pinned",
        /// It was unpinned.
        Unpinned = "unpinned",
        /// It was handed to the curator.
        Adopted = "adopted",
        /// It was installed from elsewhere.
        Installed = "installed",
    }

    /// What started a curator run.
    CuratorCause {
        /// A poll found it due.
        Poll = "poll",
        /// A command.
        Manual = "manual",
    }

    /// How the work of a turn came out, as the scenario judges it.
    TurnOutcome {
        /// The task was done.
        Solved = "solved",
        /// It was done after the user corrected the agent.
        Corrected = "corrected",
        /// It was given up.
        Abandoned = "abandoned",
    }

    /// What an occurrence of a hazard did.
    HazardOutcome {
        /// The agent went around it.
        Avoided = "avoided",
        /// The agent ran into it.
        Hit = "hit",
    }

    /// Something that happened to a lesson.
    LessonEvent {
        /// The agent was taught it: by an error, or by the user.
        Met = "met",
        /// It came to lie where a later session can reach it.
        Learned = "learned",
        /// It is nowhere within reach any more.
        Lost = "lost",
    }

    /// What taught a lesson.
    Teacher {
        /// An error that a tool answered.
        Error = "error",
        /// A correction of the user.
        User = "user",
    }

    /// Where a lesson lies within reach.
    Place {
        /// In the agent's notes.
        Memory = "memory",
        /// In the user's profile.
        User = "user",
        /// In the text of a skill that is not archived.
        Skill = "skill",
        /// In a supporting file of such a skill.
        SupportFile = "support_file",
    }

    /// How the simulation of a cell ended.
    CellOutcome {
        /// It reached its end.
        Finished = "finished",
        /// It broke; its results are incomplete.
        Broken = "broken",
        /// It was stopped from outside.
        Stopped = "stopped",
    }
}

impl Default for Evidence {
    /// What rests on nothing typed or fitted is counted.
    fn default() -> Self {
        Self::Counted
    }
}

impl Default for AgentObject {
    /// A session that says nothing else is one that a command line started.
    fn default() -> Self {
        Self::Fresh
    }
}

impl TurnOutcome {
    /// Whether the task was done in the end.
    pub fn is_solved(self) -> bool {
        matches!(self, Self::Solved | Self::Corrected)
    }
}

impl Evidence {
    /// The weaker of the two.
    pub fn weakest(self, other: Self) -> Self {
        self.max(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_written_and_read_the_same_everywhere() {
        for &role in Role::ALL {
            assert_eq!(Role::parse(role.as_str()), Some(role));
            assert_eq!(serde_json::to_string(&role).unwrap(), format!("\"{role}\""));
        }
        assert_eq!(Evidence::Counted.weakest(Evidence::Assumed), Evidence::Assumed);
    }
}
