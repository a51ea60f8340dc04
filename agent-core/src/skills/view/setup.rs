//! What a skill needs before it works: variables of the environment (`spec/skills.md` §11).

use std::collections::BTreeSet;

use crate::stores::{Files, TreePath};
use crate::text::trim;
use crate::text::yaml11::YamlValue;

/// The home's file of variables.
const ENV_FILE: &str = ".env";

/// The variables that a skill names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Variables {
    /// All of them, each once, in order.
    pub(super) required: Vec<String>,
    /// Those that are not optional and not set in the home's file. There is no other environment here.
    pub(super) missing: Vec<String>,
}

impl Variables {
    pub(super) fn of(fields: &YamlValue, home: &dyn Files) -> Self {
        let set = set_variables(home);
        let mut found = Self::default();
        for (name, optional) in named(fields) {
            if found.required.contains(&name) {
                continue;
            }
            if !optional && !set.contains(&name) {
                found.missing.push(name.clone());
            }
            found.required.push(name);
        }
        found
    }
}

/// Names with whether they are optional, from the three places of a header.
fn named(fields: &YamlValue) -> Vec<(String, bool)> {
    let mut names = Vec::new();
    let secrets = fields.get("setup").and_then(|setup| setup.get("collect_secrets"));
    let older = fields.get("prerequisites").and_then(|needs| needs.get("env_vars"));
    for place in [fields.get("required_environment_variables"), secrets, older].into_iter().flatten() {
        let items = match place {
            YamlValue::List(items) => items.as_slice(),
            other => std::slice::from_ref(other),
        };
        names.extend(items.iter().filter_map(variable));
    }
    names
}

fn variable(item: &YamlValue) -> Option<(String, bool)> {
    let (name, optional) = match item {
        YamlValue::Text(name) => (name.as_str(), false),
        YamlValue::Map(_) => {
            let name = item.get("name").or_else(|| item.get("env_var"))?;
            (name.as_str()?, item.get("optional").is_some_and(YamlValue::is_truthy))
        }
        _ => return None,
    };
    let name = trim(name);
    let first = name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_');
    let good = first && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    good.then(|| (name.to_owned(), optional))
}

fn set_variables(home: &dyn Files) -> BTreeSet<String> {
    let Ok(bytes) = home.read(&TreePath::new(ENV_FILE)) else { return BTreeSet::new() };
    let text = String::from_utf8_lossy(&bytes);
    text.lines()
        .map(trim)
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.strip_prefix("export ").unwrap_or(line).split_once('='))
        .filter(|(_, value)| !trim(value).trim_matches(['"', '\'']).is_empty())
        .map(|(name, _)| trim(name).to_owned())
        .collect()
}
