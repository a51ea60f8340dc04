//! Usage beyond the golden cases: versions, other writers, shared stores, faults.

use serde_json::json;

use super::*;
use crate::behaviour::{Behaviour, Origin, Settings, SkillRules, Version};
use crate::skills::{Library, LibraryState, WriteBack};
use crate::stores::{
    FaultPlan, FaultyFiles, Files, MemFiles, SharedRoot, TreePath, exists, read_text, write_text,
};
use crate::values::Stamp;

const SIDECAR: &str = "skills/.usage.json";

fn rules(version: Version) -> SkillRules {
    Behaviour::resolve(&Settings::new(version)).skills
}

fn without_faults(version: Version) -> SkillRules {
    let mut settings = Settings::new(version);
    settings.faults_off(&Origin::CommandLine);
    Behaviour::resolve(&settings).skills
}

fn at(text: &str) -> Stamp {
    Stamp::parse(text).unwrap()
}

fn put(files: &mut dyn Files, path: &str, text: &str) {
    write_text(files, &TreePath::new(path), text).unwrap();
}

fn skill(files: &mut dyn Files, dir: &str, name: &str) {
    put(files, &format!("{dir}/SKILL.md"), &format!("---\nname: {name}\ndescription: d\n---\nx\n"));
}

fn home() -> MemFiles {
    let mut files = MemFiles::new("/home/agent/.hermes");
    for name in ["own", "bun", "hub"] {
        skill(&mut files, &format!("skills/{name}"), name);
    }
    put(&mut files, "skills/.bundled_manifest", "bun:1\n\n : x\n");
    put(&mut files, "skills/.hub/lock.json", r#"{"installed": {"hub": {}}}"#);
    files
}

#[test]
fn early_versions_record_only_what_was_made_here() {
    for (version, recorded) in [
        (Version::April2026, vec![]),
        (Version::V0_13, vec!["own"]),
        (Version::V0_16, vec!["bun", "hub", "own"]),
        (Version::September2026, vec!["bun", "hub", "own"]),
    ] {
        let (mut files, rules) = (home(), rules(version));
        let mut state = LibraryState::new(WriteBack::Later);
        let mut library = Library::open(&mut files, &mut [], &rules);
        let mut usage = Usage::new(&mut library, &mut state, &rules, at("2026-05-01"));
        for name in ["own", "bun", "hub"] {
            usage.count_view(name);
        }
        let names: Vec<_> = state.book.iter().map(|(name, _)| name.to_owned()).collect();
        assert_eq!(names, recorded, "{version}");
    }
}

#[test]
fn a_view_and_a_use_move_apart_only_by_rule() {
    let mut files = home();
    let mut rules = rules(Version::September2026);
    rules.usage.view_counts_as_use = false;
    let mut state = LibraryState::default();
    let mut library = Library::open(&mut files, &mut [], &rules);
    let mut usage = Usage::new(&mut library, &mut state, &rules, at("2026-05-01"));
    usage.count_view("own");
    usage.count_load("own", UsedBy::User);
    usage.count_load("own", UsedBy::Job);
    let record = usage.get("own");
    assert_eq!((record.count(Counter::View), record.count(Counter::Use)), (Some(1), Some(2)));
    rules.usage.count_jobs = false;
    let mut usage = Usage::new(&mut library, &mut state, &rules, at("2026-05-01"));
    usage.count_load("own", UsedBy::Job);
    assert_eq!(usage.get("own").count(Counter::Use), Some(2));
}

#[test]
fn another_writer_is_noticed_and_unwritten_changes_stay() {
    let (mut files, rules) = (home(), rules(Version::V0_19));
    put(&mut files, SIDECAR, r#"{"own": {"use_count": 1}, "bun": {"use_count": 1}}"#);
    let mut state = LibraryState::new(WriteBack::Later);
    {
        let mut library = Library::open(&mut files, &mut [], &rules);
        Usage::new(&mut library, &mut state, &rules, at("2026-05-01")).use_("own");
    }
    assert!(read_text(&files, &TreePath::new(SIDECAR)).unwrap().contains(r#"{"use_count": 1}"#));
    put(&mut files, SIDECAR, r#"{"own": {"use_count": 7}, "bun": {"use_count": 9}, "new": {}}"#);
    let mut library = Library::open(&mut files, &mut [], &rules);
    state.flush(&mut library);
    let usage = Usage::new(&mut library, &mut state, &rules, at("2026-05-02"));
    let count = |name: &str| usage.get(name).count(Counter::Use);
    assert_eq!((count("own"), count("bun"), count("new")), (Some(2), Some(9), Some(0)));
    assert!(usage.stored("new").is_some());
}

#[test]
fn a_count_touches_no_file_and_leaves_the_catalogue_valid() {
    let (mut files, rules) = (home(), rules(Version::V0_19));
    let mut state = LibraryState::new(WriteBack::Later);
    let mut library = Library::open(&mut files, &mut [], &rules);
    let mut usage = Usage::new(&mut library, &mut state, &rules, at("2026-05-01"));
    assert!(usage.is_eligible("own"));
    usage.count_view("own");
    state.flush_if_due(&mut library);
    assert!(!exists(library.home(), &TreePath::new(SIDECAR)));
    state.flush(&mut library);
    assert!(exists(library.home(), &TreePath::new(SIDECAR)));
    assert!(state.catalogue.is_current(&library));
}

#[test]
fn a_failed_write_is_made_up_for_later() {
    let (mut files, rules) = (home(), rules(Version::V0_19));
    let mut state = LibraryState::default();
    for plan in [FaultPlan::From(1), FaultPlan::Never] {
        let mut faulty = FaultyFiles::new(&mut files, plan);
        let mut library = Library::open(&mut faulty, &mut [], &rules);
        Usage::new(&mut library, &mut state, &rules, at("2026-05-01")).use_("own");
        state.flush(&mut library);
    }
    let text = read_text(&files, &TreePath::new(SIDECAR)).unwrap();
    assert!(text.contains(r#""use_count": 2"#), "{text}");
}

#[test]
fn the_file_is_written_as_python_writes_it() {
    let mut files = MemFiles::new("/home/agent/.hermes");
    let rules = rules(Version::V0_19);
    let mut state = LibraryState::default();
    put(&mut files, SIDECAR, r#"{"ключ": {"zz": {"b": [], "a": 1}, "use_count": 0}}"#);
    let mut library = Library::open(&mut files, &mut [], &rules);
    Usage::new(&mut library, &mut state, &rules, at("2026-05-01T10:00:00.25+02:00")).use_("ключ");
    state.flush(&mut library);
    insta::assert_snapshot!(read_text(&files, &TreePath::new(SIDECAR)).unwrap(), @r#"
    {
      "ключ": {
        "last_used_at": "2026-05-01T08:00:00.250000+00:00",
        "use_count": 1,
        "zz": {
          "a": 1,
          "b": []
        }
      }
    }
    "#);
}

#[test]
fn restore_prefixes_are_loose_in_early_versions() {
    for (version, found) in [(Version::V0_16, true), (Version::V0_19, false)] {
        let (mut files, rules) = (home(), rules(version));
        skill(&mut files, "skills/.archive/git-helpers", "git-helpers");
        let mut state = LibraryState::default();
        let mut library = Library::open(&mut files, &mut [], &rules);
        let restored = Usage::new(&mut library, &mut state, &rules, at("2026-05-01")).restore("git");
        assert_eq!(restored.is_ok(), found, "{version}");
    }
}

#[test]
fn without_the_fault_the_newest_archived_skill_comes_back() {
    let mut files = home();
    skill(&mut files, "skills/.archive/demo", "first");
    skill(&mut files, "skills/.archive/demo-20260501080000", "second");
    put(&mut files, "skills/.archive/demo/references/a.md", "x");
    let rules = without_faults(Version::V0_19);
    let mut state = LibraryState::default();
    let mut library = Library::open(&mut files, &mut [], &rules);
    let mut usage = Usage::new(&mut library, &mut state, &rules, at("2026-06-01"));
    assert_eq!(usage.restore("references").unwrap_err(), RestoreError::NotFound);
    assert_eq!(usage.restore("demo").unwrap().from.path.name(), "demo-20260501080000");
}

#[test]
fn a_dead_name_hands_its_record_on_only_with_the_fault() {
    for (rules, inherits) in [(rules(Version::V0_19), true), (without_faults(Version::V0_19), false)] {
        let mut files = home();
        let mut state = LibraryState::default();
        let mut library = Library::open(&mut files, &mut [], &rules);
        let mut usage = Usage::new(&mut library, &mut state, &rules, at("2026-05-01"));
        usage.use_("own");
        usage.archive("own").unwrap();
        usage.begin_life("own");
        usage.mark_agent_created("own");
        let record = usage.get("own");
        assert_eq!(record.state() == Some(SkillState::Archived), inherits);
        assert_eq!(record.count(Counter::Use), Some(i64::from(inherits)));
    }
}

#[test]
fn users_of_a_shared_store_keep_their_own_records() {
    let rules = rules(Version::V0_19);
    let mut team = MemFiles::new("/org/skills");
    skill(&mut team, "deploy", "deploy");
    let mut homes = [MemFiles::new("/home/a/.hermes"), MemFiles::new("/home/b/.hermes")];
    let mut states = [LibraryState::default(), LibraryState::default()];
    for (number, (home, state)) in homes.iter_mut().zip(&mut states).enumerate() {
        let mut shared = [SharedRoot { path: "/org/skills", files: &mut team, writable: true }];
        let mut library = Library::open(home, &mut shared, &rules);
        let mut usage = Usage::new(&mut library, state, &rules, at("2026-05-01"));
        usage.use_("deploy");
        if number == 0 {
            usage.mark_agent_created("deploy");
        }
        assert_eq!(usage.candidates().len(), usize::from(number == 0));
        usage.flush();
    }
    let mut shared = [SharedRoot { path: "/org/skills", files: &mut team, writable: true }];
    let mut library = Library::open(&mut homes[0], &mut shared, &rules);
    Usage::new(&mut library, &mut states[0], &rules, at("2026-09-01")).archive("deploy").unwrap();
    assert!(exists(&team, &TreePath::new(".archive/deploy/SKILL.md")), "one user archives what another uses");
    let mut shared = [SharedRoot { path: "/org/skills", files: &mut team, writable: true }];
    let mut library = Library::open(&mut homes[1], &mut shared, &rules);
    let usage = Usage::new(&mut library, &mut states[1], &rules, at("2026-09-01"));
    assert_eq!(usage.get("deploy").to_value()["state"], json!("active"));
}
