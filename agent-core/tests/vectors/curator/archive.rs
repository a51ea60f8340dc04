//! Archive, restore, pin, prune, guarded delete, candidate list.

use std::collections::BTreeMap;

use agent_core::curator::commands::{self, CommandAnswer, PruneAsk};
use agent_core::curator::jobs::JobSkills;
use agent_core::curator::{candidate_names, list_candidates, render, run_timed};
use agent_core::skills::{Batch, Library, ReadMarks, SkillContext, manage};
use agent_core::stores::{Kind, TreePath};
use agent_core::values::{Draws, HomeAnswer, LoadRoute, Seed, Stamp, WriteOrigin};
use serde_json::{Map, Value, json};

use super::world::{World, counts, skill_text, stamp};
use crate::common::{run, same};

#[test]
fn curator_archive() {
    run("curator_archive", |case| {
        let mut section = case["config"].as_object().cloned().unwrap_or_default();
        section.insert("backup".to_owned(), json!({"enabled": false}));
        let mut world = World::new(&json!({"curator": section}), true);
        world.fill(&case["skills"], |skill| skill.get("record").filter(|record| record.is_object()).cloned());
        for (number, step) in case["steps"].as_array().expect("a list").iter().enumerate() {
            let op = step["op"].as_str().expect("text");
            check(&mut world, op, step).map_err(|why| format!("step {number} ({op}): {why}"))?;
        }
        Ok(())
    });
}

fn check(world: &mut World, op: &str, step: &Value) -> Result<(), String> {
    let at = stamp(&step["at"]);
    let skill = step["skill"].as_str().unwrap_or("");
    let expect = &step["expect"];
    let answered = |answer: CommandAnswer| json!({"exit": answer.exit});
    let found = match op {
        "archive" => {
            let archived = world.usage(at, |usage| usage.archive(skill).map_err(|error| error.kind()));
            json!({"result": archived.map_or_else(result_of, |_| "ok")})
        }
        "restore" => {
            let restored = world.usage(at, |usage| usage.restore(skill).map_err(|error| error.kind()));
            json!({"result": restored.map_or_else(result_of, |_| "ok")})
        }
        "cli_archive" => world.at(at, |context| answered(commands::archive(context, skill))),
        "cli_restore" => world.at(at, |context| answered(commands::restore(context, skill))),
        "cli_pin" => world.at(at, |context| answered(commands::pin(context, skill, true))),
        "cli_unpin" => world.at(at, |context| answered(commands::pin(context, skill, false))),
        "cli_prune" => prune(world, at, &step["args"]),
        "delete_bg" => json!({"result": delete(world, at, step, WriteOrigin::Curator)}),
        "delete_fg" => json!({"result": delete(world, at, step, WriteOrigin::Foreground)}),
        "transitions" => {
            let ran = world.at(at, |context| run_timed(context, false, false));
            json!({"counts": ran.map_or(Value::Null, |run| counts(&run.to_value()))})
        }
        "candidates" => {
            let rules = world.behaviour.curator.clone();
            json!({"names": world.usage(at, |usage| candidate_names(usage, &rules))})
        }
        "list_archived" => json!({"names": world.at(at, commands::list_archived)}),
        "render" => json!({"rows": rows(world, at)}),
        "mkdir_archive" => {
            let dir = step["dir"].as_str().expect("text");
            let name = dir.rsplit('/').next().expect("a name");
            world.put(&format!("skills/.archive/{dir}/SKILL.md"), &skill_text(name));
            return Ok(());
        }
        "cron_set" => {
            world.set_jobs(&step["jobs"]);
            return Ok(());
        }
        "config" => {
            world.configure(step.get("curator").or_else(|| step.get("config")).unwrap_or(&Value::Null), true);
            return Ok(());
        }
        other => return Err(format!("unknown step {other}")),
    };
    for (key, value) in expect.as_object().into_iter().flatten().filter(|(key, _)| *key != "after") {
        same(key, found.get(key).unwrap_or(&Value::Null), value)?;
    }
    match expect.get("after") {
        Some(after) => state(world, after),
        None => Ok(()),
    }
}

/// The kinds of the usage sidecar in the terms of these cases.
fn result_of(kind: &'static str) -> &'static str {
    match kind {
        "not-found" => "not_found",
        "hub" | "restore-shadows-hub" => "hub_installed",
        "restore-shadows-bundled" => "bundled_now",
        "no-archive" => "no_archive_dir",
        "archive-not-found" => "not_in_archive",
        "destination-exists" => "destination_exists",
        other => other,
    }
}

fn prune(world: &mut World, at: Stamp, args: &Value) -> Value {
    let args: Vec<&str> = args.as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    let days =
        args.iter().position(|arg| *arg == "--days").map(|place| args[place + 1].parse().expect("a number"));
    let ask = PruneAsk { days, dry_run: args.contains(&"--dry-run"), confirmed: args.contains(&"-y") };
    let answer = world.at(at, |context| commands::prune(context, ask));
    let listed: Vec<Value> =
        answer.listed.iter().map(|(name, days)| json!([name, days.to_string()])).collect();
    json!({"exit": answer.exit, "listed": listed})
}

fn delete(world: &mut World, at: Stamp, step: &Value, origin: WriteOrigin) -> &'static str {
    let mut args = json!({"action": "delete", "name": step["skill"]});
    if let Some(target) = step.get("absorbed_into") {
        args["absorbed_into"] = target.clone();
    }
    let answer = with_tool(world, at, origin, |context| manage(context, &args));
    let said: Value = serde_json::from_str(&answer.text).expect("JSON");
    match answer.kind.as_deref() {
        None if said["_archived"] == true => "archived",
        None => "deleted",
        Some("bg-unverified-delete") => "needs_target",
        Some("absorbed-into-missing") => "target_missing",
        Some("absorbed-into-self") => "target_is_self",
        Some("pinned" | "bg-pinned") => "pinned",
        Some("bg-external") => "external",
        Some("bg-protected") => "protected",
        Some("bg-hub") => "hub_installed",
        Some("bg-bundled") => "bundled",
        Some("bg-not-agent-created") => "not_managed",
        Some("not-found") => "not_found",
        Some(other) => panic!("unknown kind {other}"),
    }
}

fn with_tool(
    world: &mut World,
    at: Stamp,
    origin: WriteOrigin,
    call: impl FnOnce(&mut SkillContext<'_, '_>) -> HomeAnswer,
) -> HomeAnswer {
    world.home.set_now(at.to_sim());
    let mut marks = ReadMarks::new();
    let World { home, behaviour, skills, .. } = world;
    let mut library = Library::open(home, &mut [], &behaviour.skills);
    call(&mut SkillContext {
        library: &mut library,
        state: skills,
        behaviour,
        marks: &mut marks,
        draws: Draws::new(Seed(1)),
        at: at.to_sim(),
        origin,
        origin_label: origin.label(),
        batch: Batch::Alone,
        route: LoadRoute::Curator,
        listed: &|_| true,
        session: None,
        platform: None,
    })
}

/// The list of candidates, read back from its text.
fn rows(world: &mut World, at: Stamp) -> Vec<Value> {
    let rules = world.behaviour.curator.clone();
    let jobs = JobSkills::of(&world.home);
    let rows = world.usage(at, |usage| list_candidates(usage, &jobs, &rules));
    let text = render(&rows, rules.pass.list_jobs);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].contains(&rows.len().to_string()) && lines[1].is_empty(), "heading and an empty line");
    lines[2..]
        .iter()
        .map(|line| {
            let mut fields = line.split("  ");
            let mut row = Map::new();
            row.insert("name".to_owned(), json!(fields.next().expect("a name")));
            for field in fields {
                let (key, value) = field.split_once('=').expect("key=value");
                row.insert(key.to_owned(), json!(value));
            }
            Value::Object(row)
        })
        .collect()
}

fn state(world: &World, after: &Value) -> Result<(), String> {
    let mut live = Vec::new();
    live_skills(world, "skills", "", &mut live);
    live.sort_unstable();
    same("live", &json!(live), &after["live"])?;
    let archived = world.has("skills/.archive").then(|| all_dirs(world, "skills/.archive", ""));
    same("archive_dirs", &json!(archived), &after["archive_dirs"])?;
    let records: BTreeMap<&str, Value> = after["records"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, expected)| (name.as_str(), selected(&world.record(name), expected)))
        .collect();
    same("records", &json!(records), &after["records"])?;
    let stored: Vec<String> = world
        .json("skills/.usage.json")
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, _)| name.clone())
        .collect();
    let expected: Vec<String> = records.keys().map(|name| (*name).to_owned()).collect();
    same("names of records", &json!(stored), &json!(expected))?;
    same("suppressed", &json!(world.suppressed()), &after["suppressed"])
}

fn selected(record: &Value, expected: &Value) -> Value {
    let keys = expected.as_object().into_iter().flatten();
    Value::Object(
        keys.map(|(key, _)| (key.clone(), record.get(key).cloned().unwrap_or(Value::Null))).collect(),
    )
}

/// Directories of skills below the skills directory, the archive left out.
fn live_skills(world: &World, dir: &str, below: &str, found: &mut Vec<String>) {
    for entry in world.list(dir).into_iter().filter(|entry| entry.kind == Kind::Dir) {
        if below.is_empty() && entry.name.starts_with('.') {
            continue;
        }
        let (path, name) = (format!("{dir}/{}", entry.name), format!("{below}{}", entry.name));
        if world.has(&format!("{path}/SKILL.md")) {
            found.push(name.clone());
        }
        live_skills(world, &path, &format!("{name}/"), found);
    }
}

/// Every directory below one, in path order.
fn all_dirs(world: &World, dir: &str, below: &str) -> Vec<String> {
    let mut found = Vec::new();
    for name in world.dirs(dir) {
        let path = TreePath::new(&format!("{dir}/{name}"));
        found.push(format!("{below}{name}"));
        found.extend(all_dirs(world, path.as_str(), &format!("{below}{name}/")));
    }
    found.sort_unstable();
    found
}
