//! The sides of a comparison as a person names them: `out`, `out#arm`, or a point of a sweep, `out#memory.nudge_interval=3`.

use std::path::{Path, PathBuf};

use mock_llm::diagnose::nearest_hint;
use reports::figures::{CellView, by_arm, cells};
use reports::records::Records;
use thiserror::Error;

use super::results::{Results, ResultsError};

/// Arms that a message names at most.
const NAMED_MAX: usize = 8;

/// A side as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SideName {
    /// The run's directory.
    pub(crate) dir: PathBuf,
    /// What was typed of the arm.
    pub(crate) arm: Option<String>,
}

/// A side: a run and one of its arms.
#[derive(Debug)]
pub(crate) struct Side<'a> {
    /// What tables call it: of settings that a sweep varies the last word of the key.
    pub(crate) name: String,
    /// The arm's whole name.
    pub(crate) arm: String,
    /// The arm's cells.
    pub(crate) cells: Vec<CellView<'a>>,
}

/// Why a side cannot be found.
#[derive(Debug, Error)]
pub(crate) enum SideError {
    /// Its directory is no run's.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// The run has no such arm.
    #[error("{dir} has no arm `{arm}`")]
    NoArm {
        /// The directory.
        dir: String,
        /// What was typed.
        arm: String,
        /// What to do instead.
        hint: String,
    },
    /// Several arms fit.
    #[error("{dir}: `{arm}` fits several arms")]
    Several {
        /// The directory.
        dir: String,
        /// What was typed.
        arm: String,
        /// The arms that fit.
        hint: String,
    },
    /// Neither side names an arm, and no name stands on both sides.
    #[error("no arm of {one} is also one of {other}")]
    NothingInCommon {
        /// The first directory.
        one: String,
        /// The second directory.
        other: String,
    },
}

impl SideError {
    /// What to do instead.
    pub(crate) fn hint(&self) -> Option<&str> {
        match self {
            Self::NoArm { hint, .. } | Self::Several { hint, .. } => Some(hint),
            Self::Results(ResultsError::NoDirectory(_) | ResultsError::NoRecords(_)) => {
                Some("name the directory of a run, and after `#` one of its arms")
            }
            Self::NothingInCommon { .. } => Some("name the arms: DIR#ARM"),
            Self::Results(_) => None,
        }
    }
}

impl SideName {
    /// `DIR`, `DIR#ARM`, or `#ARM` for another arm of the side before.
    pub(crate) fn parse(text: &str, before: Option<&Self>) -> Self {
        if Path::new(text).is_dir() {
            return Self { dir: text.into(), arm: None };
        }
        match text.split_once('#') {
            Some(("", arm)) if before.is_some() => Self {
                dir: before.map(|side| side.dir.clone()).unwrap_or_default(),
                arm: Some(arm.to_owned()),
            },
            Some((dir, arm)) => Self { dir: dir.into(), arm: Some(arm.to_owned()) },
            None => Self { dir: text.into(), arm: None },
        }
    }
}

/// The pairs of sides that two names stand for: one, or one for each arm that both runs have.
///
/// # Errors
/// An arm is not there, or several fit.
pub(crate) fn sides<'a>(
    (one, one_results): (&SideName, &'a Results),
    (other, other_results): (&SideName, &'a Results),
) -> Result<Vec<(Side<'a>, Side<'a>)>, SideError> {
    let (ones, others) = (arms_of(&one_results.records), arms_of(&other_results.records));
    let labels = labels(one, other);
    let picked = |name: &SideName, arms: &[Side<'a>]| -> Result<Option<usize>, SideError> {
        match &name.arm {
            Some(arm) => find(arm, arms, &name.dir).map(Some),
            None if arms.len() == 1 => Ok(Some(0)),
            None => Ok(None),
        }
    };
    let pairs: Vec<(usize, usize)> = match (picked(one, &ones)?, picked(other, &others)?) {
        (Some(one), Some(other)) => vec![(one, other)],
        // One arm on the one side is meant against the arm of that name on the other.
        (Some(place), None) => vec![(place, find(&ones[place].arm, &others, &other.dir)?)],
        (None, Some(place)) => vec![(find(&others[place].arm, &ones, &one.dir)?, place)],
        (None, None) => (0..ones.len())
            .filter_map(|place| Some((place, others.iter().position(|side| side.arm == ones[place].arm)?)))
            .collect(),
    };
    if pairs.is_empty() {
        let shown = |name: &SideName| crate::scenario::shown(&name.dir);
        return Err(SideError::NothingInCommon { one: shown(one), other: shown(other) });
    }
    let side = |arms: &[Side<'a>], place: usize, label: &str| Side {
        name: format!("{label}{}", arms[place].name),
        arm: arms[place].arm.clone(),
        cells: arms[place].cells.clone(),
    };
    let pair = |(one, other)| (side(&ones, one, &labels.0), side(&others, other, &labels.1));
    Ok(pairs.into_iter().map(pair).collect())
}

/// What stands before an arm's name: nothing where both sides are of one run.
fn labels(one: &SideName, other: &SideName) -> (String, String) {
    if one.dir == other.dir {
        return (String::new(), String::new());
    }
    let label = |name: &SideName| format!("{}#", crate::scenario::shown(&name.dir));
    (label(one), label(other))
}

fn arms_of(records: &Records) -> Vec<Side<'_>> {
    let arms: Vec<_> = by_arm(&cells(records)).into_iter().collect();
    let short: Vec<String> = arms.iter().map(|(arm, _)| short(arm)).collect();
    let is_unique = |name: &String| short.iter().filter(|other| *other == name).count() == 1;
    let names = short.iter().zip(&arms).map(|(short, (arm, _))| if is_unique(short) { short } else { arm });
    let names: Vec<String> = names.cloned().collect();
    arms.into_iter().zip(names).map(|((arm, cells), name)| Side { name, arm, cells }).collect()
}

/// An arm's name with the last words of the keys that are varied.
fn short(arm: &str) -> String {
    let word = |part: &str| match part.split_once('=') {
        Some((key, value)) => format!("{}={value}", key.rsplit('.').next().unwrap_or(key)),
        None => part.to_owned(),
    };
    arm.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// The arm that a text stands for: its whole name, or words that only its name holds.
fn find(wanted: &str, arms: &[Side<'_>], dir: &Path) -> Result<usize, SideError> {
    if let Some(place) = arms.iter().position(|side| side.arm == wanted) {
        return Ok(place);
    }
    let words: Vec<&str> = wanted.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let fits = |side: &Side<'_>| words.iter().all(|word| side.arm.split(' ').any(|part| is_word(part, word)));
    let found: Vec<usize> =
        (0..arms.len()).filter(|place| !words.is_empty() && fits(&arms[*place])).collect();
    let (dir, arm) = (crate::scenario::shown(dir), wanted.to_owned());
    match found.as_slice() {
        [place] => Ok(*place),
        [] => {
            let names: Vec<&str> = arms.iter().map(|side| side.arm.as_str()).collect();
            let hint =
                nearest_hint(wanted, names.iter().copied()).unwrap_or_else(|| listed("its arms are", &names));
            Err(SideError::NoArm { dir, arm, hint })
        }
        several => {
            let names: Vec<&str> = several.iter().map(|place| arms[*place].arm.as_str()).collect();
            Err(SideError::Several { dir, arm, hint: listed("name one of", &names) })
        }
    }
}

/// Whether a word of an arm's name is meant: the word itself, or the end of its dotted key.
fn is_word(part: &str, wanted: &str) -> bool {
    part == wanted
        || part.strip_suffix(wanted).is_some_and(|rest| rest.ends_with('.') && wanted.contains('='))
}

fn listed(words: &str, names: &[&str]) -> String {
    let shown = names.iter().take(NAMED_MAX).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let more = names.len().saturating_sub(NAMED_MAX);
    if more > 0 { format!("{words} {shown} and {more} more") } else { format!("{words} {shown}") }
}

#[cfg(test)]
mod tests {
    use reports::records::CellRow;

    use super::*;

    fn results(dir: &str, arms: &[&str]) -> Results {
        let cell =
            |arm: &&str| CellRow { scenario: "s".into(), arm: (*arm).into(), seed: 1, ..CellRow::default() };
        let mut records = Records { cells: arms.iter().map(cell).collect(), ..Records::default() };
        records.sort();
        Results { dir: dir.into(), records, run: None }
    }

    fn found(one: &str, arms: &[&str], other: &str, other_arms: &[&str]) -> Vec<String> {
        let one = SideName::parse(one, None);
        let other = SideName::parse(other, Some(&one));
        let (left, right) = (results("a", arms), results("b", other_arms));
        match sides((&one, &left), (&other, &right)) {
            Ok(pairs) => pairs.iter().map(|(one, other)| format!("{} | {}", one.name, other.name)).collect(),
            Err(error) => vec![error.to_string(), error.hint().unwrap_or("").to_owned()],
        }
    }

    const SWEEP: [&str; 4] = ["off", "always m.interval=1", "always m.interval=10", "never m.interval=1"];

    #[test]
    fn a_side_is_a_directory_and_an_arm() {
        let parse = |text: &str| {
            let side = SideName::parse(text, Some(&SideName { dir: "before".into(), arm: None }));
            (side.dir.to_string_lossy().into_owned(), side.arm)
        };
        assert_eq!(parse("out"), ("out".to_owned(), None));
        assert_eq!(parse("out#july"), ("out".to_owned(), Some("july".to_owned())));
        assert_eq!(parse("#july"), ("before".to_owned(), Some("july".to_owned())));
    }

    #[test]
    fn arms_are_found_by_name_and_points_by_their_words() {
        assert_eq!(found("a#off", &SWEEP, "#always,interval=10", &SWEEP), ["off | always interval=10"]);
        assert_eq!(
            found("a#never m.interval=1", &SWEEP, "#never", &SWEEP),
            ["never interval=1 | never interval=1"]
        );
        assert_eq!(
            found("a#off", &SWEEP, "#interval=1", &SWEEP),
            ["a: `interval=1` fits several arms", "name one of `always m.interval=1`, `never m.interval=1`"]
        );
        assert_eq!(found("a#of", &SWEEP, "#off", &SWEEP), ["a has no arm `of`", "did you mean `off`?"]);
    }

    #[test]
    fn two_runs_are_compared_arm_by_arm() {
        assert_eq!(found("a", &["x", "y"], "b", &["y", "x", "z"]), ["a#x | b#x", "a#y | b#y"]);
        assert_eq!(found("a#x", &["x", "y"], "b", &["x", "z"]), ["a#x | b#x"]);
        assert_eq!(found("a", &["one"], "b", &["two"]), ["a#one | b#two"]);
        assert_eq!(
            found("a", &["x", "y"], "b", &["z", "w"]),
            ["no arm of a is also one of b", "name the arms: DIR#ARM"]
        );
    }
}
