//! One call of the timed transitions.

use std::collections::BTreeSet;

use agent_core::curator::preview::preview;
use agent_core::curator::{candidate_names, run_timed};
use agent_core::skills::frontmatter::light_name;
use agent_core::stores::{DiskFiles, Files, Kind, TreePath, copy_tree};
use agent_core::values::Stamp;
use serde_json::{Map, Value, json};

use super::world::{World, counts, stamp};
use crate::common::{run, same};

#[test]
fn curator_transitions() {
    run("curator_transitions", |case| {
        check(case, true, &case["expect"]).map_err(|why| format!("with the faults: {why}"))?;
        match case.get("preferred") {
            Some(preferred) => check(case, false, preferred).map_err(|why| format!("without faults: {why}")),
            None => Ok(()),
        }
    });
}

fn check(case: &Value, faults: bool, expect: &Value) -> Result<(), String> {
    let mut section = case["config"].as_object().cloned().unwrap_or_default();
    section.insert("backup".to_owned(), json!({"enabled": false}));
    let mut world = World::new(&json!({"curator": section}), faults);
    world.fill(&case["skills"], |skill| (skill["has_record"] == true).then(|| record_of(skill)));
    for dir in case["archive_before"].as_array().into_iter().flatten() {
        world
            .home
            .create_dir(&TreePath::new(&format!("skills/.archive/{}", dir.as_str().expect("text"))))
            .expect("the tree takes it");
    }
    let before: Vec<(Value, Value)> = records(case, &world);
    let archived_before: BTreeSet<String> = world.dirs("skills/.archive").into_iter().collect();
    let at = stamp(&case["now"]);
    let rules = world.behaviour.curator.clone();
    let candidates = world.usage(at, |usage| candidate_names(usage, &rules));
    let (foreseen, steps) = foresee(&world, at)?;
    let ran = world.at(at, |context| run_timed(context, false, false));
    same("candidates", &json!(candidates), &expect["candidates"])?;
    same(
        "failed",
        &json!(ran.is_err()),
        &json!(expect.get("error_kind").is_some_and(|kind| !kind.is_null())),
    )?;
    let found = ran.map_or(Value::Null, |run| counts(&run.to_value()));
    same("counts", &found, &expect["counts"])?;
    if !found.is_null() {
        same("counts of the preview", &foreseen, &expect["counts"])?;
        same("steps of the preview", &steps, &steps_of(&expect["skills"]))?;
    }
    same("suppressed", &json!(world.suppressed()), &expect["suppressed_after"])?;
    for (skill, old) in before {
        let name = skill["name"].as_str().expect("text");
        let candidate = candidates.iter().any(|known| known == name);
        let found = outcome(&world, &skill, candidate, &old, &archived_before);
        same(name, &found, &expect["skills"][name])?;
    }
    Ok(())
}

/// The steps that a preview should name, by skill.
fn steps_of(skills: &Value) -> Value {
    const STEPS: [&str; 4] = ["archived", "marked_stale", "reactivated", "seeded"];
    let skills = skills.as_object().expect("an object").iter();
    let steps = skills.filter(|(_, skill)| STEPS.iter().any(|step| skill["action"] == *step));
    steps.map(|(name, skill)| (name.clone(), skill["action"].clone())).collect::<Map<_, _>>().into()
}

/// What a preview of the same home on disk says, counters and steps; not a byte and not a time of it may change.
fn foresee(world: &World, at: Stamp) -> Result<(Value, Value), String> {
    let dir = tempfile::tempdir().expect("a place for files");
    let mut disk = DiskFiles::open(dir.path()).expect("a new directory");
    for entry in world.home.list(&TreePath::root()).expect("the tree takes it") {
        let path = TreePath::new(&entry.name);
        copy_tree(&world.home, &path, &mut disk, &path).expect("the tree takes it");
    }
    let before = picture(&disk, &TreePath::root());
    let seen = preview(&disk, at, &world.settings);
    same("the home after a preview", &json!(picture(&disk, &TreePath::root())), &json!(before))?;
    let steps = seen.steps.iter().map(|step| (step.name.clone(), json!(step.change.as_str())));
    Ok((counts(&seen.counters.to_value()), steps.collect::<Map<_, _>>().into()))
}

/// Every node of a tree with its time and bytes.
fn picture(files: &dyn Files, at: &TreePath) -> Vec<String> {
    let mut lines = Vec::new();
    for entry in files.list(at).unwrap_or_default() {
        let path = at.join(&entry.name).expect("the tree takes it");
        let stat = files.stat(&path).expect("the tree takes it");
        let bytes = files.read(&path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        lines.push(format!("{path} {stat:?} {bytes:?}"));
        if entry.kind == Kind::Dir {
            lines.extend(picture(files, &path));
        }
    }
    lines
}

fn records(case: &Value, world: &World) -> Vec<(Value, Value)> {
    let skills = case["skills"].as_array().expect("a list").iter();
    skills.map(|skill| (skill.clone(), world.record(skill["name"].as_str().expect("text")))).collect()
}

fn record_of(skill: &Value) -> Value {
    let fields = skill.as_object().expect("an object").iter();
    let own = ["name", "path", "origin", "has_record", "cron_ref"];
    Value::Object(
        fields
            .filter(|(key, _)| !own.contains(&key.as_str()))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
    )
}

/// What became of a skill, read off the home alone.
fn outcome(
    world: &World,
    skill: &Value,
    candidate: bool,
    old: &Value,
    archived_before: &BTreeSet<String>,
) -> Value {
    let name = skill["name"].as_str().expect("text");
    let new = world.record(name);
    let on_disk = world.has(&format!("{}/SKILL.md", World::place(skill)));
    let state = |record: &Value| match record {
        Value::Object(fields) => fields.get("state").cloned().unwrap_or_else(|| json!("active")),
        _ => Value::Null,
    };
    let archive_dir = world.dirs("skills/.archive").into_iter().find(|dir| {
        !archived_before.contains(dir)
            && declares(world, &format!("skills/.archive/{dir}/SKILL.md"), dir, name)
    });
    let action = match (&archive_dir, on_disk) {
        (Some(_), false) if candidate => "archived",
        (_, false) => "moved_with_parent",
        _ if old.is_null() && !new.is_null() => "seeded",
        _ if state(old) != state(&new) && state(&new) == "stale" => "marked_stale",
        _ if state(old) != state(&new) && state(&new) == "active" => "reactivated",
        _ => "untouched",
    };
    let mut found = Map::new();
    let mut put = |key: &str, value: Value| found.insert(key.to_owned(), value);
    put("candidate", json!(candidate));
    put("action", json!(action));
    put("on_disk", json!(on_disk));
    put("state_after", state(&new));
    match action {
        "archived" | "moved_with_parent" => {
            put("archive_dir", json!(archive_dir));
            put("archived_at_after", new["archived_at"].clone());
        }
        "reactivated" => drop(put("archived_at_after", new["archived_at"].clone())),
        "seeded" => {
            put("created_at_after", new["created_at"].clone());
            put("created_by_after", new["created_by"].clone());
        }
        _ => {}
    }
    Value::Object(found)
}

fn declares(world: &World, file: &str, dir: &str, name: &str) -> bool {
    let Ok(bytes) = world.home.read(&TreePath::new(file)) else { return false };
    light_name(&bytes).unwrap_or_else(|| dir.to_owned()) == name
}
