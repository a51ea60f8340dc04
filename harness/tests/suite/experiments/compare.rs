//! `harness compare`: two sides, paired, with a verdict in three words.

use serde_json::Value;

use super::sample::{drawing, swept};

#[test]
fn two_points_of_a_sweep() {
    let context = swept();
    let output = context.run(&["compare", "out#july,nudge_interval=0", "#nudge_interval=1"]);
    assert_eq!(output.code, 0, "{output:?}");
    insta::assert_snapshot!(output.stdout, @r"
    july nudge_interval=1 against july nudge_interval=0
    ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
     verdict       figure                       unit                  july nudge_interval=0   july nudge_interval=1   difference          95 % interval   pairs   detectable
    ═════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════
     better        tool calls per task          calls per task                         1.74                    1.24        -0.50         -0.58 to -0.39       8         0.14
     cannot tell   tool errors per task         errors per task                        0.00                    0.00         0.00           0.00 to 0.00       8         0.00
     worse         tokens per task, all roles   tokens per task                       12103                   16116        +4013         +3644 to +4506       8          639
     worse         review tax                   share of all tokens                   0.0 %                  38.3 %     +38.3 pp   +37.7 pp to +39.0 pp       8       1.0 pp
    ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
      The model is scripted: the only chance is what the scenario draws. An interval speaks of the scenario's draws, not of any real model.
      Pairs share scenario and seed. Interval: bootstrap, bias-corrected and accelerated, 10,000 resamples. Detectable: the smallest true difference that these pairs would find with 80 % power.
      Evidence: counted.
    ");
    let worse = context.run(&[
        "compare",
        "out#nudge_interval=1",
        "#nudge_interval=0",
        "--figure",
        "tool_calls_per_task",
        "--fail-if-worse",
    ]);
    assert_eq!(worse.code, 1, "{worse:?}");
}

#[test]
fn an_arm_against_itself_cannot_be_told() {
    let context = swept();
    let args =
        ["compare", "out#nudge_interval=1", "out#nudge_interval=1", "--figure", "all", "--format", "json"];
    let output = context.run(&args);
    assert_eq!(output.code, 0, "{output:?}");
    let value: Value = serde_json::from_str(&output.stdout).expect("the output is JSON");
    let figures = value["comparisons"][0]["figures"].as_array().expect("figures are a list");
    assert!(figures.len() > 8);
    for figure in figures {
        assert!(figure["verdict"] == "cannot tell" || figure["verdict"].is_null(), "{figure}");
        assert_eq!(figure["difference"], 0.0, "{figure}");
    }
}

#[test]
fn a_comparison_for_programs_and_for_a_pull_request() {
    let context = swept();
    let args = ["compare", "out#nudge_interval=0", "#nudge_interval=3", "--figure", "tool_calls_per_task"];
    let json = context.run(&[args.as_slice(), &["--format", "json"]].concat());
    insta::assert_snapshot!(json.stdout, @r#"
    {
      "comparisons": [
        {
          "base": "july nudge_interval=0",
          "base_arm": "july memory.nudge_interval=0",
          "draws": "some",
          "evidence": "counted",
          "figures": [
            {
              "base": 1.736111111111111,
              "detectable": 0.14409799478636962,
              "difference": -0.5,
              "figure": "tool_calls_per_task",
              "interval_95": [
                -0.5833333333333334,
                -0.38888888888888884
              ],
              "interval_missing": null,
              "other": 1.2361111111111112,
              "pairs": 8,
              "unit": "calls per task",
              "verdict": "better"
            }
          ],
          "other": "july nudge_interval=3",
          "other_arm": "july memory.nudge_interval=3",
          "pairs": 8,
          "unmatched": 0,
          "version": 1
        }
      ]
    }
    "#);
    let markdown = context.run(&[args.as_slice(), &["--format", "markdown"]].concat());
    insta::assert_snapshot!(markdown.stdout, @r"
    ### july nudge\_interval=3 against july nudge\_interval=0

    | verdict | figure | unit | july nudge\_interval=0 | july nudge\_interval=3 | difference | 95 % interval | pairs | detectable |
    | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |
    | better | tool calls per task | calls per task | 1.74 | 1.24 | -0.50 | -0.58 to -0.39 | 8 | 0.14 |

    The model is scripted: the only chance is what the scenario draws. An interval speaks of the scenario's draws, not of any real model.

    Pairs share scenario and seed. Interval: bootstrap, bias-corrected and accelerated, 10,000 resamples. Detectable: the smallest true difference that these pairs would find with 80 % power.

    Evidence: counted.
    ");
}

#[test]
fn two_runs_are_compared_arm_by_arm() {
    let context = drawing();
    for (out, interval) in [("before", "0"), ("after", "1")] {
        let setting = format!("memory.nudge_interval={interval}");
        let args =
            ["run", "draw.yaml", "--repeat", "6", "--set", &setting, "--out", out, "--transport", "direct"];
        assert_eq!(context.run(&args).code, 0);
    }
    let output = context.run(&["compare", "before", "after", "--figure", "tool_calls_per_task"]);
    assert_eq!(output.code, 0, "{output:?}");
    insta::assert_snapshot!(output.stdout, @r"
    after#july against before#july
    ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
     verdict   figure                unit             before#july   after#july   difference    95 % interval   pairs   detectable
    ══════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════
     better    tool calls per task   calls per task          1.70         1.24        -0.46   -0.56 to -0.33       6         0.17
    ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
      The model is scripted: the only chance is what the scenario draws. An interval speaks of the scenario's draws, not of any real model.
      Pairs share scenario and seed. Interval: bootstrap, bias-corrected and accelerated, 10,000 resamples. Detectable: the smallest true difference that these pairs would find with 80 % power.
      Evidence: counted.

    after#may against before#may
    ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
     verdict   figure                unit             before#may   after#may   difference    95 % interval   pairs   detectable
    ════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════
     better    tool calls per task   calls per task         1.70        1.24        -0.46   -0.56 to -0.33       6         0.17
    ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
      The model is scripted: the only chance is what the scenario draws. An interval speaks of the scenario's draws, not of any real model.
      Pairs share scenario and seed. Interval: bootstrap, bias-corrected and accelerated, 10,000 resamples. Detectable: the smallest true difference that these pairs would find with 80 % power.
      Evidence: counted.
    ");
    context.replace("draw.yaml", "  - { session: wednesday, at: 2d, turns: [Work., Work., Work.] }\n", "");
    let args = ["run", "draw.yaml", "--repeat", "6", "--out", "after", "--transport", "direct"];
    assert_eq!(context.run(&args).code, 0);
    let output = context.run(&["compare", "before", "after#may", "--figure", "tool_calls_per_task"]);
    assert_eq!(output.stderr, "warning: the scenario `draw` was changed between the two runs\n");
}

#[test]
fn what_draws_nothing_is_not_compared_and_one_seed_has_no_interval() {
    let context = drawing();
    context.replace("script.yaml", " and chance(0.7, 'again')", "");
    let args = ["run", "draw.yaml", "--transport", "direct", "--set", "memory.nudge_interval=1"];
    assert_eq!(context.run(&[args.as_slice(), &["--repeat", "3"]].concat()).code, 0);
    let refused = context.run(&["compare", "out#july", "#may"]);
    assert_eq!((refused.code, &*refused.stdout), (2, ""));
    insta::assert_snapshot!(refused.stderr, @r"
    error: july and may draw nothing: every seed gives the same figures, so there is no chance to judge by
    hint: what differs without chance is exact: `harness report` shows both side by side, and an expectation can hold it
    ");
    assert_eq!(context.run(&args).code, 0);
    let one = context.run(&["compare", "out#july", "#may", "--figure", "tool_calls_per_task"]);
    assert_eq!(one.code, 0);
    insta::assert_snapshot!(one.stdout, @r"
    may against july
    ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
     verdict       figure                unit             july    may   difference   95 % interval   pairs   detectable
    ════════════════════════════════════════════════════════════════════════════════════════════════════════════════════
     cannot tell   tool calls per task   calls per task   1.33   1.33         0.00               –       1            –
    ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
      There is one seed, so chance cannot be told from rule and there is no interval to print. More seeds help where a scenario draws something.
      Evidence: counted.
    ");
}

#[test]
fn sides_that_are_not_there_end_with_2() {
    let context = swept();
    let mut said = Vec::new();
    for args in [
        &["compare", "nowhere", "out"][..],
        &["compare", "out#july", "#may"],
        &["compare", "out#nudge_interval=2", "#nudge_interval=1"],
        &["compare", "out#july,nudge_interval=1", "#july,nudge_interval=3", "--figure", "tool_calls"],
        &["compare", "out"],
    ] {
        let output = context.run(args);
        assert_eq!((output.code, &*output.stdout), (2, ""), "{output:?}");
        said.push(format!("$ harness {}\n{}", args.join(" "), output.stderr));
    }
    insta::assert_snapshot!(said.join("\n"), @r"
    $ harness compare nowhere out
    error: there is no directory nowhere
    hint: name the directory of a run, and after `#` one of its arms

    $ harness compare out#july #may
    error: out: `july` fits several arms
    hint: name one of `july memory.nudge_interval=0`, `july memory.nudge_interval=1`, `july memory.nudge_interval=3`

    $ harness compare out#nudge_interval=2 #nudge_interval=1
    error: out has no arm `nudge_interval=2`
    hint: known here: july memory.nudge_interval=0, july memory.nudge_interval=1, july memory.nudge_interval=3

    $ harness compare out#july,nudge_interval=1 #july,nudge_interval=3 --figure tool_calls
    error: no figure is named `tool_calls`
    hint: figures that can be compared are tool_calls_per_task, tool_errors_per_task, iterations_per_task, tokens_per_task, solved_rate, hazard_hit_rate, repeated_error_rate, lesson_retention, false_lessons_kept, user_repeats_per_100_turns, skills_reused, skills_never_used, review_yield, review_tax, review_waste, nudges_run, nudges_lost, nudge_delay_turns, nudge_delay_hours, index_tax, cached_share, curator_regret, curator_precision, wait_per_turn, cost_per_task, cost_per_solved

    $ harness compare out
    error: the following required arguments were not provided:
      <OTHER>

    Usage: harness compare <BASE> <OTHER>

    For more information, try '--help'.
    ");
}
