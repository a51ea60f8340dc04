//! Where results may be written, and what is never replaced or read: things that no run made, pipes, devices.

use std::fs;

use super::context::{DEMO, TestContext};

/// The demonstration, with an expectation that does not hold.
fn context() -> TestContext {
    let context = TestContext::demo();
    context.file("demo.yaml", &failing());
    context
}

fn failing() -> String {
    format!("{DEMO}expect: [cell.turns == 2]\n")
}

#[test]
fn a_directory_that_no_run_made_keeps_what_it_holds() {
    let context = context();
    context.file("mine/traces/diary.txt", "precious").file("mine/run.json", "[]");
    let output = context.run(&["run", "demo.yaml", "-o", "mine"]);
    assert_eq!(output.code, 2, "{output:?}");
    insta::assert_snapshot!(output.stderr);
    assert_eq!(fs::read_to_string(context.path("mine/traces/diary.txt")).unwrap(), "precious");
    // Results that came from elsewhere, without the lock, are a run's.
    assert_eq!(context.run(&["run", "demo.yaml", "-o", "out"]).code, 1);
    fs::remove_file(context.path("out/.lock")).unwrap();
    assert_eq!(context.run(&["run", "demo.yaml", "-o", "out"]).code, 1);
}

#[test]
fn wrong_places_are_told_before_anything_runs() {
    let context = context();
    let mut told = String::new();
    for args in
        [&["-o", "demo.yaml"][..], &["--junit", "demo.yaml"], &["--junit", "none/j.xml"], &["--junit", "."]]
    {
        let output = context.run(&[&["run", "demo.yaml"], args].concat());
        assert_eq!(output.code, 2, "{output:?}");
        told += &output.stderr;
    }
    insta::assert_snapshot!(told);
    assert_eq!(fs::read_to_string(context.path("demo.yaml")).unwrap(), failing());
    assert!(!context.path("out").exists());
}

#[test]
fn commands_of_results_elsewhere_find_them() {
    let context = context();
    let output = context.run(&["run", "demo.yaml", "-o", "else", "--junit", "j.xml", "--format", "json"]);
    assert_eq!(output.code, 1);
    let junit = fs::read_to_string(context.path("j.xml")).unwrap();
    for text in [&output.stdout, &junit] {
        assert!(text.contains("harness rerun demo/july/1 --out else"), "{text}");
    }
    assert!(!fs::read_to_string(context.path("else/junit.xml")).unwrap().contains("--out"));
}

#[test]
fn cells_of_another_version_are_run_again() {
    let context = context();
    assert_eq!(context.run(&["run", "demo.yaml"]).code, 1);
    let run = fs::read_to_string(context.path("out/run.json")).unwrap();
    let other = run.replace(concat!("\"", env!("CARGO_PKG_VERSION"), "\""), "\"9.9.9\"");
    assert_ne!(run, other);
    context.file("out/run.json", &other).file("out/traces/demo.july.1.jsonl", "of another version\n");
    assert_eq!(context.run(&["run", "demo.yaml", "--resume"]).code, 1);
    assert!(
        !fs::read_to_string(context.path("out/traces/demo.july.1.jsonl")).unwrap().starts_with("of another")
    );
}

#[test]
fn polls_without_end_are_a_mistake() {
    let context = context();
    let poll = "timeline: [{ curator: poll, every: 1ms, until: 14w }, ";
    context.file("demo.yaml", &failing().replace("timeline: [", poll));
    let output = context.run(&["validate", "demo.yaml"]);
    assert_eq!(output.code, 2);
    insta::assert_snapshot!(output.stderr);
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_keep_nobody_waiting() {
    let context = context();
    let mut told = String::new();
    for args in [
        &["run", "demo.yaml", "--prompt", "curator=/dev/zero"][..],
        &["prompts", "check", "--prompt", "curator=/dev/zero"],
    ] {
        let output = context.run(args);
        assert_eq!(output.code, 2, "{output:?}");
        told += &output.stderr;
    }
    context.file("demo.yaml", &failing().replace("{ tools: [] }", "w.yaml"));
    let made = std::process::Command::new("mkfifo").arg(context.path("w.yaml")).status();
    assert!(made.is_ok_and(|status| status.success()));
    let output = context.run(&["validate", "demo.yaml"]);
    assert_eq!(output.code, 2, "{output:?}");
    insta::assert_snapshot!(told + &output.stderr);
}

#[cfg(target_os = "linux")]
#[test]
fn half_a_result_is_no_success() {
    use std::os::unix::ffi::OsStrExt;
    let full = || fs::File::options().write(true).open("/dev/full").unwrap();
    let status = std::process::Command::new(assert_cmd::cargo::cargo_bin!("harness"))
        .arg("schema")
        .stdout(full())
        .status();
    assert_eq!(status.unwrap().code(), Some(3));
    // Words that are no text are words all the same.
    let context = context();
    let output = std::process::Command::new(assert_cmd::cargo::cargo_bin!("harness"))
        .args(["run", "demo.yaml", "-o"])
        .arg(std::ffi::OsStr::from_bytes(b"o\xff"))
        .current_dir(context.path(""))
        .output()
        .unwrap();
    assert!(matches!(output.status.code(), Some(1 | 2)), "{output:?}");
}

#[test]
fn records_that_nobody_can_read_are_told_of() {
    let context = TestContext::new();
    context.file("home/skills/tea/SKILL.md", "---\nname: tea\ndescription: Tea.\n---\nBoil.\n");
    context.file("home/skills/.usage.json", "{\"tea\": {");
    for what in ["preview", "status"] {
        let output = context.run(&["curator", what, "--home", "home", "--now", "2026-03-01T09:00:00Z"]);
        assert!(
            output.stdout.contains("Warning: skills/.usage.json cannot be read and counts as empty"),
            "{output:?}"
        );
    }
}
