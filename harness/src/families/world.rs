//! Families as rules of a world: what each call of their steps is answered.
//!
//! The rules look at the call alone. Who does it the wrong way gets the error, whatever anybody knows; who does it the
//! right way does not. The one fact is `trouble`: which user meets which passing failure now.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use super::model::{Action, Families, HazardKind};
use super::text::{Call, SlotText};
use crate::world::is_home_tool;

/// The fact that holds the passing failures to come, each as `user/hazard`.
pub(crate) const TROUBLE: &str = "trouble";

/// The tool that is a shell; its answers have an exit code.
const SHELL: &str = "terminal";

/// The world of these families, as the text of its file.
///
/// # Errors
/// Two steps make the same call and are answered differently; the message names both families.
pub(crate) fn world_text(families: &Families) -> Result<String, String> {
    let mut tools = Tools::default();
    for family in &families.list {
        for hazard in &family.hazards {
            let step = family.steps.iter().find(|step| {
                step.hazard
                    .is_some_and(|index| std::ptr::eq(&raw const family.hazards[index], &raw const *hazard))
            });
            if let (HazardKind::Passing { error, .. }, Some(step)) = (&hazard.kind, step) {
                tools.trouble(&step.action.call, error, &hazard.name);
            }
        }
        for step in &family.steps {
            let hazard = step.hazard.map(|index| &family.hazards[index]);
            match hazard.map(|hazard| &hazard.kind) {
                Some(HazardKind::Error(error)) => {
                    tools.answer(&family.name, &step.action, "error", Some(error))?;
                }
                _ => tools.answer(&family.name, &step.action, "output", step.action.output.as_ref())?,
            }
            for action in hazard.into_iter().flat_map(|hazard| hazard.instead.iter().chain(&hazard.fix)) {
                tools.answer(&family.name, action, "output", action.output.as_ref())?;
            }
        }
    }
    let world = json!({ "facts": { TROUBLE: [] }, "tools": tools.finish() });
    Ok(serde_json::to_string_pretty(&world).expect("a JSON value always prints"))
}

/// The tools by name, with their rules.
#[derive(Default)]
struct Tools(BTreeMap<String, Tool>);

#[derive(Default)]
struct Tool {
    properties: Map<String, Json>,
    first: Vec<Json>,
    rules: Vec<(Json, String)>,
}

impl Tools {
    fn tool(&mut self, call: &Call) -> &mut Tool {
        let tool = self.0.entry(call.tool.to_string()).or_default();
        for (name, value) in call.args.as_object().into_iter().flatten() {
            let kind = match value {
                Json::Null => continue,
                Json::Bool(_) => "boolean",
                Json::Number(number) if number.is_f64() => "number",
                Json::Number(_) => "integer",
                Json::String(_) => "string",
                Json::Array(_) => "array",
                Json::Object(_) => "object",
            };
            tool.properties.entry(name.clone()).or_insert_with(|| json!({ "type": kind }));
        }
        tool
    }

    /// A rule that fails the next such call of a user who is in trouble.
    fn trouble(&mut self, call: &Call, error: &SlotText, hazard: &str) {
        let name = format!("(user ~ '/{hazard}')");
        self.tool(call).first.push(json!({
            "match": call.matches,
            "when": format!("{name} in facts.{TROUBLE}"),
            "error": &*error.text,
            "set": { TROUBLE: format!("{{{{ facts.{TROUBLE} | reject('eq', {name}) | list }}}}") },
        }));
    }

    fn answer(
        &mut self,
        family: &str,
        action: &Action,
        key: &str,
        text: Option<&SlotText>,
    ) -> Result<(), String> {
        let (false, Some(text)) = (is_home_tool(&action.call.tool), text) else { return Ok(()) };
        let mut rule = json!({ "match": action.call.matches, key: &*text.text });
        if let Some(took) = action.took {
            rule["took"] = Json::from(format!("{}ms", took.as_millis()));
        }
        let tool = self.tool(&action.call);
        match tool.rules.iter().find(|(other, _)| other["match"] == rule["match"]) {
            Some((other, _)) if *other == rule => {}
            Some((_, other)) => {
                let call = serde_json::to_string(&action.call.args).unwrap_or_default();
                return Err(format!(
                    "`{}` with {call} is answered differently in `{other}` and in `{family}`",
                    action.call.tool
                ));
            }
            None => tool.rules.push((rule, family.to_owned())),
        }
        Ok(())
    }

    fn finish(self) -> Vec<Json> {
        let tool = |(name, tool): (String, Tool)| {
            let description = match &*name {
                SHELL => "Runs a command line on the user's machine and returns its output and exit code."
                    .to_owned(),
                name => format!("Asks the service `{name}` and returns its answer."),
            };
            let required: Vec<&String> = tool.properties.keys().collect();
            let mut answers: Vec<Json> = tool.rules.into_iter().map(|(rule, _)| rule).collect();
            // A call with an argument more than another is another call: the rule that looks at more stands first.
            answers.sort_by_key(|rule| std::cmp::Reverse(rule["match"].as_object().map_or(0, Map::len)));
            let rules: Vec<Json> = tool.first.into_iter().chain(answers).collect();
            let mut spec = json!({
                "name": &name,
                "description": description,
                "parameters": { "type": "object", "properties": &tool.properties, "required": if name == SHELL { json!(["command"]) } else { json!(required) } },
                "rules": rules,
            });
            if name == SHELL {
                spec["shell"] = json!("command");
            }
            spec
        };
        self.0.into_iter().map(tool).collect()
    }
}
