//! JSON Schemas of what a person writes, for editors. They are built over the very lists of keys that the decoder
//! checks, so that neither can have a key that the other lacks; what a schema cannot say (names that must exist,
//! expressions) is left to `harness validate`.

use agent_core::behaviour::{Kind, Version, faults, rows};
use agent_core::prompt::PromptName;
use serde_json::{Map, Value, json};

use super::commands::COMMANDS;
use super::{arms, file, homes, past, schema_work, server, stores, timeline, turns};
use crate::world::keys as world;

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The schema of a scenario's file.
pub(crate) fn scenario_schema() -> Value {
    let mut schema = object(file::KEYS, &["name", "start", "arms", "timeline"], |key| match key {
        "name" => described("string", "letters, digits, `-` and `_`; unique in a run"),
        "description" => described("string", "what the scenario shows"),
        "start" => described("string", "the first instant of simulated time, such as 2026-01-05T09:00:00Z"),
        "arms" => named(&arm(), "settings being compared, by name"),
        "world" => any_of([described("string", "a world's file, relative to this one"), world_object()]),
        "script" => any_of([
            described("string", "the scripted model's file, relative to this one"),
            described("object", "the script itself; see `mock-llm check`"),
        ]),
        "families" => schema_work::families(),
        "rates" => schema_work::rates(),
        "calibration" => described("string", "a file of counted rates, relative to this one"),
        "users" => any_of([
            list(&json!({"type": "string"}), "users, each with an agent and a home of their own"),
            json!({"type": "integer", "minimum": 1, "description": "how many users"}),
        ]),
        "home" => any_of([
            described("string", "a folder that every user's home holds at the start"),
            named(&home_content(), "the files that it holds, by their path"),
        ]),
        "past" => list(&past_session(), "sessions that were held before the start"),
        "stores" => named(&store(), "skill stores beside the homes, by name"),
        "timeline" => list(&any_of(items()), "what happens"),
        "expect" => list(&expectation(), "what must hold at the end"),
        "server" => model_server(),
        "latencies" => object(server::LATENCIES, &[], |key| if key == "tool" { span() } else { pace() }),
        "prices" => prices(),
        _ => unknown(key),
    });
    // Families stand in for a world and a script.
    schema["anyOf"] = json!([{ "required": ["world", "script"] }, { "required": ["families"] }]);
    schema["$schema"] = DIALECT.into();
    schema["title"] = "scenario".into();
    schema
}

/// The schema of a file of families.
pub(crate) fn families_schema() -> Value {
    let mut schema = schema_work::families_file();
    schema["$schema"] = DIALECT.into();
    schema["title"] = "families".into();
    schema
}

/// The schema of a file of rates.
pub(crate) fn rates_schema() -> Value {
    let mut schema = schema_work::rates_file();
    schema["$schema"] = DIALECT.into();
    schema["title"] = "rates".into();
    schema
}

/// The schema of a world's file.
pub(crate) fn world_schema() -> Value {
    let mut schema = world_object();
    schema["$schema"] = DIALECT.into();
    schema["title"] = "world".into();
    schema
}

fn arm() -> Value {
    object(arms::KEYS, &["version"], |key| match key {
        "version" => json!({"enum": Version::ALL.map(Version::as_str)}),
        "config" => {
            let settings = rows().map(|row| (row.key.to_owned(), setting(row.kind, row.about)));
            // Nested mappings are fine, too, and their keys are not listed.
            json!({"type": "object", "properties": settings.collect::<Map<_, _>>()})
        }
        "faults" => {
            let switches = faults().map(|row| (row.name.to_owned(), described("boolean", row.on)));
            let switches = json!({"type": "object", "properties": switches.collect::<Map<_, _>>(), "additionalProperties": false});
            any_of([json!({"enum": ["on", "off"]}), switches])
        }
        "world" => schema_work::world(),
        "rates" => schema_work::rates(),
        "calibration" => described("string", "a file of counted rates, relative to this one"),
        "prompts" => {
            let texts = PromptName::ALL
                .iter()
                .map(|name| (name.as_str().to_owned(), described("string", name.about())));
            json!({
                "type": "object", "properties": texts.collect::<Map<_, _>>(), "additionalProperties": false,
                "description": "files whose texts replace prompts",
            })
        }
        _ => unknown(key),
    })
}

fn setting(kind: Kind, about: &str) -> Value {
    match kind {
        Kind::Bool => described("boolean", about),
        Kind::Int => described("integer", about),
        Kind::Float => described("number", about),
        Kind::Text => described("string", about),
        Kind::Choice(words) => json!({"enum": words, "description": about}),
        Kind::List => list(&json!({"type": "string"}), about),
        Kind::Map => described("object", about),
        Kind::Any => json!({"description": about}),
    }
}

/// All kinds of items of a timeline.
fn items() -> Vec<Value> {
    let text = |about| described("string", about);
    let mut items: Vec<Value> = ["session", "resume"]
        .map(|kind| {
            let mut item = object(timeline::SESSION, &[kind, "turns"], |key| match key {
                "session" => text("the session's name, unique to its user"),
                "resume" => text("the name of a session that goes on"),
                "agent" => {
                    json!({"enum": ["fresh", "kept"], "description": "a new agent object or the kept one"})
                }
                "surface" => json!({"enum": ["gateway", "cli"], "description": "whether its process stays"}),
                "exit" => described("string", "how long after the last answer the process of a cli ends"),
                "holds" => {
                    text("the past session that it goes on with, as a process does that has held it open")
                }
                "workspace" => json!({"enum": ["keep", "fresh"], "description": "whose working directory"}),
                "turns" => any_of([turn(), list(&turn(), "what the user says")]),
                _ => common(key),
            });
            let other = if kind == "session" { "resume" } else { "session" };
            item["properties"].as_object_mut().expect("an object").remove(other);
            item
        })
        .to_vec();
    items.push(schema_work::item());
    items.push(object(timeline::POLL, &["curator", "until"], |key| match key {
        "curator" => json!({"const": "poll"}),
        "every" => span(),
        "on" => json!({"const": "cli_start", "description": "with each command line, instead of `every`"}),
        "until" => at(),
        "idle" => json!({"enum": ["infinite", "measured"]}),
        _ => common(key),
    }));
    items.push(object(timeline::CURATE, &["curator"], |key| match key {
        "curator" => json!({"const": "run"}),
        "consolidate" | "dry_run" => json!({"type": "boolean"}),
        _ => common(key),
    }));
    items.push(object(timeline::PRUNE, &["curator"], |key| match key {
        "curator" => json!({"const": "prune"}),
        "days" => json!({"type": "integer", "description": "whole days without activity"}),
        _ => common(key),
    }));
    items.push(object(timeline::BACKUP, &["curator"], |key| match key {
        "curator" => json!({"const": "backup"}),
        "reason" => text("why the snapshot is taken"),
        _ => common(key),
    }));
    items.push(object(timeline::PAUSE, &["curator"], |key| match key {
        "curator" => json!({"enum": ["pause", "resume"]}),
        _ => common(key),
    }));
    items.push(object(timeline::DELETE_SKILL, &["delete_skill"], |key| match key {
        "delete_skill" => text("the skill whose directory somebody deletes"),
        _ => common(key),
    }));
    items.push(object(timeline::HOME, &["home"], |key| match key {
        "home" => {
            let content = any_of([home_content(), json!({"type": "null"})]);
            named(&content, "files of the home, written or removed")
        }
        _ => common(key),
    }));
    items.push(object(timeline::FACTS, &["facts"], |key| match key {
        "facts" => described("object", "facts of the world and what they are now"),
        _ => common(key),
    }));
    items.push(object(timeline::TOLD, &["told", "then"], |key| match key {
        "told" => text("what a notice of the agent holds"),
        "after" => described("string", "how long after it the user acts; a minute if left out"),
        "then" => described("object", "a command or a change, without `at` and `user`"),
        _ => common(key),
    }));
    items.extend(COMMANDS.iter().map(|(kind, keys)| {
        object(keys, &[kind], |key| match key {
            "set" => described("object", "one setting and its new value"),
            "files" => files(),
            "force" | "job" => json!({"type": "boolean"}),
            "at" | "user" => common(key),
            _ => text("a name or a text"),
        })
    }));
    items
}

pub(super) fn common(key: &str) -> Value {
    match key {
        "at" => at(),
        "user" => described("string", "to which user; to all without one"),
        _ => unknown(key),
    }
}

fn turn() -> Value {
    let mapping = object(turns::TURN, &["user"], |key| match key {
        "user" => described("string", "what the user says"),
        "files" => files(),
        "at" => at(),
        "after" => span(),
        "times" => {
            json!({"type": "integer", "minimum": 1, "description": "how often in a row, each `after` the one before"})
        }
        "interrupt" => object(turns::INTERRUPT, &[], |key| match key {
            "after" => span(),
            "on" => described("string", "tool_call N or model_call N"),
            _ => json!({"enum": ["started", "done"]}),
        }),
        "if_busy" => json!({"enum": ["interrupt", "queue", "steer"]}),
        "when" => described("string", "an expression over `answer`, the last answer, and `day`"),
        _ => unknown(key),
    });
    any_of([json!({"type": "string"}), mapping])
}

fn expectation() -> Value {
    let mapping = object(super::expect::EXPECTATION, &["that"], |key| match key {
        "that" => described("string", "an expression over the cell's records"),
        "when" => described("string", "for which cells"),
        _ => described("string", "why it should hold"),
    });
    any_of([json!({"type": "string"}), mapping])
}

fn model_server() -> Value {
    object(server::SERVER, &[], |key| match key {
        "model" => described("string", "the main model's name"),
        "managed" => {
            described("boolean", "whether the agent manages it itself, so that reviews wait for quiet")
        }
        "slots" => {
            json!({"type": "integer", "minimum": 0, "description": "requests at a time; 0 if not known"})
        }
        _ => {
            let time = object(server::BUSY, server::BUSY, |key| if key == "at" { at() } else { span() });
            list(&time, "when others keep it busy")
        }
    })
}

fn prices() -> Value {
    object(server::PRICES, &["currency", "prices"], |key| match key {
        "currency" => json!({"type": "string"}),
        _ => {
            let price = object(server::PRICE, &["prompt", "completion"], |key| match key {
                "role" => {
                    json!({"enum": reports::Role::ALL.iter().map(|role| role.as_str()).collect::<Vec<_>>()})
                }
                "model" => json!({"type": "string"}),
                _ => json!({"type": "number", "minimum": 0, "description": "per million tokens"}),
            });
            list(&price, "the first that fits a request is its price")
        }
    })
}

fn pace() -> Value {
    object(server::PACE, &[], |_| json!({"type": "integer", "minimum": 0, "description": "milliseconds"}))
}

fn world_object() -> Value {
    object(world::WORLD, &["tools"], |key| match key {
        "facts" => described("object", "what is so at the start"),
        _ => list(&tool(), "tools beside the agent's own"),
    })
}

fn tool() -> Value {
    object(world::TOOL, &["name", "description", "parameters", "rules"], |key| match key {
        "name" | "description" => json!({"type": "string"}),
        "parameters" => described("object", "JSON Schema of the arguments"),
        "parallel" => described("boolean", "whether calls may run beside others"),
        "shell" => described("string", "the argument that holds a command line"),
        "let" => named(&json!({"type": "string"}), "names for the rules"),
        _ => list(&rule(), "the first that fits answers"),
    })
}

fn rule() -> Value {
    object(world::RULE, &[], |key| match key {
        "match" => named(
            &any_of([json!({"type": "string"}), object(world::MATCH, &[], |_| json!({"type": "string"}))]),
            "what arguments must be",
        ),
        "when" => described("string", "an expression over args, facts, files, home, day, user"),
        "output" | "error" => described("string", "what the model reads, as a template"),
        "exit" => json!({"type": "integer", "minimum": 0, "maximum": 255}),
        "set" => named(&json!({"type": "string"}), "facts set, as templates"),
        "files" => named(&json!({"type": ["string", "null"]}), "workspace files written or removed"),
        _ => span(),
    })
}

fn files() -> Value {
    named(&content(), "files by their path")
}

fn content() -> Value {
    any_of([
        described("string", "a file to copy, relative to this one"),
        object(turns::CONTENT, &["text"], |_| json!({"type": "string"})),
    ])
}

fn past_session() -> Value {
    object(past::PAST, &["session", "ago", "messages"], |key| match key {
        "session" => described("string", "its id"),
        "ago" => described("string", "how long before the start it began"),
        "user" => described("string", "whose it is; everybody's without one"),
        "profile" => described("string", "the other profile of the user that it lies in"),
        "source" => described("string", "where it came from; `cli` without one"),
        "title" | "parent" => json!({"type": "string"}),
        "branch" => described("boolean", "whether it branched off its parent"),
        "ended" => {
            described("string", "why it ended (`compression`, `branched` …), or `open`; `done` without one")
        }
        "messages" => {
            let message = object(past::MESSAGE, &[], |key| match key {
                "user" | "agent" => described("string", "who said what"),
                "picture" => described("string", "a picture that came with it"),
                _ => described("boolean", "whether the user took it back"),
            });
            list(&message, "what was said, a minute apart")
        }
        _ => unknown(key),
    })
}

fn store() -> Value {
    object(stores::STORE, &[], |key| match key {
        "path" => described("string", "the absolute path by which prompts show it"),
        "files" => any_of([
            described("string", "a folder that it holds at the start"),
            named(&home_content(), "the files that it holds, by their path"),
        ]),
        _ => described("boolean", "whether agents may write to it; yes without it"),
    })
}

fn home_content() -> Value {
    let written = object(homes::HOME_CONTENT, &[], |key| match key {
        "text" => described("string", "the file's text"),
        _ => described("string", "the target of a link"),
    });
    any_of([described("string", "a file to copy, relative to this one"), written])
}

pub(super) fn span() -> Value {
    described("string", "a duration such as 12s, 1h30m, 2d")
}

pub(super) fn at() -> Value {
    described("string", "a duration from the scenario's start, or an instant")
}

pub(super) fn described(kind: &str, about: &str) -> Value {
    json!({"type": kind, "description": about})
}

pub(super) fn list(item: &Value, about: &str) -> Value {
    json!({"type": "array", "items": item, "description": about})
}

pub(super) fn named(value: &Value, about: &str) -> Value {
    json!({"type": "object", "additionalProperties": value, "description": about})
}

pub(super) fn any_of(schemas: impl IntoIterator<Item = Value>) -> Value {
    json!({"anyOf": schemas.into_iter().collect::<Vec<_>>()})
}

pub(super) fn object(keys: &[&str], required: &[&str], property: impl Fn(&str) -> Value) -> Value {
    let properties: Map<String, Value> = keys.iter().map(|key| ((*key).to_owned(), property(key))).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn unknown(key: &str) -> Value {
    unreachable!("the key `{key}` has no schema; a test builds all schemas")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::keys as families_keys;

    #[test]
    fn every_key_of_the_decoder_has_a_schema() {
        let scenario = scenario_schema();
        assert_eq!(scenario["properties"].as_object().unwrap().len(), file::KEYS.len());
        assert_eq!(
            families_schema()["properties"]["families"]["additionalProperties"]["properties"]
                .as_object()
                .unwrap()
                .len(),
            families_keys::FAMILY.len()
        );
        assert_eq!(
            rates_schema()["properties"]["rates"]["properties"].as_object().unwrap().len(),
            families_keys::RATES.len()
        );
        assert_eq!(world_schema()["properties"].as_object().unwrap().len(), world::WORLD.len());
    }
}
