//! List and view beyond the golden cases.

use std::cell::Cell;

use serde_json::json;

use super::super::testing::{Bench, kind, skill_md};
use super::super::usage::{Counter, UsedBy};
use super::super::{Library, LibraryState, ReadMarks, SkillContext, WriteBack, load, manage, view};
use crate::behaviour::{Behaviour, Settings, Version};
use crate::stores::{Bytes, Content, Entry, Files, FilesError, MemFiles, Stat, TreePath, write_text};
use crate::values::{Draws, Fact, LoadRoute, Seed, SimTime, WriteOrigin};

#[test]
fn a_view_discloses_step_by_step() {
    let mut bench = Bench::new(Version::V0_19)
        .file(
            "skills/ops/demo/SKILL.md",
            "---\nname: demo\ndescription: Demo skill.\nrequired_environment_variables:\n  - TOKEN\n  - {name: OPT, \
             optional: true}\n  - HOST\nsetup: {help: see the wiki}\ncompatibility: any\n---\nSee \
             ${HERMES_SKILL_DIR}/scripts in ${HERMES_SESSION_ID}.\n",
        )
        .file("skills/ops/demo/references/api.md", "API")
        .file(".env", "# x\nexport HOST='h'\nTOKEN=\n");
    insta::assert_snapshot!(bench.view(&json!({"name": "demo"})).text, @r#"{"success": true, "name": "demo", "description": "Demo skill.", "tags": [], "related_skills": [], "content": "---\nname: demo\ndescription: Demo skill.\nrequired_environment_variables:\n  - TOKEN\n  - {name: OPT, optional: true}\n  - HOST\nsetup: {help: see the wiki}\ncompatibility: any\n---\nSee /home/agent/.hermes/skills/ops/demo/scripts in s-1.\n", "path": "ops/demo/SKILL.md", "skill_dir": "/home/agent/.hermes/skills/ops/demo", "linked_files": {"references": ["references/api.md"]}, "usage_hint": "Read a linked file with skill_view, giving the name and its path as file_path.", "required_environment_variables": ["TOKEN", "OPT", "HOST"], "required_commands": [], "missing_required_environment_variables": ["TOKEN"], "missing_credential_files": [], "missing_required_commands": [], "setup_needed": true, "setup_skipped": false, "readiness_status": "setup_needed", "setup_help": "see the wiki", "setup_note": "Set TOKEN before this skill can work.", "compatibility": "any"}"#);
    insta::assert_snapshot!(bench.view(&json!({"name": "demo", "file_path": "references/api.md"})).text, @r#"{"success": true, "name": "demo", "file": "references/api.md", "content": "API", "file_type": ".md"}"#);
    insta::assert_snapshot!(bench.view(&json!({"name": "nope"})).text, @r#"{"success": false, "error": "there is no skill `nope`", "available_skills": ["demo"]}"#);
    insta::assert_json_snapshot!(bench.list(), @r#"
    {
      "categories": [
        "ops"
      ],
      "count": 1,
      "hint": "skill_view with a name shows the whole skill; with file_path one of its files.",
      "skills": [
        {
          "category": "ops",
          "description": "Demo skill.",
          "name": "demo"
        }
      ],
      "success": true
    }
    "#);
}

#[test]
fn loads_are_told_by_their_route_and_counted_by_theirs() {
    let mut bench = Bench::new(Version::V0_19).skill("skills/demo").file("skills/demo/references/a.md", "x");
    let routes: Vec<LoadRoute> = [
        bench.view(&json!({"name": "demo"})),
        bench.view(&json!({"name": "demo", "file_path": "references/a.md"})),
        bench.with(|context| load(context, "demo", UsedBy::User)),
        bench.with(|context| load(context, "demo", UsedBy::Job)),
    ]
    .into_iter()
    .flat_map(|answer| answer.facts)
    .map(|fact| match fact {
        Fact::Load { route, listed: true, .. } => route,
        other => panic!("{other:?}"),
    })
    .collect();
    assert_eq!(routes, [LoadRoute::Index, LoadRoute::Index, LoadRoute::User, LoadRoute::Job]);
    let record = bench.usage(|usage| usage.get("demo"));
    assert_eq!((record.count(Counter::View), record.count(Counter::Use)), (Some(2), Some(4)));
}

#[test]
fn platforms_hide_everywhere_environments_only_from_the_list() {
    let mut bench = Bench::new(Version::V0_19)
        .file("skills/mac/SKILL.md", "---\nname: mac\ndescription: d\nplatforms: [macos]\n---\nx\n")
        .file("skills/board/SKILL.md", "---\nname: board\ndescription: d\nenvironments: kanban\n---\nx\n")
        .file("skills/num/SKILL.md", "---\nname: 5\ndescription: d\n---\nx\n");
    assert_eq!(
        bench.list(),
        json!({
            "success": true, "skills": [], "categories": [], "message": "There are no skills yet.",
        })
    );
    assert_eq!(kind(&bench.view(&json!({"name": "mac"}))), "unsupported-platform");
    assert_eq!(kind(&bench.view(&json!({"name": "board"}))), "ok");
    let mut bench = bench.set("skills.environments", json!(["kanban"])).set("skills.system", "darwin");
    assert_eq!(bench.list()["count"], 2);
}

#[test]
fn early_versions_look_up_by_directory_only() {
    for (version, by_name, climbing) in
        [(Version::V0_16, "not-found", "not-found"), (Version::V0_19, "ok", "path-traversal")]
    {
        let mut bench = Bench::new(version).file("skills/dir/SKILL.md", &skill_md("front"));
        assert_eq!(kind(&bench.view(&json!({"name": "front"}))), by_name);
        assert_eq!(kind(&bench.view(&json!({"name": "dir"}))), "ok");
        assert_eq!(kind(&bench.view(&json!({"name": "../memories"}))), climbing);
    }
}

#[test]
fn no_view_reads_outside_of_the_skill() {
    let mut bench = Bench::new(Version::V0_19)
        .skill("skills/demo")
        .file("memories/MEMORY.md", "secret")
        .link("skills/demo/references/m.md", "../../../memories/MEMORY.md")
        .link("skills/demo/references/etc", "/etc")
        .link("skills/loop/SKILL.md", "SKILL.md")
        .link("skills/far/SKILL.md", "/etc/passwd");
    for path in ["references/m.md", "references/etc/passwd", "/etc/passwd", "../umb", "references/\0"] {
        let answer = bench.view(&json!({"name": "demo", "file_path": path}));
        assert!(matches!(kind(&answer), "path-escape" | "path-traversal"), "{path}: {}", answer.text);
    }
    assert_eq!(kind(&bench.view(&json!({"name": "far"}))), "unreadable");
    assert_eq!(kind(&bench.view(&json!({"name": "loop"}))), "unreadable");
}

/// Counts every look at a tree.
struct Counting {
    inner: MemFiles,
    looks: Cell<usize>,
}

impl Counting {
    fn look(&self) -> &MemFiles {
        self.looks.set(self.looks.get() + 1);
        &self.inner
    }
}

impl Files for Counting {
    fn root(&self) -> &str {
        self.inner.root()
    }
    fn stat(&self, path: &TreePath) -> Result<Option<Stat>, FilesError> {
        self.look().stat(path)
    }
    fn list(&self, path: &TreePath) -> Result<Vec<Entry>, FilesError> {
        self.look().list(path)
    }
    fn read(&self, path: &TreePath) -> Result<Bytes, FilesError> {
        self.look().read(path)
    }
    fn read_link(&self, path: &TreePath) -> Result<String, FilesError> {
        self.look().read_link(path)
    }
    fn revision(&self, path: &TreePath) -> Option<u64> {
        self.inner.revision(path)
    }
    fn replace(&mut self, path: &TreePath, content: Content) -> Result<(), FilesError> {
        self.inner.replace(path, content)
    }
    fn create_dir(&mut self, path: &TreePath) -> Result<(), FilesError> {
        self.inner.create_dir(path)
    }
    fn rename(&mut self, from: &TreePath, to: &TreePath) -> Result<(), FilesError> {
        self.inner.rename(from, to)
    }
    fn remove(&mut self, path: &TreePath) -> Result<(), FilesError> {
        self.inner.remove(path)
    }
    fn with_lock(&mut self, path: &TreePath, body: &mut dyn FnMut(&mut dyn Files)) -> Result<(), FilesError> {
        self.inner.with_lock(path, body)
    }
}

/// Looks that view, patch, write and find cost once the library is known.
fn looks(skills: usize) -> usize {
    let mut inner = MemFiles::new("/home/agent/.hermes");
    for number in 0..skills {
        let path = TreePath::new(&format!("skills/cat{}/skill-{number}/SKILL.md", number % 10));
        write_text(&mut inner, &path, &skill_md(&format!("skill-{number}"))).unwrap();
    }
    let mut home = Counting { inner, looks: Cell::new(0) };
    let behaviour = Behaviour::resolve(&Settings::new(Version::V0_19));
    let mut state = LibraryState::new(WriteBack::Later);
    let mut marks = ReadMarks::new();
    let mut before = 0;
    let calls = [
        json!({"name": "skill-7"}),
        json!({"name": "skill-7"}),
        json!({"action": "patch", "name": "skill-7", "old_string": "thing", "new_string": "job"}),
        json!({"name": "skill-3", "file_path": "SKILL.md"}),
        json!({"action": "create", "name": "fresh", "content": skill_md("fresh")}),
        json!({"action": "write_file", "name": "fresh", "file_path": "references/a.md", "file_content": "a"}),
        json!({"action": "delete", "name": "skill-3"}),
        json!({"name": "fresh"}),
    ];
    for (number, args) in calls.iter().enumerate() {
        if number == 1 {
            before = home.looks.get();
        }
        let mut library = Library::open(&mut home, &mut [], &behaviour.skills);
        let mut context = SkillContext {
            library: &mut library,
            state: &mut state,
            behaviour: &behaviour,
            marks: &mut marks,
            draws: Draws::new(Seed(1)),
            at: SimTime::from_millis(0),
            origin: WriteOrigin::Foreground,
            origin_label: "foreground",
            batch: super::super::Batch::Alone,
            route: LoadRoute::Index,
            listed: &|_| true,
            session: None,
            platform: None,
        };
        let answer =
            if args.get("action").is_some() { manage(&mut context, args) } else { view(&mut context, args) };
        assert_eq!(answer.kind, None, "{}", answer.text);
    }
    home.looks.get() - before
}

#[test]
fn the_cost_of_a_call_does_not_depend_on_the_size_of_the_library() {
    let small = looks(20);
    assert_eq!(small, looks(2000));
    assert!(small < 200, "{small}");
}
