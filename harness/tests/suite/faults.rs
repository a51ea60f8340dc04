//! Every fault of the reference has a scenario that shows what it costs, and the table of faults says so.
//!
//! A scenario that would hold whatever the switch says shows nothing. So both switches of each are turned round, and
//! then neither figure may hold.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use agent_core::behaviour::{FaultRow, Settings, Version, faults};
use harness::scenario::{Arm, Scenario, load};
use serde_json::Value;

use super::context::{TestContext, scenarios};

/// The arms of a fault's scenario: the switch on, and off.
const ARMS: [&str; 2] = ["with", "without"];

fn folder() -> PathBuf {
    scenarios().join("faults")
}

/// Every fault's scenario, by the name of its file.
fn loaded() -> BTreeMap<String, Arc<Scenario>> {
    let entries = fs::read_dir(folder()).expect("the folder can be read");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("so can its entries").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "yaml"));
    paths.sort();
    let loaded = load(&paths);
    let messages: Vec<&str> = loaded.diagnostics.iter().map(|found| &*found.message).collect();
    assert!(!loaded.has_errors(), "{messages:?}");
    let stem = |path: &PathBuf| path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
    paths.iter().map(stem).zip(loaded.scenarios).collect()
}

fn arm<'s>(scenario: &'s Scenario, name: &str) -> &'s Arm {
    let found = scenario.arms.iter().find(|arm| &*arm.name == name);
    found.unwrap_or_else(|| panic!("{} has no arm `{name}`", scenario.name))
}

fn values(settings: &Settings) -> BTreeSet<(String, String)> {
    settings.iter().map(|(key, value, _)| (key, value.to_string())).collect()
}

/// What is expected of an arm and not of the other one.
fn figures(scenario: &Scenario, arm: &str) -> Vec<String> {
    let of_arm = format!("arm == '{arm}'");
    let expected = scenario
        .expect
        .iter()
        .filter(|expected| expected.when.as_ref().is_some_and(|when| **when.text() == *of_arm));
    expected.map(|expected| expected.that.text().to_string()).collect()
}

/// What became of each cell.
fn statuses(context: &TestContext, out: &str) -> BTreeMap<String, String> {
    let run = context.json(&format!("{out}/run.json"));
    let cells = run["cells"].as_array().expect("a list of cells").iter();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    cells.map(|cell| (text(&cell["cell"]), text(&cell["status"]))).collect()
}

fn run(context: &TestContext, out: &str) -> i32 {
    let args = ["run", "scenarios/faults", "--transport", "direct", "--traces", "none", "-q", "--out", out];
    context.run(&args).code
}

#[test]
fn every_fault_has_its_scenario_and_every_scenario_its_fault() {
    let rows: BTreeSet<&str> = faults().map(|row| row.name).collect();
    let loaded = loaded();
    let files: BTreeSet<&str> = loaded.keys().map(String::as_str).collect();
    assert_eq!(rows, files);
    for (file, scenario) in &loaded {
        assert_eq!(*scenario.name, **file, "a scenario is named as its file");
        assert!(scenario.description.len() > 60, "{file} says what goes wrong");
    }
}

#[test]
fn the_arms_of_a_fault_differ_in_its_switch_alone() {
    for (fault, scenario) in loaded() {
        let names: Vec<&str> = scenario.arms.iter().map(|arm| &*arm.name).collect();
        assert_eq!(names, ARMS, "{fault}");
        let [with, without] = ARMS.map(|name| arm(&scenario, name));
        assert_eq!(with.settings.version(), without.settings.version(), "{fault}");
        assert_eq!(with.prompts, without.prompts, "{fault}");
        let key = format!("faults.{fault}");
        let (on, off) = (values(&with.settings), values(&without.settings));
        assert_eq!(&on - &off, [(key.clone(), "true".to_owned())].into(), "{fault}");
        assert_eq!(&off - &on, [(key, "false".to_owned())].into(), "{fault}");
        for name in ARMS {
            assert!(!figures(&scenario, name).is_empty(), "{fault} expects no figure of the arm `{name}`");
        }
    }
}

#[test]
fn both_figures_of_every_fault_are_the_faults_own() {
    let context = TestContext::with_scenarios();
    assert_eq!(run(&context, "out"), 0);
    let held = statuses(&context, "out");
    assert_eq!(held.len(), ARMS.len() * faults().count());
    for row in faults() {
        let path = format!("scenarios/faults/{}.yaml", row.name);
        let text = fs::read_to_string(context.path(&path)).expect("the file can be read");
        let [on, off] = [true, false].map(|state| format!("{}: {state}", row.name));
        assert_eq!((text.matches(&on).count(), text.matches(&off).count()), (1, 1), "{path}");
        context.file(&path, &text.replace(&on, "\0").replace(&off, &on).replace('\0', &off));
    }
    assert_eq!(run(&context, "turned"), 1);
    let vacuous: Vec<String> = statuses(&context, "turned")
        .into_iter()
        .filter_map(|(cell, status)| (status != "failed").then(|| format!("{cell}: {status}")))
        .collect();
    assert!(vacuous.is_empty(), "with the switch turned round these should fail, and do not: {vacuous:#?}");
}

#[test]
fn the_table_of_faults_is_that_of_the_program() {
    let table = table(&loaded());
    let path = folder().join("README.md");
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        fs::write(&path, &table).expect("it can be written");
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == table, "{} has drifted; run the test with UPDATE_GENERATED=1", path.display());
    let readme = scenarios().parent().expect("the scenarios lie in the workspace").join("README.md");
    let readme = fs::read_to_string(readme).expect("the workspace has a README");
    assert!(readme.contains("(scenarios/faults/README.md)"), "README.md leads to the table");
}

const HEAD: &str = "\
<!-- Generated from the program's own table of faults; `UPDATE_GENERATED=1 cargo test -p harness faults` writes it. -->

# Known faults of the reference

Each is a switch: `faults: { NAME: true }` or `false` in an arm, `--set faults.NAME=false` for a whole run, and
`faults: off` turns all of them off. A switch is on by itself in the versions that have the fault, which are ticked below.
The name leads to a small scenario that plays the same story with the switch on and off, and expects both figures:

    harness run scenarios/faults/review_notice_lost.yaml

Numbers such as hermes-agent#38727 are reports in the repository NousResearch/hermes-agent.
";

const TAIL: &str = "
## Reports that have no switch

| report | what it says | why there is no switch |
|---|---|---|
| hermes-agent#2227 | nudges were written into the user's messages | mended before the oldest version here |
| hermes-agent#15216 | a review's dangerous command waited for an answer on the terminal | nobody is asked on a terminal: what is not on a review's list of tools is refused at once |
| hermes-agent#55769, #55925 | a review redirected the output of the whole process and silenced the gateway | a simulation has no process whose output could be redirected |
| hermes-agent#100795 | a review's tidying changed the live history through a shallow copy | a review shares messages that nothing can change |
| hermes-agent#66180 | learned skills are never loaded when they are needed | no mistake of the rules but a habit of the model: a rate of the world, varied by `--vary rates.view=…`; in the world `never-loaded` it is zero |
";

/// The table as a person reads it.
fn table(scenarios: &BTreeMap<String, Arc<Scenario>>) -> String {
    let mut text = HEAD.to_owned();
    let mut areas: Vec<(&str, Vec<&FaultRow>)> = Vec::new();
    for row in faults() {
        let area = row.field.split('.').next().expect("a field has a first part");
        match areas.iter_mut().find(|(known, _)| *known == area) {
            Some((_, rows)) => rows.push(row),
            None => areas.push((area, vec![row])),
        }
    }
    for (area, rows) in areas {
        let versions = Version::ALL.map(|version| version.as_str().trim_start_matches("hermes-"));
        write!(
            text,
            "\n## {area}\n\n| fault, rule | on | off | reported, found | {} | expected with | without |\n",
            versions.join(" | ")
        )
        .expect("a text takes all");
        text.push_str(&"|---".repeat(6 + versions.len()));
        text.push_str("|\n");
        for row in rows {
            text.push_str(&line(row, &scenarios[row.name]));
        }
    }
    text + TAIL
}

fn line(row: &FaultRow, scenario: &Scenario) -> String {
    let name = format!("[`{0}`]({0}.yaml), `{1}`", row.name, row.field);
    let report = row.report.replace("NousResearch/", "");
    let mut cells = vec![name, cell(row.on), cell(row.off), cell(&report)];
    cells.extend(row.versions.map(|has| if has { "✓" } else { "" }.to_owned()));
    for arm in ARMS {
        let figures = figures(scenario, arm);
        let figures: Vec<String> = figures.iter().map(|that| format!("`{}`", cell(that))).collect();
        cells.push(figures.join("<br>"));
    }
    format!("| {} |\n", cells.join(" | "))
}

/// A text that stays in one cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").split_whitespace().collect::<Vec<_>>().join(" ")
}
