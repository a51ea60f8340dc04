//! Options in layers: a flag beats the environment beats `harness.toml` beats the default.

use super::context::TestContext;

const SCENARIO: &str = "\
name: demo
start: 2026-01-05T09:00:00Z
arms: { july: { version: hermes-0.19, config: { skills.creation_nudge_interval: 7 } }, may: { version: hermes-0.13 } }
world: { tools: [] }
script: s.yaml
timeline: [{ session: first, turns: [Hello.] }]
";

const FILE: &str = "\
jobs = 3
seed = 3
repeat = 3
arm = ['july', 'may']
set = ['memory.nudge_interval=4']
out = 'results'
";

fn context() -> TestContext {
    let context = TestContext::new();
    context.file("demo.yaml", SCENARIO).file("s.yaml", "main: [{ reply: Hello to you. }]\n");
    context
}

/// The rows of a printed configuration that somebody said something about.
fn said(printed: &str) -> String {
    let lines = printed
        .lines()
        .filter(|line| !line.trim_end().ends_with(" default") && !line.trim_end().ends_with(" version"));
    lines.map(|line| line.to_owned() + "\n").collect()
}

#[test]
fn every_option_and_setting_is_printed_with_its_origin() {
    let context = context();
    context.file("harness.toml", FILE);
    let output = context.run_with(
        &["run", "demo.yaml", "--print-config", "--repeat", "1", "--arm", "july"],
        &[("HARNESS_SEED", "2"), ("HARNESS_REPEAT", "2"), ("HARNESS_PROGRESS", "false")],
    );
    assert_eq!((output.code, &*output.stderr), (0, ""));
    assert!(!context.path("results").exists() && !context.path("out").exists(), "nothing is written");
    insta::assert_snapshot!(said(&output.stdout), @r"
    Options
    ────────────────────────────────────────────────────────────────────────────
     option        value                                       origin
    ════════════════════════════════════════════════════════════════════════════
     arm           july                                        --arm
     set           memory.nudge_interval=4                     harness.toml
     seed          2                                           HARNESS_SEED
     repeat        1                                           --repeat
     jobs          3                                           harness.toml
     out           results                                     harness.toml
     progress      false                                       HARNESS_PROGRESS
    ────────────────────────────────────────────────────────────────────────────

    Settings of demo/july (hermes-0.19)
    ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
     setting                                                       value                                                                        origin
    ═════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════
     memory.nudge_interval                                         4                                                                            command line
     skills.creation_nudge_interval                                7                                                                            demo.yaml
    ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
    ");
    let versions = output.stdout.lines().filter(|line| line.trim_end().ends_with(" version")).count();
    assert!(versions > 50, "{versions} settings have the version's value");
}

#[test]
fn without_scenarios_the_options_alone_are_printed() {
    let output = context().run(&["explain", "--print-config"]);
    assert_eq!(output.code, 0);
    insta::assert_snapshot!(output.stdout);
}

#[test]
fn each_layer_beats_the_one_below() {
    let context = context();
    let list = |args: &[&str], variables: &[(&str, &str)]| {
        let output = context.run_with(args, variables);
        assert_eq!((output.code, &*output.stderr), (0, ""), "{args:?}");
        output.stdout
    };
    let seeds = |text: String| -> Vec<String> {
        text.lines().filter_map(|line| line.strip_prefix("demo/july/").map(str::to_owned)).collect()
    };
    assert_eq!(seeds(list(&["list", "demo.yaml"], &[])), ["1"]);
    context.file("harness.toml", "seed = 3\nrepeat = 2\n");
    assert_eq!(seeds(list(&["list", "demo.yaml"], &[])), ["3", "4"]);
    assert_eq!(seeds(list(&["list", "demo.yaml"], &[("HARNESS_SEED", "5")])), ["5", "6"]);
    assert_eq!(seeds(list(&["list", "demo.yaml", "--seed", "8"], &[("HARNESS_SEED", "5")])), ["8", "9"]);
    context.file("other.toml", "seed = 20\n");
    assert_eq!(seeds(list(&["list", "demo.yaml", "--config", "other.toml"], &[])), ["20"]);
    assert_eq!(
        seeds(list(&["list", "demo.yaml"], &[("HARNESS_SEED", "")])),
        ["3", "4"],
        "empty says nothing"
    );
    let both = list(&["list", "demo.yaml"], &[("HARNESS_ARM", "may, july"), ("HARNESS_REPEAT", "1")]);
    assert_eq!(both, "demo/july/3\ndemo/may/3\n");
}

#[test]
fn every_variable_is_listened_to() {
    let context = context();
    let variables = [
        ("HARNESS_ARM", "july"),
        ("HARNESS_FILTER", "demo,!may"),
        ("HARNESS_SET", "memory.nudge_interval=2"),
        ("HARNESS_TRANSPORT", "direct"),
        ("HARNESS_JOBS", "1"),
        ("HARNESS_OUT", "elsewhere"),
        ("HARNESS_KEEP_HOMES", "1"),
        ("HARNESS_JUNIT", "j.xml"),
        ("HARNESS_FORMAT", "jsonl"),
        ("HARNESS_VERBOSITY", "quiet"),
    ];
    let output = context.run_with(&["run", "demo.yaml"], &variables);
    assert_eq!((output.code, &*output.stderr), (0, ""));
    assert_eq!(output.stdout.lines().count(), 2, "one cell and the verdict");
    for path in ["elsewhere/run.json", "elsewhere/homes/demo.july.1/user", "j.xml"] {
        assert!(context.path(path).exists(), "{path}");
    }
}

#[test]
fn wrong_values_end_with_2_and_say_where_they_came_from() {
    let context = context();
    let mut shown = Vec::new();
    let mut show = |args: &[&str], variables: &[(&str, &str)]| {
        let output = context.run_with(args, variables);
        assert_eq!((output.code, &*output.stdout), (2, ""), "{args:?}");
        shown.push(output.stderr);
    };
    show(&["list", "demo.yaml"], &[("HARNESS_JOBS", "0")]);
    show(&["list", "demo.yaml"], &[("HARNESS_TRANSPORT", "pigeon")]);
    show(&["list", "demo.yaml"], &[("HARNESS_PARTITION", "3/2")]);
    show(&["list", "demo.yaml"], &[("HARNESS_SET", "memory.nudge_intervall=3")]);
    show(&["list", "demo.yaml", "--config", "absent.toml"], &[]);
    context.file("harness.toml", "job = 3\nseed = 'one'\n");
    show(&["list", "demo.yaml"], &[]);
    context.file("harness.toml", "jobs = [\n");
    show(&["list", "demo.yaml"], &[]);
    context.file("harness.toml", "set = ['memory.nudge_interval=often']\n");
    show(&["list", "demo.yaml"], &[]);
    insta::assert_snapshot!(shown.join("\n"), @r#"
    error: HARNESS_JOBS takes a whole number from 1, found `0`

    error: HARNESS_TRANSPORT takes one of http, direct, found `pigeon`

    error: HARNESS_PARTITION takes count:I/N or hash:I/N, found `3/2`

    error: HARNESS_SET: unknown setting `memory.nudge_intervall`
    hint: did you mean `memory.nudge_interval`?

    error: cannot read absent.toml: there is no such file

      × unknown option `job`
       ╭─[harness.toml:1:1]
     1 │ job = 3
       · ───
     2 │ seed = 'one'
       ╰────
      hint: did you mean `jobs`?

      × `seed` takes a whole number from 0
       ╭─[harness.toml:2:8]
     1 │ job = 3
     2 │ seed = 'one'
       ·        ─────
       ╰────

    2 mistakes; nothing ran

      × not TOML: unclosed array, expected `]`
       ╭─[harness.toml:1:9]
     1 │ jobs = [
       ·         ▲
       ╰────

    1 mistake; nothing ran

    error: set in harness.toml: `memory.nudge_interval` takes a whole number, found "often"
    "#);
}
