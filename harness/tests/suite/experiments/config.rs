//! `harness config`: settings with their origin, and what separates versions.

use crate::suite::context::TestContext;

#[test]
fn every_key_has_a_value_and_an_origin_faults_last() {
    let context = TestContext::new();
    let args = ["config", "--version", "hermes-0.19", "--set", "memory.nudge_interval=3", "--faults-off"];
    let output = context.run(&args);
    assert_eq!(output.code, 0, "{output:?}");
    let lines: Vec<&str> = output.stdout.lines().collect();
    let of = |key: &str| {
        lines.iter().position(|line| line.trim_start().starts_with(key)).expect("the key is there")
    };
    assert!(
        lines[of("memory.nudge_interval")].contains(" 3 ")
            && lines[of("memory.nudge_interval")].contains("command line")
    );
    assert!(lines[of("skills.creation_nudge_interval")].contains("version"));
    let first_fault = of("faults.");
    let keys = lines.len() - 2;
    let is_fault = |line: &&str| line.trim_start().starts_with("faults.");
    assert!(lines[first_fault..keys].iter().filter(|line| is_fault(line)).all(|line| line.contains("false")));
    assert!(!lines[..first_fault].iter().any(is_fault));
}

#[test]
fn versions_are_told_apart() {
    let context = TestContext::new();
    let output = context.run(&["config", "--diff", "hermes-0.13", "hermes-0.16"]);
    assert_eq!(output.code, 0, "{output:?}");
    insta::assert_snapshot!(output.stdout, @r#"
    hermes-0.16 against hermes-0.13
    ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
     key                                          hermes-0.13                                     hermes-0.16
    ═════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════
     agent.environment_probe                      null                                            true
     agent.task_completion_guidance               null                                            true
     curator.backup.counts_archived               true                                            false
     curator.prune_builtins                       false                                           true
     guard.force_overrides_all                    true                                            false
     guard.ignore_files                           false                                           true
     guard.minor_findings_caution                 true                                            false
     guard.official_below                         true                                            false
     guard.rules                                  early                                           current
     guard.trusted_repositories                   ["openai/skills","anthropics/skills"]           ["openai/skills","anthropics/skills","huggingface/skills","NVIDIA/skills"]
     memory.drift_guard                           never                                           always
     memory.scan_snapshot                         false                                           true
     patch.reindents                              false                                           true
     patch.repairs_controls                       false                                           true
     prompt.curator_packages                      false                                           true
     prompt.date_line                             minute                                          date
     prompt.enforced_models                       ["gpt","codex","gemini","gemma","grok","glm"]   ["gpt","codex","gemini","gemma","grok","glm","qwen","deepseek"]
     prompt.openai_style_models                   ["gpt","codex"]                                 ["gpt","codex","grok"]
     prompt.profile_note                          false                                           true
     review.compression                           as_session                                      off
     sessions.default_roles                       null                                            ["user","assistant"]
     sessions.limit_max                           5                                               10
     sessions.modes                               two                                             four
     sessions.result_session                      root                                            owner
     sessions.schema_version                      11                                              14
     sessions.search                              fts_summary                                     fts
     sessions.sort                                false                                           true
     skills.environment_tags                      false                                           true
     skills.excluded                              short                                           full
     skills.profile_hint                          false                                           true
     threats.invisible                            ten                                             seventeen
     threats.list                                 own                                             shared
     usage.recorded                               own                                             all
     usage.top_dot_dirs                           skipped                                         seen
     faults.builtins_aged_at_first_sight          false                                           true
     faults.builtins_unpinnable                   false                                           true
     faults.guard_hash_ignores_paths              true                                            false
     faults.guard_trusts_sibling_names            true                                            false
     faults.index_snapshot_forgets_environments   false                                           true
     faults.old_results_shown_as_fresh            true                                            false
     faults.review_compression_forks_session      true                                            false
     faults.review_notice_lost                    true                                            false
     faults.review_tools_default                  true                                            false
     faults.substring_shows_rewound               false                                           true
     faults.windows_show_rewound                  false                                           true
    ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
      45 of 301 keys differ, faults last.
    "#);
    let json = context.run(&["config", "--diff", "hermes-0.19", "hermes-2026-09", "--format", "json"]);
    let value: serde_json::Value = serde_json::from_str(&json.stdout).expect("the output is JSON");
    let limits = &value["differences"]["curator.stale_after_days"];
    assert_eq!((&limits["hermes-0.19"], &limits["hermes-2026-09"]), (&30.into(), &14.into()));
}

#[test]
fn wrong_versions_and_keys_end_with_2() {
    let context = TestContext::new();
    let mut said = Vec::new();
    for args in [
        &["config", "--version", "hermes-0.18"][..],
        &["config", "--version", "hermes-0.19", "--set", "memory.nudge=3"],
        &["config", "--diff", "hermes-0.19"],
        &["config"],
    ] {
        let output = context.run(args);
        assert_eq!((output.code, &*output.stdout), (2, ""), "{output:?}");
        said.push(format!("$ harness {}\n{}", args.join(" "), output.stderr));
    }
    insta::assert_snapshot!(said.join("\n"), @r"
    $ harness config --version hermes-0.18
    error: no version is named `hermes-0.18`
    hint: did you mean `hermes-0.13`?

    $ harness config --version hermes-0.19 --set memory.nudge=3
    error: --set: unknown setting `memory.nudge`
    hint: did you mean `memory.mode`?

    $ harness config --diff hermes-0.19
    error: 2 values required for '--diff <VERSION> <VERSION>' but 1 was provided

    Usage: harness config [OPTIONS]

    For more information, try '--help'.

    $ harness config
    error: the following required arguments were not provided:
      --version <VERSION>

    Usage: harness config --version <VERSION>

    For more information, try '--help'.
    ");
}
