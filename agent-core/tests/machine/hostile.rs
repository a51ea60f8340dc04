//! A home that others have been at: what is broken is named to whoever meets it, stays as it is, and the run goes on.

use agent_core::behaviour::Version;
use agent_core::sessions::SessionStore;
use agent_core::stores::{Content, Files, MemFiles, TreePath};
use agent_core::values::{Fact, Role};
use serde_json::json;

use crate::scene::{Scene, call, create_skill, remember, say, with};

const NOT_TEXT: &[u8] = b"a \xff note";

/// Puts these files and links there.
fn put(home: &mut MemFiles, path: &str, content: Content) {
    let path = TreePath::new(path);
    if let Some(parent) = path.parent() {
        home.create_dir(&parent).expect("nothing is in its place");
    }
    home.replace(&path, content).expect("its folder is there");
}

/// The kinds of the calls that failed in the main conversation, in order.
fn kinds(scene: &Scene) -> Vec<String> {
    let notes = scene.rig.notes.iter().filter(|(_, note)| note.place.role == Role::Main);
    let kinds = notes.filter_map(|(_, note)| match &note.fact {
        Fact::ToolAnswer { end, .. } => end.kind.as_deref().map(str::to_owned),
        _ => None,
    });
    kinds.collect()
}

#[test]
fn broken_stores_are_named_and_the_turns_go_on() {
    for version in Version::ALL {
        let keys = [("memory.nudge_interval", json!(1)), ("skills.creation_nudge_interval", json!(1))];
        let mut scene = Scene::new(with(version, &keys));
        let home = &mut scene.rig.home;
        put(home, "memories/MEMORY.md", Content::bytes(NOT_TEXT.to_vec()));
        put(home, "memories/USER.md", Content::Link("USER.md".to_owned()));
        put(home, "skills/odd/SKILL.md", Content::bytes(NOT_TEXT.to_vec()));
        put(home, "skills/.usage.json", Content::bytes(b"{\"odd\": [1,".to_vec()));
        scene.rig.store = SessionStore::unavailable("database is locked");
        scene.answers(
            Role::Main,
            [
                remember("a fact"),
                call("memory", json!({"action": "add", "target": "user", "content": "a wish"})),
                call("session_search", json!({"query": "fact"})),
                call("skill_view", json!({"name": "odd"})),
                create_skill("good"),
                say("Done."),
            ],
        );
        assert_eq!(scene.turn("s", "Do all of it.").answer.as_deref(), Some("Done."), "{version}");
        assert_eq!(kinds(&scene), ["bad-encoding", "link-loop", "db-unavailable", "unreadable"], "{version}");
        scene.turn("t", "And once more.");
        assert_eq!(scene.review_ends().len(), 2, "{version}: reviews run, too");

        let home = &scene.rig.home;
        let bytes = |path: &str| home.read(&TreePath::new(path)).unwrap().to_vec();
        assert_eq!(bytes("memories/MEMORY.md"), NOT_TEXT, "{version}");
        assert_eq!(bytes("skills/odd/SKILL.md"), NOT_TEXT, "{version}");
        assert_eq!(home.read_link(&TreePath::new("memories/USER.md")).unwrap(), "USER.md", "{version}");
        assert!(scene.home_text("skills/good/SKILL.md").contains("Do it well."), "{version}");
        let error = scene.rig.store.export(1).unwrap_err();
        assert_eq!(error.kind(), "db-unavailable", "{version}: the database is not written over");
    }
}
