//! Families as a script: what the model does with a task, and what its reviews write down.
//!
//! The script is made as the text of a script's file and read as any other, so that everything that holds for scripts
//! holds for it. Its model knows what stands before it and nothing else: a skill is opened if the index shows one of its
//! words, a lesson is heeded if it stands in memory, in an opened skill or in this conversation. Rates decide only what
//! nobody can derive, by draws that are equal over arms.

use serde_json::{Value as Json, json};

use super::model::{Action, Belongs, Families, Family, Hazard, HazardKind};
use super::rates::Rates;
use super::review;
use super::text::{CASE, Slot};

/// What the model says when the work was not done.
pub(crate) const GAVE_UP: &str = "I have to give this up: it does not work out.";

/// What a correction is answered.
const AS_WISHED: &str = "Done as you wish.";

/// Names of draws, shared with what observes them.
pub(crate) mod draws {
    /// Whether a listed and visible skill is opened.
    pub(crate) const VIEW: &str = "view";
    /// Whether another skill is opened.
    pub(crate) const FALSE_VIEW: &str = "false view";
    /// Whether what an opened skill says is heeded in this turn.
    pub(crate) const FOLLOW_SKILL: &str = "follow skill";
    /// Whether the task is done in the end.
    pub(crate) const SOLVED: &str = "solved";

    /// Whether a lesson that lies elsewhere (`memory`, `support_file`, `conversation`) is heeded.
    pub(crate) fn follow(channel: &str, hazard: &str) -> String {
        format!("follow {channel} {hazard}")
    }

    /// Whether a hazard goes well.
    pub(crate) fn avoids(hazard: &str) -> String {
        format!("avoids {hazard}")
    }

    /// Whether a review writes a lesson down.
    pub(crate) fn capture(hazard: &str) -> String {
        format!("capture {hazard}")
    }
}

/// The script of these families under these rates, as the text of its file.
pub(crate) fn script_text(families: &Families, rates: &Rates) -> String {
    let mut main: Vec<Json> = Vec::new();
    let mut review: Vec<Json> = Vec::new();
    for family in &families.list {
        main.extend(family.hazards.iter().filter_map(|hazard| correction(family, hazard)));
        main.push(task(family, rates));
        review.extend(review::rules(family, rates));
    }
    review
        .push(json!({ "name": "end of review", "reply": "{{ 'Saved.' if calls else 'Nothing to save.' }}" }));
    let hazards = families
        .hazards()
        .filter_map(|(_, hazard)| Some((hazard.name.to_string(), Json::from(hazard.error()?.signature()))));
    let lessons =
        families.hazards().map(|(_, hazard)| (hazard.name.to_string(), Json::from(&*hazard.lesson.pattern)));
    let script = json!({
        "lessons": lessons.collect::<serde_json::Map<_, _>>(),
        "hazards": hazards.collect::<serde_json::Map<_, _>>(),
        "main": main,
        "review": review,
        "curator": [{
            "name": "no consolidation",
            "reply": "No two skills belong together.\n\n```yaml\nconsolidations: []\nprunings: []\n```",
        }],
        "compression": [{ "name": "compression", "reply": "The user asked for {{ users | length }} tasks; all were worked on." }],
        "title": [{ "name": "title", "reply": "Recurring work" }],
        "summary": [{ "name": "summary", "reply": "An earlier task of the same kind." }],
    });
    serde_json::to_string_pretty(&script).expect("a JSON value always prints")
}

/// The rule of a family's tasks.
fn task(family: &Family, rates: &Rates) -> Json {
    let mut lets = slot_lets(&family.slots, "user");
    for (index, hazard) in family.hazards.iter().enumerate() {
        lets.insert(format!("heeds_{index}"), value(&heeds(hazard, rates)).into());
        if !hazard.is_passing() {
            let (followed, unaided) = (rates.value("avoids.followed"), rates.value("avoids.unaided"));
            let name = literal(&draws::avoids(&hazard.name));
            let chance = format!("chance({followed} if heeds_{index} else {unaided}, {name})");
            lets.insert(format!("avoids_{index}"), value(&chance).into());
        }
    }
    let (spared, hit) = (rates.value("solved.spared"), rates.value("solved.hit"));
    let solved = format!("chance({hit} if {} else {spared}, {})", was_hit(family), literal(draws::SOLVED));
    lets.insert("solved".to_owned(), value(&solved).into());
    let mut steps = views(family, rates);
    for step in &family.steps {
        match step.hazard {
            None => steps.push(json!({ "call": call(&step.action) })),
            Some(index) => steps.extend(hazardous(family, index, &step.action)),
        }
    }
    steps.push(json!({ "reply": &*family.done.text, "when": "solved" }));
    steps.push(json!({ "reply": GAVE_UP }));
    json!({
        "name": &*family.name,
        "when": format!("{} in user", literal(&family.cue)),
        "let": lets,
        "steps": steps,
    })
}

/// Opening skills: perhaps one that has nothing to do with the task, then the family's own and its files.
fn views(family: &Family, rates: &Rates) -> Vec<Json> {
    let mut steps = Vec::new();
    let own = family.skill.as_ref().filter(|_| !family.one_off);
    let others = match own {
        Some(skill) => format!("skills|list|reject('eq', {})|list", literal(&skill.name)),
        None => "skills|list".to_owned(),
    };
    let false_view = rates.value("false_view");
    if false_view > 0.0 {
        let draw = literal(draws::FALSE_VIEW);
        steps.push(json!({
            "call": { "skill_view": { "name": format!("{{{{ pick({others}, {draw}) }}}}") } },
            "when": format!("chance({false_view}, {draw}) and {others}|length > 0"),
        }));
    }
    let Some(skill) = own else { return steps };
    let (name, view, draw) = (literal(&skill.name), rates.value("view"), literal(draws::VIEW));
    let words: Vec<String> = family.words.iter().map(|word| literal(word)).collect();
    steps.push(json!({
        "call": { "skill_view": { "name": &*skill.name } },
        "when": format!("not viewed({name}) and shown({name}, [{}]) and chance({view}, {draw})", words.join(", ")),
    }));
    for hazard in family.hazards.iter().filter(|hazard| hazard.lesson.belongs == Belongs::SupportFile) {
        let file = review::support_file(hazard);
        let path = literal(&file);
        steps.push(json!({
            "call": { "skill_view": { "name": &*skill.name, "file_path": file } },
            "when": format!(
                "viewed({name}) and {path} in view({name}) and not viewed({name}, {path}) and chance({view}, {})",
                literal(&format!("{} {}", draws::VIEW, hazard.name))
            ),
        }));
    }
    steps
}

/// A step at which a hazard lies: first what one does who knows, then what one does who does not. In this order, so that
/// an error of this turn, which teaches, does not make the right way be gone twice.
fn hazardous(family: &Family, index: usize, action: &Action) -> Vec<Json> {
    let hazard = &family.hazards[index];
    let knows = if hazard.is_passing() { format!("heeds_{index}") } else { format!("avoids_{index}") };
    let mut steps: Vec<Json> =
        hazard.instead.iter().map(|action| json!({ "call": call(action), "when": knows })).collect();
    let mut naive = json!({ "call": call(action), "when": format!("not {knows}") });
    let repair = match &hazard.kind {
        HazardKind::Error(_) => Some(
            hazard.fix.iter().chain(&hazard.instead).map(|action| json!({ "call": call(action) })).collect(),
        ),
        HazardKind::Passing { .. } => Some(vec![json!("retry")]),
        HazardKind::Correction(_) => None,
    };
    if let (Some(error), Some(repair)) = (hazard.error(), repair) {
        naive["on_error"] = json!([{ "match": error.signature(), "steps": repair }]);
    }
    steps.push(naive);
    steps
}

/// The rule that answers a user's correction.
fn correction(family: &Family, hazard: &Hazard) -> Option<Json> {
    let text = hazard.correction()?;
    let actions = hazard.fix.iter().chain(&hazard.instead);
    let mut steps: Vec<Json> = actions.map(|action| json!({ "call": call(action) })).collect();
    steps.push(json!({ "reply": AS_WISHED }));
    Some(json!({
        "name": format!("{}: {}", family.name, hazard.name),
        "when": format!("{} in user", literal(text)),
        // The task was asked for in an earlier message.
        "let": slot_lets(&family.slots, "users|reverse|join('\\n')"),
        "steps": steps,
    }))
}

/// Whether a lesson is known and acted on, by any of the ways in which it can reach the model.
fn heeds(hazard: &Hazard, rates: &Rates) -> String {
    let name = literal(&hazard.name);
    let way = |channel: &str, draw: String| {
        format!(
            "(knows({name}, by='{channel}') and chance({}, {}))",
            rates.value(&format!("follow.{channel}")),
            literal(&draw)
        )
    };
    let mut ways = vec![
        way("memory", draws::follow("memory", &hazard.name)),
        way("skill", draws::FOLLOW_SKILL.to_owned()),
        way("support_file", draws::follow("support_file", &hazard.name)),
    ];
    // A passing failure that was overcome in this conversation teaches nothing that one would act on.
    if !hazard.is_passing() {
        let draw = literal(&draws::follow("conversation", &hazard.name));
        ways.push(format!("({} and chance({}, {draw}))", taught(hazard), rates.value("follow.conversation")));
    }
    ways.join(" or ")
}

/// Whether this conversation taught a lesson: by the error, or by the user's words.
pub(super) fn taught(hazard: &Hazard) -> String {
    match hazard.correction() {
        Some(text) => format!("{} in users|join('\\n')", literal(text)),
        None => format!("met({})", literal(&hazard.name)),
    }
}

/// Whether an error of the family's hazards stands in this turn.
fn was_hit(family: &Family) -> String {
    let seen = family.hazards.iter().filter(|hazard| !hazard.is_passing()).filter_map(Hazard::error);
    let seen: Vec<String> =
        seen.map(|error| format!("seen({}, since='turn')", literal(error.signature()))).collect();
    if seen.is_empty() { "false".to_owned() } else { format!("({})", seen.join(" or ")) }
}

/// The slots as named values, read off a text that is before the model.
pub(super) fn slot_lets(slots: &[Slot], text: &str) -> serde_json::Map<String, Json> {
    let read = |slot: &Slot| {
        // Values that begin or end with a letter are not found within longer words.
        let pattern = literal(&format!(r"(?:^|\W)({})(?:\W|$)", slot.pattern()));
        (slot.name.to_string(), Json::from(value(&format!("capture({pattern}, {text})"))))
    };
    slots.iter().map(read).collect()
}

/// A call in a script's step.
pub(super) fn call(action: &Action) -> Json {
    json!({ &*action.call.tool: action.call.args })
}

/// The name of a family's skill as a template, and as an expression.
pub(super) fn skill_name(family: &Family, name: &str) -> (String, String) {
    if family.one_off {
        (format!("{name}-{{{{ {CASE} }}}}"), format!("({} ~ '-' ~ {CASE})", literal(name)))
    } else {
        (name.to_owned(), literal(name))
    }
}

/// An expression as a named value or argument that keeps its type.
pub(super) fn value(expression: &str) -> String {
    format!("{{{{ {expression} }}}}")
}

/// A text as a literal of the expression language.
pub(super) fn literal(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('\'');
    for c in text.chars() {
        match c {
            '\\' | '\'' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c => quoted.push(c),
        }
    }
    quoted.push('\'');
    quoted
}
