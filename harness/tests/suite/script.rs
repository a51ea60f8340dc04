//! What is said when script or world have no answer, one test for each public report of a tool that said too little
//! (the numbers are those of the list of reports; the repository and number say where it was reported).

use super::context::TestContext;

const SCENARIO: &str = "\
name: demo
start: 2026-01-05T09:00:00Z
arms: { july: { version: hermes-0.19 } }
world: w.yaml
script: s.yaml
timeline:
  - session: first
    turns: [Hello., { user: How are you?, after: 5m }]
";

const WORLD: &str = "\
tools:
  - name: ask
    description: Asks somebody.
    parameters: { type: object, properties: { word: { type: string } } }
    rules:
      - { match: { word: quick }, output: found }
      - { match: { word: slow }, output: found, took: 1h }
";

fn context(script: &str) -> TestContext {
    let context = TestContext::new();
    context.file("demo.yaml", SCENARIO).file("w.yaml", WORLD).file("s.yaml", script);
    context
}

/// The reason for which a run of this script is broken.
fn broken(script: &str) -> String {
    let output = context(script).run(&["run", "demo.yaml", "--format", "json"]);
    assert_eq!(output.code, 3, "{output:?}");
    let printed: serde_json::Value = serde_json::from_str(&output.stdout).expect("it is JSON");
    printed["cells"][0]["reason"].as_str().expect("a reason").to_owned()
}

/// 27 (`aimock` PR #259, #232): a miss names the nearest rules, and the first clause of each that failed.
#[test]
fn report_27_a_miss_names_the_nearest_rule_and_its_clause() {
    insta::assert_snapshot!(broken("
main:
  - { when: \"'Hello' in user\", reply: Hello. }
  - { when: \"'How' in user and turn == 3 and 'x' in user\", reply: Well. }
  - { when: \"'Good bye' in user\", reply: Bye. }
"), @r#"
    user/first#2: no rule: none of `main` fits; asked: "How are you?"
      `main#2` (s.yaml:4) failed at `turn == 3`, 1 of 3 clauses held
        turn = 2
      `main#1` (s.yaml:3) failed at `'Hello' in user`
        user = "How are you?"
      `main#3` (s.yaml:5) failed at `'Good bye' in user`
        user = "How are you?"
    "#);
    insta::assert_snapshot!(broken("review: [{ reply: Nothing to save. }]\n"), @r#"user/first#1: no section: s.yaml has no section `main`; asked: "Hello.""#);
}

/// 27: a conversation that has used up its steps is no miss, and is called something else.
#[test]
fn report_27_an_exhausted_sequence_is_told_apart_from_a_miss() {
    let said = broken(
        "
main:
  - when: \"'Hello' in user\"
    steps:
      - { call: { ask: { word: quick } } }
  - { when: \"'How' in user\", reply: Well. }
",
    );
    assert!(!said.contains("no rule"), "{said}");
    insta::assert_snapshot!(said, @r#"
    user/first#1: exhausted: the steps of `main#1` are used up and no later rule of `main` fits; asked: "Hello."
      `main#2` (s.yaml:6) failed at `'How' in user`
        user = "Hello."
    "#);
}

/// 29 (`vcrpy #516, #533`): where everything matched but was used up, that is what is said.
#[test]
fn report_29_a_rule_that_was_used_up_says_so() {
    let said = broken(
        "
main:
  - { when: \"'How' in user\", calls: [{ ask: { word: quick } }, { ask: { word: slow } }] }
  - { when: \"'Hello' in user\", reply: Hello. }
",
    );
    assert!(!said.contains("`main#1` ("), "what matched is not among what failed: {said}");
    insta::assert_snapshot!(said, @r#"
    user/first#2: exhausted: the steps of `main#1` are used up and no later rule of `main` fits; asked: "How are you?"
      `main#2` (s.yaml:4) failed at `'Hello' in user`
        user = "How are you?"
    "#);
}

/// 33 (`xum` PR #1539): a time-out names the limit that fired, where it comes from, and what had passed.
#[test]
fn report_33_a_time_out_names_its_limit() {
    let context = context(
        "
main:
  - when: \"'Hello' in user\"
    steps:
      - { call: { ask: { word: slow } } }
      - { reply: Hello. }
  - { reply: Well., fault: stall }
",
    );
    let output = context.run(&["run", "demo.yaml"]);
    assert_eq!(output.code, 0, "{output:?}");
    let shown = context.run(&["show", "demo/july/1"]).stdout;
    let lines: Vec<&str> = shown
        .lines()
        .filter(|line| line.contains("answer") || line.contains("model:") || line.contains("assistant"))
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    answer, failed, timed out, timed-out: Error: no answer after 600 s, the limit of one call; whether it took effect is not known.
    assistant: Hello.
    model: failed: no answer within the request's limit of 600 s
    assistant: Well.
    ");
}
