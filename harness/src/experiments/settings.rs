//! Settings as people and programs read them: every key with its value and where it came from, and what separates two
//! versions.

use agent_core::behaviour::Settings;
use reports::table::Grid;
use serde_json::{Map, Value, json};

use crate::run::origin_words;

/// Every key with its value and its origin, faults last.
pub(crate) fn settings_grid(settings: &Settings) -> Grid {
    let title = format!("Settings of {}", settings.version());
    let mut grid = Grid::new(title, &["key", "value", "origin"]);
    for (key, value, origin) in settings.iter() {
        grid.row([key, shown(&value), origin_words(origin)]);
    }
    grid.note(format!(
        "{} keys, faults last; `harness explain KEY` says what each decides.",
        grid.rows.len()
    ));
    grid
}

/// The same for programs.
pub(crate) fn settings_json(settings: &Settings) -> Value {
    let entry = |(key, value, origin): (String, Value, _)| {
        (key, json!({ "value": value, "origin": origin_words(origin) }))
    };
    let values: Map<String, Value> = settings.iter().map(entry).collect();
    json!({ "version": settings.version().as_str(), "settings": values })
}

/// What separates two agents: the keys whose values differ, faults last.
pub(crate) fn difference_grid(one: &Settings, other: &Settings) -> Grid {
    let (first, second) = (one.version().as_str(), other.version().as_str());
    let mut grid = Grid::new(format!("{second} against {first}"), &["key", first, second]);
    for (key, value, against) in differences(one, other) {
        grid.row([key, shown(&value), shown(&against)]);
    }
    grid.note(format!("{} of {} keys differ, faults last.", grid.rows.len(), one.iter().count()));
    grid
}

/// The same for programs.
pub(crate) fn difference_json(one: &Settings, other: &Settings) -> Value {
    let (first, second) = (one.version().as_str(), other.version().as_str());
    let entry = |(key, value, against)| (key, json!({ first: value, second: against }));
    let values: Map<String, Value> = differences(one, other).map(entry).collect();
    json!({ "one": first, "other": second, "differences": values })
}

/// Both iterate over the same keys: every settings object holds all of them.
fn differences<'s>(
    one: &'s Settings,
    other: &'s Settings,
) -> impl Iterator<Item = (String, Value, Value)> + 's {
    let pairs = one.iter().zip(other.iter());
    pairs.filter(|((_, value, _), (_, against, _))| value != against).map(
        |((key, value, _), (same, against, _))| {
            debug_assert_eq!(key, same, "all settings hold the same keys");
            (key, value, against)
        },
    )
}

/// A value as `--set` takes it: what is no JSON is text, so most texts need no quotes.
pub(crate) fn shown(value: &Value) -> String {
    match value.as_str() {
        Some(text) if !text.is_empty() && serde_json::from_str::<Value>(text).is_err() => text.to_owned(),
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use agent_core::behaviour::{Origin, Version};
    use reports::table::{Look, terminal};

    use super::*;

    #[test]
    fn faults_stand_last_and_origins_are_told() {
        let mut settings = Settings::new(Version::V0_19);
        settings.set("memory.nudge_interval", 3.into(), Origin::CommandLine).unwrap();
        let grid = settings_grid(&settings);
        let keys: Vec<&str> = grid.rows.iter().map(|row| row.cells[0].as_str()).collect();
        let first_fault = keys.iter().position(|key| key.starts_with("faults.")).unwrap();
        assert!(keys[first_fault..].iter().all(|key| key.starts_with("faults.")));
        assert_eq!(keys.len(), settings.iter().count());
        let row = grid.rows.iter().find(|row| row.cells[0] == "memory.nudge_interval").unwrap();
        assert_eq!(row.cells[1..], ["3", "command line"]);
        assert_eq!(settings_json(&settings)["settings"]["memory.nudge_interval"]["value"], 3);
    }

    #[test]
    fn a_version_differs_from_itself_in_nothing() {
        let settings = Settings::new(Version::V0_19);
        let text = terminal(&difference_grid(&settings, &settings), Look::default());
        assert!(text.contains("(no rows)") && text.contains("0 of "), "{text}");
        let (one, other) = (Settings::new(Version::V0_13), Settings::new(Version::V0_16));
        let there = differences(&one, &other).count();
        assert!(there > 0 && there == differences(&other, &one).count());
    }

    #[test]
    fn values_are_shown_as_they_would_be_typed() {
        let shown = |value: Value| shown(&value);
        assert_eq!(shown(json!("auto")), "auto");
        assert_eq!(shown(json!("true")), "\"true\"");
        assert_eq!(shown(json!("")), "\"\"");
        assert_eq!(shown(json!(null)), "null");
        assert_eq!(shown(json!(["a"])), "[\"a\"]");
    }
}
