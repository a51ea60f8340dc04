//! `skills_list` (`spec/skills.md` §10).

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::super::answer::{Fields, Reply};
use super::super::catalogue::SkillDir;
use super::super::context::SkillContext;
use super::conditions::{matches_environments, matches_platforms};
use crate::values::HomeAnswer;

const HINT: &str = "skill_view with a name shows the whole skill; with file_path one of its files.";

/// One row of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedSkill {
    /// Name.
    pub name: String,
    /// Description.
    pub description: String,
    /// Category, for skills that lie in one.
    pub category: Option<String>,
}

impl ListedSkill {
    fn order(&self) -> (&str, &str) {
        (self.category.as_deref().unwrap_or(""), &self.name)
    }
}

impl SkillContext<'_, '_> {
    /// Every skill that applies here and is not disabled, each name once, sorted by category and name.
    pub(super) fn listed_skills(&self) -> Vec<ListedSkill> {
        let disabled = self.rules().disabled_on(self.platform);
        let mut seen = BTreeSet::new();
        let mut rows = Vec::new();
        for skill in self.state.catalogue.iter() {
            let Some(row) = self.row(skill) else { continue };
            let hidden = disabled.contains(&row.name.as_str());
            if !hidden && seen.insert(row.name.clone()) {
                rows.push(row);
            }
        }
        rows.sort_by(|one, two| one.order().cmp(&two.order()));
        rows
    }

    fn row(&self, skill: &SkillDir) -> Option<ListedSkill> {
        let head = skill.head.as_ref()?;
        let rules = self.rules();
        let here =
            rules.environments.as_ref().is_none_or(|active| matches_environments(&head.fields, active));
        if !here || !matches_platforms(&head.fields, &rules.system) {
            return None;
        }
        Some(ListedSkill {
            name: head.listed_name(&skill.dir_name).ok()?.to_owned(),
            description: head.listed_description().ok()?,
            category: self.category(skill),
        })
    }

    /// The first component below the root, if the skill lies in a directory of its own there.
    fn category(&self, skill: &SkillDir) -> Option<String> {
        let root = &self.library.roots().get(skill.root)?.spot;
        let below = skill.spot.path.strip(&root.path)?;
        let mut parts = below.components();
        let first = parts.next()?;
        parts.next().map(|_| first.to_owned())
    }
}

/// Lists the skills, all or those of one category.
pub fn list(context: &mut SkillContext<'_, '_>, args: &Value) -> HomeAnswer {
    let own = context.library.own().path.clone();
    // The list makes the skills directory; that it cannot be made on a home that is only read is no matter.
    let _ = context.library.home_mut().create_dir(&own);
    context.refresh();
    let category = args.get("category").and_then(Value::as_str).filter(|category| !category.is_empty());
    let all = context.listed_skills();
    if all.is_empty() {
        let fields = Fields::default()
            .with("skills", Vec::<Value>::new())
            .with("categories", Vec::<Value>::new())
            .with("message", "There are no skills yet.");
        return Reply::new(fields).into_answer();
    }
    let fits = |row: &&ListedSkill| category.is_none_or(|wanted| row.category.as_deref() == Some(wanted));
    let rows: Vec<&ListedSkill> = all.iter().filter(fits).collect();
    let categories: BTreeSet<&str> = rows.iter().filter_map(|row| row.category.as_deref()).collect();
    let shown: Vec<Value> = rows
        .iter()
        .map(|row| json!({ "name": row.name, "description": row.description, "category": row.category }))
        .collect();
    let fields = Fields::default()
        .with("skills", shown)
        .with("categories", categories.into_iter().collect::<Vec<_>>())
        .with("count", rows.len())
        .with("hint", HINT);
    Reply::new(fields).into_answer()
}
