//! What every test of the binary needs: a folder of its own, a clean environment, the output as text.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use tempfile::TempDir;

/// The smallest scenario: one user says one thing. Its script is `s.yaml`.
pub(crate) const DEMO: &str = "\
name: demo
start: 2026-01-05T09:00:00Z
arms: { july: { version: hermes-0.19 } }
world: { tools: [] }
script: s.yaml
timeline: [{ session: first, turns: [Hello.] }]
";

/// A folder with files, and the binary run in it.
pub(crate) struct TestContext {
    dir: TempDir,
}

/// What a run printed and how it ended.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The workspace's own scenarios.
pub(crate) fn scenarios() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace").join("scenarios")
}

/// All files below a folder, by their names with `/`, with their bytes. The lock of a run is no result.
pub(crate) fn all_files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    walkdir::WalkDir::new(folder)
        .into_iter()
        .map(|entry| entry.expect("the folder can be read"))
        .filter(|entry| entry.file_type().is_file() && entry.file_name() != ".lock")
        .map(|entry| {
            let name = entry.path().strip_prefix(folder).expect("below the folder");
            (name.to_string_lossy().replace('\\', "/"), fs::read(entry.path()).expect("files can be read"))
        })
        .collect()
}

impl TestContext {
    /// An empty folder.
    pub(crate) fn new() -> Self {
        Self { dir: TempDir::new().expect("a temporary folder can be made") }
    }

    /// A folder with [`DEMO`] as `demo.yaml`.
    pub(crate) fn demo() -> Self {
        let context = Self::new();
        context.file("demo.yaml", DEMO).file("s.yaml", "main: [{ reply: Hello to you. }]\n");
        context
    }

    /// A folder with a copy of the workspace's scenarios.
    pub(crate) fn with_scenarios() -> Self {
        let context = Self::new();
        let from = scenarios();
        for entry in walkdir::WalkDir::new(&from) {
            let entry = entry.expect("the scenarios can be read");
            if entry.file_type().is_file() {
                let below = entry.path().strip_prefix(&from).expect("below the scenarios");
                let bytes = fs::read(entry.path()).expect("the scenarios can be read");
                context.bytes(&Path::new("scenarios").join(below), &bytes);
            }
        }
        context
    }

    /// Writes a file.
    pub(crate) fn file(&self, path: &str, text: &str) -> &Self {
        self.bytes(Path::new(path), text.as_bytes());
        self
    }

    fn bytes(&self, path: &Path, bytes: &[u8]) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("folders can be made");
        fs::write(path, bytes).expect("files can be written");
    }

    /// Replaces a text in a file, which must be there once.
    pub(crate) fn replace(&self, path: &str, from: &str, to: &str) -> &Self {
        let text = fs::read_to_string(self.path(path)).expect("the file can be read");
        assert_eq!(text.matches(from).count(), 1, "`{from}` in {path}");
        self.file(path, &text.replace(from, to))
    }

    /// A file as JSON.
    pub(crate) fn json(&self, path: &str) -> serde_json::Value {
        let bytes = fs::read(self.path(path)).expect("the file can be read");
        serde_json::from_slice(&bytes).expect("the file is JSON")
    }

    /// A path in the folder.
    pub(crate) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.dir.path().join(path)
    }

    /// The binary, about to run in the folder with nothing of the caller's environment that it would listen to.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("harness"));
        command
            .current_dir(self.dir.path())
            .args(args)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("TZ", "UTC");
        command
    }

    /// Runs the binary.
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.run_with(args, &[])
    }

    /// Runs the binary with these variables.
    pub(crate) fn run_with(&self, args: &[&str], variables: &[(&str, &str)]) -> Output {
        let output = self.command(args).envs(variables.iter().copied()).output().expect("the binary runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the output is text");
        Output {
            code: output.status.code().expect("no signal ended it"),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}
