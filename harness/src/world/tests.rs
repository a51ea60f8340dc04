//! Small worlds and what they answer.

use std::sync::Arc;

use agent_core::stores::{MemFiles, TreePath, read_text, write_text};
use agent_core::values::ToolCall;
use mock_llm::decode::Decoder;
use mock_llm::diagnose::Source;
use reports::trace::Kind;
use serde_json::{Value, json};

use super::{Asked, WorldState, decode_world};

const WORLD: &str = r#"
facts: { pushed: [], count: 0 }
tools:
  - name: terminal
    description: Runs a command line.
    parameters: { type: object, properties: { command: { type: string } } }
    shell: command
    let:
      recipe: "{{ files['Dockerfile'] | default('') }}"
      base: "{{ capture('FROM (\\S+)', recipe) }}"
    rules:
      - match: { command: { regex: "docker push (?<image>\\S+)" } }
        when: "image not in facts.pushed"
        output: "pushed {{ image }} by {{ user }} on day {{ day }}"
        set: { pushed: "{{ facts.pushed + [image] }}", count: "{{ facts.count + 1 }}" }
        took: 20s
      - { match: { command: { glob: "docker push *" } }, error: "already there, {{ facts.count }} in all", exit: 3 }
      - { match: { command: base }, output: "{{ base }}" }
      - match: { command: { regex: "mv (?<from>\\S+) (?<to>\\S+)" } }
        when: from in files
        files: { "{{ to }}": "{{ files[from] }}", "{{ from }}": null }
        output: ""
        took: 1s
  - name: weather
    description: Tells the weather.
    parameters: { type: object, properties: { town: { type: string }, days: { type: integer } } }
    parallel: true
    rules:
      - { match: { town: Ulm, days: "3" }, output: '{"sky": "grey"}' }
      - { match: { town: Rome }, error: "no such {{ args.town }}" }
"#;

struct Played {
    state: WorldState,
    files: MemFiles,
    home: MemFiles,
}

impl Played {
    fn new() -> Self {
        let decoder = Decoder::new(&Source::new("w.yaml", WORLD));
        let world = decoder.read().and_then(|node| decode_world(&decoder, &node));
        let (world, _) = decoder.finish(world).unwrap_or_else(|found| panic!("{found:#?}"));
        Self {
            state: WorldState::new(&Arc::new(world)),
            files: MemFiles::new("/work"),
            home: MemFiles::new("/home"),
        }
    }

    fn ask(&mut self, tool: &str, args: &Value) -> String {
        let call = ToolCall { id: "c".into(), name: tool.into(), arguments: args.to_string().into() };
        let user = "ana".into();
        let answered = self
            .state
            .answer(&Asked { call: &call, day: 4, user: &user, home: &self.home }, &mut self.files)
            .unwrap();
        let changes = answered.changes.iter().map(|kind| match kind {
            Kind::Change { what, target, value } => format!(" [{what} {target} = {}]", **value),
            Kind::Unanswered { tool, args } => format!(" [no rule for {tool} {}]", **args),
            other => panic!("{other:?}"),
        });
        let changes: String = changes.collect();
        format!(
            "{}{}{changes}",
            answered.text,
            answered.took.map_or(String::new(), |took| format!(" ({took})"))
        )
    }

    fn shell(&mut self, command: &str) -> String {
        self.ask("terminal", &json!({ "command": command }))
    }
}

#[test]
fn rules_answer_by_facts_and_change_them() {
    let mut world = Played::new();
    let said = [
        "docker push a",
        "docker push b && docker push a && docker push c",
        "ls -l && docker push d",
        "docker push c",
    ]
    .map(|command| world.shell(command));
    insta::assert_snapshot!(said.join("\n"), @r#"
    {"output":"pushed a by ana on day 4","exit_code":0} (20 s) [fact pushed = ["a"]] [fact count = 1]
    {"output":"pushed b by ana on day 4\nalready there, 2 in all","exit_code":3} (20 s) [fact pushed = ["a","b"]] [fact count = 2]
    {"output":"ls: command not found","exit_code":127} [no rule for terminal {"command":"ls -l"}]
    {"output":"pushed c by ana on day 4","exit_code":0} (20 s) [fact pushed = ["a","b","c"]] [fact count = 3]
    "#);
}

#[test]
fn rules_read_and_write_the_workspace() {
    let mut world = Played::new();
    write_text(&mut world.files, &TreePath::new("Old"), "FROM rust:1.95\n").unwrap();
    let said = ["mv Old Dockerfile && base", "mv Old x"].map(|command| world.shell(command));
    insta::assert_snapshot!(said.join("\n"), @r#"
    {"output":"rust:1.95","exit_code":0} (1 s)
    {"output":"mv: command not found","exit_code":127} [no rule for terminal {"command":"mv Old x"}]
    "#);
    assert!(read_text(&world.files, &TreePath::new("Old")).is_err());
}

#[test]
fn other_tools_answer_with_their_text_and_their_error() {
    let mut world = Played::new();
    let said = [json!({"town": "Ulm", "days": 3}), json!({"town": "Rome"}), json!({"town": "Ulm"})]
        .map(|args| world.ask("weather", &args));
    insta::assert_snapshot!(said.join("\n"), @r#"
    {"sky": "grey"}
    {"error":"no such Rome"}
    {"error":"nothing answers this call of weather"} [no rule for weather {"town":"Ulm"}]
    "#);
}

#[test]
fn a_rule_that_cannot_be_evaluated_names_its_line() {
    let mut world = Played::new();
    let call =
        ToolCall { id: "c".into(), name: "terminal".into(), arguments: r#"{"command": "base"}"#.into() };
    let user = "ana".into();
    let error = world
        .state
        .answer(&Asked { call: &call, day: 0, user: &user, home: &world.home }, &mut world.files)
        .unwrap_err();
    insta::assert_snapshot!(format!("{error:#}"), @"w.yaml:18: `base`: it is none, and none cannot be written (add `|default('…', true)`)");
}
