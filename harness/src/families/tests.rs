//! Families as a person writes them, and what becomes of them.

use mock_llm::decode::Decoder;
use mock_llm::diagnose::{Look, Source, Sources, render};
use serde_json::Value as Json;

use super::script::script_text;
use super::world::world_text;
use super::{Families, Rates, families_world, file, script};

const DEPLOY: &str = r#"
families:
  deploy:
    says: ["Deploy {{ app }} to the cluster.", "Bring {{ app }} to the cluster, please."]
    slots: { app: [billing, shop] }
    words: [deploy, cluster]
    skill: { name: deploy-to-cluster, description: Deploys a service to the cluster., category: devops }
    steps:
      - { call: { read_file: { path: notes.md } } }
      - { call: { terminal: { command: "kubectl apply -f {{ app }}.yaml" } }, hazard: push-first, took: 30s }
      - { call: { mail: { to: team, text: "{{ app }} runs" } }, output: sent, hazard: quiet }
      - { call: { terminal: { command: kubectl get pods } }, output: all running, hazard: flaky-api }
    hazards:
      push-first:
        error: "ImagePullBackOff: {{ app }} is not in the registry"
        fix: [{ call: { terminal: { command: "docker images {{ app }}" } }, output: "{{ app }} latest" }]
        instead: [{ call: { terminal: { command: "push-and-apply {{ app }}" } }, output: applied }]
        lesson: { text: Push the image before you apply., pattern: Push the image, belongs: skill }
      quiet:
        correction: "Please do not write to the whole team."
        instead: [{ call: { mail: { to: owner, text: "{{ app }} runs" } }, output: sent }]
        lesson: { text: Mails go to the owner of the service alone., belongs: profile }
      flaky-api:
        passing: 0.2
        error: "connection reset by peer"
        instead: [{ call: { terminal: { command: "ssh node1 crictl ps" } }, output: all running }]
        lesson: { text: The API of the cluster cannot be asked for pods., belongs: memory }
    done: "{{ app }} runs in the cluster."
"#;

fn read(text: &str) -> Result<Families, String> {
    let source = Source::new("f.yaml", text);
    let decoder = Decoder::new(&source);
    let families = decoder.read().and_then(|node| file(&decoder, &node));
    decoder.finish(families).map(|(families, _)| families).map_err(|found| {
        let mut sources = Sources::default();
        sources.add(&source);
        render(&found, &sources, Look::default())
    })
}

fn deploy() -> Families {
    read(DEPLOY).unwrap_or_else(|found| panic!("{found}"))
}

/// What is said of the file with a piece of it replaced.
fn said(from: &str, to: &str) -> String {
    assert_eq!(DEPLOY.matches(from).count(), 1, "`{from}`");
    read(&DEPLOY.replace(from, to)).unwrap_err()
}

#[test]
fn families_become_a_script_and_a_world() {
    let families = deploy();
    for world in Rates::worlds() {
        script(&families, Rates::named(world).unwrap()).unwrap_or_else(|found| panic!("{found:#?}"));
    }
    families_world(&families).unwrap_or_else(|found| panic!("{found:#?}"));
}

#[test]
fn the_model_does_what_it_knows() {
    let text = script_text(&deploy(), Rates::named("sometimes").unwrap());
    let script: Json = serde_json::from_str(&text).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&script["main"]).unwrap(), @"");
}

#[test]
fn reviews_write_down_what_was_taught() {
    let text = script_text(&deploy(), Rates::named("sometimes").unwrap());
    let script: Json = serde_json::from_str(&text).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&script["review"]).unwrap(), @"");
}

#[test]
fn the_world_answers_what_was_done() {
    insta::assert_snapshot!(world_text(&deploy()).unwrap(), @"");
}

#[test]
fn mistakes_are_shown_at_their_place() {
    let cases = [
        ("Bring {{ app }} to the cluster, please.", "Bring it to the cluster, please."),
        ("words: [deploy, cluster]", "words: []"),
        ("output: all running, hazard: flaky-api", "output: \"{{ app }} runs\", hazard: flaky-apis"),
        ("pattern: Push the image,", "pattern: push the image,"),
        (
            "instead: [{ call: { terminal: { command: \"push-and-apply {{ app }}\" } }, output: applied }]",
            "instead: []",
        ),
        ("call: { read_file: { path: notes.md } }", "call: { read_file: { path: notes.md } }, output: x"),
        ("error: \"connection reset by peer\"", "error: \"{{ app }} no\""),
        ("docker images {{ app }}", "docker images {{ ap }} && ls"),
        (
            "skill: { name: deploy-to-cluster, description: Deploys a service to the cluster., category: devops }",
            "weight: 2",
        ),
    ];
    let said: Vec<String> = cases.iter().map(|(from, to)| said(from, to)).collect();
    insta::assert_snapshot!(said.join("\n"), @"");
}

#[test]
fn families_are_told_apart() {
    let twice = DEPLOY.replace("families:\n", "").replace("  deploy:", "  deploy-again:");
    let said = read(&format!("{DEPLOY}{}", twice.trim_start_matches('\n'))).unwrap_err();
    insta::assert_snapshot!(said, @"");
}
