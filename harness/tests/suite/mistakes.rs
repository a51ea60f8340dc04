//! What a person reads who has made a mistake in a scenario: file, line, column, the line itself, a hint.

use super::context::TestContext;

/// A scenario that is right, for mistakes to be planted in.
const RIGHT: &str = "\
name: demo
start: 2026-01-05T09:00:00Z
arms:
  july: { version: hermes-0.19 }
world: worlds/w.yaml
script: scripts/s.yaml
timeline:
  - session: first
    turns: [Hello.]
expect:
  - session.first.turns == 1
";

const WORLD: &str = "\
tools:
  - name: terminal
    description: Runs a command line.
    parameters: { type: object, properties: { command: { type: string } } }
    shell: command
    rules:
      - { match: { command: ls }, output: nothing }
";

const SCRIPT: &str = "main:\n  - reply: Hello to you.\n";

fn context() -> TestContext {
    let context = TestContext::new();
    context.file("demo.yaml", RIGHT).file("worlds/w.yaml", WORLD).file("scripts/s.yaml", SCRIPT);
    context
}

/// What is said of the scenario with `from` replaced by `to`.
fn said(from: &str, to: &str) -> String {
    let context = context();
    context.replace("demo.yaml", from, to);
    said_of(&context)
}

fn said_of(context: &TestContext) -> String {
    let output = context.run(&["validate", "demo.yaml"]);
    assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{output:?}");
    output.stderr
}

#[test]
fn the_scenario_itself_is_right() {
    let output = context().run(&["validate", "demo.yaml"]);
    assert_eq!((output.code, &*output.stdout, &*output.stderr), (0, "1 scenario is right\n", ""));
}

#[test]
fn an_unknown_key_names_the_nearest() {
    insta::assert_snapshot!(said("expect:", "expects:"), @r"
      × unknown key `expects` in a scenario
        ╭─[demo.yaml:10:1]
      9 │     turns: [Hello.]
     10 │ expects:
        · ───────
     11 │   - session.first.turns == 1
        ╰────
      hint: did you mean `expect`?

    1 mistake; nothing ran
    ");
}

#[test]
fn an_unknown_setting_names_the_nearest() {
    let arm = "july: { version: hermes-0.19, config: { memory.nudge_intervall: 3, memory: { nudge_interval: often } } }";
    insta::assert_snapshot!(said("july: { version: hermes-0.19 }", arm), @r#"
      × unknown setting `memory.nudge_intervall`
       ╭─[demo.yaml:4:43]
     3 │ arms:
     4 │   july: { version: hermes-0.19, config: { memory.nudge_intervall: 3, memory: { nudge_interval: often } } }
       ·                                           ──────────────────────
     5 │ world: worlds/w.yaml
       ╰────
      hint: did you mean `memory.nudge_interval`?

      × `memory.nudge_interval` takes a whole number, found "often"
       ╭─[demo.yaml:4:96]
     3 │ arms:
     4 │   july: { version: hermes-0.19, config: { memory.nudge_intervall: 3, memory: { nudge_interval: often } } }
       ·                                                                                                ─────
     5 │ world: worlds/w.yaml
       ╰────

    2 mistakes; nothing ran
    "#);
}

#[test]
fn an_unknown_version_names_the_nearest() {
    insta::assert_snapshot!(said("hermes-0.19", "hermes-0.18"), @r"
      × wanted one of `hermes-2026-04`, `hermes-0.13`, `hermes-0.16`, `hermes-0.19`, `hermes-2026-09`,
      │ found the text `hermes-0.18`
       ╭─[demo.yaml:4:20]
     3 │ arms:
     4 │   july: { version: hermes-0.18 }
       ·                    ───────────
     5 │ world: worlds/w.yaml
       ╰────
      hint: did you mean `hermes-0.13`?

    1 mistake; nothing ran
    ");
}

#[test]
fn dangling_names_in_expectations_are_found() {
    let expect = "- session.frist.turns == 1\n  - session.first.tool_cals == 2\n  - { when: \"arm == 'juli'\", that: seed == 1 }";
    insta::assert_snapshot!(said("- session.first.turns == 1", expect), @r#"
      × there is no session named `frist`
        ╭─[demo.yaml:11:13]
     10 │ expect:
     11 │   - session.frist.turns == 1
        ·             ─────
     12 │   - session.first.tool_cals == 2
        ╰────
      hint: did you mean `first`?

      × a session has no figure `tool_cals`
        ╭─[demo.yaml:12:19]
     11 │   - session.frist.turns == 1
     12 │   - session.first.tool_cals == 2
        ·                   ─────────
     13 │   - { when: "arm == 'juli'", that: seed == 1 }
        ╰────
      hint: did you mean `tool_calls`?

      × there is no arm named `juli`
        ╭─[demo.yaml:13:22]
     12 │   - session.first.tool_cals == 2
     13 │   - { when: "arm == 'juli'", that: seed == 1 }
        ·                      ────
        ╰────
      hint: did you mean `july`?

    3 mistakes; nothing ran
    "#);
}

#[test]
fn unknown_names_and_traps_of_expressions_are_found() {
    let expect = "- sesion.first.turns == 1\n  - \"skill('x').patches = 1\"\n  - \"'a' in arm|lowr\"\n";
    insta::assert_snapshot!(said("- session.first.turns == 1\n", expect), @r#"
      × unknown name `sesion`
        ╭─[demo.yaml:11:5]
     10 │ expect:
     11 │   - sesion.first.turns == 1
        ·     ──────
     12 │   - "skill('x').patches = 1"
        ╰────
      hint: did you mean `session`?

      × not an expression: unexpected input after expression
        ╭─[demo.yaml:12:25]
     11 │   - sesion.first.turns == 1
     12 │   - "skill('x').patches = 1"
        ·                         ─
     13 │   - "'a' in arm|lowr"
        ╰────

      × unknown filter `lowr`
        ╭─[demo.yaml:13:17]
     12 │   - "skill('x').patches = 1"
     13 │   - "'a' in arm|lowr"
        ·                 ────
        ╰────
      hint: did you mean `lower`?

    3 mistakes; nothing ran
    "#);
    insta::assert_snapshot!(said("- session.first.turns == 1\n", "- 'a' in arm\n"), @r#"
      × not YAML: invalid trailing content after single-quoted scalar
        ╭─[demo.yaml:11:9]
     10 │ expect:
     11 │   - 'a' in arm
        ·         ─
        ╰────
      hint: a value that begins with a quote ends with it: put the whole value in quotes: "'a' in arm"

    1 mistake; nothing ran
    "#);
}

#[test]
fn missing_files_are_found_by_their_place() {
    insta::assert_snapshot!(said("worlds/w.yaml", "worlds/v.yaml"), @r"
      × there is no worlds/v.yaml
       ╭─[demo.yaml:5:8]
     4 │   july: { version: hermes-0.19 }
     5 │ world: worlds/v.yaml
       ·        ─────────────
     6 │ script: scripts/s.yaml
       ╰────
      hint: did you mean `worlds/w.yaml`?

    1 mistake; nothing ran
    ");
    let turns = "turns: [{ user: Look., files: { a.py: ../../etc/passwd, /b.py: x.py } }]";
    insta::assert_snapshot!(said("turns: [Hello.]", turns), @r"
      × ../../etc/passwd leads out of the working directory and of the scenario's repository
        ╭─[demo.yaml:9:43]
      8 │   - session: first
      9 │     turns: [{ user: Look., files: { a.py: ../../etc/passwd, /b.py: x.py } }]
        ·                                           ────────────────
     10 │ expect:
        ╰────

      × `/b.py` is not a relative path
        ╭─[demo.yaml:9:61]
      8 │   - session: first
      9 │     turns: [{ user: Look., files: { a.py: ../../etc/passwd, /b.py: x.py } }]
        ·                                                             ─────
     10 │ expect:
        ╰────
      hint: write it without a leading `/`, `.` or `..`

      × there is no x.py
        ╭─[demo.yaml:9:68]
      8 │   - session: first
      9 │     turns: [{ user: Look., files: { a.py: ../../etc/passwd, /b.py: x.py } }]
        ·                                                                    ────
     10 │ expect:
        ╰────

    3 mistakes; nothing ran
    ");
}

#[test]
fn a_turn_is_said_again_only_after_another() {
    let turns = "turns: [{ user: On., at: 1d, times: 3 }, { user: Off., times: 0 }]\n";
    insta::assert_snapshot!(said("turns: [Hello.]\n", turns), @r"
      × a turn at one instant is said once
        ╭─[demo.yaml:9:34]
      8 │   - session: first
      9 │     turns: [{ user: On., at: 1d, times: 3 }, { user: Off., times: 0 }]
        ·                                  ─────
     10 │ expect:
        ╰────
      hint: give the span between them with `after`

      × wanted a whole number from 1 to 100000, found the number `0`
        ╭─[demo.yaml:9:67]
      8 │   - session: first
      9 │     turns: [{ user: On., at: 1d, times: 3 }, { user: Off., times: 0 }]
        ·                                                                   ─
     10 │ expect:
        ╰────

    2 mistakes; nothing ran
    ");
}

#[test]
fn a_poll_has_one_caller() {
    let polls = "\
turns: [Hello.]
  - { curator: poll, until: 3d }
  - { curator: poll, every: 1h, on: cli_start, until: 3d }
  - { curator: poll, on: start, until: 3d }
";
    insta::assert_snapshot!(said("turns: [Hello.]\n", polls), @r"
      × a poll of the curator needs one of `every`, `on`
        ╭─[demo.yaml:10:7]
      9 │     turns: [Hello.]
     10 │   - { curator: poll, until: 3d }
        ·       ───────
     11 │   - { curator: poll, every: 1h, on: cli_start, until: 3d }
        ╰────

      × `every` and `on` exclude each other in a poll of the curator
        ╭─[demo.yaml:11:33]
     10 │   - { curator: poll, until: 3d }
     11 │   - { curator: poll, every: 1h, on: cli_start, until: 3d }
        ·                      ──┬──      ─┬
        ·                        │         ╰── this one
        ·                        ╰── and this one
     12 │   - { curator: poll, on: start, until: 3d }
        ╰────

      × wanted one of `cli_start`, found the text `start`
        ╭─[demo.yaml:12:26]
     11 │   - { curator: poll, every: 1h, on: cli_start, until: 3d }
     12 │   - { curator: poll, on: start, until: 3d }
        ·                          ─────
     13 │ expect:
        ╰────
      hint: known here: cli_start

    3 mistakes; nothing ran
    ");
}

#[test]
fn a_timeline_is_checked_as_a_whole() {
    let turns = "\
turns: [Hello.]
    surface: gateway
    exit: 3s
  - session: first
    at: 2 days
    turns: []
  - resume: second
    turns: [{ user: On., interrupt: { on: tool 3 }, if_busy: wait }]
  - curator: pol
  - pni: x
";
    insta::assert_snapshot!(said("turns: [Hello.]\n", turns), @r"
      × only the surface `cli` ends
        ╭─[demo.yaml:11:5]
     10 │     surface: gateway
     11 │     exit: 3s
        ·     ────
     12 │   - session: first
        ╰────
      hint: add `surface: cli`, or remove `exit`

      × a second session named `first`
        ╭─[demo.yaml:12:14]
     11 │     exit: 3s
     12 │   - session: first
        ·              ─────
     13 │     at: 2 days
        ╰────
      hint: a session that goes on later is `resume: NAME`

      × wanted a duration such as `12s`, `1h30m`, `2d`, found the text `2 days`
        ╭─[demo.yaml:13:9]
     12 │   - session: first
     13 │     at: 2 days
        ·         ──────
     14 │     turns: []
        ╰────
      hint: units are ms, s, m, h, d, w; the larger one first, each at most once

      × a session needs at least one turn
        ╭─[demo.yaml:14:12]
     13 │     at: 2 days
     14 │     turns: []
        ·            ──
     15 │   - resume: second
        ╰────

      × no session named `second` stands before this line
        ╭─[demo.yaml:15:13]
     14 │     turns: []
     15 │   - resume: second
        ·             ──────
     16 │     turns: [{ user: On., interrupt: { on: tool 3 }, if_busy: wait }]
        ╰────

      × wanted `tool_call N` or `model_call N`, N counted from 1
        ╭─[demo.yaml:16:43]
     15 │   - resume: second
     16 │     turns: [{ user: On., interrupt: { on: tool 3 }, if_busy: wait }]
        ·                                           ──────
     17 │   - curator: pol
        ╰────

      × wanted one of `interrupt`, `queue`, `steer`, found the text `wait`
        ╭─[demo.yaml:16:62]
     15 │   - resume: second
     16 │     turns: [{ user: On., interrupt: { on: tool 3 }, if_busy: wait }]
        ·                                                              ────
     17 │   - curator: pol
        ╰────
      hint: known here: interrupt, queue, steer

      × wanted one of `poll`, `run`, `prune`, `backup`, `pause`, `resume`, found the text `pol`
        ╭─[demo.yaml:17:14]
     16 │     turns: [{ user: On., interrupt: { on: tool 3 }, if_busy: wait }]
     17 │   - curator: pol
        ·              ───
     18 │   - pni: x
        ╰────
      hint: did you mean `poll`?

      × `pni` is no kind of item
        ╭─[demo.yaml:18:5]
     17 │   - curator: pol
     18 │   - pni: x
        ·     ───
     19 │ expect:
        ╰────
      hint: did you mean `pin`?

    9 mistakes; nothing ran
    ");
}

#[test]
fn all_mistakes_of_all_files_come_at_once() {
    let context = context();
    context.replace("demo.yaml", "start: 2026-01-05T09:00:00Z", "start: 2026-01-05T09:00:00\nname: again");
    context.replace("worlds/w.yaml", "shell: command", "shell: comand");
    context.replace("worlds/w.yaml", "output: nothing", "output: '{{ nothing }}', exit: 0, fles: {}");
    context.replace("scripts/s.yaml", "reply:", "replay:");
    insta::assert_snapshot!(said_of(&context), @r"
      × wanted an instant such as `2026-01-05T09:00:00Z`, found the text `2026-01-05T09:00:00`
       ╭─[demo.yaml:2:8]
     1 │ name: demo
     2 │ start: 2026-01-05T09:00:00
       ·        ───────────────────
     3 │ name: again
       ╰────
      hint: add the offset: `Z` for UTC, or `+02:00`

      × duplicate key `name` (first on line 1)
       ╭─[demo.yaml:3:1]
     1 │ name: demo
       · ──┬─
       ·   ╰── first here
     2 │ start: 2026-01-05T09:00:00
     3 │ name: again
       · ──┬─
       ·   ╰── again here
     4 │ arms:
       ╰────
      hint: keep one of the two

      × a rule needs `steps` or one of `call`, `calls`, `reply`, `retry`, `stop`
       ╭─[scripts/s.yaml:2:5]
     1 │ main:
     2 │   - replay: Hello to you.
       ·     ──────
       ╰────

      × unknown key `replay` in a rule
       ╭─[scripts/s.yaml:2:5]
     1 │ main:
     2 │   - replay: Hello to you.
       ·     ──────
       ╰────
      hint: did you mean `reply`?

      × unknown argument `comand`
       ╭─[worlds/w.yaml:5:12]
     4 │     parameters: { type: object, properties: { command: { type: string } } }
     5 │     shell: comand
       ·            ──────
     6 │     rules:
       ╰────
      hint: did you mean `command`?

      × unknown name `nothing`
       ╭─[worlds/w.yaml:7:47]
     6 │     rules:
     7 │       - { match: { command: ls }, output: '{{ nothing }}', exit: 0, fles: {} }
       ·                                               ───────
       ╰────
      hint: known here: args, capture, day, dict, facts, files, home, json, range, user

      × only a tool with `shell` has an exit code
       ╭─[worlds/w.yaml:7:60]
     6 │     rules:
     7 │       - { match: { command: ls }, output: '{{ nothing }}', exit: 0, fles: {} }
       ·                                                            ────
       ╰────

      × unknown key `fles` in a rule
       ╭─[worlds/w.yaml:7:69]
     6 │     rules:
     7 │       - { match: { command: ls }, output: '{{ nothing }}', exit: 0, fles: {} }
       ·                                                                     ────
       ╰────
      hint: did you mean `files`?

    8 mistakes; nothing ran
    ");
}

#[test]
fn two_scenarios_cannot_share_a_name() {
    let context = context();
    context
        .file("more/other.yaml", &RIGHT.replace("worlds/", "../worlds/").replace("scripts/", "../scripts/"));
    let output = context.run(&["validate", "demo.yaml", "more/other.yaml"]);
    assert_eq!(output.code, 2);
    insta::assert_snapshot!(output.stderr, @r"
      × the name `demo` is already taken by demo.yaml
       ╭─[more/other.yaml:1:7]
     1 │ name: demo
       ·       ────
     2 │ start: 2026-01-05T09:00:00Z
       ╰────

    1 mistake; nothing ran
    ");
}
