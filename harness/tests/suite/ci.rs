//! What other programs read: `JUnit` files, annotations and summaries of a pull request's checks.

use std::collections::BTreeSet;
use std::fs;

use super::context::{Output, TestContext};
use super::xml::elements;

const SCENARIO: &str = "\
name: demo
start: 2026-01-05T09:00:00Z
arms: { july: { version: hermes-0.19 }, may: { version: hermes-0.13 } }
world: { tools: [] }
script: s.yaml
timeline: [{ session: first, turns: [Hello.] }]
expect:
  - cell.turns == 1
";

/// Everything that a document, a terminal or a log could trip over.
const HOSTILE: &str = r#""\e[31mred\e[0m \e]8;;http://x\a \0 \b \x7f \x85 \uFFFE \uFFFF ]]> <![CDATA[ <&\" ' \u202eabc\u202c שלום \u2066x\u2069 👩‍🚀 \r\n::error::x\n%0A 100%""#;

fn context() -> TestContext {
    let context = TestContext::new();
    context.file("demo.yaml", SCENARIO).file("s.yaml", "main: [{ reply: Hello to you. }]\n");
    context
}

/// The names of all cases of a `JUnit` file, which must be well formed and give each case a name of its own.
fn cases(context: &TestContext, path: &str) -> BTreeSet<(String, String)> {
    let xml = fs::read_to_string(context.path(path)).expect("it is there");
    let found = elements(&xml).unwrap_or_else(|wrong| panic!("{wrong}\n{}", &xml[..xml.len().min(4000)]));
    let cases: Vec<_> = found.iter().filter(|element| element.name == "testcase").collect();
    let names: BTreeSet<_> =
        cases.iter().map(|case| (case.get("classname").to_owned(), case.get("name").to_owned())).collect();
    assert_eq!(names.len(), cases.len(), "names repeat");
    let count = |kind: &str| found.iter().filter(|element| element.name == kind).count().to_string();
    let root = &found[0];
    assert_eq!(
        (root.get("tests"), root.get("failures"), root.get("errors")),
        (&*cases.len().to_string(), &*count("failure"), &*count("error"))
    );
    names
}

/// 11 (`bats-core #846`, `jest-junit #197`, `pact-reference #421` …): hostile texts of an expectation.
#[test]
fn report_11_junit_parses_whatever_an_expectation_says() {
    let context = context();
    context.replace(
        "demo.yaml",
        "- cell.turns == 1",
        &format!("- {{ that: \"seed == 2\", why: {HOSTILE} }}"),
    );
    let output = context.run(&["run", "demo.yaml", "--repeat", "2"]);
    assert_eq!(output.code, 1, "{output:?}");
    let names = cases(&context, "out/junit.xml");
    assert_eq!(names.len(), 4);
    assert!(names.contains(&("demo".to_owned(), "arm july, seed 1".to_owned())), "{names:?}");
}

/// 11: hostile texts that a user said and no rule answers, and a megabyte of them.
#[test]
fn report_11_junit_parses_whatever_broke_a_cell() {
    let context = context();
    context.file("s.yaml", "main: [{ when: \"'nothing' in user\", reply: x }]\n");
    context.replace("demo.yaml", "turns: [Hello.]", &format!("turns: [{HOSTILE}]"));
    assert_eq!(context.run(&["run", "demo.yaml"]).code, 3);
    assert_eq!(cases(&context, "out/junit.xml").len(), 2);
    let long = format!("turns: [\"{}\\e[0m\"]", "long text ".repeat(110_000));
    context.replace("demo.yaml", &format!("turns: [{HOSTILE}]"), &long);
    assert_eq!(context.run(&["run", "demo.yaml", "--junit", "more.xml"]).code, 3);
    assert_eq!(cases(&context, "more.xml").len(), 2);
}

/// 11: a megabyte of output that is told whole.
#[test]
fn report_11_a_megabyte_of_text_stays_whole_and_parses() {
    let context = context();
    let why = format!("{}\\e[0m the end", "x]]>".repeat(1 << 18));
    context.replace(
        "demo.yaml",
        "- cell.turns == 1",
        &format!("- {{ that: \"seed == 2\", why: \"{why}\" }}"),
    );
    let output = context.run(&["run", "demo.yaml", "--arm", "may"]);
    assert_eq!(output.code, 1);
    assert_eq!(cases(&context, "out/junit.xml").len(), 1);
    let xml = fs::read_to_string(context.path("out/junit.xml")).expect("it is there");
    assert!(xml.len() > 1 << 20 && xml.contains("the end"), "{} bytes", xml.len());
}

/// A run under GitHub's runner, all of whose cells fail with such a reason.
fn annotated(context: &TestContext) -> Output {
    let output = context
        .run_with(&["run", "demo.yaml", "--arm", "july"], &[("GITHUB_ACTIONS", "true"), ("CI", "true")]);
    assert_eq!(output.code, 1, "{output:?}");
    output
}

#[test]
fn failures_are_annotated_at_their_line() {
    let context = context();
    context.replace(
        "demo.yaml",
        "- cell.turns == 1",
        "- { that: cell.turns == 2, why: \"100 %,\\nor\\r so: it is\" }",
    );
    insta::assert_snapshot!(annotated(&context).stderr, @r"
    1 cell, 2 at a time
    failed   demo/july/1
    results in out
    ::error file=demo.yaml,line=8::demo/july/1: cell.turns == 2%0A  cell.turns = 1%0A  because 100 %25,%0Aor%0D so: it is%0A  at demo.yaml:8
    ");
    let quiet = context.run(&["run", "demo.yaml", "--arm", "july"]);
    assert!(!quiet.stderr.contains("::error"), "{}", quiet.stderr);
}

#[test]
fn mistakes_of_files_are_annotated_at_their_line() {
    let context = context();
    fs::create_dir(context.path("a,b")).expect("folders can be made");
    context.file("a,b/x:y.yaml", &SCENARIO.replace("s.yaml", "../s.yaml").replace("expect:", "expects:"));
    let output = context.run_with(&["validate", "a,b/x:y.yaml"], &[("GITHUB_ACTIONS", "true")]);
    assert_eq!(output.code, 2);
    let lines: Vec<&str> = output.stderr.lines().filter(|line| line.starts_with("::")).collect();
    insta::assert_snapshot!(lines.join("\n"), @"::error file=a%2Cb/x%3Ay.yaml,line=7::unknown key `expects` in a scenario");
}

/// What a scenario, a model or a tool says must not become a command to GitHub's runner.
#[test]
fn texts_are_no_commands_to_the_runner() {
    let context = context();
    context.replace(
        "demo.yaml",
        "- cell.turns == 1",
        "- { that: cell.turns == 2, why: \"so\\n::set-env name=PATH::x\\n  ##[add-mask]y\" }",
    );
    context.replace("demo.yaml", "turns: [Hello.]", "turns: [\"a\\n::stop-commands::z\\nb\"]");
    let output = annotated(&context);
    let shown = context.run_with(&["show", "demo/july/1"], &[("GITHUB_ACTIONS", "true")]);
    for line in output.stdout.lines().chain(output.stderr.lines()).chain(shown.stdout.lines()) {
        let line = line.trim_start();
        let is_command = line.starts_with("::") || line.starts_with("##[");
        assert!(!is_command || line.starts_with("::error file=demo.yaml,line=8::"), "{line}");
    }
    assert!(shown.stdout.contains("stop-commands"), "it is still shown");
}

#[test]
fn a_step_summary_is_appended_to_what_is_there() {
    let context = context();
    context.file("step.md", "# Before\n");
    for _ in 0..2 {
        let path = context.path("step.md");
        let variables = [("GITHUB_STEP_SUMMARY", path.to_str().expect("a plain path"))];
        assert_eq!(context.run_with(&["run", "demo.yaml"], &variables).code, 0);
    }
    let text = fs::read_to_string(context.path("step.md")).expect("it is there");
    let summary = fs::read_to_string(context.path("out/summary.md")).expect("it is there");
    assert_eq!(text, format!("# Before\n{summary}{summary}"));
    insta::assert_snapshot!(summary, @"## all held: 2 cells, 2 held");
    let variables = [("GITHUB_STEP_SUMMARY", "absent/step.md")];
    let output = context.run_with(&["run", "demo.yaml"], &variables);
    assert_eq!(output.code, 3);
    insta::assert_snapshot!(output.stderr.lines().last().expect("a line"), @"hint: the run is over, and its results are in out");
}

/// Machine formats hold nothing but what they promise.
#[test]
fn machine_formats_are_nothing_but_themselves() {
    let context = context();
    context.replace(
        "demo.yaml",
        "- cell.turns == 1",
        &format!("- {{ that: \"seed == 2\", why: {HOSTILE} }}"),
    );
    let run = |format: &str| {
        context
            .run_with(
                &["run", "demo.yaml", "--format", format],
                &[("GITHUB_ACTIONS", "true"), ("FORCE_COLOR", "1")],
            )
            .stdout
    };
    let json: serde_json::Value = serde_json::from_str(&run("json")).expect("it is JSON and nothing else");
    assert_eq!(json["cells"].as_array().map(Vec::len), Some(2));
    let lines: Vec<serde_json::Value> =
        run("jsonl").lines().map(|line| serde_json::from_str(line).expect("every line is JSON")).collect();
    assert_eq!(lines.len(), 3);
    assert!(
        lines[..2].iter().all(|line| line["cell"]["status"] == "failed")
            && lines[2]["verdict"]["failed"] == 2
    );
    let markdown = run("markdown");
    assert!(
        markdown.starts_with("## failed: 2 cells, 2 failed\n") && !markdown.contains('\u{1b}'),
        "{markdown}"
    );
}
