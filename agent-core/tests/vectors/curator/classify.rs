//! What became of removed skills, and the jobs that follow.

use agent_core::curator::classify::RecordedCall;
use agent_core::curator::{PassOutcome, PassReport, RunAsk, begin_pass, finish_pass};
use agent_core::stores::{TreePath, remove_tree};
use agent_core::values::CuratorCause;
use serde_json::{Map, Value, json};

use super::world::{World, skill_text, stamp};
use crate::common::{run, same};

const AT: &str = "2026-06-01T12:00:00+00:00";

#[test]
fn curator_classify() {
    run("curator_classify", |case| {
        let (world, report) = pass(case);
        let expect = &case["expect"];
        let found = report.to_value();
        same("removed", &json!(report.classified.removed), &expect["removed"])?;
        same("added", &json!(report.classified.added), &expect["added"])?;
        let audit: Map<String, Value> =
            report.classified.audit.iter().map(|(name, found)| (name.clone(), json!(found.target))).collect();
        let signals = json!({
            "declared": report.classified.declared,
            "summary": report.classified.summary,
            "audit": audit,
        });
        same("signals", &signals, &expect["signals"])?;
        same("consolidated", &renamed(&found["consolidated"]), &expect["consolidated"])?;
        same("pruned", &renamed(&found["pruned"]), &expect["pruned"])?;
        same("counts", &found["counts"], &expect["counts"])?;
        same("tool_call_counts", &found["tool_call_counts"], &expect["tool_call_counts"])?;
        let folder = report.path.as_ref().expect("a folder for the report");
        let files: Vec<String> = world.list(folder.as_str()).into_iter().map(|entry| entry.name).collect();
        same("files", &json!(files), &expect["files"])?;
        same("rename_map", &rename_map(&report), &expect["rename_map"])?;
        match expect.get("cron") {
            Some(cron) => jobs(&world, &found["cron_rewrites"], cron),
            None => Ok(()),
        }
    });
}

/// A pass over a library that really changes from `before` to `after` while the model works.
fn pass(case: &Value) -> (World, PassReport) {
    let config = json!({"curator": {"backup": {"enabled": false}, "consolidate": true}});
    let mut world = World::new(&config, true);
    let names = |key: &str| -> Vec<String> {
        case[key]
            .as_array()
            .expect("a list")
            .iter()
            .map(|name| name.as_str().expect("text").to_owned())
            .collect()
    };
    let (before, after) = (names("before"), names("after"));
    let mut records = Map::new();
    for name in before.iter().chain(&after) {
        let record = json!({"created_by": "agent", "created_at": AT, "use_count": 1, "last_used_at": AT, "state": "active"});
        records.insert(name.clone(), record);
    }
    world.put("skills/.usage.json", &Value::Object(records).to_string());
    for name in &before {
        world.put(&format!("skills/{name}/SKILL.md"), &skill_text(name));
    }
    match case.get("cron_jobs") {
        None => {}
        Some(Value::String(_)) => world.put("cron/jobs.json", "{corrupt"),
        Some(jobs) => world.set_jobs(jobs),
    }
    let at = stamp(&json!(AT));
    let ask = RunAsk { cause: CuratorCause::Manual, dry_run: false, consolidate: None };
    let start = world.at(at, |context| begin_pass(context, ask)).expect("the run begins");
    for name in before.iter().filter(|name| !after.contains(name)) {
        remove_tree(&mut world.home, &TreePath::new(&format!("skills/{name}"))).expect("the tree takes it");
    }
    for name in after.iter().filter(|name| !before.contains(name)) {
        world.put(&format!("skills/{name}/SKILL.md"), &skill_text(name));
    }
    let calls = case["tool_calls"].as_array().expect("a list").iter();
    let calls = calls.map(|call| {
        RecordedCall::new(
            call["name"].as_str().unwrap_or(""),
            call.get("arguments").cloned().unwrap_or_default(),
        )
    });
    let final_text = case["final_text"].as_str().unwrap_or("").to_owned();
    let outcome = PassOutcome { tool_calls: calls.collect(), final_text, ..PassOutcome::default() };
    let report = world.at(at, |context| finish_pass(context, start, outcome));
    (world, report)
}

/// Entries of `run.json` with the keys of the cases.
fn renamed(entries: &Value) -> Value {
    let entries = entries.as_array().expect("a list").iter().map(|entry| {
        let fields = entry.as_object().expect("an object").iter().map(|(key, value)| {
            let key = match key.as_str() {
                "source" => "source_kind",
                "model_claimed_into" => "claimed_into",
                key => key,
            };
            (key.to_owned(), value.clone())
        });
        Value::Object(fields.collect())
    });
    entries.collect()
}

fn rename_map(report: &PassReport) -> Value {
    let Some(map) = &report.rename_map else { return Value::Null };
    json!({"total": map.total, "shown": map.shown, "more": map.more, "pin_hint": map.pin_hint})
}

fn jobs(world: &World, rewrites: &Value, expect: &Value) -> Result<(), String> {
    let mut report = rewrites.clone();
    if report.get("error").is_some() {
        report["error"] = json!(true);
    }
    same("job report", &report, &expect["report"])?;
    let store = world.json("cron/jobs.json");
    let after = match &store["jobs"] {
        Value::Array(jobs) => jobs.iter().map(links).collect(),
        _ => Value::Null,
    };
    same("jobs_after", &after, &expect["jobs_after"])
}

fn links(job: &Value) -> Value {
    let kept =
        ["id", "skills", "skill"].iter().filter_map(|key| Some(((*key).to_owned(), job.get(*key)?.clone())));
    Value::Object(kept.collect())
}
