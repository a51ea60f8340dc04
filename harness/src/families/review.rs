//! What a review writes down of a family's lessons: the skill when there is none yet, then its pitfalls and supporting
//! files, and entries of notes and profile.
//!
//! A review acts on what it was asked for and on what it sees: the errors and corrections of the conversation, the frozen
//! index and memory of its prompt, and what it opens itself.

use serde_json::{Value as Json, json};

use super::model::{Belongs, Family, FamilySkill, Hazard};
use super::rates::Rates;
use super::script::{draws, literal, skill_name, slot_lets, taught, value};
use super::text::CASE;

/// The heading that pitfalls stand under.
const PITFALLS: &str = "## Pitfalls\n\n";

/// The heading that pointers to supporting files stand under.
const FILES: &str = "## Files\n\n";

/// The supporting file of a lesson.
pub(super) fn support_file(hazard: &Hazard) -> String {
    format!("references/{}.md", hazard.name)
}

/// The writing rules of a family.
pub(super) fn rules(family: &Family, rates: &Rates) -> Vec<Json> {
    let mut rules = Vec::new();
    if let Some(skill) = &family.skill {
        rules.extend(skill_rule(family, skill, rates));
    }
    rules.extend(memory_rule(family, rates));
    rules
}

/// The hazards whose lessons go somewhere, with their places in the family.
fn of(family: &Family, wanted: impl Fn(Belongs) -> bool) -> Vec<(usize, &Hazard)> {
    family.hazards.iter().enumerate().filter(|(_, hazard)| wanted(hazard.lesson.belongs)).collect()
}

/// Named values: whether each lesson is worth writing down now.
fn lets(
    family: &Family,
    lessons: &[(usize, &Hazard)],
    novel: &str,
    rates: &Rates,
) -> serde_json::Map<String, Json> {
    let case = family.slots.iter().filter(|slot| &*slot.name == CASE).cloned().collect::<Vec<_>>();
    let mut lets = slot_lets(&case, "users|reverse|join('\\n')");
    lets.insert("novel".to_owned(), value(novel).into());
    for (index, hazard) in lessons {
        let name = literal(&hazard.name);
        let noted = ["memory", "skill", "support_file"]
            .map(|channel| format!("not knows({name}, by='{channel}')"))
            .join(" and ");
        let share = if hazard.is_passing() {
            rates.value("false_lesson").to_string()
        } else {
            format!("{} if novel else {}", rates.value("capture.first"), rates.value("capture.repeat"))
        };
        let draw = literal(&draws::capture(&hazard.name));
        let takes = format!("{} and {noted} and chance({share}, {draw})", taught(hazard));
        lets.insert(format!("takes_{index}"), value(&takes).into());
    }
    lets
}

fn any(lessons: &[(usize, &Hazard)]) -> String {
    let all: Vec<String> = lessons.iter().map(|(index, _)| format!("takes_{index}")).collect();
    format!("({})", all.join(" or "))
}

fn skill_rule(family: &Family, skill: &FamilySkill, rates: &Rates) -> Option<Json> {
    let lessons = of(family, Belongs::in_skill);
    if lessons.is_empty() {
        return None;
    }
    let (name, expression) = skill_name(family, &skill.name);
    let listed = format!("{expression} in skills");
    let created = format!("called('skill_manage', action='create', name={expression})");
    let create = create(skill, &name, &lessons);
    let view = json!({ "skill_view": { "name": &name } });
    let patches = |also: &str| -> Vec<Json> {
        lessons.iter().map(|(index, hazard)| json!({ "call": patch(&name, hazard), "when": format!("takes_{index}{also}") })).collect()
    };
    // An earlier review of this session may have made the skill, which the frozen index does not show.
    let mut after_all = vec![json!({ "call": &view })];
    after_all.extend(patches(""));
    let mut steps = vec![
        json!({ "call": &create, "when": format!("not {listed}"), "on_error": [{ "match": "exists already", "steps": after_all }] }),
        // It may be gone although the frozen index shows it.
        json!({ "call": &view, "when": format!("{listed} and not {created}"), "on_error": [{ "steps": [{ "call": &create }] }] }),
    ];
    steps.extend(patches(&format!(" and {listed} and not {created}")));
    for (index, hazard) in lessons.iter().filter(|(_, hazard)| hazard.lesson.belongs == Belongs::SupportFile)
    {
        steps.push(json!({ "call": support(&name, hazard), "when": format!("takes_{index}") }));
    }
    Some(json!({
        "name": format!("{}: skill", family.name),
        "when": format!("'skills' in asks and 'skill_manage' in tools and {}", any(&lessons)),
        "let": lets(family, &lessons, &format!("not {listed}"), rates),
        "steps": steps,
    }))
}

/// The call that makes the skill with the lessons that are taken.
fn create(skill: &FamilySkill, name: &str, lessons: &[(usize, &Hazard)]) -> Json {
    let line = |(index, hazard): &(usize, &Hazard)| {
        value(&format!("{} if takes_{index} else ''", literal(&pointer_or_pitfall(hazard))))
    };
    let under = |belongs: Belongs| -> String {
        lessons.iter().filter(|(_, hazard)| hazard.lesson.belongs == belongs).map(line).collect()
    };
    let description = serde_json::to_string(&*skill.description).expect("a text always prints");
    let content = format!(
        "---\nname: {name}\ndescription: {description}\n---\n\n# {}\n\n{}\n\n{PITFALLS}{}\n{FILES}{}",
        skill.name,
        skill.body,
        under(Belongs::Skill),
        under(Belongs::SupportFile),
    );
    let mut args = json!({ "action": "create", "name": name, "content": content });
    if let Some(category) = &skill.category {
        args["category"] = Json::from(&**category);
    }
    json!({ "skill_manage": args })
}

/// The line by which the skill's own text holds a lesson or points at the file that does.
fn pointer_or_pitfall(hazard: &Hazard) -> String {
    match hazard.lesson.belongs {
        Belongs::SupportFile => format!("- {}\n", support_file(hazard)),
        _ => format!("- {}\n", hazard.lesson.text),
    }
}

/// The call that adds a line to a skill.
fn patch(name: &str, hazard: &Hazard) -> Json {
    let heading = if hazard.lesson.belongs == Belongs::SupportFile { FILES } else { PITFALLS };
    let new = format!("{heading}{}", pointer_or_pitfall(hazard));
    json!({ "skill_manage": { "action": "patch", "name": name, "old_string": heading, "new_string": new } })
}

/// The call that writes a lesson's supporting file.
fn support(name: &str, hazard: &Hazard) -> Json {
    json!({ "skill_manage": {
        "action": "write_file",
        "name": name,
        "file_path": support_file(hazard),
        "file_content": format!("# {}\n\n{}\n", hazard.name, hazard.lesson.text),
    } })
}

fn memory_rule(family: &Family, rates: &Rates) -> Option<Json> {
    let lessons = of(family, |belongs| !belongs.in_skill());
    if lessons.is_empty() {
        return None;
    }
    let mut known: Vec<String> = family
        .hazards
        .iter()
        .map(|hazard| format!("not knows({}, by='memory')", literal(&hazard.name)))
        .collect();
    if let Some(skill) = &family.skill {
        known.push(format!("{} not in skills", skill_name(family, &skill.name).1));
    }
    let steps: Vec<Json> = lessons
        .iter()
        .map(|(index, hazard)| {
            let target = if hazard.lesson.belongs == Belongs::Profile { "user" } else { "memory" };
            let args = json!({ "action": "add", "target": target, "content": &*hazard.lesson.text });
            json!({ "call": { "memory": args }, "when": format!("takes_{index}") })
        })
        .collect();
    Some(json!({
        "name": format!("{}: memory", family.name),
        "when": format!("'memory' in asks and 'memory' in tools and {}", any(&lessons)),
        "let": lets(family, &lessons, &known.join(" and "), rates),
        "steps": steps,
    }))
}
