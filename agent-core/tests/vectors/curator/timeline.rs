//! Weeks of events and checks through the automatic entry point.

use agent_core::curator::{PassOutcome, Poll, RunAsk, begin_pass, finish_pass, poll};
use agent_core::skills::usage::Usage;
use agent_core::values::{CuratorCause, Stamp};
use serde_json::{Map, Value, json};

use super::world::{World, counts, skill_text, stamp};
use crate::common::{run, same};

#[test]
fn curator_timeline() {
    run("curator_timeline", |case| {
        let mut section = case["config"].as_object().cloned().unwrap_or_default();
        section.insert("backup".to_owned(), json!({"enabled": false}));
        let mut life = Life {
            world: World::new(&json!({"curator": section}), true),
            created: Vec::new(),
            jobs: Vec::new(),
        };
        for (number, step) in case["steps"].as_array().expect("a list").iter().enumerate() {
            let op = step["op"].as_str().expect("text");
            life.step(op, step).map_err(|why| format!("step {number} ({op} at {}): {why}", step["at"]))?;
        }
        Ok(())
    });
}

struct Life {
    world: World,
    created: Vec<String>,
    jobs: Vec<Value>,
}

impl Life {
    fn step(&mut self, op: &str, step: &Value) -> Result<(), String> {
        let at = stamp(&step["at"]);
        let skill = step["skill"].as_str().unwrap_or("");
        match op {
            "create" => self.create(at, skill, step["origin"].as_str().unwrap_or("agent")),
            "use" => self.book(at, |usage| usage.use_(skill)),
            "view" => self.book(at, |usage| usage.view(skill)),
            "patch" => self.book(at, |usage| usage.patch(skill)),
            "pin" => self.book(at, |usage| usage.set_pinned(skill, true)),
            "unpin" => self.book(at, |usage| usage.set_pinned(skill, false)),
            "mark_managed" => self.book(at, |usage| usage.mark_agent_created(skill)),
            "archive" | "restore" => {
                let done = self.world.usage(at, |usage| match op {
                    "archive" => usage.archive(skill).is_ok(),
                    _ => usage.restore(skill).is_ok(),
                });
                let expected = step["expect"].get("ok").cloned();
                return same("ok", &json!(done), &expected.unwrap_or(json!(done)));
            }
            "pause" | "resume" => {
                let paused = op == "pause";
                self.world.at(at, |context| agent_core::curator::commands::pause(context, paused));
            }
            "cron_add" => {
                let job = json!({"id": step["job"], "skills": [skill], "enabled": step["enabled"]});
                self.jobs.push(job);
                self.world.set_jobs(&json!(self.jobs));
            }
            "cron_remove" => {
                self.jobs.retain(|job| job["id"] != step["job"]);
                self.world.set_jobs(&json!(self.jobs));
            }
            "check" => {
                let idle = match &step["idle_seconds"] {
                    Value::Number(number) => number.as_f64(),
                    _ => Some(f64::INFINITY),
                };
                let rules = self.world.behaviour.curator.clone();
                let due =
                    poll(&mut self.world.state.gate, &mut self.world.home, &rules, at, idle) == Poll::Due;
                let counted = if due { self.run(at, CuratorCause::Poll, false) } else { Value::Null };
                return self.expect(&counted, &step["expect"]);
            }
            "manual_run" => {
                let counted = self.run(at, CuratorCause::Manual, step["dry_run"] == true);
                return self.expect(&counted, &step["expect"]);
            }
            other => return Err(format!("unknown step {other}")),
        }
        Ok(())
    }

    fn book(&mut self, at: Stamp, body: impl FnOnce(&mut Usage<'_, '_>)) {
        self.world.usage(at, body);
    }

    fn create(&mut self, at: Stamp, skill: &str, origin: &str) {
        self.world.put(&format!("skills/{skill}/SKILL.md"), &skill_text(skill));
        self.created.push(skill.to_owned());
        match origin {
            "agent" => self.book(at, |usage| usage.mark_agent_created(skill)),
            "bundled" => {
                let manifest = self.world.text("skills/.bundled_manifest").unwrap_or_default();
                self.world.put("skills/.bundled_manifest", &format!("{manifest}{skill}:1\n"));
            }
            _ => {}
        }
    }

    /// A whole run without a model; its counters.
    fn run(&mut self, at: Stamp, cause: CuratorCause, dry_run: bool) -> Value {
        let ask = RunAsk { cause, dry_run, consolidate: Some(false) };
        self.world.at(at, |context| match begin_pass(context, ask) {
            Ok(start) => counts(&finish_pass(context, start, PassOutcome::default()).timed.to_value()),
            Err(_) => Value::Null,
        })
    }

    fn expect(&self, counted: &Value, expect: &Value) -> Result<(), String> {
        // A run that fails counts as none: the entry point swallows it.
        same("ran", &json!(!counted.is_null()), &expect["ran"])?;
        same("counts", counted, &expect["counts"])?;
        let mut skills = Map::new();
        for name in &self.created {
            let record = self.world.record(name);
            let state = if record.is_object() { record.get("state").cloned() } else { None };
            let on_disk = self.world.has(&format!("skills/{name}/SKILL.md"));
            skills.insert(name.clone(), json!({"state": state, "on_disk": on_disk}));
        }
        same("skills", &Value::Object(skills), &expect["skills"])?;
        same("archive", &json!(self.world.dirs("skills/.archive")), &expect["archive"])?;
        let state = self.world.json("skills/.curator_state");
        same("last_run_at", &state["last_run_at"], &expect["last_run_at"])?;
        same("run_count", &state["run_count"], &expect["run_count"])
    }
}
