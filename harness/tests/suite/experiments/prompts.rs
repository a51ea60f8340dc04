//! `harness prompts`: rules found and lost, renderings, and the literal-minded reader.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::suite::context::TestContext;

/// The curator's built-in text of the newest version.
fn curator_text() -> String {
    shown(&TestContext::new(), &["curator"])
}

fn shown(context: &TestContext, args: &[&str]) -> String {
    let output = context.run(&[&["prompts", "show"], args].concat());
    assert_eq!((output.code, &*output.stderr), (0, ""));
    output.stdout
}

fn rules(context: &TestContext, args: &[&str]) -> (i32, Value) {
    let output = context.run(&[&["prompts", "check", "--format", "json"], args].concat());
    assert_eq!(output.stderr, "");
    (output.code, serde_json::from_str(&output.stdout).expect("the output is JSON"))
}

/// Every rule of every prompt in every wording.
#[test]
fn without_the_sentence_of_any_one_rule_the_check_ends_with_1_and_names_it() {
    let context = TestContext::new();
    let (code, value) = rules(&context, &["--rules-only"]);
    assert_eq!(code, 0);
    let mut seen = BTreeSet::new();
    let mut cut = 0;
    for prompt in value["prompts"].as_array().expect("prompts are a list") {
        let (name, version) = (prompt["prompt"].as_str().unwrap(), prompt["version"].as_str().unwrap());
        let whole = shown(&context, &[name, "--version", version]);
        if !seen.insert((name.to_owned(), whole.clone())) {
            continue;
        }
        for rule in prompt["rules"].as_array().expect("rules are a list") {
            let (rule, sentence) = (rule["rule"].as_str().unwrap(), rule["sentence"].as_str().unwrap());
            let place = format!("{rule} in {name} of {version}");
            let sentence = sentence.trim();
            assert_eq!(whole.matches(sentence).count(), 1, "{place}");
            // An empty text would be refused, and the note on built-ins is one sentence long.
            context.file("cut.md", &format!("{}\n", whole.replace(sentence, "Go on.")));
            let file = format!("{name}=cut.md");
            let args = ["prompts", "check", "--rules-only", "--prompt", &file, "--version", version];
            let output = context.run(&args);
            assert_eq!(output.code, 1, "{place}: {output:?}");
            let lost: Vec<&str> = output.stdout.lines().filter(|line| line.starts_with("lost: ")).collect();
            assert_eq!(lost.len(), 1, "{place}: {lost:?}");
            assert!(
                lost[0].starts_with(&format!("lost: `{rule}` in {name} of {version} (cut.md)")),
                "{place}: {lost:?}"
            );
            cut += 1;
        }
    }
    assert!(cut > 200, "{cut}");
}

#[test]
fn a_lost_rule_leads_to_harm_that_the_agent_stops_or_does_not() {
    let context = TestContext::new();
    let whole = curator_text();
    let cut = whole.replace("- Leave every skill that the list shows as pinned completely alone.\n", "");
    assert_ne!(cut, whole);
    context.file(
        "cut.md",
        &cut.replace("Usage counters are no argument", "Usage counters are usually no argument"),
    );
    let output = context.run(&["prompts", "check", "--version", "hermes-0.13", "--prompt", "curator=cut.md"]);
    assert_eq!(output.code, 1);
    let from = output.stdout.find("Harm under").expect("the harm is shown");
    insta::assert_snapshot!(&output.stdout[from..], @r"
    Harm under curator of hermes-0.13 (cut.md)
    ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
     rule                    what a literal-minded reader does without it         tried   let through   tried if lost   let through if lost
    ════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════
     foreign-untouched       patches skills of the program and of a hub               0             0               2                     2
     pinned-untouched        patches and merges pinned skills                         2             1               2                     1
     counters-no-argument    leaves siblings unmerged because nobody used them        7             7               7                     7
     unused-no-argument      archives skills that are young and were never used       0             0               2                     2
     delete-names-umbrella   deletes without saying what took the content over        0             0               3                     3
    ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
      Over all libraries, played by the agent of hermes-0.13. What was tried and not let through, the agent's own rules stopped.

    Prompts
    ──────────────────────────────────────────────────────────────────────────────────────────────────
     prompt    version       text     found   weakened   lost   harm tried   let through   renderings
    ══════════════════════════════════════════════════════════════════════════════════════════════════
     curator   hermes-0.13   cut.md      23          1      1            9             8   –
    ──────────────────────────────────────────────────────────────────────────────────────────────────
      Rules are searched as patterns of words: a text can hold them all and still say something else. Harm: what a reader does who keeps to the rules that it finds and to no others.

    lost: `pinned-untouched` in curator of hermes-0.13 (cut.md): leave pinned skills alone (curator 7)
    weakened: `counters-no-argument` in curator of hermes-0.13 (cut.md): usage counters do not speak against merging (curator 10)
    ");
}

#[test]
fn the_harm_of_every_prompt_and_version() {
    let context = TestContext::new();
    let versions = ["hermes-0.13", "hermes-0.16", "hermes-0.19", "hermes-2026-09"];
    let args: Vec<&str> = versions.iter().flat_map(|version| ["--version", version]).collect();
    let (code, value) = rules(&context, &args);
    assert_eq!(code, 0);
    let mut lines = Vec::new();
    for prompt in value["prompts"].as_array().unwrap() {
        for trial in prompt["trials"].as_array().unwrap() {
            assert_eq!(trial["as_written"]["tried"], 0, "{trial}");
            let lost = &trial["if_lost"];
            let (name, version, rule) = (&prompt["prompt"], &prompt["version"], &trial["rule"]);
            lines.push(format!(
                "{name} {version} {rule}: {} tried, {} let through",
                lost["tried"], lost["through"]
            ));
        }
    }
    insta::assert_snapshot!(lines.join("\n").replace('"', ""), @r"
    review.skills hermes-0.13 foreign-untouched: 2 tried, 2 let through
    review.skills hermes-0.13 no-environment-failures: 3 tried, 3 let through
    review.skills hermes-0.13 no-negative-claims: 3 tried, 3 let through
    review.skills hermes-0.13 no-transient-errors: 3 tried, 3 let through
    review.combined hermes-0.13 foreign-untouched: 2 tried, 2 let through
    review.combined hermes-0.13 no-environment-failures: 3 tried, 3 let through
    review.combined hermes-0.13 no-negative-claims: 3 tried, 3 let through
    review.combined hermes-0.13 no-transient-errors: 3 tried, 3 let through
    curator hermes-0.13 foreign-untouched: 2 tried, 2 let through
    curator hermes-0.13 pinned-untouched: 2 tried, 1 let through
    curator hermes-0.13 counters-no-argument: 7 tried, 7 let through
    curator hermes-0.13 unused-no-argument: 2 tried, 2 let through
    curator hermes-0.13 delete-names-umbrella: 3 tried, 3 let through
    curator.dry_run hermes-0.13 preview-changes-nothing: 6 tried, 6 let through
    review.skills hermes-0.16 foreign-untouched: 2 tried, 2 let through
    review.skills hermes-0.16 no-environment-failures: 3 tried, 3 let through
    review.skills hermes-0.16 no-negative-claims: 3 tried, 3 let through
    review.skills hermes-0.16 no-transient-errors: 3 tried, 3 let through
    review.combined hermes-0.16 foreign-untouched: 2 tried, 2 let through
    review.combined hermes-0.16 no-environment-failures: 3 tried, 3 let through
    review.combined hermes-0.16 no-negative-claims: 3 tried, 3 let through
    review.combined hermes-0.16 no-transient-errors: 3 tried, 3 let through
    curator hermes-0.16 foreign-untouched: 2 tried, 1 let through
    curator hermes-0.16 pinned-untouched: 2 tried, 1 let through
    curator hermes-0.16 counters-no-argument: 7 tried, 7 let through
    curator hermes-0.16 unused-no-argument: 2 tried, 2 let through
    curator hermes-0.16 main-file-not-alone: 1 tried, 1 let through
    curator hermes-0.16 delete-names-umbrella: 3 tried, 3 let through
    curator.builtins hermes-0.16 builtins-only-archived: 1 tried, 0 let through
    curator.dry_run hermes-0.16 preview-changes-nothing: 6 tried, 6 let through
    review.skills hermes-0.19 foreign-untouched: 2 tried, 0 let through
    review.skills hermes-0.19 no-environment-failures: 3 tried, 3 let through
    review.skills hermes-0.19 no-negative-claims: 3 tried, 3 let through
    review.skills hermes-0.19 no-transient-errors: 3 tried, 3 let through
    review.combined hermes-0.19 foreign-untouched: 2 tried, 0 let through
    review.combined hermes-0.19 no-environment-failures: 3 tried, 3 let through
    review.combined hermes-0.19 no-negative-claims: 3 tried, 3 let through
    review.combined hermes-0.19 no-transient-errors: 3 tried, 3 let through
    curator hermes-0.19 foreign-untouched: 2 tried, 0 let through
    curator hermes-0.19 pinned-untouched: 2 tried, 0 let through
    curator hermes-0.19 job-skills-not-archived: 1 tried, 0 let through
    curator hermes-0.19 counters-no-argument: 7 tried, 7 let through
    curator hermes-0.19 unused-no-argument: 2 tried, 0 let through
    curator hermes-0.19 main-file-not-alone: 1 tried, 1 let through
    curator hermes-0.19 delete-names-umbrella: 3 tried, 0 let through
    curator.builtins hermes-0.19 builtins-only-archived: 1 tried, 0 let through
    curator.dry_run hermes-0.19 preview-changes-nothing: 6 tried, 6 let through
    review.skills hermes-2026-09 foreign-untouched: 2 tried, 0 let through
    review.skills hermes-2026-09 pinned-off-limits: 2 tried, 0 let through
    review.skills hermes-2026-09 no-environment-failures: 3 tried, 3 let through
    review.skills hermes-2026-09 no-negative-claims: 3 tried, 3 let through
    review.skills hermes-2026-09 no-transient-errors: 3 tried, 3 let through
    review.skills hermes-2026-09 no-unresolved-attempts: 3 tried, 3 let through
    review.combined hermes-2026-09 foreign-untouched: 2 tried, 0 let through
    review.combined hermes-2026-09 pinned-off-limits: 2 tried, 0 let through
    review.combined hermes-2026-09 no-environment-failures: 3 tried, 3 let through
    review.combined hermes-2026-09 no-negative-claims: 3 tried, 3 let through
    review.combined hermes-2026-09 no-transient-errors: 3 tried, 3 let through
    review.combined hermes-2026-09 no-unresolved-attempts: 3 tried, 3 let through
    curator hermes-2026-09 foreign-untouched: 2 tried, 0 let through
    curator hermes-2026-09 pinned-untouched: 2 tried, 0 let through
    curator hermes-2026-09 job-skills-not-archived: 1 tried, 0 let through
    curator hermes-2026-09 counters-no-argument: 7 tried, 7 let through
    curator hermes-2026-09 unused-no-argument: 2 tried, 0 let through
    curator hermes-2026-09 main-file-not-alone: 1 tried, 1 let through
    curator hermes-2026-09 delete-names-umbrella: 3 tried, 0 let through
    curator.builtins hermes-2026-09 builtins-only-archived: 1 tried, 0 let through
    curator.dry_run hermes-2026-09 preview-changes-nothing: 6 tried, 6 let through
    ");
}

#[test]
fn our_own_prompts_are_as_accepted() {
    let context = TestContext::with_scenarios();
    let output = context.run(&["prompts", "check", "--strict", "--version", "hermes-2026-09"]);
    assert_eq!(output.code, 0, "`harness prompts accept` takes the renderings over: {output:?}");
    insta::assert_snapshot!(output.stdout, @r"
    Prompts
    ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────
     prompt             version          text       found   weakened   lost   harm tried   let through   renderings
    ═════════════════════════════════════════════════════════════════════════════════════════════════════════════════
     review.memory      hermes-2026-09   built in       7          0      0            0             0   as accepted
     review.skills      hermes-2026-09   built in      41          0      0            0             0   as accepted
     review.combined    hermes-2026-09   built in      43          0      0            0             0   as accepted
     curator            hermes-2026-09   built in      37          0      0            0             0   as accepted
     curator.builtins   hermes-2026-09   built in       1          0      0            0             0   –
     curator.dry_run    hermes-2026-09   built in       3          0      0            0             0   as accepted
    ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────
      Rules are searched as patterns of words: a text can hold them all and still say something else. Harm: what a reader does who keeps to the rules that it finds and to no others.
    ");
}

#[test]
fn another_text_is_shown_as_a_difference_until_it_is_accepted() {
    let context = TestContext::with_scenarios();
    let text =
        curator_text().replace("judge overlap by content", "judge overlap by what they say, by content");
    context.file("new.md", &text);
    let args = ["prompts", "check", "--strict", "--prompt", "curator=new.md"];
    let output = context.run(&args);
    assert_eq!(output.code, 1);
    let from = output.stdout.find("Rendered over").expect("the difference is shown");
    insta::assert_snapshot!(&output.stdout[from..], @r"
    Rendered over `narrow`:
    --- accepted
    +++ now
    @@ -39,3 +39,3 @@
     
    -- Usage counters are no argument against merging; judge overlap by content.
    +- Usage counters are no argument against merging; judge overlap by what they say, by content.
     - Zero uses are no argument for pruning: a never-used skill younger than 30 days is never archived, and an older one only if it is truly obsolete or fully absorbed.

    Rendered over `owners`:
    --- accepted
    +++ now
    @@ -43,3 +43,3 @@
     
    -- Usage counters are no argument against merging; judge overlap by content.
    +- Usage counters are no argument against merging; judge overlap by what they say, by content.
     - Zero uses are no argument for pruning: a never-used skill younger than 30 days is never archived, and an older one only if it is truly obsolete or fully absorbed.

    Rendered over `packages`:
    --- accepted
    +++ now
    @@ -37,3 +37,3 @@
     
    -- Usage counters are no argument against merging; judge overlap by content.
    +- Usage counters are no argument against merging; judge overlap by what they say, by content.
     - Zero uses are no argument for pruning: a never-used skill younger than 30 days is never archived, and an older one only if it is truly obsolete or fully absorbed.

    Prompts
    ──────────────────────────────────────────────────────────────────────────────────────────────────────────
     prompt    version          text     found   weakened   lost   harm tried   let through   renderings
    ══════════════════════════════════════════════════════════════════════════════════════════════════════════
     curator   hermes-2026-09   new.md      37          0      0            0             0   3 differ, 0 new
    ──────────────────────────────────────────────────────────────────────────────────────────────────────────
      Rules are searched as patterns of words: a text can hold them all and still say something else. Harm: what a reader does who keeps to the rules that it finds and to no others.
    ");
    let accepted = context.run(&["prompts", "accept", "--prompt", "curator=new.md"]);
    insta::assert_snapshot!(format!("{}{}", accepted.stdout, accepted.stderr), @r"
    scenarios/libraries/prompts/accepted/narrow.curator.hermes-2026-09.md
    scenarios/libraries/prompts/accepted/owners.curator.hermes-2026-09.md
    scenarios/libraries/prompts/accepted/packages.curator.hermes-2026-09.md
    3 of 3 renderings were new
    ");
    assert_eq!(context.run(&args).code, 0);
}

#[test]
fn what_cannot_be_checked_ends_with_2() {
    let context = TestContext::new();
    context.file("marker.md", "Be good.\n[Library curation: consolidate]\n").file("empty.md", " \n");
    let mut said = Vec::new();
    for args in [
        &["prompts", "check", "--prompt", "curater=new.md"][..],
        &["prompts", "check", "--prompt", "curator=nowhere.md"],
        &["prompts", "check", "--prompt", "curator=marker.md"],
        &["prompts", "check", "--prompt", "review.memory=empty.md"],
        &["prompts", "check", "--prompt", "curator", "--version", "hermes-2026-04"],
        &["prompts", "check", "--libraries", "nowhere"],
        &["prompts", "accept"],
    ] {
        let output = context.run(args);
        assert_eq!((output.code, &*output.stdout), (2, ""), "{output:?}");
        said.push(format!("$ harness {}\n{}", args.join(" "), output.stderr));
    }
    insta::assert_snapshot!(said.join("\n"), @r"
    $ harness prompts check --prompt curater=new.md
    error: no prompt with rules is named `curater`
    hint: did you mean `curator`?

    $ harness prompts check --prompt curator=nowhere.md
    error: cannot read nowhere.md: there is no such file

    $ harness prompts check --prompt curator=marker.md
    error: marker.md: the text for `curator` holds the fixed line `[Library curation: consolidate]`, which the client adds itself

    $ harness prompts check --prompt review.memory=empty.md
    error: empty.md: the text for `review.memory` is empty

    $ harness prompts check --prompt curator --version hermes-2026-04
    error: no agent of hermes-2026-04 ever reads the prompt `curator`

    $ harness prompts check --libraries nowhere
    error: there is no folder nowhere

    $ harness prompts accept
    error: there is no folder scenarios/libraries/prompts to keep renderings in
    hint: name one with --libraries
    ");
}

#[test]
fn an_arm_can_have_prompts_of_its_own() {
    let context = TestContext::with_scenarios();
    let prompt = "Look over the conversation. Say nothing to save.";
    context.file("scenarios/quiet.md", prompt);
    context.replace(
        "scenarios/k8s-no-learning.yaml",
        "  july: { version: hermes-0.19, config: *off }",
        "  july: { version: hermes-0.19, prompts: { review.skills: quiet.md } }",
    );
    let output =
        context.run(&["run", "scenarios/k8s-no-learning.yaml", "--arm", "july", "--transport", "direct"]);
    assert_eq!(output.code, 1, "reviews run again: {output:?}");
    let trace = fs::read_to_string(context.path("out/traces/k8s-no-learning.july.1.jsonl")).expect("a trace");
    assert!(trace.contains(prompt));
    context.file("scenarios/quiet.md", "[Background review: skills] yes");
    context.replace("scenarios/k8s-no-learning.yaml", "review.skills: quiet", "review.skill: quiet");
    let output = context.run(&["validate", "scenarios/k8s-no-learning.yaml"]);
    assert_eq!(output.code, 2);
    insta::assert_snapshot!(output.stderr, @r"
      × no prompt is named `review.skill`
       ╭─[scenarios/k8s-no-learning.yaml:8:44]
     7 │     config: &off { memory.nudge_interval: 0, skills.creation_nudge_interval: 0 }
     8 │   july: { version: hermes-0.19, prompts: { review.skill: quiet.md } }
       ·                                            ────────────
     9 │   september: { version: hermes-2026-09, config: *off }
       ╰────
      hint: did you mean `review.skills`?

    1 mistake; nothing ran
    ");
}
