//! The expectations of a cell against its records.

use minijinja::value::Value;
use reports::verdict::Failure;

use crate::scenario::{Expectation, Scenario};

/// A value is shown up to so many characters: whole tables belong into the records.
const VALUE_CHARS_MAX: usize = 400;

/// What the expectations of a cell came to.
#[derive(Debug, Default)]
pub(crate) struct Judgement {
    /// How many applied to the cell.
    pub(crate) expectations: u64,
    /// Those that did not hold.
    pub(crate) failures: Vec<Failure>,
}

/// Judges a cell by the names that its records give.
pub(crate) fn judge(scenario: &Scenario, names: &Value) -> Judgement {
    let mut judgement = Judgement::default();
    for expectation in &scenario.expect {
        let applies = expectation.when.as_ref().map_or(Ok(true), |when| when.holds(names));
        let outcome = match applies {
            Ok(false) => continue,
            Ok(true) => expectation.that.holds(names),
            Err(error) => Err(error),
        };
        judgement.expectations += 1;
        match outcome {
            Ok(true) => {}
            Ok(false) => {
                let values = expectation.that.values(names);
                judgement.failures.push(failure(scenario, expectation, values));
            }
            Err(error) => {
                let values = vec![(error.expression.to_string(), error.reason)];
                judgement.failures.push(failure(scenario, expectation, values));
            }
        }
    }
    judgement
}

fn failure(scenario: &Scenario, expectation: &Expectation, mut values: Vec<(String, String)>) -> Failure {
    for (_, value) in &mut values {
        if let Some((end, _)) = value.char_indices().nth(VALUE_CHARS_MAX) {
            value.replace_range(end.., " …");
        }
    }
    Failure {
        expression: expectation.that.text().to_string(),
        why: expectation.why.clone().unwrap_or_default(),
        values,
        place: format!("{}:{}", scenario.file, expectation.line),
    }
}
