//! Actions `write_file` and `remove_file` (`spec/skills.md` §5).

use serde_json::Value;

use super::super::answer::{Fields, Refusal};
use super::super::catalogue::SkillDir;
use super::super::context::SkillContext;
use super::super::excluded::SUPPORT_DIRS;
use super::arguments::Arguments;
use super::edit::write_plan;
use super::paths;
use super::plan::{Change, Plan};
use super::text_io::{Old, check_file, failed};
use crate::behaviour::ExplicitSkillMd;
use crate::stores::{Kind, TreePath, exists, walk_files};

impl SkillContext<'_, '_> {
    pub(super) fn plan_write_file(&mut self, arguments: Arguments<'_>) -> Result<Plan, Refusal> {
        let path = arguments.filled("file_path", "missing-file-path")?;
        let content = arguments.given("file_content", "missing-file-content")?;
        let rule = self.rules().explicit_skill_md;
        let checked = paths::check(path, rule)?;
        check_file(content)?;
        let name = arguments.name();
        let skill = self.must_find(name)?;
        self.guard(name, &skill)?;
        let target = paths::resolve(self.library, &skill.spot, path, &checked)?;
        self.check_writable(&target.real)?;
        let old = if exists(self.library.files(target.real.tree), &target.real.path) {
            self.must_have_read(name, &target)?;
            Some(Old::read(self.library, &target.real)?)
        } else {
            None
        };
        if checked.is_skill_file && rule == ExplicitSkillMd::Checked {
            self.check_skill_md(content)?;
        }
        let reply = Fields::default()
            .with("message", format!("{} of `{name}` written.", target.inner))
            .with("path", self.library.absolute(&target.named));
        Ok(write_plan(name, skill, target, old, content.to_owned(), reply))
    }

    pub(super) fn plan_remove_file(&mut self, arguments: Arguments<'_>) -> Result<Plan, Refusal> {
        let path = arguments.filled("file_path", "missing-file-path")?;
        let checked = paths::check(path, self.rules().explicit_skill_md)?;
        let name = arguments.name();
        let skill = self.must_find(name)?;
        self.guard(name, &skill)?;
        let target = paths::resolve(self.library, &skill.spot, path, &checked)?;
        let files = self.library.files(target.real.tree);
        let stat = files.stat(&target.real.path).map_err(|error| failed("looked at", &error))?;
        let Some(stat) = stat else {
            let refusal = Refusal::mistake("file-not-found", format!("`{name}` has no file {path}"));
            return Err(refusal.with("available_files", self.support_files(&skill)));
        };
        self.must_have_read(name, &target)?;
        self.check_writable(&target.entry)?;
        if stat.kind == Kind::Dir {
            let why = format!("{path} is a directory; remove its files one by one");
            return Err(Refusal::mistake("uncaught-error", why));
        }
        let old = Old::read(self.library, &target.real).map(|old| old.raw).unwrap_or_default();
        let reply = Fields::default().with("message", format!("{} of `{name}` removed.", target.inner));
        let change = Change::RemoveFile { entry: target.entry, inner: target.inner, old };
        Ok(Plan { name: name.to_owned(), skill: skill.spot, change, reply })
    }

    /// The files under the four support directories, or null if there are none.
    fn support_files(&self, skill: &SkillDir) -> Value {
        let files = self.library.files(skill.spot.tree);
        let mut found: Vec<Value> = Vec::new();
        for dir in SUPPORT_DIRS {
            let base = skill.spot.path.below(&TreePath::new(dir));
            walk_files(files, &base, &mut |path, _| {
                let inner = path.strip(&skill.spot.path);
                found.extend(inner.map(|inner| Value::from(inner.as_str())));
            });
        }
        if found.is_empty() { Value::Null } else { found.into() }
    }
}
