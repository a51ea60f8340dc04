//! Prompts of the agent's conversations: the tools offered, the frozen system prompt, review instructions
//! (`spec/prompt.md`).

use std::sync::Arc;

use jiff::tz::TimeZone;

use super::agent::{Agent, Cx, ObjectId};
use super::charter::{Allowed, LoopTexts};
use super::review::{ReviewJob, Snapshot};
use super::summary::{self, NoticeRules};
use crate::guard::threats;
use crate::memory::Target;
use crate::prompt::context::{self, ContextInput};
use crate::prompt::{
    self, DigestLine, Identity, IndexContext, IndexQuery, MemoryBlocks, PromptInput, PromptLibrary,
    PromptName, ReviewAsk, ReviewKind, Surroundings,
};
use crate::skills::Library;
use crate::stores::{TreePath, read_text};
use crate::values::{Chars, ConversationId, Fact, Message, Store, Synthetic, Tokens, ToolList};

/// Virtual paths as prompts show them.
pub(super) const WORKSPACE: &str = "/work";
const SYSTEM: &str = "Linux";

/// A prompt as it was built, with what its trace records.
#[derive(Clone, Debug)]
pub(super) struct BuiltPrompt {
    pub(super) text: Arc<str>,
    pub(super) parts: Vec<(Arc<str>, Chars)>,
    pub(super) skills: Arc<[(Arc<str>, Arc<str>)]>,
    pub(super) index: Tokens,
}

/// A write whose text no prompt has shown yet.
#[derive(Clone, Debug)]
pub(super) struct Unseen {
    pub(super) store: Store,
    pub(super) target: Arc<str>,
    pub(super) text: Arc<str>,
}

impl Agent {
    /// The tools that a session is offered, in the order of the request.
    pub(super) fn session_tools(&self) -> Arc<ToolList> {
        Arc::clone(&self.tools)
    }

    /// Builds a system prompt from the home as it is now.
    pub(super) fn build_prompt(
        &mut self,
        cx: &mut Cx<'_, '_>,
        object: ObjectId,
        tools: &ToolList,
    ) -> BuiltPrompt {
        self.build(cx, Some(object), tools)
    }

    /// The prompt of an agent without memory and context files.
    pub(super) fn build_plain_prompt(&mut self, cx: &mut Cx<'_, '_>, tools: &ToolList) -> BuiltPrompt {
        self.build(cx, None, tools)
    }

    fn build(&mut self, cx: &mut Cx<'_, '_>, object: Option<ObjectId>, tools: &ToolList) -> BuiltPrompt {
        let names: Vec<&str> = tools.names().collect();
        let home = cx.homes.own.root().to_owned();
        let rules = &self.rules;
        let scan = |text: &str| threats::scan(text, threats::Scope::Context, &rules.threats);
        let soul_text = read_text(cx.homes.own, &TreePath::new("SOUL.md")).unwrap_or_default();
        let surroundings = ContextInput {
            workspace: cx.homes.workspace,
            cwd: &TreePath::root(),
            in_install_tree: false,
            surface: &self.plan.platform,
            window: Some(self.loop_rules.context),
            scan: &scan,
        };
        let soul = context::soul(&soul_text, &home, &surroundings, &rules.prompt.context);
        let block = context::block(&surroundings, None, &self.texts_library, &rules.prompt.context);
        let query =
            IndexQuery { tools: Some(&names), toolsets: None, platform: &self.plan.platform, demoted: &[] };
        let index = {
            let mut library = Library::open(cx.homes.own, &mut cx.homes.shared, &rules.skills);
            let context = IndexContext {
                texts: &self.texts_library,
                rules: rules.prompt.index,
                skill_rules: &rules.skills,
            };
            self.index.block(&query, &mut library, &context)
        };
        let memory =
            object.and_then(|object| self.objects.get(&object)).and_then(|object| object.memory.as_ref());
        let part = |target| memory.and_then(|store| store.block(target)).map(|text| &**text);
        let input = PromptInput {
            library: &self.texts_library,
            tools: &names,
            model: &self.plan.model,
            provider: &self.plan.provider,
            platform: &self.plan.platform,
            identity: soul.as_ref().map_or(Identity::BuiltIn, |soul| Identity::Soul(&soul.text)),
            system_message: None,
            context_files: Some(block.text.as_str()).filter(|text| object.is_some() && !text.is_empty()),
            index: Some(&index),
            memory: MemoryBlocks { memory: part(Target::Notes), user: part(Target::Profile), external: None },
            board: prompt::Board::default(),
            subscription: None,
            surroundings: Surroundings {
                os: SYSTEM,
                home: &home,
                cwd: WORKSPACE,
                profile: None,
                code_workspace: false,
                probe: None,
            },
            now: cx.at,
            zone: &TimeZone::UTC,
            session_id: None,
        };
        let built = prompt::assemble(&input, &rules.prompt);
        BuiltPrompt {
            parts: built.parts.iter().map(|part| (part.name.into(), part.chars)).collect(),
            text: built.text,
            skills: built.skills,
            index: built.index,
        }
    }

    /// Writes that this prompt is the first to hold become visible.
    pub(super) fn note_visible(&mut self, cx: &mut Cx<'_, '_>, id: ConversationId, built: &BuiltPrompt) {
        let (seen, unseen): (Vec<Unseen>, Vec<Unseen>) =
            std::mem::take(&mut self.unseen).into_iter().partition(|write| match write.store {
                Store::Skill => built.skills.iter().any(|(name, _)| *name == write.target),
                Store::Memory | Store::User => built.text.contains(&*write.text),
            });
        self.unseen = unseen;
        for write in seen {
            self.note(cx, id, Fact::Visible { store: write.store, target: write.target });
        }
    }

    /// The instruction of a review, with the fixed part by which its role is recognised.
    pub(super) fn review_instruction(
        &self,
        job: &ReviewJob,
        allowed: &Allowed,
        tools: &ToolList,
    ) -> Arc<str> {
        let names: Vec<&str> = match allowed {
            Allowed::Only(names) => names.iter().map(|name| &**name).collect(),
            Allowed::Offered => tools.names().collect(),
        };
        let ask = ReviewAsk {
            kind: ReviewKind::of(job.cause.memory, job.cause.skills),
            allowed: &names,
            focus: job.cause.explicit.then_some(job.focus.as_str()),
        };
        prompt::review_instruction(&ask, &self.texts_library, &self.rules.prompt.texts)
    }

    /// The history of a routed review: the last messages whole, everything before them as one message.
    pub(super) fn digest(&self, snapshot: &Snapshot) -> Snapshot {
        let Some(first) = summary::digest_split(snapshot) else { return Arc::clone(snapshot) };
        let mut lines = Vec::new();
        for message in &snapshot[..first] {
            match &**message {
                Message::User { text, .. } => lines.push(DigestLine::User(text)),
                Message::Assistant { text, calls, .. } => {
                    if !calls.is_empty() {
                        lines.push(DigestLine::Calls(calls.iter().map(|call| &*call.name).collect()));
                    }
                    lines.push(DigestLine::Assistant(&text.visible));
                }
                Message::Tool { .. } => {}
            }
        }
        let head = Message::client(prompt::digest_message(&lines, &self.texts_library), Synthetic::Digest);
        std::iter::once(Arc::new(head)).chain(snapshot[first..].iter().cloned()).collect()
    }

    /// What the user is told of a review that said this.
    pub(super) fn review_notice(&self, snapshot: &Snapshot, said: &[Arc<Message>]) -> String {
        let rules = NoticeRules {
            mode: self.rules.review.notice,
            shows_staged: self.rules.review.notice_shows_staged,
            needs_objects: self.rules.review.notice_needs_objects,
        };
        let old = if self.rules.review.notice_repeats_old { &snapshot[..] } else { &[] };
        summary::notice(old.iter().chain(said), rules)
    }
}

/// The loop's own texts, taken from the library once.
pub(super) fn loop_texts(library: &PromptLibrary) -> LoopTexts {
    let (open, close) = steering_marks();
    LoopTexts {
        empty_nudge: prompt::client_message(PromptName::EmptyNudge, library),
        empty_placeholder: library.shared(PromptName::EmptyPlaceholder),
        length_continuation: prompt::client_message(PromptName::LengthContinuation, library),
        closing_request: prompt::client_message(PromptName::Closing, library),
        closing_fallback: library.shared(PromptName::ClosingFallback),
        empty_explanation: library.shared(PromptName::EmptyExplanation),
        interrupted_tail: library.shared(PromptName::Interrupted),
        unfinished: library.shared(PromptName::Apology),
        halt: library.shared(PromptName::Halt),
        steer_open: open,
        steer_close: close,
    }
}

/// The marks around a word of the user in mid-turn.
fn steering_marks() -> (Arc<str>, Arc<str>) {
    const WORD: &str = "\u{0}";
    let marked = prompt::steering(WORD);
    let (open, close) = marked.split_once(WORD).unwrap_or(("", ""));
    (open.into(), close.into())
}
