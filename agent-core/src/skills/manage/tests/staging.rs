//! Writes that wait for approval.

use serde_json::json;

use super::super::super::testing::{Bench, kind, skill_md};
use super::super::super::{Library, SkillContext, approve, manage, pending_diff, reject};
use crate::behaviour::{Behaviour, Version};
use crate::memory::Which;
use crate::pending::{self, Subsystem};
use crate::stores::{FaultPlan, FaultyFiles};
use crate::values::{Fact, WriteEnd, WriteOrigin};

fn gated(version: Version) -> Bench {
    Bench::new(version).set("skills.write_approval", true)
}

fn create(name: &str) -> serde_json::Value {
    json!({"action": "create", "name": name, "content": skill_md(name)})
}

#[test]
fn early_versions_have_no_gate() {
    assert_eq!(kind(&gated(Version::V0_16).manage(&create("demo"))), "ok");
    let mut bench = gated(Version::V0_16);
    bench.manage(&create("demo"));
    assert!(bench.text("skills/demo/SKILL.md").is_some());
}

#[test]
fn a_proposal_that_could_not_be_applied_is_staged_only_by_the_fault() {
    for on in [true, false] {
        let mut bench = gated(Version::V0_19).set("faults.staged_payload_unvalidated", on);
        let answer = bench.manage(&json!({"action": "create", "name": "demo", "content": "junk"}));
        assert_eq!(kind(&answer), if on { "ok" } else { "no-frontmatter" });
        assert_eq!(pending::count(&bench.home, Subsystem::Skills), usize::from(on));
    }
    let mut bench =
        gated(Version::V0_19).set("faults.staged_payload_unvalidated", false).skill("skills/demo");
    bench.usage(|usage| usage.mark_agent_created("demo"));
    let args = json!({"action": "patch", "name": "demo", "old_string": "thing", "new_string": "job"});
    let answer = bench.by(WriteOrigin::Review).manage(&args);
    assert_eq!(kind(&answer), "ok", "the user who approves need not have read the file: {}", answer.text);
}

#[test]
fn an_approved_proposal_keeps_its_provenance_without_the_fault() {
    for on in [true, false] {
        let mut bench = gated(Version::V0_19).set("faults.provenance_lost_on_approval", on);
        bench.by(WriteOrigin::Review).manage(&create("demo"));
        let answer = bench.by(WriteOrigin::Foreground).with(|context| approve(context, Which::All));
        assert_eq!((answer.changed, answer.remaining), (1, 0));
        let record = bench.usage(|usage| usage.stored("demo").cloned());
        assert_eq!(record.is_some_and(|record| record.is_managed()), !on);
    }
}

#[test]
fn a_staged_write_is_no_write_and_is_announced_without_the_fault() {
    for on in [true, false] {
        let mut bench = gated(Version::V0_19).set("faults.staged_writes_silent", on);
        let answer = bench.by(WriteOrigin::Review).manage(&create("demo"));
        let ends: Vec<WriteEnd> = answer
            .facts
            .iter()
            .filter_map(|fact| match fact {
                Fact::Write { end, .. } => Some(*end),
                _ => None,
            })
            .collect();
        assert_eq!(ends, [WriteEnd::Staged]);
        let notice = answer.facts.iter().any(|fact| matches!(fact, Fact::Notice { .. }));
        assert_eq!(notice, !on);
        assert_eq!(bench.text("skills/demo/SKILL.md"), None);
        assert!(bench.usage(|usage| usage.stored("demo").is_none()));
    }
}

#[test]
fn a_proposal_that_cannot_be_kept_is_refused_without_the_fault() {
    for (on, wanted) in [(true, "ok"), (false, "staging-failed")] {
        let mut bench = gated(Version::V0_19).set("faults.staging_failure_hidden", on);
        let behaviour = Behaviour::resolve(&bench.settings);
        let mut faulty = FaultyFiles::new(&mut bench.home, FaultPlan::From(1));
        let mut library = Library::open(&mut faulty, &mut [], &behaviour.skills);
        let answer = manage(
            &mut SkillContext {
                library: &mut library,
                state: &mut bench.state,
                behaviour: &behaviour,
                marks: &mut bench.marks,
                draws: crate::values::Draws::new(crate::values::Seed(1)),
                at: bench.at,
                origin: WriteOrigin::Review,
                origin_label: WriteOrigin::Review.label(),
                batch: super::super::super::Batch::Alone,
                route: crate::values::LoadRoute::Review,
                listed: &|_| false,
                session: None,
                platform: None,
            },
            &create("demo"),
        );
        assert_eq!(kind(&answer), wanted);
        assert!(matches!(answer.facts[0], Fact::Write { end: WriteEnd::Failed, .. }));
    }
}

#[test]
fn the_user_sees_what_a_proposal_would_change() {
    let mut bench = gated(Version::V0_19).skill("skills/demo");
    bench.manage(
        &json!({"action": "patch", "name": "demo", "old_string": "thing", "new_string": "job\nand more"}),
    );
    bench.manage(&json!({"action": "delete", "name": "demo"}));
    let records = pending::list(&bench.home, Subsystem::Skills);
    let shown: Vec<String> = bench.with(|context| {
        records.iter().map(|record| pending_diff(context.library, context.rules(), record)).collect()
    });
    insta::assert_snapshot!(shown.join("\n====\n"), @r"
    --- a/SKILL.md
    +++ b/SKILL.md
    @@ -4,4 +4,5 @@
     ---
     # Demo
     
    -Do the thing.
    +Do the job
    +and more.

    ====
    delete skill 'demo'
    ");
    assert_eq!(reject(&mut bench.home, Which::All).changed, 2);
    assert_eq!(reject(&mut bench.home, Which::One("nope")).kind, Some("pending-not-found"));
    let nothing = bench.with(|context| approve(context, Which::All));
    assert_eq!(nothing.kind, Some("nothing-pending"));
}

#[test]
fn a_write_must_be_restated_where_the_defence_asks_for_it() {
    let mut bench = Bench::new(Version::V0_19).set("defence.restate", true);
    let mut args = create("demo");
    assert_eq!(kind(&bench.manage(&args)), "restate-mismatch");
    args["restate"] =
        json!({"what": "demo skill: name, description, do the thing", "why": "for later demos"});
    let answer = bench.manage(&args);
    assert_eq!(kind(&answer), "ok", "{}", answer.text);
}
