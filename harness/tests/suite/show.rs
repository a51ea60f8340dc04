//! `harness show` and `harness rerun`: what a person reads of one cell.

use super::context::TestContext;

const SCENARIO: &str = "\
name: bakery
description: Bread is baked twice, the second time by a skill.
start: 2026-01-05T09:00:00Z
arms: { july: { version: hermes-0.19, config: { memory.nudge_interval: 1, skills.creation_nudge_interval: 3 } } }
world: w.yaml
script: s.yaml
timeline:
  - session: monday
    turns: [Bake bread., { user: Thank you., after: 10m }]
  - session: tuesday
    at: 1d
    turns: [Bake bread again.]
  - curator: poll
    every: 1d
    until: 40d
expect:
  - session.tuesday.tool_errors == 0
";

const WORLD: &str = "\
facts: { oven: cold }
tools:
  - name: terminal
    description: Runs a command line.
    parameters: { type: object, properties: { command: { type: string } }, required: [command] }
    shell: command
    rules:
      - { match: { command: oven on }, output: heating, set: { oven: hot }, took: 10m }
      - { match: { command: bake }, when: facts.oven == 'hot', output: \"a loaf\\nand a crust\" }
      - { match: { command: bake }, output: the oven is cold, exit: 1 }
";

const SCRIPT: &str = "\
lessons: { heat-first: heat the oven first }
main:
  - when: \"'again' in user\"
    steps:
      - { call: { skill_view: { name: bake-bread } } }
      - { call: { terminal: { command: oven on && bake } } }
      - { reply: Done as the skill says. }
  - when: \"'Bake' in user\"
    steps:
      - call: { terminal: { command: bake } }
        on_error: [{ match: cold, steps: [{ call: { terminal: { command: warm the oven } }, on_error: [{ match: not found, steps: [{ call: { terminal: { command: oven on } } }] }] }, retry] }]
      - call: { write_file: { path: log/bread.txt, content: \"one loaf\\none crust\\n\" } }
      - reply: |
          Here is the bread.

          It has a crust.
  - reply: You are welcome.
review:
  - when: \"'skills' in asks and 'bake-bread' not in skills\"
    steps:
      - call:
          skill_manage:
            action: create
            name: bake-bread
            content: |
              ---
              name: bake-bread
              description: Bake bread
              ---

              1. Bake.
      - call: { skill_manage: { action: patch, name: bake-bread, old_string: 1. Bake., new_string: \"1. To bake, heat the oven first.\\n2. Bake.\" } }
      - call: { memory: { action: add, target: user, content: Likes bread. } }
      - call: { memory: { action: replace, target: memory, old_text: nothing, content: x } }
      - reply: Saved.
  - reply: Nothing to save.
";

fn context() -> TestContext {
    let context = TestContext::new();
    context.file("bakery.yaml", SCENARIO).file("w.yaml", WORLD).file("s.yaml", SCRIPT);
    let output = context.run(&["run", "bakery.yaml"]);
    assert_eq!(output.code, 0, "{output:?}");
    context
}

#[test]
fn a_cell_is_shown_as_a_transcript() {
    let output = context().run(&["show", "bakery/july/1"]);
    assert_eq!((output.code, &*output.stderr), (0, ""));
    insta::assert_snapshot!(output.stdout);
}

#[test]
fn a_session_is_shown_alone_and_whole() {
    let context = context();
    let output = context.run(&["show", "bakery/july/1", "--session", "tuesday"]);
    assert_eq!(output.code, 0);
    assert!(!output.stdout.contains("monday"), "{}", output.stdout);
    insta::assert_snapshot!("session_tuesday", output.stdout);
    let full = context.run(&["show", "bakery/july/1", "--session", "tuesday", "--full"]).stdout;
    assert!(!output.stdout.contains("1. Bake.") && full.contains("1. Bake."), "{full}");
    assert!(!full.contains(" more line") && !full.contains(" more character"), "{full}");
}

#[test]
fn a_transcript_fits_a_narrow_terminal_and_colour_only_repeats() {
    let context = context();
    let narrow = context.run_with(&["show", "bakery/july/1"], &[("COLUMNS", "60")]).stdout;
    assert!(narrow.lines().all(|line| line.chars().count() <= 60), "{narrow}");
    let plain = context.run(&["show", "bakery/july/1"]).stdout;
    // A line that goes on below has its margin again, and a long word may be broken.
    let letters = |text: &str| -> String {
        let margin = regex::Regex::new("(?m)^  (review|curator) \\|").expect("it is right");
        margin.replace_all(text, "").chars().filter(|char| !char.is_whitespace()).collect()
    };
    assert_eq!(letters(&narrow), letters(&plain));
    let coloured = context.run(&["show", "bakery/july/1", "--color", "always"]).stdout;
    let head = coloured.lines().next().expect("a first line");
    assert_eq!(head, format!("\u{1b}[1m{}\u{1b}[0m", plain.lines().next().expect("a first line")));
    let colour = regex::Regex::new("\u{1b}\\[[0-9;]*m").expect("it is right");
    assert_eq!(colour.replace_all(&coloured, ""), plain);
    insta::assert_snapshot!(coloured.lines().filter(|line| line.contains("\u{1b}[3")).collect::<Vec<_>>().join("\n").replace('\u{1b}', "ESC"), @r"
    ESC[31m  answer, failed: exit code 1: the oven is coldESC[0m
    ESC[31m  no rule of the world answers terminal: warm the ovenESC[0m
    ESC[31m  answer, failed: exit code 127: warm: command not foundESC[0m
    ESC[32m  review |     + ---ESC[0m
    ESC[32m  review |     + name: bake-breadESC[0m
    ESC[32m  review |     + description: Bake breadESC[0m
    ESC[32m  review |     + ---ESC[0m
    ESC[32m  review |     +ESC[0m
    ESC[32m  review |     + 1. Bake.ESC[0m
    ESC[31m  review | writes skill: patch bake-bread: refused: bg-unreadESC[0m
    ESC[31m  review | answer, failed, refused, bg-unread:ESC[0m
    ESC[32m  review |     + Likes bread.ESC[0m
    ESC[31m  review | writes memory: replace nothing: failed: no-matchESC[0m
    ESC[31m  review | answer, failed, no-match:ESC[0m
    ");
}

#[test]
fn cells_and_sessions_that_are_not_there_name_the_nearest() {
    let context = context();
    let mut shown = Vec::new();
    for args in [
        &["show", "bakery/juli/1"][..],
        &["rerun", "bakery/july/2"],
        &["show", "bakery/july/1", "--session", "mondai"],
        &["show", "bakery/july/1", "--out", "elsewhere"],
    ] {
        let output = context.run(args);
        assert_eq!((output.code, &*output.stdout), (2, ""), "{args:?}");
        shown.push(output.stderr);
    }
    context.file("out/traces/bakery.july.1.jsonl", "nonsense\n");
    let damaged = context.run(&["show", "bakery/july/1"]);
    assert_eq!(damaged.code, 3);
    shown.push(damaged.stderr);
    context.file("out/run.json", "{");
    shown.push(context.run(&["rerun", "bakery/july/1"]).stderr);
    insta::assert_snapshot!(shown.join("\n"), @r"
    error: that run has no cell `bakery/juli/1`
    hint: did you mean `bakery/july/1`?

    error: that run has no cell `bakery/july/2`
    hint: did you mean `bakery/july/1`?

    error: the cell has no session `mondai`
    hint: did you mean `monday`?

    error: cannot read elsewhere/run.json: there is no such file
    hint: name the directory of a run with --out

    error: out/traces/bakery.july.1.jsonl is damaged: line 1 is not an event of a trace: expected ident at line 1 column 2

    error: out/run.json is damaged
    hint: name the directory of a run with --out
    ");
}

/// What a trace holds was written by models and tools: nothing of it reaches the terminal as a command.
#[test]
fn control_bytes_of_a_trace_do_not_reach_the_terminal() {
    let context = TestContext::new();
    context.file("bakery.yaml", &SCENARIO.replace("Thank you.", "\"Thank\\e[2J \\a\\r you \\u202e.\""));
    context.file("w.yaml", WORLD).file("s.yaml", SCRIPT);
    assert_eq!(context.run(&["run", "bakery.yaml"]).code, 0);
    let shown = context.run(&["show", "bakery/july/1"]).stdout;
    assert!(!shown.contains(['\u{1b}', '\u{7}', '\r', '\u{202e}']), "{shown:?}");
    assert!(shown.contains("Thank") && shown.contains("you"));
}

#[test]
fn a_cell_is_run_again_over_either_transport() {
    let context = context();
    for transport in ["http", "direct"] {
        let output = context.run(&["rerun", "bakery/july/1", "--transport", transport]);
        assert_eq!((output.code, &*output.stderr), (0, "the same bytes as before\n"), "{output:?}");
    }
    context.replace("w.yaml", "took: 10m", "took: 9m");
    let output = context.run(&["rerun", "bakery/july/1"]);
    assert_eq!(output.code, 0);
    insta::assert_snapshot!(output.stderr, @"the inputs have changed since, so the traces are not compared");
}
