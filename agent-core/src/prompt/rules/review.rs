//! The rules of the three reviews (`spec/background-review.md` §11).

use super::{Group, Layer, PromptRule};

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

const LOOK_BACK: PromptRule = rule(
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
const FACTS_ABOUT_USER: PromptRule = rule(
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
const EXPECTATIONS: PromptRule = rule(
    "expectations",
    "memory 3",
    "look for what the user expects of the agent, and how the user works",
    Layer::Always,
    &[&["user*"], &["expect*"], &["behav*", "act", "how you", "work*"]],
    &[],
);
const SAVE_WITH_TOOL: PromptRule = rule(
    "save-with-tool",
    "memory 4",
    "save what stands out with the memory tool",
    Layer::Always,
    &[&["save", "store", "record", "keep", "write"], &["memory ~ tool", "tool ~ memory"]],
    &[],
);
const NOTHING: Group = &["nothing to save"];
const NOTHING_TO_SAVE: PromptRule = rule(
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
const REPLACE_OLD: PromptRule = rule(
    "replace-old-entries",
    "known fault 29",
    "replace an entry that proved outdated or wrong",
    Layer::MemoryUpkeep,
    &[&["replace"], &["memory", "entry", "entries"], &["outdated", "wrong", "stale"]],
    &[],
);
const MERGE_SAME: PromptRule = rule(
    "merge-same-entries",
    "known fault 29",
    "merge entries that say the same thing",
    Layer::MemoryUpkeep,
    &[&["merge", "combine"], &["memory", "entry", "entries"], &["same"]],
    &[],
);
const EVIDENCE: PromptRule = rule(
    "correction-outranks-tool",
    "known fault 11",
    "the user's correction outranks what a tool seemed to show",
    Layer::Evidence,
    &[&["correct*", "contradict*"], &["outrank*", "wins", "beats", "overrides"], &["tool*"]],
    &[],
);

/// The memory review.
pub(super) const MEMORY: &[PromptRule] = &[
    LOOK_BACK,
    FACTS_ABOUT_USER,
    EXPECTATIONS,
    SAVE_WITH_TOOL,
    NOTHING_TO_SAVE,
    REPLACE_OLD,
    MERGE_SAME,
    EVIDENCE,
];

const BE_ACTIVE: PromptRule = rule(
    "be-active",
    "skills 1",
    "most sessions justify an update; doing nothing is a missed chance",
    Layer::Push,
    &[&["active*"], &["most sessions", "most conversations"], &["missed", "neutral"]],
    &[],
);
const NOTHING_IS_NORMAL: PromptRule = rule(
    "nothing-is-normal",
    "known fault 10",
    "most sessions need no change",
    Layer::Calm,
    &[&["most sessions", "most conversations"], &["no change", "nothing", "as it is"], &["normal*"]],
    &[],
);
const ONE_HOME: PromptRule = rule(
    "one-home",
    "known fault 10",
    "a fact is kept in one place",
    Layer::Calm,
    &[&["one home", "one place", "single home"], &["memory"], SKILL],
    &[],
);
const SHAPE: PromptRule = rule(
    "class-level-shape",
    "skills 2",
    "class-level skills, rich main file, references; no flat list of one-session skills",
    Layer::Active,
    &[&["class level"], &["rich"], &["references"], &["flat", "session*"]],
    &[],
);
const SHAPE_DECIDES_HOW: PromptRule = rule(
    "shape-decides-how",
    "skills 2",
    "the shape decides how to update, not whether",
    Layer::Active,
    &[&["shape*"], &["how"], &["whether"]],
    &[NOT],
);
const ANY_SIGNAL: PromptRule = rule(
    "any-signal",
    "skills 3",
    "one signal suffices",
    Layer::Active,
    &[&["any", "one"], &["signal*"], &["suffic*", "enough"]],
    &[],
);
const SIGNAL_STYLE: PromptRule = rule(
    "signal-style",
    "skills 3",
    "a correction of style or format, or frustration, calls for an update",
    Layer::Active,
    &[&["correct*"], &["style", "tone"], &["format*", "length"], &["frustrat*"]],
    &[],
);
const SIGNAL_METHOD: PromptRule = rule(
    "signal-method",
    "skills 3",
    "a correction of the method calls for an update",
    Layer::Active,
    &[&["correct*"], &["method", "approach", "workflow"], &["step*", "order"]],
    &[],
);
const SIGNAL_EFFORT: PromptRule = rule(
    "signal-effort",
    "skills 3",
    "a method found with effort calls for an update",
    Layer::Active,
    &[
        &["method*", "way", "approach", "technique"],
        &["effort", "hard way", "detour*", "debugging"],
        &["found", "find", "discover*"],
    ],
    &[],
);
const SIGNAL_WRONG_SKILL: PromptRule = rule(
    "signal-wrong-skill",
    "skills 3",
    "a skill that proved wrong calls for an update",
    Layer::Active,
    &[SKILL, &["wrong", "incorrect"], &["incomplete", "stale", "outdated"]],
    &[],
);
const PREFER_LOADED: PromptRule = rule(
    "prefer-loaded-skill",
    "skills 4a",
    "first choice: patch a skill that was loaded",
    Layer::Active,
    &[CHANGE, SKILL, &["loaded"]],
    &[],
);
const PREFER_UMBRELLA: PromptRule = rule(
    "prefer-existing-umbrella",
    "skills 4b",
    "second choice: patch an umbrella found by listing and viewing",
    Layer::Active,
    &[CHANGE, UMBRELLA, &["list*", "skills_list", "search*"], &["view*", "skill_view", "read*"]],
    &[],
);
const PREFER_FILE: PromptRule = rule(
    "prefer-supporting-file",
    "skills 4c",
    "third choice: a supporting file under an umbrella",
    Layer::Active,
    &[&["add", "put", "write"], &["support*"], UMBRELLA],
    &[],
);
const PREFER_NEW: PromptRule = rule(
    "new-umbrella-last",
    "skills 4d",
    "last choice: a new umbrella for the class",
    Layer::Active,
    &[&["create", "start", "make"], UMBRELLA, &["class", "whole"]],
    &[],
);
const KIND_REFERENCES: PromptRule = rule(
    "references-hold-detail",
    "skills 5",
    "references hold detail and knowledge",
    Layer::Active,
    &[&["references"], &["detail*", "knowledge"]],
    &[],
);
const KIND_TEMPLATES: PromptRule = rule(
    "templates-hold-starters",
    "skills 5",
    "templates hold starters to copy",
    Layer::Active,
    &[&["templates"], &["starter*", "copy", "copied", "boilerplate"]],
    &[],
);
const KIND_SCRIPTS: PromptRule = rule(
    "scripts-hold-actions",
    "skills 5",
    "scripts hold actions to run again",
    Layer::Active,
    &[&["scripts"], &["run", "rerun", "execut*"]],
    &[],
);
const PATH_BEGINS: PromptRule = rule(
    "path-begins-with-folder",
    "skills 5",
    "a supporting file's path begins with the folder",
    Layer::Active,
    &[&["path*"], &["support*"], &["begin*", "start*"], &["folder*", "director*"]],
    &[],
);
const POINTER: PromptRule = rule(
    "pointer-in-main-file",
    "skills 5",
    "the main file points to each supporting file",
    Layer::Active,
    &[&["support*"], &["pointer*", "point*"], &["skill.md", "main file"]],
    &[],
);
const NAME_CLASS_LEVEL: PromptRule = rule(
    "class-level-name",
    "skills 6",
    "a new name is class-level, no ticket, error text, codename",
    Layer::Active,
    &[&["name*"], &["class level"], &["pr number*", "pull request*", "ticket*"], &["codename*"]],
    &[NOT],
);
const NAME_ONLY_NOW: PromptRule = rule(
    "name-only-for-now",
    "skills 6",
    "a name that makes sense only now means: go back",
    Layer::Active,
    &[&["name*"], &["job", "today", "current task"], &["go back", "return", "fall back"]],
    &[],
);
const PREFERENCE_IN_SKILL: PromptRule = rule(
    "preference-in-skill",
    "skills 7",
    "how the user wants a task done belongs into its skill",
    Layer::Active,
    &[&["prefer*"], &["task*"], SKILL, &["govern*", "not only", "not just"]],
    &[],
);
const DIVISION: PromptRule = rule(
    "division-of-labour",
    "skills 7",
    "memory for the person and the present, a skill for the method",
    Layer::Active,
    &[&["memory"], &["person", "user"], &["situation", "present", "current"], SKILL, &["method*"]],
    &[],
);
const OVERLAP: PromptRule = rule(
    "overlap-to-curator",
    "skills 8",
    "mention overlapping skills, leave merging to the curator",
    Layer::Active,
    &[&["overlap*"], &["curator"]],
    &[],
);
const FOREIGN: PromptRule = harmful(rule(
    "foreign-untouched",
    "skills 9",
    "never edit bundled or hub-installed skills",
    Layer::Active,
    &[&["bundled"], &["hub*"]],
    &[NOT],
));
const PINNED_IMPROVABLE: PromptRule = rule(
    "pinned-improvable",
    "skills 9",
    "a pinned skill may be improved",
    Layer::BeforeProcedural,
    &[&["pinned"], &["improve*", "patch*", "edit*", "update*"]],
    &[],
);
const PINNED_OFF_LIMITS: PromptRule = harmful(rule(
    "pinned-off-limits",
    "skills 9",
    "pinned, external and user-owned skills are off-limits; recommend adoption",
    Layer::Procedural,
    &[&["pinned"], &["external"], &["user owned", "owned by the user", "user's own"], &["adopt*"]],
    &[&["off limits", "never", "not", "don't"]],
));
const ONLY_PROTECTED: PromptRule = rule(
    "only-protected",
    "skills 10",
    "nothing to save if only protected skills would change",
    Layer::Active,
    &[&["only"], &["protected"], &["nothing"]],
    &[],
);
const NO_ENVIRONMENT: PromptRule = harmful(rule(
    "no-environment-failures",
    "skills 11",
    "no failures that depend on the environment",
    Layer::Active,
    &[&["environment*"], &["fail*", "error*"]],
    &[NOT],
));
const NO_NEGATIVE_CLAIMS: PromptRule = harmful(rule(
    "no-negative-claims",
    "skills 11",
    "no negative claims about tools",
    Layer::Active,
    &[&["negative", "broken"], &["tool*"]],
    &[NOT],
));
const NO_TRANSIENT: PromptRule = harmful(rule(
    "no-transient-errors",
    "skills 11",
    "no transient errors that were resolved",
    Layer::Active,
    &[&["transient", "temporary", "passing", "intermittent"], &["error*", "fail*"]],
    &[NOT],
));
const NO_ONE_OFFS: PromptRule = rule(
    "no-one-off-stories",
    "skills 11",
    "no stories of one-off tasks",
    Layer::Active,
    &[&["one off*", "one time"], &["story", "stories", "narrative*", "task*"]],
    &[NOT],
);
const NO_UNRESOLVED: PromptRule = harmful(rule(
    "no-unresolved-attempts",
    "skills 11",
    "what never worked is no method",
    Layer::Procedural,
    &[
        &["never worked", "did not work", "didn't work", "never succeeded"],
        &["method*", "procedure*", "recipe*"],
    ],
    &[&["not", "don't"]],
));
const SETUP_REMEDY: PromptRule = rule(
    "setup-remedy",
    "skills 12",
    "record the remedy of a set-up failure, not the failure",
    Layer::Active,
    &[&["set up", "setup"], &["remedy", "fix", "solution"], &["fail*"]],
    &[],
);
const NOTHING_ALLOWED: PromptRule = rule(
    "nothing-is-allowed",
    "skills 13",
    "nothing-to-save is allowed but not the default",
    Layer::Push,
    &[NOTHING, &["allowed", "acceptable", "permitted", "fine"], &["default"]],
    &[],
);
const PROCEDURE_FIRST: PromptRule = rule(
    "procedure-first",
    "skills 14",
    "procedure first, pitfalls attached to steps",
    Layer::Procedural,
    &[&["procedure*"], &["first"], &["pitfall*"], &["step*"]],
    &[],
);
const PITFALL_GENERAL: PromptRule = rule(
    "pitfall-is-general",
    "skills 14",
    "a pitfall is a general rule with a short reason",
    Layer::Procedural,
    &[&["pitfall*"], &["general"], &["reason*"]],
    &[],
);
const NO_INCIDENT_DATA: PromptRule = rule(
    "no-incident-data",
    "skills 14",
    "no numbers, dates, tickets or quotes",
    Layer::Procedural,
    &[&["number*"], &["date*"], &["ticket*"], &["quote*"]],
    &[&["out", "no", "not", "never"]],
);
const ONE_RULE: PromptRule = rule(
    "one-lesson-one-rule",
    "skills 14",
    "one lesson is one rule: strengthen, do not append",
    Layer::Procedural,
    &[&["lesson"], &["one rule", "strengthen"], &["append", "add"]],
    &[],
);
const NO_REPEAT: PromptRule = rule(
    "no-repeated-context",
    "skills 14",
    "do not repeat what is always loaded",
    Layer::Procedural,
    &[&["repeat*", "restate*"], &["always loaded"]],
    &[NOT],
);
const ALWAYS_ON: PromptRule = rule(
    "always-on-in-main-file",
    "skills 14",
    "rules that are always on live in the main file",
    Layer::Procedural,
    &[&["always on", "always apply"], &["main file", "skill.md"]],
    &[],
);
const FIX_IN_PLACE: PromptRule = rule(
    "fix-in-place",
    "skills 14",
    "wrong text is fixed in place",
    Layer::Procedural,
    &[&["wrong", "incorrect"], &["in place"]],
    &[],
);
const READ_FIRST: PromptRule = rule(
    "read-before-write",
    "skills 15",
    "the exact file must be viewed before it is changed",
    Layer::ReadFirst,
    &[&["view*", "read*"], &["exact"], &["before", "first"]],
    &[&["must", "enforced", "required", "always", "refused"]],
);
const ONE_RETRY: PromptRule = rule(
    "one-retry",
    "skills 15",
    "after a refusal view once and retry once",
    Layer::ReadFirst,
    &[&["refus*"], &["once"], &["retry", "try again"]],
    &[],
);

const HARD_WON: PromptRule = rule(
    "hard-won-approach",
    "config §2, prompt style of 2026-04",
    "consider saving a way that took trial and error",
    Layer::Restrained,
    &[&["trial and error", "change of course"], &["consider"], SKILL],
    &[],
);
const UPDATE_OR_CREATE: PromptRule = rule(
    "update-or-create",
    "config §2, prompt style of 2026-04",
    "update a skill that exists, otherwise create one",
    Layer::Restrained,
    &[&["exist*"], &["update*", "patch*"], &["create*"]],
    &[],
);
const NEITHER: PromptRule = rule(
    "nothing-only-if-neither",
    "combined",
    "nothing to save only if neither dimension has anything",
    Layer::Always,
    &[NOTHING, &["neither", "none of the two"]],
    &[],
);
const ACT_ON_SIGNAL: PromptRule = rule(
    "act-on-real-signal",
    "combined",
    "act on whichever dimension has a real signal",
    Layer::Active,
    &[&["act"], &["whichever", "either"], &["signal*"]],
    &[],
);
const BOTH_STORES: PromptRule = rule(
    "both-stores",
    "combined",
    "both stores may carry lessons on preferences",
    Layer::Push,
    &[&["both"], &["prefer*"], &["memory"], SKILL],
    &[],
);

/// The skill review.
pub(super) const SKILLS: &[PromptRule] = &[
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
pub(super) const COMBINED: &[PromptRule] = &[
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
