//! Action `create` (`spec/skills.md` §5).

use super::super::answer::{Fields, Refusal};
use super::super::context::SkillContext;
use super::super::excluded::SKILL_FILE;
use super::super::frontmatter::{FrontmatterError, Lenient, validate};
use super::super::library::{Spot, Whereabouts};
use super::arguments::Arguments;
use super::names::{check_category, check_name};
use super::plan::{Change, Plan};
use super::text_io::{check_chars, failed};
use crate::stores::TreePath;
use crate::text::cut;

/// Characters of a description that an answer shows.
const SHOWN_DESCRIPTION_CHARS: usize = 120;

const HINT: &str = "Put detail into files with write_file: references/ for knowledge, templates/ to copy from, \
                    scripts/ to run, assets/ for the rest.";

impl SkillContext<'_, '_> {
    pub(super) fn plan_create(&mut self, arguments: Arguments<'_>) -> Result<Plan, Refusal> {
        let content = arguments.filled("content", "missing-content")?;
        let name = arguments.name();
        check_name(name)?;
        let category = check_category(arguments.value("category"))?;
        self.check_skill_md(content)?;
        check_chars(content)?;
        if let Some(skill) = self.find(name) {
            let place = self.library.absolute(&skill.spot);
            let why =
                format!("a skill `{name}` exists already at {place}; use patch or edit, or another name");
            return Err(Refusal::mistake("already-exists", why));
        }
        let dir = self.new_dir(category, name)?;
        let file = Spot { tree: dir.tree, path: dir.path.below(&TreePath::new(SKILL_FILE)) };
        let root = self.library.root_of(&dir).map(|root| root.spot.path.clone()).unwrap_or_default();
        let relative = dir.path.strip(&root).unwrap_or_else(|| dir.path.clone());
        let reply = Fields::default()
            .with("message", format!("Skill `{name}` created."))
            .with("path", relative.as_str())
            .with("skill_md", self.library.absolute(&file))
            .with_some("category", category)
            .with("hint", HINT)
            .with("_change", shown_description(content));
        let text = content.to_owned();
        let change = Change::Write { real: file, inner: TreePath::new(SKILL_FILE), old: None, text };
        Ok(Plan { name: name.to_owned(), skill: dir, change, reply })
    }

    /// The directory of a new skill, links resolved.
    fn new_dir(&self, category: Option<&str>, name: &str) -> Result<Spot, Refusal> {
        let Some(base) = self.library.create_spot() else {
            return Err(Refusal::guarded("static-store", "skills are only read here; none can be created"));
        };
        let named = match category {
            Some(category) => base.join(category).and_then(|dir| dir.join(name)),
            None => base.join(name),
        };
        let named = named.map_err(|error| failed("named", &error))?;
        match self.library.resolve(&named) {
            Ok(Whereabouts::Inside(real)) => {
                self.check_writable(&real)?;
                Ok(real)
            }
            _ => Err(Refusal::mistake(
                "path-escape",
                format!("`{name}` is a link that leads out of the skills"),
            )),
        }
    }

    /// The strict validator.
    pub(super) fn check_skill_md(&self, text: &str) -> Result<(), Refusal> {
        validate(text, self.rules().accept_bom)
            .map(drop)
            .map_err(|error: FrontmatterError| Refusal::mistake(error.kind(), error.to_string()))
    }
}

/// What an answer shows of a new text: the printed description. It does not see through a byte order mark.
pub(super) fn shown_description(text: &str) -> serde_json::Value {
    let lenient = Lenient::parse(text, false);
    let printed = lenient.get("description").map(crate::text::yaml11::YamlValue::printed).unwrap_or_default();
    serde_json::json!({ "description": cut(&printed, SHOWN_DESCRIPTION_CHARS) })
}
