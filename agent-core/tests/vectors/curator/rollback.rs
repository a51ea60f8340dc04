//! Snapshots, ageing, rollback, links of jobs.

use agent_core::behaviour::CuratorRules;
use agent_core::curator::backup::{ArchiveLimits, Snapshot, SnapshotId, jobs_copy, top_level};
use agent_core::curator::jobs::restore_links;
use agent_core::curator::{PassOutcome, Poll, RunAsk, begin_pass, due, finish_pass};
use agent_core::stores::{Content, Files, Kind, TreePath, exists, read_text, remove_tree};
use agent_core::values::{CuratorCause, Stamp};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Map, Value, json};

use super::world::{World, counts, stamp};
use crate::common::{run, same};

const BACKUPS: &str = "skills/.curator_backups";

#[test]
fn curator_rollback() {
    run("curator_rollback", |case| {
        check(case, true).map_err(|why| format!("with the faults: {why}"))?;
        let steps = case["steps"].as_array().expect("a list");
        if steps.iter().any(|step| step.get("preferred").is_some()) {
            check(case, false).map_err(|why| format!("without faults: {why}"))?;
        }
        Ok(())
    });
}

/// Runs a case. Without faults it ends at the step with a preferred outcome: what follows describes the reference.
fn check(case: &Value, faults: bool) -> Result<(), String> {
    let world = World::new(&json!({"curator": case["config"]}), faults);
    let mut tale = Tale { world, faults };
    for (number, step) in case["steps"].as_array().expect("a list").iter().enumerate() {
        let op = step["op"].as_str().expect("text");
        let expect = match step.get("preferred") {
            Some(preferred) if !faults => preferred,
            _ => step.get("expect").unwrap_or(&Value::Null),
        };
        tale.step(op, step, expect).map_err(|why| format!("step {number} ({op}): {why}"))?;
        if !faults && step.get("preferred").is_some() {
            break;
        }
    }
    Ok(())
}

struct Tale {
    world: World,
    faults: bool,
}

impl Tale {
    fn rules(&self) -> CuratorRules {
        self.world.behaviour.curator.clone()
    }

    fn step(&mut self, op: &str, step: &Value, expect: &Value) -> Result<(), String> {
        let at = stamp(&step["at"]);
        self.world.home.set_now(at.to_sim());
        let path = |key: &str| TreePath::new(&format!("skills/{}", step[key].as_str().expect("text")));
        match op {
            "write" => self.world.put(path("path").as_str(), step["content"].as_str().expect("text")),
            "delete" => remove_tree(&mut self.world.home, &path("path")).expect("the tree takes it"),
            "move" => {
                let (from, to) = (path("from"), path("to"));
                self.world.home.create_dir(&to.parent().expect("not the root")).expect("the tree takes it");
                self.world.home.rename(&from, &to).expect("the tree takes it");
            }
            "symlink" => {
                let link = Content::Link(step["target"].as_str().expect("text").to_owned());
                self.world
                    .home
                    .create_dir(&path("path").parent().expect("not the root"))
                    .expect("the tree takes it");
                self.world.home.replace(&path("path"), link).expect("the tree takes it");
            }
            "mkdir" => self.world.home.create_dir(&path("path")).expect("the tree takes it"),
            "cron_set" => self.world.set_jobs(&step["jobs"]),
            "cron_raw" => self.world.put("cron/jobs.json", step["text"].as_str().expect("text")),
            "cron_delete" => drop(self.world.home.remove(&TreePath::new("cron/jobs.json"))),
            "config" => self.world.configure(&step["curator"], self.faults),
            "corrupt" => self.corrupt(at, step),
            "snapshot" => return self.snapshot(at, step, expect),
            "rollback" => return self.rollback(at, step, expect),
            "cron_links_only" => return self.links(step, expect),
            "inspect" => {
                let found = json!({"backups": self.backups(at), "tree": self.tree()});
                return keys_same(&found, expect);
            }
            "due" => {
                let rules = self.rules();
                let World { home, state, .. } = &mut self.world;
                let found = due(&mut state.gate, home, &rules, at) == Poll::Due;
                return same("due", &json!(found), &expect["due"]);
            }
            "curator_run" => return self.run(at, expect),
            other => return Err(format!("unknown step {other}")),
        }
        Ok(())
    }

    fn listed(&mut self, at: Stamp) -> Vec<Snapshot> {
        self.world.at(at, |context| {
            context.settle();
            context.snapshots()
        })
    }

    fn snapshot(&mut self, at: Stamp, step: &Value, expect: &Value) -> Result<(), String> {
        let reason = step["reason"].as_str().expect("text");
        let taken = self.world.at(at, |context| context.snapshot(reason));
        same("snapshot", &json!(taken.map(|id| id.to_string())), &expect["snapshot"])?;
        let listed: Vec<String> = self.listed(at).iter().map(|one| one.id.to_string()).collect();
        same("listed", &json!(listed), &expect["listed"])
    }

    fn rollback(&mut self, at: Stamp, step: &Value, expect: &Value) -> Result<(), String> {
        let end = self.world.at(at, |context| context.rollback(step["id"].as_str()));
        let state = self.world.json("skills/.curator_state");
        let mut found = Map::new();
        let mut put = |key: &str, value: Value| found.insert(key.to_owned(), value);
        put("ok", json!(end.is_ok()));
        put("kind", json!(end.kind.as_str()));
        put("snapshot", json!(end.snapshot.map(|id| id.to_string())));
        put("gamma_on_disk", json!(self.world.has("skills/gamma/SKILL.md")));
        put("gamma_state", self.world.record("gamma")["state"].clone());
        put("last_run_at", state["last_run_at"].clone());
        put("run_count", state["run_count"].clone());
        put("tree_after", self.tree());
        put("jobs_after", self.jobs());
        put("backups_after", self.backups(at));
        // The name of the error belongs to the reference's language.
        if expect.get("error").is_some() {
            put("error", expect["error"].clone());
        }
        keys_same(&Value::Object(found), expect)
    }

    fn links(&mut self, step: &Value, expect: &Value) -> Result<(), String> {
        let id = SnapshotId::parse(step["snapshot"].as_str().expect("text")).expect("a valid id");
        let copy = jobs_copy(&TreePath::new("skills"), &id);
        let mut found = json!(restore_links(&mut self.world.home, &copy, true));
        found["jobs_after"] = self.jobs();
        keys_same(&found, expect)
    }

    fn run(&mut self, at: Stamp, expect: &Value) -> Result<(), String> {
        let ask = RunAsk { cause: CuratorCause::Manual, dry_run: false, consolidate: Some(false) };
        let counted = self.world.at(at, |context| {
            let start = begin_pass(context, ask).expect("the run begins");
            counts(&finish_pass(context, start, PassOutcome::default()).timed.to_value())
        });
        let listed: Vec<String> = self.listed(at).iter().map(|one| one.id.to_string()).collect();
        let found = json!({
            "counts": counted,
            "listed": listed,
            "gamma_on_disk": self.world.has("skills/gamma/SKILL.md"),
            "last_run_at": self.world.json("skills/.curator_state")["last_run_at"],
        });
        keys_same(&found, expect)
    }

    /// Every file, link and empty directory below `skills/`, snapshots left out.
    fn tree(&self) -> Value {
        let mut found = Map::new();
        let root = TreePath::new("skills");
        for entry in self.world.list("skills") {
            if entry.name != ".curator_backups" {
                self.picture(&root.join(&entry.name).expect("the tree takes it"), entry.kind, &mut found);
            }
        }
        Value::Object(found)
    }

    fn picture(&self, path: &TreePath, kind: Kind, found: &mut Map<String, Value>) {
        let name = path.strip(&TreePath::new("skills")).expect("below it").as_str().to_owned();
        let home = &self.world.home;
        match kind {
            // A lock of the usage sidecar is made by whoever writes it first.
            Kind::File if name == ".usage.json.lock" => {}
            Kind::File => drop(found.insert(name, json!(read_text(home, path).expect("the tree takes it")))),
            Kind::Link => {
                drop(
                    found.insert(name, json!({"symlink": home.read_link(path).expect("the tree takes it")})),
                );
            }
            Kind::Dir => {
                let entries = home.list(path).expect("the tree takes it");
                if entries.is_empty() {
                    found.insert(format!("{name}/"), Value::Null);
                }
                for entry in entries {
                    self.picture(&path.join(&entry.name).expect("the tree takes it"), entry.kind, found);
                }
            }
        }
    }

    fn jobs(&self) -> Value {
        let Some(text) = self.world.text("cron/jobs.json") else { return Value::Null };
        match serde_json::from_str::<Value>(&text) {
            Ok(Value::Array(jobs)) => Value::Array(jobs),
            Ok(store) => store["jobs"].clone(),
            Err(_) => json!("unparseable"),
        }
    }

    /// Every directory of the snapshots, valid or not.
    fn backups(&mut self, at: Stamp) -> Value {
        self.world.at(at, |context| {
            context.settle();
        });
        let names = self.world.dirs(BACKUPS);
        names.iter().map(|name| self.backup(name)).collect()
    }

    fn backup(&self, name: &str) -> Value {
        let manifest = self.world.json(&format!("{BACKUPS}/{name}/manifest.json"));
        if manifest.is_null() {
            return json!({"name": name});
        }
        let archive = TreePath::new(&format!("{BACKUPS}/{name}/skills.tar.gz"));
        let top = match self.world.home.read(&archive) {
            Ok(bytes) => {
                top_level(&bytes, &ArchiveLimits::LIBRARY).map_or(json!("unreadable"), |names| json!(names))
            }
            Err(_) => json!("unreadable"),
        };
        let reason = manifest["reason"].as_str().expect("text");
        let reason = match reason.strip_prefix("pre-rollback to ") {
            Some(target) => json!({"kind": "pre_rollback", "target": target}),
            None if reason == "pre-curator-run" => json!({"kind": "pre_run"}),
            None => json!({"kind": "manual", "text": reason}),
        };
        let mut jobs = manifest["cron_jobs"].clone();
        if let Some(fields) = jobs.as_object_mut() {
            if fields.get("reason").is_some_and(|reason| reason != "missing") {
                fields.insert("reason".to_owned(), json!("error"));
            }
            if fields.contains_key("parse_warning") {
                fields.insert("parse_warning".to_owned(), json!(true));
            }
        }
        json!({
            "name": name,
            "reason": reason,
            "skill_files": manifest["skill_files"],
            "cron_jobs": jobs,
            "top_level": top,
        })
    }

    fn corrupt(&mut self, at: Stamp, step: &Value) {
        self.world.at(at, |context| {
            context.settle();
        });
        let archive =
            TreePath::new(&format!("{BACKUPS}/{}/skills.tar.gz", step["snapshot"].as_str().expect("text")));
        let home = &mut self.world.home;
        let mut bytes = home.read(&archive).map(|bytes| bytes.to_vec()).unwrap_or_default();
        match step["how"].as_str().expect("text") {
            "remove" => return home.remove(&archive).expect("the tree takes it"),
            "not_gzip" => bytes = b"this is no archive".to_vec(),
            "empty" => bytes.clear(),
            "truncate_half" => bytes.truncate(bytes.len() / 2),
            "flip_tail" => {
                let at = bytes.len() - 6;
                bytes[at] ^= 0xff;
            }
            "unsafe_member" => {
                let member = step["member"].as_str().expect("text");
                bytes = archive_of(&[("good/SKILL.md", None), (member, None)]);
            }
            "late_bad_link" => {
                let files = step["files"]
                    .as_array()
                    .expect("a list")
                    .iter()
                    .map(|file| (file.as_str().expect("text"), None));
                let link = ("zz-link", Some("/nonexistent/elsewhere"));
                bytes = archive_of(&files.chain(std::iter::once(link)).collect::<Vec<_>>());
            }
            how => panic!("unknown way to spoil an archive: {how}"),
        }
        assert!(exists(home, &archive));
        home.replace(&archive, Content::bytes(bytes)).expect("the tree takes it");
    }
}

/// An archive of files with the content `hi` and of links, names unchecked.
fn archive_of(members: &[(&str, Option<&str>)]) -> Vec<u8> {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    for (name, target) in members {
        let mut header = tar::Header::new_gnu();
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_mode(0o644);
        match target {
            Some(target) => {
                header.set_entry_type(tar::EntryType::Symlink);
                header.set_link_name_literal(target).expect("the tree takes it");
                header.set_size(0);
                header.set_cksum();
                tar.append(&header, std::io::empty()).expect("the tree takes it");
            }
            None => {
                header.set_size(2);
                header.set_cksum();
                tar.append(&header, &b"hi"[..]).expect("the tree takes it");
            }
        }
    }
    tar.into_inner().expect("the tree takes it").finish().expect("the tree takes it")
}

/// An expectation with absolute names in archives written in one way.
fn plain(expect: &Value) -> Value {
    match expect {
        Value::Object(fields) => Value::Object(
            fields
                .iter()
                .map(|(key, value)| match (key.as_str(), value) {
                    ("top_level", Value::Array(names)) => {
                        let names =
                            names.iter().map(|name| if name == "" { json!("/") } else { name.clone() });
                        (key.clone(), names.collect())
                    }
                    _ => (key.clone(), plain(value)),
                })
                .collect(),
        ),
        Value::Array(items) => items.iter().map(plain).collect(),
        other => other.clone(),
    }
}

/// Compares the keys that a case names.
fn keys_same(found: &Value, expect: &Value) -> Result<(), String> {
    for (key, value) in plain(expect).as_object().expect("an expectation") {
        same(key, found.get(key).unwrap_or(&Value::Null), value)?;
    }
    Ok(())
}
