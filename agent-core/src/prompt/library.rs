//! The wording of every prompt: text files of the repository, each replaceable for a run.
//!
//! Where versions or faults differ in wording, a prompt is put together from sections once, when the library is made;
//! a replacement takes the place of the whole. Data (candidates, transcripts, allowed tools) and the fixed lines by
//! which roles are recognised are added by the builders, outside the text.

use std::sync::Arc;

use super::markers::marker_in;
use crate::behaviour::{ReviewStyle, Stance, TextRules};
use crate::text;

/// A text cannot be replaced.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PromptError {
    /// No prompt has this name.
    #[error("no prompt is named `{name}`")]
    UnknownName {
        /// What was asked for.
        name: String,
        /// A name that looks like it.
        nearest: Option<&'static str>,
    },
    /// The text holds a fixed line that the client itself writes, so roles could be mistaken.
    #[error("the text for `{name}` holds the fixed line `{marker}`, which the client adds itself")]
    HoldsMarker {
        /// Which prompt.
        name: &'static str,
        /// The line.
        marker: &'static str,
    },
    /// The text has no place for what it must carry.
    #[error(
        "the text for `{name}` lacks `{{{placeholder}}}`, in whose place the client puts what it has to say"
    )]
    MissingPlaceholder {
        /// Which prompt.
        name: &'static str,
        /// The word that must stand in braces.
        placeholder: &'static str,
    },
    /// Nothing is left of the text after trimming.
    #[error("the text for `{name}` is empty")]
    Empty {
        /// Which prompt.
        name: &'static str,
    },
}

macro_rules! prompts {
    ($($variant:ident $name:literal $about:literal;)*) => {
        /// The name of a prompt text, as `--prompt NAME=FILE` has it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum PromptName {
            $(#[doc = $about] $variant,)*
        }

        impl PromptName {
            /// All names.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The name.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What the text is for.
            pub const fn about(self) -> &'static str {
                match self { $(Self::$variant => $about,)* }
            }
        }
    };
}

prompts! {
    Identity "identity" "Who the agent is, where no `SOUL.md` says so.";
    Help "help" "Where questions about the agent itself are answered.";
    TaskCompletion "task_completion" "That a job is finished, not described.";
    Parallel "parallel" "That independent calls go together.";
    GuidanceMemory "guidance.memory" "What belongs into memory; goes with the tool `memory`.";
    GuidanceSearch "guidance.session_search" "When to look into past sessions; goes with the tool `session_search`.";
    GuidanceSkills "guidance.skills" "When to save and patch skills; goes with the tool `skill_manage`.";
    GuidanceBoard "guidance.board" "How to work on a card; goes with the tool `kanban_show`.";
    Steering "steering" "How a word of the user in mid-turn is marked: `{open}`, `{close}`.";
    ComputerUse "computer_use" "How to use a screen; goes with the tool `computer_use`.";
    Enforcement "enforcement" "That announced actions are made.";
    EnforcementGoogle "enforcement.google" "Habits for one family of models.";
    EnforcementOpenai "enforcement.openai" "Habits for another family of models.";
    ModelIdentity "model_identity" "Which model it is, where a provider needs that said: `{model}`.";
    Environment "environment" "The surroundings: `{os}`, `{home}`, `{cwd}`.";
    Posture "posture" "How to work in a code workspace.";
    ProfileDefault "profile.default" "The note on the default profile: `{home}`.";
    ProfileNamed "profile.named" "The note on a named profile: `{profile}`, `{home}`.";
    Platforms "platforms" "A section `## name` for each platform that has a hint.";
    ContextIntro "context.intro" "The line before the context files.";
    IndexIntro "index.intro" "The words before the list of skills.";
    IndexClosing "index.closing" "The sentence after the list.";
    IndexDemotion "index.demotion" "What `[names only]` means.";
    ReviewMemory "review.memory" "What a memory review is asked.";
    ReviewSkills "review.skills" "What a skill review is asked.";
    ReviewCombined "review.combined" "What a review of both is asked.";
    ReviewFocus "review.focus" "The paragraph of a review that the user asked for: `{focus}`.";
    ReviewTrailer "review.trailer" "Which tools a review may call: `{allowed}`.";
    Curator "curator" "The rules of the consolidation pass: `{archives_min}`.";
    CuratorBuiltins "curator.builtins" "The note where built-ins take part.";
    CuratorDryRun "curator.dry_run" "The banner of a preview.";
    Title "title" "How to name a session.";
    Compression "compression" "How to summarise the middle of a conversation: `{budget}`.";
    Compaction "compaction" "The preface of the summary that replaced it.";
    CompactionNote "compaction.note" "The note in the system prompt after that.";
    Todo "todo" "The line before the list of things to do that was kept.";
    Summary "summary" "How to summarise a search result.";
    Digest "digest" "The header of a digest for a routed review.";
    Delegate "delegate" "The system prompt of a delegated child.";
    DelegateOrchestrator "delegate.orchestrator" "The addition for a child that may delegate.";
    Closing "closing" "The request for a closing summary at the limit.";
    ClosingFallback "closing.fallback" "The words where that summary could not be made.";
    EmptyNudge "empty_nudge" "What is said after an empty reply.";
    EmptyPlaceholder "empty_placeholder" "The assistant's place before it.";
    EmptyExplanation "empty_explanation" "What the user reads where no answer came.";
    LengthContinuation "length_continuation" "What is said after a reply cut by its limit.";
    Halt "halt" "The closing words after a guardrail stopped the turn.";
    Apology "apology" "The closing words after an internal failure.";
    Interrupted "interrupted" "The closing words of a turn cut off in the middle of its tools.";
    ToolSkillManage "tool.skill_manage" "The description of the tool `skill_manage`.";
}

impl PromptName {
    /// The prompt of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|prompt| prompt.as_str() == name)
    }
}

/// The texts of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptLibrary {
    texts: Vec<Arc<str>>,
    replaced: Vec<PromptName>,
}

impl PromptLibrary {
    /// The texts of the repository, in the wording that these rules choose.
    pub fn new(rules: &TextRules) -> Self {
        let texts = PromptName::ALL.iter().map(|name| embedded(*name, rules).into()).collect();
        Self { texts, replaced: Vec::new() }
    }

    /// A text.
    pub fn get(&self, name: PromptName) -> &str {
        &self.texts[name as usize]
    }

    /// A text, shared.
    pub fn shared(&self, name: PromptName) -> Arc<str> {
        Arc::clone(&self.texts[name as usize])
    }

    /// Puts another text in place of one.
    ///
    /// # Errors
    /// No such name, an empty text, one that holds a fixed line of the client, or one without a needed placeholder.
    pub fn replace(&mut self, name: &str, text: &str) -> Result<(), PromptError> {
        let Some(prompt) = PromptName::parse(name) else {
            return Err(PromptError::UnknownName { name: name.to_owned(), nearest: nearest(name) });
        };
        let text = text::trim(text);
        if text.is_empty() {
            return Err(PromptError::Empty { name: prompt.as_str() });
        }
        if let Some(marker) = marker_in(text) {
            return Err(PromptError::HoldsMarker { name: prompt.as_str(), marker });
        }
        let lacks = |word: &&&'static str| !text.contains(&format!("{{{word}}}"));
        if let Some(placeholder) = needed(prompt).iter().find(lacks) {
            return Err(PromptError::MissingPlaceholder { name: prompt.as_str(), placeholder });
        }
        self.texts[prompt as usize] = text.into();
        self.replaced.push(prompt);
        self.replaced.sort_unstable();
        self.replaced.dedup();
        Ok(())
    }

    /// The names whose text was replaced, in order.
    pub fn replaced(&self) -> &[PromptName] {
        &self.replaced
    }
}

/// Placeholders without which a text would lose what it is there to say. All others may be left out.
const fn needed(prompt: PromptName) -> &'static [&'static str] {
    match prompt {
        PromptName::ReviewFocus => &["focus"],
        PromptName::ReviewTrailer => &["allowed"],
        PromptName::Steering => &["open", "close"],
        _ => &[],
    }
}

/// A name that shares its beginning or its last part with what was typed.
fn nearest(name: &str) -> Option<&'static str> {
    let common = |known: &str| known.chars().zip(name.chars()).take_while(|(one, two)| one == two).count();
    let last = name.rsplit('.').next().unwrap_or(name);
    let tail = PromptName::ALL.iter().map(|known| known.as_str()).find(|known| known.ends_with(last));
    tail.filter(|_| !last.is_empty()).or_else(|| {
        let best = PromptName::ALL.iter().map(|known| known.as_str()).max_by_key(|known| common(known));
        best.filter(|known| common(known) >= 3)
    })
}

macro_rules! file {
    ($name:literal) => {
        include_str!(concat!("../../prompts/", $name, ".md"))
    };
}

/// The text of the repository under a name, trimmed.
fn embedded(name: PromptName, rules: &TextRules) -> String {
    match name {
        PromptName::ReviewMemory => review_memory(rules),
        PromptName::ReviewSkills => review_skills(rules),
        PromptName::ReviewCombined => review_combined(rules),
        PromptName::Curator => curator(rules),
        _ => text::trim(single(name)).to_owned(),
    }
}

fn single(name: PromptName) -> &'static str {
    match name {
        PromptName::Identity => file!("identity"),
        PromptName::Help => file!("help"),
        PromptName::TaskCompletion => file!("task_completion"),
        PromptName::Parallel => file!("parallel"),
        PromptName::GuidanceMemory => file!("guidance.memory"),
        PromptName::GuidanceSearch => file!("guidance.session_search"),
        PromptName::GuidanceSkills => file!("guidance.skills"),
        PromptName::GuidanceBoard => file!("guidance.board"),
        PromptName::Steering => file!("steering"),
        PromptName::ComputerUse => file!("computer_use"),
        PromptName::Enforcement => file!("enforcement"),
        PromptName::EnforcementGoogle => file!("enforcement.google"),
        PromptName::EnforcementOpenai => file!("enforcement.openai"),
        PromptName::ModelIdentity => file!("model_identity"),
        PromptName::Environment => file!("environment"),
        PromptName::Posture => file!("posture"),
        PromptName::ProfileDefault => file!("profile.default"),
        PromptName::ProfileNamed => file!("profile.named"),
        PromptName::Platforms => file!("platforms"),
        PromptName::ContextIntro => file!("context.intro"),
        PromptName::IndexIntro => file!("index.intro"),
        PromptName::IndexClosing => file!("index.closing"),
        PromptName::IndexDemotion => file!("index.demotion"),
        PromptName::ReviewFocus => file!("review.focus"),
        PromptName::ReviewTrailer => file!("review.trailer"),
        PromptName::CuratorBuiltins => file!("curator.builtins"),
        PromptName::CuratorDryRun => file!("curator.dry_run"),
        PromptName::Title => file!("title"),
        PromptName::Compression => file!("compression"),
        PromptName::Compaction => file!("compaction"),
        PromptName::CompactionNote => file!("compaction.note"),
        PromptName::Todo => file!("todo"),
        PromptName::Summary => file!("session_summary"),
        PromptName::Digest => file!("digest"),
        PromptName::Delegate => file!("delegate"),
        PromptName::DelegateOrchestrator => file!("delegate.orchestrator"),
        PromptName::Closing => file!("closing"),
        PromptName::ClosingFallback => file!("closing.fallback"),
        PromptName::EmptyNudge => file!("empty_nudge"),
        PromptName::EmptyPlaceholder => file!("empty_placeholder"),
        PromptName::EmptyExplanation => file!("empty_explanation"),
        PromptName::LengthContinuation => file!("length_continuation"),
        PromptName::Halt => file!("halt"),
        PromptName::Apology => file!("apology"),
        PromptName::Interrupted => file!("interrupted"),
        PromptName::ToolSkillManage => file!("tools/skill_manage"),
        PromptName::ReviewMemory
        | PromptName::ReviewSkills
        | PromptName::ReviewCombined
        | PromptName::Curator => unreachable!("put together from sections"),
    }
}

/// Sections, each trimmed, those whose condition fails left out. A bullet after a bullet continues the list.
fn sections(parts: &[(bool, &str)]) -> String {
    let mut joined = String::new();
    for part in parts.iter().filter(|(wanted, _)| *wanted).map(|(_, part)| text::trim(part)) {
        let in_list = joined.lines().next_back().is_some_and(|line| line.starts_with("- "));
        if !joined.is_empty() {
            joined.push_str(if in_list && part.starts_with("- ") { "\n" } else { "\n\n" });
        }
        joined.push_str(part);
    }
    joined
}

fn review_memory(rules: &TextRules) -> String {
    let restrained = rules.style == ReviewStyle::Restrained;
    sections(&[
        (restrained, file!("review.memory.restrained")),
        (!restrained, file!("review.memory")),
        (rules.evidence, file!("review.evidence")),
        (rules.memory_upkeep, file!("review.upkeep")),
    ])
}

fn review_skills(rules: &TextRules) -> String {
    if rules.style == ReviewStyle::Restrained {
        return sections(&[
            (true, file!("review.skills.restrained")),
            (rules.evidence, file!("review.evidence")),
        ]);
    }
    let push = rules.stance == Stance::Push;
    sections(&[
        (true, file!("review.skills")),
        (push, file!("review.push")),
        (!push, file!("review.calm")),
        (true, file!("review.skills.shape")),
        (true, file!("review.skills.signals")),
        (true, file!("review.skills.order")),
        (true, file!("review.skills.files")),
        (true, file!("review.skills.names")),
        (true, &shared_skill_rules(rules)),
        (push, file!("review.close.push")),
        (!push, file!("review.close.calm")),
    ])
}

/// What the skill review and the combined one have in common word for word.
fn shared_skill_rules(rules: &TextRules) -> String {
    let procedural = rules.style == ReviewStyle::Procedural;
    sections(&[
        (true, file!("review.protected")),
        (procedural, file!("review.pinned.off_limits")),
        (!procedural, file!("review.pinned.improvable")),
        (true, file!("review.not_stored")),
        (procedural, file!("review.unresolved")),
        (rules.evidence, file!("review.evidence")),
        (procedural, file!("review.procedure")),
        (rules.read_first, file!("review.read_first")),
    ])
}

fn review_combined(rules: &TextRules) -> String {
    if rules.style == ReviewStyle::Restrained {
        return sections(&[
            (true, file!("review.combined.restrained")),
            (rules.evidence, file!("review.evidence")),
        ]);
    }
    let push = rules.stance == Stance::Push;
    sections(&[
        (true, file!("review.combined")),
        (push, file!("review.push")),
        (!push, file!("review.calm")),
        (push, file!("review.combined.both")),
        (true, file!("review.combined.memory")),
        (rules.combined_upkeep, file!("review.upkeep")),
        (true, file!("review.combined.skills")),
        (true, &shared_skill_rules(rules)),
        (true, file!("review.combined.close")),
    ])
}

fn curator(rules: &TextRules) -> String {
    sections(&[
        (true, file!("curator.aim")),
        (true, file!("curator.limits")),
        (rules.curator_jobs, file!("curator.jobs")),
        (true, file!("curator.judging")),
        (true, file!("curator.method")),
        (rules.curator_packages, file!("curator.packages")),
        (true, file!("curator.tools")),
        (rules.curator_jobs, file!("curator.declaration")),
        (rules.curator_distils, file!("curator.distil")),
        (true, file!("curator.output")),
    ])
}

#[cfg(test)]
mod tests {
    use super::super::markers::markers;
    use super::*;
    use crate::behaviour::{Behaviour, Settings, Version};

    fn library() -> PromptLibrary {
        PromptLibrary::new(&Behaviour::resolve(&Settings::new(Version::V0_19)).prompt.texts)
    }

    #[test]
    fn no_text_is_empty_or_holds_a_fixed_line() {
        for version in Version::ALL {
            let library = PromptLibrary::new(&Behaviour::resolve(&Settings::new(version)).prompt.texts);
            for name in PromptName::ALL {
                let text = library.get(*name);
                assert!(!text.is_empty(), "{}", name.as_str());
                assert_eq!(marker_in(text), None, "{}", name.as_str());
            }
        }
        assert!(markers().len() > 10);
    }

    #[test]
    fn every_file_is_used() {
        let source = include_str!("library.rs");
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/prompts");
        for entry in std::fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            // The folder below holds descriptions of tools.
            let Some(stem) = name.strip_suffix(".md") else { continue };
            assert!(source.contains(&format!("file!(\"{stem}\")")), "{name}");
        }
    }

    #[test]
    fn a_text_is_replaced_by_name() {
        let mut library = library();
        library.replace("curator", "  Merge nothing.\n").unwrap();
        assert_eq!(library.get(PromptName::Curator), "Merge nothing.");
        assert_eq!(library.replaced(), [PromptName::Curator]);
        let unknown = library.replace("review.skill", "x").unwrap_err();
        let nearest = Some("review.skills");
        assert_eq!(unknown, PromptError::UnknownName { name: "review.skill".to_owned(), nearest });
        assert_eq!(library.replace("title", " \n").unwrap_err(), PromptError::Empty { name: "title" });
        let lost = PromptError::MissingPlaceholder { name: "review.focus", placeholder: "focus" };
        assert_eq!(library.replace("review.focus", "The user asked.").unwrap_err(), lost);
        assert_eq!(lost.to_string().split('`').nth(3), Some("{focus}"));
        library.replace("review.focus", "The user asked for {focus}.").unwrap();
        let fixed = markers()[0].text;
        assert!(matches!(library.replace("title", fixed), Err(PromptError::HoldsMarker { .. })));
    }
}
