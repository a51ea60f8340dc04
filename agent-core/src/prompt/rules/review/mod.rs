//! The rules of the three reviews (`spec/background-review.md` §11).

mod common;
mod skills;

use super::{Group, Layer, PromptRule};

use common::{
    ACT_ON_SIGNAL, BOTH_STORES, EVIDENCE, EXPECTATIONS, FACTS_ABOUT_USER, HARD_WON, LOOK_BACK, MERGE_SAME,
    NEITHER, NOTHING_TO_SAVE, REPLACE_OLD, SAVE_WITH_TOOL, UPDATE_OR_CREATE,
};
use skills::{
    ALWAYS_ON, ANY_SIGNAL, BE_ACTIVE, DIVISION, FIX_IN_PLACE, FOREIGN, KIND_REFERENCES, KIND_SCRIPTS,
    KIND_TEMPLATES, NAME_CLASS_LEVEL, NAME_ONLY_NOW, NO_ENVIRONMENT, NO_INCIDENT_DATA, NO_NEGATIVE_CLAIMS,
    NO_ONE_OFFS, NO_REPEAT, NO_TRANSIENT, NO_UNRESOLVED, NOTHING_ALLOWED, NOTHING_IS_NORMAL, ONE_HOME,
    ONE_RETRY, ONE_RULE, ONLY_PROTECTED, OVERLAP, PATH_BEGINS, PINNED_IMPROVABLE, PINNED_OFF_LIMITS,
    PITFALL_GENERAL, POINTER, PREFER_FILE, PREFER_LOADED, PREFER_NEW, PREFER_UMBRELLA, PREFERENCE_IN_SKILL,
    PROCEDURE_FIRST, READ_FIRST, SETUP_REMEDY, SHAPE, SHAPE_DECIDES_HOW, SIGNAL_EFFORT, SIGNAL_METHOD,
    SIGNAL_STYLE, SIGNAL_WRONG_SKILL,
};

/// Words that forbid.
const NOT: Group = &["not", "never", "no", "don't", "avoid"];
const SKILL: Group = &["skill*"];
const CHANGE: Group = &["patch*", "improve", "update", "extend"];
const UMBRELLA: Group = &["umbrella*"];

const fn rule(
    name: &'static str,
    source: &'static str,
    about: &'static str,
    layer: Layer,
    topic: &'static [Group],
    force: &'static [Group],
) -> PromptRule {
    PromptRule { name, source, about, harm: false, layer, topic, force }
}

const fn harmful(rule: PromptRule) -> PromptRule {
    PromptRule { harm: true, ..rule }
}

const fn in_layer(rule: PromptRule, layer: Layer) -> PromptRule {
    PromptRule { layer, ..rule }
}

/// The memory review.
pub(in crate::prompt) const MEMORY: &[PromptRule] = &[
    LOOK_BACK,
    FACTS_ABOUT_USER,
    EXPECTATIONS,
    SAVE_WITH_TOOL,
    NOTHING_TO_SAVE,
    REPLACE_OLD,
    MERGE_SAME,
    EVIDENCE,
];

/// The skill review.
pub(in crate::prompt) const SKILLS: &[PromptRule] = &[
    BE_ACTIVE,
    NOTHING_IS_NORMAL,
    ONE_HOME,
    SHAPE,
    SHAPE_DECIDES_HOW,
    ANY_SIGNAL,
    SIGNAL_STYLE,
    SIGNAL_METHOD,
    SIGNAL_EFFORT,
    SIGNAL_WRONG_SKILL,
    PREFER_LOADED,
    PREFER_UMBRELLA,
    PREFER_FILE,
    PREFER_NEW,
    KIND_REFERENCES,
    KIND_TEMPLATES,
    KIND_SCRIPTS,
    PATH_BEGINS,
    POINTER,
    NAME_CLASS_LEVEL,
    NAME_ONLY_NOW,
    PREFERENCE_IN_SKILL,
    DIVISION,
    OVERLAP,
    FOREIGN,
    PINNED_IMPROVABLE,
    PINNED_OFF_LIMITS,
    ONLY_PROTECTED,
    NO_ENVIRONMENT,
    NO_NEGATIVE_CLAIMS,
    NO_TRANSIENT,
    NO_ONE_OFFS,
    NO_UNRESOLVED,
    SETUP_REMEDY,
    NOTHING_ALLOWED,
    in_layer(NOTHING_TO_SAVE, Layer::Calm),
    PROCEDURE_FIRST,
    PITFALL_GENERAL,
    NO_INCIDENT_DATA,
    ONE_RULE,
    NO_REPEAT,
    ALWAYS_ON,
    FIX_IN_PLACE,
    READ_FIRST,
    ONE_RETRY,
    EVIDENCE,
    HARD_WON,
    UPDATE_OR_CREATE,
    PromptRule { name: "nothing-to-save-restrained", ..in_layer(NOTHING_TO_SAVE, Layer::Restrained) },
];

/// The combined review: both in shortened form.
pub(in crate::prompt) const COMBINED: &[PromptRule] = &[
    FACTS_ABOUT_USER,
    EXPECTATIONS,
    SAVE_WITH_TOOL,
    in_layer(REPLACE_OLD, Layer::CombinedUpkeep),
    in_layer(MERGE_SAME, Layer::CombinedUpkeep),
    ACT_ON_SIGNAL,
    BOTH_STORES,
    NEITHER,
    BE_ACTIVE,
    NOTHING_IS_NORMAL,
    ONE_HOME,
    SHAPE,
    SHAPE_DECIDES_HOW,
    ANY_SIGNAL,
    SIGNAL_STYLE,
    SIGNAL_METHOD,
    SIGNAL_EFFORT,
    SIGNAL_WRONG_SKILL,
    PREFER_LOADED,
    PREFER_UMBRELLA,
    PREFER_FILE,
    PREFER_NEW,
    KIND_REFERENCES,
    KIND_TEMPLATES,
    KIND_SCRIPTS,
    POINTER,
    NAME_CLASS_LEVEL,
    DIVISION,
    OVERLAP,
    FOREIGN,
    PINNED_IMPROVABLE,
    PINNED_OFF_LIMITS,
    ONLY_PROTECTED,
    NO_ENVIRONMENT,
    NO_NEGATIVE_CLAIMS,
    NO_TRANSIENT,
    NO_ONE_OFFS,
    NO_UNRESOLVED,
    SETUP_REMEDY,
    PROCEDURE_FIRST,
    PITFALL_GENERAL,
    NO_INCIDENT_DATA,
    ONE_RULE,
    NO_REPEAT,
    ALWAYS_ON,
    FIX_IN_PLACE,
    READ_FIRST,
    ONE_RETRY,
    EVIDENCE,
    HARD_WON,
    UPDATE_OR_CREATE,
];
