//! A home's own configuration file.

use serde_json::Value;

use crate::behaviour::Settings;
use crate::stores::{Files, FilesError, TreePath, exists, read_text};
use crate::text::yaml11::{self, YamlError};

const FILE: &str = "config.yaml";

/// Why a home's configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum HomeConfigError {
    /// It cannot be read.
    #[error("{FILE} cannot be read")]
    Unreadable(#[source] FilesError),
    /// It is no YAML.
    #[error("{FILE} is no YAML")]
    NoYaml(#[source] YamlError),
}

/// The configuration of a home as its owner wrote it, read as the reference reads it; an empty mapping if there is no
/// file or it is empty. Lay it over the version's defaults with [`Settings::overlay_home`].
///
/// # Errors
/// The file cannot be read, or is no YAML.
pub fn home_config(home: &dyn Files) -> Result<Value, HomeConfigError> {
    let path = TreePath::new(FILE);
    if !exists(home, &path) {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    let text = read_text(home, &path).map_err(HomeConfigError::Unreadable)?;
    let value = yaml11::parse(&text).map_err(HomeConfigError::NoYaml)?.to_json();
    Ok(if value.is_null() { Value::Object(serde_json::Map::new()) } else { value })
}

/// What a person should know about the values of these settings: text where a truth value is meant is true whatever it
/// says (`spec/curator.md` §2).
pub fn warnings(settings: &Settings) -> Vec<String> {
    let keys = ["curator.enabled", "curator.consolidate", "curator.prune_builtins", "curator.backup.enabled"];
    let texts = keys.into_iter().filter_map(|key| Some((key, settings.value(key).as_str()?)));
    texts
        .map(|(key, text)| {
            let truth =
                if text.is_empty() { "false, since it is empty" } else { "true, since it is not empty" };
            format!("`{key}` is the text {text:?} and counts as {truth}")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::behaviour::Version;
    use crate::stores::{MemFiles, write_text};

    #[test]
    fn a_home_is_read_as_the_reference_reads_it() {
        let mut home = MemFiles::new("/home/agent/.hermes");
        assert_eq!(home_config(&home).unwrap(), json!({}));
        write_text(&mut home, &TreePath::new(FILE), "curator:\n  enabled: off\n  stale_after_days: 014\n")
            .unwrap();
        assert_eq!(
            home_config(&home).unwrap(),
            json!({"curator": {"enabled": false, "stale_after_days": 12}})
        );
        write_text(&mut home, &TreePath::new(FILE), "a: [").unwrap();
        assert!(home_config(&home).is_err());
    }

    #[test]
    fn text_in_the_place_of_a_truth_value_is_pointed_out() {
        let mut settings = Settings::new(Version::V0_19);
        assert!(warnings(&settings).is_empty());
        settings.overlay_home(&json!({"curator": {"enabled": "false"}}));
        assert_eq!(
            warnings(&settings),
            ["`curator.enabled` is the text \"false\" and counts as true, since it is not empty"]
        );
    }
}
