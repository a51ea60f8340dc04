//! What the model reads of the three tools, and the rules that the description of `skill_manage` must convey.
//!
//! The words are files of the repository (`prompts/tools/`). Those of `skill_manage` can be replaced like any prompt
//! ([`crate::prompt::PromptLibrary`]) and are checked by [`description_rules`]; what depends on rules of the version
//! is added here, outside of the text.

use serde_json::{Map, Value, json};

use super::manage::Action;
use crate::behaviour::{DefenceRules, ReviewDelete, SkillRules, SkillStore};
use crate::defence::restate;
use crate::prompt::rules::{Layer, PromptRule};
use crate::text::trim;
use crate::values::{Parallel, ToolOwner, ToolSpec};

/// The tool that changes skills.
pub const MANAGE: &str = "skill_manage";

/// The tool that shows one.
pub const VIEW: &str = "skill_view";

/// The tool that lists them.
pub const LIST: &str = "skills_list";

const VIEW_TEXT: &str = include_str!("../../prompts/tools/skill_view.md");
const LIST_TEXT: &str = include_str!("../../prompts/tools/skills_list.md");

const READ_FIRST: &str = "In a background review the very file that you change must have been read in this review, with \
                          `skill_view`. After a refusal read it once and try once more.";

const ABSORB: &str = "In a background review `delete` needs `absorbed_into`, an existing skill.";

const ARCHIVES: &str = "What a background review deletes is archived, not lost.";

/// The tools as these rules offer them: names, then one, then changes. Where skills are only read, nothing changes
/// them. `manage_text` is the wording of `skill_manage`.
pub fn tool_specs(rules: &SkillRules, defence: DefenceRules, manage_text: &str) -> Vec<ToolSpec> {
    let mut specs = vec![list_spec(), view_spec()];
    if rules.store != SkillStore::Static {
        specs.push(manage_spec(rules, defence, manage_text));
    }
    specs
}

fn spec(name: &str, description: String, parameters: Value, parallel: Parallel) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        description: description.into(),
        parameters,
        parallel,
        owner: ToolOwner::Home,
    }
}

fn list_spec() -> ToolSpec {
    let category = json!({"type": "string", "description": "Only the skills of this category."});
    let parameters = json!({"type": "object", "properties": {"category": category}});
    spec(LIST, trim(LIST_TEXT).to_owned(), parameters, Parallel::Safe)
}

fn view_spec() -> ToolSpec {
    let name = json!({"type": "string", "description": "The skill's name, as listed."});
    let path = json!({"type": "string", "description": "One of its files, as linked."});
    let properties = json!({"name": name, "file_path": path});
    let parameters = json!({"type": "object", "properties": properties, "required": ["name"]});
    spec(VIEW, trim(VIEW_TEXT).to_owned(), parameters, Parallel::Safe)
}

fn manage_spec(rules: &SkillRules, defence: DefenceRules, text: &str) -> ToolSpec {
    let mut parts = vec![trim(text)];
    if rules.read_before_write {
        parts.push(READ_FIRST);
    }
    if rules.delete_needs_absorber {
        parts.push(ABSORB);
    }
    if rules.review_delete == ReviewDelete::Archive {
        parts.push(ARCHIVES);
    }
    spec(MANAGE, parts.join("\n\n"), manage_parameters(defence), Parallel::Never)
}

fn manage_parameters(defence: DefenceRules) -> Value {
    let text = |about: &str| json!({"type": "string", "description": about});
    let actions: Vec<&str> = Action::ALL.into_iter().map(Action::as_str).collect();
    let mut properties = Map::new();
    let mut add = |key: &str, schema: Value| drop(properties.insert(key.to_owned(), schema));
    add("action", json!({"type": "string", "enum": actions, "description": "What to do."}));
    add("name", text("The skill: lower-case letters, digits, `.`, `_` and `-`, at most 64 characters."));
    add("content", text("For create and edit: the whole SKILL.md, header included."));
    add("category", text("For create: a directory for skills of a kind, such as `devops`."));
    add(
        "file_path",
        text("A supporting file, such as `references/api.md`. For patch: SKILL.md if left out."),
    );
    add("file_content", text("For write_file: the file's whole text."));
    add(
        "old_string",
        text("For patch: the text to replace; it must fit one place unless replace_all is set."),
    );
    add("new_string", text("For patch: what comes in its place; empty removes it."));
    add("replace_all", json!({"type": "boolean", "description": "For patch: every place, not just one."}));
    add("absorbed_into", text("For delete: the skill that holds the content now; empty if none does."));
    let mut required = vec!["action", "name"];
    if defence.restate {
        add("restate", restate::schema());
        required.push("restate");
    }
    json!({ "type": "object", "properties": properties, "required": required })
}

type Group = &'static [&'static str];

const CREATE: Group = &["create*", "save*", "write", "new skill"];
const UPDATE: Group = &["update*", "patch*", "fix*", "correct*"];

const fn rule(
    name: &'static str,
    about: &'static str,
    topic: &'static [Group],
    force: &'static [Group],
) -> PromptRule {
    PromptRule {
        name,
        source: "rules of the tool description",
        about,
        harm: false,
        layer: Layer::Always,
        topic,
        force,
    }
}

const RULES: &[PromptRule] = &[
    rule(
        "create-after-complex-task",
        "create after a complex task of five or more tool calls; advice, never a gate",
        &[&["complex", "hard"], &["5", "five"], &["tool calls", "calls"]],
        &[CREATE],
    ),
    rule(
        "create-after-errors",
        "create after errors were overcome",
        &[&["error*", "failure*"], &["overc*", "got past", "solved"]],
        &[CREATE],
    ),
    rule(
        "create-after-correction",
        "create after a corrected approach worked",
        &[&["correct*"], &["worked", "succeed*"], &["approach", "way", "method"]],
        &[CREATE],
    ),
    rule(
        "create-for-workflow",
        "create for a workflow that is not trivial",
        &[&["workflow*", "procedure*"], &["not trivial", "non trivial", "nontrivial", "not obvious"]],
        &[CREATE],
    ),
    rule(
        "create-on-request",
        "create when the user asks",
        &[&["user asks", "user asked", "asked by the user", "user wants"]],
        &[CREATE],
    ),
    rule(
        "update-when-stale",
        "update what is stale",
        &[&["stale", "outdated", "out of date", "old"]],
        &[UPDATE],
    ),
    rule(
        "update-when-wrong-here",
        "update what is wrong on this system",
        &[&["wrong", "fail*"], &["operating system", "system", "os", "platform"]],
        &[UPDATE],
    ),
    rule(
        "update-when-missing",
        "update where a step or pitfall is missing",
        &[&["missing", "lack*"], &["step", "steps"], &["pitfall", "pitfalls", "trap"]],
        &[UPDATE],
    ),
    rule(
        "patch-at-once",
        "patch at once when a used skill fell short",
        &[&["used"], &["fell short", "incomplete", "wrong", "did not help"], &["patch*"]],
        &[&["at once", "immediately", "right away"]],
    ),
    rule(
        "skip-one-offs",
        "skip one-offs",
        &[&["one off", "one offs", "once only", "single use"]],
        &[&["skip", "no skill", "not", "never"]],
    ),
    rule(
        "offer-first",
        "offer to save after a hard task",
        &[&["offer*"], &["save*", "create*", "skill"]],
        &[],
    ),
    rule(
        "confirm-first",
        "confirm before creating or deleting",
        &[&["create", "creating"], &["delete", "deleting"], &["before"]],
        &[&["confirm*", "ask the user", "ask first"]],
    ),
];

/// What the description of `skill_manage` must convey, for [`crate::prompt::rules::check_list`].
pub fn description_rules() -> &'static [PromptRule] {
    RULES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviour::{Behaviour, Origin, Settings, Version};
    use crate::prompt::rules::{Status, check_list};
    use crate::prompt::{PromptLibrary, PromptName};

    fn behaviour(version: Version, set: &[(&str, Value)]) -> Behaviour {
        let mut settings = Settings::new(version);
        for (key, value) in set {
            settings.set(key, value.clone(), Origin::CommandLine).unwrap();
        }
        Behaviour::resolve(&settings)
    }

    fn text(behaviour: &Behaviour) -> String {
        PromptLibrary::new(&behaviour.prompt.texts).get(PromptName::ToolSkillManage).to_owned()
    }

    fn lost(text: &str) -> Vec<&'static str> {
        let rules = behaviour(Version::V0_19, &[]);
        check_list(description_rules(), text, &rules.prompt.texts)
            .into_iter()
            .filter(|finding| finding.status != Status::Found)
            .map(|finding| finding.rule.name)
            .collect()
    }

    #[test]
    fn our_description_conveys_every_rule() {
        assert_eq!(lost(&text(&behaviour(Version::V0_19, &[]))), Vec::<&str>::new());
    }

    #[test]
    fn without_its_line_a_rule_is_lost_and_no_other() {
        let whole = text(&behaviour(Version::V0_19, &[]));
        for (line, rule) in [
            ("- a complex task was solved that took 5 or more tool calls,\n", "create-after-complex-task"),
            ("- errors were overcome and you know now what works,\n", "create-after-errors"),
            ("- they are wrong on this operating system,\n", "update-when-wrong-here"),
            (
                "If you used a skill and it fell short, patch it at once, without being asked.\n",
                "patch-at-once",
            ),
            ("Skip simple one-offs: a task that will not come again needs no skill.\n", "skip-one-offs"),
            (" Confirm with the user before you create or delete one.", "confirm-first"),
        ] {
            assert!(whole.contains(line), "{line}");
            assert_eq!(lost(&whole.replace(line, "")), [rule]);
        }
        assert_eq!(lost(&whole.replace("patch it at once", "patch it")), ["patch-at-once"]);
    }

    #[test]
    fn a_static_store_offers_no_changes() {
        let names = |behaviour: &Behaviour| -> Vec<String> {
            let specs = tool_specs(&behaviour.skills, behaviour.defence, "x");
            specs.into_iter().map(|spec| spec.name.to_string()).collect()
        };
        assert_eq!(names(&behaviour(Version::V0_19, &[])), [LIST, VIEW, MANAGE]);
        assert_eq!(names(&behaviour(Version::V0_19, &[("skills.store", "static".into())])), [LIST, VIEW]);
    }

    #[test]
    fn the_description_follows_the_version_and_the_defence() {
        let ends = |behaviour: &Behaviour| {
            let specs = tool_specs(&behaviour.skills, behaviour.defence, "TEXT");
            let manage = specs.into_iter().next_back().unwrap();
            (manage.description.to_string(), manage.parameters["required"].to_string())
        };
        let early = ends(&behaviour(Version::V0_13, &[]));
        assert_eq!(early, ("TEXT".to_owned(), r#"["action","name"]"#.to_owned()));
        let guarded = ends(&behaviour(Version::V0_19, &[("defence.restate", true.into())]));
        assert!(guarded.0.contains("absorbed_into") && guarded.0.contains("read in this review"));
        assert_eq!(guarded.1, r#"["action","name","restate"]"#);
    }
}
