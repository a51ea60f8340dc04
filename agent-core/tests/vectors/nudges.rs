//! Nudge counters: each case is a series of turns on one agent object.

mod play;

use serde_json::{Value, json};

use crate::common;
use play::Case;

#[test]
fn nudges() {
    common::run("nudges", |case| {
        let mut playing = Case::new(case);
        for (turn, expected) in rows(case, "turns").zip(rows(case, "expect")) {
            let found = playing.play(turn);
            common::same(&format!("turn {}", playing.turns), &found, &comparable(expected))?;
        }
        Ok(())
    });
}

fn rows<'a>(case: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    case[key].as_array().expect("a list").iter()
}

/// The fields that the cases name.
fn comparable(expected: &Value) -> Value {
    let keys = [
        "review",
        "turns_since_memory",
        "iters_since_skill",
        "user_turn_count",
        "api_calls",
        "exit",
        "interrupted",
    ];
    Value::Object(keys.into_iter().map(|key| (key.to_owned(), expected[key].clone())).collect())
}

/// What a turn was seen to do, in the form of the cases.
fn seen(review: &str, counters: agent_core::values::Counters, end: &agent_core::machine::TurnEnd) -> Value {
    json!({
        "review": review,
        "turns_since_memory": counters.turns_since_memory,
        "iters_since_skill": counters.iters_since_skill,
        "user_turn_count": counters.user_turns,
        "api_calls": end.api_calls,
        "exit": end.exit.split('(').next(),
        "interrupted": end.interrupted,
    })
}
