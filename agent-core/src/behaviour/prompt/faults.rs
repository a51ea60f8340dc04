//! The faults of the prompt's area.

use crate::behaviour::faults::FaultRow;

pub(in crate::behaviour) const FAULTS: &[FaultRow] = &[
    FaultRow {
        name: "index_snapshot_forgets_environments",
        versions: [false, false, true, true, true],
        field: "prompt.index.snapshot_keeps_environments",
        on: "the index snapshot on disk has no `environments`, so a skill that they hide shows up, without description, when the index comes from there",
        off: "the snapshot holds `environments`, and the index is the same from either source",
        report: "found by running 0.19.0 (spec/prompt.md §3.3)",
    },
    FaultRow {
        name: "index_cache_ignores_files",
        versions: [true; 5],
        field: "prompt.index.cache",
        on: "a process that built the index once does not see skills that others add or change",
        off: "a changed library gives a new index in the next session",
        report: "found by running 0.19.0 (spec/prompt.md §3.3)",
    },
    FaultRow {
        name: "review_prompt_pushes_to_save",
        versions: [false, true, true, true, true],
        field: "prompt.texts.stance",
        on: "reviews are told that saving nothing is a missed chance, and that one lesson may go to several stores",
        off: "reviews are told that most sessions need no change, and that a fact has one home",
        report: "NousResearch/hermes-agent#30220",
    },
    FaultRow {
        name: "review_prompt_trusts_observations",
        versions: [true; 5],
        field: "prompt.texts.evidence",
        on: "reviews are not told that a correction by the user outranks what a tool seemed to show",
        off: "reviews are told to check, and that the user's correction outranks a tool's output",
        report: "NousResearch/hermes-agent#25833",
    },
    FaultRow {
        name: "review_prompt_silent_on_reading",
        versions: [false, false, false, true, false],
        field: "prompt.texts.read_first",
        on: "the skill review does not say that a file must be viewed before it is changed, so writes are refused",
        off: "it says so, and to retry once after a refusal",
        report: "NousResearch/hermes-agent#58475",
    },
    FaultRow {
        name: "combined_review_lacks_upkeep",
        versions: [false, false, false, false, true],
        field: "prompt.texts.combined_upkeep",
        on: "only the memory review is told to replace and merge old entries; the combined one only saves",
        off: "one block of rules serves both",
        report: "NousResearch/hermes-agent#97471",
    },
];
