//! Each fault with both behaviours.

use serde_json::json;

use super::super::super::testing::{Bench, kind, skill_md};
use super::super::super::{Batch, view};
use crate::behaviour::Version;
use crate::values::WriteOrigin;

fn patch(old: &str, new: &str) -> serde_json::Value {
    json!({"action": "patch", "name": "demo", "old_string": old, "new_string": new})
}

/// A home with a skill that the agent made, seen by a review, with one fault on or off.
fn review(version: Version, fault: &str, on: bool) -> Bench {
    let mut bench =
        Bench::new(version).set(&format!("faults.{fault}"), on).skill("skills/demo").skill("skills/umb");
    bench.usage(|usage| usage.mark_agent_created("demo"));
    bench.by(WriteOrigin::Review);
    bench
}

#[test]
fn skill_overwritten_unread() {
    for (on, wanted) in [(true, "ok"), (false, "bg-unread")] {
        let mut bench = review(Version::V0_16, "skill_overwritten_unread", on);
        assert_eq!(kind(&bench.manage(&patch("thing", "job"))), wanted);
    }
}

#[test]
fn read_marks_per_context() {
    for (on, wanted) in [(true, "bg-unread"), (false, "ok")] {
        let mut bench = review(Version::V0_19, "read_marks_per_context", on);
        bench.batch = Batch::Parallel;
        for name in ["demo", "umb"] {
            bench.with(|context| view(context, &json!({ "name": name })));
        }
        bench.batch = Batch::Alone;
        assert_eq!(kind(&bench.manage(&patch("thing", "job"))), wanted);
    }
}

#[test]
fn pinned_skill_edited_by_review() {
    for (on, wanted) in [(true, "ok"), (false, "bg-pinned")] {
        let mut bench = review(Version::V0_16, "pinned_skill_edited_by_review", on);
        bench.usage(|usage| usage.set_pinned("demo", true));
        assert_eq!(kind(&bench.manage(&patch("thing", "job"))), wanted);
    }
}

#[test]
fn delete_without_absorber() {
    for (on, wanted) in [(true, "ok"), (false, "bg-unverified-delete")] {
        let mut bench = review(Version::V0_16, "delete_without_absorber", on);
        assert_eq!(kind(&bench.manage(&json!({"action": "delete", "name": "demo"}))), wanted);
    }
}

#[test]
fn unrecorded_skill_unguarded() {
    for (on, wanted) in [(true, "ok"), (false, "bg-not-agent-created")] {
        let mut bench = review(Version::V0_19, "unrecorded_skill_unguarded", on);
        bench.look("umb");
        let args = json!({"action": "patch", "name": "umb", "old_string": "thing", "new_string": "job"});
        assert_eq!(kind(&bench.manage(&args)), wanted);
    }
}

#[test]
fn skill_file_unchecked() {
    for (on, wanted) in [(true, "ok"), (false, "no-frontmatter")] {
        let mut bench = review(Version::V0_19, "skill_file_unchecked", on);
        bench.by(WriteOrigin::Foreground);
        let args = json!({"action": "write_file", "name": "demo", "file_path": "SKILL.md", "file_content": "broken"});
        assert_eq!(kind(&bench.manage(&args)), wanted);
        let args = json!({
            "action": "patch", "name": "umb", "file_path": "SKILL.md", "old_string": "name: umb\n", "new_string": "",
        });
        let wanted = if on { "ok" } else { "patch-breaks-frontmatter:missing-name" };
        assert_eq!(kind(&bench.manage(&args)), wanted);
    }
}

#[test]
fn patch_folds_newlines() {
    let crlf = skill_md("demo").replace('\n', "\r\n");
    for (on, wanted) in [(true, crlf.replace("\r\n", "\n")), (false, crlf.clone())] {
        let mut bench =
            review(Version::V0_19, "patch_folds_newlines", on).file("skills/demo/SKILL.md", &crlf);
        bench.by(WriteOrigin::Foreground);
        assert_eq!(kind(&bench.manage(&patch("thing", "job"))), "ok");
        assert_eq!(bench.text("skills/demo/SKILL.md").unwrap(), wanted.replace("thing", "job"));
    }
    let mixed = "---\nname: demo\ndescription: d\n---\none\r\ntwo\n";
    let mut bench = review(Version::V0_19, "patch_folds_newlines", false).file("skills/demo/SKILL.md", mixed);
    bench.by(WriteOrigin::Foreground).manage(&patch("two", "2"));
    assert_eq!(bench.text("skills/demo/SKILL.md").unwrap(), mixed.replace("two", "2"));
}

#[test]
fn rollback_leaves_traces() {
    let crlf = skill_md("demo").replace('\n', "\r\n");
    for on in [true, false] {
        let mut bench = review(Version::V0_19, "rollback_leaves_traces", on)
            .set("skills.guard_agent_created", true)
            .file("skills/demo/SKILL.md", &crlf)
            .file("skills/new/keep.txt", "x");
        bench.by(WriteOrigin::Foreground);
        let before = bench.snapshot();
        let bad = skill_md("new").replace("Do the thing", "rm -rf /");
        let calls = [
            json!({"action": "create", "name": "new", "content": bad}),
            patch("Do the thing.", "rm -rf /"),
            json!({"action": "write_file", "name": "umb", "file_path": "scripts/a/x.sh", "file_content": "rm -rf /"}),
        ];
        for args in &calls {
            assert_eq!(kind(&bench.manage(args)), "scan-blocked");
        }
        let after = bench.snapshot();
        assert_eq!(after == before, !on);
        assert_eq!(after.contains_key("skills/new/keep.txt"), !on);
        assert_eq!(after.contains_key("skills/umb/scripts/a/"), on);
        assert_eq!(bench.text("skills/demo/SKILL.md").unwrap().contains('\r'), !on);
    }
}

#[test]
fn skill_link_written_through() {
    for (on, wanted) in [(true, "ok"), (false, "path-escape")] {
        let mut bench = review(Version::V0_19, "skill_link_written_through", on)
            .file("notes/real.md", &skill_md("linked"))
            .link("skills/linked/SKILL.md", "../../notes/real.md")
            .link("skills/away", "../notes");
        bench.by(WriteOrigin::Foreground);
        let args = json!({"action": "patch", "name": "linked", "old_string": "thing", "new_string": "job"});
        assert_eq!(kind(&bench.manage(&args)), wanted);
        assert_eq!(bench.text("notes/real.md").unwrap().contains("job"), on);
        let args = json!({"action": "create", "name": "away", "content": skill_md("away")});
        assert_eq!(kind(&bench.manage(&args)), wanted);
        assert_eq!(bench.text("notes/SKILL.md").is_some(), on);
    }
}

#[test]
fn dead_name_keeps_record() {
    for on in [true, false] {
        let mut bench = review(Version::V0_19, "dead_name_keeps_record", on);
        let args = json!({"action": "delete", "name": "demo", "absorbed_into": "umb"});
        assert_eq!(kind(&bench.manage(&args)), "ok");
        let args = json!({"action": "create", "name": "demo", "content": skill_md("demo")});
        assert_eq!(kind(&bench.manage(&args)), "ok");
        let state = bench.usage(|usage| usage.get("demo").state_text().to_owned());
        assert_eq!(state, if on { "archived" } else { "active" });
    }
}
