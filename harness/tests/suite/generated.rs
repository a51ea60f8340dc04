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

/// A file that tells editors of its schema does so by a path that leads to one of the program's.
#[test]
fn a_schema_that_a_file_names_is_there() {
    const HINT: &str = "# yaml-language-server: $schema=";
    for entry in walkdir::WalkDir::new(scenarios()).sort_by_file_name() {
        let path = entry.expect("the scenarios can be read").into_path();
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let Some(named) = text.lines().find_map(|line| line.strip_prefix(HINT)) else { continue };
        let folder = path.parent().expect("a file lies in a folder");
        let found = folder.join(named).canonicalize();
        let is_schema = found.is_ok_and(|found| found.to_string_lossy().ends_with(".schema.json"));
        assert!(is_schema, "{} names {named}", path.display());
    }
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
