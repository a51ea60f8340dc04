//! Files that are generated and committed: a test fails when they drift. Run with `UPDATE_GENERATED=1` to write them.

use std::fs;
use std::path::{Path, PathBuf};

use super::context::{TestContext, scenarios};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace").to_path_buf()
}

/// Compares a committed file with what the binary prints.
fn check(path: &str, args: &[&str]) {
    let output = TestContext::new().run(args);
    assert_eq!((output.code, &*output.stderr), (0, ""), "{args:?}");
    let path = root().join(path);
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        fs::write(&path, &output.stdout).expect("it can be written");
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == output.stdout,
        "{} differs from `harness {}`; run the test with UPDATE_GENERATED=1",
        path.display(),
        args.join(" ")
    );
}

#[test]
fn the_schemas_are_those_of_the_program() {
    check("scenarios/scenario.schema.json", &["schema", "scenario"]);
    check("scenarios/worlds/world.schema.json", &["schema", "world"]);
    check("reports/trace.schema.json", &["schema", "trace"]);
}

/// Every scenario and world tells editors of its schema, by a path that leads there.
#[test]
fn every_file_names_its_schema() {
    const HINT: &str = "# yaml-language-server: $schema=";
    let mut count = 0;
    for entry in walkdir::WalkDir::new(scenarios()).sort_by_file_name() {
        let entry = entry.expect("the scenarios can be read");
        let path = entry.path().strip_prefix(scenarios()).expect("below the scenarios");
        let is_yaml = path.extension().is_some_and(|end| end == "yaml");
        let first = path.components().next().map(|part| part.as_os_str().to_string_lossy().into_owned());
        let wanted = match first.as_deref() {
            Some("worlds") if is_world(entry.path()) => "worlds/world.schema.json",
            Some("worlds" | "scripts" | "libraries" | "fixtures") => continue,
            _ => "scenario.schema.json",
        };
        if !is_yaml {
            continue;
        }
        count += 1;
        let text = fs::read_to_string(entry.path()).expect("it is text");
        let named = text.lines().next().and_then(|line| line.strip_prefix(HINT));
        let named = named.unwrap_or_else(|| panic!("{} does not begin with `{HINT}…`", path.display()));
        let folder = entry.path().parent().expect("a file lies in a folder");
        let found = folder.join(named).canonicalize().expect("the schema is where the file says");
        assert_eq!(
            found,
            scenarios().join(wanted).canonicalize().expect("it is there"),
            "{}",
            path.display()
        );
    }
    assert!(count > 3, "{count}");
}

/// Whether a file describes tools, and not rates or something else that worlds may hold.
fn is_world(path: &Path) -> bool {
    fs::read_to_string(path).is_ok_and(|text| text.lines().any(|line| line == "tools:"))
}

/// A completion script knows every command.
#[test]
fn completions_know_every_command() {
    let context = TestContext::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = context.run(&["completions", shell]);
        assert_eq!((output.code, &*output.stderr), (0, ""), "{shell}");
        for command in ["run", "validate", "list", "rerun", "show", "determinism", "explain", "schema"] {
            assert!(output.stdout.contains(command), "{shell} does not know {command}");
        }
        assert!(output.stdout.contains("max-fail"), "{shell} does not know the flags of run");
    }
    let output = std::process::Command::new("bash")
        .args(["-n", "/dev/stdin"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .and_then(|mut child| {
            use std::io::Write;
            let script = context.run(&["completions", "bash"]).stdout;
            child.stdin.take().expect("it is piped").write_all(script.as_bytes())?;
            child.wait()
        });
    assert!(output.expect("bash runs").success(), "bash reads its script");
}
