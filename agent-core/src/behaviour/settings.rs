//! Settings: the value of every key and fault, each with where it came from.

use std::collections::BTreeMap;

use serde_json::Value;

use super::faults::{FaultRow, faults};
use super::table::{Row, rows};
use super::version::Version;

/// Where a value came from, weakest first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// The default of the version.
    Version,
    /// The home's own `config.yaml`.
    Home,
    /// A file of the caller, e.g. a scenario's arm; named.
    File(String),
    /// The command line.
    CommandLine,
    /// A change during the run.
    Changed,
}

/// A setting that a person typed cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// No such key; the nearest one, if any is near.
    #[error("unknown setting `{key}`")]
    UnknownKey {
        /// What was typed.
        key: String,
        /// A known key that looks like it.
        nearest: Option<&'static str>,
    },
    /// The value is of the wrong kind.
    #[error("`{key}` takes {wanted}, found {found}")]
    WrongKind {
        /// The key.
        key: String,
        /// What it takes.
        wanted: String,
        /// What was typed.
        found: String,
    },
}

/// The values of one agent: version defaults, overlaid.
#[derive(Clone, Debug)]
pub struct Settings {
    version: Version,
    values: BTreeMap<String, (Value, Origin)>,
    faults: BTreeMap<&'static str, (bool, Origin)>,
}

const FAULT_PREFIX: &str = "faults.";

impl Settings {
    /// The defaults of a version, its faults on.
    pub fn new(version: Version) -> Self {
        let values = rows()
            .map(|row| (row.key.to_owned(), (row.preset(version).to_value(), Origin::Version)))
            .collect();
        let faults = faults().map(|fault| (fault.name, (fault.is_in(version), Origin::Version))).collect();
        Self { version, values, faults }
    }

    /// The version whose defaults these are.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Turns every fault off.
    pub fn faults_off(&mut self, origin: &Origin) {
        for state in self.faults.values_mut() {
            *state = (false, origin.clone());
        }
    }

    /// Sets a key or `faults.<name>` that a person typed.
    ///
    /// # Errors
    /// No such key, or a value of the wrong kind.
    pub fn set(&mut self, key: &str, value: Value, origin: Origin) -> Result<(), SettingError> {
        if let Some(name) = key.strip_prefix(FAULT_PREFIX) {
            return self.set_fault(key, name, &value, origin);
        }
        let row = find_row(key)
            .ok_or_else(|| SettingError::UnknownKey { key: key.to_owned(), nearest: nearest_key(key) })?;
        if !row.kind.accepts(&value) {
            return Err(SettingError::WrongKind {
                key: key.to_owned(),
                wanted: row.kind.wanted(),
                found: value.to_string(),
            });
        }
        self.values.insert(key.to_owned(), (value, origin));
        Ok(())
    }

    fn set_fault(
        &mut self,
        key: &str,
        name: &str,
        value: &Value,
        origin: Origin,
    ) -> Result<(), SettingError> {
        let Some(row) = find_fault(name) else {
            return Err(SettingError::UnknownKey { key: key.to_owned(), nearest: nearest_key(key) });
        };
        let Some(on) = value.as_bool() else {
            return Err(SettingError::WrongKind {
                key: key.to_owned(),
                wanted: "true or false".to_owned(),
                found: value.to_string(),
            });
        };
        self.faults.insert(row.name, (on, origin));
        Ok(())
    }

    /// Overlays a home's configuration (nested mappings). Unknown keys are ignored and wrong types kept, as the
    /// reference does; each rule converts what it reads.
    pub fn overlay_home(&mut self, config: &Value) {
        for row in rows() {
            if let Some(value) = row.key.split('.').try_fold(config, |at, part| at.get(part)) {
                self.values.insert(row.key.to_owned(), (value.clone(), Origin::Home));
            }
        }
    }

    /// The value of a key.
    ///
    /// # Panics
    /// The key has no row; rules read declared keys only.
    pub fn value(&self, key: &str) -> &Value {
        &self.values.get(key).unwrap_or_else(|| panic!("no row declares the key {key}")).0
    }

    /// Where the value of a key or fault came from.
    pub fn origin(&self, key: &str) -> Option<&Origin> {
        match key.strip_prefix(FAULT_PREFIX) {
            Some(name) => self.faults.get(name).map(|(_, origin)| origin),
            None => self.values.get(key).map(|(_, origin)| origin),
        }
    }

    /// Whether a fault is on.
    ///
    /// # Panics
    /// No row declares the fault.
    pub fn fault(&self, name: &str) -> bool {
        self.faults.get(name).unwrap_or_else(|| panic!("no row declares the fault {name}")).0
    }

    /// Every key with its value, in key order, faults last.
    pub fn iter(&self) -> impl Iterator<Item = (String, Value, &Origin)> {
        let values = self.values.iter().map(|(key, (value, origin))| (key.clone(), value.clone(), origin));
        let faults = self
            .faults
            .iter()
            .map(|(name, (on, origin))| (format!("{FAULT_PREFIX}{name}"), Value::from(*on), origin));
        values.chain(faults)
    }

    /// A truth value; anything else gives the fallback.
    pub(super) fn bool_or(&self, key: &str, fallback: bool) -> bool {
        self.value(key).as_bool().unwrap_or(fallback)
    }

    /// A whole number; anything else gives the fallback.
    pub(super) fn int_or(&self, key: &str, fallback: i64) -> i64 {
        self.value(key).as_i64().unwrap_or(fallback)
    }

    /// A number; anything else gives the fallback.
    pub(super) fn float_or(&self, key: &str, fallback: f64) -> f64 {
        self.value(key).as_f64().unwrap_or(fallback)
    }

    /// Text; anything else gives the empty text.
    pub(super) fn text(&self, key: &str) -> &str {
        self.value(key).as_str().unwrap_or("")
    }
}

fn find_row(key: &str) -> Option<&'static Row> {
    rows().find(|row| row.key == key)
}

fn find_fault(name: &str) -> Option<&'static FaultRow> {
    faults().find(|fault| fault.name == name)
}

/// The known key nearest to a mistyped one, if it is near enough to be meant.
fn nearest_key(key: &str) -> Option<&'static str> {
    let typed: Vec<char> = key.chars().collect();
    rows()
        .map(|row| (distance(&typed, row.key), row.key))
        .min()
        .filter(|(steps, known)| *steps <= known.len().max(key.len()) / 3)
        .map(|(_, known)| known)
}

/// Levenshtein distance.
fn distance(typed: &[char], known: &str) -> usize {
    let known: Vec<char> = known.chars().collect();
    let mut row: Vec<usize> = (0..=known.len()).collect();
    for (i, one) in typed.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, two) in known.iter().enumerate() {
            let cost = diagonal + usize::from(one != two);
            diagonal = row[j + 1];
            row[j + 1] = cost.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[known.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_key_names_the_nearest() {
        let mut settings = Settings::new(Version::V0_19);
        let error = settings.set("memory.nudge_intervall", 3.into(), Origin::CommandLine).unwrap_err();
        let nearest = Some("memory.nudge_interval");
        assert_eq!(error, SettingError::UnknownKey { key: "memory.nudge_intervall".to_owned(), nearest });
        assert!(settings.set("memory.nudge_interval", "three".into(), Origin::CommandLine).is_err());
        settings.set("memory.nudge_interval", 3.into(), Origin::CommandLine).unwrap();
        assert_eq!(settings.value("memory.nudge_interval"), 3);
    }

    #[test]
    fn keys_and_faults_are_declared_once() {
        let mut keys: Vec<_> = rows().map(|row| row.key).collect();
        let mut names: Vec<_> = faults().map(|fault| fault.name).collect();
        let (all_keys, all_names) = (keys.len(), names.len());
        keys.sort_unstable();
        keys.dedup();
        names.sort_unstable();
        names.dedup();
        assert_eq!((keys.len(), names.len()), (all_keys, all_names));
    }
}
