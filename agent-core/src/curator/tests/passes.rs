//! Passes with a model: what they are offered, what becomes of what they remove, and what is checked.

use serde_json::{Value, json};

use super::bench::{Bench, at, day};
use crate::curator::classify::{RecordedCall, Source};
use crate::curator::{
    Consolidation, IdleReason, Offer, PassOutcome, PassReport, PassStart, Poll, RunAsk, RunRefused,
    begin_pass,
};
use crate::stores::{Files, TreePath, remove_tree};
use crate::values::{CuratorCause, Fact};

fn with(fault: &str, on: bool) -> Bench {
    let mut bench = Bench::careful().set(&format!("faults.{fault}"), on).set("curator.consolidate", true);
    for name in ["umb", "small", "other"] {
        bench.agent_skill(name, day(0, 0));
    }
    bench
}

fn both<T>(fault: &str, story: impl Fn(&mut Bench) -> T) -> [T; 2] {
    [true, false].map(|on| story(&mut with(fault, on)))
}

/// A pass that merges `small` into `umb` and says nothing more.
fn merged(bench: &mut Bench, outcome: impl FnOnce(Vec<RecordedCall>) -> PassOutcome) -> PassReport {
    let mut start = bench.begin(day(20, 0));
    let calls = bench.merge(day(20, 1), &mut start, "small", "umb");
    bench.finish(day(20, 1), start, outcome(calls))
}

/// A pass in which `small` vanishes by other hands than the tool's.
fn vanished(bench: &mut Bench, outcome: PassOutcome) -> PassReport {
    let start = bench.begin(day(20, 0));
    remove_tree(&mut bench.home, &TreePath::new("skills/small")).unwrap();
    bench.finish(day(20, 1), start, outcome)
}

fn source(report: &PassReport) -> (Option<Source>, Option<Source>) {
    let classified = &report.classified;
    (classified.consolidated.first().map(|one| one.source), classified.pruned.first().map(|one| one.source))
}

fn delete(name: &str, into: &str) -> RecordedCall {
    RecordedCall::new(
        "skill_manage",
        json!({"action": "delete", "name": name, "absorbed_into": into}).to_string(),
    )
}

fn dry(bench: &mut Bench) -> PassStart {
    let ask = RunAsk { cause: CuratorCause::Manual, dry_run: true, consolidate: None };
    bench.at(day(20, 0), |context| begin_pass(context, ask)).unwrap()
}

#[test]
fn pass_tools_unrestricted() {
    let ends = both("pass_tools_unrestricted", |bench| bench.begin(day(20, 0)).offer);
    assert_eq!(ends, [Offer::Session, Offer::Only(&["skills_list", "skill_view", "skill_manage"])]);
}

#[test]
fn dry_run_unenforced() {
    let ends = both("dry_run_unenforced", |bench| {
        let mut start = dry(bench);
        bench.merge(day(20, 1), &mut start, "small", "umb");
        (start.offer, bench.has("skills/small"), bench.text("skills/umb/SKILL.md").contains("small"))
    });
    assert!(!ends[0].1, "an obedient model would not have done it");
    assert_eq!(ends[1], (Offer::Only(&["skills_list", "skill_view"]), true, false));
}

#[test]
fn a_dry_run_changes_the_state_file_alone() {
    let mut bench = with("pass_unverified", false);
    bench.agent_skill("old", day(-200, 0));
    let library = |bench: &Bench| super::bench::content(&bench.home, "skills");
    let mut before = library(&bench);
    let start = dry(&mut bench);
    assert!(start.ask().unwrap().dry_run);
    let report = bench.finish(day(20, 1), start, PassOutcome::default());
    let mut after = library(&bench);
    let state = after.remove("skills/.curator_state").unwrap();
    before.remove("skills/.curator_state");
    assert_eq!(after, before);
    let state: Value = serde_json::from_str(state.as_str().unwrap()).unwrap();
    assert_eq!((&state["run_count"], &state["last_run_at"]), (&json!(0), &Value::Null));
    assert!(state["last_run_summary"].as_str().unwrap().starts_with("dry run: "));
    assert_eq!(
        report.to_value()["auto_transitions"],
        json!({"checked": 4, "marked_stale": 0, "archived": 0, "reactivated": 0})
    );
}

#[test]
fn passes_overlap() {
    let ends = both("passes_overlap", |bench| {
        let start = bench.begin(day(20, 0));
        let ask = RunAsk { cause: CuratorCause::Manual, dry_run: false, consolidate: None };
        let second = bench.at(day(20, 0), |context| begin_pass(context, ask).map(drop));
        let polled = bench.poll(day(30, 0));
        bench.finish(day(30, 0), start, PassOutcome::default());
        (second, polled)
    });
    assert_eq!(ends, [(Ok(()), Poll::Due), (Err(RunRefused::Busy), Poll::Due)]);
    let mut bench = with("passes_overlap", false).set("curator.interval_hours", 0);
    let start = bench.begin(day(20, 0));
    assert_eq!(bench.poll(at("2026-01-25T00:59:59")), Poll::Idle(IdleReason::Busy));
    assert_eq!(bench.poll(at("2026-01-25T01:00:00")), Poll::Due, "a claim runs out after an hour");
    bench.finish(day(20, 0), start, PassOutcome::default());
    assert_eq!(bench.poll(day(20, 0)), Poll::Due);
}

#[test]
fn young_skills_merged() {
    let ends = both("young_skills_merged", |bench| {
        bench.agent_skill("small", day(0, 0));
        bench.put("skills/new/SKILL.md", &super::bench::skill_text("new"));
        bench.usage(day(18, 0), |usage| usage.mark_agent_created("new"));
        let mut start = bench.begin(day(20, 0));
        let listed = start.ask().unwrap().candidates.contains("\nnew  ");
        let calls = bench.merge(day(20, 1), &mut start, "new", "umb");
        let removed = !bench.has("skills/new");
        let report =
            bench.finish(day(20, 1), start, PassOutcome { tool_calls: calls, ..PassOutcome::default() });
        (listed, removed, report.classified.removed.len())
    });
    assert_eq!(ends, [(true, true, 1), (false, false, 0)]);
}

#[test]
fn pass_unverified() {
    let ends = both("pass_unverified", |bench| {
        bench.jobs(&["small"]);
        let mut start = bench.begin(day(20, 0));
        bench.put(
            "skills/umb/SKILL.md",
            &format!("{}See [it](references/none.md).\n", super::bench::skill_text("umb")),
        );
        let calls = bench.merge(day(20, 1), &mut start, "small", "umb");
        let during = bench.job_skills();
        let report =
            bench.finish(day(20, 1), start, PassOutcome { tool_calls: calls, ..PassOutcome::default() });
        (during, bench.job_skills(), report)
    });
    let [(during_on, after_on, on), (during_off, after_off, off)] = ends;
    assert_eq!(
        (during_on, after_on),
        (json!([["small"]]), json!([["umb"]])),
        "jobs follow after the whole pass"
    );
    assert_eq!((during_off, after_off), (json!([["umb"]]), json!([["umb"]])), "jobs follow the merge");
    assert!(on.verification.is_none() && on.rewritten.jobs_updated == 1);
    assert_eq!(off.rewritten, on.rewritten, "both report the same");
    let seen = off.verification.unwrap();
    assert_eq!(
        (seen.broken_links.len(), seen.dangling_jobs.len(), seen.unverified_removals.len()),
        (1, 0, 0)
    );
    assert_eq!((seen.retention[0].kept, seen.retention[0].lines, seen.retention[0].flagged), (3, 3, false));
    assert!(!seen.ok);
}

#[test]
fn content_that_was_not_kept_is_flagged() {
    let mut bench = with("pass_unverified", false);
    let long = "One rule of ten: do it this way.\n".repeat(10);
    bench.put("skills/small/references/rules.md", &long);
    let report = merged(&mut bench, |tool_calls| PassOutcome { tool_calls, ..PassOutcome::default() });
    let retention = &report.verification.unwrap().retention[0];
    assert!(retention.flagged && retention.kept == 3 && retention.lines > 7, "{retention:?}");
}

#[test]
fn arguments_cut_before_classifying() {
    let ends = both("arguments_cut_before_classifying", |bench| {
        let why = "x".repeat(500);
        let long =
            json!({"action": "delete", "name": "small", "absorbed_into": "umb", "why": why}).to_string();
        let calls = vec![RecordedCall::new("skill_manage", long)];
        let report = vanished(bench, PassOutcome { tool_calls: calls, ..PassOutcome::default() });
        let recorded = report.to_value()["tool_calls"][0]["arguments"].as_str().unwrap().chars().count();
        assert_eq!(recorded, 401, "the report is cut either way");
        source(&report)
    });
    assert_eq!(ends, [(None, Some(Source::NoEvidence)), (Some(Source::Declared), None)]);
}

#[test]
fn summary_block_all_or_nothing() {
    let ends = both("summary_block_all_or_nothing", |bench| {
        let text = "Done.\n\n```yaml\nconsolidations:\n  - from: small\n    into: umb\n    reason: same: really\nprunings: []\n```";
        let report = vanished(bench, PassOutcome { final_text: text.to_owned(), ..PassOutcome::default() });
        source(&report)
    });
    assert_eq!(ends, [(None, Some(Source::NoEvidence)), (Some(Source::Summary), None)]);
}

#[test]
fn destinations_are_candidates() {
    let ends = both("destinations_are_candidates", |bench| {
        bench.put("skills/mine/SKILL.md", &super::bench::skill_text("mine"));
        let report = vanished(
            bench,
            PassOutcome { tool_calls: vec![delete("small", "mine")], ..PassOutcome::default() },
        );
        source(&report)
    });
    assert_eq!(ends, [(None, Some(Source::NoEvidence)), (Some(Source::Declared), None)]);
}

#[test]
fn directory_names_mixed_up() {
    let ends = both("directory_names_mixed_up", |bench| {
        bench.put(
            "skills/tiny-dir/SKILL.md",
            "---\nname: tiny\ndescription: d\n---\n# tiny\n\nFirst do the tiny thing.\n",
        );
        bench.usage(day(0, 0), |usage| usage.mark_agent_created("tiny"));
        let start = bench.begin(day(20, 0));
        bench.usage(day(20, 0), |usage| usage.archive("tiny").unwrap());
        let outcome = PassOutcome { tool_calls: vec![delete("tiny-dir", "umb")], ..PassOutcome::default() };
        source(&bench.finish(day(20, 1), start, outcome))
    });
    assert_eq!(ends, [(None, Some(Source::NoEvidence)), (Some(Source::Declared), None)]);
}

#[test]
fn a_pass_may_use_the_names_of_its_list() {
    let mut bench = with("directory_names_mixed_up", false);
    for (dir, name) in [("tiny-dir", "tiny"), ("big-dir", "big")] {
        let text = super::bench::skill_text(name);
        bench.put(&format!("skills/{dir}/SKILL.md"), &text);
        bench.usage(day(0, 0), |usage| usage.mark_agent_created(name));
    }
    bench.jobs(&["tiny"]);
    let mut start = bench.begin(day(20, 0));
    let calls = bench.merge(day(20, 1), &mut start, "tiny", "big");
    assert!(
        bench.has("skills/.archive/tiny-dir") && bench.text("skills/big-dir/SKILL.md").contains("## tiny")
    );
    assert_eq!(bench.job_skills(), json!([["big"]]));
    let report = bench.finish(day(20, 1), start, PassOutcome { tool_calls: calls, ..PassOutcome::default() });
    assert_eq!(report.classified.consolidated[0].into, "big");
    assert!(report.verification.unwrap().ok && bench.state_of("tiny") == "archived");
}

#[test]
fn a_job_that_names_a_removed_skill_in_its_prompt_is_reported() {
    let mut bench = with("pass_unverified", false);
    let job = r#"{"jobs": [{"id": "j", "name": "nightly", "skills": ["small"], "prompt": "use small, then stop"}]}"#;
    bench.put("cron/jobs.json", job);
    let report = merged(&mut bench, |tool_calls| PassOutcome { tool_calls, ..PassOutcome::default() });
    let seen = report.verification.unwrap().dangling_jobs;
    assert_eq!((seen.len(), seen[0].field, seen[0].job.as_str()), (1, "prompt", "nightly"));
}

#[test]
fn crashed_pass_prunes() {
    let ends = both("crashed_pass_prunes", |bench| {
        bench.jobs(&["small"]);
        // The model merged by the unverified way, then the conversation broke.
        let start = bench.begin(day(20, 0));
        bench.usage(day(20, 0), |usage| usage.archive("small").unwrap());
        let outcome = PassOutcome {
            tool_calls: vec![delete("small", "umb")],
            error: Some("the model went away".to_owned()),
            ..PassOutcome::default()
        };
        let report = bench.finish(day(20, 1), start, outcome);
        assert_eq!(report.to_value()["llm_error"], "the model went away");
        (source(&report), bench.job_skills())
    });
    assert_eq!(ends[0], ((None, Some(Source::NoEvidence)), json!([[]])), "the job has lost its skill");
    assert_eq!(
        ends[1],
        ((Some(Source::Declared), None), json!([["umb"]])),
        "the calls before the failure count"
    );
    // And where no call explains it, the job keeps the name, and the check says so.
    let mut bench = with("crashed_pass_prunes", false);
    bench.jobs(&["small"]);
    let failed = PassOutcome { error: Some("gone".to_owned()), ..PassOutcome::default() };
    let report = vanished(&mut bench, failed);
    assert_eq!(bench.job_skills(), json!([["small"]]));
    let seen = report.verification.unwrap();
    assert_eq!(seen.unverified_removals, ["small"]);
    assert_eq!(seen.dangling_jobs[0].skill, "small");
}

#[test]
fn jobs_follow_only_with_report() {
    let ends = both("jobs_follow_only_with_report", |bench| {
        bench.jobs(&["small"]);
        bench.put("logs", "a file where the folder would be");
        let report = vanished(
            bench,
            PassOutcome { tool_calls: vec![delete("small", "umb")], ..PassOutcome::default() },
        );
        assert_eq!(report.path, None);
        bench.job_skills()
    });
    assert_eq!(ends, [json!([["small"]]), json!([["umb"]])]);
}

#[test]
fn jobs_never_follow() {
    let ends = both("jobs_never_follow", |bench| {
        bench.jobs(&["small"]);
        merged(bench, |tool_calls| PassOutcome { tool_calls, ..PassOutcome::default() });
        bench.job_skills()
    });
    assert_eq!(ends, [json!([["small"]]), json!([["umb"]])]);
}

#[test]
fn slashed_job_names_stay() {
    let ends = both("slashed_job_names_stay", |bench| {
        bench.put("cron/jobs.json", r#"{"jobs": [{"id": "j", "skills": ["/small"]}]}"#);
        merged(bench, |tool_calls| PassOutcome { tool_calls, ..PassOutcome::default() });
        bench.job_skills()
    });
    assert_eq!(ends, [json!([["/small"]]), json!([["umb"]])]);
}

#[test]
fn a_refused_merge_leads_the_jobs_back() {
    let mut bench = with("pass_unverified", false);
    bench.jobs(&["small"]);
    let before = bench.text("cron/jobs.json");
    bench.usage(day(1, 0), |usage| usage.set_pinned("small", true));
    let mut start = bench.begin(day(20, 0));
    let call = json!({"action": "delete", "name": "small", "absorbed_into": "umb"});
    let answer = bench.tool(day(20, 1), |context| start.manage(context, &call));
    assert_eq!(answer.kind.as_deref(), Some("bg-pinned"));
    assert_eq!(bench.json("cron/jobs.json"), serde_json::from_str::<Value>(&before).unwrap());
    let report = bench.finish(day(20, 1), start, PassOutcome::default());
    assert_eq!(report.rewritten.jobs_updated, 0);
}

#[test]
fn a_run_without_candidates_or_without_a_model_reports_all_the_same() {
    let mut bench = Bench::careful().set("curator.consolidate", true);
    let start = bench.begin(day(20, 0));
    assert_eq!((start.consolidation, start.ask().is_none()), (Consolidation::NoCandidates, true));
    let report = bench.finish(day(20, 0), start, PassOutcome::default());
    assert_eq!(report.llm_summary, "skipped (no candidates)");
    let path = report.path.clone().unwrap();
    assert_eq!(path.as_str(), "logs/curator/20260125-000000");
    let again = bench.run(day(20, 0));
    assert_eq!(again.path.unwrap().as_str(), "logs/curator/20260125-000000-2");
    assert_eq!(again.llm_summary, "skipped (consolidation off)");
    assert!(matches!(report.fact(), Fact::CuratorRun { cause: CuratorCause::Manual, .. }));
    let state = bench.json("skills/.curator_state");
    assert_eq!(state["last_report_path"], "/home/agent/.hermes/logs/curator/20260125-000000-2");
    assert_eq!(state["run_count"], 2);
}

#[test]
fn a_pause_set_during_a_pass_survives_it() {
    let mut bench = with("pass_unverified", false);
    let start = bench.begin(day(20, 0));
    bench.at(day(20, 0), |context| crate::curator::commands::pause(context, true));
    bench.finish(day(20, 1), start, PassOutcome::default());
    assert_eq!(bench.json("skills/.curator_state")["paused"], true);
    assert_eq!(bench.poll(day(90, 0)), Poll::Idle(IdleReason::Paused));
}

#[test]
fn a_home_on_disk_goes_the_same_way() {
    let mut bench = with("pass_unverified", false);
    bench.jobs(&["small"]);
    let in_memory = merged(&mut bench, |tool_calls| PassOutcome { tool_calls, ..PassOutcome::default() });
    // A faulty tree without faults cannot be copied for nothing, as a disk cannot.
    let mut other = with("pass_unverified", false);
    other.jobs(&["small"]);
    let behaviour = crate::behaviour::Behaviour::resolve(&other.settings);
    let dir = tempfile::tempdir().unwrap();
    let mut disk = crate::stores::DiskFiles::open(dir.path()).unwrap();
    for entry in other.home.list(&TreePath::root()).unwrap() {
        let path = TreePath::new(&entry.name);
        crate::stores::copy_tree(&other.home, &path, &mut disk, &path).unwrap();
    }
    let mut library = crate::skills::Library::open(&mut disk, &mut [], &behaviour.skills);
    let ask = RunAsk { cause: CuratorCause::Manual, dry_run: false, consolidate: Some(true) };
    other.restart();
    let start = begin_pass(
        &mut crate::curator::CuratorContext {
            library: &mut library,
            skills: &mut other.skills,
            state: &mut other.state,
            behaviour: &behaviour,
            at: day(20, 0),
        },
        ask,
    );
    let mut start = start.unwrap();
    let calls = super::bench::with_tool(
        &mut library,
        &mut other.skills,
        &mut other.marks,
        &behaviour,
        day(20, 1),
        |context| super::bench::merge(context, &mut start, "small", "umb"),
    );
    let report = crate::curator::finish_pass(
        &mut crate::curator::CuratorContext {
            library: &mut library,
            skills: &mut other.skills,
            state: &mut other.state,
            behaviour: &behaviour,
            at: day(20, 1),
        },
        start,
        PassOutcome { tool_calls: calls, ..PassOutcome::default() },
    );
    assert_eq!(report.to_value(), in_memory.to_value());
    assert!(
        disk.stat(&TreePath::new("skills/.curator_backups/2026-01-25T00-00-00Z/skills.tar.gz"))
            .unwrap()
            .is_some()
    );
}
