//! Scenarios that set alternatives beside each other: each arm's figures are its own, none would hold for another's.

use std::fs;

use super::context::TestContext;

/// Scenarios with two of their arms; no expectation of one holds under the settings of the other.
const ALTERNATIVES: [(&str, &str, &str); 7] = [
    ("defence", "scan", "all"),
    ("prompt-live", "frozen", "live"),
    ("review-notice", "off", "verbose"),
    ("search-summary", "fts", "fts-summary"),
    ("shared-store", "own", "shared"),
    ("skill-sources", "june", "july"),
    ("static-store", "learning", "static"),
];

#[test]
fn the_figures_of_alternatives_are_those_of_their_settings() {
    let context = TestContext::with_scenarios();
    let mut args: Vec<String> =
        ["run", "--transport", "direct", "--traces", "none"].map(str::to_owned).into();
    for (name, one, other) in ALTERNATIVES {
        let path = format!("scenarios/{name}.yaml");
        let text = fs::read_to_string(context.path(&path)).expect("the file can be read");
        let [one, other] = [one, other].map(|arm| format!("\n  {arm}:"));
        assert_eq!((text.matches(&one).count(), text.matches(&other).count()), (1, 1), "{name}");
        context.file(&path, &text.replace(&one, "\0").replace(&other, &one).replace('\0', &other));
        args.push(path);
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let output = context.run(&args);
    assert_eq!(output.code, 1, "{output:?}");
    let cells = context.json("out/run.json")["cells"].clone();
    for (name, one, other) in ALTERNATIVES {
        for arm in [one, other] {
            let cell = format!("{name}/{arm}/1");
            let found = cells.as_array().expect("a list").iter().find(|found| found["cell"] == *cell);
            assert_eq!(found.expect("the cell ran")["status"], "failed", "{cell}");
        }
    }
}
