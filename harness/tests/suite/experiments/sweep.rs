//! `harness sweep`: a grid of settings, measured.

use std::fs;

use super::sample::{drawing, swept};
use crate::suite::context::{TestContext, all_files};

#[test]
fn a_grid_is_measured_point_by_point() {
    let context = drawing();
    let output = context.run(&[
        "sweep",
        "draw.yaml",
        "--vary",
        "memory.nudge_interval=0,1",
        "--vary",
        "skills.creation_nudge_interval=0,2",
        "--repeat",
        "6",
        "-j",
        "2",
    ]);
    assert_eq!(output.code, 0, "{output:?}");
    insta::assert_snapshot!(output.stdout, @r"
    Arms
    ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
     arm    nudge_interval   creation_nudge_interval   cells   calls   verdict       errors   verdict       repeated   solved   tokens   of reviews
    ════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════
     july                0                         0       6    1.70   base            0.00   base                 –        –    11960            0
     july                0                         2       6    1.70   cannot tell     0.00   cannot tell          –        –    17188         5229
     july                1                         0       6    1.24   better          0.00   cannot tell          –        –    16137         6172
     july                1                         2       6    1.24   better          0.00   cannot tell          –        –    16871         6905
     may                 0                         0       6    1.70   base            0.00   base                 –        –    10064            0
     may                 0                         2       6    1.70   cannot tell     0.00   cannot tell          –        –    17628         5331
     may                 1                         0       6    1.24   better          0.00   cannot tell          –        –    14296         5482
     may                 1                         2       6    1.24   better          0.00   cannot tell          –        –    17017         6950
    ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
      Per task: tool calls and tool errors, tokens of all roles, tokens of reviews; a turn that only corrects an earlier task adds to these and is no task. Repeated: share of later exposures to a hazard in which the agent ran into it again. Solved: share of judged turns.
      Verdict: against the base, the point of the same arm that spends the fewest tokens on reviews; paired by scenario and seed, 95 % bootstrap interval.
      The model is scripted: the only chance is what the scenario draws. An interval speaks of the scenario's draws, not of any real model.
      n = 48 cells. Evidence: counted.
      Expectations speak of the settings as their file has them; a sweep judges none.
    ");
    insta::assert_snapshot!(output.stderr, @r"
    2 arms at 4 points
    48 cells, 2 at a time
    results in out
    ");
    let files: Vec<String> = all_files(&context.path("out")).into_keys().collect();
    insta::assert_snapshot!(files.join("\n"), @r"
    junit.xml
    records/cells.csv
    records/curator_runs.csv
    records/hazards.csv
    records/lessons.csv
    records/library_days.csv
    records/loads.csv
    records/memory_days.csv
    records/nudges.csv
    records/reviews.csv
    records/sessions.csv
    records/skills.csv
    records/turns.csv
    records/writes.csv
    run.json
    summary.md
    ");
}

#[test]
fn points_are_arms_of_the_run_and_stand_in_its_records() {
    let context = swept();
    let cells = fs::read_to_string(context.path("out/records/cells.csv")).expect("the table is there");
    let keys: Vec<String> = cells
        .lines()
        .map(|line| {
            let columns: Vec<&str> = line.split(',').collect();
            [columns[0], columns[1], columns[2], columns[5]].join(" | ")
        })
        .filter(|line| line.contains("| 1 |") || line.contains("seed"))
        .collect();
    insta::assert_snapshot!(keys.join("\n"), @r"
    scenario | arm | seed | settings
    draw | july memory.nudge_interval=0 | 1 | memory.nudge_interval=0
    draw | july memory.nudge_interval=1 | 1 | memory.nudge_interval=1
    draw | july memory.nudge_interval=3 | 1 | memory.nudge_interval=3
    ");
    let run = context.json("out/run.json");
    let arm = &run["scenarios"]["draw"]["arms"]["july memory.nudge_interval=3"];
    insta::assert_snapshot!(format!("{arm:#}"), @r#"
    {
      "settings": {
        "memory.nudge_interval": {
          "origin": "command line",
          "value": 3
        },
        "skills.creation_nudge_interval": {
          "origin": "command line",
          "value": 0
        }
      },
      "varied": [
        {
          "key": "memory.nudge_interval",
          "typed": "3",
          "value": 3
        }
      ],
      "version": "hermes-0.19"
    }
    "#);
}

#[test]
fn a_sweep_twice_gives_the_same_bytes_with_any_number_of_jobs() {
    let context = drawing();
    let runs = [("one", "1", "direct"), ("two", "2", "direct"), ("three", "2", "http")];
    for (out, jobs, transport) in runs {
        let args = ["sweep", "draw.yaml", "--vary", "memory.nudge_interval=0,1,3", "--repeat", "3"];
        let more = ["--traces", "all", "--calls", "--out", out, "-j", jobs, "--transport", transport];
        let output = context.run(&[args.as_slice(), more.as_slice()].concat());
        assert_eq!(output.code, 0, "{output:?}");
    }
    let files = |out: &str| {
        let mut files = all_files(&context.path(out));
        // What cannot repeat stands in run.json alone.
        files.remove("run.json");
        files
    };
    let first = files("one");
    assert!(first.len() > 15 && first.keys().any(|name| name.starts_with("traces/")), "{:?}", first.keys());
    for other in ["two", "three"] {
        let found = files(other);
        assert_eq!(found.keys().collect::<Vec<_>>(), first.keys().collect::<Vec<_>>());
        let differs = found.iter().find(|(name, bytes)| first[*name] != **bytes);
        assert!(differs.is_none(), "{other}: {}", differs.expect("one differs").0);
    }
}

#[test]
fn measuring_does_not_depend_on_which_traces_are_kept() {
    let context = drawing();
    for (out, traces) in [("all", "all"), ("failed", "failed"), ("none", "none")] {
        let args =
            ["sweep", "draw.yaml", "--vary", "memory.nudge_interval=0,1", "--traces", traces, "--out", out];
        assert_eq!(context.run(&args).code, 0);
    }
    let (all, failed, none) = (
        all_files(&context.path("all")),
        all_files(&context.path("failed")),
        all_files(&context.path("none")),
    );
    let traces = |files: &std::collections::BTreeMap<String, Vec<u8>>| {
        files.keys().filter(|name| name.starts_with("traces/")).count()
    };
    assert_eq!((traces(&all), traces(&failed), traces(&none)), (4, 0, 0));
    for (name, bytes) in all.iter().filter(|(name, _)| name.starts_with("records/")) {
        assert!(failed[name] == *bytes && none[name] == *bytes, "{name}");
    }
}

#[test]
fn a_broken_cell_leaves_its_trace_and_can_be_run_again() {
    let context = drawing();
    // Under the long interval nothing is learned, and then the script does not know what to do.
    context.replace(
        "script.yaml",
        "      - reply: Done.",
        "      - { reply: Done., when: knows('once') or day < 1 }",
    );
    let output = context.run(&["sweep", "draw.yaml", "--arm", "july", "--vary", "memory.nudge_interval=1,9"]);
    assert_eq!(output.code, 3, "{output:?}");
    insta::assert_snapshot!(output.stdout, @r#"
    broken draw/july memory.nudge_interval=9/1
      user/tuesday#1: exhausted: the steps of `main#1` are used up and no later rule of `main` fits; asked: "Work."
      rerun: harness rerun 'draw/july memory.nudge_interval=9/1'
      show: harness show 'draw/july memory.nudge_interval=9/1'

    Arms
    ──────────────────────────────────────────────────────────────────────────────────────────────────────────────
     arm    nudge_interval   cells   calls   verdict   errors   verdict   repeated   solved   tokens   of reviews
    ══════════════════════════════════════════════════════════════════════════════════════════════════════════════
     july                1       1    1.33   –           0.00   –                –        –    16549         6173
     july                9       1    2.00   base        0.00   base             –        –    12162            0
    ──────────────────────────────────────────────────────────────────────────────────────────────────────────────
      Per task: tool calls and tool errors, tokens of all roles, tokens of reviews; a turn that only corrects an earlier task adds to these and is no task. Repeated: share of later exposures to a hazard in which the agent ran into it again. Solved: share of judged turns.
      Verdict: against the base, the point of the same arm that spends the fewest tokens on reviews; paired by scenario and seed, 95 % bootstrap interval.
      There is one seed, so chance cannot be told from rule and there is no interval to print. More seeds help where a scenario draws something.
      n = 2 cells. Evidence: counted.
      Expectations speak of the settings as their file has them; a sweep judges none.
    broken, results incomplete: 2 cells, 1 held, 1 broken
    "#);
    let traces: Vec<String> = all_files(&context.path("out/traces")).into_keys().collect();
    assert_eq!(traces, ["draw.july,memory.nudge_interval=9.1.jsonl"]);
    let again = context.run(&["rerun", "draw/july memory.nudge_interval=9/1"]);
    assert!(again.stderr.contains("the same bytes as before"), "{again:?}");
    let show = context.run(&["show", "draw/july memory.nudge_interval=9/1"]);
    assert_eq!(show.code, 0, "{show:?}");
}

/// How much of what is listed must be opened for reviews to pay: the arms are compared where the rates are the same.
#[test]
fn rates_of_the_world_are_varied_too() {
    let context = TestContext::with_scenarios();
    let vary = ["--vary", "rates.view=0,1", "--vary", "rates.follow.memory=0", "--repeat", "3", "-j", "2"];
    let arms = ["sweep", "scenarios/nudges-small.yaml", "--arm", "off", "--arm", "often"];
    let output = context.run(&[arms.as_slice(), vary.as_slice()].concat());
    assert_eq!(output.code, 0, "{output:?}");
    insta::assert_snapshot!(output.stdout, @r"
    Arms
    ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
     world             arm     view   follow.memory   cells   calls   verdict       errors   verdict       repeated   solved   tokens   of reviews
    ═══════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════
     always, changed   off        0               0       3    6.38   base            1.09   base            90.4 %   84.2 %    37216            0
     always, changed   often      0               0       3    6.38   cannot tell     1.09   cannot tell     90.4 %   84.2 %    52590        13069
     always, changed   off        1               0       3    6.38   base            1.09   base            90.4 %   84.2 %    37216            0
     always, changed   often      1               0       3    5.73   better          0.33   better          39.0 %   93.3 %    45135         7961
    ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
      Per task: tool calls and tool errors, tokens of all roles, tokens of reviews; a turn that only corrects an earlier task adds to these and is no task. Repeated: share of later exposures to a hazard in which the agent ran into it again. Solved: share of judged turns.
      Verdict: against the base, the arm of the same world and rates that spends the fewest tokens on reviews; paired by scenario and seed, 95 % bootstrap interval.
      The model is scripted: the only chance is what the scenario draws. An interval speaks of the scenario's draws, not of any real model.
      Only 3 pairs: with fewer than 6 an interval is narrower than it should be.
      n = 12 cells. Evidence: assumed.
      Expectations speak of the settings as their file has them; a sweep judges none.
    Break-even
    ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────
     rate         arm                     against               figure                 values   beats it     better
    ═══════════════════════════════════════════════════════════════════════════════════════════════════════════════════
     rates.view   often follow.memory=0   off follow.memory=0   tool calls per task         2   above 0.00   from 1.00
     rates.view   often follow.memory=0   off follow.memory=0   tool errors per task        2   above 0.00   from 1.00
    ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────
      Beats it: where the mean difference is on the good side; between the values tested a straight line is drawn. Better: the values tested at which the verdict is better. All other rates are those of the arm.
    ");
    let name = "nudges-small/often rates.view=1 rates.follow.memory=0/1";
    let again = context.run(&["rerun", name, "--transport", "direct"]);
    assert!(again.stderr.contains("left no trace to compare with"), "{again:?}");
    let cells = fs::read_to_string(context.path("out/records/cells.csv")).expect("the table is there");
    assert!(cells.contains("always, changed") && cells.contains(",assumed\n"), "{cells}");
    let output = context.run(&["sweep", "scenarios/k8s-deploy.yaml", "--vary", "rates.view=0,1"]);
    assert_eq!((output.code, &*output.stdout), (2, ""));
    insta::assert_snapshot!(output.stderr, @r"
    error: no arm has the rate `rates.view`: rates belong to scenarios with families
    hint: `scenarios/quarter.yaml` is one
    ");
    let both = [
        "sweep",
        "scenarios/k8s-deploy.yaml",
        "scenarios/nudges-small.yaml",
        "--arm",
        "off",
        "--arm",
        "july",
    ];
    let output = context.run(&[both.as_slice(), &["--vary", "rates.view=0"]].concat());
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.stderr.contains("left out, for want of rates: k8s-deploy/july\n"), "{}", output.stderr);
}

#[test]
fn an_interrupted_sweep_is_taken_up_again() {
    let context = drawing();
    let args = ["sweep", "draw.yaml", "--vary", "memory.nudge_interval=0,1", "--repeat", "2", "--out", "a"];
    assert_eq!(context.run(&args).code, 0);
    let more =
        ["sweep", "draw.yaml", "--vary", "memory.nudge_interval=0,1,3", "--repeat", "2", "--resume", "--out"];
    assert_eq!(context.run(&[more.as_slice(), &["a"]].concat()).code, 0);
    assert_eq!(context.run(&[more.as_slice(), &["b"]].concat()).code, 0);
    let (resumed, whole) = (all_files(&context.path("a/records")), all_files(&context.path("b/records")));
    assert!(resumed == whole && !whole.is_empty());
}

#[test]
fn wrong_grids_end_with_2() {
    let context = drawing();
    let mut said = Vec::new();
    for vary in [
        &["--vary", "memory.nudge_intervall=1,2"][..],
        &["--vary", "memory.nudge_interval=1,often"],
        &["--vary", "memory.nudge_interval"],
        &["--vary", "memory.nudge_interval=1,2", "--vary", "memory.nudge_interval=3"],
        &["--vary", "memory.nudge_interval=1,2", "--set", "memory.nudge_interval=3"],
        &["--vary", "memory.nudge_interval=1,2,2"],
        &[],
    ] {
        let args = [&["sweep", "draw.yaml"], vary].concat();
        let output = context.run(&args);
        assert_eq!((output.code, &*output.stdout), (2, ""), "{output:?}");
        said.push(format!("$ harness {}\n{}", args.join(" "), output.stderr));
    }
    assert!(!context.path("out").exists());
    insta::assert_snapshot!(said.join("\n"), @r#"
    $ harness sweep draw.yaml --vary memory.nudge_intervall=1,2
    error: --vary: `memory.nudge_intervall=1,2`: unknown setting `memory.nudge_intervall`
    hint: did you mean `memory.nudge_interval`?

    $ harness sweep draw.yaml --vary memory.nudge_interval=1,often
    error: --vary: `memory.nudge_interval=1,often`: `memory.nudge_interval` takes a whole number, found "often"

    $ harness sweep draw.yaml --vary memory.nudge_interval
    error: --vary: `memory.nudge_interval`: wanted KEY=VALUE,VALUE

    $ harness sweep draw.yaml --vary memory.nudge_interval=1,2 --vary memory.nudge_interval=3
    error: --vary: `memory.nudge_interval` is there twice

    $ harness sweep draw.yaml --vary memory.nudge_interval=1,2 --set memory.nudge_interval=3
    error: --vary: `memory.nudge_interval` is varied and cannot be set, too

    $ harness sweep draw.yaml --vary memory.nudge_interval=1,2,2
    error: --vary: `memory.nudge_interval=2` is there twice

    $ harness sweep draw.yaml
    error: the following required arguments were not provided:
      --vary <KEY=A,B,C>

    Usage: harness sweep --vary <KEY=A,B,C> <PATH>...

    For more information, try '--help'.
    "#);
}

#[test]
fn a_sweep_for_programs() {
    let context = drawing();
    let args = ["sweep", "draw.yaml", "--arm", "may", "--vary", "memory.nudge_interval=1,3", "--repeat", "2"];
    let output = context.run(&[args.as_slice(), &["--format", "json"]].concat());
    let value: serde_json::Value = serde_json::from_str(&output.stdout).expect("the output is JSON");
    insta::assert_snapshot!(format!("{:#}", value["points"]), @r#"
    [
      {
        "against": "may memory.nudge_interval=3",
        "arm": "may memory.nudge_interval=1",
        "cells": 2,
        "figures": [
          {
            "detectable": null,
            "difference": 0.0,
            "figure": "tool_calls_per_task",
            "interval_95": null,
            "interval_missing": "the scenario draws nothing, so there is no chance to speak of",
            "pairs": 2,
            "unit": "calls per task",
            "value": 1.3333333333333333,
            "verdict": "cannot tell"
          },
          {
            "detectable": null,
            "difference": 0.0,
            "figure": "tool_errors_per_task",
            "interval_95": null,
            "interval_missing": "the scenario draws nothing, so there is no chance to speak of",
            "pairs": 2,
            "unit": "errors per task",
            "value": 0.0,
            "verdict": "cannot tell"
          },
          {
            "figure": "repeated_error_rate",
            "unit": "share of later exposures",
            "value": null
          },
          {
            "figure": "solved_rate",
            "unit": "share of judged turns",
            "value": null
          },
          {
            "figure": "tokens_per_task",
            "unit": "tokens per task",
            "value": 14655.0
          }
        ],
        "rates": "",
        "review_tokens_per_task": 5483.333333333333,
        "settings": {
          "memory.nudge_interval": "1"
        },
        "world": ""
      },
      {
        "against": null,
        "arm": "may memory.nudge_interval=3",
        "cells": 2,
        "figures": [
          {
            "figure": "tool_calls_per_task",
            "unit": "calls per task",
            "value": 1.3333333333333333
          },
          {
            "figure": "tool_errors_per_task",
            "unit": "errors per task",
            "value": 0.0
          },
          {
            "figure": "repeated_error_rate",
            "unit": "share of later exposures",
            "value": null
          },
          {
            "figure": "solved_rate",
            "unit": "share of judged turns",
            "value": null
          },
          {
            "figure": "tokens_per_task",
            "unit": "tokens per task",
            "value": 10485.555555555557
          }
        ],
        "rates": "",
        "review_tokens_per_task": 1745.7777777777778,
        "settings": {
          "memory.nudge_interval": "3"
        },
        "world": ""
      }
    ]
    "#);
}
