//! Every help page, at the usual width and in a narrow terminal.

use super::context::TestContext;

/// The commands that a help page lists.
fn listed(help: &str) -> Vec<String> {
    let lines =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')));
    let names = names.filter_map(|line| line.split(' ').next()).filter(|name| *name != "help");
    names.map(str::to_owned).collect()
}

fn page(context: &TestContext, command: &[String], columns: &str) -> String {
    let mut args: Vec<&str> = command.iter().map(String::as_str).collect();
    args.push("--help");
    let output = context.run_with(&args, &[("COLUMNS", columns)]);
    assert_eq!((output.code, &*output.stderr), (0, ""), "{args:?}");
    assert!(output.stdout.lines().all(|line| line.chars().count() <= columns.parse().expect("a number")));
    output.stdout
}

/// A command and those below it.
fn pages(context: &TestContext, command: &[String], columns: &str, shown: &mut Vec<(String, String)>) {
    let text = page(context, command, columns);
    let below = listed(&text);
    shown.push((command.join("_"), text));
    for name in below {
        let command: Vec<String> = command.iter().cloned().chain([name]).collect();
        pages(context, &command, columns, shown);
    }
}

/// A new command is found by the page that lists it.
#[test]
fn every_help_page() {
    let mut shown = Vec::new();
    pages(&TestContext::new(), &[], "80", &mut shown);
    assert!(shown.len() > 8, "{}", shown.len());
    for (command, text) in shown {
        let name = if command.is_empty() { "harness" } else { &command };
        insta::assert_snapshot!(format!("help_{name}"), text);
    }
}

/// No page breaks when it is narrow; one is looked at.
#[test]
fn every_help_page_in_a_narrow_terminal() {
    let mut shown = Vec::new();
    pages(&TestContext::new(), &[], "60", &mut shown);
    let run = shown.iter().find(|(command, _)| command == "run").expect("there is `run`");
    insta::assert_snapshot!("help_run_narrow", run.1);
}

#[test]
fn the_version_is_one_line() {
    let output = TestContext::new().run(&["--version"]);
    assert_eq!((output.code, &*output.stdout), (0, concat!("harness ", env!("CARGO_PKG_VERSION"), "\n")));
}

#[test]
fn every_topic_is_explained() {
    let context = TestContext::new();
    let explain = |topic: &str| {
        let output = context.run(&["explain", topic]);
        assert_eq!((output.code, &*output.stderr), (0, ""), "{topic}");
        output.stdout
    };
    insta::assert_snapshot!("explain", context.run(&["explain"]).stdout);
    insta::assert_snapshot!("explain_exit_codes", explain("exit-codes"));
    insta::assert_snapshot!("explain_options", explain("options"));
    insta::assert_snapshot!("explain_setting", explain("memory.nudge_interval"));
    insta::assert_snapshot!("explain_figure", explain("sessions.tool_calls"));
    for (topic, rows) in [("settings", 50), ("faults", 20), ("figures", 50), ("expressions", 5)] {
        let text = explain(topic);
        assert!(text.lines().count() > rows, "{topic}: {} lines", text.lines().count());
    }
    let output = context.run(&["explain", "memory.nudge_intervall"]);
    assert_eq!(output.code, 2);
    insta::assert_snapshot!(output.stderr, @r"
    error: nothing is named `memory.nudge_intervall`
    hint: did you mean `memory.nudge_interval`?
    ");
}
