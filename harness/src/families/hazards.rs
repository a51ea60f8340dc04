//! Steps, hazards and lessons of a family.

use std::sync::Arc;

use agent_core::values::SimDuration;
use mock_llm::decode::{Decoder, MapReader};
use mock_llm::yaml::{Entry, Node};

use super::keys;
use super::model::{Action, Belongs, Hazard, HazardKind, Lesson, Step};
use super::text::{Call, Slot, SlotText, call, plain_text, slot_text};
use crate::scenario::is_name;
use crate::world::is_home_tool;

/// A shorter error could stand in any result.
const SIGNATURE_CHARS_MIN: usize = 8;

/// One step: a call, what it is answered, and perhaps the hazard that lies there.
pub(super) fn step(d: &Decoder, node: &Node, slots: &[Slot], hazards: &[Arc<str>]) -> Option<Step> {
    let map = d.map(node, "a step", keys::STEP)?;
    let hazard = map.optional("hazard", |d, node| {
        let name = d.word(node)?;
        let found = hazards.iter().position(|hazard| **hazard == *name);
        if found.is_none() {
            let names: Vec<&str> = hazards.iter().map(|hazard| &**hazard).collect();
            d.unknown(node, "hazard", names.iter().copied());
        }
        found
    });
    let action = action(&map, slots)?;
    Some(Step { action, hazard })
}

/// A call with its answer, as in `instead` and `fix`.
fn plain_action(d: &Decoder, node: &Node, slots: &[Slot]) -> Option<Action> {
    let map = d.map(node, "a step", keys::ACTION)?;
    let action = action(&map, slots)?;
    if action.output.is_none() && !is_home_tool(&action.call.tool) {
        d.error(node.span, format!("what does `{}` answer? add `output`", action.call.tool));
    }
    Some(action)
}

fn action(map: &MapReader<'_, '_>, slots: &[Slot]) -> Option<Action> {
    let call = map.required("call", |d, node| call(d, node, slots));
    let output = map.optional("output", |d, node| slot_text(d, node, slots));
    let took = map.optional("took", |d, node| {
        let took = d.duration(node)?;
        Some(SimDuration::from_millis(u64::try_from(took.as_millis()).unwrap_or(u64::MAX)))
    });
    let call = call?;
    if is_home_tool(&call.tool) {
        for key in ["output", "took"] {
            if let Some(span) = map.key_span(key) {
                map.decoder()
                    .error(span, format!("`{}` is the agent's own tool and answers itself", call.tool));
            }
        }
    }
    if let (Some(output), Some(node)) = (&output, map.take("output")) {
        known_from_call(map.decoder(), node, output, &call, slots);
    }
    Some(Action { call, output, took })
}

/// The world sees the call and nothing else, so its answer can name only what the call names.
fn known_from_call(d: &Decoder, node: &Node, answer: &SlotText, call: &Call, slots: &[Slot]) {
    if let Some(slot) = answer.slots().find(|slot| !call.slots.contains(slot)) {
        let message = format!("the call does not name `{}`, so its answer cannot either", slots[slot].name);
        d.error(node.span, message);
    }
}

/// Where it goes wrong, what is done then, what spares it.
pub(super) fn hazard(d: &Decoder, entry: &Entry, slots: &[Slot]) -> Option<Hazard> {
    is_name(d, &entry.key, entry.key_span, "a hazard");
    let map = d.map(&entry.value, "a hazard", keys::HAZARD)?;
    let kind = kind(&map, slots);
    let actions = |d: &Decoder, node: &Node| {
        let count = node.as_seq().map_or(1, <[Node]>::len);
        let actions: Option<Vec<Action>> = d.one_or_many(node, |d, node| plain_action(d, node, slots));
        actions.filter(|actions| actions.len() == count)
    };
    let instead = map.required("instead", actions);
    if instead.as_ref().is_some_and(Vec::is_empty) {
        d.error(entry.key_span, "what does one do who knows? `instead` needs at least one step");
    }
    let fix = if map.has("fix") { map.optional("fix", actions) } else { Some(Vec::new()) };
    let lesson = map.required("lesson", lesson);
    if let (Some(HazardKind::Passing { .. }), Some(key)) = (&kind, map.key_span("fix")) {
        d.error(key, "a passing failure is mended by trying again; leave `fix` out");
    }
    Some(Hazard {
        name: (&*entry.key).into(),
        span: entry.key_span,
        kind: kind?,
        instead: instead?,
        fix: fix?,
        lesson: lesson?,
    })
}

fn kind(map: &MapReader<'_, '_>, slots: &[Slot]) -> Option<HazardKind> {
    let share = map.optional("passing", Decoder::share);
    match map.one_of(&["error", "correction"])? {
        ("error", node) => {
            let error = slot_text(map.decoder(), node, slots)?;
            if error.signature().chars().count() < SIGNATURE_CHARS_MIN {
                let hint = format!("at least {SIGNATURE_CHARS_MIN} characters beside the slots");
                map.decoder().error_with(node.span, "this error is too short to be recognised", hint);
                return None;
            }
            match (map.has("passing"), share) {
                (false, _) => Some(HazardKind::Error(error)),
                (true, Some(share)) => Some(HazardKind::Passing { share, error }),
                (true, None) => None,
            }
        }
        (_, node) => {
            if let Some(key) = map.key_span("passing") {
                map.decoder().error(key, "only an `error` can be a passing one");
            }
            plain_text(map.decoder(), node).map(HazardKind::Correction)
        }
    }
}

fn lesson(d: &Decoder, node: &Node) -> Option<Lesson> {
    let map = d.map(node, "a lesson", keys::LESSON)?;
    let text = map.required("text", plain_text);
    let belongs = map.required("belongs", |d, node| {
        let places = [Belongs::Skill, Belongs::Memory, Belongs::Profile, Belongs::SupportFile];
        let choices: Vec<(&'static str, Belongs)> = keys::BELONGS.into_iter().zip(places).collect();
        d.choice(node, &choices)
    });
    let (text, belongs) = (text?, belongs?);
    if text.contains('\n') {
        d.error(node.span, "a lesson is one line");
    }
    let pattern = map.or("pattern", Arc::clone(&text), plain_text);
    if !text.contains(&*pattern) {
        let span = map.take("pattern").map_or(node.span, |node| node.span);
        d.error(span, "the pattern does not stand in the lesson's own text, so nobody would recognise it");
    }
    Some(Lesson { text, pattern, belongs })
}
