//! How output looks: wide and narrow, with colour and without, in a pipe, on a terminal, on a dumb one.

use super::context::{Output, TestContext};

const SCENARIO: &str = "\
name: demo
start: 2026-01-05T09:00:00Z
arms:
  july: { version: hermes-0.19 }
  may: { version: hermes-0.13 }
world: { tools: [] }
script: s.yaml
timeline:
  - session: first
    turns: [Hello., { user: Are you there?, after: 5m }]
expect:
  - session.first.turns == 2
  - { when: arm == 'may', that: session.first.tool_calls == 1 and session.first.reviews == 0, why: somebody asked for something }
";

fn context() -> TestContext {
    let context = TestContext::new();
    context.file("demo.yaml", SCENARIO).file("s.yaml", "main: [{ reply: Hello to you. }]\n");
    context
}

/// A run of which one cell does not hold.
fn run(variables: &[(&str, &str)]) -> Output {
    let output = context().run_with(&["run", "demo.yaml"], variables);
    assert_eq!(output.code, 1, "{output:?}");
    output
}

/// A scenario with mistakes.
fn mistakes(variables: &[(&str, &str)]) -> Output {
    let context = context();
    context.replace("demo.yaml", "world:", "wordl:").replace("demo.yaml", "hermes-0.13", "hermes-0.14");
    let output = context.run_with(&["validate", "demo.yaml"], variables);
    assert_eq!((output.code, &*output.stdout), (2, ""), "{output:?}");
    output
}

/// Text without colour.
fn stripped(text: &str) -> String {
    let colour = regex::Regex::new("\u{1b}\\[[0-9;]*m").expect("it is right");
    let lines = colour.replace_all(text, "");
    lines.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

#[test]
fn a_run_in_a_pipe() {
    let output = run(&[]);
    insta::assert_snapshot!(output.stdout);
    insta::assert_snapshot!(output.stderr.replace(char::is_numeric, "N"), @r"
    N cells, N at a time
    failed   demo/may/N
    results in out
    ");
}

#[test]
fn a_run_in_a_narrow_terminal() {
    let output = run(&[("COLUMNS", "60")]);
    assert!(output.stdout.lines().all(|line| line.chars().count() <= 60), "{}", output.stdout);
    insta::assert_snapshot!(output.stdout);
}

#[test]
fn a_run_on_a_dumb_terminal() {
    let output = run(&[("TERM", "dumb")]);
    assert!(output.stdout.is_ascii(), "{}", output.stdout);
    insta::assert_snapshot!(output.stdout);
}

#[test]
fn a_run_said_quietly_and_loudly() {
    let context = context();
    let quiet = context.run(&["run", "demo.yaml", "-q"]);
    assert_eq!((quiet.code, &*quiet.stderr), (1, ""));
    insta::assert_snapshot!("quiet", quiet.stdout);
    let loud = context.run(&["run", "demo.yaml", "-v", "-j", "1"]);
    insta::assert_snapshot!(loud.stderr, @r"
    2 cells, 1 at a time
    held     demo/july/1
    failed   demo/may/1
    results in out
    ");
    let silent = context.run(&["run", "demo.yaml", "--no-progress", "--arm", "july"]);
    insta::assert_snapshot!(silent.stderr, @"results in out");
}

#[test]
fn colour_is_forced_and_forbidden_by_the_environment() {
    let plain = run(&[]).stdout;
    for variable in ["CLICOLOR_FORCE", "FORCE_COLOR"] {
        let coloured = run(&[(variable, "1")]).stdout;
        assert!(coloured.contains("\u{1b}["), "{variable}");
        assert_eq!(stripped(&coloured), plain, "{variable}: colour adds nothing but colour");
        let both = run(&[(variable, "1"), ("NO_COLOR", "1")]).stdout;
        assert_eq!(both, plain, "NO_COLOR beats {variable}");
    }
    assert_eq!(run(&[("NO_COLOR", "1")]).stdout, plain);
    assert_eq!(run(&[("NO_COLOR", "")]).stdout, plain, "an empty NO_COLOR says nothing");
    assert_eq!(run(&[("FORCE_COLOR", "0")]).stdout, plain);
    insta::assert_snapshot!(run(&[("FORCE_COLOR", "1")]).stdout.replace('\u{1b}', "ESC"));
}

#[test]
fn mistakes_in_a_pipe() {
    insta::assert_snapshot!(mistakes(&[]).stderr);
}

#[test]
fn mistakes_in_a_narrow_terminal() {
    insta::assert_snapshot!(mistakes(&[("COLUMNS", "60")]).stderr);
}

#[test]
fn mistakes_on_a_dumb_terminal() {
    let said = mistakes(&[("TERM", "dumb")]).stderr;
    assert!(said.is_ascii(), "{said}");
    insta::assert_snapshot!(said);
}

#[test]
fn mistakes_in_colour() {
    let plain = mistakes(&[]).stderr;
    for variable in ["CLICOLOR_FORCE", "FORCE_COLOR"] {
        let coloured = mistakes(&[(variable, "1")]).stderr;
        assert!(coloured.contains("\u{1b}["), "{variable}");
        assert_eq!(stripped(&coloured), plain, "{variable}");
        assert_eq!(mistakes(&[(variable, "1"), ("NO_COLOR", "1")]).stderr, plain, "{variable}");
    }
}

/// The binary on a terminal of its own, which `script` makes; none where there is no `script`.
#[cfg(target_os = "linux")]
fn on_a_terminal(context: &TestContext, args: &str, variables: &[(&str, &str)]) -> String {
    let binary = assert_cmd::cargo::cargo_bin!("harness");
    let command = format!("stty cols 100 && {} {args}", binary.display());
    let output = std::process::Command::new("script")
        .args(["--quiet", "--return", "--command", &command, "/dev/null"])
        .current_dir(context.path(""))
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .envs([("TERM", "xterm"), ("SHELL", "/bin/sh")])
        .envs(variables.iter().copied())
        .stdin(std::process::Stdio::null())
        .output()
        .expect("`script` runs");
    String::from_utf8(output.stdout).expect("the output is text")
}

/// On a terminal a bar moves and colour is used; each of these takes it away.
#[test]
#[cfg(target_os = "linux")]
fn a_bar_moves_on_a_terminal_only() {
    let context = context();
    let shown = on_a_terminal(&context, "run demo.yaml --repeat 3", &[]);
    assert!(shown.contains("of 6 cells") && shown.contains("\u{1b}["), "{shown:?}");
    assert!(!shown.contains("at a time"), "{shown:?}");
    for (args, variables, has_colour) in [
        ("run demo.yaml --no-progress", &[][..], true),
        ("run demo.yaml", &[("CI", "true")], true),
        ("run demo.yaml", &[("TERM", "dumb")], false),
        ("run demo.yaml --no-progress", &[("NO_COLOR", "1")], false),
        ("run demo.yaml --no-progress --color never", &[], false),
    ] {
        let shown = on_a_terminal(&context, args, variables);
        assert!(!shown.contains("of 2 cells"), "{args} {variables:?}: {shown:?}");
        assert_eq!(shown.contains("\u{1b}["), has_colour, "{args} {variables:?}: {shown:?}");
        assert!(shown.contains("failed: 2 cells, 1 held, 1 failed"), "{args} {variables:?}: {shown:?}");
    }
}

/// A pipe that is closed early is nobody's mistake.
#[test]
fn a_closed_pipe_is_quiet() {
    let context = context();
    let output = std::process::Command::new("bash")
        .args(["-c", "\"$0\" explain settings | head -1; exit \"${PIPESTATUS[0]}\""])
        .arg(assert_cmd::cargo::cargo_bin!("harness"))
        .current_dir(context.path(""))
        .output()
        .expect("bash runs");
    assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]));
}

/// What other commands print, in a narrow terminal: no heading is broken within a word, and what is said under a table
/// keeps to the width.
#[test]
fn other_tables_in_a_narrow_terminal() {
    let context = TestContext::with_scenarios();
    context.file("home/skills/tea/SKILL.md", "---\nname: tea\ndescription: Tea.\n---\nBoil.\n");
    let sweep =
        ["sweep", "scenarios/nudges-small.yaml", "--arm", "default", "--vary", "memory.nudge_interval=0,3"];
    let mut shown = String::new();
    for args in [
        &[&sweep[..], &["--repeat", "2"]].concat()[..],
        &["compare", "out#default,nudge_interval=0", "out#default,nudge_interval=3"],
        &["config", "--diff", "hermes-0.19", "hermes-2026-09"],
        &["curator", "status", "--home", "home", "--now", "2026-03-01T09:00:00Z"],
        &["curator", "preview", "--home", "home", "--now", "2026-03-01T09:00:00Z"],
        &["prompts", "check", "--version", "hermes-2026-09"],
        &["explain", "exit-codes"],
        &["explain", "errors"],
        &["list", "scenarios/k8s-deploy.yaml"],
    ] {
        let output = context.run_with(args, &[("COLUMNS", "60")]);
        assert_eq!(output.code, 0, "{output:?}");
        shown.extend(["$ harness ", &args.join(" "), "\n", &output.stdout, "\n"]);
    }
    insta::assert_snapshot!(shown);
}
