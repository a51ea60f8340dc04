//! Where a skill applies: operating system and environment (`spec/skills.md` §10).

use crate::text::trim;
use crate::text::yaml11::YamlValue;

/// The tags that mean something; any other tag matches everywhere.
const KNOWN_TAGS: [&str; 3] = ["kanban", "docker", "s6"];

/// Whether `platforms` of a header fit this system (`linux`, `darwin`, `win32`).
pub fn matches_platforms(fields: &YamlValue, system: &str) -> bool {
    let wanted = words(fields.get("platforms"));
    wanted.is_empty()
        || wanted.iter().any(|word| {
            let name = match word.as_str() {
                "macos" => "darwin",
                "windows" => "win32",
                word => word,
            };
            system.starts_with(name)
        })
}

/// Whether `environments` of a header fit the active tags.
pub fn matches_environments(fields: &YamlValue, active: &[String]) -> bool {
    let tags = words(fields.get("environments"));
    tags.is_empty() || tags.iter().any(|tag| !KNOWN_TAGS.contains(&tag.as_str()) || active.contains(tag))
}

/// The words of a list or scalar, trimmed and lower-cased; none if it is falsy.
fn words(value: Option<&YamlValue>) -> Vec<String> {
    let word = |value: &YamlValue| trim(&value.printed()).to_lowercase();
    match value.filter(|value| value.is_truthy()) {
        None => Vec::new(),
        Some(YamlValue::List(items)) => items.iter().map(word).collect(),
        Some(scalar) => vec![word(scalar)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::yaml11::parse;

    #[test]
    fn platforms_and_environments_match_by_their_words() {
        let fits = |text: &str| matches_platforms(&parse(text).unwrap(), "linux");
        assert!(
            fits("a: 1")
                && fits("platforms:")
                && fits("platforms: [ Linux ]")
                && fits("platforms: [macos, linux]")
        );
        assert!(!fits("platforms: [macos, windows]") && !fits("platforms: darwin"));
        let active = ["docker".to_owned()];
        let fits = |text: &str| matches_environments(&parse(text).unwrap(), &active);
        assert!(
            fits("environments: [kanban, docker]")
                && fits("environments: office")
                && !fits("environments: s6")
        );
    }
}
