//! The curator (`spec/curator.md`, `spec/curator-backup.md`).

mod faults;
mod rows;

use super::convert::{to_float, to_int};
use super::settings::Settings;
use super::table::Preset;
use crate::text::truthy;
use crate::values::SimDuration;

pub(super) use faults::FAULTS;
pub(super) use rows::ROWS;

/// How old a skill must be before a pass may merge it, where nothing else is said and the guard is on. Ours: the
/// report asks for an age and names none; a week is one interval of runs.
const MERGE_AGE_DAYS: i64 = 7;

/// The idle time that the curator's callers pass (`spec/curator.md` §4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PollIdle {
    /// None was measured, so the test always passes.
    Infinite,
    /// The time since the last activity.
    Measured,
}

impl PollIdle {
    /// What a caller that measured this much passes to the gate.
    pub fn passed(self, measured: SimDuration) -> Option<SimDuration> {
        (self == Self::Measured).then_some(measured)
    }
}

/// What the first poll of a home without a run does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstSight {
    /// It starts the clock.
    Seed,
    /// It starts a run.
    Due,
}

/// What a state file that is not UTF-8 means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndecodableState {
    /// No automatic run.
    Stops,
    /// The same as any damaged file.
    Damaged,
}

/// What sends skills to the archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgeingBy {
    /// Time without activity.
    Time,
    /// A bound on the number of skills: the least recently active goes first.
    LeastRecent,
    /// A bound on the number of skills: the least often active goes first.
    LeastFrequent,
    /// Nothing.
    Nothing,
}

/// From when a built-in ages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltinClock {
    /// From the dates of its record, whoever made it.
    Record,
    /// If it was never active, from when the curator first saw it.
    IdleAnew,
    /// From when the curator first saw it, at the earliest.
    FirstSight,
}

/// Which dates count as activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnchorFrom {
    /// The newest of use, view and patch.
    Newest,
    /// The last use alone.
    Use,
}

/// What a use counter that is no number does to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OddCounter {
    /// It stops the run at that skill.
    Stops,
    /// It counts as 0.
    Zero,
}

/// A trial of new skills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probation {
    /// How many days a new skill is on trial.
    pub days: i64,
    /// Uses that end the trial well.
    pub uses_min: i64,
}

/// Who ages, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent rules of one version")]
pub struct AgeingRules {
    /// What sends skills to the archive.
    pub by: AgeingBy,
    /// How many skills ageing by number leaves in place; none for no bound.
    pub capacity: Option<usize>,
    /// Days without activity from active to stale. Zero and less are used as they are.
    pub stale_after_days: i64,
    /// Days without activity to the archive. Zero and less are used as they are.
    pub archive_after_days: i64,
    /// Whether a never-used skill younger than the limit of staleness is never archived.
    pub unused_grace: bool,
    /// From when a built-in ages.
    pub builtin_clock: BuiltinClock,
    /// Which dates count as activity.
    pub anchor: AnchorFrom,
    /// Whether a restore counts as activity.
    pub restore_counts: bool,
    /// What a use counter that is no number does.
    pub odd_counter: OddCounter,
    /// Whether skills of scheduled jobs do not age.
    pub protect_job_skills: bool,
    /// Whether nothing ages while the store of jobs cannot be read.
    pub hold_on_bad_jobs: bool,
    /// Whether skills age that the user made.
    pub own_skills: bool,
    /// The trial of new skills, if there is one.
    pub probation: Option<Probation>,
}

/// Which tools a pass is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassTools {
    /// Those of a session.
    All,
    /// The three skill tools.
    Skills,
}

/// Which calls' arguments are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeenArguments {
    /// Their first 400 characters.
    Cut,
    /// All of them.
    Whole,
}

/// How the structured block of a summary is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SummaryReading {
    /// The first block, as YAML or not at all.
    Strict,
    /// The last block that has one of the lists, line by line where it is no YAML.
    Tolerant,
}

/// Where a removed skill may have gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destinations {
    /// To the curator's candidates.
    Candidates,
    /// To every skill that can be found after the pass.
    Found,
}

/// The consolidation pass.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent rules of one version")]
pub struct PassRules {
    /// Which tools it is offered.
    pub tools: PassTools,
    /// Whether a dry run is not offered the tool that changes skills.
    pub dry_run_enforced: bool,
    /// Whether the list of candidates says which are used by scheduled jobs.
    pub list_jobs: bool,
    /// Days that a skill must have existed before it may be merged; 0 or less is no guard.
    pub merge_min_age_days: i64,
    /// Whether a claim keeps a second pass out.
    pub claim: bool,
    /// Whether its work is checked, and each merge carries its jobs with it.
    pub verified: bool,
    /// Which calls' arguments are looked at.
    pub arguments: SeenArguments,
    /// How the summary is read.
    pub summary: SummaryReading,
    /// Where a removed skill may have gone.
    pub destinations: Destinations,
    /// Whether an unexplained removal takes the name out of jobs, and a failed pass forgets its calls.
    pub drop_unexplained: bool,
}

/// What becomes of scheduled jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobRules {
    /// Whether they follow a merge.
    pub follow: bool,
    /// Whether they do so only if there is a report.
    pub need_report: bool,
    /// Whether a name with leading slashes follows as well.
    pub slashes: bool,
}

/// Before which runs a snapshot is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnapshotBefore {
    /// None.
    Nothing,
    /// Every one that may change something.
    EveryRun,
    /// Those with a consolidation pass; other runs only age old snapshots out.
    Consolidation,
}

/// How a rollback unpacks a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extraction {
    /// Into the live tree, member by member.
    InPlace,
    /// Aside, then swapped in.
    Aside,
}

/// Snapshots and rollback.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent rules of one version")]
pub struct BackupRules {
    /// Whether snapshots are taken at all.
    pub enabled: bool,
    /// How many are kept; at least 1.
    pub keep: usize,
    /// Before which runs one is taken.
    pub before: SnapshotBefore,
    /// Whether they hold `.git` directories.
    pub git: bool,
    /// Whether the manifest's number of skills includes archived ones.
    pub counts_archived: bool,
    /// Whether a byte order mark before the store of jobs is removed.
    pub accept_mark: bool,
    /// Whether trees that an interrupted rollback left in staging are deleted unseen.
    pub delete_stranded: bool,
    /// Whether a rollback refuses without a safety snapshot.
    pub needs_safety: bool,
    /// Whether the target of a rollback is kept by its safety snapshot.
    pub protect_target: bool,
    /// How an archive is unpacked.
    pub extraction: Extraction,
    /// Whether a rollback keeps the later date of the last run.
    pub keep_schedule: bool,
}

/// What reads by reviews and passes count as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackgroundReads {
    /// A view and a use like any other.
    Use,
    /// Nothing but themselves.
    Apart,
}

/// The curator.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "independent rules of one version")]
pub struct CuratorRules {
    /// Whether there is one.
    pub available: bool,
    /// Whether runs may start.
    pub enabled: bool,
    /// Hours from run to run. Zero and less are used as they are.
    pub interval_hours: i64,
    /// Hours without activity before a run, where they were measured.
    pub min_idle_hours: f64,
    /// The idle time that the callers pass.
    pub poll_idle: PollIdle,
    /// What the first poll does.
    pub first_sight: FirstSight,
    /// What a state file that is not UTF-8 means.
    pub undecodable_state: UndecodableState,
    /// Who ages, and how.
    pub ageing: AgeingRules,
    /// Whether built-ins take part.
    pub builtins: bool,
    /// Whether a run asks a model to consolidate.
    pub consolidate: bool,
    /// The consolidation pass.
    pub pass: PassRules,
    /// What becomes of scheduled jobs.
    pub jobs: JobRules,
    /// Snapshots and rollback.
    pub backup: BackupRules,
    /// What reads by reviews and passes count as.
    pub background_reads: BackgroundReads,
    /// Whether a directory's name stands for the skill that it declares.
    pub match_directories: bool,
    /// Whether a skill can be handed over.
    pub adopt: bool,
    /// Whether built-ins can be pinned.
    pub pin_builtins: bool,
    /// Days of the prune command without an argument.
    pub prune_days: i64,
    /// Whether the prune command spares skills of scheduled jobs.
    pub prune_spares_jobs: bool,
    /// Provider and model of its own, if it is routed.
    pub route: Option<(String, String)>,
    /// How long to wait for one answer.
    pub timeout: SimDuration,
}

impl CuratorRules {
    pub(super) fn resolve(settings: &Settings) -> Self {
        let fault = |name: &str| settings.fault(name);
        let ageing = AgeingRules::resolve(settings);
        Self {
            available: settings.bool_or("curator.available", false),
            enabled: truthy(settings.value("curator.enabled")),
            interval_hours: int(settings, "curator.interval_hours"),
            min_idle_hours: float(settings, "curator.min_idle_hours"),
            poll_idle: match settings.text("curator.poll_idle") {
                "measured" => PollIdle::Measured,
                _ => PollIdle::Infinite,
            },
            first_sight: if fault("first_sight_is_due") { FirstSight::Due } else { FirstSight::Seed },
            undecodable_state: if fault("undecodable_state_stops_curator") {
                UndecodableState::Stops
            } else {
                UndecodableState::Damaged
            },
            builtins: truthy(settings.value("curator.prune_builtins")),
            consolidate: truthy(settings.value("curator.consolidate")),
            pass: PassRules::resolve(settings),
            jobs: JobRules {
                follow: !fault("jobs_never_follow"),
                need_report: fault("jobs_follow_only_with_report"),
                slashes: !fault("slashed_job_names_stay"),
            },
            backup: BackupRules::resolve(settings),
            background_reads: if fault("background_reads_count_as_use") {
                BackgroundReads::Use
            } else {
                BackgroundReads::Apart
            },
            match_directories: !fault("directory_names_mixed_up"),
            adopt: settings.bool_or("curator.adopt", false),
            pin_builtins: !fault("builtins_unpinnable"),
            prune_days: to_int(settings.value("curator.prune_days")).unwrap_or(ageing.archive_after_days),
            prune_spares_jobs: !fault("prune_ignores_jobs"),
            route: route(settings, "auxiliary.curator").or_else(|| route(settings, "curator.auxiliary")),
            timeout: seconds(int(settings, "auxiliary.curator.timeout")),
            ageing,
        }
    }
}

impl AgeingRules {
    fn resolve(settings: &Settings) -> Self {
        let fault = |name: &str| settings.fault(name);
        let clock = match settings.text("curator.builtin_clock") {
            _ if !fault("builtins_aged_at_first_sight") => BuiltinClock::FirstSight,
            "idle_anew" => BuiltinClock::IdleAnew,
            _ => BuiltinClock::Record,
        };
        let days = int(settings, "curator.observation_days");
        let uses_min = int(settings, "curator.min_uses");
        Self {
            by: match settings.text("curator.ageing") {
                "lru" => AgeingBy::LeastRecent,
                "lfu" => AgeingBy::LeastFrequent,
                "off" => AgeingBy::Nothing,
                _ => AgeingBy::Time,
            },
            capacity: usize::try_from(int(settings, "curator.capacity")).ok().filter(|bound| *bound > 0),
            stale_after_days: int(settings, "curator.stale_after_days"),
            archive_after_days: int(settings, "curator.archive_after_days"),
            unused_grace: settings.bool_or("curator.unused_grace", false),
            builtin_clock: clock,
            anchor: if fault("edits_are_no_activity") { AnchorFrom::Use } else { AnchorFrom::Newest },
            restore_counts: truthy(settings.value("curator.restore_touches"))
                || !fault("restored_skill_archived_again"),
            odd_counter: if fault("odd_counter_stops_run") { OddCounter::Stops } else { OddCounter::Zero },
            protect_job_skills: !fault("job_skills_unprotected"),
            hold_on_bad_jobs: !fault("damaged_jobs_unprotect"),
            own_skills: fault("own_skills_aged"),
            probation: (days > 0).then_some(Probation { days, uses_min }),
        }
    }
}

impl PassRules {
    fn resolve(settings: &Settings) -> Self {
        let fault = |name: &str| settings.fault(name);
        let age = int(settings, "curator.merge_min_age_days");
        let guarded = age > 0 || fault("young_skills_merged");
        Self {
            tools: if fault("pass_tools_unrestricted") { PassTools::All } else { PassTools::Skills },
            dry_run_enforced: !fault("dry_run_unenforced"),
            list_jobs: settings.bool_or("curator.list_jobs", false),
            merge_min_age_days: if guarded { age } else { MERGE_AGE_DAYS },
            claim: !fault("passes_overlap"),
            verified: !fault("pass_unverified"),
            arguments: if fault("arguments_cut_before_classifying") {
                SeenArguments::Cut
            } else {
                SeenArguments::Whole
            },
            summary: if fault("summary_block_all_or_nothing") {
                SummaryReading::Strict
            } else {
                SummaryReading::Tolerant
            },
            destinations: if fault("destinations_are_candidates") {
                Destinations::Candidates
            } else {
                Destinations::Found
            },
            drop_unexplained: fault("crashed_pass_prunes"),
        }
    }
}

impl BackupRules {
    fn resolve(settings: &Settings) -> Self {
        let fault = |name: &str| settings.fault(name);
        Self {
            enabled: truthy(settings.value("curator.backup.enabled")),
            keep: usize::try_from(int(settings, "curator.backup.keep")).unwrap_or(0).max(1),
            before: match settings.text("curator.snapshot") {
                "never" => SnapshotBefore::Nothing,
                "consolidation" => SnapshotBefore::Consolidation,
                _ => SnapshotBefore::EveryRun,
            },
            git: settings.bool_or("curator.backup.git", true),
            counts_archived: settings.bool_or("curator.backup.counts_archived", false),
            accept_mark: !fault("job_store_mark_kept"),
            delete_stranded: fault("stranded_tree_deleted"),
            needs_safety: !fault("rollback_without_safety_copy"),
            protect_target: !fault("rollback_may_age_out_target"),
            extraction: if fault("rollback_extracts_in_place") {
                Extraction::InPlace
            } else {
                Extraction::Aside
            },
            keep_schedule: !fault("rollback_makes_run_due"),
        }
    }
}

/// A whole number; what cannot be converted gives the version's own.
fn int(settings: &Settings, key: &str) -> i64 {
    to_int(settings.value(key)).unwrap_or_else(|| match preset(settings, key) {
        Preset::Int(number) => number,
        _ => 0,
    })
}

/// A number; what cannot be converted gives the version's own.
fn float(settings: &Settings, key: &str) -> f64 {
    to_float(settings.value(key)).or_else(|| to_float(&preset(settings, key).to_value())).unwrap_or(0.0)
}

/// A span of so many seconds; none for negative ones.
fn seconds(seconds: i64) -> SimDuration {
    SimDuration::from_millis(u64::try_from(seconds).unwrap_or(0).saturating_mul(1000))
}

fn preset(settings: &Settings, key: &str) -> Preset {
    ROWS.iter().find(|row| row.key == key).map_or(Preset::None, |row| row.preset(settings.version()))
}

/// Provider and model of a slot, if both are named (`spec/curator.md` §2).
fn route(settings: &Settings, slot: &str) -> Option<(String, String)> {
    let provider = settings.text(&format!("{slot}.provider"));
    let model = settings.text(&format!("{slot}.model"));
    let named = !matches!(provider, "" | "auto") && !model.is_empty();
    named.then(|| (provider.to_owned(), model.to_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{Origin, Version};
    use super::*;

    fn with(version: Version, config: &serde_json::Value) -> CuratorRules {
        let mut settings = Settings::new(version);
        settings.overlay_home(config);
        CuratorRules::resolve(&settings)
    }

    #[test]
    fn odd_values_follow_the_references_conversions() {
        let odd = json!({"curator": {
            "enabled": "false", "interval_hours": "24.9", "min_idle_hours": "x", "stale_after_days": "14",
            "archive_after_days": 30.9, "backup": {"keep": -3}, "consolidate": [0]
        }});
        let rules = with(Version::V0_19, &odd);
        assert!(rules.enabled && rules.consolidate);
        assert_eq!((rules.interval_hours, rules.backup.keep), (168, 1));
        assert_eq!((rules.ageing.stale_after_days, rules.ageing.archive_after_days), (14, 30));
        assert!((rules.min_idle_hours - 2.0).abs() < f64::EPSILON);
        let rules =
            with(Version::September2026, &json!({"curator": {"stale_after_days": null, "enabled": null}}));
        assert!(!rules.enabled);
        assert_eq!(rules.ageing.stale_after_days, 14);
    }

    #[test]
    fn a_section_that_is_no_mapping_counts_as_empty() {
        for section in [json!(null), json!("off"), json!([1])] {
            assert_eq!(with(Version::V0_19, &json!({"curator": section})), with(Version::V0_19, &json!({})));
        }
    }

    #[test]
    fn versions_differ_as_their_table_says() {
        let rules = Version::ALL.map(|version| with(version, &json!({})));
        let limits =
            rules.each_ref().map(|rules| (rules.ageing.stale_after_days, rules.ageing.archive_after_days));
        assert_eq!(limits, [(30, 90), (30, 90), (30, 90), (30, 90), (14, 30)]);
        assert_eq!(rules.each_ref().map(|rules| rules.available), [false, true, true, true, true]);
        assert_eq!(rules.each_ref().map(|rules| rules.consolidate), [false, true, true, false, false]);
        assert_eq!(
            rules.each_ref().map(|rules| rules.ageing.protect_job_skills),
            [true, false, false, true, true]
        );
        assert_eq!(rules.each_ref().map(|rules| rules.prune_days), [90, 90, 90, 90, 30]);
        assert_eq!(rules[4].backup.before, SnapshotBefore::Consolidation);
        assert_eq!(rules[4].ageing.builtin_clock, BuiltinClock::IdleAnew);
        assert_eq!((rules[3].pass.tools, rules[4].pass.tools), (PassTools::All, PassTools::Skills));
    }

    #[test]
    fn with_faults_off_every_version_is_careful() {
        for version in Version::ALL {
            let mut settings = Settings::new(version);
            settings.faults_off(&Origin::CommandLine);
            let rules = CuratorRules::resolve(&settings);
            assert!(rules.pass.verified && rules.pass.dry_run_enforced && rules.backup.needs_safety);
            assert_eq!(rules.ageing.builtin_clock, BuiltinClock::FirstSight);
            assert_eq!(rules.pass.merge_min_age_days, MERGE_AGE_DAYS);
            assert_eq!(rules.first_sight, FirstSight::Seed);
        }
    }

    #[test]
    fn a_model_of_its_own_needs_both_names() {
        let both = json!({"auxiliary": {"curator": {"provider": "p", "model": "m"}}, "curator": {"auxiliary": {"provider": "q", "model": "n"}}});
        assert_eq!(with(Version::V0_19, &both).route, Some(("p".to_owned(), "m".to_owned())));
        let old = json!({"auxiliary": {"curator": {"provider": "auto", "model": "m"}}, "curator": {"auxiliary": {"provider": "q", "model": "n"}}});
        assert_eq!(with(Version::V0_19, &old).route, Some(("q".to_owned(), "n".to_owned())));
        assert_eq!(with(Version::V0_19, &json!({})).route, None);
    }
}
