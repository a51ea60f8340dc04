//! The rules of the consolidation prompt (`spec/curator.md` §17).

use super::{Group, Layer, PromptRule};

/// Words that forbid.
const NOT: Group = &["not", "never", "no", "don't", "neither", "nor"];
/// Words that leave something as it is.
const ALONE: Group = &["alone", "never", "not", "don't", "skip", "untouched"];
const UMBRELLA: Group = &["umbrella*"];

const fn rule(
    name: &'static str,
    source: &'static str,
    about: &'static str,
    topic: &'static [Group],
    force: &'static [Group],
) -> PromptRule {
    PromptRule { name, source, about, harm: false, layer: Layer::Always, topic, force }
}

const fn harmful(rule: PromptRule) -> PromptRule {
    PromptRule { harm: true, ..rule }
}

const fn when(layer: Layer, rule: PromptRule) -> PromptRule {
    PromptRule { layer, ..rule }
}

/// Rules 1 to 31 and 36 to 41.
pub(super) const RULES: &[PromptRule] = &[
    rule(
        "umbrella-building",
        "curator 1",
        "the pass builds umbrellas; it is no audit and no search for duplicates",
        &[&["consolidat*"], UMBRELLA, &["audit", "duplicate*"]],
        &[NOT],
    ),
    rule(
        "class-level-library",
        "curator 2",
        "many narrow skills are a failure of the library",
        &[&["class level"], &["library"], &["narrow"], &["failure", "fails"]],
        &[],
    ),
    rule(
        "descriptions-are-searched",
        "curator 3",
        "one broad skill is found better than several narrow ones",
        &[&["description*"], &["broad"], &["found", "find*", "discover*"]],
        &[],
    ),
    rule(
        "target-shape",
        "curator 4",
        "rich main file with references, templates, scripts",
        &[&["rich"], &["references"], &["templates"], &["scripts"]],
        &[],
    ),
    harmful(rule(
        "foreign-untouched",
        "curator 5",
        "never touch bundled, hub-installed or external skills",
        &[&["bundled"], &["hub*"], &["external"]],
        &[NOT],
    )),
    harmful(rule(
        "archive-is-strongest",
        "curator 6",
        "never delete; archiving is the strongest act",
        &[&["archiv*"], &["strongest", "most drastic", "furthest"]],
        &[NOT, &["delet*", "remov*"]],
    )),
    harmful(rule("pinned-untouched", "curator 7", "leave pinned skills alone", &[&["pinned"]], &[ALONE])),
    harmful(rule(
        "protected-untouched",
        "curator 8",
        "leave protected built-ins alone, as merge targets too",
        &[&["protected"], &["built in*", "builtin*"]],
        &[ALONE, &["target*", "into them"]],
    )),
    harmful(when(
        Layer::Jobs,
        rule(
            "job-skills-not-archived",
            "curator 9",
            "never archive a skill of a scheduled job; merging is allowed",
            &[&["cron", "scheduled"], &["archive", "archived", "prune", "pruned"]],
            &[NOT],
        ),
    )),
    harmful(rule(
        "counters-no-argument",
        "curator 10",
        "usage counters do not speak against merging",
        &[&["usage", "counter*", "counts"], &["merg*"], &["content", "argument", "reason"]],
        &[NOT],
    )),
    harmful(rule(
        "unused-no-argument",
        "curator 11",
        "zero uses do not speak for pruning; no never-used skill under 30 days",
        &[&["zero use*", "never used", "unused"], &["30"]],
        &[NOT],
    )),
    rule(
        "triggers-no-argument",
        "curator 12",
        "a trigger of its own does not speak against merging",
        &[&["trigger*"], &["maintainer*"], &["section*"]],
        &[],
    ),
    rule(
        "find-clusters",
        "curator 13",
        "scan the list for clusters by first word or domain",
        &[&["scan*", "read"], &["cluster*"], &["first word", "domain", "prefix*"]],
        &[],
    ),
    rule(
        "ask-for-the-class",
        "curator 14",
        "ask for the umbrella class, not for pairwise overlap",
        &[&["cluster*"], &["class"], &["pair*"]],
        &[],
    ),
    rule(
        "way-a-existing-umbrella",
        "curator 15",
        "a broad member becomes the umbrella, with a section for each sibling",
        &[UMBRELLA, &["section*"], &["sibling*"], &["patch*"]],
        &[],
    ),
    rule(
        "way-b-new-umbrella",
        "curator 16",
        "no member is broad enough: create a class-level skill",
        &[&["no member", "none"], &["broad"], &["create*"]],
        &[],
    ),
    rule(
        "way-c-support-files",
        "curator 17",
        "narrow but valuable detail moves to the support directory",
        &[&["move*", "demot*"], &["narrow"], &["support*"], &["valuable", "detail*"]],
        &[],
    ),
    when(
        Layer::Packages,
        rule(
            "whole-directory-first",
            "curator 18",
            "look at the complete directory before demoting or archiving",
            &[&["directory"], &["main file"], &["before"], &["demot*", "archiv*"]],
            &[],
        ),
    ),
    when(
        Layer::Packages,
        rule(
            "reference-is-no-root",
            "curator 19",
            "a file under references is no skill root; relative links break",
            &[&["references"], &["root"], &["relative link*", "links"]],
            &[],
        ),
    ),
    harmful(when(
        Layer::Packages,
        rule(
            "main-file-not-alone",
            "curator 20",
            "do not move only the main file of a package",
            &[&["support*"], &["relative link*"], &["main file"], &["unchanged", "re home*", "rewrit*"]],
            &[NOT],
        ),
    )),
    harmful(when(
        Layer::Packages,
        rule(
            "nothing-points-nowhere",
            "curator 21",
            "leave no instructions that point to files left behind",
            &[&["instruction*"], &["point*", "refer*"], &["files"]],
            &[NOT],
        ),
    )),
    rule(
        "flag-narrow-names",
        "curator 22",
        "flag names that are too narrow",
        &[&["name*"], &["narrow"], &["ticket*", "codename*"]],
        &[],
    ),
    rule(
        "iterate",
        "curator 23",
        "go on to the next umbrella; do not stop after three merges",
        &[&["iterat*", "round*"], &["next"], &["stop*"]],
        &[],
    ),
    rule(
        "toolset",
        "curator 24",
        "list and view to read, patch, create, write_file to build, delete to archive",
        &[&["skills_list"], &["skill_view"], &["patch"], &["create"], &["write_file"], &["delete"]],
        &[],
    ),
    harmful(rule(
        "delete-names-umbrella",
        "curator 25",
        "every delete names the existing umbrella",
        &[&["delete*"], &["absorbed_into"]],
        &[&["every", "each", "must", "always"], &["existing", "exists"]],
    )),
    when(
        Layer::Jobs,
        rule(
            "why-the-declaration",
            "curator 26",
            "the declaration drives the migration of job references",
            &[&["declar*", "absorbed_into"], &["cron", "job*"], &["migrat*", "rewrit*", "updat*"]],
            &[],
        ),
    ),
    rule(
        "keep-only-class-level",
        "curator 27",
        "keeping is legitimate only for class-level skills that no merge helps",
        &[&["keep*"], &["class level"], &["distinct", "merge"]],
        &[&["only"]],
    ),
    rule(
        "real-restructuring",
        "curator 28",
        "few archives mean that the pass stopped early",
        &[&["restructur*"], &["cluster*"], &["fewer", "less", "early"]],
        &[],
    ),
    rule(
        "summary-then-block",
        "curator 29",
        "a human summary, then one structured block of the exact shape",
        &[&["summary"], &["yaml"], &["consolidations"], &["prunings"]],
        &[],
    ),
    rule(
        "each-archived-once",
        "curator 30",
        "every archived skill is in exactly one list; empty lists are written out",
        &[&["archived"], &["exactly one", "exactly once"], &["empty"]],
        &[],
    ),
    rule(
        "reasons-say-why",
        "curator 31",
        "a reason is one short sentence that says why",
        &[&["reason*"], &["short"], &["why"]],
        &[],
    ),
    when(
        Layer::Distils,
        rule(
            "distil",
            "curator 36",
            "absorbed content becomes rules; moving a file is no consolidation",
            &[&["distil", "distill"], &["rules"], &["unchanged"]],
            &[NOT],
        ),
    ),
    when(
        Layer::Distils,
        rule(
            "topical-references",
            "curator 37",
            "reference files are named by topic, never one per sibling",
            &[&["reference file*"], &["topic*"], &["sibling*"]],
            &[NOT],
        ),
    ),
    when(
        Layer::Distils,
        rule(
            "large-main-file",
            "curator 38",
            "a main file above about 24,000 characters is itself a target",
            &[&["main file"], &["24 000", "24000"]],
            &[],
        ),
    ),
    when(
        Layer::Distils,
        rule(
            "trigger-in-57-characters",
            "curator 39",
            "the index cuts descriptions; put the trigger class first",
            &[&["description*"], &["57"], &["trigger*"]],
            &[],
        ),
    ),
    when(
        Layer::Distils,
        rule(
            "read-before-write",
            "curator 40",
            "read before write is enforced",
            &[&["read*", "view*"], &["exact"], &["file"]],
            &[&["enforced", "must", "required"]],
        ),
    ),
    when(
        Layer::Distils,
        rule(
            "ledgered-moves",
            "curator 41",
            "move content by steps that the ledger shows",
            &[&["write_file"], &["remove_file"], &["delete"], &["ledger"]],
            &[],
        ),
    ),
];

/// Rules 33 to 35.
pub(super) const DRY_RUN: &[PromptRule] = &[
    harmful(rule(
        "preview-changes-nothing",
        "curator 33",
        "call no changing tool, make no change to files",
        &[&["preview", "dry run"], &["tool*", "call*"], &["change*"]],
        &[NOT],
    )),
    rule(
        "preview-same-output",
        "curator 34",
        "the same summary and block, of what would be done",
        &[&["same"], &["summary", "block"], &["would"]],
        &[],
    ),
    rule(
        "own-up",
        "curator 35",
        "say so if something was changed",
        &[&["accident*", "mistake"], &["say", "report"]],
        &[],
    ),
];

/// Rule 32.
pub(super) const BUILTINS: &[PromptRule] = &[harmful(rule(
    "builtins-only-archived",
    "curator 32",
    "built-ins may only be archived; hub skills stay off-limits; only the user restores",
    &[&["built in*", "builtin*"], &["archived"], &["merged"], &["hub*"], &["restores", "restored"]],
    &[&["only"], NOT],
))];
