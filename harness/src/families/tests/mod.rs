//! Families as a person writes them, and what becomes of them.
#![expect(clippy::too_many_lines, reason = "what is shown stands in the tests that show it")]

mod mistakes;

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
