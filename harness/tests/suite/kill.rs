//! A run that is killed at any instant and resumed ends with the bytes of an undisturbed one.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::context::TestContext;

/// How often a run is killed, each time a little later.
const KILLS: u32 = 100;

/// How many runs are killed beside each other, those of one lane with one cell at a time.
const LANES: usize = 2;

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
fn start(context: &TestContext, out: &str, jobs: u32) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin!("harness"))
        .current_dir(context.path(""))
        .args(["run", "demo.yaml", "--repeat", "20", "--transport", "direct"])
        .args(["--resume", "--out", out, "-j", &jobs.to_string()])
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

/// Kills a run after so long and resumes it; 1 if the kill came before its end.
fn killed(context: &TestContext, kill: u32, after: Duration, expected: &BTreeMap<String, Vec<u8>>) -> u32 {
    let out = format!("out{kill}");
    let jobs = 1 + kill % 2;
    let mut child = start(context, &out, jobs);
    std::thread::sleep(after);
    child.kill().expect("it can be killed");
    let is_cut_short = child.wait().expect("it ends").code().is_none();
    let status = start(context, &out, jobs).wait().expect("it ends");
    assert_eq!(status.code(), Some(1), "after kill {kill}");
    let found = results(&context.path(&out));
    assert!(found.keys().eq(expected.keys()), "after kill {kill}: {:?}", found.keys());
    let differs = found.iter().find(|(name, bytes)| expected[*name] != **bytes);
    assert!(differs.is_none(), "{} differs after kill {kill}", differs.expect("one differs").0);
    fs::remove_dir_all(context.path(&out)).expect("folders can be removed");
    u32::from(is_cut_short)
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
    let status = start(&context, "whole", 2).wait().expect("it ends");
    let whole = begun.elapsed();
    assert_eq!(status.code(), Some(1), "three cells fail on purpose");
    let expected = results(&context.path("whole"));
    assert_eq!(expected.keys().filter(|name| name.starts_with("traces/")).count(), 60);
    let lane = |lane: u32| -> u32 {
        (lane..KILLS).step_by(LANES).map(|kill| killed(&context, kill, whole * kill / KILLS, &expected)).sum()
    };
    let cut_short: u32 = std::thread::scope(|scope| {
        let lanes: Vec<_> = (0..).take(LANES).map(|first| scope.spawn(move || lane(first))).collect();
        lanes.into_iter().map(|lane| lane.join().expect("no kill changes a byte")).sum()
    });
    assert!(cut_short > KILLS / 2, "only {cut_short} kills came before the end");
}
