//! Who may change what.

use serde_json::{Value, json};

use super::super::super::testing::{Bench, kind, skill_md};
use super::super::{Action, WritePath};
use crate::behaviour::Version;
use crate::values::{Fact, WriteOrigin};

const ORIGINS: [WriteOrigin; 4] =
    [WriteOrigin::Foreground, WriteOrigin::Delegate, WriteOrigin::Review, WriteOrigin::Curator];

/// Whose skill it is. A closed set: a new kind must say what may be done to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Agent,
    User,
    UserUnrecorded,
    Bundled,
    Hub,
    External,
    Protected,
    Pinned,
}

const OWNERS: [Owner; 8] = [
    Owner::Agent,
    Owner::User,
    Owner::UserUnrecorded,
    Owner::Bundled,
    Owner::Hub,
    Owner::External,
    Owner::Protected,
    Owner::Pinned,
];

fn bench(version: Version, owner: Owner) -> (Bench, &'static str) {
    let mut bench = Bench::new(version).skill("skills/umb").file("skills/umb/references/a.md", "x");
    bench.usage(|usage| usage.mark_agent_created("umb"));
    let name = if owner == Owner::Protected { "plan" } else { "demo" };
    let dir = if owner == Owner::External { "ext" } else { "skills" };
    let mut bench = bench.skill(&format!("{dir}/{name}")).file(&format!("{dir}/{name}/references/a.md"), "x");
    match owner {
        Owner::Agent => bench.usage(|usage| usage.mark_agent_created(name)),
        Owner::User => bench.usage(|usage| usage.view(name)),
        Owner::UserUnrecorded | Owner::Protected => {}
        Owner::Bundled => bench.put("skills/.bundled_manifest", "demo:1\n"),
        Owner::Hub => bench.put("skills/.hub/lock.json", r#"{"installed": {"demo": {}}}"#),
        Owner::External => bench = bench.set("skills.external_dirs", json!(["ext"])),
        Owner::Pinned => bench.usage(|usage| {
            usage.mark_agent_created(name);
            usage.set_pinned(name, true);
        }),
    }
    (bench, name)
}

fn call(action: Action, name: &str) -> Value {
    match action {
        Action::Create => json!({"action": "create", "name": "new", "content": skill_md("new")}),
        Action::Edit => json!({"action": "edit", "name": name, "content": skill_md("other")}),
        Action::Patch => json!({"action": "patch", "name": name, "old_string": "thing", "new_string": "job"}),
        Action::Delete => json!({"action": "delete", "name": name, "absorbed_into": "umb"}),
        Action::WriteFile => {
            json!({"action": "write_file", "name": name, "file_path": "references/a.md", "file_content": "y"})
        }
        Action::RemoveFile => json!({"action": "remove_file", "name": name, "file_path": "references/a.md"}),
    }
}

/// What becomes of the call in 0.19, when the caller has read the files (`spec/skills.md` §6).
fn expected(owner: Owner, action: Action, origin: WriteOrigin) -> &'static str {
    let attended = matches!(origin, WriteOrigin::Foreground | WriteOrigin::Delegate);
    match (owner, action) {
        (_, Action::Create) => "ok",
        (Owner::Pinned, Action::Delete) if attended => "pinned",
        _ if attended => "ok",
        (Owner::Agent | Owner::UserUnrecorded, _) => "ok",
        (Owner::User, _) => "bg-not-agent-created",
        (Owner::Bundled, _) => "bg-bundled",
        (Owner::Hub, _) => "bg-hub",
        (Owner::External, _) => "bg-external",
        (Owner::Protected, _) => "bg-protected",
        (Owner::Pinned, _) => "bg-pinned",
    }
}

#[test]
fn who_may_change_what() {
    for owner in OWNERS {
        for action in Action::ALL {
            for origin in ORIGINS {
                let (mut bench, name) = bench(Version::V0_19, owner);
                bench.by(origin).look(name);
                bench.with(|context| {
                    super::super::super::look(context, &json!({"name": name, "file_path": "references/a.md"}))
                });
                let before = bench.snapshot();
                let answer = bench.manage(&call(action, name));
                let wanted = expected(owner, action, origin);
                assert_eq!(kind(&answer), wanted, "{owner:?} {action:?} {origin:?}: {}", answer.text);
                assert_eq!(answer.refused, wanted != "ok");
                assert_eq!(bench.snapshot() == before, wanted != "ok", "{owner:?} {action:?} {origin:?}");
                assert!(answer.facts.iter().all(|fact| match fact {
                    Fact::Write { origin: by, .. } => *by == origin,
                    _ => true,
                }));
            }
        }
    }
}

#[test]
fn september_refuses_all_that_the_agent_does_not_manage() {
    let (mut bench, name) = bench(Version::September2026, Owner::UserUnrecorded);
    bench.by(WriteOrigin::Review).look(name);
    assert_eq!(kind(&bench.manage(&call(Action::Patch, name))), "bg-not-agent-created");
}

#[test]
fn early_reviews_are_bound_by_nothing_but_the_pin_on_deletion() {
    for owner in OWNERS {
        let (mut bench, name) = bench(Version::V0_16, owner);
        bench.by(WriteOrigin::Review);
        assert_eq!(kind(&bench.manage(&call(Action::Patch, name))), "ok", "{owner:?}");
        let deleted = kind(&bench.manage(&json!({"action": "delete", "name": name}))).to_owned();
        assert_eq!(deleted, if owner == Owner::Pinned { "pinned" } else { "ok" }, "{owner:?}");
        assert_eq!(bench.text("skills/.archive/demo/SKILL.md"), None, "an early delete is for good");
    }
}

/// Every way by which a change may carry the review's origin: the six actions of the tool, and nothing else.
#[test]
fn every_path_that_may_carry_the_origin_of_a_review() {
    let carriers: Vec<WritePath> =
        WritePath::ALL.into_iter().filter(|path| path.may_carry(WriteOrigin::Review)).collect();
    assert_eq!(carriers, Action::ALL.map(WritePath::Tool));
    for path in WritePath::ALL {
        // A new way makes this match fail to compile until somebody has thought about it.
        let acts_as_user = match path {
            WritePath::Tool(
                Action::Create
                | Action::Edit
                | Action::Patch
                | Action::Delete
                | Action::WriteFile
                | Action::RemoveFile,
            ) => false,
            WritePath::Approval | WritePath::Install | WritePath::Command => true,
        };
        assert_eq!(path.may_carry(WriteOrigin::Curator), !acts_as_user);
        assert!(path.may_carry(WriteOrigin::Foreground));
    }
}

#[test]
fn approval_and_installation_act_as_the_user_whoever_the_context_names() {
    let mut bench = Bench::new(Version::V0_19).set("skills.write_approval", true);
    bench.by(WriteOrigin::Review).manage(&call(Action::Create, ""));
    let answer = bench.with(|context| super::super::approve(context, crate::memory::Which::All));
    let files = [("SKILL.md".to_owned(), skill_md("kit"))];
    let kit = super::super::super::Installation {
        source: "openai/skills",
        name: "kit",
        files: &files,
        force: false,
    };
    let installed = bench.with(|context| super::super::super::install(context, kit));
    assert_eq!((answer.changed, installed.changed), (1, 1));
    for fact in answer.facts.iter().chain(&installed.facts) {
        if let Fact::Write { origin, .. } = fact {
            assert_eq!(*origin, WriteOrigin::Foreground);
        }
    }
}

#[test]
fn umbrellas_of_the_curator_are_marked_only_where_it_counts_as_unattended() {
    for (version, marked) in [(Version::V0_16, false), (Version::V0_19, true)] {
        let mut bench = Bench::new(version);
        bench.by(WriteOrigin::Curator).manage(&call(Action::Create, ""));
        let record = bench.usage(|usage| usage.stored("new").cloned());
        assert_eq!(record.is_some_and(|record| record.is_managed()), marked, "{version}");
    }
}
