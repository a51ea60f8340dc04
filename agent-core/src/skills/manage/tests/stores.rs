//! Kinds of stores: shared, static, external, and where new skills go.

use serde_json::json;

use super::super::super::testing::{Bench, kind, skill_md};
use crate::behaviour::Version;
use crate::stores::{Files, MemFiles, TreePath, write_text};
use crate::values::WriteOrigin;

fn team(writable: bool) -> (MemFiles, bool) {
    let mut files = MemFiles::new("/org/skills");
    write_text(&mut files, &TreePath::new("ops/demo/SKILL.md"), &skill_md("demo")).unwrap();
    (files, writable)
}

fn patch() -> serde_json::Value {
    json!({"action": "patch", "name": "demo", "old_string": "thing", "new_string": "job"})
}

#[test]
fn a_shared_store_is_read_and_written_by_all_and_counted_at_home() {
    let mut bench = Bench::new(Version::V0_19).set("skills.store", "shared");
    bench.shared = Some(team(true));
    bench.by(WriteOrigin::Review);
    assert_eq!(kind(&bench.look("demo")), "ok");
    assert_eq!(kind(&bench.manage(&patch())), "ok");
    let args = json!({"action": "create", "name": "fresh", "category": "dev", "content": skill_md("fresh")});
    let answer = bench.manage(&args);
    let reply: serde_json::Value = serde_json::from_str(&answer.text).unwrap();
    assert_eq!(
        (reply["path"].as_str(), reply["skill_md"].as_str()),
        (Some("dev/fresh"), Some("/org/skills/dev/fresh/SKILL.md"))
    );
    bench.with(|context| context.state.flush(context.library));
    assert!(bench.text("skills/.usage.json").unwrap().contains("\"fresh\""));
    let (team, _) = bench.shared.as_ref().unwrap();
    assert!(team.stat(&TreePath::new("dev/fresh/SKILL.md")).unwrap().is_some());
    assert!(team.stat(&TreePath::new(".usage.json")).unwrap().is_none());
    let listed = bench.list();
    assert_eq!(listed["count"], 2);
}

#[test]
fn what_is_only_read_is_never_written() {
    for static_home in [false, true] {
        let mut bench = Bench::new(Version::V0_19).skill("skills/own");
        if static_home {
            bench = bench.set("skills.store", "static");
        }
        bench.shared = Some(team(static_home));
        let before = (bench.snapshot(), bench.shared.as_ref().unwrap().0.revision(&TreePath::root()));
        let answer = bench.manage(&patch());
        assert_eq!(kind(&answer), "static-store", "{}", answer.text);
        assert_eq!(kind(&bench.manage(&json!({"action": "delete", "name": "demo"}))), "static-store");
        let create = json!({"action": "create", "name": "new", "content": skill_md("new")});
        assert_eq!(kind(&bench.manage(&create)), if static_home { "static-store" } else { "ok" });
        if static_home {
            let after = (bench.snapshot(), bench.shared.as_ref().unwrap().0.revision(&TreePath::root()));
            assert_eq!(after, before);
        }
        assert_eq!(kind(&bench.look("demo")), "ok", "reading is free");
    }
}

#[test]
fn a_configured_directory_takes_new_skills() {
    let mut bench = Bench::new(Version::September2026).set("skills.create_dir", "skills/learned");
    let args = json!({"action": "create", "name": "new", "content": skill_md("new")});
    let answer = bench.manage(&args);
    assert!(answer.text.contains("\"path\": \"learned/new\""), "{}", answer.text);
    assert!(bench.text("skills/learned/new/SKILL.md").is_some());
}

#[test]
fn an_external_directory_is_the_users_own_business() {
    let mut bench = Bench::new(Version::V0_19).set("skills.external_dirs", "ext").skill("ext/demo");
    assert_eq!(kind(&bench.manage(&patch())), "ok");
    bench.by(WriteOrigin::Review).look("demo");
    assert_eq!(kind(&bench.manage(&patch())), "bg-external");
}
