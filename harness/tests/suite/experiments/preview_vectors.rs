//! The timed transitions of the golden cases, foreseen by `harness curator preview` on homes on disk.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::curator::tree;
use crate::suite::context::TestContext;

/// What a run does to a skill, as the cases call it.
const STEPS: [&str; 4] = ["archived", "marked_stale", "reactivated", "seeded"];

/// The cases; `VECTORS_DIR` names another folder of them.
fn cases() -> Vec<Value> {
    let shipped = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../agent-core/tests/vectors");
    let folder = std::env::var_os("VECTORS_DIR").map_or_else(shipped, PathBuf::from);
    let text = fs::read_to_string(folder.join("curator_transitions.jsonl")).expect("the cases can be read");
    text.lines().map(|line| serde_json::from_str(line).expect("a case is JSON")).collect()
}

/// Lays a case's home out as the reference does; the external directory lies beside it.
fn lay_out(context: &TestContext, case: &Value) {
    let (mut records, mut installed, mut jobs) = (Map::new(), Map::new(), Vec::new());
    let mut manifest = String::new();
    for skill in case["skills"].as_array().expect("a list") {
        let (name, path) = (skill["name"].as_str().expect("text"), skill["path"].as_str().expect("text"));
        let root = if skill["origin"] == "external" { "external" } else { "home/skills" };
        let text = format!("---\nname: {name}\ndescription: About {name}.\n---\n\n# {name}\n");
        context.file(&format!("{root}/{path}/SKILL.md"), &text);
        match skill["origin"].as_str() {
            Some("bundled") => manifest = manifest + name + ":1\n",
            Some("hub") => drop(installed.insert(name.to_owned(), json!({ "install_path": path }))),
            _ => {}
        }
        if skill["has_record"] == true {
            let mut record = skill.clone();
            for key in ["name", "path", "origin", "has_record", "cron_ref"] {
                record.as_object_mut().expect("an object").remove(key);
            }
            records.insert(name.to_owned(), record);
        }
        if skill["cron_ref"] == true {
            let enabled = jobs.len() % 2 == 0;
            jobs.push(json!({ "id": format!("j{}", jobs.len()), "skills": [name], "enabled": enabled }));
        }
    }
    let external = context.path("external");
    fs::create_dir_all(&external).expect("folders can be made");
    fs::create_dir_all(context.path("home/skills")).expect("folders can be made");
    for folder in case["archive_before"].as_array().into_iter().flatten() {
        let path = format!("home/skills/.archive/{}", folder.as_str().expect("text"));
        fs::create_dir_all(context.path(path)).expect("folders can be made");
    }
    let config = json!({ "curator": case["config"], "skills": { "external_dirs": [external] } });
    context
        .file("home/config.yaml", &config.to_string())
        .file("home/skills/.usage.json", &Value::Object(records).to_string())
        .file("home/skills/.bundled_manifest", &manifest)
        .file("home/skills/.hub/lock.json", &json!({ "installed": installed }).to_string())
        .file("home/cron/jobs.json", &json!({ "jobs": jobs }).to_string());
}

/// What the preview says, in the words of the cases: counters and steps.
fn foreseen(context: &TestContext, case: &Value) -> (Value, Value) {
    let now = case["now"].as_str().expect("text");
    let args = ["curator", "preview", "--home", "home", "--version", "hermes-0.19", "--format", "json"];
    let output = context.run(&[args.as_slice(), &["--now", now]].concat());
    assert_eq!(output.code, 0, "{}: {output:?}", case["id"]);
    let said: Value = serde_json::from_str(&output.stdout).expect("the output is JSON");
    let counts = case["expect"]["counts"].as_object().map_or(Value::Null, |counts| {
        counts.keys().map(|key| (key.clone(), said["counters"][key].clone())).collect::<Map<_, _>>().into()
    });
    let steps = said["steps"].as_array().expect("a list").iter();
    let steps = steps.map(|step| (step["skill"].as_str().expect("text").to_owned(), step["change"].clone()));
    (counts, steps.collect::<Map<_, _>>().into())
}

#[test]
fn a_preview_of_a_real_home_foresees_the_transitions_and_changes_nothing() {
    for case in cases() {
        let context = TestContext::new();
        lay_out(&context, &case);
        let before = tree(&context.path("."));
        let (counts, steps) = foreseen(&context, &case);
        assert!(tree(&context.path(".")) == before, "{}: something changed", case["id"]);
        let expect = &case["expect"];
        // Where the reference stops with an error its cases name no counters.
        if expect["counts"].is_object() {
            assert_eq!(counts, expect["counts"], "{}", case["id"]);
            let skills = expect["skills"].as_object().expect("an object").iter();
            let wanted = skills.filter(|(_, skill)| STEPS.iter().any(|step| skill["action"] == *step));
            let wanted: Map<_, _> =
                wanted.map(|(name, skill)| (name.clone(), skill["action"].clone())).collect();
            assert_eq!(steps, Value::Object(wanted), "{}", case["id"]);
        }
    }
}
