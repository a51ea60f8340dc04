//! A run that is killed at any instant and resumed ends with the bytes of an undisturbed one.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use serde_json::Value;

use super::context::TestContext;

/// How often a run is killed, each time a little later.
const KILLS: u32 = 100;

const SCENARIO: &str = "\
name: demo
start: 2026-01-05T09:00:00Z
arms: { july: { version: hermes-0.19 }, may: { version: hermes-0.13 }, april: { version: hermes-2026-04 } }
world: { tools: [] }
script: s.yaml
timeline:
  - { session: a, turns: [hello, again] }
  - { session: b, at: 30h, turns: [hello] }
expect:
  - cell.turns == 3
  - { when: seed == 7, that: cell.turns == 4 }
";

const SCRIPT: &str = "\
main:
  - when: \"'hello' in user\"
    steps:
      - { call: { memory: { action: add, target: memory, content: \"Met on day {{ day }}.\" } } }
      - reply: Hello to you.
  - reply: Again.
";

/// A run of 60 cells that goes on from whatever is there.
fn start(context: &TestContext, out: &str) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin!("harness"))
        .current_dir(context.path(""))
        .args(["run", "demo.yaml", "--repeat", "20", "--transport", "direct", "--resume", "--out", out])
        .env_clear()
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary runs")
}

/// All files that a run left, `volatile` taken out.
fn results(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    walkdir::WalkDir::new(folder)
        .into_iter()
        .map(|entry| entry.expect("the folder can be read"))
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let name =
                entry.path().strip_prefix(folder).expect("below the folder").to_string_lossy().into_owned();
            let mut bytes = fs::read(entry.path()).expect("files can be read");
            if name == "run.json" {
                let mut value: Value = serde_json::from_slice(&bytes).expect("run.json is JSON");
                value.as_object_mut().expect("a mapping").remove("volatile");
                bytes = value.to_string().into_bytes();
            }
            (name, bytes)
        })
        .collect()
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the instants of the kills are spread over the time that a run takes"
)]
fn a_run_killed_at_any_instant_is_resumed_to_the_same_bytes() {
    let context = TestContext::new();
    context.file("demo.yaml", SCENARIO).file("s.yaml", SCRIPT);
    let begun = Instant::now();
    let status = start(&context, "whole").wait().expect("it ends");
    let whole = begun.elapsed();
    assert_eq!(status.code(), Some(1), "three cells fail on purpose");
    let expected = results(&context.path("whole"));
    assert_eq!(expected.keys().filter(|name| name.starts_with("traces/")).count(), 60);
    let mut cut_short = 0;
    for kill in 0..KILLS {
        let out = format!("out{kill}");
        let mut child = start(&context, &out);
        std::thread::sleep(whole * kill / KILLS);
        child.kill().expect("it can be killed");
        cut_short += u32::from(child.wait().expect("it ends").code().is_none());
        let status = start(&context, &out).wait().expect("it ends");
        assert_eq!(status.code(), Some(1), "after kill {kill}");
        let found = results(&context.path(&out));
        assert_eq!(
            found.keys().collect::<Vec<_>>(),
            expected.keys().collect::<Vec<_>>(),
            "after kill {kill}"
        );
        let differs = found.iter().find(|(name, bytes)| expected[*name] != **bytes);
        assert!(differs.is_none(), "{} differs after kill {kill}", differs.expect("one differs").0);
        fs::remove_dir_all(context.path(&out)).expect("folders can be removed");
    }
    assert!(cut_short > KILLS / 2, "only {cut_short} kills came before the end");
}
