//! What is said of files of families with mistakes.

use super::{DEPLOY, read};

/// What is said of the file with a piece of it replaced.
fn said(from: &str, to: &str) -> String {
    assert_eq!(DEPLOY.matches(from).count(), 1, "`{from}`");
    read(&DEPLOY.replace(from, to)).unwrap_err()
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
    insta::assert_snapshot!(said.join("\n"), @r#"
     × the user never says `{{ app }}`, so the model cannot know it
      ╭─[f.yaml:4:11]
    3 │   deploy:
    4 │     says: ["Deploy {{ app }} to the cluster.", "Bring it to the cluster, please."]
      ·           ────────────────────────────────────────────────────────────────────────
    5 │     slots: { app: [billing, shop] }
      ╰────
     hint: every slot stands in every way of asking

     × by which words is the skill found in the index?
      ╭─[f.yaml:3:3]
    2 │ families:
    3 │   deploy:
      ·   ──────
    4 │     says: ["Deploy {{ app }} to the cluster.", "Bring {{ app }} to the cluster, please."]
      ╰────
     hint: add `words: […]`; one of them must stand in the skill's name or description

     × the call does not name `app`, so its answer cannot either
       ╭─[f.yaml:12:70]
    11 │       - { call: { mail: { to: team, text: "{{ app }} runs" } }, output: sent, hazard: quiet }
    12 │       - { call: { terminal: { command: kubectl get pods } }, output: "{{ app }} runs", hazard: flaky-apis }
       ·                                                                      ────────────────
    13 │     hazards:
       ╰────

     × unknown hazard `flaky-apis`
       ╭─[f.yaml:12:96]
    11 │       - { call: { mail: { to: team, text: "{{ app }} runs" } }, output: sent, hazard: quiet }
    12 │       - { call: { terminal: { command: kubectl get pods } }, output: "{{ app }} runs", hazard: flaky-apis }
       ·                                                                                                ──────────
    13 │     hazards:
       ╰────
     hint: did you mean `flaky-api`?

     × the pattern does not stand in the lesson's own text, so nobody would recognise it
       ╭─[f.yaml:18:68]
    17 │         instead: [{ call: { terminal: { command: "push-and-apply {{ app }}" } }, output: applied }]
    18 │         lesson: { text: Push the image before you apply., pattern: push the image, belongs: skill }
       ·                                                                    ──────────────
    19 │       quiet:
       ╰────

     × what does one do who knows? `instead` needs at least one step
       ╭─[f.yaml:14:7]
    13 │     hazards:
    14 │       push-first:
       ·       ──────────
    15 │         error: "ImagePullBackOff: {{ app }} is not in the registry"
       ╰────

     × `read_file` is the agent's own tool and answers itself
       ╭─[f.yaml:9:52]
     8 │     steps:
     9 │       - { call: { read_file: { path: notes.md } }, output: x }
       ·                                                    ──────
    10 │       - { call: { terminal: { command: "kubectl apply -f {{ app }}.yaml" } }, hazard: push-first, took: 30s }
       ╰────

     × this error is too short to be recognised
       ╭─[f.yaml:25:16]
    24 │         passing: 0.2
    25 │         error: "{{ app }} no"
       ·                ──────────────
    26 │         instead: [{ call: { terminal: { command: "ssh node1 crictl ps" } }, output: all running }]
       ╰────
     hint: at least 8 characters beside the slots

     × what does `terminal` answer? add `output`
       ╭─[f.yaml:10:9]
     9 │       - { call: { read_file: { path: notes.md } } }
    10 │       - { call: { terminal: { command: "kubectl apply -f {{ app }}.yaml" } }, hazard: push-first, took: 30s }
       ·         ─────────────────────────────────────────────────────────────────────────────────────────────────────
    11 │       - { call: { mail: { to: team, text: "{{ app }} runs" } }, output: sent, hazard: quiet }
       ╰────

     × `&&` joins two commands: write two steps
       ╭─[f.yaml:16:35]
    15 │         error: "ImagePullBackOff: {{ app }} is not in the registry"
    16 │         fix: [{ call: { terminal: { command: "docker images {{ ap }} && ls" } }, output: "{{ app }} latest" }]
       ·                                   ───────────────────────────────────────────
    17 │         instead: [{ call: { terminal: { command: "push-and-apply {{ app }}" } }, output: applied }]
       ╰────

     × the lesson of `push-first` belongs into a skill, and the family has none
      ╭─[f.yaml:3:3]
    2 │ families:
    3 │   deploy:
      ·   ──────
    4 │     says: ["Deploy {{ app }} to the cluster.", "Bring {{ app }} to the cluster, please."]
      ╰────
     hint: add `skill: { name: …, description: … }`
    "#);
}

/// What is said of the family and its copy, in which these pieces are replaced.
fn said_of_two(replaced: &[(&str, &str)]) -> String {
    let twice = DEPLOY.replace("families:\n", "").replace("  deploy:", "  deploy-again:");
    let twice = replaced.iter().fold(twice, |twice, (from, to)| twice.replace(from, to));
    read(&format!("{DEPLOY}{}", twice.trim_start_matches('\n'))).unwrap_err()
}

#[test]
fn names_of_hazards_are_unique() {
    let said = said_of_two(&[("to the cluster", "onto the other side")]);
    insta::assert_snapshot!(said, @r#"
     × a second hazard named `push-first`; the first is in `deploy`
       ╭─[f.yaml:40:7]
    39 │     hazards:
    40 │       push-first:
       ·       ──────────
    41 │         error: "ImagePullBackOff: {{ app }} is not in the registry"
       ╰────

     × a second hazard named `quiet`; the first is in `deploy`
       ╭─[f.yaml:45:7]
    44 │         lesson: { text: Push the image before you apply., pattern: Push the image, belongs: skill }
    45 │       quiet:
       ·       ─────
    46 │         correction: "Please do not write to the whole team."
       ╰────

     × a second hazard named `flaky-api`; the first is in `deploy`
       ╭─[f.yaml:49:7]
    48 │         lesson: { text: Mails go to the owner of the service alone., belongs: profile }
    49 │       flaky-api:
       ·       ─────────
    50 │         passing: 0.2
       ╰────
    "#);
}

#[test]
fn families_are_told_apart() {
    let said =
        said_of_two(&[("push-first", "push-again"), ("quiet", "silent"), ("flaky-api", "flaky-again")]);
    insta::assert_snapshot!(said, @r#"
     × `to the cluster`, by which `deploy` is recognised, is said in `deploy-again` as well
      ╭─[f.yaml:3:3]
    2 │ families:
    3 │   deploy:
      ·   ──────
    4 │     says: ["Deploy {{ app }} to the cluster.", "Bring {{ app }} to the cluster, please."]
      ╰────
     hint: choose another `cue:`

     × `Push the image`, by which its lesson is recognised, stands in that of `push-again`
       ╭─[f.yaml:14:7]
    13 │     hazards:
    14 │       push-first:
       ·       ──────────
    15 │         error: "ImagePullBackOff: {{ app }} is not in the registry"
       ╰────

     × `is not in the registry`, by which this error is recognised, stands in that of `push-again`
       ╭─[f.yaml:14:7]
    13 │     hazards:
    14 │       push-first:
       ·       ──────────
    15 │         error: "ImagePullBackOff: {{ app }} is not in the registry"
       ╰────

     × `Mails go to the owner of the service alone.`, by which its lesson is recognised, stands in
     │ that of `silent`
       ╭─[f.yaml:19:7]
    18 │         lesson: { text: Push the image before you apply., pattern: Push the image, belongs: skill }
    19 │       quiet:
       ·       ─────
    20 │         correction: "Please do not write to the whole team."
       ╰────

     × the correction of `silent` says the same
       ╭─[f.yaml:19:7]
    18 │         lesson: { text: Push the image before you apply., pattern: Push the image, belongs: skill }
    19 │       quiet:
       ·       ─────
    20 │         correction: "Please do not write to the whole team."
       ╰────

     × `The API of the cluster cannot be asked for pods.`, by which its lesson is recognised, stands
     │ in that of `flaky-again`
       ╭─[f.yaml:23:7]
    22 │         lesson: { text: Mails go to the owner of the service alone., belongs: profile }
    23 │       flaky-api:
       ·       ─────────
    24 │         passing: 0.2
       ╰────

     × `connection reset by peer`, by which this error is recognised, stands in that of `flaky-again`
       ╭─[f.yaml:23:7]
    22 │         lesson: { text: Mails go to the owner of the service alone., belongs: profile }
    23 │       flaky-api:
       ·       ─────────
    24 │         passing: 0.2
       ╰────

     × `to the cluster`, by which `deploy-again` is recognised, is said in `deploy` as well
       ╭─[f.yaml:29:3]
    28 │     done: "{{ app }} runs in the cluster."
    29 │   deploy-again:
       ·   ────────────
    30 │     says: ["Deploy {{ app }} to the cluster.", "Bring {{ app }} to the cluster, please."]
       ╰────
     hint: choose another `cue:`

     × `Push the image`, by which its lesson is recognised, stands in that of `push-first`
       ╭─[f.yaml:40:7]
    39 │     hazards:
    40 │       push-again:
       ·       ──────────
    41 │         error: "ImagePullBackOff: {{ app }} is not in the registry"
       ╰────

     × `is not in the registry`, by which this error is recognised, stands in that of `push-first`
       ╭─[f.yaml:40:7]
    39 │     hazards:
    40 │       push-again:
       ·       ──────────
    41 │         error: "ImagePullBackOff: {{ app }} is not in the registry"
       ╰────

     × `Mails go to the owner of the service alone.`, by which its lesson is recognised, stands in
     │ that of `quiet`
       ╭─[f.yaml:45:7]
    44 │         lesson: { text: Push the image before you apply., pattern: Push the image, belongs: skill }
    45 │       silent:
       ·       ──────
    46 │         correction: "Please do not write to the whole team."
       ╰────

     × the correction of `quiet` says the same
       ╭─[f.yaml:45:7]
    44 │         lesson: { text: Push the image before you apply., pattern: Push the image, belongs: skill }
    45 │       silent:
       ·       ──────
    46 │         correction: "Please do not write to the whole team."
       ╰────

     × `The API of the cluster cannot be asked for pods.`, by which its lesson is recognised, stands
     │ in that of `flaky-api`
       ╭─[f.yaml:49:7]
    48 │         lesson: { text: Mails go to the owner of the service alone., belongs: profile }
    49 │       flaky-again:
       ·       ───────────
    50 │         passing: 0.2
       ╰────

     × `connection reset by peer`, by which this error is recognised, stands in that of `flaky-api`
       ╭─[f.yaml:49:7]
    48 │         lesson: { text: Mails go to the owner of the service alone., belongs: profile }
    49 │       flaky-again:
       ·       ───────────
    50 │         passing: 0.2
       ╰────
    "#);
}
