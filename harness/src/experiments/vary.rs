//! What a sweep varies: `KEY=a,b,c`, several of them making a grid. A key is a setting of the agent, or `rates.NAME`: how
//! often the model does what families leave open.

use agent_core::behaviour::{Origin, SettingError, Settings, Version};
use mock_llm::diagnose::nearest;
use reports::trace::Setting;
use serde_json::Value;
use thiserror::Error;

use crate::families::{RateError, Rates, rate_name};
use crate::run::{Point, Varied};
use crate::scenario::hint_for;

/// More points than this are a mistake rather than a wish.
const POINTS_MAX: usize = 10_000;

/// Why a text does not say what to vary.
#[derive(Debug, Error)]
pub(crate) enum VaryError {
    /// It is not `KEY=VALUE,VALUE`.
    #[error("`{0}`: wanted KEY=VALUE,VALUE")]
    Shape(String),
    /// The agent takes no such setting or value.
    #[error("`{text}`: {source}")]
    Setting {
        /// What was typed.
        text: String,
        /// Why not.
        source: SettingError,
    },
    /// There is no such rate, or it takes no such value.
    #[error("`{text}`: {source}")]
    Rate {
        /// What was typed.
        text: String,
        /// Why not.
        source: RateError,
    },
    /// A value is empty or holds a blank.
    #[error("`{text}`: a value to be varied is not empty and holds no blank, found `{value}`")]
    Value {
        /// What was typed.
        text: String,
        /// The value.
        value: String,
    },
    /// A key or one of its values comes twice.
    #[error("`{0}` is there twice")]
    Twice(String),
    /// A key is varied and set.
    #[error("`{0}` is varied and cannot be set, too")]
    AlsoSet(String),
    /// There are too many points.
    #[error("{0} points are too many; a sweep has at most {POINTS_MAX}")]
    TooMany(usize),
}

impl VaryError {
    /// What was probably meant.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::Setting { text, source: SettingError::UnknownKey { .. } } => {
                hint_for(text.split('=').next()?)
            }
            Self::Rate { source: RateError::Unknown { name }, .. } => {
                let names: Vec<&str> = Rates::names().collect();
                let near = nearest(name, names.iter().copied());
                Some(near.map_or_else(
                    || format!("rates are {}", names.join(", ")),
                    |near| format!("did you mean `rates.{near}`?"),
                ))
            }
            _ => None,
        }
    }
}

/// The points of the grid that these texts span, the last text's values changing fastest; one point without settings
/// where there is no text. `set` are the keys that the command line sets for all.
///
/// # Errors
/// The first text that says nothing to vary.
pub(crate) fn points(texts: &[String], set: &[(String, Value)]) -> Result<Vec<Point>, VaryError> {
    let mut axes: Vec<Vec<Varied>> = Vec::new();
    for text in whole(texts) {
        let values = axis(&text)?;
        let key = &values[0].setting.key;
        if axes.iter().any(|other| other[0].setting.key == *key) {
            return Err(VaryError::Twice(key.to_string()));
        }
        if set.iter().any(|(other, _)| **other == **key) {
            return Err(VaryError::AlsoSet(key.to_string()));
        }
        axes.push(values);
    }
    let count = axes.iter().map(Vec::len).try_fold(1_usize, usize::checked_mul).unwrap_or(usize::MAX);
    if count > POINTS_MAX {
        return Err(VaryError::TooMany(count));
    }
    let mut points: Vec<Vec<Varied>> = vec![Vec::new()];
    for axis in &axes {
        let with = |point: &Vec<Varied>| {
            axis.iter().map(|varied| point.iter().chain([varied]).cloned().collect()).collect::<Vec<_>>()
        };
        points = points.iter().flat_map(with).collect();
    }
    Ok(points.into_iter().map(Point::from).collect())
}

/// A list in an environment variable is parted at its commas: what has no key of its own goes on with the one before.
fn whole(texts: &[String]) -> Vec<String> {
    let mut whole: Vec<String> = Vec::new();
    for text in texts {
        match whole.last_mut() {
            Some(before) if !text.contains('=') => {
                before.push(',');
                before.push_str(text);
            }
            _ => whole.push(text.clone()),
        }
    }
    whole
}

/// The values of one key.
fn axis(text: &str) -> Result<Vec<Varied>, VaryError> {
    let Some((key, values)) = text.split_once('=') else { return Err(VaryError::Shape(text.to_owned())) };
    let mut axis: Vec<Varied> = Vec::new();
    for typed in parted(values) {
        if typed.is_empty() || typed.contains(char::is_whitespace) {
            return Err(VaryError::Value { text: text.to_owned(), value: typed.to_owned() });
        }
        // What is no JSON is text, so that words need no quotes.
        let value: Value = serde_json::from_str(typed).unwrap_or_else(|_| Value::from(typed));
        check(key, &value, text)?;
        if axis.iter().any(|other| other.value == value) {
            return Err(VaryError::Twice(format!("{key}={typed}")));
        }
        axis.push(Varied { setting: Setting { key: key.into(), value: typed.into() }, value });
    }
    Ok(axis)
}

/// Whether a key takes a value. Keys and kinds are the same in every version and names of rates in every world, so any
/// will do.
fn check(key: &str, value: &Value, text: &str) -> Result<(), VaryError> {
    if let Some(name) = rate_name(key) {
        let rates = Rates::worlds().find_map(Rates::named).expect("there are named worlds");
        let changed = match value.as_f64() {
            Some(share) => rates.changed(name, share).map(|_| ()),
            None => Err(RateError::NoShare { name: name.to_owned(), value: value.to_string() }),
        };
        return changed.map_err(|source| VaryError::Rate { text: text.to_owned(), source });
    }
    Settings::new(Version::ALL[0])
        .set(key, value.clone(), Origin::CommandLine)
        .map_err(|source| VaryError::Setting { text: text.to_owned(), source })
}

/// Parts a text at the commas that stand outside brackets and quotes.
fn parted(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut depth, mut quoted) = (0, 0_i32, false);
    for (at, char) in text.char_indices() {
        match char {
            '"' => quoted = !quoted,
            '[' | '{' if !quoted => depth += 1,
            ']' | '}' if !quoted => depth -= 1,
            ',' if !quoted && depth <= 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(texts: &[&str]) -> Vec<String> {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        let set = [("curator.enabled".to_owned(), Value::from(true))];
        match points(&texts, &set) {
            Ok(points) => points
                .iter()
                .map(|point| {
                    let settings = point.iter().map(|varied| &varied.setting);
                    settings.map(|one| format!("{}={}", one.key, one.value)).collect::<Vec<_>>().join(" ")
                })
                .collect(),
            Err(error) => vec![error.to_string(), error.hint().unwrap_or_default()],
        }
    }

    #[test]
    fn several_keys_make_a_grid() {
        assert_eq!(
            shown(&["memory.nudge_interval=1,3", "skills.creation_nudge_interval=5,10"]),
            [
                "memory.nudge_interval=1 skills.creation_nudge_interval=5",
                "memory.nudge_interval=1 skills.creation_nudge_interval=10",
                "memory.nudge_interval=3 skills.creation_nudge_interval=5",
                "memory.nudge_interval=3 skills.creation_nudge_interval=10",
            ]
        );
        assert_eq!(shown(&[]), [""]);
        assert_eq!(shown(&["memory.nudge_interval=1", "3"]).len(), 2, "as an environment variable has it");
    }

    #[test]
    fn rates_are_keys_too() {
        assert_eq!(
            shown(&["rates.view=0,0.5,1", "memory.nudge_interval=3"])[1],
            "rates.view=0.5 memory.nudge_interval=3"
        );
    }

    #[test]
    fn lists_and_words_are_values_too() {
        assert_eq!(
            shown(&[r#"skills.external_dirs=["a","b"],[]"#]),
            [r#"skills.external_dirs=["a","b"]"#, "skills.external_dirs=[]"]
        );
    }

    #[test]
    fn mistakes_are_told() {
        let said = |text: &str| shown(&[text]).join(" / ");
        insta::assert_snapshot!(
            [
                said("memory.nudge_interval"),
                said("memory.nudge_intervall=1"),
                said("memory.nudge_interval=1,often"),
                said("memory.nudge_interval=1,,2"),
                said("memory.nudge_interval=1,1"),
                said("rates.follow.skil=0,1"),
                said("rates.view=0,2"),
                said("rates.view=often"),
                said("curator.enabled=true,false"),
                shown(&["memory.nudge_interval=1", "memory.nudge_interval=2"]).join(" / "),
            ]
            .join("\n"),
            @r#"
        `memory.nudge_interval`: wanted KEY=VALUE,VALUE / 
        `memory.nudge_intervall=1`: unknown setting `memory.nudge_intervall` / did you mean `memory.nudge_interval`?
        `memory.nudge_interval=1,often`: `memory.nudge_interval` takes a whole number, found "often" / 
        `memory.nudge_interval=1,,2`: a value to be varied is not empty and holds no blank, found `` / 
        `memory.nudge_interval=1` is there twice / 
        `rates.follow.skil=0,1`: there is no rate `follow.skil` / did you mean `rates.follow.skill`?
        `rates.view=0,2`: the rate `view` is a share from 0 to 1, not 2 / 
        `rates.view=often`: the rate `view` is a share from 0 to 1, not "often" / 
        `curator.enabled` is varied and cannot be set, too / 
        `memory.nudge_interval` is there twice /
        "#
        );
    }
}
