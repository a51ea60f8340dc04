//! Disks that are full, folders that may not be written to, renames that fail: a named error, and the results of an
//! earlier run stay as they were.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command as Process;

use super::context::{Output, TestContext};

fn output(output: std::process::Output) -> Output {
    Output {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).expect("the output is text"),
        stderr: String::from_utf8(output.stderr).expect("the output is text"),
    }
}

/// All files of a run's directory but those of a run that goes on.
fn placed(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files =
        walkdir::WalkDir::new(folder).into_iter().filter_entry(|entry| entry.file_name() != ".partial");
    let files = files.flatten().filter(|entry| entry.file_type().is_file());
    files
        .map(|entry| {
            (entry.path().to_string_lossy().into_owned(), fs::read(entry.path()).expect("it can be read"))
        })
        .collect()
}

/// A run on a disk so large; a limit on the size of files is the full disk that a test can have.
fn limited(context: &TestContext, kilobytes: u32, args: &[&str]) -> Output {
    let limited = Process::new("bash")
        .args(["-c", &format!("ulimit -f {kilobytes}; trap '' XFSZ; exec \"$0\" \"$@\"")])
        .arg(assert_cmd::cargo::cargo_bin!("harness"))
        .args(["run", "demo.yaml", "--seed", "7", "--transport", "direct"])
        .args(args)
        .current_dir(context.path(""))
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .output();
    output(limited.expect("bash runs"))
}

/// 4 (`tau2-bench` PR #533): wherever the disk is full, what an earlier run left survives, and the run goes on later.
#[test]
fn report_4_old_results_survive_a_disk_that_is_full_at_any_point() {
    let context = TestContext::demo();
    // Traces are the largest files of a small run, tables those of a run of many cells that keeps none.
    let small = ["--repeat", "3", "--traces", "all"];
    let many = ["--repeat", "40", "--traces", "none"];
    let mut stuck = BTreeMap::new();
    for args in [many, small] {
        assert_eq!(context.run(&["run", "demo.yaml"]).code, 0);
        let before = placed(&context.path("out"));
        let mut done = 0;
        for kilobytes in [0, 1, 2, 3, 4, 6, 8, 12, 16, 64, 1024] {
            let limited = limited(&context, kilobytes, &args);
            if limited.code == 0 {
                done += 1;
                continue;
            }
            assert_eq!(done, 0, "more room is not worse: {limited:?}");
            assert_eq!((limited.code, &*limited.stdout), (3, ""), "{limited:?}");
            let error = limited.stderr.lines().find(|line| line.starts_with("error: ")).expect("an error");
            assert!(error.contains("File too large") && error.contains("cannot write"), "{error}");
            assert!(placed(&context.path("out")) == before, "old results changed with {kilobytes} kB");
            let is_path = |word: &&str| word.contains(['/', '.']);
            let words = error.split_whitespace().filter(|word| !is_path(word)).collect::<Vec<_>>().join(" ");
            let file = error.split_whitespace().find(is_path).unwrap_or_default();
            let kind = file.split('/').rev().nth(1).unwrap_or_default();
            stuck.entry(format!("{kind} {words}")).or_insert(kilobytes);
        }
        assert!(done > 0, "1 MB is enough");
    }
    assert!(stuck.len() > 1, "it got stuck at several points: {stuck:?}");
    assert_eq!(limited(&context, 1024, &small).code, 0);
    // What was finished is taken over.
    let whole = fs::read(context.path("out/records/cells.csv")).expect("it is there");
    assert_eq!(context.run(&["run", "demo.yaml", "--seed", "7", "--repeat", "3", "--resume"]).code, 0);
    assert_eq!(fs::read(context.path("out/records/cells.csv")).expect("it is there"), whole);
}

/// A device without room, where there is one: the error of the system is told.
#[test]
#[cfg(target_os = "linux")]
fn a_junit_file_on_a_full_device_is_a_named_error() {
    let context = TestContext::demo();
    let output = context.run(&["run", "demo.yaml", "--junit", "/dev/full"]);
    assert_eq!(output.code, 3);
    insta::assert_snapshot!(output.stderr.lines().skip(1).collect::<Vec<_>>().join("\n"), @r"
    results in out
    error: cannot write /dev/full: No space left on device (os error 28)
    hint: the run is over, and its results are in out
    ");
    assert!(context.path("out/run.json").exists(), "the results are there all the same");
}

/// The binary run by somebody who may not write what others own.
struct Nobody {
    context: TestContext,
    /// Whether the test itself runs as root, whom no permission stops.
    is_root: bool,
}

impl Nobody {
    fn new() -> Self {
        let context = TestContext::demo();
        let is_root = fs::metadata(context.path("")).expect("it is there").uid() == 0;
        mode(&context.path(""), 0o755);
        if is_root {
            // The binary may lie where nobody else can go.
            fs::copy(assert_cmd::cargo::cargo_bin!("harness"), context.path("harness"))
                .expect("it can be copied");
        }
        Self { context, is_root }
    }

    fn run(&self, args: &[&str]) -> Output {
        let mut command = if self.is_root {
            let mut command = Process::new("setpriv");
            command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "./harness"]);
            command
        } else {
            Process::new(assert_cmd::cargo::cargo_bin!("harness"))
        };
        let command =
            command.args(args).current_dir(self.context.path("")).env_clear().env("PATH", "/usr/bin:/bin");
        output(command.output().expect("the binary runs"))
    }
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions can be set");
}

#[test]
fn a_folder_that_may_not_be_written_to_is_named_before_anything_runs() {
    let nobody = Nobody::new();
    mode(&nobody.context.path(""), 0o555);
    let output = nobody.run(&["run", "demo.yaml"]);
    mode(&nobody.context.path(""), 0o755);
    assert_eq!((output.code, &*output.stdout), (3, ""), "{output:?}");
    insta::assert_snapshot!(output.stderr, @"error: cannot make out: Permission denied (os error 13)");
    fs::create_dir(nobody.context.path("out")).expect("folders can be made");
    mode(&nobody.context.path("out"), 0o555);
    let output = nobody.run(&["run", "demo.yaml"]);
    assert_eq!((output.code, &*output.stdout), (3, ""), "{output:?}");
    insta::assert_snapshot!(output.stderr, @"error: cannot write into out: Permission denied (os error 13)");
}

/// Reading needs no permission to write.
#[test]
fn results_that_may_only_be_read_are_shown_and_run_again() {
    let nobody = Nobody::new();
    assert_eq!(nobody.context.run(&["run", "demo.yaml"]).code, 0);
    mode(&nobody.context.path("out"), 0o555);
    assert_eq!(nobody.run(&["show", "demo/july/1"]).code, 0);
    assert_eq!(nobody.run(&["rerun", "demo/july/1"]).code, 0);
    assert_eq!(nobody.run(&["validate", "demo.yaml"]).code, 0);
}

/// 4: the new results are whole and cannot be put in place; the old ones stay, and later the new ones are put there.
#[test]
fn report_4_a_rename_that_fails_leaves_old_and_new_results() {
    let nobody = Nobody::new();
    let context = &nobody.context;
    assert_eq!(context.run(&["run", "demo.yaml"]).code, 0);
    let before = placed(&context.path("out"));
    fs::create_dir(context.path("out/.partial")).expect("folders can be made");
    mode(&context.path("out/.partial"), 0o777);
    mode(&context.path("out/.lock"), 0o666);
    mode(&context.path("out"), 0o555);
    let output = nobody.run(&["run", "demo.yaml", "--seed", "7", "--resume"]);
    mode(&context.path("out"), 0o755);
    assert_eq!((output.code, &*output.stdout), (3, ""), "{output:?}");
    insta::assert_snapshot!(output.stderr.lines().skip(1).collect::<Vec<_>>().join("\n"), @r"
    error: cannot put the results in place in out; they wait in out/.partial: Permission denied (os error 13)
    hint: finished cells wait in out/.partial; --resume goes on from there
    ");
    assert!(placed(&context.path("out")) == before, "old results changed");
    assert_eq!(context.run(&["run", "demo.yaml", "--seed", "7", "--resume"]).code, 0);
    let cells = fs::read_to_string(context.path("out/records/cells.csv")).expect("it is there");
    assert!(cells.contains("demo,july,7,") && !cells.contains("demo,july,1,"), "{cells}");
}

/// Two runs into one directory at once: one of them is told so, the other one is not disturbed.
#[test]
fn two_runs_into_one_directory_do_not_mix() {
    let context = TestContext::demo();
    let start = |seed: &str| {
        Process::new(assert_cmd::cargo::cargo_bin!("harness"))
            .args(["run", "demo.yaml", "--seed", seed, "--repeat", "30", "--transport", "direct"])
            .current_dir(context.path(""))
            .env_clear()
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("the binary runs")
    };
    let children = [start("1"), start("1001")];
    let outputs = children.map(|child| output(child.wait_with_output().expect("it ends")));
    let codes = outputs.iter().map(|output| output.code).collect::<Vec<_>>();
    // On a slow day one has ended before the other begins.
    assert!(codes.contains(&0) && codes.iter().all(|code| [0, 3].contains(code)), "{outputs:?}");
    for output in outputs.iter().filter(|output| output.code == 3) {
        assert_eq!(
            output.stderr,
            "error: another run writes into out (out/.lock is locked); name another directory with --out\n"
        );
    }
    let cells = fs::read_to_string(context.path("out/records/cells.csv")).expect("it is there");
    let seeds: Vec<u64> =
        cells.lines().skip(1).filter_map(|line| line.split(',').nth(2)?.parse().ok()).collect();
    let first = seeds.iter().min().copied().expect("cells");
    assert_eq!(seeds, (first..first + 30).collect::<Vec<_>>());
}
