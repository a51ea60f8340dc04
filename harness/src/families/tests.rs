//! Families as a person writes them, and what becomes of them.
#![expect(clippy::too_many_lines, reason = "what is shown stands in the tests that show it")]

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
    insta::assert_snapshot!(serde_json::to_string_pretty(&script["main"]).unwrap(), @r#"
    [
      {
        "let": {
          "app": "{{ capture('(?:^|\\\\W)(billing|shop)(?:\\\\W|$)', users|reverse|join('\\n')) }}"
        },
        "name": "deploy: quiet",
        "steps": [
          {
            "call": {
              "mail": {
                "text": "{{ app }} runs",
                "to": "owner"
              }
            }
          },
          {
            "reply": "Done as you wish."
          }
        ],
        "when": "'Please do not write to the whole team.' in user"
      },
      {
        "let": {
          "app": "{{ capture('(?:^|\\\\W)(billing|shop)(?:\\\\W|$)', user) }}",
          "avoids_0": "{{ chance(0.9 if heeds_0 else 0.1, 'avoids push-first') }}",
          "avoids_1": "{{ chance(0.9 if heeds_1 else 0.1, 'avoids quiet') }}",
          "heeds_0": "{{ (knows('push-first', by='memory') and chance(0.6, 'follow memory push-first')) or (knows('push-first', by='skill') and chance(0.7, 'follow skill')) or (knows('push-first', by='support_file') and chance(0.5, 'follow support_file push-first')) or (met('push-first') and chance(0.6, 'follow conversation push-first')) }}",
          "heeds_1": "{{ (knows('quiet', by='memory') and chance(0.6, 'follow memory quiet')) or (knows('quiet', by='skill') and chance(0.7, 'follow skill')) or (knows('quiet', by='support_file') and chance(0.5, 'follow support_file quiet')) or ('Please do not write to the whole team.' in users|join('\\n') and chance(0.6, 'follow conversation quiet')) }}",
          "heeds_2": "{{ (knows('flaky-api', by='memory') and chance(0.6, 'follow memory flaky-api')) or (knows('flaky-api', by='skill') and chance(0.7, 'follow skill')) or (knows('flaky-api', by='support_file') and chance(0.5, 'follow support_file flaky-api')) }}",
          "solved": "{{ chance(0.85 if (seen('is not in the registry', since='turn')) else 0.97, 'solved') }}"
        },
        "name": "deploy",
        "steps": [
          {
            "call": {
              "skill_view": {
                "name": "{{ pick(skills|list|reject('eq', 'deploy-to-cluster')|list, 'false view') }}"
              }
            },
            "when": "chance(0.05, 'false view') and skills|list|reject('eq', 'deploy-to-cluster')|list|length > 0"
          },
          {
            "call": {
              "skill_view": {
                "name": "deploy-to-cluster"
              }
            },
            "when": "not viewed('deploy-to-cluster') and shown('deploy-to-cluster', ['deploy', 'cluster']) and chance(0.5254237288135594, 'view')"
          },
          {
            "call": {
              "read_file": {
                "path": "notes.md"
              }
            }
          },
          {
            "call": {
              "terminal": {
                "command": "push-and-apply {{ app }}"
              }
            },
            "when": "avoids_0"
          },
          {
            "call": {
              "terminal": {
                "command": "kubectl apply -f {{ app }}.yaml"
              }
            },
            "on_error": [
              {
                "match": "is not in the registry",
                "steps": [
                  {
                    "call": {
                      "terminal": {
                        "command": "docker images {{ app }}"
                      }
                    }
                  },
                  {
                    "call": {
                      "terminal": {
                        "command": "push-and-apply {{ app }}"
                      }
                    }
                  }
                ]
              }
            ],
            "when": "not avoids_0"
          },
          {
            "call": {
              "mail": {
                "text": "{{ app }} runs",
                "to": "owner"
              }
            },
            "when": "avoids_1"
          },
          {
            "call": {
              "mail": {
                "text": "{{ app }} runs",
                "to": "team"
              }
            },
            "when": "not avoids_1"
          },
          {
            "call": {
              "terminal": {
                "command": "ssh node1 crictl ps"
              }
            },
            "when": "heeds_2"
          },
          {
            "call": {
              "terminal": {
                "command": "kubectl get pods"
              }
            },
            "on_error": [
              {
                "match": "connection reset by peer",
                "steps": [
                  "retry"
                ]
              }
            ],
            "when": "not heeds_2"
          },
          {
            "reply": "{{ app }} runs in the cluster.",
            "when": "solved"
          },
          {
            "reply": "I have to give this up: it does not work out."
          }
        ],
        "when": "'to the cluster' in user"
      }
    ]
    "#);
}

#[test]
fn reviews_write_down_what_was_taught() {
    let text = script_text(&deploy(), Rates::named("sometimes").unwrap());
    let script: Json = serde_json::from_str(&text).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&script["review"]).unwrap(), @r###"
    [
      {
        "let": {
          "novel": "{{ not 'deploy-to-cluster' in skills }}",
          "takes_0": "{{ met('push-first') and not knows('push-first', by='memory') and not knows('push-first', by='skill') and not knows('push-first', by='support_file') and chance(0.6 if novel else 0.4, 'capture push-first') }}"
        },
        "name": "deploy: skill",
        "steps": [
          {
            "call": {
              "skill_manage": {
                "action": "create",
                "category": "devops",
                "content": "---\nname: deploy-to-cluster\ndescription: \"Deploys a service to the cluster.\"\n---\n\n# deploy-to-cluster\n\nDo the steps in order, and mind the pitfalls.\n\n## Pitfalls\n\n{{ '- Push the image before you apply.\\n' if takes_0 else '' }}\n## Files\n\n",
                "name": "deploy-to-cluster"
              }
            },
            "on_error": [
              {
                "match": "exists already",
                "steps": [
                  {
                    "call": {
                      "skill_view": {
                        "name": "deploy-to-cluster"
                      }
                    }
                  },
                  {
                    "call": {
                      "skill_manage": {
                        "action": "patch",
                        "name": "deploy-to-cluster",
                        "new_string": "## Pitfalls\n\n- Push the image before you apply.\n",
                        "old_string": "## Pitfalls\n\n"
                      }
                    },
                    "when": "takes_0"
                  }
                ]
              }
            ],
            "when": "not 'deploy-to-cluster' in skills"
          },
          {
            "call": {
              "skill_view": {
                "name": "deploy-to-cluster"
              }
            },
            "on_error": [
              {
                "steps": [
                  {
                    "call": {
                      "skill_manage": {
                        "action": "create",
                        "category": "devops",
                        "content": "---\nname: deploy-to-cluster\ndescription: \"Deploys a service to the cluster.\"\n---\n\n# deploy-to-cluster\n\nDo the steps in order, and mind the pitfalls.\n\n## Pitfalls\n\n{{ '- Push the image before you apply.\\n' if takes_0 else '' }}\n## Files\n\n",
                        "name": "deploy-to-cluster"
                      }
                    }
                  }
                ]
              }
            ],
            "when": "'deploy-to-cluster' in skills and not called('skill_manage', action='create', name='deploy-to-cluster')"
          },
          {
            "call": {
              "skill_manage": {
                "action": "patch",
                "name": "deploy-to-cluster",
                "new_string": "## Pitfalls\n\n- Push the image before you apply.\n",
                "old_string": "## Pitfalls\n\n"
              }
            },
            "when": "takes_0 and 'deploy-to-cluster' in skills and not called('skill_manage', action='create', name='deploy-to-cluster')"
          }
        ],
        "when": "'skills' in asks and 'skill_manage' in tools and (takes_0)"
      },
      {
        "let": {
          "novel": "{{ not knows('push-first', by='memory') and not knows('quiet', by='memory') and not knows('flaky-api', by='memory') and 'deploy-to-cluster' not in skills }}",
          "takes_1": "{{ 'Please do not write to the whole team.' in users|join('\\n') and not knows('quiet', by='memory') and not knows('quiet', by='skill') and not knows('quiet', by='support_file') and chance(0.6 if novel else 0.4, 'capture quiet') }}",
          "takes_2": "{{ met('flaky-api') and not knows('flaky-api', by='memory') and not knows('flaky-api', by='skill') and not knows('flaky-api', by='support_file') and chance(0.1, 'capture flaky-api') }}"
        },
        "name": "deploy: memory",
        "steps": [
          {
            "call": {
              "memory": {
                "action": "add",
                "content": "Mails go to the owner of the service alone.",
                "target": "user"
              }
            },
            "when": "takes_1"
          },
          {
            "call": {
              "memory": {
                "action": "add",
                "content": "The API of the cluster cannot be asked for pods.",
                "target": "memory"
              }
            },
            "when": "takes_2"
          }
        ],
        "when": "'memory' in asks and 'memory' in tools and (takes_1 or takes_2)"
      },
      {
        "name": "end of review",
        "reply": "{{ 'Saved.' if calls else 'Nothing to save.' }}"
      }
    ]
    "###);
}

#[test]
fn the_world_answers_what_was_done() {
    insta::assert_snapshot!(world_text(&deploy()).unwrap(), @r#"
    {
      "facts": {
        "trouble": []
      },
      "tools": [
        {
          "description": "Asks the service `mail` and returns its answer.",
          "name": "mail",
          "parameters": {
            "properties": {
              "text": {
                "type": "string"
              },
              "to": {
                "type": "string"
              }
            },
            "required": [
              "text",
              "to"
            ],
            "type": "object"
          },
          "rules": [
            {
              "match": {
                "text": {
                  "regex": "(?<app>billing|shop) runs"
                },
                "to": "team"
              },
              "output": "sent"
            },
            {
              "match": {
                "text": {
                  "regex": "(?<app>billing|shop) runs"
                },
                "to": "owner"
              },
              "output": "sent"
            }
          ]
        },
        {
          "description": "Runs a command line on the user's machine and returns its output and exit code.",
          "name": "terminal",
          "parameters": {
            "properties": {
              "command": {
                "type": "string"
              }
            },
            "required": [
              "command"
            ],
            "type": "object"
          },
          "rules": [
            {
              "error": "connection reset by peer",
              "match": {
                "command": "kubectl get pods"
              },
              "set": {
                "trouble": "{{ facts.trouble | reject('eq', (user ~ '/flaky-api')) | list }}"
              },
              "when": "(user ~ '/flaky-api') in facts.trouble"
            },
            {
              "error": "ImagePullBackOff: {{ app }} is not in the registry",
              "match": {
                "command": {
                  "regex": "kubectl apply \\-f (?<app>billing|shop)\\.yaml"
                }
              },
              "took": "30000ms"
            },
            {
              "match": {
                "command": {
                  "regex": "push\\-and\\-apply (?<app>billing|shop)"
                }
              },
              "output": "applied"
            },
            {
              "match": {
                "command": {
                  "regex": "docker images (?<app>billing|shop)"
                }
              },
              "output": "{{ app }} latest"
            },
            {
              "match": {
                "command": "kubectl get pods"
              },
              "output": "all running"
            },
            {
              "match": {
                "command": "ssh node1 crictl ps"
              },
              "output": "all running"
            }
          ],
          "shell": "command"
        }
      ]
    }
    "#);
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
