//! Instructions: what reviews, the curator, children and one-call conversations are asked.
//!
//! Each begins with its fixed line ([`super::markers`]); the replaceable text follows; data come last, outside of it.

use std::fmt::Write as _;
use std::sync::Arc;

use super::library::{PromptLibrary, PromptName};
use super::markers::marker;
use super::template::{fill, paragraphs};
use crate::behaviour::TextRules;
use crate::text;
use crate::values::Tokens;

/// What a review looks at (`spec/background-review.md` §1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewKind {
    /// Memory.
    Memory,
    /// The skill library.
    Skills,
    /// Both.
    Combined,
}

impl ReviewKind {
    /// The kind for these flags: both → combined, memory alone → memory, else skills.
    pub fn of(memory: bool, skills: bool) -> Self {
        match (memory, skills) {
            (true, true) => Self::Combined,
            (true, false) => Self::Memory,
            (false, _) => Self::Skills,
        }
    }

    fn parts(self) -> (&'static str, PromptName) {
        match self {
            Self::Memory => ("review.memory", PromptName::ReviewMemory),
            Self::Skills => ("review.skills", PromptName::ReviewSkills),
            Self::Combined => ("review.combined", PromptName::ReviewCombined),
        }
    }
}

/// What goes into a review's instruction.
#[derive(Clone, Copy, Debug)]
pub struct ReviewAsk<'a> {
    /// What it looks at.
    pub kind: ReviewKind,
    /// The tools that it may call, by name.
    pub allowed: &'a [&'a str],
    /// The user's words, where the user asked for it; may be empty.
    pub focus: Option<&'a str>,
}

/// The instruction of a review.
pub fn review_instruction(ask: &ReviewAsk<'_>, library: &PromptLibrary, rules: &TextRules) -> Arc<str> {
    let (kind, prompt) = ask.kind.parts();
    let focus = ask.focus.map(|focus| {
        let focus = if text::is_blank(focus) { "(no particular words)" } else { text::trim(focus) };
        fill(library.get(PromptName::ReviewFocus), &[("focus", focus)])
    });
    let names: Vec<String> = ask.allowed.iter().map(|name| format!("`{name}`")).collect();
    let trailer = rules
        .trailer
        .then(|| fill(library.get(PromptName::ReviewTrailer), &[("allowed", &names.join(", "))]));
    let body = [library.get(prompt), focus.as_deref().unwrap_or(""), trailer.as_deref().unwrap_or("")];
    headed(kind, &body).into()
}

fn headed(kind: &str, body: &[&str]) -> String {
    paragraphs(std::iter::once(marker(kind)).chain(body.iter().copied()))
}

/// What goes into the curator's instruction (`spec/curator.md` §9).
#[derive(Clone, Copy, Debug)]
pub struct CuratorAsk<'a> {
    /// Whether nothing may be changed.
    pub dry_run: bool,
    /// Whether built-ins take part.
    pub builtins: bool,
    /// How many skills are in the list.
    pub count: usize,
    /// The list of candidates, heading included.
    pub candidates: &'a str,
}

/// Below how many archives a pass stopped early: ten, or a quarter of a smaller library's skills
/// (`spec/curator.md` §17 rule 28, which asks for a threshold that scales).
pub fn curator_archives_min(candidates: usize) -> usize {
    (candidates / 4).clamp(1, 10)
}

/// The instruction of the consolidation pass.
pub fn curator_instruction(ask: &CuratorAsk<'_>, library: &PromptLibrary) -> Arc<str> {
    let least = curator_archives_min(ask.count).to_string();
    let rules = fill(library.get(PromptName::Curator), &[("archives_min", &least)]);
    let banner = if ask.dry_run { library.get(PromptName::CuratorDryRun) } else { "" };
    let builtins = if ask.builtins { library.get(PromptName::CuratorBuiltins) } else { "" };
    let kind = if ask.dry_run { "curator.dry_run" } else { "curator" };
    headed(kind, &[banner, &rules, builtins, ask.candidates]).into()
}

/// A message that the client puts in the user's place in the midst of a turn: `closing`, `empty_nudge`,
/// `length_continuation`.
///
/// # Panics
/// Another prompt has no such message.
pub fn client_message(prompt: PromptName, library: &PromptLibrary) -> Arc<str> {
    format!("{} {}", marker(prompt.as_str()), library.get(prompt)).into()
}

/// The request for a session's title (`spec/sessions.md` §1.4).
pub fn title_instruction(user: &str, assistant: &str, library: &PromptLibrary) -> Arc<str> {
    let talk = format!("User: {user}\n\nAssistant: {assistant}");
    headed("title", &[library.get(PromptName::Title), &talk]).into()
}

/// The request for a summary of a conversation's middle (`spec/compression.md` §3, step 7). `previous` is the
/// summary that an earlier compression left, `transcript` what came after it.
pub fn compression_instruction(
    transcript: &str,
    previous: Option<&str>,
    budget: Tokens,
    library: &PromptLibrary,
) -> Arc<str> {
    let request = fill(library.get(PromptName::Compression), &[("budget", &budget.0.to_string())]);
    let previous = previous
        .map(|summary| format!("# The summary so far, to be carried on\n\n{summary}"))
        .unwrap_or_default();
    let transcript = format!("# The conversation\n\n{transcript}");
    headed("compression", &[&request, &previous, &transcript]).into()
}

/// The message that takes the place of a summarised middle (`spec/compression.md` §3, step 9).
pub fn compaction_message(summary: &str, library: &PromptLibrary) -> String {
    headed("compaction", &[library.get(PromptName::Compaction), summary, marker("compaction.end")])
}

/// The same, at the end of a user's message that had to take the summary up: the older words first, marked as such.
pub fn compaction_absorbed(older: &str, summary: &str, library: &PromptLibrary) -> String {
    paragraphs([older, marker("compaction.prior"), &compaction_message(summary, library)])
}

/// The message that keeps the list of things to do over a compression (`spec/compression.md` §4).
pub fn todo_message(list: &str, library: &PromptLibrary) -> String {
    format!("{} {}\n\n{list}", marker("todo"), library.get(PromptName::Todo))
}

/// The message that brings the results of delegated work into the conversation (`spec/turn-loop.md` §10).
pub fn delegate_result_message(results: &str) -> String {
    format!("{}\n{results}", marker("delegate_result"))
}

/// The request for a summary of one search result; `request` names topic and transcript
/// ([`crate::sessions::SearchPlan::request`]).
pub fn summary_instruction(request: &str, library: &PromptLibrary) -> Arc<str> {
    headed("summary", &[library.get(PromptName::Summary), request]).into()
}

/// What a child is told of its task (`spec/turn-loop.md` §10). The goal is also its user message.
#[derive(Clone, Copy, Debug)]
pub struct DelegateAsk<'a> {
    /// What to do.
    pub goal: &'a str,
    /// What the parent adds; may be empty.
    pub context: &'a str,
    /// The working directory.
    pub workspace: &'a str,
    /// Whether it may delegate in its turn.
    pub orchestrator: bool,
}

/// The system prompt of a delegated child.
pub fn delegate_system(ask: &DelegateAsk<'_>, library: &PromptLibrary) -> Arc<str> {
    let role = if ask.orchestrator { library.get(PromptName::DelegateOrchestrator) } else { "" };
    let goal = format!("Task: {}", text::trim(ask.goal));
    let context = text::trim(ask.context);
    let context = if context.is_empty() { String::new() } else { format!("What you are given:\n{context}") };
    let place = format!("Working directory: {}", ask.workspace);
    headed("delegate", &[library.get(PromptName::Delegate), role, &goal, &context, &place]).into()
}

/// One message of an older history, as a digest tells it (`spec/background-review.md` §3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DigestLine<'a> {
    /// The user's words.
    User(&'a str),
    /// Names of the tools that a reply called.
    Calls(Vec<&'a str>),
    /// The assistant's words.
    Assistant(&'a str),
}

/// Characters of a user's message that a digest keeps (`spec/background-review.md` §3).
const DIGEST_USER_CHARS: usize = 300;
/// Characters of a reply that a digest keeps (`spec/background-review.md` §3).
const DIGEST_ASSISTANT_CHARS: usize = 200;

/// The message that stands for the older part of a history in a routed review.
pub fn digest_message(lines: &[DigestLine<'_>], library: &PromptLibrary) -> String {
    let mut digest = headed("digest", &[library.get(PromptName::Digest)]);
    digest.push('\n');
    let one_line = |words: &str, chars| text::cut(words, chars).replace('\n', " ");
    for line in lines {
        let (label, words) = match line {
            DigestLine::User(words) => ("User: ", one_line(words, DIGEST_USER_CHARS)),
            DigestLine::Calls(names) => ("Assistant called: ", names.join(", ")),
            DigestLine::Assistant(words) => ("Assistant: ", one_line(words, DIGEST_ASSISTANT_CHARS)),
        };
        if !text::is_blank(&words) {
            write!(digest, "\n{label}{words}").expect("writing to a string does not fail");
        }
    }
    digest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviour::{Behaviour, Settings, Version};

    fn texts(version: Version) -> (PromptLibrary, TextRules) {
        let rules = Behaviour::resolve(&Settings::new(version)).prompt.texts;
        (PromptLibrary::new(&rules), rules)
    }

    fn review(version: Version, kind: ReviewKind, focus: Option<&str>) -> String {
        let (library, rules) = texts(version);
        let allowed = ["memory", "skills_list", "skill_view", "skill_manage"];
        review_instruction(&ReviewAsk { kind, allowed: &allowed, focus }, &library, &rules).to_string()
    }

    #[test]
    fn reviews_of_every_style() {
        for version in [Version::April2026, Version::V0_19, Version::September2026] {
            for kind in [ReviewKind::Memory, ReviewKind::Skills, ReviewKind::Combined] {
                insta::assert_snapshot!(format!("{version}-{kind:?}"), review(version, kind, None));
            }
        }
    }

    #[test]
    fn with_all_faults_off_reviews_are_calm_and_careful() {
        let mut settings = Settings::new(Version::September2026);
        settings.faults_off(&crate::behaviour::Origin::CommandLine);
        let rules = Behaviour::resolve(&settings).prompt.texts;
        let library = PromptLibrary::new(&rules);
        insta::assert_snapshot!(library.get(PromptName::ReviewCombined));
    }

    #[test]
    fn a_focus_comes_after_the_rules_and_before_the_trailer() {
        let text = review(Version::V0_19, ReviewKind::Memory, Some("the {allowed} cluster"));
        let tail = text.split("stop.\n\n").nth(1).unwrap();
        insta::assert_snapshot!(tail, @r"
        The user asked for this review, with the words below. They outrank the general instructions above wherever the two differ.

        the {allowed} cluster

        In this review only these tools can be used: `memory`, `skills_list`, `skill_view`, `skill_manage`. Every other tool is refused when it is called; do not try one.
        ");
        assert!(!review(Version::April2026, ReviewKind::Memory, None).contains("refused"));
    }

    #[test]
    fn the_curators_instruction_holds_banner_rules_note_and_list() {
        for (version, dry_run) in
            [(Version::V0_13, false), (Version::V0_19, true), (Version::September2026, false)]
        {
            let (library, _) = texts(version);
            let candidates = "Candidates (12):\n\nalpha  state=active";
            let ask = CuratorAsk { dry_run, builtins: version == Version::V0_19, count: 12, candidates };
            insta::assert_snapshot!(format!("curator-{version}"), curator_instruction(&ask, &library));
        }
        assert_eq!([0, 3, 12, 400].map(curator_archives_min), [1, 1, 3, 10]);
    }

    #[test]
    fn requests_of_one_call() {
        let (library, _) = texts(Version::V0_19);
        insta::assert_snapshot!("title", title_instruction("Deploy it.", "Done.", &library));
        insta::assert_snapshot!("summary", summary_instruction("Topic: deploy", &library));
        let compress = compression_instruction("user: go on", Some("## Goal\nx"), Tokens(2000), &library);
        insta::assert_snapshot!("compression", compress);
        insta::assert_snapshot!("compaction", compaction_message("## Goal\nx", &library));
    }

    #[test]
    fn messages_of_the_client() {
        let (library, _) = texts(Version::V0_19);
        let messages = [PromptName::Closing, PromptName::EmptyNudge, PromptName::LengthContinuation]
            .map(|prompt| client_message(prompt, &library).to_string());
        insta::assert_snapshot!(messages.join("\n"), @r"
        [System: the limit of steps is reached] The limit of steps for this turn is reached, and no more tools can be called. Close the turn now with a summary for the user: what was done, what the results are, what is left, and what you would do next.
        [System: empty reply] Your last reply was empty although tool results have come in. Read the results above and go on with the task, or give your answer.
        [System: reply cut off] Your last reply was cut off by the limit on its length. Go on exactly where it stopped, without repeating what was said and without an introduction.
        ");
        let lines = [
            DigestLine::User("deploy\nthis"),
            DigestLine::Calls(vec!["terminal", "patch"]),
            DigestLine::Assistant(" "),
        ];
        insta::assert_snapshot!(digest_message(&lines, &library), @r"
            [System: digest of the earlier conversation]

            What follows is a digest of the earlier conversation, one line a message: the user's words, the tools that were called, and the beginnings of replies. Results of tools are left out. The messages after it are complete.

            User: deploy this
            Assistant called: terminal, patch
            ");
    }

    #[test]
    fn what_a_compression_leaves() {
        let (library, _) = texts(Version::V0_19);
        let absorbed = compaction_absorbed("And then?", "## Goal\nx", &library);
        assert!(absorbed.starts_with("And then?\n\n[END OF PRIOR CONTEXT]\n\n[CONTEXT COMPACTION]\n\n"));
        assert!(todo_message("- [ ] push", &library).starts_with("[System: kept list of things to do] "));
        assert_eq!(delegate_result_message("{}"), "[System: delegated work is done]\n{}");
    }

    #[test]
    fn a_child_is_told_its_task() {
        let (library, _) = texts(Version::V0_19);
        let ask = DelegateAsk { goal: "Find it.", context: " ", workspace: "/work", orchestrator: true };
        insta::assert_snapshot!(delegate_system(&ask, &library), @r"
        [Delegated task]

        You work on one task that another agent gave you, and you have nothing of its conversation but what stands here. Do the task with your tools. You cannot ask questions; where something is unclear, choose the likeliest reading and say which one you chose. Your last message is all that the other agent gets: say what you did, what you found, which files you made or changed, and what went wrong.

        You may hand parts of the task on with `delegate_task` where they do not depend on each other. You answer for the whole.

        Task: Find it.

        Working directory: /work
        ");
    }
}
