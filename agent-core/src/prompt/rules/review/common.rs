//! Rules of the memory review, of the combined one, and of the restrained style.

use super::{Group, Layer, PromptRule, SKILL, rule};

pub(super) const LOOK_BACK: PromptRule = rule(
    "look-back",
    "memory 1",
    "look over the conversation for what is worth remembering",
    Layer::Always,
    &[
        &["look*", "consider", "review", "go over", "read", "reflect*", "think"],
        &["conversation", "session", "exchange", "above"],
        &["remember*", "worth"],
    ],
    &[],
);
pub(super) const FACTS_ABOUT_USER: PromptRule = rule(
    "facts-about-user",
    "memory 2",
    "look for what the user revealed about themselves",
    Layer::Always,
    &[
        &["user*"],
        &["reveal*", "disclos*", "shared", "told", "learn*", "mention*"],
        &["themsel*", "himself", "herself", "personal*", "persona", "who they are", "about the user"],
    ],
    &[],
);
pub(super) const EXPECTATIONS: PromptRule = rule(
    "expectations",
    "memory 3",
    "look for what the user expects of the agent, and how the user works",
    Layer::Always,
    &[&["user*"], &["expect*"], &["behav*", "act", "how you", "work*"]],
    &[],
);
pub(super) const SAVE_WITH_TOOL: PromptRule = rule(
    "save-with-tool",
    "memory 4",
    "save what stands out with the memory tool",
    Layer::Always,
    &[&["save", "store", "record", "keep", "write"], &["memory ~ tool", "tool ~ memory"]],
    &[],
);
pub(super) const NOTHING: Group = &["nothing to save"];
pub(super) const NOTHING_TO_SAVE: PromptRule = rule(
    "nothing-to-save",
    "memory 5",
    "say the agreed phrase and stop where nothing qualifies",
    Layer::Always,
    &[
        NOTHING,
        &["if nothing", "when nothing", "where nothing", "otherwise", "if none"],
        &["stop", "end", "finish"],
    ],
    &[],
);
pub(super) const REPLACE_OLD: PromptRule = rule(
    "replace-old-entries",
    "known fault 29",
    "replace an entry that proved outdated or wrong",
    Layer::MemoryUpkeep,
    &[&["replace"], &["memory", "entry", "entries"], &["outdated", "wrong", "stale"]],
    &[],
);
pub(super) const MERGE_SAME: PromptRule = rule(
    "merge-same-entries",
    "known fault 29",
    "merge entries that say the same thing",
    Layer::MemoryUpkeep,
    &[&["merge", "combine"], &["memory", "entry", "entries"], &["same"]],
    &[],
);
pub(super) const EVIDENCE: PromptRule = rule(
    "correction-outranks-tool",
    "known fault 11",
    "the user's correction outranks what a tool seemed to show",
    Layer::Evidence,
    &[&["correct*", "contradict*"], &["outrank*", "wins", "beats", "overrides"], &["tool*"]],
    &[],
);

pub(super) const HARD_WON: PromptRule = rule(
    "hard-won-approach",
    "config §2, prompt style of 2026-04",
    "consider saving a way that took trial and error",
    Layer::Restrained,
    &[&["trial and error", "change of course"], &["consider"], SKILL],
    &[],
);
pub(super) const UPDATE_OR_CREATE: PromptRule = rule(
    "update-or-create",
    "config §2, prompt style of 2026-04",
    "update a skill that exists, otherwise create one",
    Layer::Restrained,
    &[&["exist*"], &["update*", "patch*"], &["create*"]],
    &[],
);
pub(super) const NEITHER: PromptRule = rule(
    "nothing-only-if-neither",
    "combined",
    "nothing to save only if neither dimension has anything",
    Layer::Always,
    &[NOTHING, &["neither", "none of the two"]],
    &[],
);
pub(super) const ACT_ON_SIGNAL: PromptRule = rule(
    "act-on-real-signal",
    "combined",
    "act on whichever dimension has a real signal",
    Layer::Active,
    &[&["act"], &["whichever", "either"], &["signal*"]],
    &[],
);
pub(super) const BOTH_STORES: PromptRule = rule(
    "both-stores",
    "combined",
    "both stores may carry lessons on preferences",
    Layer::Push,
    &[&["both"], &["prefer*"], &["memory"], SKILL],
    &[],
);
