//! How the runner behaves when something is wrong: one test for each public report that a tool of this kind got wrong
//! (the numbers are those of the list of reports; the repository and number say where it was reported).

use std::fs;
use std::process::{Command as Process, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::context::{Output, TestContext};

const SCRIPT: &str = "main: [{ reply: Hello to you. }]\n";

/// A scenario with so many sessions, which take a while in real time when there are many.
fn scenario(name: &str, sessions: usize) -> String {
    let mut text = format!(
        "name: {name}\nstart: 2026-01-05T09:00:00Z\narms: {{ july: {{ version: hermes-0.19 }} }}\nworld: {{ tools: [] }}\n\
         script: s.yaml\ntimeline:\n"
    );
    let session = |number| format!("  - {{ session: s{number}, at: {number}m, turns: [hello, again] }}\n");
    text.extend((0..sessions).map(session));
    text + "expect: [cell.turns == 2 * cell.sessions]\n"
}

fn context(sessions: usize) -> TestContext {
    let context = TestContext::new();
    context.file("demo.yaml", &scenario("demo", sessions)).file("s.yaml", SCRIPT);
    context
}

fn json(context: &TestContext, path: &str) -> Value {
    serde_json::from_slice(&fs::read(context.path(path)).expect("it is there")).expect("it is JSON")
}

/// A run that is sent a signal as soon as its first cell is finished.
fn signalled(context: &TestContext, signal: &str, times: usize) -> Output {
    let child = Process::new(assert_cmd::cargo::cargo_bin!("harness"))
        .current_dir(context.path(""))
        .args(["run", "demo.yaml", "--repeat", "200", "--transport", "direct", "-j", "1"])
        .env_clear()
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let first = context.path("out/.partial/state/demo.july.1.json");
    while !first.exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    for _ in 0..times {
        let sent = Process::new("kill").args([signal, &child.id().to_string()]).status().expect("kill runs");
        assert!(sent.success());
    }
    let output = child.wait_with_output().expect("it ends");
    Output {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).expect("the output is text"),
        stderr: String::from_utf8(output.stderr).expect("the output is text"),
    }
}

/// 1 (`inspect_ai #4859`): an interrupt is no success, and what is left can be run.
#[test]
fn report_1_an_interrupt_ends_with_130_and_is_resumed() {
    let context = context(30);
    let output = signalled(&context, "-INT", 1);
    assert_eq!(output.code, 130, "{output:?}");
    assert!(output.stderr.contains("stopping: running cells are dropped"), "{}", output.stderr);
    assert!(output.stderr.contains("hint: --resume runs what is left"), "{}", output.stderr);
    let verdict = &json(&context, "out/run.json")["verdict"];
    assert_eq!((&verdict["outcome"], &verdict["complete"]), (&"interrupted".into(), &false.into()));
    let held = verdict["held"].as_u64().expect("a count");
    assert!((1..200).contains(&held), "{held}");
    let output = context.run(&["run", "demo.yaml", "--repeat", "200", "--transport", "direct", "--resume"]);
    assert_eq!(output.code, 0, "{output:?}");
    assert_eq!(json(&context, "out/run.json")["verdict"]["held"], 200);
}

/// The same for SIGTERM, which ends with 143.
#[test]
fn report_1_a_termination_ends_with_143() {
    let output = signalled(&context(30), "-TERM", 1);
    assert_eq!(output.code, 143, "{output:?}");
    assert!(output.stdout.contains("terminated, finished cells kept"), "{}", output.stdout);
}

/// 2 (`inspect_ai #3750`): tables of an interrupted run are there and hold what is finished.
#[test]
fn report_2_an_interrupted_run_leaves_the_tables_of_what_is_finished() {
    let context = context(30);
    signalled(&context, "-INT", 1);
    let held = json(&context, "out/run.json")["verdict"]["held"].as_u64().expect("a count");
    let cells = fs::read_to_string(context.path("out/records/cells.csv")).expect("the table is there");
    assert_eq!(cells.lines().count() as u64, 1 + held);
    // What is there is called a part, everywhere in the same words.
    let summary = fs::read_to_string(context.path("out/summary.md")).expect("it is there");
    let first = summary.lines().next().expect("a line");
    assert!(
        first.starts_with(&format!("## interrupted, finished cells kept: 200 cells, {held} held")),
        "{first}"
    );
}

/// 3 (`inspect_ai #2581`, `marin #7835`): every finished cell of a killed run is on disk and readable.
#[test]
fn report_3_a_killed_run_loses_no_finished_cell() {
    let context = context(30);
    let output = signalled(&context, "-KILL", 1);
    assert_eq!(output.code, -1);
    let trace = fs::read_to_string(context.path("out/.partial/traces/demo.july.1.jsonl"))
        .expect("the trace is there");
    assert!(trace.ends_with('\n') && trace.lines().last().expect("lines").contains("cell_end"));
    let output = context.run(&["run", "demo.yaml", "--repeat", "200", "--transport", "direct", "--resume"]);
    assert_eq!(output.code, 0, "{output:?}");
}

/// 4 (`tau2-bench` PR #533): what an earlier run left survives a run that cannot write.
#[test]
#[cfg(target_os = "linux")]
fn report_4_old_results_survive_a_full_disk() {
    let context = context(2);
    assert_eq!(context.run(&["run", "demo.yaml"]).code, 0);
    let before = fs::read(context.path("out/run.json")).expect("it is there");
    // A limit on the size of files is the full disk that a test can have.
    let binary = assert_cmd::cargo::cargo_bin!("harness");
    let output = Process::new("bash")
        .args(["-c", "ulimit -f 4; trap '' XFSZ; exec \"$0\" \"$@\""])
        .arg(binary)
        .args(["run", "demo.yaml", "--seed", "7"])
        .current_dir(context.path(""))
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .output()
        .expect("bash runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("cannot write") && said.contains("File too large"), "{said}");
    assert!(
        said.contains("hint: finished cells wait in out/.partial; --resume goes on from there"),
        "{said}"
    );
    assert!(fs::read(context.path("out/run.json")).expect("it is there") == before, "run.json was replaced");
    assert!(context.path("out/traces/demo.july.1.jsonl").exists());
}

/// 5 (`marin #7789`): only what is left runs again.
#[test]
fn report_5_resuming_touches_no_finished_cell() {
    let context = context(2);
    assert_eq!(context.run(&["run", "demo.yaml", "--repeat", "2"]).code, 0);
    // A trace that was simulated again would lose this mark.
    let trace = context.path("out/traces/demo.july.1.jsonl");
    let marked = fs::read_to_string(&trace).expect("the trace is there").replace("hello", "HELLO");
    fs::write(&trace, &marked).expect("files can be written");
    let output = context.run(&["run", "demo.yaml", "--repeat", "3", "--resume"]);
    assert_eq!(output.code, 0, "{output:?}");
    assert_eq!(fs::read_to_string(&trace).expect("the trace is there"), marked);
    assert_eq!(json(&context, "out/run.json")["verdict"]["held"], 3);
}

/// 8 (`inspect_ai` PR #1346, `deepagents` PR #2932): an empty selection is no success.
#[test]
fn report_8_an_empty_selection_ends_with_4_unless_it_may_be() {
    let context = context(1);
    let output = context.run(&["run", "demo.yaml", "-k", "jly"]);
    assert_eq!(output.code, 4);
    insta::assert_snapshot!(output.stderr, @r"
    nothing was selected: no cell fits
    hint: `jly` fits no cell; did you mean `july`?
    ");
    assert_eq!(context.run(&["run", "demo.yaml", "-k", "jly", "--allow-empty"]).code, 0);
}

/// 9 (`deepeval #770`): a failed expectation ends with 1, also in a pipe.
#[test]
fn report_9_a_failed_expectation_ends_with_1_in_a_pipe() {
    let context = context(1);
    context.replace("demo.yaml", "cell.turns == 2", "cell.turns == 3");
    let binary = assert_cmd::cargo::cargo_bin!("harness");
    let output = Process::new("bash")
        .args(["-c", "set -o pipefail; \"$0\" run demo.yaml | cat"])
        .arg(binary)
        .current_dir(context.path(""))
        .output()
        .expect("bash runs");
    assert_eq!(output.status.code(), Some(1));
}

/// 10 (`agentv #882`): banner, JSON, `JUnit` and exit code are one verdict.
#[test]
fn report_10_all_that_is_said_agrees() {
    let context = context(1);
    context.replace("demo.yaml", "cell.turns == 2", "cell.turns == 3");
    let output = context.run(&["run", "demo.yaml", "--format", "json", "--junit", "more.xml"]);
    let printed: Value = serde_json::from_str(&output.stdout).expect("it is JSON and nothing else");
    let file = json(&context, "out/run.json");
    assert_eq!(printed["verdict"], file["verdict"]);
    assert_eq!(i64::from(output.code), file["verdict"]["exit_code"].as_i64().expect("a number"));
    let xml = fs::read_to_string(context.path("more.xml")).expect("it is there");
    assert!(xml.contains("failures=\"1\"") && xml.contains("errors=\"0\""), "{xml}");
    assert_eq!(xml, fs::read_to_string(context.path("out/junit.xml")).expect("it is there"));
    let human = context.run(&["run", "demo.yaml"]).stdout;
    assert!(human.ends_with("failed: 1 cell, 1 failed\n"), "{human}");
}

/// 11 (`bats-core #846`, `jest-junit #197` …): control bytes in a text break neither `JUnit` nor the terminal.
#[test]
fn report_11_control_bytes_reach_neither_junit_nor_the_terminal() {
    let context = context(1);
    context.replace(
        "demo.yaml",
        "[cell.turns == 2 * cell.sessions]",
        r#"[{ that: "seed == 2", why: "\e[31m ]]> \u202e <&> 👩‍🚀 \0 \uFFFE end" }]"#,
    );
    let output = context.run(&["run", "demo.yaml"]);
    assert_eq!(output.code, 1, "{output:?}");
    let xml = fs::read_to_string(context.path("out/junit.xml")).expect("it is there");
    for text in [&xml, &output.stdout] {
        assert!(!text.contains(['\u{1b}', '\0', '\u{fffe}', '\u{202e}']), "{text}");
        assert!(text.contains("end") && text.contains("👩‍🚀"), "{text}");
    }
    assert!(!xml.contains("]]>"), "{xml}");
}

/// 13 (nextest PR #3148, `assay #2871`): a second run that differs is a failure of its own kind, not a pass.
#[test]
fn report_13_a_rerun_that_differs_is_nondeterministic() {
    let context = context(1);
    assert_eq!(context.run(&["run", "demo.yaml"]).code, 0);
    let output = context.run(&["rerun", "demo/july/1"]);
    assert_eq!((output.code, &*output.stderr), (0, "the same bytes as before\n"), "{output:?}");
    context.replace(
        "out/traces/demo.july.1.jsonl",
        r#""kind":"turn_start","text":"again""#,
        r#""kind":"turn_start","text":"agian""#,
    );
    let output = context.run(&["rerun", "demo/july/1"]);
    assert_eq!(output.code, 5, "{output:?}");
    assert!(output.stdout.contains("the same inputs gave another trace"), "{}", output.stdout);
    assert!(output.stdout.ends_with("not deterministic: 1 cell, 1 nondeterministic\n"), "{}", output.stdout);
}

/// 14 (`rattler-build #2738`, `airbyte #18868` …): a step summary is appended and stays below 1 MiB.
#[test]
fn report_14_the_step_summary_is_appended_and_cut() {
    let context = context(1);
    context.replace("demo.yaml", "cell.turns == 2", "cell.turns == 3");
    context.file("summary.md", &"x".repeat(970_000));
    let run = |repeat: &str| {
        let mut command = context.command(&["run", "demo.yaml", "--transport", "direct", "--repeat", repeat]);
        command.env("GITHUB_STEP_SUMMARY", context.path("summary.md")).output().expect("the binary runs")
    };
    run("400");
    let text = fs::read_to_string(context.path("summary.md")).expect("it is there");
    assert!(text.starts_with("xxx") && text.contains("## failed: 400 cells"), "it was appended");
    assert!(text.len() < 1 << 20, "{} bytes", text.len());
    assert!(text.contains("The summary was cut at its size limit"), "it says what was cut");
}

/// 15 (nextest PR #509, `forcedotcom/cli #327`, `toast #34`): no bar and no escapes where nobody watches.
#[test]
fn report_15_output_that_nobody_watches_has_no_bar_and_no_escapes() {
    let context = context(1);
    for variables in [&[][..], &[("CI", "true")], &[("TERM", "dumb")]] {
        let mut command = context.command(&["run", "demo.yaml", "--repeat", "3", "-v"]);
        command.envs(variables.iter().copied());
        let output = command.output().expect("the binary runs");
        for bytes in [&output.stdout, &output.stderr] {
            assert!(!bytes.contains(&b'\r') && !bytes.contains(&0x1b), "{variables:?}");
        }
        let said = String::from_utf8(output.stderr).expect("text");
        assert!(said.contains("3 cells, ") && said.contains("held     demo/july/2"), "{said}");
    }
}

/// 19 (`turmoil #19`, `nearcore #7507` …): neither jobs nor order nor a stop in between change a byte.
#[test]
fn report_19_determinism_of_all_scenarios() {
    // The quarter alone takes longer than all others together; the checks before a merge compare it, too.
    let output = TestContext::with_scenarios().run(&["determinism", "scenarios/", "-k", "!quarter"]);
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.stdout.ends_with(" cells, three ways each: the same bytes\n"), "{}", output.stdout);
}

/// 20 (`cap-evolve` PR #164, `tau-bench` PR #88): the seed of a cell is its own and stands with each failure.
#[test]
fn report_20_the_seed_stands_with_each_failure() {
    let context = context(1);
    context.replace("demo.yaml", "[cell.turns == 2 * cell.sessions]", "[seed != 6]");
    let output = context.run(&["run", "demo.yaml", "--seed", "5", "--repeat", "2"]);
    assert!(output.stdout.contains("rerun: harness rerun demo/july/6"), "{}", output.stdout);
    assert!(!output.stdout.contains("rerun demo/july/5"), "{}", output.stdout);
}

/// 21 (`turmoil #123`, `hermes-agent #66436`): neither time zone nor locale reach a result; a day has 24 hours.
#[test]
fn report_21_time_zone_and_locale_do_not_matter() {
    let context = context(2);
    // The week in which Berlin loses an hour, and a year's end.
    context.replace("demo.yaml", "2026-01-05T09:00:00Z", "2025-12-31T23:00:00+01:00");
    context.replace("demo.yaml", "s1, at: 1m", "s1, at: 2026-03-29T01:30:00Z");
    let mut results = Vec::new();
    for (index, zone) in ["UTC", "Europe/Berlin", "Pacific/Kiritimati"].iter().enumerate() {
        let out = format!("out{index}");
        let mut command = context.command(&["run", "demo.yaml", "--out", &out]);
        let status =
            command.env("TZ", zone).env("LC_ALL", "de_DE.UTF-8").output().expect("the binary runs").status;
        assert_eq!(status.code(), Some(0));
        let file = |path: &str| fs::read(context.path(&out).join(path)).expect("it is there");
        results.push((file("traces/demo.july.1.jsonl"), file("records/sessions.csv")));
    }
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]));
}

/// 30 (`requests-mock #267`, `console` PR #11299): what no rule fits is a failure and names the nearest rule.
#[test]
fn report_30_an_unmatched_request_breaks_the_cell() {
    let context = context(1);
    context.file("s.yaml", "main: [{ when: \"'hello' in user\", reply: Hello. }]\n");
    let output = context.run(&["run", "demo.yaml"]);
    assert_eq!(output.code, 3);
    assert!(output.stdout.contains("`main#1` (s.yaml:1) failed at `'hello' in user`"), "{}", output.stdout);
}

/// 30: rules that answer nothing are told of, named if somebody asks, and fail the run if somebody says so.
#[test]
fn report_30_rules_that_answer_nothing_are_told_of() {
    let context = context(1);
    context.file("s.yaml", "main: [{ reply: Hello. }, { name: late, when: turn == 7, reply: Never. }]\n");
    let told = context.run(&["run", "demo.yaml"]);
    assert_eq!(told.code, 0);
    assert!(
        told.stderr.contains("1 rule of 1 script answered no request; -v names them\n"),
        "{}",
        told.stderr
    );
    let named = context.run(&["run", "demo.yaml", "-v"]);
    assert!(named.stderr.contains("`late` of s.yaml answered no request\n"), "{}", named.stderr);
    let part = context.run(&["run", "demo.yaml", "-k", "july", "--deny-unused"]);
    assert_eq!(part.code, 0, "of a part of the cells nothing is known: {part:?}");
    let denied = context.run(&["run", "demo.yaml", "--deny-unused"]);
    assert_eq!(denied.code, 1);
    let last: Vec<&str> = denied.stdout.lines().rev().take(2).collect();
    assert_eq!(last, ["failed: 1 cell, 1 held", "unused: `late` of s.yaml answered no request"]);
    let junit = fs::read_to_string(context.path("out/junit.xml")).expect("it is there");
    assert!(junit.contains("failures=\"1\"") && junit.contains("`late` of s.yaml"), "{junit}");
    assert_eq!(json(&context, "out/run.json")["verdict"]["exit_code"], 1);
}

/// 35 (`rsc-harness` PR #227): a scenario that names a file outside its folder is refused, links followed.
#[test]
#[cfg(unix)]
fn report_35_a_scenario_reads_nothing_outside_its_folder() {
    let outside = TestContext::new();
    outside.file("s.yaml", SCRIPT);
    let context = context(1);
    let link = |to: &std::path::Path, name: &str| {
        let _absent = fs::remove_file(context.path(name));
        std::os::unix::fs::symlink(to, context.path(name)).expect("links can be made");
    };
    link(&outside.path("s.yaml"), "s.yaml");
    let output = context.run(&["run", "demo.yaml"]);
    assert_eq!(output.code, 2, "{output:?}");
    assert!(output.stderr.contains("s.yaml leads out of the working directory"), "{}", output.stderr);
    assert!(!context.path("out").exists());
}

/// 35 (`rsc-harness` PR #227): each cell has a home of its own, and a scenario cannot read outside its folder.
#[test]
fn report_35_cells_share_no_home() {
    let context = context(1);
    let memory = "main: [{ steps: [{ call: { memory: { action: add, target: memory, content: \"Seen by {{ model }}.\" } } }, { reply: Noted. }] }]\n";
    context.file("s.yaml", memory);
    assert_eq!(context.run(&["run", "demo.yaml", "--repeat", "2", "--keep-homes"]).code, 0);
    for seed in 1..=2 {
        let path = format!("out/homes/demo.july.{seed}/user/memories/MEMORY.md");
        assert_eq!(fs::read_to_string(context.path(path)).expect("it is there"), "Seen by scripted.");
    }
}

/// Two runs into one directory: the second is told so, and the first is not disturbed.
#[test]
fn a_directory_in_use_is_refused_by_name() {
    let context = context(1);
    assert_eq!(context.run(&["run", "demo.yaml"]).code, 0);
    let lock = fs::File::options().append(true).open(context.path("out/.lock")).expect("the lock is there");
    lock.lock().expect("it can be locked");
    let output = context.run(&["run", "demo.yaml"]);
    assert_eq!((output.code, &*output.stdout), (3, ""));
    insta::assert_snapshot!(output.stderr, @"error: another run writes into out (out/.lock is locked); name another directory with --out");
}

/// A second signal ends the program at once.
#[test]
fn a_second_signal_stops_at_once() {
    // One long cell that the first signal could not end in a moment would need a hung transport; two signals in a row
    // must in any case not end as a success.
    let output = signalled(&context(30), "-INT", 2);
    assert_eq!(output.code, 130, "{output:?}");
}

/// `--fail-fast` begins no further cell; those that did not run are said to be skipped.
#[test]
fn after_the_first_failure_nothing_further_begins() {
    let context = context(1);
    context.replace("demo.yaml", "cell.turns == 2", "cell.turns == 3");
    let output = context.run(&["run", "demo.yaml", "--repeat", "5", "-j", "1", "--fail-fast"]);
    assert_eq!(output.code, 1);
    assert!(output.stdout.ends_with("failed: 5 cells, 1 failed, 4 skipped\n"), "{}", output.stdout);
    let output = context.run(&["run", "demo.yaml", "--repeat", "5", "-j", "1", "--max-fail", "2"]);
    assert!(output.stdout.ends_with("failed: 5 cells, 2 failed, 3 skipped\n"), "{}", output.stdout);
}

/// Parts of the cells together are all of them, each once.
#[test]
fn partitions_are_disjoint_and_whole() {
    let context = context(1);
    let all = context.run(&["list", "demo.yaml", "--repeat", "10"]).stdout;
    for by in ["count:", "hash:", ""] {
        let mut parts: Vec<String> = (1..=3)
            .flat_map(|part| {
                let part = format!("{by}{part}/3");
                let output = context.run(&["list", "demo.yaml", "--repeat", "10", "--partition", &part]);
                output.stdout.lines().map(str::to_owned).collect::<Vec<_>>()
            })
            .collect();
        parts.sort_by_key(|name| name.rsplit('/').next().and_then(|seed| seed.parse::<u64>().ok()));
        assert_eq!(parts.join("\n") + "\n", all, "{by}");
    }
    let output = context.run(&["list", "demo.yaml", "--partition", "4/3"]);
    assert_eq!(
        (output.code, &*output.stderr),
        (2, "error: --partition takes count:I/N or hash:I/N, found `4/3`\n")
    );
}
