//! What must fit together in a family and between families.

use std::collections::BTreeMap;

use mock_llm::decode::{Decoder, MapReader};
use mock_llm::diagnose::Span;
use mock_llm::yaml::Node;

use super::model::{Families, Family, HazardKind};
use super::script::GAVE_UP;
use crate::world::is_home_tool;

/// A shorter cue could stand in anything that a user says.
pub(super) const CUE_CHARS_MIN: usize = 6;

/// Checks one family.
pub(super) fn within(map: &MapReader<'_, '_>, family: &Family) {
    let d = map.decoder();
    let place = |key: &str| map.key_span(key).unwrap_or(family.span);
    if family.cue.chars().count() < CUE_CHARS_MIN {
        d.error(place("cue"), format!("a cue has at least {CUE_CHARS_MIN} characters"));
    }
    if !family.says.iter().all(|says| says.literals().any(|text| text.contains(&*family.cue))) {
        d.error(place("cue"), format!("`{}` does not stand in every way of asking", family.cue));
    }
    if let Some(hazard) = family.hazards.iter().find(|hazard| hazard.lesson.belongs.in_skill())
        && !map.has("skill")
    {
        let message =
            format!("the lesson of `{}` belongs into a skill, and the family has none", hazard.name);
        d.error_with(family.span, message, "add `skill: { name: …, description: … }`");
    }
    if map.has("skill") && family.words.is_empty() {
        d.error_with(
            family.span,
            "by which words is the skill found in the index?",
            "add `words: […]`; one of them must stand in the skill's name or description",
        );
    }
    if family.done.text.starts_with(GAVE_UP) {
        d.error(place("done"), "this is what the model says when it gives up");
    }
    steps(map, family);
}

/// Each hazard lies at one step, and a step's answer is stated once.
fn steps(map: &MapReader<'_, '_>, family: &Family) {
    let d = map.decoder();
    let nodes = map.take("steps").and_then(|node| node.as_seq()).unwrap_or_default();
    for (index, hazard) in family.hazards.iter().enumerate() {
        let name = &hazard.name;
        match family.steps.iter().filter(|step| step.hazard == Some(index)).count() {
            1 => {}
            // A misspelt name, which was told, may have been meant for this one.
            0 if nodes.iter().any(|node| names_nothing(node, family)) => {}
            0 => {
                let hint = format!("write `hazard: {name}` at the step where it goes wrong");
                d.error_with(hazard.span, format!("the hazard `{name}` lies at no step"), hint);
            }
            times => {
                d.error(hazard.span, format!("the hazard `{name}` lies at {times} steps instead of one"));
            }
        }
    }
    for (step, node) in family.steps.iter().zip(nodes) {
        let tool = &step.action.call.tool;
        let hazard = step.hazard.and_then(|hazard| family.hazards.get(hazard));
        let own = is_home_tool(tool);
        match hazard.map(|hazard| &hazard.kind) {
            Some(HazardKind::Error(error)) => {
                if step.action.output.is_some() {
                    d.error(
                        node.span,
                        "the hazard's `error` is what this step is answered; leave `output` out",
                    );
                }
                check_error(d, node.span, own, tool, error.slots(), &step.action.call.slots);
            }
            Some(HazardKind::Passing { error, .. }) => {
                check_error(d, node.span, own, tool, error.slots(), &step.action.call.slots);
            }
            Some(HazardKind::Correction(_)) | None => {}
        }
        let answered = own || matches!(hazard.map(|hazard| &hazard.kind), Some(HazardKind::Error(_)));
        if !answered && step.action.output.is_none() {
            d.error(node.span, format!("what does `{tool}` answer? add `output`"));
        }
        let same = hazard.is_some_and(|hazard| {
            hazard
                .instead
                .last()
                .is_some_and(|last| last.call.args == step.action.call.args && last.call.tool == *tool)
        });
        if same {
            d.error(
                node.span,
                "who knows does the same as who does not: `instead` must end with another call",
            );
        }
    }
}

/// Whether a step points at a hazard that the family does not have.
fn names_nothing(step: &Node, family: &Family) -> bool {
    let named = step.as_map().and_then(|map| map.get("hazard")).and_then(|entry| entry.value.as_text());
    named.is_some_and(|named| family.hazards.iter().all(|hazard| *hazard.name != *named))
}

fn check_error(
    d: &Decoder,
    span: Span,
    own: bool,
    tool: &str,
    mut in_error: impl Iterator<Item = usize>,
    in_call: &[usize],
) {
    if own {
        d.error(
            span,
            format!("`{tool}` is the agent's own tool; a hazard with an error lies at a tool of the world"),
        );
    } else if in_error.any(|slot| !in_call.contains(&slot)) {
        d.error(span, "the hazard's error names a slot that this call does not name");
    }
}

/// Checks families against each other: what is recognised by a text must not be recognised by another's.
pub(super) fn across(d: &Decoder, families: &Families) {
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    for (id, hazard) in families.hazards() {
        if let Some(other) = names.insert(&hazard.name, &families.list[id.family].name) {
            d.error(
                hazard.span,
                format!("a second hazard named `{}`; the first is in `{other}`", hazard.name),
            );
        }
    }
    cues(d, families);
    errors(d, families);
    lessons(d, families);
}

fn cues(d: &Decoder, families: &Families) {
    for (index, family) in families.list.iter().enumerate() {
        for (other_index, other) in families.list.iter().enumerate() {
            let asked =
                other_index != index && other.says.iter().any(|says| says.text.contains(&*family.cue));
            let corrected = other.hazards.iter().filter_map(|hazard| hazard.correction()).any(|text| {
                text.contains(&*family.cue) || family.says.iter().any(|says| says.text.contains(&**text))
            });
            if asked || corrected {
                let message = format!(
                    "`{}`, by which `{}` is recognised, is said in `{}` as well",
                    family.cue, family.name, other.name
                );
                d.error_with(family.span, message, "choose another `cue:`");
            }
        }
    }
    let corrections: Vec<_> =
        families.hazards().filter_map(|(_, hazard)| Some((hazard, hazard.correction()?))).collect();
    for (hazard, text) in &corrections {
        let twin =
            corrections.iter().find(|(twin, longer)| twin.name != hazard.name && longer.contains(&***text));
        if let Some((twin, _)) = twin {
            d.error(hazard.span, format!("the correction of `{}` says the same", twin.name));
        }
    }
}

fn errors(d: &Decoder, families: &Families) {
    for (_, hazard) in families.hazards() {
        let Some(error) = hazard.error() else { continue };
        let signature = error.signature();
        let twin = families.hazards().find(|(_, twin)| {
            twin.name != hazard.name && twin.error().is_some_and(|error| error.text.contains(signature))
        });
        if let Some((_, twin)) = twin {
            let message = format!(
                "`{signature}`, by which this error is recognised, stands in that of `{}`",
                twin.name
            );
            d.error(hazard.span, message);
        }
    }
}

fn lessons(d: &Decoder, families: &Families) {
    for (_, hazard) in families.hazards() {
        let pattern = &*hazard.lesson.pattern;
        let twin = families
            .hazards()
            .find(|(_, twin)| twin.name != hazard.name && twin.lesson.text.contains(pattern));
        if let Some((_, twin)) = twin {
            d.error(
                hazard.span,
                format!("`{pattern}`, by which its lesson is recognised, stands in that of `{}`", twin.name),
            );
        }
        let told = families.list.iter().find(|family| {
            family
                .skill
                .as_ref()
                .is_some_and(|skill| skill.body.contains(pattern) || skill.description.contains(pattern))
        });
        if let Some(family) = told {
            d.error(
                hazard.span,
                format!("the skill of `{}` says the lesson before anybody has learned it", family.name),
            );
        }
    }
}
