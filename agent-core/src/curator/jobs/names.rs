//! Which skills scheduled jobs name.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::store::JobStore;
use crate::stores::Files;
use crate::text::{trim, truthy};

/// The skills of a job: `skills`, or `skill` alone where that is absent or null; trimmed, without blanks and repeats,
/// in order.
pub(super) fn skills_of(job: &Map<String, Value>) -> Vec<String> {
    let items = match job.get("skills") {
        None | Some(Value::Null) => job.get("skill").into_iter().cloned().collect(),
        Some(Value::Array(items)) => items.clone(),
        Some(other) => vec![other.clone()],
    };
    let mut names: Vec<String> = Vec::new();
    for item in items.iter().filter(|item| truthy(item)) {
        let text = match item {
            Value::String(text) => trim(text).to_owned(),
            other => other.to_string(),
        };
        if !text.is_empty() && !names.contains(&text) {
            names.push(text);
        }
    }
    names
}

/// The id and the name of a job, as reports show them.
pub(super) fn labels_of(job: &Map<String, Value>) -> (String, String) {
    let text = |key: &str| match job.get(key) {
        Some(Value::String(text)) => text.clone(),
        Some(value) if truthy(value) => value.to_string(),
        _ => String::new(),
    };
    let (id, name) = (text("id"), text("name"));
    let name = if name.is_empty() { id.clone() } else { name };
    (id, name)
}

/// What a job says of skills.
pub(in crate::curator) struct NamedJob<'j> {
    /// Its name; its id if it has none.
    pub(in crate::curator) name: String,
    /// The skills that it loads.
    pub(in crate::curator) skills: Vec<String>,
    /// Its other texts, by field.
    pub(in crate::curator) texts: Vec<(&'static str, &'j str)>,
}

impl JobStore {
    /// What each job says of skills.
    pub(in crate::curator) fn named(&self) -> impl Iterator<Item = NamedJob<'_>> {
        self.objects().map(|job| NamedJob {
            name: labels_of(job).1,
            skills: skills_of(job),
            texts: ["prompt", "script", "workdir"]
                .into_iter()
                .filter_map(|field| Some((field, job.get(field)?.as_str()?)))
                .collect(),
        })
    }
}

/// The name of each scheduled job of a home with the skills that it names; none for a store that cannot be read.
pub fn named_skills(files: &dyn Files) -> Vec<(String, Vec<String>)> {
    match JobStore::read(files) {
        Ok(Some(store)) => store.named().map(|job| (job.name, job.skills)).collect(),
        Ok(None) | Err(_) => Vec::new(),
    }
}

/// Whether a job's name of a skill is one of these. A path names a skill by its last component; a name with a colon
/// belongs to a plugin, of which nothing is known here.
pub fn is_found(name: &str, known: impl Fn(&str) -> bool) -> bool {
    let last = name.rsplit('/').next().unwrap_or(name);
    name.contains(':') || known(last)
}

/// The skills that scheduled jobs name, paused and disabled jobs included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobSkills {
    names: BTreeSet<String>,
    unreadable: bool,
}

impl JobSkills {
    /// Those of a home. A store that cannot be read names none.
    pub fn of(files: &dyn Files) -> Self {
        match JobStore::read(files) {
            Err(_) => Self { names: BTreeSet::new(), unreadable: true },
            Ok(None) => Self::default(),
            Ok(Some(store)) => {
                let all = store.objects().flat_map(skills_of);
                let names = all.map(|name| name.trim_start_matches('/').to_owned());
                Self { names: names.collect(), unreadable: false }
            }
        }
    }

    /// Whether a job names the skill.
    pub fn has(&self, skill: &str) -> bool {
        self.names.contains(skill)
    }

    /// Whether the store is there but cannot be read.
    pub fn is_unreadable(&self) -> bool {
        self.unreadable
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_job_names_skills_in_many_ways() {
        for (job, names) in [
            (json!({"skill": " a "}), vec!["a"]),
            (json!({"skills": null, "skill": "a"}), vec!["a"]),
            (json!({"skills": [], "skill": "a"}), vec![]),
            (json!({"skills": "a"}), vec!["a"]),
            (json!({"skills": ["b", " a", "b", "", null, 5]}), vec!["b", "a", "5"]),
            (json!({"skill": ""}), vec![]),
        ] {
            assert_eq!(skills_of(job.as_object().unwrap()), names, "{job}");
        }
    }

    #[test]
    fn names_of_skills_are_looked_up_by_their_last_part() {
        let known = |name: &str| name == "a";
        assert!(is_found("a", known) && is_found("/a", known) && is_found("office/a", known));
        assert!(is_found("plugin:b", known) && !is_found("b", known));
    }
}
