//! The part of the schemas that speaks of families, rates and generated work.

use serde_json::{Value, json};

use super::schema::{any_of, at, common, described, list, named, object, span};
use super::work;
use crate::families::{Rates, keys};

/// Families by name, or the file that holds them.
pub(super) fn families() -> Value {
    any_of([described("string", "a file of families, relative to this one"), by_name()])
}

/// A file of families.
pub(super) fn families_file() -> Value {
    object(keys::FILE, &["families"], |key| match key {
        "description" => described("string", "what kind of work it is"),
        _ => by_name(),
    })
}

/// A file of rates.
pub(super) fn rates_file() -> Value {
    object(keys::RATES_FILE, &["rates"], |key| match key {
        "description" => described("string", "what world it is"),
        _ => written_rates(),
    })
}

/// Rates by name of their world, by file, or written out.
pub(super) fn rates() -> Value {
    any_of([world(), described("string", "a file of rates, relative to this one"), written_rates()])
}

/// The name of a world whose rates are shipped.
pub(super) fn world() -> Value {
    json!({"enum": Rates::worlds().collect::<Vec<_>>(), "description": "a named world of rates"})
}

/// Generated work.
pub(super) fn item() -> Value {
    object(work::KEYS, &["work"], |key| match key {
        "work" => described("string", "its name; its sessions are NAME-1, NAME-2 …"),
        "every" | "for" | "think" | "exit" => span(),
        "until" => at(),
        "poisson" => object(work::POISSON, work::POISSON, |key| match key {
            "per" => span(),
            _ => {
                json!({"type": "number", "exclusiveMinimum": 0, "description": "mean number of sessions in it"})
            }
        }),
        "working_days" => object(work::WORKING_DAYS, work::WORKING_DAYS, |key| match key {
            "at" => list(&described("string", "a time of day such as 9:00"), "beginning and end, in UTC"),
            _ => json!({"type": "integer", "minimum": 1, "description": "sessions of a day"}),
        }),
        "families" => any_of([
            list(&json!({"type": "string"}), "families, each with its own weight"),
            named(&json!({"type": "number", "exclusiveMinimum": 0}), "weights by family"),
        ]),
        "tasks" => {
            let count = json!({"type": "integer", "minimum": 1});
            any_of([count.clone(), list(&count, "least and most tasks of a session")])
        }
        "agent" => json!({"enum": ["fresh", "kept"]}),
        "surface" => json!({"enum": ["gateway", "cli"]}),
        "workspace" => json!({"enum": ["keep", "fresh"]}),
        _ => common(key),
    })
}

fn by_name() -> Value {
    named(&family(), "kinds of tasks, by name")
}

fn family() -> Value {
    object(keys::FAMILY, &["says", "steps"], |key| match key {
        "weight" => {
            json!({"type": "number", "exclusiveMinimum": 0, "description": "how often it is drawn, relative to others"})
        }
        "one_off" => described("boolean", "whether no task of it comes twice"),
        "slots" => named(&list(&json!({"type": "string"}), "values"), "what varies, as {{ name }} in texts"),
        "says" => {
            any_of([json!({"type": "string"}), list(&json!({"type": "string"}), "ways of asking for it")])
        }
        "cue" => described("string", "a text in every way of asking, and in no other family's"),
        "words" => list(&json!({"type": "string"}), "words by which its skill is found in the index"),
        "skill" => object(keys::SKILL, &["name", "description"], |_| json!({"type": "string"})),
        "steps" => list(&step(keys::STEP), "what is done, in order"),
        "hazards" => named(&hazard(), "where it goes wrong, by name"),
        _ => described("string", "what the model says at the end"),
    })
}

fn step(keys: &[&str]) -> Value {
    object(keys, &["call"], |key| match key {
        "call" => described("object", "one tool with its arguments"),
        "output" => described("string", "what the world answers"),
        "took" => span(),
        _ => described("string", "the hazard that lies here"),
    })
}

fn hazard() -> Value {
    object(keys::HAZARD, &["instead", "lesson"], |key| match key {
        "error" => described("string", "what the step is answered that is done the wrong way"),
        "correction" => described("string", "what the user says of a step done the wrong way"),
        "passing" => {
            json!({"type": "number", "minimum": 0, "maximum": 1, "description": "the share of tasks in which the error happens once, for no reason that lasts"})
        }
        "instead" | "fix" => any_of([step(keys::ACTION), list(&step(keys::ACTION), "steps")]),
        _ => object(keys::LESSON, &["text", "belongs"], |key| match key {
            "belongs" => json!({"enum": keys::BELONGS}),
            "pattern" => described("string", "the part of the text by which it is recognised"),
            _ => described("string", "what is written down, on one line"),
        }),
    })
}

fn written_rates() -> Value {
    object(keys::RATES, &[], |key| {
        let group = keys::GROUPS.iter().find(|(group, ..)| *group == key);
        match group {
            None => world(),
            Some((_, _, [])) => rate(),
            Some((_, _, members)) => object(members, &[], |_| rate()),
        }
    })
}

fn rate() -> Value {
    let share = json!({"type": "number", "minimum": 0, "maximum": 1});
    let mapping = object(keys::RATE, &[], |key| match key {
        "rate" => share.clone(),
        "count" => json!({"type": "integer", "minimum": 0, "description": "how often it was so"}),
        "of" => json!({"type": "integer", "minimum": 1, "description": "out of how many"}),
        "evidence" => json!({"enum": ["assumed", "counted"]}),
        _ => described("string", "where it comes from"),
    });
    any_of([share.clone(), mapping])
}
