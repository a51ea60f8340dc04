//! Laws over any sequence of calls.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::super::super::testing::{Bench, kind, skill_md};
use super::super::super::{Library, SkillContext, manage};
use super::super::Action;
use crate::behaviour::{Behaviour, Version};
use crate::stores::{FaultPlan, FaultyFiles};
use crate::values::{Draws, Fact, LoadRoute, Seed, WriteEnd, WriteOrigin};

/// Names that are fine, that climb, that look like others, that lead over links.
const NAMES: [&str; 20] = [
    "demo",
    "umb",
    "new",
    "Demo",
    "DEMO",
    "ｄｅｍｏ",
    "dem\u{43e}",
    "..",
    ".",
    "/etc",
    "../notes",
    "a/b",
    "a\\b",
    "linked",
    "linkfile",
    "demo\n",
    "",
    "skills",
    ".hub",
    "notes",
];

const PATHS: [&str; 22] = [
    "SKILL.md",
    "./SKILL.md",
    "skill.md",
    "references/a.md",
    "References/a.md",
    "references/../../x.md",
    "references/out/x.md",
    "references/out/secret.md",
    "assets/l.md",
    "assets/loop/x",
    "scripts/abs",
    "/etc/passwd",
    "/home/agent/.hermes/memories/MEMORY.md",
    "~/x.md",
    "references\\..\\x",
    "references/\u{2024}\u{2024}/x",
    "references/．．/x",
    "demo/SKILL.md",
    "../umb/SKILL.md",
    "templates/deep/er/t.md",
    "references",
    "",
];

const TEXTS: [&str; 7] = [
    "",
    "plain text\r\nwith two kinds\n",
    "rm -rf /\n",
    "---\nname: demo\ndescription: d\n---\nbody\n",
    "---\r\nname: demo\r\ndescription: d\r\n---\r\nbody thing\r\n",
    "---\nname: demo\ndescription: d\n---\nRun rm -rf / now\n",
    "\u{feff}---\nname: x\n",
];

const STRINGS: [&str; 8] = ["thing", "Do the thing.", "demo", "\n", "body", "rm -rf /", "", "name: demo\n"];

fn call() -> impl Strategy<Value = Value> {
    let pick = |items: &'static [&'static str]| (0..items.len()).prop_map(move |at| items[at]);
    let category = prop_oneof![Just(""), Just("ops"), Just(".."), Just("linked"), Just(" ops "), Just("a/b")];
    (
        0..Action::ALL.len(),
        pick(&NAMES),
        pick(&PATHS),
        pick(&TEXTS),
        (pick(&STRINGS), pick(&STRINGS)),
        (category, any::<bool>(), pick(&NAMES)),
    )
        .prop_map(|(action, name, path, text, (old, new), (category, all, absorber))| {
            let mut args = Map::new();
            let mut add = |key: &str, value: Value| drop(args.insert(key.to_owned(), value));
            add("action", Action::ALL[action].as_str().into());
            add("name", name.into());
            add("file_path", path.into());
            add("content", text.into());
            add("file_content", text.into());
            add("old_string", old.into());
            add("new_string", new.into());
            add("replace_all", all.into());
            add("category", category.into());
            add("absorbed_into", absorber.into());
            Value::Object(args)
        })
}

/// A home full of ways out.
fn home(version: Version, scan: bool) -> Bench {
    let mut bench = Bench::preferred(version)
        .set("skills.guard_agent_created", scan)
        .skill("skills/demo")
        .skill("skills/umb")
        .file("skills/demo/references/a.md", "one thing\r\n")
        .file("memories/MEMORY.md", "memory thing\n")
        .file("notes/secret.md", "secret thing\n")
        .file("notes/real.md", &skill_md("linkfile"))
        .link("skills/demo/references/out", "../../../notes")
        .link("skills/demo/assets/l.md", "/home/agent/.hermes/memories/MEMORY.md")
        .link("skills/demo/assets/loop", "loop")
        .link("skills/demo/scripts/abs", "/etc/passwd")
        .link("skills/linked", "../notes")
        .link("skills/linkfile/SKILL.md", "../../notes/real.md");
    bench.usage(|usage| usage.mark_agent_created("demo"));
    bench.with(|context| context.state.flush(context.library));
    bench
}

/// What lies outside of the skills.
fn outside(snapshot: &BTreeMap<String, Vec<u8>>) -> BTreeMap<String, Vec<u8>> {
    let inside = |path: &str| path == "skills/" || (path.starts_with("skills/") && path.len() > 7);
    snapshot
        .iter()
        .filter(|(path, _)| !inside(path))
        .map(|(path, bytes)| (path.clone(), bytes.clone()))
        .collect()
}

fn versions() -> impl Strategy<Value = Version> {
    (0..Version::ALL.len()).prop_map(|at| Version::ALL[at])
}

fn origins() -> impl Strategy<Value = WriteOrigin> {
    prop_oneof![Just(WriteOrigin::Foreground), Just(WriteOrigin::Review), Just(WriteOrigin::Curator)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 4 * 3, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_written_outside_of_the_skills(
        version in versions(),
        scan in any::<bool>(),
        calls in prop::collection::vec((origins(), any::<bool>(), call()), 1..12),
    ) {
        let mut bench = home(version, scan);
        let before = outside(&bench.snapshot());
        for (origin, look, args) in &calls {
            bench.by(*origin);
            if *look {
                bench.look(args["name"].as_str().unwrap());
            }
            let answer = bench.manage(args);
            prop_assert_eq!(&outside(&bench.snapshot()), &before, "{} {}", args, answer.text);
        }
    }

    #[test]
    fn what_fails_leaves_every_byte_and_what_succeeds_says_what_it_wrote(
        version in versions(),
        scan in any::<bool>(),
        calls in prop::collection::vec((origins(), any::<bool>(), call()), 1..12),
    ) {
        let mut bench = home(version, scan);
        for (origin, look, args) in &calls {
            bench.by(*origin);
            if *look {
                bench.look(args["name"].as_str().unwrap());
            }
            let before = bench.snapshot();
            let answer = bench.manage(args);
            if answer.kind.is_some() {
                prop_assert_eq!(&bench.snapshot(), &before, "{} {}", args, answer.text);
                continue;
            }
            let Some(Fact::Write { end: WriteEnd::Applied, action, target, after, .. }) = answer.facts.first() else {
                panic!("{:?}", answer.facts)
            };
            let writes = matches!(&**action, "create" | "edit" | "patch" | "write_file");
            let holds = bench.snapshot().values().any(|bytes| bytes == after.as_bytes());
            prop_assert!(!writes || holds, "{} {}", args, target);
        }
    }

    #[test]
    fn a_patch_that_succeeds_changed_exactly_the_matched_text(
        crlf in any::<bool>(),
        parts in prop::collection::vec("[a-z]{1,5}\n?", 2..9),
        at in any::<prop::sample::Index>(),
        new in "[A-Z]{0,6}",
    ) {
        let target = at.get(&parts).trim_end().to_owned();
        let body: String = parts.concat();
        let text = format!("---\nname: demo\ndescription: d\n---\n{body}\n.");
        let text = if crlf { text.replace('\n', "\r\n") } else { text };
        let mut bench = Bench::preferred(Version::V0_19).file("skills/demo/SKILL.md", &text);
        let args = json!({"action": "patch", "name": "demo", "old_string": target, "new_string": new});
        let answer = bench.manage(&args);
        if kind(&answer) == "ok" {
            prop_assert_eq!(text.matches(&target).count(), 1);
            prop_assert_eq!(bench.text("skills/demo/SKILL.md").unwrap(), text.replacen(&target, &new, 1));
        }
    }

    #[test]
    fn a_failing_disk_leaves_the_old_or_the_new_state(args in call(), fails in 1..6_usize) {
        let mut bench = home(Version::V0_19, false);
        bench.settings.set("faults.skill_file_unchecked", true.into(), crate::behaviour::Origin::CommandLine).unwrap();
        let before = bench.snapshot();
        let mut whole = home(Version::V0_19, false);
        whole.settings = bench.settings.clone();
        whole.manage(&args);
        let done = whole.snapshot();
        let behaviour = Behaviour::resolve(&bench.settings);
        {
            let mut faulty = FaultyFiles::new(&mut bench.home, FaultPlan::Once(fails));
            let mut library = Library::open(&mut faulty, &mut [], &behaviour.skills);
            manage(&mut SkillContext {
                library: &mut library,
                state: &mut bench.state,
                behaviour: &behaviour,
                marks: &mut bench.marks,
                draws: Draws::new(Seed(1)),
                at: bench.at,
                origin: WriteOrigin::Foreground,
                origin_label: "foreground",
                batch: super::super::super::Batch::Alone,
                route: LoadRoute::Index,
                listed: &|_| true,
                session: None,
                platform: None,
            }, &args);
        }
        let mut found = bench.snapshot();
        // A skill that was moved aside is gone as a skill, whatever is left of its files; so is an emptied directory.
        found.retain(|path, _| !path.contains("/.removed-"));
        let files = |snapshot: &BTreeMap<String, Vec<u8>>| -> Vec<(String, Vec<u8>)> {
            snapshot.iter().filter(|(path, _)| !path.ends_with('/')).map(|(path, bytes)| (path.clone(), bytes.clone())).collect()
        };
        prop_assert!(files(&found) == files(&before) || files(&found) == files(&done), "{}", args);
    }
}
