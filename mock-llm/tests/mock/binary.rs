//! The `mock-llm` command as a user meets it.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};

use assert_cmd::Command;
use serde_json::json;

use super::client::Http;
use super::example::PATH;

fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mock-llm"));
    command.env_clear().env("COLUMNS", "90");
    command
}

fn output(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = command().args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// A file in a folder of its own.
fn file(text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("script.yaml");
    std::fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

#[test]
fn help() {
    let (code, stdout, stderr) = output(&["--help"]);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    insta::assert_snapshot!(stdout);
    insta::assert_snapshot!(output(&["serve", "--help"]).1);
}

#[test]
fn check_counts_rules() {
    let (code, stdout, stderr) = output(&["check", PATH]);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    insta::assert_snapshot!(stdout);
}

#[test]
fn mistakes_are_shown_and_nothing_runs() {
    let (_folder, path) = file("main:\n  - { wehn: \"'a' in user\", reply: \"{{ usr }}\" }\n");
    for command in ["check", "serve"] {
        let (code, stdout, stderr) = output(&[command, &path]);
        assert_eq!((code, stdout.as_str()), (Some(2), ""));
        insta::assert_snapshot!(stderr.replace(&path, "script.yaml"));
    }
    let (_folder, path) = file("main:\n\t- reply: x\n");
    assert!(output(&["check", &path]).2.contains("tab used for indentation"));
}

#[test]
fn warnings_stop_only_a_strict_check() {
    let (_folder, path) = file("main: [{ reply: a }, { reply: b }]\n");
    assert_eq!(output(&["check", &path]).0, Some(0));
    let (code, _, stderr) = output(&["check", "--strict", &path]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("`main#2` is never reached"), "{stderr}");
}

#[test]
fn colour_follows_its_flag() {
    let (_folder, path) = file("main: [{ reply: a }, { reply: b }]\n");
    assert!(!output(&["check", &path]).2.contains('\u{1b}'));
    assert!(output(&["check", "--color", "always", &path]).2.contains('\u{1b}'));
}

#[test]
fn a_wrong_command_line_ends_with_2() {
    assert_eq!(output(&["serve"]).0, Some(2));
    assert_eq!(output(&["serve", "gone.yaml"]).0, Some(2));
    assert_eq!(output(&["serve", PATH, "--addr", "nowhere"]).0, Some(2));
    assert!(output(&["check", "gone.yaml"]).2.contains("cannot read `gone.yaml`: no such file"));
}

/// A serving process, killed when it is dropped.
struct Serving(Child);

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn serves_until_a_signal() {
    for signal in ["-INT", "-TERM"] {
        let child = std::process::Command::new(env!("CARGO_BIN_EXE_mock-llm"))
            .args(["serve", PATH, "--addr", "127.0.0.1:0", "--seed", "3", "--verbose"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut serving = Serving(child);
        let mut line = String::new();
        BufReader::new(serving.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let base = line.trim().strip_prefix("listening on ").unwrap().to_owned();
        assert!(base.starts_with("http://127.0.0.1:") && base.ends_with("/v1"), "{base}");
        let http = Http::new();
        let body = json!({"messages": [{"role": "user", "content": "Update service mail"}]});
        let answer = http.post(&format!("{base}/chat/completions"), &[], &body).json();
        assert_eq!(answer["choices"][0]["message"]["content"], "I install the updates.");
        assert_eq!(http.get(&format!("{base}/models")).json()["data"][0]["id"], "operator-1");
        let body = json!({"messages": [{"role": "user", "content": "[Session title]"}]});
        assert_eq!(http.post(&format!("{base}/chat/completions"), &[], &body).status, 422);
        let pid = serving.0.id().to_string();
        assert!(std::process::Command::new("kill").args([signal, &pid]).status().unwrap().success());
        assert_eq!(serving.0.wait().unwrap().code(), Some(0), "{signal}");
        let mut stderr = String::new();
        serving.0.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        insta::assert_snapshot!("served", stderr);
    }
}
