//! Prompts that the command line replaces: all arms get them, a rerun finds them, and what cannot stand in is refused.

use super::context::TestContext;

const SCENARIO: &str = "\
name: keeper
description: The model answers by what its prompt calls it.
start: 2026-01-05T09:00:00Z
arms:
  july: { version: hermes-0.19 }
  own: { version: hermes-0.19, prompts: { identity: own.md } }
world: { tools: [] }
script:
  main:
    - { when: \"'lighthouse' in system\", reply: The lamp burns. }
    - { when: \"'harbour' in system\", reply: The quay is free. }
    - reply: How can I help?
timeline: [{ session: a, turns: [hello] }]
expect: [cell.turns == 1]
";

fn context() -> TestContext {
    let context = TestContext::new();
    context
        .file("keeper.yaml", SCENARIO)
        .file("own.md", "You watch over the harbour.\n")
        .file("new.md", "You are the keeper of a lighthouse.\n");
    context
}

/// What the arm's model answered.
fn answer(context: &TestContext, arm: &str) -> String {
    let shown = context.run(&["show", &format!("keeper/{arm}/1")]);
    let line = shown.stdout.lines().find_map(|line| line.trim_start().strip_prefix("assistant: "));
    line.unwrap_or_else(|| panic!("{shown:?}")).to_owned()
}

#[test]
fn a_prompt_of_the_command_line_is_put_in_place_in_every_arm() {
    let context = context();
    assert_eq!(context.run(&["run", "keeper.yaml"]).code, 0);
    let digest = |context: &TestContext| context.json("out/run.json")["cells"][0]["digest"].clone();
    let before = digest(&context);
    assert_eq!(["july", "own"].map(|arm| answer(&context, arm)), ["How can I help?", "The quay is free."]);
    let output = context.run(&["run", "keeper.yaml", "--prompt", "identity=new.md"]);
    assert_eq!(output.code, 0, "{output:?}");
    assert_eq!(["july", "own"].map(|arm| answer(&context, arm)), ["The lamp burns.", "The lamp burns."]);
    assert_ne!(before, digest(&context), "a resumed run does not take the other cells over");
    let again = context.run(&["rerun", "keeper/own/1"]);
    assert!(again.stderr.contains("the same bytes"), "{again:?}");
    context.file("new.md", "You are nobody.\n");
    let again = context.run(&["rerun", "keeper/own/1"]);
    assert!(again.stderr.contains("the inputs have changed"), "{again:?}");
}

#[test]
fn what_cannot_stand_in_for_a_prompt_is_refused_before_anything_runs() {
    let context = context();
    context.file("empty.md", "\n");
    let messages = ["identity", "identty=new.md", "identity=absent.md", "identity=empty.md"].map(|typed| {
        let output = context.run(&["run", "keeper.yaml", "--prompt", typed]);
        assert_eq!((output.code, &*output.stdout), (2, ""), "{output:?}");
        output.stderr
    });
    insta::assert_snapshot!(messages.join("\n"), @r"
    error: `--prompt identity`: wanted NAME=FILE

    error: `--prompt identty=new.md`: no prompt is named `identty`
    hint: did you mean `identity`?

    error: `--prompt identity=absent.md`: absent.md cannot be read: there is no such file

    error: `--prompt identity=empty.md`: the text for `identity` is empty
    ");
}
