//! What people read.

use super::bench::{Bench, day};
use crate::curator::PassOutcome;
use crate::curator::classify::RecordedCall;
use crate::curator::commands;
use crate::stores::{TreePath, remove_tree};

fn pass() -> (Bench, crate::curator::PassReport) {
    let mut bench = Bench::careful().set("curator.consolidate", true);
    for name in ["umb", "small", "lost"] {
        bench.agent_skill(name, day(0, 0));
    }
    bench.agent_skill("idle", day(-40, 0));
    bench.jobs(&["small"]);
    let mut start = bench.begin(day(20, 0));
    let mut calls = bench.merge(day(20, 0), &mut start, "small", "umb");
    remove_tree(&mut bench.home, &TreePath::new("skills/lost")).unwrap();
    calls.push(RecordedCall::new("skills_list", "{}"));
    let text = "Merged one skill.\n\n```yaml\nconsolidations:\n  - from: small\n    into: umb\n    reason: same trade\n  - from: lost\n    into: ghost\nprunings: []\n```";
    let outcome = PassOutcome {
        tool_calls: calls,
        final_text: text.to_owned(),
        model: "cheap-1".to_owned(),
        ..PassOutcome::default()
    };
    let report = bench.finish(day(20, 1), start, outcome);
    (bench, report)
}

#[test]
fn a_report() {
    let (_, report) = pass();
    insta::assert_snapshot!(report.to_markdown());
}

#[test]
fn a_summary_and_a_status() {
    let (mut bench, report) = pass();
    insta::assert_snapshot!(report.summary);
    let status = bench.at(day(22, 0), commands::status);
    insta::assert_snapshot!(status.to_text());
}

#[test]
fn a_list_of_candidates_and_what_comes_before_it() {
    let mut bench = Bench::careful().set("curator.consolidate", true);
    bench.agent_skill("alpha", day(-10, 0));
    bench.usage(day(-1, 5), |usage| usage.use_("alpha"));
    bench.usage(day(-1, 5), |usage| usage.set_pinned("alpha", true));
    bench.builtin("beta");
    bench.jobs(&["/beta"]);
    let start = bench.begin(day(0, 0));
    insta::assert_snapshot!(start.list);
}

#[test]
fn what_a_user_is_told() {
    let mut bench = Bench::careful();
    bench.agent_skill("a", day(0, 0));
    let words: Vec<String> = bench.at(day(1, 0), |context| {
        let answers = [
            commands::pin(context, "a", true),
            commands::archive(context, "a"),
            commands::pin(context, "a", false),
            commands::archive(context, "a"),
            commands::restore(context, "b"),
            commands::restore(context, "a"),
            commands::pause(context, true),
        ];
        answers.into_iter().map(|answer| format!("{} {}", answer.exit, answer.text)).collect()
    });
    insta::assert_snapshot!(words.join("\n"));
    let end = bench.at(day(2, 0), |context| {
        context.snapshot("by hand");
        context.rollback(None)
    });
    insta::assert_snapshot!(end.message);
}
