//! The index over changing libraries.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::behaviour::{Behaviour, Origin, Settings, Version};
use crate::prompt::library::PromptLibrary;
use crate::skills::Library;
use crate::stores::{Content, Files, MemFiles, SharedRoot, TreePath, read_text, write_text};
use crate::values::SimTime;

const SNAPSHOT: &str = ".skills_prompt_snapshot.json";

struct World {
    home: MemFiles,
    store: MemFiles,
    behaviour: Behaviour,
    texts: PromptLibrary,
}

impl World {
    fn new(set: impl Fn(&mut Settings)) -> Self {
        let mut settings = Settings::new(Version::V0_19);
        set(&mut settings);
        let behaviour = Behaviour::resolve(&settings);
        let texts = PromptLibrary::new(&behaviour.prompt.texts);
        let (mut home, store) = (MemFiles::new("/home/agent/.hermes"), MemFiles::new("/srv/skills"));
        home.create_dir(&TreePath::new("skills")).unwrap();
        Self { home, store, behaviour, texts }
    }

    fn without_faults() -> Self {
        Self::new(|settings| settings.faults_off(&Origin::CommandLine))
    }

    fn skill(&mut self, path: &str, header: &str) {
        let path = TreePath::new(&format!("skills/{path}/SKILL.md"));
        write_text(&mut self.home, &path, &format!("---\n{header}\n---\nBody of {path}.\n")).unwrap();
    }

    fn block(&mut self, index: &mut SkillIndex) -> Arc<IndexBlock> {
        let mut shared = [SharedRoot { path: "/srv/skills", files: &mut self.store, writable: true }];
        let mut skills = Library::open(&mut self.home, &mut shared, &self.behaviour.skills);
        let context = IndexContext {
            texts: &self.texts,
            rules: self.behaviour.prompt.index,
            skill_rules: &self.behaviour.skills,
        };
        index.block(&IndexQuery { platform: "cli", ..IndexQuery::default() }, &mut skills, &context)
    }

    /// What a process without any memory would show.
    fn fresh(&mut self) -> Arc<IndexBlock> {
        self.block(&mut SkillIndex::default())
    }
}

fn names(block: &IndexBlock) -> Vec<&str> {
    block.listed.iter().map(|(name, _)| &**name).collect()
}

#[test]
fn the_block_reads_well() {
    let mut world = World::new(|_| ());
    world.skill("devops/k8s", "name: flask-k8s-deploy\ndescription: Deploy a Flask app to Kubernetes");
    world.skill("devops/dns", "name: dns");
    insta::assert_snapshot!(world.fresh().text);
}

#[test]
fn an_unchanged_library_gives_the_same_block_at_once() {
    let mut world = World::new(|_| ());
    world.skill("d/x", "name: x\ndescription: y");
    let mut index = SkillIndex::default();
    let first = world.block(&mut index);
    assert!(Arc::ptr_eq(&first, &world.block(&mut index)));
    index.new_process();
    let second = world.block(&mut index);
    index.new_process();
    // The sidecar lies in the same directory as the skills and changes all the time.
    write_text(&mut world.home, &TreePath::new("skills/.usage.json"), "{}").unwrap();
    assert!(Arc::ptr_eq(&second, &world.block(&mut index)));
    assert_eq!(first, second);
}

#[test]
fn a_process_does_not_see_what_others_change_unless_the_fault_is_off() {
    for (mut world, seen) in [(World::new(|_| ()), vec!["x"]), (World::without_faults(), vec!["new", "x"])] {
        world.skill("d/x", "name: x");
        let mut index = SkillIndex::default();
        world.block(&mut index);
        world.skill("d/new", "name: new");
        assert_eq!(names(&world.block(&mut index)), seen);
        index.skill_written(&mut world.home);
        assert_eq!(names(&world.block(&mut index)), ["new", "x"]);
    }
}

#[test]
fn environments_hide_a_skill_from_either_source_once_the_fault_is_off() {
    for (mut world, from_disk) in [(World::new(|_| ()), vec!["w", "x"]), (World::without_faults(), vec!["w"])]
    {
        world.skill("d/x", "name: x\ndescription: hidden\nenvironments: [kanban]");
        world.skill("d/w", "name: w");
        let mut index = SkillIndex::default();
        assert_eq!(names(&world.block(&mut index)), ["w"]);
        index.new_process();
        assert_eq!(names(&world.block(&mut index)), from_disk);
        assert_eq!(names(&world.fresh()), from_disk);
    }
}

#[test]
fn a_damaged_or_foreign_snapshot_is_not_used() {
    let mut world = World::new(|_| ());
    world.skill("d/x", "name: x\ndescription: y");
    let good = world.fresh();
    let path = TreePath::new(SNAPSHOT);
    let written = read_text(&world.home, &path).unwrap();
    for bad in ["", "[]", "{\"version\": 1}", &written.replace("\"version\":1", "\"version\":2")] {
        write_text(&mut world.home, &path, bad).unwrap();
        assert_eq!(world.fresh(), good, "{bad}");
        assert_eq!(read_text(&world.home, &path).unwrap(), written);
    }
    // What cannot be written is done without.
    world.home.remove(&path).unwrap();
    world.home.create_dir(&path).unwrap();
    assert_eq!(world.fresh(), good);
}

#[test]
fn a_shared_store_comes_second_and_never_hides_an_own_skill() {
    let mut world = World::without_faults();
    world.skill("d/x", "name: x\ndescription: own");
    for (path, header) in [
        ("d/x", "name: x\ndescription: shared"),
        ("e/z", "name: z\ndescription: shared"),
        ("d", "description: shared words"),
    ] {
        let file = if path == "d" { "DESCRIPTION.md" } else { "SKILL.md" };
        let path = TreePath::new(&format!("{path}/{file}"));
        write_text(&mut world.store, &path, &format!("---\n{header}\n---\n")).unwrap();
    }
    let mut index = SkillIndex::default();
    let shown: Vec<String> =
        world.block(&mut index).listed.iter().map(|(name, words)| format!("{name}: {words}")).collect();
    assert_eq!(shown, ["x: own", "z: shared"]);
    assert!(world.fresh().text.contains("  d: shared words\n"));
}

#[test]
fn links_are_followed_and_cannot_run_in_circles() {
    let mut world = World::without_faults();
    world.skill("d/x", "name: x");
    let mut link = |at: &str, to: &str| {
        world.home.replace(&TreePath::new(at), Content::Link(to.to_owned())).unwrap();
    };
    link("skills/d/loop", "..");
    link("skills/d/self", "self");
    link("skills/other", "d/x");
    link("skills/out", "/etc");
    link("skills/store", "/srv/skills");
    link("skills/d/broken", "none");
    write_text(&mut world.store, &TreePath::new("s/SKILL.md"), "---\nname: s\n---\n").unwrap();
    let mut index = SkillIndex::default();
    let text = world.block(&mut index).text.to_string();
    assert!(text.contains("  d:\n    - x\n") && text.contains("  other:\n    - x\n"), "{text}");
    assert!(text.contains("  store:\n    - s\n"), "{text}");
    // A link's target changes without any directory above the link.
    write_text(&mut world.store, &TreePath::new("s/SKILL.md"), "---\nname: renamed\n---\n").unwrap();
    assert!(world.block(&mut index).text.contains("  store:\n    - renamed\n"));
}

#[test]
fn many_links_to_each_other_end() {
    let mut world = World::without_faults();
    for from in 0..12 {
        world.skill(&format!("c{from}/x"), &format!("name: x{from}"));
        for to in 0..12 {
            let at = TreePath::new(&format!("skills/c{from}/to{to}"));
            world.home.replace(&at, Content::Link(format!("../c{to}"))).unwrap();
        }
    }
    assert!(names(&world.fresh()).contains(&"x11"));
}

#[test]
fn a_static_library_can_be_written_out_whole() {
    let mut world = World::new(|settings| {
        settings.set("prompt.skills_block", "full".into(), Origin::CommandLine).unwrap();
    });
    world.skill("d/x", "name: x\ndescription: y");
    let mut index = SkillIndex::default();
    for _ in 0..2 {
        let text = world.block(&mut index).text.to_string();
        assert!(text.ends_with(
            "<skill name=\"x\">\n---\nname: x\ndescription: y\n---\nBody of skills/d/x/SKILL.md.\n</skill>"
        ));
        index.new_process();
    }
}

#[test]
fn a_process_keeps_eight_blocks() {
    let mut world = World::new(|_| ());
    world.skill("d/x", "name: x");
    let mut index = SkillIndex::default();
    let mut ask = |world: &mut World, platform: &str| {
        let mut skills = Library::open(&mut world.home, &mut [], &world.behaviour.skills);
        let context = IndexContext {
            texts: &world.texts,
            rules: world.behaviour.prompt.index,
            skill_rules: &world.behaviour.skills,
        };
        let query = IndexQuery { platform, ..IndexQuery::default() };
        names(&index.block(&query, &mut skills, &context)).len()
    };
    for platform in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        assert_eq!(ask(&mut world, platform), 1);
    }
    world.skill("d/new", "name: new");
    // `a` is still known; the ninth question pushes out the one asked longest ago, which is `b` then.
    assert_eq!((ask(&mut world, "a"), ask(&mut world, "i")), (1, 2));
    assert_eq!((ask(&mut world, "c"), ask(&mut world, "b")), (1, 2));
}

/// A change of a library.
#[derive(Clone, Debug)]
enum Change {
    Write(usize, usize),
    Category(usize, usize),
    Remove(usize),
    Move(usize, usize),
    Link(usize, usize),
    Process,
    Managed,
}

fn change() -> impl Strategy<Value = Change> {
    let place = 0..PLACES.len();
    prop_oneof![
        (place.clone(), 0..4usize).prop_map(|(at, words)| Change::Write(at, words)),
        (place.clone(), 0..3usize).prop_map(|(at, words)| Change::Category(at, words)),
        place.clone().prop_map(Change::Remove),
        (place.clone(), place.clone()).prop_map(|(from, to)| Change::Move(from, to)),
        (place.clone(), place).prop_map(|(from, to)| Change::Link(from, to)),
        Just(Change::Process),
        Just(Change::Managed),
    ]
}

const PLACES: [&str; 6] = ["a", "a/x", "a/y", "b/x", "b/x/references", "b/z/deep"];

fn apply(world: &mut World, index: &mut SkillIndex, step: &Change) {
    let dir = |at: &usize| TreePath::new(&format!("skills/{}", PLACES[*at]));
    match step {
        Change::Write(at, words) => {
            let text = format!("---\nname: n{words}\ndescription: {}\n---\n", "w".repeat(*words));
            drop(write_text(&mut world.home, &dir(at).join("SKILL.md").unwrap(), &text));
        }
        Change::Category(at, words) => {
            let text = format!("---\ndescription: {}\n---\n", "c".repeat(*words));
            drop(write_text(&mut world.home, &dir(at).join("DESCRIPTION.md").unwrap(), &text));
        }
        Change::Remove(at) => drop(crate::stores::remove_tree(&mut world.home, &dir(at))),
        Change::Move(from, to) => drop(world.home.rename(&dir(from), &dir(to))),
        Change::Link(at, to) => {
            let target = Content::Link(format!("/home/agent/.hermes/skills/{}", PLACES[*to]));
            drop(world.home.replace(&dir(at), target));
        }
        Change::Process => index.new_process(),
        Change::Managed => index.skill_written(&mut world.home),
    }
}

/// Directories that one write made have one revision; a link that leads to the outer one instead of the inner one is new.
#[test]
fn a_link_that_leads_elsewhere_is_followed_anew() {
    let mut world = World::without_faults();
    let mut index = SkillIndex::default();
    for step in [Change::Write(0, 0), Change::Write(4, 0), Change::Link(2, 4), Change::Link(2, 3)] {
        apply(&mut world, &mut index, &step);
        let remembered = world.block(&mut index);
        drop(world.home.remove(&TreePath::new(SNAPSHOT)));
        assert_eq!(*remembered, *world.fresh(), "{step:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 4, ..ProptestConfig::default() })]

    /// Whatever happened to a library, the memory shows what a first look would show.
    #[test]
    fn memory_has_no_effect(steps in proptest::collection::vec(change(), 1..24)) {
        let mut world = World::without_faults();
        let mut index = SkillIndex::default();
        for (number, step) in steps.iter().enumerate() {
            world.home.set_now(SimTime::from_millis(1_000 * i64::try_from(number).unwrap()));
            apply(&mut world, &mut index, step);
            let remembered = world.block(&mut index);
            drop(world.home.remove(&TreePath::new(SNAPSHOT)));
            prop_assert_eq!(&*remembered, &*world.fresh());
        }
    }
}
