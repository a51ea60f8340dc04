//! `harness curator`: looks at a real home and leaves it as it is.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

use crate::suite::context::TestContext;

const NOW: &str = "2026-03-01T09:00:00Z";

/// A home as an agent leaves it: an old skill, one that went stale, a pinned one, one of a job, one of the user's.
fn home() -> TestContext {
    let context = TestContext::new();
    let skill = |name: &str| {
        let text = format!("---\nname: {name}\ndescription: About {name}.\n---\n\n# {name}\n");
        context.file(&format!("home/skills/misc/{name}/SKILL.md"), &text);
    };
    ["old", "lately", "pinned", "nightly", "mine", "plan"].into_iter().for_each(skill);
    let record = |created: &str, used: &str, more: &str| {
        format!(
            "{{\"created_by\": \"agent\", \"use_count\": 3, \"state\": \"active\", \"created_at\": \"{created}\", \
             \"last_used_at\": \"{used}\"{more}}}"
        )
    };
    let usage = [
        ("old", record("2025-10-01T00:00:00+00:00", "2025-11-20T08:00:00+00:00", "")),
        ("lately", record("2025-10-01T00:00:00+00:00", "2026-01-20T08:00:00+00:00", "")),
        ("pinned", record("2025-10-01T00:00:00+00:00", "2025-11-20T08:00:00+00:00", ", \"pinned\": true")),
        ("nightly", record("2025-10-01T00:00:00+00:00", "2025-11-20T08:00:00+00:00", "")),
    ];
    let usage: Vec<String> = usage.iter().map(|(name, record)| format!("\"{name}\": {record}")).collect();
    context
        .file("home/skills/.usage.json", &format!("{{{}}}\n", usage.join(",\n")))
        .file(
            "home/skills/.curator_state",
            "{\"last_run_at\": \"2026-02-20T09:00:00+00:00\", \"run_count\": 4}\n",
        )
        .file("home/cron/jobs.json", "{\"jobs\": [{\"id\": \"night\", \"skills\": [\"nightly\"]}]}\n")
        .file("home/config.yaml", "curator:\n  enabled: \"false\"\n  archive_after_days: 60\n");
    context
}

/// Everything of a tree that a look could change: names, kinds, lengths, contents, times of change.
pub(super) fn tree(root: &Path) -> BTreeMap<String, (Vec<u8>, Option<SystemTime>)> {
    walkdir::WalkDir::new(root)
        .into_iter()
        .map(|entry| entry.expect("the tree can be read"))
        .map(|entry| {
            let name = entry.path().strip_prefix(root).expect("below the root").display().to_string();
            let bytes = if entry.file_type().is_file() {
                fs::read(entry.path()).expect("files can be read")
            } else {
                Vec::new()
            };
            (name, (bytes, entry.metadata().expect("there is one").modified().ok()))
        })
        .collect()
}

#[test]
fn a_preview_says_what_a_run_would_do() {
    let context = home();
    let args = ["curator", "preview", "--home", "home", "--now", NOW, "--version", "hermes-0.19"];
    let output = context.run(&args);
    assert_eq!(output.code, 0, "{output:?}");
    insta::assert_snapshot!(output.stdout, @r#"
    What a run at 2026-03-01T09:00:00+00:00 would do to home
    ──────────────────────────────────────────────────────────────────────────────────────────────
     change         skill    from     idle days   its age counts from         goes to
    ══════════════════════════════════════════════════════════════════════════════════════════════
     marked_stale   lately   active          40   2026-01-20T08:00:00+00:00
     archived       old      active         101   2025-11-20T08:00:00+00:00   skills/.archive/old
    ──────────────────────────────────────────────────────────────────────────────────────────────
      4 skills looked at: 0 seeded, 1 to stale, 1 to the archive, 0 active again.
      An automatic run is due since 2026-02-27T09:00:00+00:00.
      A snapshot would be taken first. No model would be asked.
      Warning: `curator.enabled` is the text "false" and counts as true, since it is not empty.
      Nothing was changed.
    "#);
    let later = ["--set", "curator.archive_after_days=400", "--set", "curator.stale_after_days=100"];
    let json = context.run(&[args.as_slice(), later.as_slice(), &["--format", "json"]].concat());
    insta::assert_snapshot!(json.stdout, @r#"
    {
      "asks_model": false,
      "at": "2026-03-01T09:00:00+00:00",
      "changed": false,
      "counters": {
        "archived": 0,
        "checked": 4,
        "low_use": 0,
        "marked_stale": 1,
        "promoted": 0,
        "reactivated": 0,
        "seeded": 0
      },
      "error": null,
      "gate": "due",
      "home": "home",
      "next_due": "2026-02-27T09:00:00+00:00",
      "snapshot": true,
      "steps": [
        {
          "anchor": "2025-11-20T08:00:00+00:00",
          "change": "marked_stale",
          "from": "active",
          "idle_days": 101,
          "skill": "old",
          "to": null
        }
      ],
      "stopped_at": null,
      "warnings": [
        "`curator.enabled` is the text \"false\" and counts as true, since it is not empty"
      ]
    }
    "#);
}

/// A record's clock counts microseconds, and so does a run's: one microsecond decides.
#[test]
fn a_skill_is_past_its_limit_to_the_microsecond() {
    let context = home();
    let lines = |now: &str| {
        let args =
            ["curator", "preview", "--home", "home", "--version", "hermes-0.19", "--format", "json", "--now"];
        let output = context.run(&[args.as_slice(), &[now]].concat());
        let value: serde_json::Value = serde_json::from_str(&output.stdout).expect("the output is JSON");
        value["counters"]["marked_stale"].clone()
    };
    // `lately` was used on 20 January at 8:00, thirty days before.
    assert_eq!(lines("2026-02-19T07:59:59.999999Z"), 0);
    assert_eq!(lines("2026-02-19T08:00:00Z"), 1);
    assert_eq!(lines("2026-02-19T10:00:00+02:00"), 1);
}

#[test]
fn a_status_says_who_is_within_reach_and_why_not() {
    let context = home();
    let args = ["curator", "status", "--home", "home", "--now", NOW, "--version", "hermes-0.19"];
    let output = context.run(&args);
    assert_eq!(output.code, 0, "{output:?}");
    insta::assert_snapshot!(output.stdout, @r"
    Curator: enabled; runs so far: 4; last run: 9 d ago
    Every 7 d; stale after 30 d, archived after 60 d; consolidation off
    Skills: 4 active, 0 stale, 0 archived
    Pinned: pinned
    Least recently active: nightly (2025-11-20T08:00:00+00:00), old (2025-11-20T08:00:00+00:00), pinned (2025-11-20T08:00:00+00:00), lately (2026-01-20T08:00:00+00:00)
    Most active: lately (3), nightly (3), old (3), pinned (3)
    Least active: nightly (3), old (3), pinned (3), lately (3)
    Skills of home
    ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
     skill     state    curator                                         its age counts from         stale                       archived
    ══════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════
     lately    active   ages                                            2026-01-20T08:00:00+00:00   2026-02-19T08:00:00+00:00   2026-03-21T08:00:00+00:00
     mine      active   was not made by the agent and not handed over   –                           –                           –
     nightly   active   is used by a scheduled job                      –                           –                           –
     old       active   ages                                            2025-11-20T08:00:00+00:00   2025-12-20T08:00:00+00:00   2026-01-19T08:00:00+00:00
     pinned    active   is pinned                                       –                           –                           –
     plan      active   is protected                                    –                           –                           –
    ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
      Stale and archived: the first instant at which a run would do it, if nothing else happens.
      Nothing was changed.
    ");
}

#[test]
fn a_home_is_only_read() {
    let context = home();
    let before = tree(&context.path("home"));
    for version in ["hermes-2026-04", "hermes-0.13", "hermes-0.16", "hermes-0.19", "hermes-2026-09"] {
        for command in ["preview", "status"] {
            let args = ["curator", command, "--home", "home", "--now", NOW, "--version", version];
            let output = context.run(&args);
            assert_eq!(output.code, 0, "{output:?}");
            let output = context
                .run(&[args.as_slice(), &["--set", "curator.consolidate=true", "--faults-off"]].concat());
            assert_eq!(output.code, 0, "{output:?}");
        }
    }
    assert!(tree(&context.path("home")) == before, "something changed");
}

/// Where nothing can be written, the answers are the same. (A superuser is not kept from writing; the test above covers
/// that.)
#[cfg(unix)]
#[test]
fn a_home_without_permission_to_write_is_read_all_the_same() {
    use std::os::unix::fs::PermissionsExt as _;
    let context = home();
    let args = ["curator", "preview", "--home", "home", "--now", NOW];
    let before = context.run(&args);
    let set = |directory: u32, file: u32| {
        for entry in walkdir::WalkDir::new(context.path("home")).contents_first(true) {
            let entry = entry.expect("the tree can be read");
            let mode = if entry.file_type().is_dir() { directory } else { file };
            fs::set_permissions(entry.path(), fs::Permissions::from_mode(mode))
                .expect("permissions can be set");
        }
    };
    set(0o555, 0o444);
    let after = context.run(&args);
    let status = context.run(&["curator", "status", "--home", "home", "--now", NOW]);
    set(0o755, 0o644);
    assert_eq!((after.code, &after.stdout), (0, &before.stdout), "{after:?}");
    assert_eq!(status.code, 0, "{status:?}");
}

#[test]
fn homes_that_cannot_be_looked_at_end_with_2() {
    let context = home();
    context
        .file("other/readme.md", "no home")
        .file("damaged/config.yaml", "a: [")
        .file("damaged/skills/x", "");
    let mut said = Vec::new();
    for args in [
        &["curator", "preview", "--home", "nowhere"][..],
        &["curator", "status", "--home", "other"],
        &["curator", "preview", "--home", "damaged"],
        &["curator", "preview", "--home", "home", "--now", "soon"],
        &["curator", "preview", "--home", "home", "--version", "hermes-0.18"],
        &["curator", "preview"],
    ] {
        let output = context.run(args);
        assert_eq!((output.code, &*output.stdout), (2, ""), "{output:?}");
        said.push(format!("$ harness {}\n{}", args.join(" "), output.stderr));
    }
    insta::assert_snapshot!(said.join("\n"), @r"
    $ harness curator preview --home nowhere
    error: cannot open the home nowhere: no such file or directory

    $ harness curator status --home other
    error: other holds no directory `skills`
    hint: a home is the directory above `skills`

    $ harness curator preview --home damaged
    error: the configuration of damaged: config.yaml is no YAML: line 1, column 5: expected a value, found the end

    $ harness curator preview --home home --now soon
    error: `--now soon` is no instant
    hint: such as 2026-03-01T09:00:00Z, or 2026-03-01

    $ harness curator preview --home home --version hermes-0.18
    error: no version is named `hermes-0.18`
    hint: did you mean `hermes-0.13`?

    $ harness curator preview
    error: the following required arguments were not provided:
      --home <DIR>

    Usage: harness curator preview --home <DIR>

    For more information, try '--help'.
    ");
}
