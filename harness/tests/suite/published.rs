//! The published studies: the program takes their commands, and their data and plots are those that it still writes.

use std::fs;
use std::path::{Path, PathBuf};

use super::context::TestContext;

/// The folder of each study.
fn studies() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace");
    let entries = fs::read_dir(root.join("reports/published")).expect("there are studies");
    let mut studies: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    studies.retain(|path| path.is_dir());
    studies.sort();
    studies
}

/// The commands of a study's console blocks, without the program's name.
fn commands(study: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(study.join("README.md")).expect("a study has a README");
    let blocks = text.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next());
    let joined: String = blocks.collect::<String>().replace("\\\n", " ");
    let commands = joined.lines().filter_map(|line| line.strip_prefix("$ harness "));
    commands.map(|command| command.split_whitespace().map(str::to_owned).collect()).collect()
}

fn header(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn a_study_can_be_made_again() {
    let context = TestContext::with_scenarios();
    let small = "sweep scenarios/nudges-small.yaml --arm off --vary memory.nudge_interval=0,10";
    let output = context.run(&small.split_whitespace().collect::<Vec<_>>());
    assert_eq!(output.code, 0, "{output:?}");
    let studies = studies();
    assert!(!studies.is_empty());
    for study in &studies {
        let commands = commands(study);
        assert!(commands.len() >= 2, "{}: a sweep, and a report", study.display());
        for command in &commands {
            let mut args: Vec<&str> = command.iter().map(String::as_str).collect();
            // Of the sweep no cell is run: that nothing is selected is found out after everything was read.
            let code = if args[0] == "report" { 0 } else { 4 };
            if code == 4 {
                args.extend(["--filter", "no such cell", "--out", "nowhere"]);
            }
            let output = context.run(&args);
            assert_eq!(output.code, code, "{args:?}: {output:?}");
        }
        for entry in fs::read_dir(study.join("data")).expect("a study has data") {
            let table = entry.expect("it can be read").file_name();
            let written = context.path("out/records").join(&table);
            assert_eq!(header(&study.join("data").join(&table)), header(&written), "{}", study.display());
        }
        for entry in fs::read_dir(study.join("plots")).expect("a study has plots") {
            let plot = entry.expect("it can be read").file_name();
            assert!(context.path("out/plots").join(&plot).is_file(), "{plot:?} is no longer drawn");
        }
    }
}

#[test]
fn a_study_is_small_and_shows_the_floor_first() {
    for study in studies() {
        let files = walkdir::WalkDir::new(&study).into_iter().map(|entry| entry.expect("it can be read"));
        let bytes: u64 = files.map(|entry| entry.metadata().expect("it is there").len()).sum();
        assert!(bytes < 2_000_000, "{}: {bytes} bytes", study.display());
        let text = fs::read_to_string(study.join("README.md")).expect("a study has a README");
        let worlds: Vec<usize> =
            ["never-loaded", "sometimes", "always"].iter().filter_map(|world| text.find(*world)).collect();
        assert!(worlds.len() == 3 && worlds.is_sorted(), "the world where nothing is loaded comes first");
        for picture in text.split("](plots/").skip(1).filter_map(|rest| rest.split(')').next()) {
            assert!(study.join("plots").join(picture).is_file(), "{picture} is missing");
        }
    }
}
