//! Each fault of gate, ageing, commands and snapshots, on and off. Those of the pass are in [`super::passes`].

use serde_json::json;

use super::bench::{Bench, content, day};
use crate::curator::backup::RollbackKind;
use crate::curator::commands::{self, PruneAsk};
use crate::curator::{IdleReason, Poll, RunAsk, RunError, RunRefused, begin_pass};
use crate::stores::{Content, FaultPlan, FaultyFiles, Files, TreePath};
use crate::values::CuratorCause;

/// A bench with all faults off but this one, or all off.
fn with(fault: &str, on: bool) -> Bench {
    Bench::careful().set(&format!("faults.{fault}"), on)
}

/// Runs a story with the fault on and off and gives both ends.
fn both<T>(fault: &str, story: impl Fn(&mut Bench) -> T) -> [T; 2] {
    [true, false].map(|on| story(&mut with(fault, on)))
}

#[test]
fn first_sight_is_due() {
    let ends = both("first_sight_is_due", |bench| bench.poll(day(0, 0)));
    assert_eq!(ends, [Poll::Due, Poll::Idle(IdleReason::Seeded)]);
}

#[test]
fn undecodable_state_stops_curator() {
    let ends = both("undecodable_state_stops_curator", |bench| {
        let state = TreePath::new("skills/.curator_state");
        bench.home.replace(&state, Content::bytes(&b"\xff"[..])).unwrap();
        bench.poll(day(0, 0))
    });
    assert_eq!(ends, [Poll::Idle(IdleReason::Damaged), Poll::Idle(IdleReason::Seeded)]);
}

#[test]
fn own_skills_aged() {
    let ends = both("own_skills_aged", |bench| {
        bench.put("skills/mine/SKILL.md", "---\nname: mine\n---\n");
        bench.usage(day(0, 0), |usage| usage.count_view("mine"));
        bench.run(day(100, 0));
        bench.has("skills/mine")
    });
    assert_eq!(ends, [false, true]);
}

#[test]
fn job_skills_unprotected() {
    let ends = both("job_skills_unprotected", |bench| {
        bench.agent_skill("daily", day(0, 0));
        bench.jobs(&["daily"]);
        bench.run(day(100, 0));
        bench.has("skills/daily")
    });
    assert_eq!(ends, [false, true]);
}

#[test]
fn damaged_jobs_unprotect() {
    let ends = both("damaged_jobs_unprotect", |bench| {
        bench.agent_skill("daily", day(0, 0));
        bench.put("cron/jobs.json", "{broken");
        bench.run(day(100, 0));
        bench.has("skills/daily")
    });
    assert_eq!(ends, [false, true]);
}

#[test]
fn restored_skill_archived_again() {
    let ends = both("restored_skill_archived_again", |bench| {
        bench.agent_skill("old", day(0, 0));
        bench.run(day(100, 0));
        assert!(bench.has("skills/.archive/old"));
        assert_eq!(bench.at(day(100, 1), |context| commands::restore(context, "old")).exit, 0);
        bench.run(day(107, 0));
        let back = bench.has("skills/old");
        bench.run(day(191, 0));
        (back, bench.has("skills/old"))
    });
    assert_eq!(ends, [(false, false), (true, false)], "it ages from its return on");
}

#[test]
fn background_reads_count_as_use() {
    let ends = both("background_reads_count_as_use", |bench| {
        bench.agent_skill("idle", day(0, 0));
        bench.usage(day(0, 0), |usage| usage.use_("idle"));
        bench.tool(day(80, 0), |context| crate::skills::view(context, &json!({"name": "idle"})));
        bench.run(day(91, 0));
        let record = bench.json("skills/.usage.json")["idle"].clone();
        (bench.has("skills/idle"), record["use_count"].clone(), record.get("background_view_count").cloned())
    });
    assert_eq!(ends, [(true, json!(2), None), (false, json!(1), Some(json!(1)))]);
}

#[test]
fn edits_are_no_activity() {
    let ends = both("edits_are_no_activity", |bench| {
        bench.agent_skill("tended", day(0, 0));
        bench.usage(day(0, 0), |usage| usage.use_("tended"));
        bench.usage(day(80, 0), |usage| usage.patch("tended"));
        bench.run(day(91, 0));
        bench.has("skills/tended")
    });
    assert_eq!(ends, [false, true]);
}

#[test]
fn odd_counter_stops_run() {
    let ends = both("odd_counter_stops_run", |bench| {
        for name in ["a", "b", "c"] {
            bench.agent_skill(name, day(0, 0));
        }
        bench.usage(day(0, 0), |usage| usage.set_field("b", "use_count", "many"));
        let ask = RunAsk { cause: CuratorCause::Poll, dry_run: false, consolidate: None };
        let ran = bench.at(day(100, 0), |context| begin_pass(context, ask).map(drop));
        let stopped = match ran {
            Err(RunRefused::Stopped(RunError::OddCounter { name, facts })) => Some((name, facts.len())),
            _ => None,
        };
        let advanced = !bench.json("skills/.curator_state")["last_run_at"].is_null();
        (stopped, ["a", "b", "c"].map(|name| bench.has(&format!("skills/{name}"))), advanced)
    });
    let stopped = Some(("b".to_owned(), 1));
    assert_eq!(ends, [(stopped, [false, true, true], false), (None, [false, false, false], true)]);
}

#[test]
fn prune_ignores_jobs() {
    let ends = both("prune_ignores_jobs", |bench| {
        bench.agent_skill("daily", day(0, 0));
        bench.jobs(&["daily"]);
        let ask = PruneAsk { days: None, dry_run: false, confirmed: true };
        bench.at(day(100, 0), |context| commands::prune(context, ask)).archived.len()
    });
    assert_eq!(ends, [1, 0]);
}

#[test]
fn builtins_unpinnable() {
    let ends = both("builtins_unpinnable", |bench| {
        bench.builtin("pdf");
        let exit = bench.at(day(0, 0), |context| commands::pin(context, "pdf", true)).exit;
        bench.run(day(0, 1));
        bench.run(day(100, 0));
        (exit, bench.has("skills/pdf"))
    });
    assert_eq!(ends, [(1, false), (0, true)]);
}

#[test]
fn job_store_mark_kept() {
    let ends = both("job_store_mark_kept", |bench| {
        bench.put("cron/jobs.json", "\u{feff}[{\"id\": \"j\"}]");
        let listed = bench.at(day(0, 0), |context| {
            context.snapshot("test");
            context.snapshots()
        });
        listed[0].manifest["cron_jobs"]["jobs_count"].clone()
    });
    assert_eq!(ends, [json!(0), json!(1)]);
}

#[test]
fn stranded_tree_deleted() {
    let place = "skills/.curator_backups/.rollback-staging-2026-01-01T00-00-00Z";
    let ends = both("stranded_tree_deleted", |bench| {
        bench.put(&format!("{place}/lost/SKILL.md"), "the only copy");
        bench.at(day(0, 0), |context| context.snapshot("test"));
        bench.has(&format!("{place}/lost/SKILL.md"))
    });
    assert_eq!(ends, [false, true]);
}

#[test]
fn rollback_without_safety_copy() {
    let ends = both("rollback_without_safety_copy", |bench| {
        bench.agent_skill("a", day(0, 0));
        bench.at(day(1, 0), |context| {
            context.snapshot("test");
            context.settle();
        });
        bench.put("skills/a/SKILL.md", "changed");
        let mut bench_off = std::mem::replace(bench, Bench::new()).set("curator.backup.enabled", false);
        let end = bench_off.at(day(2, 0), |context| context.rollback(None));
        (end.kind, bench_off.text("skills/a/SKILL.md") == "changed")
    });
    assert_eq!(ends, [(RollbackKind::Restored, false), (RollbackKind::SafetyFailed, true)]);
}

#[test]
fn rollback_may_age_out_target() {
    let ends = both("rollback_may_age_out_target", |bench| {
        *bench = std::mem::replace(bench, Bench::new()).set("curator.backup.keep", 1);
        bench.agent_skill("a", day(0, 0));
        bench.at(day(1, 0), |context| {
            context.snapshot("test");
            context.settle();
        });
        bench.put("skills/a/SKILL.md", "changed");
        let end = bench.at(day(2, 0), |context| context.rollback(None));
        (end.kind, bench.text("skills/a/SKILL.md") == "changed")
    });
    assert_eq!(ends, [(RollbackKind::ExtractFailed, true), (RollbackKind::Restored, false)]);
}

#[test]
fn rollback_extracts_in_place() {
    let ends = both("rollback_extracts_in_place", |bench| {
        bench.agent_skill("a", day(0, 0));
        bench.home.replace(&TreePath::new("skills/zz"), Content::Link("/elsewhere".to_owned())).unwrap();
        bench.at(day(1, 0), |context| context.snapshot("test"));
        bench.put("skills/a/SKILL.md", "changed");
        let before = content(&bench.home, "skills/a");
        let end = bench.at(day(2, 0), |context| context.rollback(None));
        (end.kind, content(&bench.home, "skills/a") == before)
    });
    assert_eq!(ends, [(RollbackKind::ExtractFailed, false), (RollbackKind::ExtractFailed, true)]);
}

#[test]
fn rollback_makes_run_due() {
    let ends = both("rollback_makes_run_due", |bench| {
        bench.agent_skill("a", day(0, 0));
        bench.poll(day(0, 0));
        assert_eq!(bench.poll(day(100, 0)), Poll::Due);
        bench.run(day(100, 0));
        assert!(bench.has("skills/.archive/a"));
        let end = bench.at(day(101, 0), |context| context.rollback(None));
        assert!(end.is_ok() && bench.has("skills/a"));
        bench.poll(day(101, 1))
    });
    assert_eq!(ends, [Poll::Due, Poll::Idle(IdleReason::NotDue)]);
}

#[test]
fn directory_names_mixed_up() {
    let ends = both("directory_names_mixed_up", |bench| {
        bench.put("skills/dir/SKILL.md", "---\nname: declared\n---\n");
        bench.usage(day(0, 0), |usage| usage.mark_agent_created("declared"));
        bench.run(day(100, 0));
        let exit = bench.at(day(101, 0), |context| commands::restore(context, "declared")).exit;
        let by_dir = bench.at(day(101, 0), |context| commands::restore(context, "dir")).exit;
        (exit, by_dir, bench.state_of("declared"), bench.state_of("dir"))
    });
    let state = |text: &str| text.to_owned();
    assert_eq!(ends, [(1, 0, state("archived"), state("active")), (0, 1, state("active"), state(""))]);
}

#[test]
fn a_second_copy_comes_back_by_its_declared_name_too() {
    let mut bench = Bench::careful();
    for made in [0, 200] {
        bench.put("skills/dir/SKILL.md", "---\nname: declared\n---\n");
        bench.put("skills/dir/made.txt", &made.to_string());
        bench.usage(day(made, 0), |usage| usage.begin_life("declared"));
        bench.usage(day(made, 0), |usage| usage.mark_agent_created("declared"));
        bench.run(day(made + 100, 0));
    }
    assert!(bench.has("skills/.archive/dir") && bench.has("skills/.archive/dir-20261101000000"));
    assert_eq!(bench.at(day(301, 0), |context| commands::restore(context, "declared")).exit, 0);
    assert_eq!(bench.text("skills/dir/made.txt"), "200", "the newer copy, under its plain name");
}

#[test]
fn every_fault_has_its_story() {
    let own = include_str!("faults.rs");
    let pass = include_str!("passes.rs");
    let life = include_str!("life.rs");
    let known = crate::behaviour::faults().filter(|fault| {
        ["curator.", "spec/curator"]
            .iter()
            .any(|word| fault.field.starts_with(word) || fault.report.starts_with(word))
    });
    for fault in known {
        let told = [own, pass, life].iter().any(|text| text.contains(&format!("{}\"", fault.name)));
        assert!(told, "no test turns `{}` on and off", fault.name);
    }
}

#[test]
fn a_failing_snapshot_never_stops_a_run() {
    let mut bench = Bench::careful();
    bench.agent_skill("old", day(0, 0));
    let behaviour = crate::behaviour::Behaviour::resolve(&bench.settings);
    // The first writes are those of the snapshot: its directory cannot be made.
    let mut faulty = FaultyFiles::new(&mut bench.home, FaultPlan::Once(1));
    let mut library = crate::skills::Library::open(&mut faulty, &mut [], &behaviour.skills);
    let mut context = crate::curator::CuratorContext {
        library: &mut library,
        skills: &mut bench.skills,
        state: &mut bench.state,
        behaviour: &behaviour,
        at: day(100, 0),
    };
    let run = crate::curator::run_timed(&mut context, false, false).unwrap();
    assert_eq!((run.snapshot, run.counters.archived), (None, 1));
}
