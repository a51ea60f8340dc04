//! The verdict as a `JUnit` file: one suite a scenario, one case a cell.
//!
//! No times and no host stand in it, so that the same run gives the same bytes. Names that would be equal after
//! cleaning get a number, since readers of such files keep only one case of a name.

use std::collections::BTreeMap;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use crate::plain::{one_line, plain};
use crate::verdict::{CellResult, CellStatus, Verdict};

/// The whole file.
pub fn junit(verdict: &Verdict) -> String {
    let mut suites: BTreeMap<&str, Vec<&CellResult>> = BTreeMap::new();
    for cell in &verdict.cells {
        suites.entry(&cell.scenario).or_default().push(cell);
    }
    let mut report = Report::new("harness");
    let mut names = BTreeMap::new();
    for (scenario, mut cells) in suites {
        cells.sort_by_key(|cell| (&cell.arm, cell.seed));
        let mut suite = TestSuite::new(one_line(scenario));
        suite.add_test_cases(cells.into_iter().map(|cell| case(cell, &mut names)));
        report.add_test_suite(suite);
    }
    let of_the_run = run_cases(verdict);
    if !of_the_run.is_empty() {
        let mut suite = TestSuite::new("the run itself");
        suite.add_test_cases(of_the_run);
        report.add_test_suite(suite);
    }
    report.to_string().expect("memory can be written and names are cleaned")
}

/// What concerns no cell: mistakes of the input and of the run, and figures behind the baseline.
fn run_cases(verdict: &Verdict) -> Vec<TestCase> {
    let groups = [
        ("input", NonSuccessKind::Error, &verdict.input_errors),
        ("run", NonSuccessKind::Error, &verdict.run_errors),
        ("baseline", NonSuccessKind::Failure, &verdict.regressions),
        ("unused", NonSuccessKind::Failure, &verdict.unused),
    ];
    let group = |(name, kind, messages): (&'static str, NonSuccessKind, &Vec<String>)| {
        let cases = messages.iter().enumerate().map(move |(index, message)| {
            let mut status = TestCaseStatus::non_success(kind);
            status.set_type(name).set_message(first_line(message)).set_description(plain(message));
            let mut case = TestCase::new(format!("{name} {}", index + 1), status);
            case.set_classname("the run itself");
            case
        });
        cases.collect::<Vec<_>>()
    };
    groups.into_iter().flat_map(group).collect()
}

fn case(cell: &CellResult, names: &mut BTreeMap<(String, String), u32>) -> TestCase {
    let classname = one_line(&cell.scenario).into_owned();
    let name = format!("arm {}, seed {}", one_line(&cell.arm), cell.seed);
    let name = unique(&classname, name, names);
    let mut case = TestCase::new(name, status(cell));
    case.set_classname(classname);
    case.set_assertions(usize::try_from(cell.expectations).unwrap_or(usize::MAX));
    case
}

/// The name, with a number if it is taken. The map holds the names given, each with the number tried last.
fn unique(classname: &str, name: String, names: &mut BTreeMap<(String, String), u32>) -> String {
    let key = (classname.to_owned(), name.clone());
    let Some(mut number) = names.get(&key).copied() else {
        names.insert(key, 1);
        return name;
    };
    loop {
        number += 1;
        let candidate = (classname.to_owned(), format!("{name} ({number})"));
        if !names.contains_key(&candidate) {
            names.insert(key, number);
            names.insert(candidate.clone(), 1);
            return candidate.1;
        }
    }
}

fn status(cell: &CellResult) -> TestCaseStatus {
    let what = cell.what();
    let (kind, message) = match cell.status {
        CellStatus::Held => return TestCaseStatus::success(),
        CellStatus::Stopped | CellStatus::Skipped => {
            let mut status = TestCaseStatus::skipped();
            status.set_type(cell.status.as_str()).set_message(first_line(&what));
            return status;
        }
        CellStatus::Failed => (
            NonSuccessKind::Failure,
            format!("{} of {} expectations failed", cell.failures.len(), cell.expectations),
        ),
        CellStatus::Nondeterministic => (NonSuccessKind::Failure, first_line(&cell.reason)),
        CellStatus::Broken => (NonSuccessKind::Error, first_line(&cell.reason)),
    };
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(cell.status.as_str()).set_message(message).set_description(plain(&what));
    status
}

fn first_line(text: &str) -> String {
    plain(text).lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::verdict::Failure;
    use crate::verdict::tests::{cell, verdict};

    #[test]
    fn a_failing_run() {
        let mut verdict = verdict();
        verdict.regressions.push("sessions.tool_calls: 9 before, 12 now".into());
        insta::assert_snapshot!(junit(&verdict), @r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="harness" tests="4" skipped="0" failures="2" errors="1">
            <testsuite name="k8s-deploy" tests="3" skipped="0" errors="1" failures="1">
                <testcase name="arm article, seed 1" classname="k8s-deploy" assertions="4"/>
                <testcase name="arm article, seed 2" classname="k8s-deploy" assertions="4">
                    <error message="no rule fits the request; nearest is main[0]" type="broken">no rule fits the request; nearest is main[0]
        rerun: harness rerun k8s-deploy/article/2</error>
                </testcase>
                <testcase name="arm july, seed 1" classname="k8s-deploy" assertions="4">
                    <failure message="1 of 4 expectations failed" type="failed">session.flask.tool_calls == 12
          session.flask.tool_calls = 13
          because the image was not pushed
          at scenarios/k8s-deploy.yaml:31
        rerun: harness rerun k8s-deploy/july/1</failure>
                </testcase>
            </testsuite>
            <testsuite name="the run itself" tests="1" skipped="0" errors="0" failures="1">
                <testcase name="baseline 1" classname="the run itself">
                    <failure message="sessions.tool_calls: 9 before, 12 now" type="baseline">sessions.tool_calls: 9 before, 12 now</failure>
                </testcase>
            </testsuite>
        </testsuites>
        "#);
    }

    /// Every character that XML 1.0 forbids is gone, and the file reads back.
    fn check(verdict: &Verdict) -> Report {
        let xml = junit(verdict);
        assert!(xml.chars().all(
            |char| matches!(char, '\n' | '\t' | ' '..='\u{7e}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..)
        ));
        assert!(!xml.contains("]]>"));
        Report::deserialize_from_str(&xml).unwrap()
    }

    #[test]
    fn hostile_text_gives_a_file_that_parses() {
        let mut hostile = cell("\u{1b}[31mred\u{0}", 1, CellStatus::Broken);
        hostile.reason = format!(
            "ESC \u{1b}[0m NUL \u{0} \u{fffe}\u{ffff} ]]> <&\" שלום \u{202e} 👩‍🚀\n{}",
            "x".repeat(1 << 20)
        );
        let report = check(&Verdict { cells: vec![hostile], ..Verdict::default() });
        let case = &report.test_suites[0].test_cases[0];
        assert_eq!(case.name.as_str(), "arm red, seed 1");
        let TestCaseStatus::NonSuccess { message, .. } = &case.status else { panic!("an error") };
        assert_eq!(message.as_ref().unwrap().as_str(), "ESC  NUL   ]]> <&\" שלום  👩‍🚀");
    }

    #[test]
    fn equal_names_get_numbers() {
        let cells = ["a", "a\u{0}", "a\u{7}", "a"].map(|arm| cell(arm, 1, CellStatus::Held)).to_vec();
        let report = check(&Verdict { cells, ..Verdict::default() });
        let names: Vec<_> = report.test_suites[0].test_cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(names, ["arm a, seed 1", "arm a, seed 1 (2)", "arm a, seed 1 (3)", "arm a, seed 1 (4)"]);
    }

    proptest! {
        #[test]
        fn any_text_gives_a_file_that_parses_with_a_name_a_cell(
            texts in vec((any::<String>(), any::<String>(), any::<String>(), 0..3u64), 0..6),
        ) {
            let cells: Vec<_> = texts.into_iter().map(|(scenario, arm, text, seed)| {
                let failure = Failure { expression: text.clone(), ..Failure::default() };
                CellResult { scenario, failures: vec![failure], ..cell(&arm, seed, CellStatus::Failed) }
            }).collect();
            let count = cells.len();
            let report = check(&Verdict { cells, ..Verdict::default() });
            let cases = report.test_suites.iter().flat_map(|suite| &suite.test_cases);
            let names: BTreeSet<_> = cases.map(|case| (case.classname.clone(), case.name.clone())).collect();
            prop_assert_eq!(names.len(), count);
        }
    }
}
