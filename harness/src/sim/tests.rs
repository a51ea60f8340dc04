//! Small scenarios and what happens in them, as the trace tells it.

use std::fs;

use agent_core::values::Seed;
use reports::trace::{Event, Kind, TraceReader};

use super::testing::{loaded, play_cell};
use crate::transport::{Hosts, TransportKind};

const SCRIPT: &str = r#"
main:
  - when: "'work' in user"
    steps:
      - { call: { slow: { seconds: 10 } } }
      - { call: { slow: { seconds: 20 } } }
      - { reply: The work is done. It took two long steps and here is a long report about both of them. }
  - reply: "Yes: {{ user }}"
review:
  - reply: Nothing to save.
"#;

const WORLD: &str = r#"
facts: { mood: good }
tools:
  - name: slow
    description: Takes its time.
    parameters: { type: object, properties: { seconds: { type: integer } } }
    rules:
      - { match: { seconds: "10" }, output: "{{ facts.mood }}", took: 10s }
      - { match: { seconds: "20" }, output: done, took: 20s }
"#;

/// The events of a scenario with this timeline (and other keys), one line each.
fn played(rest: &str) -> String {
    let events = events(rest);
    events.iter().filter_map(line).collect::<Vec<_>>().join("\n")
}

/// The notices and compressions of a scenario.
fn told(rest: &str) -> String {
    let told = |event: &Event| match &event.kind {
        Kind::Notice { text } => Some(format!("notice: {}", &**text)),
        Kind::Compression { how, .. } => Some(format!("compression: {how}")),
        _ => None,
    };
    events(rest).iter().filter_map(told).collect::<Vec<_>>().join("\n")
}

fn events(rest: &str) -> Vec<Event> {
    let dir = tempfile::tempdir().unwrap();
    let head = "name: demo\nstart: 2026-01-05T09:00:00Z\nworld: w.yaml\nscript: s.yaml\n";
    let arms = if rest.contains("arms:") { "" } else { "arms: { july: { version: hermes-0.19 } }\n" };
    for (name, text) in [("w.yaml", WORLD), ("s.yaml", SCRIPT), ("demo.yaml", &format!("{head}{arms}{rest}"))]
    {
        fs::write(dir.path().join(name), text).unwrap();
    }
    let scenario = loaded(&dir.path().join("demo.yaml"));
    let arm = &scenario.arms[0];
    let mut transport = Hosts::open(TransportKind::Direct).unwrap().transport(&scenario, arm, Seed(1));
    let (trace, ended) = play_cell(&scenario, arm, Seed(1), &mut *transport);
    ended.unwrap();
    TraceReader::new(&trace[..]).collect::<Result<Vec<Event>, _>>().unwrap()
}

/// An event on one line: when, whose, what; none for what these tests do not look at.
fn line(event: &Event) -> Option<String> {
    let what = match &event.kind {
        Kind::TurnStart { text, .. } => format!("turn starts: {}", &**text),
        Kind::TurnEnd { exit, answer, .. } => {
            format!("turn ends: {exit}: {}", answer.as_deref().unwrap_or("(no answer)"))
        }
        Kind::Steer { text } => format!("steer: {}", &**text),
        Kind::Interrupt => "interrupt".to_owned(),
        Kind::ToolCall { tool, args, .. } => format!("calls {tool} {}", **args),
        Kind::ToolAnswer { text, .. } => format!("answer {}", &**text),
        Kind::ModelAnswer { outcome, took_ms, .. } => format!("model: {outcome} after {took_ms} ms"),
        Kind::SessionStart { agent, .. } => format!("session starts: {agent}"),
        Kind::SessionEnd { reason } => format!("session ends: {reason}"),
        Kind::ReviewStart { .. } => "review starts".to_owned(),
        Kind::ReviewEnd { outcome, .. } => format!("review ends: {outcome}"),
        Kind::CuratorIdle { reason } => format!("curator idle: {reason}"),
        Kind::Change { what, target, value } => format!("{what} {target} is {}", **value),
        Kind::Unanswered { tool, args } => format!("no rule for {tool} {}", **args),
        Kind::Day { day, polls, .. } => format!("day {day} ends, {polls} polls"),
        Kind::CellEnd { outcome, .. } => format!("cell {outcome}"),
        _ => return None,
    };
    let session = event.session.as_deref().unwrap_or("-");
    let seconds = event.at_ms as f64 / 1000.0;
    Some(format!(
        "{seconds:>10.3} {} {session}: {what}",
        if event.user.is_empty() { "-" } else { &event.user }
    ))
}

#[test]
fn a_turn_follows_when_the_user_has_thought() {
    let timeline = "
timeline:
  - session: a
    turns: [hello, { user: again, after: 5m }, { user: later, at: 1h }, { user: soon, at: 1h }]
";
    insta::assert_snapshot!(played(timeline), @r"
        0.000 user a: session starts: fresh
        0.000 user a: turn starts: hello
        0.845 user a: model: reply after 845 ms
        0.845 user a: turn ends: text_response(finish_reason=stop): Yes: hello
      300.845 user a: turn starts: again
      301.690 user a: model: reply after 845 ms
      301.690 user a: turn ends: text_response(finish_reason=stop): Yes: again
     3600.000 user a: turn starts: later
     3600.000 user a: interrupt
     3600.200 user a: model: aborted after 200 ms
     3600.200 user a: turn ends: interrupted_during_api_call: (no answer)
     3600.200 user a: turn starts: soon
     3601.045 user a: model: reply after 845 ms
     3601.045 user a: turn ends: text_response(finish_reason=stop): Yes: soon
     3601.045 user a: session ends: done
    86400.000 user -: day 0 ends, 0 polls
    86400.000 - -: cell finished
    ");
}

#[test]
fn a_message_interrupts_what_is_worked_on() {
    let timeline = "timeline: [{ session: a, turns: [work, { user: stop that, at: 5s }] }]";
    insta::assert_snapshot!(played(timeline), @r#"
        0.000 user a: session starts: fresh
        0.000 user a: turn starts: work
        0.875 user a: model: reply after 875 ms
        0.875 user a: calls slow {"seconds":10}
        5.000 user a: interrupt
       10.875 user a: answer good
       10.875 user a: turn ends: interrupted_by_user: (no answer)
       10.875 user a: turn starts: stop that
       11.735 user a: model: reply after 860 ms
       11.735 user a: turn ends: text_response(finish_reason=stop): Yes: stop that
       11.735 user a: session ends: done
    86400.000 user -: day 0 ends, 0 polls
    86400.000 - -: cell finished
    "#);
}

#[test]
fn a_message_waits_for_the_end() {
    let timeline = "timeline: [{ session: a, turns: [work, { user: then this, at: 5s, if_busy: queue }] }]";
    insta::assert_snapshot!(played(timeline), @r#"
        0.000 user a: session starts: fresh
        0.000 user a: turn starts: work
        0.875 user a: model: reply after 875 ms
        0.875 user a: calls slow {"seconds":10}
       10.875 user a: answer good
       11.750 user a: model: reply after 875 ms
       11.750 user a: calls slow {"seconds":20}
       31.750 user a: answer done
       32.880 user a: model: reply after 1130 ms
       32.880 user a: turn ends: text_response(finish_reason=stop): The work is done. It took two long steps and here is a long report about both of them.
       32.880 user a: turn starts: then this
       33.740 user a: model: reply after 860 ms
       33.740 user a: turn ends: text_response(finish_reason=stop): Yes: then this
       33.740 user a: session ends: done
    86400.000 user -: day 0 ends, 0 polls
    86400.000 - -: cell finished
    "#);
}

#[test]
fn a_message_joins_the_work() {
    let timeline =
        "timeline: [{ session: a, turns: [work, { user: be quick, at: 5s, if_busy: steer }, last] }]";
    insta::assert_snapshot!(played(timeline), @r#"
        0.000 user a: session starts: fresh
        0.000 user a: turn starts: work
        0.875 user a: model: reply after 875 ms
        0.875 user a: calls slow {"seconds":10}
        5.000 user a: steer: be quick
       10.875 user a: answer good
       11.750 user a: model: reply after 875 ms
       11.750 user a: calls slow {"seconds":20}
       31.750 user a: answer done
       32.880 user a: model: reply after 1130 ms
       32.880 user a: turn ends: text_response(finish_reason=stop): The work is done. It took two long steps and here is a long report about both of them.
       92.880 user a: turn starts: last
       93.725 user a: model: reply after 845 ms
       93.725 user a: turn ends: text_response(finish_reason=stop): Yes: last
       93.725 user a: session ends: done
    86400.000 user -: day 0 ends, 0 polls
    86400.000 - -: cell finished
    "#);
}

#[test]
fn interrupts_come_by_time_and_by_call() {
    let after = "timeline: [{ session: a, turns: [{ user: work, interrupt: { after: 32s } }, on] }]";
    insta::assert_snapshot!(played(after), @r#"
        0.000 user a: session starts: fresh
        0.000 user a: turn starts: work
        0.875 user a: model: reply after 875 ms
        0.875 user a: calls slow {"seconds":10}
       10.875 user a: answer good
       11.750 user a: model: reply after 875 ms
       11.750 user a: calls slow {"seconds":20}
       31.750 user a: answer done
       32.000 user a: interrupt
       32.150 user a: model: aborted after 400 ms
       32.150 user a: turn ends: interrupted_during_api_call: (no answer)
       92.150 user a: turn starts: on
       92.980 user a: model: reply after 830 ms
       92.980 user a: turn ends: text_response(finish_reason=stop): Yes: on
       92.980 user a: session ends: done
    86400.000 user -: day 0 ends, 0 polls
    86400.000 - -: cell finished
    "#);
    let on =
        "timeline: [{ session: a, turns: [{ user: work, interrupt: { on: tool_call 2, when: started } }] }]";
    insta::assert_snapshot!(played(on), @r#"
        0.000 user a: session starts: fresh
        0.000 user a: turn starts: work
        0.875 user a: model: reply after 875 ms
        0.875 user a: calls slow {"seconds":10}
       10.875 user a: answer good
       11.750 user a: model: reply after 875 ms
       11.750 user a: calls slow {"seconds":20}
       11.750 user a: interrupt
       31.750 user a: answer done
       31.750 user a: turn ends: interrupted_by_user: (no answer)
       31.750 user a: session ends: done
    86400.000 user -: day 0 ends, 0 polls
    86400.000 - -: cell finished
    "#);
}

#[test]
fn a_process_ends_and_takes_its_review_with_it() {
    let timeline = "
arms: { july: { version: hermes-0.19, config: { memory.nudge_interval: 1 } } }
timeline:
  - { session: a, surface: cli, exit: 500ms, turns: [hello] }
  - { session: b, at: 1h, agent: kept, turns: [hello] }
";
    insta::assert_snapshot!(played(timeline), @r"
        0.000 user a: session starts: fresh
        0.000 user a: turn starts: hello
        0.845 user a: model: reply after 845 ms
        0.845 user a: review starts
        0.845 user a: turn ends: text_response(finish_reason=stop): Yes: hello
        0.845 user a: session ends: done
        1.345 user a: review ends: lost_at_exit
        1.345 user a: model: late after 500 ms
     3600.000 user b: session starts: kept
     3600.000 user b: turn starts: hello
     3600.845 user b: model: reply after 845 ms
     3600.845 user b: review starts
     3600.845 user b: turn ends: text_response(finish_reason=stop): Yes: hello
     3600.845 user b: session ends: done
     3602.105 user b: model: reply after 1260 ms
     3602.105 user b: review ends: done
    86400.000 user -: day 0 ends, 0 polls
    86400.000 - -: cell finished
    ");
}

#[test]
fn a_closed_session_is_resumed_in_its_order() {
    let timeline = "
timeline:
  - { session: a, turns: [hello] }
  - { session: b, at: 1m, turns: [hi] }
  - { resume: a, at: 1h, turns: [there again] }
";
    insta::assert_snapshot!(played(timeline), @r"
        0.000 user a: session starts: fresh
        0.000 user a: turn starts: hello
        0.845 user a: model: reply after 845 ms
        0.845 user a: turn ends: text_response(finish_reason=stop): Yes: hello
        0.845 user a: session ends: done
       60.000 user b: session starts: fresh
       60.000 user b: turn starts: hi
       60.830 user b: model: reply after 830 ms
       60.830 user b: turn ends: text_response(finish_reason=stop): Yes: hi
       60.830 user b: session ends: done
     3600.000 user a: session starts: fresh
     3600.000 user a: turn starts: there again
     3600.860 user a: model: reply after 860 ms
     3600.860 user a: turn ends: text_response(finish_reason=stop): Yes: there again
     3600.860 user a: session ends: done
    86400.000 user -: day 0 ends, 0 polls
    86400.000 - -: cell finished
    ");
}

#[test]
fn users_have_agents_of_their_own_in_one_world() {
    let timeline = "
users: [ana, ben]
timeline:
  - { facts: { mood: bad }, at: 6s, user: ben }
  - { session: a, user: ana, turns: [work] }
  - { session: a, user: ben, at: 2s, turns: [hello] }
";
    insta::assert_snapshot!(played(timeline), @r#"
        0.000 ana a: session starts: fresh
        0.000 ana a: turn starts: work
        0.875 ana a: model: reply after 875 ms
        0.875 ana a: calls slow {"seconds":10}
        2.000 ben a: session starts: fresh
        2.000 ben a: turn starts: hello
        2.845 ben a: model: reply after 845 ms
        2.845 ben a: turn ends: text_response(finish_reason=stop): Yes: hello
        2.845 ben a: session ends: done
        6.000 ben -: fact mood is "bad"
       10.875 ana a: answer good
       11.750 ana a: model: reply after 875 ms
       11.750 ana a: calls slow {"seconds":20}
       31.750 ana a: answer done
       32.880 ana a: model: reply after 1130 ms
       32.880 ana a: turn ends: text_response(finish_reason=stop): The work is done. It took two long steps and here is a long report about both of them.
       32.880 ana a: session ends: done
    86400.000 ana -: day 0 ends, 0 polls
    86400.000 ben -: day 0 ends, 0 polls
    86400.000 - -: cell finished
    "#);
}

#[test]
fn polls_belong_to_the_day_on_which_they_happen() {
    let timeline = "
timeline:
  - { curator: poll, every: 12h, until: 36h }
  - { session: a, at: 24h, turns: [hello] }
";
    insta::assert_snapshot!(played(timeline), @r"
         0.000 user -: curator idle: seeded
     86400.000 user -: day 0 ends, 2 polls
     86400.000 user a: session starts: fresh
     86400.000 user a: turn starts: hello
     86400.845 user a: model: reply after 845 ms
     86400.845 user a: turn ends: text_response(finish_reason=stop): Yes: hello
     86400.845 user a: session ends: done
    172800.000 user -: day 1 ends, 2 polls
    172800.000 - -: cell finished
    ");
}

#[test]
fn reviews_wait_until_a_managed_server_is_quiet() {
    let rest = "
arms: { september: { version: hermes-2026-09, config: { memory.nudge_interval: 1 } } }
server: { managed: true, slots: 1, busy: [{ at: 0s, for: 30s }, { at: 20s, for: 40s }] }
timeline: [{ session: a, turns: [hello] }]
";
    insta::assert_snapshot!(played(rest), @r"
        0.000 user a: session starts: fresh
        0.000 user a: turn starts: hello
        0.845 user a: model: reply after 845 ms
        0.845 user a: turn ends: text_response(finish_reason=stop): Yes: hello
        0.845 user a: session ends: done
       60.845 user a: review starts
       62.105 user a: model: reply after 1260 ms
       62.105 user a: review ends: done
    86400.000 user -: day 0 ends, 0 polls
    86400.000 - -: cell finished
    ");
}

#[test]
fn a_user_reacts_to_what_it_is_told() {
    let rest = "
timeline:
  - { told: pinned, after: 1h, then: { facts: { mood: better } } }
  - { told: never said, then: { facts: { mood: worse } } }
  - { pin: unknown, at: 30m }
  - { session: a, at: 2h, turns: [work] }
";
    insta::assert_snapshot!(played(rest), @r#"
     5400.000 user -: fact mood is "better"
     7200.000 user a: session starts: fresh
     7200.000 user a: turn starts: work
     7200.875 user a: model: reply after 875 ms
     7200.875 user a: calls slow {"seconds":10}
     7210.875 user a: answer better
     7211.750 user a: model: reply after 875 ms
     7211.750 user a: calls slow {"seconds":20}
     7231.750 user a: answer done
     7232.880 user a: model: reply after 1130 ms
     7232.880 user a: turn ends: text_response(finish_reason=stop): The work is done. It took two long steps and here is a long report about both of them.
     7232.880 user a: session ends: done
    86400.000 user -: day 0 ends, 0 polls
    86400.000 - -: cell finished
    "#);
}

#[test]
fn a_timeline_compresses_prunes_and_takes_snapshots() {
    let rest = "
timeline:
  - { session: a, turns: [hello, { user: again, at: 1h }] }
  - { compress: a, at: 30m }
  - { curator: backup, reason: before the holidays, at: 2h }
  - { curator: prune, days: 30, at: 3h }
";
    insta::assert_snapshot!(told(rest), @r"
    compression: nothing to do
    notice: no snapshot could be taken
    notice: nothing has been idle for so long
    ");
}
