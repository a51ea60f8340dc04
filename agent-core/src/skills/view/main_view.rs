//! The view of a whole skill (`spec/skills.md` §11).

use serde_json::Value;

use super::super::answer::{Fields, Refusal};
use super::super::context::SkillContext;
use super::super::frontmatter::Lenient;
use super::super::library::{Access, Spot};
use super::candidates::Candidate;
use super::linked::linked_files;
use super::setup::Variables;
use crate::stores::read_text;
use crate::text::yaml11::YamlValue;
use crate::text::{fold_newlines, trim};

const USAGE_HINT: &str = "Read a linked file with skill_view, giving the name and its path as file_path.";

/// A skill that was read.
pub(super) struct MainView {
    /// The declared name, else that of its directory or file.
    pub(super) name: String,
    /// What the model reads.
    pub(super) fields: Fields,
    /// The spot of the main file.
    pub(super) file: Spot,
}

/// A candidate whose main file was read and that may be shown here.
pub(super) struct Opened {
    pub(super) candidate: Candidate,
    pub(super) name: String,
    fields: YamlValue,
    text: String,
    file: Spot,
}

impl SkillContext<'_, '_> {
    /// Reads a candidate and checks that it applies here.
    pub(super) fn open(&self, candidate: Candidate) -> Result<Opened, Refusal> {
        let shown = self.library.absolute(&candidate.file);
        let unreadable =
            |why: String| Refusal::mistake("unreadable", format!("{shown} cannot be read: {why}"));
        let file = candidate.real.clone().ok_or_else(|| unreadable("it leads out of the home".to_owned()))?;
        let text = read_text(self.library.files(file.tree), &file.path)
            .map_err(|error| unreadable(error.trouble.to_string()))?;
        let text = fold_newlines(&text);
        let lenient = Lenient::parse(&text, self.rules().accept_bom);
        let name = declared(&lenient).unwrap_or_else(|| own_name(&candidate));
        if !super::conditions::matches_platforms(&lenient.fields, &self.rules().system) {
            let why = format!("`{name}` is not made for this system ({})", self.rules().system);
            return Err(Refusal::mistake("unsupported-platform", why).with("readiness_status", "unsupported"));
        }
        if self.rules().disabled_on(self.platform).contains(&name.as_str()) {
            return Err(Refusal::mistake(
                "disabled",
                format!("`{name}` is disabled; the user can enable it"),
            ));
        }
        let fields = lenient.fields;
        Ok(Opened { candidate, name, fields, text, file })
    }

    pub(super) fn view_main(&self, opened: Opened) -> MainView {
        let Opened { candidate, name, fields, text, file } = opened;
        let fields = &fields;
        let description = fields.get("description").map_or_else(|| "".into(), YamlValue::to_json);
        let links = candidate.dir.as_ref().map_or(Value::Null, |dir| linked_files(self.library, dir));
        let variables = Variables::of(fields, self.library.home());
        let setup_needed = !variables.missing.is_empty();
        let note =
            setup_needed.then(|| format!("Set {} before this skill can work.", variables.missing.join(", ")));
        let help = fields.get("setup").and_then(|setup| setup.get("help")).map(YamlValue::printed);
        let skill_dir = candidate.dir.as_ref().map(|dir| self.library.absolute(dir));
        let hint = (!links.is_null()).then_some(USAGE_HINT);
        let empty: Vec<Value> = Vec::new();
        let reply = Fields::default()
            .with("name", name.as_str())
            .with("description", description)
            .with("tags", words_of(fields, "tags"))
            .with("related_skills", words_of(fields, "related_skills"))
            .with("content", self.filled_in(&text, skill_dir.as_deref()))
            .with("path", self.shown_path(&candidate))
            .with("skill_dir", skill_dir)
            .with("linked_files", links)
            .with("usage_hint", hint)
            .with("required_environment_variables", variables.required)
            .with("required_commands", empty.clone())
            .with("missing_required_environment_variables", variables.missing)
            .with("missing_credential_files", empty.clone())
            .with("missing_required_commands", empty)
            .with("setup_needed", setup_needed)
            .with("setup_skipped", false)
            .with("readiness_status", if setup_needed { "setup_needed" } else { "available" })
            .with_some("setup_help", help)
            .with_some("setup_note", note)
            .with_some("compatibility", fields.get("compatibility").map(YamlValue::to_json))
            .with_some("metadata", fields.get("metadata").map(YamlValue::to_json));
        MainView { name, fields: reply, file }
    }

    /// The path below the own root; of any other root the last directory and the file.
    fn shown_path(&self, candidate: &Candidate) -> String {
        let root = &self.library.roots()[candidate.root];
        let local = matches!(root.access, Access::Own | Access::Shared);
        let below = candidate.file.path.strip(&root.spot.path).filter(|_| local || candidate.dir.is_none());
        below.map_or_else(
            || {
                let dir = candidate.file.parent().map(|dir| dir.path.name().to_owned()).unwrap_or_default();
                format!("{dir}/{}", candidate.file.path.name())
            },
            |below| below.as_str().to_owned(),
        )
    }

    /// The text with the variables filled in that are known.
    fn filled_in(&self, text: &str, skill_dir: Option<&str>) -> String {
        if !self.rules().template_vars {
            return text.to_owned();
        }
        let mut text = text.to_owned();
        for (variable, value) in [("${HERMES_SKILL_DIR}", skill_dir), ("${HERMES_SESSION_ID}", self.session)]
        {
            if let Some(value) = value {
                text = text.replace(variable, value);
            }
        }
        text
    }
}

/// The declared name, if it is there and not empty.
fn declared(lenient: &Lenient<'_>) -> Option<String> {
    lenient.get("name").filter(|name| name.is_truthy()).map(YamlValue::printed)
}

fn own_name(candidate: &Candidate) -> String {
    match &candidate.dir {
        Some(dir) => dir.path.name().to_owned(),
        None => candidate.file.path.name().trim_end_matches(".md").to_owned(),
    }
}

/// Words from `metadata.hermes`, else from the top of the header: a list, or text split at commas.
fn words_of(fields: &YamlValue, key: &str) -> Vec<String> {
    let hermes = fields.get("metadata").and_then(|metadata| metadata.get("hermes"));
    let nested = hermes.and_then(|hermes| hermes.get(key)).filter(|value| value.is_truthy());
    match nested.or_else(|| fields.get(key)).filter(|value| value.is_truthy()) {
        None => Vec::new(),
        Some(YamlValue::List(items)) => items
            .iter()
            .filter(|item| item.is_truthy())
            .map(|item| trim(&item.printed()).to_owned())
            .collect(),
        Some(other) => {
            let text = other.printed();
            let text = trim(&text);
            let inner = text.strip_prefix('[').unwrap_or(text);
            let inner = inner.strip_suffix(']').unwrap_or(inner);
            let word = |part: &str| trim(trim(part).trim_matches(['"', '\''])).to_owned();
            inner.split(',').map(word).filter(|word| !word.is_empty()).collect()
        }
    }
}
