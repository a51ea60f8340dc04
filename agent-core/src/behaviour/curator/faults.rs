//! Fault switches of the curator.

use super::super::faults::FaultRow;

/// In every version that has a curator.
const ALL: [bool; 5] = [false, true, true, true, true];
/// Mended in the newest version.
const MENDED: [bool; 5] = [false, true, true, true, false];
/// Mended before 0.19.
const EARLY: [bool; 5] = [false, true, true, false, false];
/// Since 0.19.
const LATE: [bool; 5] = [false, false, false, true, true];
/// Since built-ins take part.
const BUILTINS: [bool; 5] = [false, false, true, true, true];
/// Mended before all known versions.
const ONCE: [bool; 5] = [false; 5];

pub(in crate::behaviour) const FAULTS: &[FaultRow] = &[
    // When a run starts.
    FaultRow {
        name: "first_sight_is_due",
        versions: ONCE,
        field: "curator.first_sight",
        on: "the first poll of a home that never had a run starts one at once",
        off: "the first poll only starts the clock",
        report: "NousResearch/hermes-agent#18373",
    },
    FaultRow {
        name: "undecodable_state_stops_curator",
        versions: ALL,
        field: "curator.undecodable_state",
        on: "a state file that is not UTF-8 stops all automatic runs until somebody removes it",
        off: "it counts as damaged: the clock starts anew",
        report: "spec/curator.md §3",
    },
    // Who ages.
    FaultRow {
        name: "own_skills_aged",
        versions: ONCE,
        field: "curator.ageing.own_skills",
        on: "skills that the user made age like the agent's own",
        off: "only what the agent made, what was adopted, and built-ins age",
        report: "NousResearch/hermes-agent#18373",
    },
    FaultRow {
        name: "job_skills_unprotected",
        versions: EARLY,
        field: "curator.ageing.protect_job_skills",
        on: "skills of scheduled jobs age like others, and a job then points at nothing",
        off: "a skill named by a job does not age",
        report: "spec/curator.md §18",
    },
    FaultRow {
        name: "damaged_jobs_unprotect",
        versions: LATE,
        field: "curator.ageing.hold_on_bad_jobs",
        on: "while the store of jobs cannot be read, no skill counts as used by a job",
        off: "while it cannot be read, nothing is marked stale or archived by time",
        report: "spec/curator.md §12",
    },
    FaultRow {
        name: "builtins_aged_at_first_sight",
        versions: BUILTINS,
        field: "curator.ageing.builtin_clock",
        on: "a built-in's clock starts with its telemetry, so the first run may mark it stale or archive it",
        off: "it starts when the curator first sees it",
        report: "spec/curator.md §6 and §18",
    },
    FaultRow {
        name: "restored_skill_archived_again",
        versions: ALL,
        field: "curator.ageing.restore_counts",
        on: "a restored skill keeps its old dates, and the next run archives it again",
        off: "a restore counts as activity",
        report: "spec/curator.md §16 H1",
    },
    FaultRow {
        name: "background_reads_count_as_use",
        versions: ALL,
        field: "curator.background_reads",
        on: "what a review or a pass reads counts as viewed and used, so that a pass resets the age of all it reads",
        off: "such reads are counted apart and leave the clock alone",
        report: "spec/curator.md §16 H2",
    },
    FaultRow {
        name: "edits_are_no_activity",
        versions: ONCE,
        field: "curator.ageing.anchor",
        on: "only uses count as activity; a skill that is viewed and patched daily goes stale",
        off: "the newest of use, view and patch counts",
        report: "NousResearch/hermes-agent#17782, #17952",
    },
    FaultRow {
        name: "odd_counter_stops_run",
        versions: LATE,
        field: "curator.ageing.odd_counter",
        on: "one use counter that is no number stops the run at that skill, at every poll anew",
        off: "it counts as 0",
        report: "spec/curator.md §16 H7",
    },
    FaultRow {
        name: "prune_ignores_jobs",
        versions: ALL,
        field: "curator.prune_spares_jobs",
        on: "the prune command archives skills of scheduled jobs",
        off: "it spares them",
        report: "spec/curator.md §14",
    },
    FaultRow {
        name: "builtins_unpinnable",
        versions: BUILTINS,
        field: "curator.pin_builtins",
        on: "a built-in ages but cannot be pinned",
        off: "it can be pinned like any other",
        report: "spec/curator.md §14",
    },
    // The consolidation pass.
    FaultRow {
        name: "pass_tools_unrestricted",
        versions: MENDED,
        field: "curator.pass.tools",
        on: "the pass is offered every tool of a session; only its prompt forbids them",
        off: "it is offered the three skill tools",
        report: "spec/curator.md §9",
    },
    FaultRow {
        name: "dry_run_unenforced",
        versions: ALL,
        field: "curator.pass.dry_run_enforced",
        on: "only the prompt keeps a dry run from changing the library",
        off: "a dry run is not offered the tool that changes skills",
        report: "spec/curator.md §16 H11",
    },
    FaultRow {
        name: "passes_overlap",
        versions: MENDED,
        field: "curator.pass.claim",
        on: "a second pass may start while one runs",
        off: "a claim file keeps it out, for an hour at most",
        report: "spec/curator.md §16 H10",
    },
    FaultRow {
        name: "young_skills_merged",
        versions: ALL,
        field: "curator.pass.merge_min_age_days",
        on: "a pass may merge a skill that was made yesterday, unless `curator.merge_min_age_days` says otherwise",
        off: "a skill is merged only after seven days, or what the key says",
        report: "NousResearch/hermes-agent#75317",
    },
    FaultRow {
        name: "pass_unverified",
        versions: ALL,
        field: "curator.pass.verified",
        on: "nobody looks at what a pass left; jobs follow a merge only after the whole pass",
        off: "jobs follow each merge at once, and links, absorbed content, jobs and targets are checked after the pass",
        report: "spec/curator.md §18, spec/metrics.md",
    },
    // What became of removed skills.
    FaultRow {
        name: "arguments_cut_before_classifying",
        versions: ALL,
        field: "curator.pass.arguments",
        on: "arguments are cut at 400 characters before they are looked at: long calls say nothing",
        off: "they are looked at whole and cut for the report only",
        report: "spec/curator.md §16 H5",
    },
    FaultRow {
        name: "summary_block_all_or_nothing",
        versions: ALL,
        field: "curator.pass.summary",
        on: "only the first fenced block counts, and one colon in a reason makes all of it unreadable",
        off: "the last block that has one of the lists counts, and is read line by line where it is no YAML",
        report: "spec/curator.md §16 H8",
    },
    FaultRow {
        name: "destinations_are_candidates",
        versions: ALL,
        field: "curator.pass.destinations",
        on: "a skill absorbed into one that the curator does not manage counts as pruned",
        off: "every skill that can be found after the pass is a destination",
        report: "spec/curator.md §16 H4",
    },
    FaultRow {
        name: "directory_names_mixed_up",
        versions: ALL,
        field: "curator.names",
        on: "calls name directories, candidates declared names, and the two are compared as they are",
        off: "a directory's name stands for the skill that it declares, in calls and in a restore",
        report: "spec/curator.md §16 H9",
    },
    FaultRow {
        name: "crashed_pass_prunes",
        versions: ALL,
        field: "curator.pass.unexplained",
        on: "what a failed pass removed counts as pruned, and jobs lose its names",
        off: "a removal that nothing explains leaves the jobs alone; the calls made before the failure count",
        report: "spec/curator.md §16 H3",
    },
    FaultRow {
        name: "jobs_follow_only_with_report",
        versions: ALL,
        field: "curator.jobs.need_report",
        on: "if the report's folder cannot be made, jobs keep the names of merged skills",
        off: "jobs follow all the same",
        report: "spec/curator.md §16 H6",
    },
    FaultRow {
        name: "jobs_never_follow",
        versions: ONCE,
        field: "curator.jobs.follow",
        on: "jobs keep the names of merged skills",
        off: "jobs follow a merge",
        report: "NousResearch/hermes-agent#26326, #18671",
    },
    FaultRow {
        name: "slashed_job_names_stay",
        versions: ALL,
        field: "curator.jobs.slashes",
        on: "a job's skill written with a leading slash is protected but does not follow a merge",
        off: "it follows as well",
        report: "spec/curator.md §12",
    },
    // Snapshots.
    FaultRow {
        name: "job_store_mark_kept",
        versions: EARLY,
        field: "curator.backup.accept_mark",
        on: "a store of jobs that begins with a byte order mark counts as damaged in snapshots, and a rollback gives no \
             job its skills back",
        off: "the mark is removed",
        report: "spec/curator-backup.md §8",
    },
    FaultRow {
        name: "stranded_tree_deleted",
        versions: ALL,
        field: "curator.backup.stranded",
        on: "the next snapshot deletes what an interrupted rollback left in staging, be it the only copy",
        off: "it is brought back where that is possible, else kept and reported",
        report: "spec/curator-backup.md §3",
    },
    FaultRow {
        name: "rollback_without_safety_copy",
        versions: MENDED,
        field: "curator.backup.needs_safety",
        on: "a rollback goes on if its safety snapshot could not be taken",
        off: "it refuses",
        report: "spec/curator-backup.md §5",
    },
    FaultRow {
        name: "rollback_may_age_out_target",
        versions: EARLY,
        field: "curator.backup.protect_target",
        on: "the safety snapshot of a rollback may push out the very snapshot that is to be restored",
        off: "the target is kept",
        report: "spec/curator-backup.md §8",
    },
    FaultRow {
        name: "rollback_extracts_in_place",
        versions: MENDED,
        field: "curator.backup.extraction",
        on: "an archive is unpacked into the live tree, and a failure leaves traces or the whole tree in staging",
        off: "it is checked and unpacked aside, then swapped in; any failure leaves the exact tree from before",
        report: "spec/curator-backup.md §5",
    },
    FaultRow {
        name: "rollback_makes_run_due",
        versions: ALL,
        field: "curator.backup.keep_schedule",
        on: "a rollback brings back the old schedule: the run that was undone is due again at once",
        off: "the later date of the last run stays",
        report: "spec/curator-backup.md §5",
    },
];
