//! Failures and crashes at every writing operation: the library is the one from before or the one from after.

use serde_json::{Map, Value};

use super::bench::{Bench, content, day, merge, with_tool};
use crate::behaviour::{Behaviour, Settings};
use crate::curator::backup::{recover, take};
use crate::curator::{CuratorContext, CuratorState, PassOutcome, finish_pass};
use crate::skills::{Library, LibraryState, ReadMarks, WriteBack};
use crate::stores::{FaultPlan, FaultyFiles, Files, MemFiles, TreePath, exists, read_text};

/// Does something to a copy of a home with one failing write after the other, first with one failure each, then with
/// a crash each, until a run needs fewer writes. `check` sees what is left, after a restart.
fn at_every_write(
    home: &MemFiles,
    body: impl Fn(&mut dyn Files),
    mut check: impl FnMut(&mut MemFiles, FaultPlan),
) -> usize {
    let mut most = 0;
    for crash in [false, true] {
        for number in 1.. {
            let plan = if crash { FaultPlan::From(number) } else { FaultPlan::Once(number) };
            let mut copy = home.clone();
            let mut faulty = FaultyFiles::new(&mut copy, plan);
            body(&mut faulty);
            let writes = faulty.writes();
            check(&mut copy, plan);
            if writes < number {
                break;
            }
            most = most.max(number);
        }
    }
    most
}

fn rules(settings: &Settings) -> Behaviour {
    Behaviour::resolve(settings)
}

/// The skills of a library: everything in their directories, by name, in place or archived.
fn skill_content(home: &dyn Files, place: &str) -> Map<String, Value> {
    content(home, place)
}

#[test]
fn the_archive_step_moves_a_skill_or_leaves_it() {
    let mut bench = Bench::careful();
    bench.builtin("pdf");
    bench.put("skills/pdf/scripts/run.sh", "run");
    bench.run(day(0, 0));
    let behaviour = rules(&bench.settings);
    let whole = skill_content(&bench.home, "skills/pdf");
    let writes = at_every_write(
        &bench.home,
        |files| {
            let mut library = Library::open(files, &mut [], &behaviour.skills);
            let (mut skills, mut state) = (LibraryState::new(WriteBack::Now), CuratorState::default());
            let mut context = CuratorContext {
                library: &mut library,
                skills: &mut skills,
                state: &mut state,
                behaviour: &behaviour,
                at: day(3, 0),
            };
            crate::curator::commands::archive(&mut context, "pdf");
        },
        |home, plan| {
            let in_place = exists(home, &TreePath::new("skills/pdf"));
            let archived = exists(home, &TreePath::new("skills/.archive/pdf"));
            assert!(in_place != archived, "{plan:?}");
            let place = if in_place { "skills/pdf" } else { "skills/.archive/pdf" };
            let found = skill_content(home, place);
            assert_eq!(found.len(), whole.len(), "{plan:?}: no part of it stays behind");
            let suppressed =
                read_text(home, &TreePath::new("skills/.curator_suppressed")).unwrap_or_default();
            assert!(in_place || suppressed.contains("pdf"), "{plan:?}: an archived built-in is kept away");
        },
    );
    assert!(writes >= 4, "suppression, archive, move, records: {writes}");
}

fn two_states() -> (Bench, Map<String, Value>, Map<String, Value>) {
    let mut bench = Bench::careful();
    for name in ["alpha", "beta", "gamma"] {
        bench.agent_skill(name, day(0, 0));
    }
    bench.put("skills/alpha/references/deep/x.md", "x");
    bench.put("skills/.archive/old/SKILL.md", "old");
    let behaviour = rules(&bench.settings);
    let taken = take(
        &mut FaultyFiles::new(&mut bench.home, FaultPlan::Never),
        &mut crate::curator::backup::Shelf::default(),
        &TreePath::new("skills"),
        &behaviour.curator.backup,
        behaviour.skills.excluded,
        ("test", day(1, 0)),
        &[].into(),
    );
    assert!(taken.is_some());
    let snapshot = library_of(&bench.home);
    bench.usage(day(2, 0), |usage| drop(usage.archive("beta")));
    bench.agent_skill("delta", day(2, 0));
    bench.put("skills/alpha/SKILL.md", "changed");
    bench.put("skills/.curator_state", "{\"run_count\": 3}");
    let live = library_of(&bench.home);
    (bench, snapshot, live)
}

/// Everything below `skills/` but the snapshots.
fn library_of(home: &dyn Files) -> Map<String, Value> {
    content(home, "skills")
        .into_iter()
        .filter(|(path, _)| !path.starts_with("skills/.curator_backups"))
        .collect()
}

#[test]
fn a_rollback_is_done_or_not() {
    let (bench, snapshot, live) = two_states();
    assert_ne!(snapshot, live);
    let behaviour = rules(&bench.settings);
    let skills = TreePath::new("skills");
    let mut done = [false, false];
    let writes = at_every_write(
        &bench.home,
        |files| {
            let mut library = Library::open(files, &mut [], &behaviour.skills);
            let (mut skills, mut state) = (LibraryState::new(WriteBack::Now), CuratorState::default());
            let mut context = CuratorContext {
                library: &mut library,
                skills: &mut skills,
                state: &mut state,
                behaviour: &behaviour,
                at: day(3, 0),
            };
            context.rollback(None);
        },
        |home, plan| {
            // A failure is mended at once, a crash when the home is looked at again.
            if matches!(plan, FaultPlan::From(_)) {
                recover(home, &skills, &behaviour.curator.backup);
            }
            let found = library_of(home);
            assert!(found == snapshot || found == live, "{plan:?}: {:?}", found.keys().collect::<Vec<_>>());
            done[usize::from(found == snapshot)] = true;
            let twice = recover(home, &skills, &behaviour.curator.backup);
            assert_eq!(library_of(home), found, "{plan:?}: looking again changes nothing");
            assert!(twice.undone.is_empty() && twice.kept.is_empty(), "{plan:?}: {twice:?}");
        },
    );
    assert_eq!(done, [true, true]);
    assert!(writes > 20, "{writes}");
}

#[test]
fn a_merge_loses_no_skill_and_no_job() {
    let mut bench = Bench::careful();
    for name in ["umb", "small", "other"] {
        bench.agent_skill(name, day(0, 0));
    }
    bench.put("skills/small/references/x.md", "x");
    bench.jobs(&["small", "other"]);
    let start = bench.begin(day(20, 0));
    let (behaviour, at) = (rules(&bench.settings), day(20, 1));
    let before = bench.home.clone();
    let whole = skill_content(&before, "skills/small").len();
    let mut ends = [false, false];
    let writes = at_every_write(
        &bench.home,
        |files| {
            let mut start = start.clone();
            let (mut skills, mut marks) = (LibraryState::new(WriteBack::Now), ReadMarks::new());
            let mut library = Library::open(files, &mut [], &behaviour.skills);
            let calls = with_tool(&mut library, &mut skills, &mut marks, &behaviour, at, |context| {
                merge(context, &mut start, "small", "umb")
            });
            let mut state = CuratorState::default();
            let mut context = CuratorContext {
                library: &mut library,
                skills: &mut skills,
                state: &mut state,
                behaviour: &behaviour,
                at,
            };
            let outcome = PassOutcome { tool_calls: calls, ..PassOutcome::default() };
            finish_pass(&mut context, start, outcome);
        },
        |home, plan| {
            let text = |path: &str| read_text(home, &TreePath::new(path)).unwrap_or_default();
            let in_place = exists(home, &TreePath::new("skills/small"));
            let archived = exists(home, &TreePath::new("skills/.archive/small"));
            assert!(in_place != archived, "{plan:?}");
            let place = if in_place { "skills/small" } else { "skills/.archive/small" };
            assert_eq!(skill_content(home, place).len(), whole, "{plan:?}");
            let umbrella = text("skills/umb/SKILL.md");
            assert!(umbrella.contains("First do the umb thing."), "{plan:?}");
            assert!(
                in_place || umbrella.contains("First do the small thing."),
                "{plan:?}: absorbed before archived"
            );
            let store: Value = serde_json::from_str(&text("cron/jobs.json")).unwrap();
            for job in store["jobs"].as_array().unwrap() {
                let skill = job["skills"][0].as_str().unwrap();
                let there = exists(home, &TreePath::new(&format!("skills/{skill}/SKILL.md")));
                assert!(there, "{plan:?}: a job points at {skill}, which is gone");
            }
            serde_json::from_str::<Value>(&text("skills/.usage.json")).unwrap();
            ends[usize::from(archived)] = true;
        },
    );
    assert_eq!(ends, [true, true]);
    assert!(writes >= 8, "{writes}");
}

#[test]
fn a_snapshot_is_whole_or_not_listed() {
    let mut bench = Bench::careful();
    bench.agent_skill("alpha", day(0, 0));
    let behaviour = rules(&bench.settings);
    let before = library_of(&bench.home);
    at_every_write(
        &bench.home,
        |files| {
            let mut library = Library::open(files, &mut [], &behaviour.skills);
            let (mut skills, mut state) = (LibraryState::new(WriteBack::Now), CuratorState::default());
            let mut context = CuratorContext {
                library: &mut library,
                skills: &mut skills,
                state: &mut state,
                behaviour: &behaviour,
                at: day(1, 0),
            };
            context.snapshot("test");
        },
        |home, plan| {
            assert_eq!(library_of(home), before, "{plan:?}");
            for snapshot in crate::curator::backup::list(home, &TreePath::new("skills")) {
                assert_eq!(snapshot.skill_files(), Some(1), "{plan:?}: a listed one has its manifest");
            }
        },
    );
}
