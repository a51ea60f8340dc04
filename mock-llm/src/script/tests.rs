//! Scripts with mistakes: what their writer reads.

use proptest::prelude::*;

use super::{Loading, Script};
use crate::diagnose::{Look, Source, render};

fn load(text: &str) -> Loading {
    let read = |path: &str| match path {
        "scripts/skills/x.md" => Ok(b"text {{ usr }}".to_vec()),
        "scripts/bad.yaml" => Ok(b"continuing: 3\nindx: 1\n".to_vec()),
        _ => Err("no such file".to_owned()),
    };
    Script::load(&Source::new("scripts/a.yaml", text), &read)
}

fn mistakes(text: &str) -> String {
    let loading = load(text);
    render(&loading.diagnostics, &loading.sources, Look { width: 90, ..Look::default() })
}

#[test]
fn keys_and_shapes() {
    insta::assert_snapshot!(mistakes(
        r#"
mian: []
main:
  - { wehn: "x", reply: y }
  - { when: "true" }
  - { call: a, reply: b }
  - { reply: a, say: b }
  - { steps: [{ reply: a }], call: b }
  - { steps: [] }
  - steps: [retry, stpo, { stop: true, when: "true" }]
  - call: { a: {}, b: {} }
  - call: { terminal: ls }
  - { calls: [] }
review: { reply: x }
"#
    ));
}

#[test]
fn expressions_names_and_files() {
    insta::assert_snapshot!(mistakes(
        r#"
lessons: { push-first: push }
hazards: { pull: { regex: "(" } }
let: { image: x, user: y, a: "{{ b }}", b: "{{ a }}", 2x: 1 }
preset: hermse
main:
  - when: "'a' in usr and knows('push-frist')"
    steps:
      - call: { t: { a: "{{ imge }}", b: { $file: gone.md }, c: { $fil: x }, d: { $file: skills/x.md, render: true } } }
        on_error: [{ regex: "[", steps: [retry], times: 0 }]
      - reply: "{{ user|lowre }}"
        fault: { status: 200, retry_after: 3 }
  - { reply: x, fault: { message: y } }
  - { call: a, fault: stal, on_error: [{ match: x, when: "last.text ==", stop: true }] }
"#
    ));
}

#[test]
fn a_preset_of_its_own_is_checked() {
    insta::assert_snapshot!(mistakes("preset: bad.yaml\nmain: [{ reply: x }]\n"));
}

#[test]
fn values_that_readers_of_yaml_disagree_on() {
    insta::assert_snapshot!(mistakes(
        "main:\n  - call: { t: { a: 012, b: no, c: 1e3, d: \"no\", e: 1:30 } }\n"
    ));
}

#[test]
fn rules_that_are_never_reached_are_warned_of() {
    let loading = load("main:\n  - { name: all, steps: [{ call: a }, { reply: b }] }\n  - { reply: c }\n");
    assert!(loading.script.is_some());
    insta::assert_snapshot!(render(
        &loading.diagnostics,
        &loading.sources,
        Look { width: 90, ..Look::default() }
    ));
}

#[test]
fn branches_are_nested_only_so_deep() {
    let text = "on_error: [{ call: a, on_error: [{ call: a, on_error: [{ call: a, on_error: [{ stop: true }] }] }] }]";
    assert!(
        mistakes(&format!("main:\n  - {{ call: a, {text} }}\n"))
            .contains("branches nested deeper than 3 levels")
    );
}

#[test]
fn an_empty_script_says_what_it_needs() {
    insta::assert_snapshot!(mistakes("description: nothing\n"));
    insta::assert_snapshot!(mistakes(""));
}

#[test]
fn the_digest_follows_the_text() {
    let digest = |text: &str| load(text).script.unwrap().digest;
    assert_eq!(digest("main: [{ reply: x }]"), digest("main: [{ reply: x }]"));
    assert_ne!(digest("main: [{ reply: x }]"), digest("main: [{ reply: y }]"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 2, ..ProptestConfig::default() })]

    /// A right script with pieces exchanged gives diagnostics or a script, and never a panic.
    #[test]
    fn no_script_makes_the_loader_panic(
        pieces in proptest::collection::vec(prop_oneof![
            Just("main:\n"), Just("review:\n"), Just("  - when: \"'a' in user\"\n"), Just("    steps:\n"), Just("      - call: { t: { a: \"{{ user }}\" } }\n"),
            Just("        on_error: [{ match: x, steps: [retry] }]\n"), Just("    reply: x\n"), Just("  - reply: [a, b]\n"), Just("let: { a: \"{{ b }}\" }\n"),
            Just("faults: [{ delay: 2s }]\n"), Just("    fault: stall\n"), Just("\t"), Just("{{"), Just("- "), Just("'"), Just(": "), Just("$file: x\n"),
        ], 0..14)
    ) {
        mistakes(&pieces.concat());
    }
}
