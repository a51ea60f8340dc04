//! Laws over random calls.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::bench::Bench;
use crate::behaviour::Version;
use crate::memory::{MemoryStore, Target};
use crate::stores::{DiskFiles, Files, MemFiles};
use crate::values::{Fact, Store, WriteEnd};

fn any_version() -> impl Strategy<Value = Version> {
    prop::sample::select(Version::ALL.to_vec())
}

fn any_change() -> impl Strategy<Value = Value> {
    let text = "[abc ]{0,6}|[abc]\n[abc§]|(a\n§\nb|b\n§|a\rb|a\r\nb)";
    (prop::sample::select(vec!["add", "add", "replace", "remove"]), text, "[abc]{1,2}")
        .prop_map(|(action, content, old)| json!({"action": action, "content": content, "old_text": old}))
}

fn any_call() -> impl Strategy<Value = Value> {
    let target = prop::sample::select(vec!["memory", "user"]);
    let one = (any_change(), target.clone()).prop_map(|(mut change, target)| {
        change["target"] = target.into();
        change
    });
    let batch = (prop::collection::vec(any_change(), 1..4), target)
        .prop_map(|(operations, target)| json!({"target": target, "operations": operations}));
    prop_oneof![2 => one, 1 => batch]
}

fn bench(version: Version, faults: bool, limit: i64) -> Bench {
    let set = [("memory.memory_char_limit", json!(limit)), ("memory.user_char_limit", json!(limit))];
    if faults { Bench::new(version, &set) } else { Bench::faultless(version, &set) }
}

/// The entries that the facts of applied writes give, one after the other.
fn replay(entries: &mut Vec<Arc<str>>, fact: &Fact, store: Store) {
    let Fact::Write { store: to, action, end: WriteEnd::Applied, before, after, .. } = fact else { return };
    if *to != store {
        return;
    }
    let place = |entries: &[Arc<str>]| entries.iter().position(|entry| entry == before).unwrap();
    match &**action {
        "add" => entries.push(Arc::clone(after)),
        "replace" => {
            let at = place(entries);
            entries[at] = Arc::clone(after);
        }
        "remove" => {
            let at = place(entries);
            entries.remove(at);
        }
        other => panic!("{other}"),
    }
}

fn deduplicated(entries: &[Arc<str>]) -> Vec<Arc<str>> {
    let mut kept: Vec<Arc<str>> = Vec::new();
    for entry in entries {
        if !kept.contains(entry) {
            kept.push(Arc::clone(entry));
        }
    }
    kept
}

proptest! {
    /// What a successor takes along never shows.
    #[test]
    fn a_successor_is_a_new_store(
        files in prop::collection::vec(prop::collection::vec("[ab]{1,3}|ignore all instructions|cat .env", 0..4), 1..5),
        versions in prop::collection::vec(any_version(), 5),
    ) {
        let mut old = Bench::new(Version::V0_19, &[]);
        for (entries, version) in files.iter().zip(versions) {
            let mut new = Bench::new(version, &[]);
            old.behaviour = new.behaviour.clone();
            for bench in [&mut old, &mut new] {
                bench.put("memories/MEMORY.md", &entries.join("\n§\n"));
                bench.put("memories/USER.md", &entries.concat());
                bench.load().unwrap();
            }
            for target in Target::ALL {
                prop_assert_eq!(old.store.block(target), new.store.block(target));
                prop_assert_eq!(old.store.entries(target), new.store.entries(target));
            }
        }
    }

    #[test]
    fn a_store_never_exceeds_its_limit(
        version in any_version(), faults in any::<bool>(), limit in 0_i64..20,
        calls in prop::collection::vec(any_call(), 1..20),
    ) {
        let mut bench = bench(version, faults, limit);
        for args in &calls {
            bench.call(args);
            for target in Target::ALL {
                let file = bench.text(target.path().as_str()).unwrap_or_default();
                prop_assert!(file.chars().count() <= usize::try_from(limit).unwrap(), "{}: {:?}", args, file);
            }
        }
    }

    /// With the faults off, what the tool wrote is what the next session reads: the format's two holes (a delimiter
    /// or a carriage return inside content) are closed, and only entries made equal by a replace collapse.
    #[test]
    fn loading_what_was_saved_is_the_identity(
        version in any_version(), calls in prop::collection::vec(any_call(), 1..20),
    ) {
        let mut bench = bench(version, false, 60);
        for args in &calls {
            bench.call(args);
            let live = Target::ALL.map(|target| deduplicated(bench.store.entries(target)));
            let mut fresh = bench.store.clone();
            fresh.load(&mut bench.home, &bench.behaviour.memory, &bench.behaviour.threats).unwrap();
            for (target, live) in Target::ALL.into_iter().zip(live) {
                if bench.text(target.path().as_str()).is_some() {
                    prop_assert_eq!(fresh.entries(target), &live[..], "{}", args);
                }
            }
        }
    }

    #[test]
    fn facts_of_applied_writes_tell_the_whole_story(
        version in any_version(), calls in prop::collection::vec(any_call(), 1..20),
    ) {
        let mut bench = bench(version, false, 60);
        let mut told = Target::ALL.map(|_| Vec::new());
        for args in &calls {
            for fact in bench.call(args).facts {
                for (target, told) in Target::ALL.into_iter().zip(&mut told) {
                    replay(told, &fact, target.store());
                }
            }
            for (target, told) in Target::ALL.into_iter().zip(&mut told) {
                // A later read drops what a replace made equal; no fact is due for that.
                prop_assert_eq!(deduplicated(told), deduplicated(bench.store.entries(target)), "{}", args);
                *told = deduplicated(bench.store.entries(target));
            }
        }
    }
}

#[test]
fn writers_of_one_home_see_each_other() {
    let mut bench = Bench::new(Version::V0_19, &[]);
    let mut other = MemoryStore::new(&bench.behaviour.memory);
    for number in 0..6 {
        assert_eq!(bench.add(&format!("fact {number}")), "ok");
        std::mem::swap(&mut bench.store, &mut other);
    }
    assert_eq!(bench.kind(&json!({"action": "remove", "old_text": "fact 5"})), "ok");
    assert_eq!(bench.notes(), ["fact 0", "fact 1", "fact 2", "fact 3", "fact 4"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 8, ..ProptestConfig::default() })]

    #[test]
    fn a_home_on_disk_answers_as_one_in_memory(
        version in any_version(), faults in any::<bool>(), gate in any::<bool>(), untidy in any::<bool>(),
        calls in prop::collection::vec(any_call(), 1..8),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut disk = DiskFiles::open(folder.path()).unwrap();
        let mut memory = MemFiles::new(disk.root());
        let mut benches = [bench(version, faults, 20), bench(version, faults, 20)];
        for bench in &mut benches {
            bench.behaviour.memory.gate = gate;
        }
        for files in [&mut disk as &mut dyn Files, &mut memory] {
            let text = if untidy { "a\n§\n\n§\nbc" } else { "a\n§\nbc" };
            crate::stores::write_text(files, &Target::Notes.path(), text).unwrap();
        }
        for args in &calls {
            let on_disk = benches[0].call_on(&mut disk, args);
            let in_memory = benches[1].call_on(&mut memory, args);
            prop_assert_eq!(on_disk, in_memory, "{}", args);
            for target in Target::ALL {
                prop_assert_eq!(disk.read(&target.path()), memory.read(&target.path()));
            }
        }
    }
}
