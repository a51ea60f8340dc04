//! The traps of YAML, one test for each public report of a tool that fell into one (the numbers are those of the list
//! of reports; the repository and number say where it was reported).

use std::fmt::Write as _;

use super::context::TestContext;

const SCENARIO: &str = "\
name: demo
start: 2026-01-05T09:00:00Z
arms: { july: { version: hermes-0.19 } }
world: w.yaml
script: s.yaml
timeline:
  - session: first
    turns: [Hello.]
";

const WORLD: &str = "\
tools:
  - name: ask
    description: Asks somebody.
    parameters: { type: object, properties: { word: { type: string } } }
    rules:
      - { match: { word: \"no\" }, output: found }
";

const SCRIPT: &str = "main: [{ steps: [{ call: { ask: { word: \"no\" } } }, { reply: Done. }] }]\n";

fn context() -> TestContext {
    let context = TestContext::new();
    context.file("demo.yaml", SCENARIO).file("w.yaml", WORLD).file("s.yaml", SCRIPT);
    context
}

/// What is said of a file with `from` replaced by `to`.
fn said(file: &str, from: &str, to: &str) -> String {
    let context = context();
    context.replace(file, from, to);
    let output = context.run(&["validate", "demo.yaml"]);
    assert_eq!((output.code, &*output.stdout), (2, ""), "{to}: {output:?}");
    output.stderr
}

/// 23 (`ansible #84174`, `nft-blackhole` PR #4, `elasticsearch` PR #60471): where text is wanted, `no` is text; what
/// readers of YAML disagree on is refused with the advice to quote it.
#[test]
fn report_23_words_and_numbers_that_readers_disagree_on() {
    // Text stays text: the word that is asked is the word that is matched.
    for word in ["no", "on", "y", "~x"] {
        let context = context();
        context.replace("w.yaml", "\"no\"", word).replace("s.yaml", "\"no\"", &format!("\"{word}\""));
        let output = context.run(&["run", "demo.yaml"]);
        assert_eq!(output.code, 0, "{word}: {output:?}");
        let trace =
            std::fs::read_to_string(context.path("out/traces/demo.july.1.jsonl")).expect("it is there");
        assert!(trace.contains("\"text\":\"found\""), "{word} was not matched as text");
    }
    let mut shown = Vec::new();
    for word in ["no", "on", "y", "1e3", "012", "0o17", "1:30", "2026-01-05", "1_000", ".5", "~"] {
        let context = context();
        context.replace("s.yaml", "\"no\"", word);
        let output = context.run(&["validate", "demo.yaml"]);
        let first = output.stderr.lines().find(|line| line.contains('×')).unwrap_or("(taken)");
        let hint = output.stderr.lines().find(|line| line.contains("hint:")).unwrap_or("");
        shown.push(format!("{word:>10} {} {} |{}", output.code, first.trim(), hint.trim()));
    }
    insta::assert_snapshot!(shown.join("\n"), @r#"
            no 2 × `no` is text here but not for every reader of YAML |hint: write "no" for the text, or false
            on 2 × `on` is text here but not for every reader of YAML |hint: write "on" for the text, or true
             y 2 × `y` is text here but not for every reader of YAML |hint: write "y" for the text, or true
           1e3 2 × `1e3` is read as a number by some and as text by others |hint: write "1e3" for the text, or 1000
           012 2 × `012` is read as 12 by some and otherwise by others |hint: write "012" for the text, or 12
          0o17 2 × `0o17` is read as 15 by some and otherwise by others |hint: write "0o17" for the text, or 15
          1:30 0 (taken) |
    2026-01-05 0 (taken) |
         1_000 2 × `1_000` is text here but not for every reader of YAML |hint: write "1_000" for the text, or the number in plain digits
            .5 2 × `.5` is read as a number by some and as text by others |hint: write ".5" for the text, or 0.5
             ~ 0 (taken) |
    "#);
}

/// 23: the same where no text is wanted but a switch, a number, an instant.
#[test]
fn report_23_typed_fields_refuse_what_is_no_value_of_theirs() {
    let mut shown = Vec::new();
    for (file, from, to) in [
        ("w.yaml", "description: Asks somebody.", "description: Asks somebody.\n    parallel: yes"),
        ("demo.yaml", "2026-01-05T09:00:00Z", "2026-13-05"),
        ("demo.yaml", "2026-01-05T09:00:00Z", "20260105"),
        ("demo.yaml", "session: first", "session: first\n    at: 1:30"),
        ("demo.yaml", "version: hermes-0.19", "version: hermes-0.19, config: { memory.nudge_interval: 012 }"),
        ("demo.yaml", "version: hermes-0.19", "version: hermes-0.19, config: { memory.nudge_interval: 1e3 }"),
        ("demo.yaml", "name: demo", "name: 1e3"),
    ] {
        shown.push(said(file, from, to));
    }
    insta::assert_snapshot!(shown.join("\n"), @r#"
      × wanted `true` or `false`, found the text `yes`
       ╭─[w.yaml:4:15]
     3 │     description: Asks somebody.
     4 │     parallel: yes
       ·               ───
     5 │     parameters: { type: object, properties: { word: { type: string } } }
       ╰────
      hint: write `true`

    1 mistake; nothing ran

      × wanted an instant such as `2026-01-05T09:00:00Z`, found the text `2026-13-05`
       ╭─[demo.yaml:2:8]
     1 │ name: demo
     2 │ start: 2026-13-05
       ·        ──────────
     3 │ arms: { july: { version: hermes-0.19 } }
       ╰────

    1 mistake; nothing ran

      × wanted an instant such as `2026-01-05T09:00:00Z`, found the number `20260105`
       ╭─[demo.yaml:2:8]
     1 │ name: demo
     2 │ start: 20260105
       ·        ────────
     3 │ arms: { july: { version: hermes-0.19 } }
       ╰────

    1 mistake; nothing ran

      × wanted a duration such as `12s`, `1h30m`, `2d`, found the text `1:30`
       ╭─[demo.yaml:8:9]
     7 │   - session: first
     8 │     at: 1:30
       ·         ────
     9 │     turns: [Hello.]
       ╰────
      hint: units are ms, s, m, h, d, w; the larger one first, each at most once

    1 mistake; nothing ran

      × `012` is read as 12 by some and otherwise by others
       ╭─[demo.yaml:3:72]
     2 │ start: 2026-01-05T09:00:00Z
     3 │ arms: { july: { version: hermes-0.19, config: { memory.nudge_interval: 012 } } }
       ·                                                                        ───
     4 │ world: w.yaml
       ╰────
      hint: write "012" for the text, or 12

    1 mistake; nothing ran

      × `1e3` is read as a number by some and as text by others
       ╭─[demo.yaml:3:72]
     2 │ start: 2026-01-05T09:00:00Z
     3 │ arms: { july: { version: hermes-0.19, config: { memory.nudge_interval: 1e3 } } }
       ·                                                                        ───
     4 │ world: w.yaml
       ╰────
      hint: write "1e3" for the text, or 1000

    1 mistake; nothing ran

      × wanted text, found the number `1e3`
       ╭─[demo.yaml:1:7]
     1 │ name: 1e3
       ·       ───
     2 │ start: 2026-01-05T09:00:00Z
       ╰────
      hint: put it in quotes: "1e3"

    1 mistake; nothing ran
    "#);
}

/// 24 (`base16-universal-manager #21`, `atomic-red-team` PR #621): a tab is named, with its place.
#[test]
fn report_24_a_tab_is_named_with_its_place() {
    insta::assert_snapshot!(said("demo.yaml", "    turns: [Hello.]", "\tturns: [Hello.]"), @r"
      × tab used for indentation
       ╭─[demo.yaml:8:1]
     7 │   - session: first
     8 │     turns: [Hello.]
       · ──┬─
       ·   ╰── this is a tab
       ╰────
      hint: YAML indents with spaces only: replace each tab by spaces

    1 mistake; nothing ran
    ");
    insta::assert_snapshot!(said("w.yaml", "    rules:", "\trules:"), @r#"
      × tab used for indentation
       ╭─[w.yaml:5:1]
     4 │     parameters: { type: object, properties: { word: { type: string } } }
     5 │     rules:
       · ──┬─
       ·   ╰── this is a tab
     6 │       - { match: { word: "no" }, output: found }
       ╰────
      hint: YAML indents with spaces only: replace each tab by spaces

    1 mistake; nothing ran
    "#);
}

/// 25 (`home-assistant #55378`, `wasmCloud #1767`): an anchor is used again and defined again, as YAML 1.2 has it.
#[test]
fn report_25_anchors_are_used_again() {
    let context = context();
    context.replace("demo.yaml", "turns: [Hello.]", "turns: [&say Hello., *say, *say]");
    context.file(
        "s.yaml",
        "main:\n  - steps:\n      - &look { call: { ask: { word: \"no\" } } }\n      - *look\n      - &look { reply: Done. }\n",
    );
    let output = context.run(&["run", "demo.yaml"]);
    assert_eq!(output.code, 0, "{output:?}");
    let calls = std::fs::read_to_string(context.path("out/records/tool_calls.csv")).expect("it is there");
    assert_eq!(calls.lines().count(), 1 + 3 * 2, "three turns of two calls each");
}

/// 25: a bomb of aliases is refused in no time and names its anchor.
#[test]
fn report_25_a_bomb_of_aliases_is_refused() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..10 {
        let below = format!("*a{}, ", level - 1).repeat(9);
        let below = below.trim_end_matches(", ");
        writeln!(bomb, "a{level}: &a{level} [{below}]").expect("memory can be written");
    }
    let context = context();
    context.file("s.yaml", &(bomb + "main: [{ reply: *a9 }]\n"));
    let output = context.run(&["validate", "demo.yaml"]);
    assert_eq!((output.code, &*output.stdout), (2, ""));
    let shown: Vec<&str> =
        output.stderr.lines().filter(|line| line.contains('×') || line.contains("hint:")).collect();
    insta::assert_snapshot!(shown.join("\n"), @r"
    × aliases expand to more than 20000 values
    hint: write the values out, or use fewer aliases within aliases
    ");
}

/// 25: a duplicate key is refused with both places.
#[test]
fn report_25_a_duplicate_key_is_refused_with_both_lines() {
    insta::assert_snapshot!(said("w.yaml", "    rules:", "    description: Asks again.\n    rules:"), @r"
      × duplicate key `description` (first on line 3)
       ╭─[w.yaml:5:5]
     2 │   - name: ask
     3 │     description: Asks somebody.
       ·     ─────┬─────
       ·          ╰── first here
     4 │     parameters: { type: object, properties: { word: { type: string } } }
     5 │     description: Asks again.
       ·     ─────┬─────
       ·          ╰── again here
     6 │     rules:
       ╰────
      hint: keep one of the two

    1 mistake; nothing ran
    ");
}

/// 26 (`aimock`, `stubllm`): a misspelt matcher must not become one that matches everything.
#[test]
fn report_26_a_misspelt_matcher_is_no_matcher_of_everything() {
    let mut shown = Vec::new();
    for (file, from, to) in [
        ("s.yaml", "{ steps:", "{ wen: \"'x' in user\", steps:"),
        ("s.yaml", "{ call:", "{ when_: \"'x' in user\", call:"),
        ("w.yaml", "match:", "mach:"),
        ("w.yaml", "word: \"no\"", "wrod: \"no\""),
        ("w.yaml", "match: { word: \"no\" }", "match: { word: { regx: n. } }"),
    ] {
        let said = said(file, from, to);
        let lines = said.lines().filter(|line| line.contains('×') || line.contains("hint:"));
        shown.push(lines.map(str::trim).collect::<Vec<_>>().join(" | "));
    }
    insta::assert_snapshot!(shown.join("\n"), @r"
    × unknown key `wen` in a rule | hint: did you mean `when`?
    × unknown key `when_` in a step | hint: did you mean `when`?
    × unknown key `mach` in a rule | hint: did you mean `match`?
    × the tool has no argument `wrod` | hint: did you mean `word`?
    × a match needs one of `is`, `glob`, `regex` | × unknown key `regx` in a match | hint: did you mean `regex`?
    ");
}
