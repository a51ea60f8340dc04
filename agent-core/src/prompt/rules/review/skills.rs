//! Rules of the skill review.

use super::common::NOTHING;
use super::{CHANGE, Layer, NOT, PromptRule, SKILL, UMBRELLA, harmful, rule};

pub(super) const BE_ACTIVE: PromptRule = rule(
    "be-active",
    "skills 1",
    "most sessions justify an update; doing nothing is a missed chance",
    Layer::Push,
    &[&["most sessions", "most conversations"], &["update*", "missed", "neutral"]],
    &[],
);
pub(super) const NOTHING_IS_NORMAL: PromptRule = rule(
    "nothing-is-normal",
    "known fault 10",
    "most sessions need no change",
    Layer::Calm,
    &[&["most sessions", "most conversations"], &["no change", "nothing", "as it is"], &["normal*"]],
    &[],
);
pub(super) const ONE_HOME: PromptRule = rule(
    "one-home",
    "known fault 10",
    "a fact is kept in one place",
    Layer::Calm,
    &[&["one home", "one place", "single home"], &["memory"], SKILL],
    &[],
);
pub(super) const SHAPE: PromptRule = rule(
    "class-level-shape",
    "skills 2",
    "class-level skills, rich main file, references; no flat list of one-session skills",
    Layer::Active,
    &[&["class level"], &["rich"], &["references"], &["flat", "session*"]],
    &[],
);
pub(super) const SHAPE_DECIDES_HOW: PromptRule = rule(
    "shape-decides-how",
    "skills 2",
    "the shape decides how to update, not whether",
    Layer::Active,
    &[&["shape*"], &["how"], &["whether"]],
    &[NOT],
);
pub(super) const ANY_SIGNAL: PromptRule = rule(
    "any-signal",
    "skills 3",
    "one signal suffices",
    Layer::Active,
    &[&["any", "one"], &["signal*"], &["suffic*", "enough"]],
    &[],
);
pub(super) const SIGNAL_STYLE: PromptRule = rule(
    "signal-style",
    "skills 3",
    "a correction of style or format, or frustration, calls for an update",
    Layer::Active,
    &[&["correct*"], &["style", "tone"], &["format*", "length"], &["frustrat*"]],
    &[],
);
pub(super) const SIGNAL_METHOD: PromptRule = rule(
    "signal-method",
    "skills 3",
    "a correction of the method calls for an update",
    Layer::Active,
    &[&["correct*"], &["method", "approach", "workflow"], &["step*", "order"]],
    &[],
);
pub(super) const SIGNAL_EFFORT: PromptRule = rule(
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
pub(super) const SIGNAL_WRONG_SKILL: PromptRule = rule(
    "signal-wrong-skill",
    "skills 3",
    "a skill that proved wrong calls for an update",
    Layer::Active,
    &[SKILL, &["wrong", "incorrect"], &["incomplete", "stale", "outdated"]],
    &[],
);
pub(super) const PREFER_LOADED: PromptRule = rule(
    "prefer-loaded-skill",
    "skills 4a",
    "first choice: patch a skill that was loaded",
    Layer::Active,
    &[CHANGE, SKILL, &["loaded"]],
    &[],
);
pub(super) const PREFER_UMBRELLA: PromptRule = rule(
    "prefer-existing-umbrella",
    "skills 4b",
    "second choice: patch an umbrella found by listing and viewing",
    Layer::Active,
    &[CHANGE, UMBRELLA, &["list*", "skills_list", "search*"], &["view*", "skill_view", "read*"]],
    &[],
);
pub(super) const PREFER_FILE: PromptRule = rule(
    "prefer-supporting-file",
    "skills 4c",
    "third choice: a supporting file under an umbrella",
    Layer::Active,
    &[&["add", "put", "write"], &["support*"], UMBRELLA],
    &[],
);
pub(super) const PREFER_NEW: PromptRule = rule(
    "new-umbrella-last",
    "skills 4d",
    "last choice: a new umbrella for the class",
    Layer::Active,
    &[&["create", "start", "make"], UMBRELLA, &["class", "whole"]],
    &[],
);
pub(super) const KIND_REFERENCES: PromptRule = rule(
    "references-hold-detail",
    "skills 5",
    "references hold detail and knowledge",
    Layer::Active,
    &[&["references"], &["detail*", "knowledge"]],
    &[],
);
pub(super) const KIND_TEMPLATES: PromptRule = rule(
    "templates-hold-starters",
    "skills 5",
    "templates hold starters to copy",
    Layer::Active,
    &[&["templates"], &["starter*", "copy", "copied", "boilerplate"]],
    &[],
);
pub(super) const KIND_SCRIPTS: PromptRule = rule(
    "scripts-hold-actions",
    "skills 5",
    "scripts hold actions to run again",
    Layer::Active,
    &[&["scripts"], &["run", "rerun", "execut*"]],
    &[],
);
pub(super) const PATH_BEGINS: PromptRule = rule(
    "path-begins-with-folder",
    "skills 5",
    "a supporting file's path begins with the folder",
    Layer::Active,
    &[&["path*"], &["support*"], &["begin*", "start*"], &["folder*", "director*"]],
    &[],
);
pub(super) const POINTER: PromptRule = rule(
    "pointer-in-main-file",
    "skills 5",
    "the main file points to each supporting file",
    Layer::Active,
    &[&["support*"], &["pointer*", "point*"], &["skill.md", "main file"]],
    &[],
);
pub(super) const NAME_CLASS_LEVEL: PromptRule = rule(
    "class-level-name",
    "skills 6",
    "a new name is class-level, no ticket, error text, codename",
    Layer::Active,
    &[&["name*"], &["class level"], &["pr number*", "pull request*", "ticket*"], &["codename*"]],
    &[NOT],
);
pub(super) const NAME_ONLY_NOW: PromptRule = rule(
    "name-only-for-now",
    "skills 6",
    "a name that makes sense only now means: go back",
    Layer::Active,
    &[&["name*"], &["job", "today", "current task"], &["go back", "return", "fall back"]],
    &[],
);
pub(super) const PREFERENCE_IN_SKILL: PromptRule = rule(
    "preference-in-skill",
    "skills 7",
    "how the user wants a task done belongs into its skill",
    Layer::Active,
    &[&["prefer*"], &["task*"], SKILL, &["govern*", "not only", "not just"]],
    &[],
);
pub(super) const DIVISION: PromptRule = rule(
    "division-of-labour",
    "skills 7",
    "memory for the person and the present, a skill for the method",
    Layer::Active,
    &[&["memory"], &["person", "user"], &["situation", "present", "current"], SKILL, &["method*"]],
    &[],
);
pub(super) const OVERLAP: PromptRule = rule(
    "overlap-to-curator",
    "skills 8",
    "mention overlapping skills, leave merging to the curator",
    Layer::Active,
    &[&["overlap*"], &["curator"]],
    &[],
);
pub(super) const FOREIGN: PromptRule = harmful(rule(
    "foreign-untouched",
    "skills 9",
    "never edit bundled or hub-installed skills",
    Layer::Active,
    &[&["bundled"], &["hub*"]],
    &[NOT],
));
pub(super) const PINNED_IMPROVABLE: PromptRule = rule(
    "pinned-improvable",
    "skills 9",
    "a pinned skill may be improved",
    Layer::BeforeProcedural,
    &[&["pinned"], &["improve*", "patch*", "edit*", "update*"]],
    &[],
);
pub(super) const PINNED_OFF_LIMITS: PromptRule = harmful(rule(
    "pinned-off-limits",
    "skills 9",
    "pinned, external and user-owned skills are off-limits; recommend adoption",
    Layer::Procedural,
    &[&["pinned"], &["external"], &["user owned", "owned by the user", "user's own"], &["adopt*"]],
    &[&["off limits", "never", "not", "don't"]],
));
pub(super) const ONLY_PROTECTED: PromptRule = rule(
    "only-protected",
    "skills 10",
    "nothing to save if only protected skills would change",
    Layer::Active,
    &[&["only"], &["protected"], &["nothing"]],
    &[],
);
pub(super) const NO_ENVIRONMENT: PromptRule = harmful(rule(
    "no-environment-failures",
    "skills 11",
    "no failures that depend on the environment",
    Layer::Active,
    &[&["environment*"], &["fail*", "error*"]],
    &[NOT],
));
pub(super) const NO_NEGATIVE_CLAIMS: PromptRule = harmful(rule(
    "no-negative-claims",
    "skills 11",
    "no negative claims about tools",
    Layer::Active,
    &[&["negative", "broken"], &["tool*"]],
    &[NOT],
));
pub(super) const NO_TRANSIENT: PromptRule = harmful(rule(
    "no-transient-errors",
    "skills 11",
    "no transient errors that were resolved",
    Layer::Active,
    &[&["transient", "temporary", "passing", "intermittent"], &["error*", "fail*"]],
    &[NOT],
));
pub(super) const NO_ONE_OFFS: PromptRule = rule(
    "no-one-off-stories",
    "skills 11",
    "no stories of one-off tasks",
    Layer::Active,
    &[&["one off*", "one time"], &["story", "stories", "narrative*", "task*"]],
    &[NOT],
);
pub(super) const NO_UNRESOLVED: PromptRule = harmful(rule(
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
pub(super) const SETUP_REMEDY: PromptRule = rule(
    "setup-remedy",
    "skills 12",
    "record the remedy of a set-up failure, not the failure",
    Layer::Active,
    &[&["set up", "setup"], &["remedy", "fix", "solution"], &["fail*"]],
    &[],
);
pub(super) const NOTHING_ALLOWED: PromptRule = rule(
    "nothing-is-allowed",
    "skills 13",
    "nothing-to-save is allowed but not the default",
    Layer::Push,
    &[NOTHING, &["allowed", "acceptable", "permitted", "fine"], &["default"]],
    &[],
);
pub(super) const PROCEDURE_FIRST: PromptRule = rule(
    "procedure-first",
    "skills 14",
    "procedure first, pitfalls attached to steps",
    Layer::Procedural,
    &[&["procedure*"], &["first"], &["pitfall*"], &["step*"]],
    &[],
);
pub(super) const PITFALL_GENERAL: PromptRule = rule(
    "pitfall-is-general",
    "skills 14",
    "a pitfall is a general rule with a short reason",
    Layer::Procedural,
    &[&["pitfall*"], &["general"], &["reason*"]],
    &[],
);
pub(super) const NO_INCIDENT_DATA: PromptRule = rule(
    "no-incident-data",
    "skills 14",
    "no numbers, dates, tickets or quotes",
    Layer::Procedural,
    &[&["number*"], &["date*"], &["ticket*"], &["quote*"]],
    &[&["out", "no", "not", "never"]],
);
pub(super) const ONE_RULE: PromptRule = rule(
    "one-lesson-one-rule",
    "skills 14",
    "one lesson is one rule: strengthen, do not append",
    Layer::Procedural,
    &[&["lesson"], &["one rule", "strengthen"], &["append", "add"]],
    &[],
);
pub(super) const NO_REPEAT: PromptRule = rule(
    "no-repeated-context",
    "skills 14",
    "do not repeat what is always loaded",
    Layer::Procedural,
    &[&["repeat*", "restate*"], &["always loaded"]],
    &[NOT],
);
pub(super) const ALWAYS_ON: PromptRule = rule(
    "always-on-in-main-file",
    "skills 14",
    "rules that are always on live in the main file",
    Layer::Procedural,
    &[&["always on", "always apply"], &["main file", "skill.md"]],
    &[],
);
pub(super) const FIX_IN_PLACE: PromptRule = rule(
    "fix-in-place",
    "skills 14",
    "wrong text is fixed in place",
    Layer::Procedural,
    &[&["wrong", "incorrect"], &["in place"]],
    &[],
);
pub(super) const READ_FIRST: PromptRule = rule(
    "read-before-write",
    "skills 15",
    "the exact file must be viewed before it is changed",
    Layer::ReadFirst,
    &[&["view*", "read*"], &["exact"], &["before", "first"]],
    &[&["must", "enforced", "required", "always", "refused"]],
);
pub(super) const ONE_RETRY: PromptRule = rule(
    "one-retry",
    "skills 15",
    "after a refusal view once and retry once",
    Layer::ReadFirst,
    &[&["refus*"], &["once"], &["retry", "try again"]],
    &[],
);
