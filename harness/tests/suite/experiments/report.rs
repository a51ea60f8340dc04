//! `harness report`: tables, plots and a page beside a run's results.

use std::fs;

use super::sample::{drawing, swept};
use crate::suite::context::all_files;

#[test]
fn a_report_stands_beside_the_results() {
    let context = swept();
    let output = context.run(&["report", "out"]);
    assert_eq!(output.code, 0, "{output:?}");
    insta::assert_snapshot!(output.stderr, @r"
    out/report.html
    out/results.sqlite
    out/summary.md
    12 plots in out/plots
    13 tables as Parquet in out/records
    ");
    let names: Vec<String> = all_files(&context.path("out")).into_keys().collect();
    insta::assert_snapshot!(names.join("\n"), @r"
    junit.xml
    plots/comparison-2.png
    plots/comparison-2.svg
    plots/comparison.png
    plots/comparison.svg
    plots/funnel.png
    plots/funnel.svg
    plots/learning-curve.png
    plots/learning-curve.svg
    plots/library.png
    plots/library.svg
    plots/nudge-tradeoff.png
    plots/nudge-tradeoff.svg
    records/cells.csv
    records/cells.parquet
    records/curator_runs.csv
    records/curator_runs.parquet
    records/hazards.csv
    records/hazards.parquet
    records/lessons.csv
    records/lessons.parquet
    records/library_days.csv
    records/library_days.parquet
    records/loads.csv
    records/loads.parquet
    records/memory_days.csv
    records/memory_days.parquet
    records/nudges.csv
    records/nudges.parquet
    records/reviews.csv
    records/reviews.parquet
    records/sessions.csv
    records/sessions.parquet
    records/skills.csv
    records/skills.parquet
    records/turns.csv
    records/turns.parquet
    records/writes.csv
    records/writes.parquet
    report.html
    results.sqlite
    run.json
    summary.md
    ");
    let page = fs::read_to_string(context.path("out/report.html")).expect("the page is there");
    assert!(page.contains("<title>Sweep of draw</title>") && page.contains("<svg"));
    assert!(!page.contains("<script") && !page.contains(" src=") && !page.contains("NaN"));
    let parquet = fs::read(context.path("out/records/turns.parquet")).expect("the table is there");
    assert!(parquet.starts_with(b"PAR1"));
    let sqlite = fs::read(context.path("out/results.sqlite")).expect("the file is there");
    assert!(sqlite.starts_with(b"SQLite format 3"));
}

#[test]
fn a_report_twice_gives_the_same_bytes() {
    let context = swept();
    assert_eq!(context.run(&["report", "out"]).code, 0);
    let first = all_files(&context.path("out"));
    assert_eq!(context.run(&["report", "out"]).code, 0);
    let second = all_files(&context.path("out"));
    assert_eq!(first.keys().collect::<Vec<_>>(), second.keys().collect::<Vec<_>>());
    let differs = first.iter().find(|(name, bytes)| second[*name] != **bytes);
    assert!(differs.is_none(), "{}", differs.expect("one differs").0);
}

#[test]
fn failures_come_first_and_the_step_summary_is_appended_to() {
    let context = drawing();
    context.file("summary.md", "# Before\n");
    let text = fs::read_to_string(context.path("draw.yaml")).expect("the scenario can be read");
    context.file("draw.yaml", &format!("{text}expect:\n  - cell.turns == 8\n"));
    let args = ["run", "draw.yaml", "--arm", "may", "--transport", "direct"];
    assert_eq!(context.run(&args).code, 1);
    let output = context
        .command(&["report", "out"])
        .env("GITHUB_STEP_SUMMARY", context.path("summary.md"))
        .output()
        .expect("the binary runs");
    assert_eq!(output.status.code(), Some(0));
    let summary = fs::read_to_string(context.path("summary.md")).expect("the summary is there");
    let head: Vec<&str> = summary.lines().take(16).collect();
    insta::assert_snapshot!(head.join("\n"), @r"
    # Before
    ## failed: 1 cell, 1 failed

    - **failed** draw, arm may, seed 1  
      cell.turns == 8  
      cell.turns = 9  
      at draw.yaml:18  
      rerun: harness rerun draw/may/1  
      show: harness show draw/may/1

    ### Figures by arm

    | figure | unit | may |
    | --- | --- | ---: |
    | tool calls per task | calls per task | 1.78 |
    | tool errors per task | errors per task | 0.00 |
    ");
    let page = fs::read_to_string(context.path("out/report.html")).expect("the page is there");
    assert!(page.contains("failed: 1 cell, 1 failed") && page.contains("cell.turns == 8"));
}

#[test]
fn an_older_reports_comparisons_do_not_stay() {
    let context = swept();
    assert_eq!(context.run(&["report", "out"]).code, 0);
    fs::write(context.path("out/plots/comparison-9.svg"), "old").expect("files can be written");
    fs::write(context.path("out/plots/mine.svg"), "mine").expect("files can be written");
    assert_eq!(context.run(&["report", "out"]).code, 0);
    assert!(
        !context.path("out/plots/comparison-9.svg").exists() && context.path("out/plots/mine.svg").exists()
    );
}

#[test]
fn a_directory_without_results_ends_with_2() {
    let context = drawing();
    fs::create_dir(context.path("empty")).expect("folders can be made");
    let mut said = Vec::new();
    for args in [&["report"][..], &["report", "empty"]] {
        let output = context.run(args);
        assert_eq!((output.code, &*output.stdout), (2, ""), "{output:?}");
        said.push(format!("$ harness {}\n{}", args.join(" "), output.stderr));
    }
    insta::assert_snapshot!(said.join("\n"), @r"
    $ harness report
    error: there is no directory out
    hint: `harness run` and `harness sweep` leave results; name their directory

    $ harness report empty
    error: empty holds no results of a run: empty/records is missing
    hint: `harness run` and `harness sweep` leave results; name their directory
    ");
}

/// polars is heavy: whoever runs and judges scenarios does not wait for it.
#[test]
fn only_the_report_knows_data_frames() {
    let sources = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (name, bytes) in all_files(&sources) {
        let knows = String::from_utf8_lossy(&bytes).contains("columnar");
        assert_eq!(knows, name == "experiments/report.rs", "{name}");
    }
}
