//! Homes that a run begins with and leaves: what is kept can be taken up by another run, what is broken stays as it is.

use std::fs;

use super::context::{TestContext, scenarios};

const FIRST: &str = "\
name: first
description: A user tells where the lamp oil is.
start: 2026-01-05T09:00:00Z
arms:
  april: { version: hermes-2026-04 }
  july: { version: hermes-0.19 }
world: { tools: [] }
script: { main: [{ reply: \"I see: {{ user }}\" }] }
timeline: [{ session: a, turns: [The lamp oil stands behind the compressor.] }]
";

const SECOND: &str = "\
name: second
description: Another agent takes the home over and is asked for the oil.
start: 2026-02-05T09:00:00Z
arms: { VERSION }
home: { state.db: state.db }
world: { tools: [] }
script:
  main:
    - steps:
        - { call: { session_search: { query: lamp oil } } }
        - { reply: \"{{ 'Behind the compressor.' if seen('behind the compressor') else 'I do not know.' }}\" }
  summary: [{ reply: \"{{ 'behind the compressor' if 'compressor' in instruction else 'nothing' }}\" }]
timeline:
  - session: b
    turns:
      - Where is it?
      - { user: You knew it last month., when: \"'not know' in answer\" }
expect: [session.b.turns == 1 and session.b.tool_errors == 0]
";

#[test]
fn a_kept_home_has_its_sessions_and_another_run_finds_them() {
    let context = TestContext::new();
    context.file("first.yaml", FIRST);
    let output = context.run(&["run", "first.yaml", "--keep-homes"]);
    assert_eq!(output.code, 0, "{output:?}");
    for from in ["april", "july"] {
        let database = context.path(format!("out/homes/first.{from}.1/user/state.db"));
        fs::copy(database, context.path("state.db")).expect("the home has a database");
        for to in ["2026-04", "0.19"] {
            context
                .file("second.yaml", &SECOND.replace("VERSION", &format!("one: {{ version: hermes-{to} }}")));
            let output = context.run(&["run", "second.yaml", "--out", "again", "--keep-homes"]);
            assert_eq!(output.code, 0, "{from} to {to}: {output:?}");
        }
    }
}

#[test]
fn what_is_broken_in_a_home_stays_as_it_is() {
    let context = TestContext::with_scenarios();
    let output = context.run(&["run", "scenarios/hostile-home.yaml", "--keep-homes"]);
    assert_eq!(output.code, 0, "{output:?}");
    let broken = fs::read(scenarios().join("fixtures/not-utf8.bin")).expect("the fixture can be read");
    for arm in ["april", "may", "june", "july", "september"] {
        let home = context.path(format!("out/homes/hostile-home.{arm}.1/user"));
        let read = |name: &str| fs::read(home.join(name)).expect("the file is there");
        assert_eq!(read("state.db"), b"this is no database", "{arm}");
        for name in ["memories/MEMORY.md", "skills/bad/SKILL.md", "SOUL.md"] {
            assert_eq!(read(name), broken, "{arm}: {name}");
        }
        for (link, target) in [("memories/USER.md", "USER.md"), ("skills/loop", "loop")] {
            assert_eq!(fs::read_link(home.join(link)).expect("it is a link").as_os_str(), target, "{arm}");
        }
    }
}
