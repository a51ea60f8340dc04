//! Previews look and never touch.

use std::path::Path;

use super::bench::{Bench, day, picture};
use crate::curator::ageing::Change;
use crate::curator::preview::{Why, preview, status};
use crate::curator::{IdleReason, Poll};
use crate::stores::{Content, DiskFiles, Files, TreePath, copy_tree};

/// A home on disk with a bit of everything.
fn home_on_disk(dir: &Path) -> (Bench, DiskFiles) {
    let mut bench = Bench::new();
    for (name, made) in [("old", -100), ("aging", -40), ("young", -3), ("pinned", -100), ("job", -100)] {
        bench.agent_skill(name, day(made, 0));
    }
    bench.put("skills/cat/again/SKILL.md", "---\nname: young\n---\n");
    bench.put("skills/mine/SKILL.md", "---\nname: mine\n---\n");
    bench.put("skills/hubby/SKILL.md", "---\nname: hubby\n---\n");
    bench.put("skills/.hub/lock.json", r#"{"installed": {"hubby": {}}}"#);
    bench.put("skills/plan/SKILL.md", "---\nname: plan\n---\n");
    bench.builtin("pdf");
    bench.put("ext/far/SKILL.md", "---\nname: far\n---\n");
    bench.put("config.yaml", "skills:\n  external_dirs: [ext]\n");
    bench.jobs(&["job"]);
    bench.usage(day(-100, 0), |usage| usage.set_pinned("pinned", true));
    bench.home.create_dir(&TreePath::new("skills/.archive/old")).unwrap();
    bench.home.replace(&TreePath::new("skills/linked"), Content::Link("mine".to_owned())).unwrap();
    let mut disk = DiskFiles::open(dir).unwrap();
    for entry in bench.home.list(&TreePath::root()).unwrap() {
        let path = TreePath::new(&entry.name);
        copy_tree(&bench.home, &path, &mut disk, &path).unwrap();
    }
    let config = crate::curator::preview::home_config(&disk).unwrap();
    bench.settings.overlay_home(&config);
    (bench, disk)
}

#[test]
fn a_preview_says_what_a_run_then_does_and_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, disk) = home_on_disk(dir.path());
    let before = picture(&disk);
    let seen = preview(&disk, day(0, 0), &bench.settings);
    assert_eq!(picture(&disk), before, "not a byte, not a time, not a side file");
    let steps: Vec<_> = seen
        .steps
        .iter()
        .map(|step| (step.name.as_str(), step.change, step.idle_days, step.to.as_deref()))
        .collect();
    assert_eq!(
        steps,
        [
            ("aging", Change::Stale, 40, None),
            ("old", Change::Archive, 100, Some("skills/.archive/old-20260105000000")),
            ("pdf", Change::Seed, 0, None),
        ]
    );
    assert_eq!((seen.poll, seen.next_due), (Poll::Idle(IdleReason::Seeded), None));
    assert!(
        seen.snapshot
            && seen.warnings.is_empty()
            && seen.list.contains("job  state=active  pinned=no  cron=yes")
    );
    // The same home, copied into memory, does just that.
    let mut bench = bench;
    let report = bench.run(day(0, 0));
    assert_eq!(report.timed.counters, seen.counters);
    assert!(bench.has("skills/.archive/old-20260105000000/SKILL.md"));
}

#[test]
fn everybody_is_told_why() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, disk) = home_on_disk(dir.path());
    let before = picture(&disk);
    let seen = status(&disk, day(0, 0), &bench.settings);
    assert_eq!(picture(&disk), before);
    let root = disk.root();
    let why: Vec<(String, Why)> = seen
        .skills
        .iter()
        .map(|one| (one.dir.strip_prefix(root).unwrap().trim_start_matches('/').to_owned(), one.why))
        .collect();
    let expected = [
        ("skills/aging", Why::Ages),
        ("ext/far", Why::External),
        ("skills/hubby", Why::Hub),
        ("skills/job", Why::Job),
        ("skills/linked", Why::Elsewhere),
        ("skills/mine", Why::Unmanaged),
        ("skills/old", Why::Ages),
        ("skills/pdf", Why::Ages),
        ("skills/pinned", Why::Pinned),
        ("skills/plan", Why::Protected),
        ("skills/cat/again", Why::Ages),
        ("skills/young", Why::Shadowed),
    ];
    assert_eq!(why, expected.map(|(dir, why)| (dir.to_owned(), why)));
    let aging = seen.skills.iter().find(|one| one.name == "aging").unwrap();
    assert_eq!(aging.limits, Some((day(-10, 0), day(50, 0))));
    assert_eq!(seen.status.counts.active, 6);
}

#[test]
fn an_interrupted_rollback_and_a_damaged_job_store_are_pointed_out() {
    let mut bench = Bench::new();
    bench.agent_skill("a", day(-100, 0));
    bench.put("skills/.curator_backups/.rollback-staging-x/a/SKILL.md", "x");
    bench.put("cron/jobs.json", "{broken");
    let before = picture(&bench.home);
    let seen = preview(&bench.home, day(0, 0), &bench.settings);
    assert_eq!(seen.warnings.len(), 2, "{:?}", seen.warnings);
    assert_eq!(picture(&bench.home), before);
}
