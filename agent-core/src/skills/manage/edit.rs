//! Actions `edit` and `patch` (`spec/skills.md` §5).

use serde_json::{Value, json};

use super::super::answer::{Fields, Refusal};
use super::super::catalogue::SkillDir;
use super::super::context::SkillContext;
use super::arguments::Arguments;
use super::create::shown_description;
use super::lookup::main_file;
use super::paths::{self, Target};
use super::plan::{Change, Plan};
use super::text_io::{Old, check_chars};
use crate::behaviour::ExplicitSkillMd;
use crate::patch::{Patched, closest, replace};
use crate::stores::exists;
use crate::text::cut;

/// Characters of a file that a failed patch shows.
const PREVIEW_CHARS: usize = 500;

/// Characters of old and new text that an answer shows.
const SHOWN_CHANGE_CHARS: usize = 200;

impl SkillContext<'_, '_> {
    pub(super) fn plan_edit(&mut self, arguments: Arguments<'_>) -> Result<Plan, Refusal> {
        let content = arguments.filled("content", "missing-content")?;
        self.check_skill_md(content)?;
        check_chars(content)?;
        let name = arguments.name();
        let skill = self.must_find(name)?;
        self.guard(name, &skill)?;
        let target = main_file(&skill)?;
        self.must_have_read(name, &target)?;
        self.check_writable(&target.real)?;
        let old = Old::read(self.library, &target.real)?;
        let reply = Fields::default()
            .with("message", format!("Skill `{name}` rewritten."))
            .with("path", self.library.absolute(&skill.spot))
            .with("_change", shown_description(content));
        Ok(write_plan(name, skill, target, Some(old), content.to_owned(), reply))
    }

    pub(super) fn plan_patch(&mut self, arguments: Arguments<'_>) -> Result<Plan, Refusal> {
        let old_string = arguments.filled("old_string", "missing-old")?;
        let new_string = arguments.given("new_string", "missing-new")?;
        let name = arguments.name();
        let skill = self.must_find(name)?;
        self.guard(name, &skill)?;
        let path = arguments.text("file_path").filter(|path| !path.is_empty());
        let (target, checked) = self.patch_target(&skill, path)?;
        self.must_have_read(name, &target)?;
        self.check_writable(&target.real)?;
        let old = Old::read(self.library, &target.real)?;
        let patched = self.patched(&old, old_string, new_string, arguments.flag("replace_all"))?;
        check_chars(&patched.text)?;
        if checked {
            self.check_skill_md(&patched.text).map_err(|refusal| Refusal {
                kind: format!("patch-breaks-frontmatter:{}", refusal.kind).into(),
                message: format!("the patch would break the skill: {}", refusal.message),
                ..refusal
            })?;
        }
        let places =
            if patched.matches == 1 { "1 place".to_owned() } else { format!("{} places", patched.matches) };
        let shown = target.inner.as_str();
        let reply = Fields::default()
            .with("message", format!("Skill `{name}` patched: {shown}, {places}."))
            .with("_change", json!({ "old": shortened(old_string), "new": shortened(new_string) }));
        Ok(write_plan(name, skill, target, Some(old), patched.text, reply))
    }

    /// The file that a patch means, and whether the result must be a good `SKILL.md`.
    fn patch_target(&self, skill: &SkillDir, path: Option<&str>) -> Result<(Target, bool), Refusal> {
        let Some(path) = path else { return Ok((main_file(skill)?, true)) };
        let rule = self.rules().explicit_skill_md;
        let checked = paths::check(path, rule)?;
        let target = paths::resolve(self.library, &skill.spot, path, &checked)?;
        if !exists(self.library.files(target.real.tree), &target.real.path) {
            let why = format!("`{}` has no file {path}; write_file makes new ones", skill.dir_name);
            return Err(Refusal::mistake("file-not-found", why));
        }
        Ok((target, checked.is_skill_file && rule == ExplicitSkillMd::Checked))
    }

    fn patched(&self, old: &Old, from: &str, to: &str, all: bool) -> Result<Patched, Refusal> {
        let rules = &self.behaviour.patch;
        let has_crlf = self.rules().keep_newlines && old.raw != old.folded;
        let result = if !has_crlf {
            replace(&old.folded, from, to, all, rules)
        } else if is_crlf_throughout(&old.raw) {
            replace(&old.folded, from, to, all, rules)
                .map(|patched| Patched { text: patched.text.replace('\n', "\r\n"), ..patched })
        } else {
            // Line ends of both kinds: only the text as it stands can be kept.
            replace(&old.raw, from, to, all, rules)
        };
        result.map_err(|error| {
            let mut why = error.to_string();
            let near = if error.kind() == "no-match" { closest(from, &old.folded) } else { String::new() };
            if !near.is_empty() {
                why = format!("{why}. The nearest text is:\n{near}");
            }
            Refusal::mistake(error.kind(), why).with("file_preview", preview(&old.folded))
        })
    }
}

/// Whether every line ends in CRLF, so that the line ends can be put back after a change.
fn is_crlf_throughout(raw: &str) -> bool {
    let pairs = raw.matches("\r\n").count();
    pairs == raw.matches('\n').count() && pairs == raw.matches('\r').count()
}

fn preview(text: &str) -> Value {
    let short = cut(text, PREVIEW_CHARS);
    if short.len() == text.len() { text.into() } else { format!("{short}...").into() }
}

fn shortened(text: &str) -> String {
    let short = cut(text, SHOWN_CHANGE_CHARS);
    if short.len() == text.len() { text.to_owned() } else { format!("{short}…") }
}

/// A plan that writes one file.
pub(super) fn write_plan(
    name: &str,
    skill: SkillDir,
    target: Target,
    old: Option<Old>,
    text: String,
    reply: Fields,
) -> Plan {
    let change = Change::Write { real: target.real, inner: target.inner, old, text };
    Plan { name: name.to_owned(), skill: skill.spot, change, reply }
}
