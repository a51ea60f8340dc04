//! Running scenarios: what is printed, what is left, which code it ends with.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::context::TestContext;

const SCENARIO: &str = "\
name: demo
description: A user says hello.
start: 2026-01-05T09:00:00Z
arms:
  july: { version: hermes-0.19 }
  may: { version: hermes-0.13 }
world: { tools: [] }
script: scripts/s.yaml
timeline:
  - session: first
    turns: [Hello., { user: How are you?, after: 5m }]
expect:
  - session.first.turns == 2
  - { when: arm == 'may', that: session.first.tool_calls == 0, why: nobody asked for anything }
";

const SCRIPT: &str = "\
main:
  - { when: \"'Hello' in user\", reply: Hello to you. }
  - { when: \"'How are' in user and turn == 2\", reply: Well. }
";

fn context() -> TestContext {
    let context = TestContext::new();
    context.file("demo.yaml", SCENARIO).file("scripts/s.yaml", SCRIPT);
    context
}

/// All files below a folder with their bytes.
fn bytes(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    walkdir::WalkDir::new(folder)
        .into_iter()
        .map(|entry| entry.expect("the folder can be read"))
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let name = entry.path().strip_prefix(folder).expect("below the folder");
            (name.to_string_lossy().into_owned(), fs::read(entry.path()).expect("files can be read"))
        })
        .collect()
}

fn run_file(context: &TestContext, out: &str) -> Value {
    let text = fs::read(context.path(out).join("run.json")).expect("run.json is there");
    serde_json::from_slice(&text).expect("run.json is JSON")
}

#[test]
fn a_run_that_holds_ends_with_0_and_leaves_its_results() {
    let context = context();
    let output = context.run(&["run", "demo.yaml"]);
    assert_eq!(output.code, 0, "{output:?}");
    insta::assert_snapshot!(output.stdout, @r"
    ────────────────────────────────────────────────
     status   scenario   arm    seed   expectations
    ════════════════════════════════════════════════
     held     demo       july      1         1 of 1
     held     demo       may       1         2 of 2
    ────────────────────────────────────────────────
    all held: 2 cells, 2 held
    ");
    let files: Vec<String> = bytes(&context.path("out")).into_keys().collect();
    insta::assert_snapshot!(files.join("\n"), @r"
    .lock
    junit.xml
    records/cells.csv
    records/curator_runs.csv
    records/hazards.csv
    records/lessons.csv
    records/library_days.csv
    records/loads.csv
    records/memory_days.csv
    records/model_calls.csv
    records/nudges.csv
    records/reviews.csv
    records/sessions.csv
    records/skills.csv
    records/tool_calls.csv
    records/turns.csv
    records/writes.csv
    run.json
    summary.md
    traces/demo.july.1.jsonl
    traces/demo.may.1.jsonl
    ");
}

#[test]
fn a_failed_expectation_ends_with_1_and_says_what_was_found() {
    let context = context();
    context.replace("demo.yaml", "session.first.turns == 2", "session.first.turns == 3 and seed == 1");
    let output = context.run(&["run", "demo.yaml", "--arm", "may"]);
    assert_eq!(output.code, 1);
    insta::assert_snapshot!(output.stdout, @r"
    ───────────────────────────────────────────────
     status   scenario   arm   seed   expectations
    ═══════════════════════════════════════════════
     failed   demo       may      1         1 of 2
    ───────────────────────────────────────────────

    failed demo/may/1
      session.first.turns == 3 and seed == 1
        session.first.turns = 2
        seed = 1
        at demo.yaml:13
      rerun: harness rerun demo/may/1
      show: harness show demo/may/1

    failed: 1 cell, 1 failed
    ");
    assert_eq!(run_file(&context, "out")["verdict"]["outcome"], "failed");
}

#[test]
fn wrong_input_ends_with_2_and_nothing_runs() {
    let context = context();
    let mut said = Vec::new();
    for args in [
        &["run", "demo.yml"][..],
        &["run", "demo.yaml", "--arm", "juli"],
        &["run", "demo.yaml", "--set", "memory.nudge_intervall=3"],
        &["run", "demo.yaml", "--set", "memory.nudge_interval=often"],
        &["run", "demo.yaml", "--set", "memory.nudge_interval"],
        &["run", "demo.yaml", "--job", "2"],
        &["run"],
    ] {
        let output = context.run(args);
        assert_eq!((output.code, &*output.stdout), (2, ""), "{args:?}: {output:?}");
        said.push(format!("$ harness {}\n{}", args.join(" "), output.stderr));
    }
    insta::assert_snapshot!(said.join("\n"), @r#"
    $ harness run demo.yml
    error: there is no file or folder demo.yml

    $ harness run demo.yaml --arm juli
    error: no scenario has an arm named `juli`
    hint: did you mean `july`?

    $ harness run demo.yaml --set memory.nudge_intervall=3
    error: --set: unknown setting `memory.nudge_intervall`
    hint: did you mean `memory.nudge_interval`?

    $ harness run demo.yaml --set memory.nudge_interval=often
    error: --set: `memory.nudge_interval` takes a whole number, found "often"

    $ harness run demo.yaml --set memory.nudge_interval
    error: --set: wanted KEY=VALUE, found `memory.nudge_interval`

    $ harness run demo.yaml --job 2
    error: unexpected argument '--job' found

      tip: a similar argument exists: '--jobs'

    Usage: harness run --jobs <N> <PATH>...

    For more information, try '--help'.

    $ harness run
    error: the following required arguments were not provided:
      <PATH>...

    Usage: harness run <PATH>...

    For more information, try '--help'.
    "#);
    assert!(!context.path("out").exists());
}

#[test]
fn a_request_that_no_rule_fits_ends_with_3_and_names_the_clause() {
    let context = context();
    context.replace("scripts/s.yaml", "turn == 2", "turn == 3");
    let output = context.run(&["run", "demo.yaml", "--arm", "july"]);
    assert_eq!(output.code, 3);
    insta::assert_snapshot!(output.stdout, @r#"
    ────────────────────────────────────────────────
     status   scenario   arm    seed   expectations
    ════════════════════════════════════════════════
     broken   demo       july      1         0 of 0
    ────────────────────────────────────────────────

    broken demo/july/1
      user/first#2: no rule: none of `main` fits; asked: "How are you?"
        `main#2` (scripts/s.yaml:3) failed at `turn == 3`, 1 of 2 clauses held
          turn = 2
        `main#1` (scripts/s.yaml:2) failed at `'Hello' in user`
          user = "How are you?"
      rerun: harness rerun demo/july/1
      show: harness show demo/july/1

    broken, results incomplete: 1 cell, 1 broken
    "#);
    let trace = fs::read_to_string(context.path("out/traces/demo.july.1.jsonl")).expect("the trace is kept");
    assert!(trace.contains(r#""kind":"miss""#) && trace.contains(r#""outcome":"broken""#));
}

#[test]
fn results_that_cannot_be_written_end_with_3_before_anything_runs() {
    let context = context();
    context.file("taken", "a file");
    let output = context.run(&["run", "demo.yaml", "--out", "taken/out"]);
    assert_eq!((output.code, &*output.stdout), (3, ""), "{output:?}");
    insta::assert_snapshot!(output.stderr, @"error: cannot make taken/out: Not a directory (os error 20)");
}

#[test]
fn an_empty_selection_ends_with_4() {
    let context = context();
    fs::create_dir(context.path("empty")).expect("folders can be made");
    let mut said = Vec::new();
    for args in
        [&["run", "empty"][..], &["run", "demo.yaml", "-k", "august"], &["list", "demo.yaml", "-k", "!demo"]]
    {
        let output = context.run(args);
        assert_eq!((output.code, &*output.stdout), (4, ""), "{args:?}: {output:?}");
        said.push(format!("$ harness {}\n{}", args.join(" "), output.stderr));
    }
    insta::assert_snapshot!(said.join("\n"), @r"
    $ harness run empty
    nothing was selected: no cell fits

    $ harness run demo.yaml -k august
    nothing was selected: no cell fits
    hint: `august` is compared with names such as demo/july/1

    $ harness list demo.yaml -k !demo
    nothing was selected: no cell fits
    hint: `!demo` leaves every cell out
    ");
}

#[test]
fn cells_are_selected_by_arm_name_and_seed() {
    let output = context().run(&["list", "demo.yaml", "-k", "july", "--seed", "5", "--repeat", "2"]);
    assert_eq!((output.code, &*output.stdout), (0, "demo/july/5\ndemo/july/6\n"));
}

#[test]
fn settings_of_the_command_line_stand_in_run_json_with_their_origin() {
    let context = context();
    context.run(&["run", "demo.yaml", "--arm", "july", "--set", "memory.nudge_interval=3"]);
    let arm = &run_file(&context, "out")["scenarios"]["demo"]["arms"]["july"];
    insta::assert_snapshot!(arm.to_string(), @r#"{"settings":{"memory.nudge_interval":{"origin":"command line","value":3}},"version":"hermes-0.19"}"#);
}

#[test]
fn neither_the_way_nor_the_number_of_jobs_changes_a_byte() {
    let context = TestContext::with_scenarios();
    let ways = [
        ("http1", ["--transport", "http", "-j", "1"]),
        ("http2", ["--transport", "http", "-j", "2"]),
        ("direct1", ["--transport", "direct", "-j", "1"]),
        ("direct2", ["--transport", "direct", "-j", "2"]),
    ];
    for (out, flags) in ways {
        // A handful of cells that do everything; `determinism` compares the traces of all.
        let mut args = vec!["run", "scenarios/", "-k", "k8s", "--keep-homes", "--out", out];
        args.extend(flags);
        let output = context.run(&args);
        assert_eq!(output.code, 0, "{}", output.stdout);
    }
    let (first, _) = ways[0];
    for folder in ["traces", "records", "homes"] {
        let expected = bytes(&context.path(first).join(folder));
        assert!(!expected.is_empty(), "{folder} is empty");
        for (out, _) in &ways[1..] {
            let found = bytes(&context.path(out).join(folder));
            let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
            assert_eq!(names(&found), names(&expected), "{out}/{folder}");
            let differs = found.iter().find(|(name, bytes)| expected[*name] != **bytes);
            assert!(differs.is_none(), "{out}/{folder}/{} differs", differs.expect("one differs").0);
        }
    }
    let lasting = |out: &str| {
        let mut file = run_file(&context, out);
        file.as_object_mut().expect("run.json is a mapping").remove("volatile");
        file
    };
    for (out, _) in &ways[1..] {
        assert_eq!(lasting(out), lasting(first), "{out}/run.json");
    }
}

/// The figures that the product is for: they stand in the records of every arm.
#[test]
fn three_deployments_need_12_then_9_then_6_calls() {
    let context = TestContext::with_scenarios();
    let output = context.run(&["run", "scenarios/k8s-deploy.yaml"]);
    assert_eq!(output.code, 0, "{}", output.stdout);
    let mut reader = csv_rows(&context.path("out/records/sessions.csv"));
    let column = |name: &str, header: &[String]| {
        header.iter().position(|known| known == name).unwrap_or_else(|| panic!("there is no column {name}"))
    };
    let header = reader.remove(0);
    let wanted =
        ["arm", "session", "tool_calls", "tool_errors", "review_calls", "review_writes", "memory_writes"];
    let places = wanted.map(|name| column(name, &header));
    let mut rows: Vec<String> =
        reader.iter().map(|row| places.map(|place| row[place].as_str()).join(" ")).collect();
    rows.sort();
    insta::assert_snapshot!(rows.join("\n"), @r"
    article django 9 1 5 3 2
    article fastapi 6 0 1 0 0
    article flask 12 2 2 1 0
    july django 9 1 3 1 0
    july fastapi 6 0 0 0 0
    july flask 12 2 2 1 0
    september django 9 1 3 1 0
    september fastapi 6 0 0 0 0
    september flask 12 2 2 1 0
    ");
}

/// The cells of a file without quotes in it.
fn csv_rows(path: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).expect("the table is there");
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}
