//! The alternatives that can be compared with the reference's ways, and what differs between versions.

use serde_json::json;

use super::bench::{Bench, day};
use crate::behaviour::{Behaviour, Origin, PollIdle, Settings, Version};
use crate::curator::commands::{self, PruneAsk};
use crate::curator::{IdleReason, Poll, poll};
use crate::values::SimDuration;

fn in_place(bench: &Bench) -> Vec<&'static str> {
    ["a", "b", "c", "d"].into_iter().filter(|name| bench.has(&format!("skills/{name}"))).collect()
}

fn four(by: &str) -> Bench {
    let mut bench = Bench::careful().set("curator.ageing", by).set("curator.capacity", 2);
    for (name, uses, last) in [("a", 5, 40), ("b", 1, 100), ("c", 9, 50), ("d", 2, 60)] {
        bench.agent_skill(name, day(0, 0));
        for number in 0..uses {
            bench.usage(day(last - number, 0), |usage| usage.use_(name));
        }
        bench.usage(day(last, 0), |usage| usage.view(name));
    }
    bench
}

#[test]
fn a_bound_sends_the_least_recent_or_the_least_frequent_away() {
    for (by, left) in [
        ("timed", vec!["b"]),
        ("lru", vec!["b", "d"]),
        ("lfu", vec!["a", "c"]),
        ("off", vec!["a", "b", "c", "d"]),
    ] {
        let mut bench = four(by);
        bench.run(day(160, 0));
        assert_eq!(in_place(&bench), left, "{by}");
    }
}

#[test]
fn a_bound_spares_pinned_and_used_ones_and_counts_them() {
    let mut bench = four("lru");
    bench.usage(day(120, 0), |usage| usage.set_pinned("a", true));
    bench.jobs(&["c"]);
    bench.run(day(160, 0));
    assert_eq!(in_place(&bench), ["a", "c"], "both others go, since two places are taken");
    let mut bench = four("lru").set("curator.capacity", 0);
    bench.run(day(160, 0));
    assert_eq!(in_place(&bench).len(), 4, "no bound");
}

#[test]
fn a_restore_may_count_as_activity_with_the_faults_on() {
    let mut bench = Bench::new().set("curator.restore_touches", true);
    bench.agent_skill("old", day(0, 0));
    bench.run(day(100, 0));
    bench.at(day(100, 1), |context| commands::restore(context, "old"));
    bench.run(day(101, 0));
    assert!(bench.has("skills/old"));
}

#[test]
fn an_age_guard_may_be_set_with_the_faults_on() {
    let mut bench = Bench::new().set("curator.merge_min_age_days", 30).set("curator.consolidate", true);
    bench.agent_skill("new", day(0, 0));
    let start = bench.begin(day(29, 0));
    assert!(start.is_young("new") && start.ask().is_none());
    assert!(!bench.begin(day(30, 0)).is_young("new"));
}

#[test]
fn callers_measure_only_if_told_to() {
    let settings = Settings::new(Version::V0_19);
    let mut rules = Behaviour::resolve(&settings).curator;
    let measured = SimDuration::from_secs(60);
    assert_eq!(rules.poll_idle.passed(measured), None);
    rules.poll_idle = PollIdle::Measured;
    let idle = rules.poll_idle.passed(measured).map(SimDuration::as_secs_f64);
    let mut bench = Bench::new();
    bench.poll(day(0, 0));
    let found = poll(&mut bench.state.gate, &mut bench.home, &rules, day(10, 0), idle);
    assert_eq!(found, Poll::Idle(IdleReason::Busy));
}

#[test]
fn versions_take_snapshots_adopt_and_prune_their_own_way() {
    for (version, snapshots, adopts) in [
        (Version::V0_13, 1, 2),
        (Version::V0_16, 1, 2),
        (Version::V0_19, 1, 2),
        (Version::September2026, 0, 0),
    ] {
        let mut bench = Bench::of(Settings::new(version)).set("curator.consolidate", false);
        bench.agent_skill("made", day(0, 0));
        bench.put("skills/mine/SKILL.md", &super::bench::skill_text("mine"));
        bench.run(day(1, 0));
        assert_eq!(bench.snapshots(day(1, 0)).len(), snapshots, "{version}");
        assert_eq!(bench.at(day(1, 0), |context| commands::adopt(context, "mine")).exit, adopts, "{version}");
        let ask = PruneAsk { days: None, dry_run: true, confirmed: false };
        let listed = bench.at(day(40, 0), |context| commands::prune(context, ask)).listed.len();
        assert_eq!(listed, if adopts == 0 { 2 } else { 0 }, "{version}");
    }
}

#[test]
fn an_adopted_skill_keeps_its_dates() {
    let mut bench = Bench::of(Settings::new(Version::September2026));
    bench.put("skills/mine/SKILL.md", &super::bench::skill_text("mine"));
    bench.usage(day(0, 0), |usage| usage.count_view("mine"));
    bench.run(day(40, 0));
    assert!(bench.has("skills/mine"), "nobody looks after it");
    assert_eq!(bench.at(day(40, 0), commands::unmanaged), ["mine"]);
    let answer = bench.at(day(40, 0), |context| commands::adopt(context, "mine"));
    assert_eq!((answer.exit, answer.facts.len()), (0, 1));
    bench.run(day(40, 1));
    assert!(bench.has("skills/.archive/mine"), "40 days are past 30");
    for (name, kind) in [("plan", "not_found"), ("none", "not_found")] {
        let answer = bench.at(day(41, 0), |context| commands::adopt(context, name));
        assert_eq!(answer.kind, Some(kind), "{name}");
    }
}

#[test]
fn git_directories_stay_out_of_later_snapshots_and_survive_a_rollback() {
    for (git, ours) in [(true, "old"), (false, "new")] {
        let mut bench = Bench::careful().set("curator.backup.git", git);
        bench.agent_skill("a", day(0, 0));
        bench.put("skills/a/.git/HEAD", "old");
        bench.put("skills/.git/HEAD", "old");
        bench.at(day(1, 0), |context| context.snapshot("test"));
        bench.put("skills/a/.git/HEAD", "new");
        bench.put("skills/.git/HEAD", "new");
        bench.put("skills/a/SKILL.md", "changed");
        assert!(bench.at(day(2, 0), |context| context.rollback(None)).is_ok());
        assert_eq!(bench.text("skills/a/.git/HEAD"), ours);
        assert_eq!(bench.text("skills/.git/HEAD"), ours);
        assert_ne!(bench.text("skills/a/SKILL.md"), "changed");
    }
}

#[test]
fn an_early_version_counts_archived_skills_in_a_snapshot() {
    for (version, count) in [(Version::V0_13, 2), (Version::V0_19, 1)] {
        let mut bench = Bench::of(Settings::new(version));
        bench.agent_skill("a", day(0, 0));
        bench.put("skills/.archive/old/SKILL.md", "x");
        let listed = bench.at(day(1, 0), |context| {
            context.snapshot("test");
            context.snapshots()
        });
        assert_eq!(listed[0].skill_files(), Some(count), "{version}");
    }
}

#[test]
fn a_limit_beyond_all_dates_stops_a_run_and_says_which() {
    let mut bench = Bench::new();
    bench.settings.overlay_home(&json!({"curator": {"archive_after_days": 1_000_000}}));
    bench.agent_skill("a", day(0, 0));
    let error = bench.at(day(1, 0), |context| crate::curator::run_timed(context, false, false)).unwrap_err();
    assert_eq!(error.to_string(), "`curator.archive_after_days` reaches beyond the years 1 to 9999");
}

#[test]
fn a_version_without_a_curator_has_no_commands_either() {
    let mut settings = Settings::new(Version::April2026);
    settings.faults_off(&Origin::CommandLine);
    let mut bench = Bench::of(settings);
    bench.put("skills/a/SKILL.md", &super::bench::skill_text("a"));
    let answers = bench.at(day(0, 0), |context| {
        [
            commands::pin(context, "a", true),
            commands::pause(context, true),
            commands::archive(context, "a"),
            commands::restore(context, "a"),
            commands::adopt(context, "a"),
        ]
    });
    assert!(answers.iter().all(|answer| answer.exit == 2 && answer.facts.is_empty()));
    assert!(!bench.has("skills/.curator_state") && bench.has("skills/a"));
}
