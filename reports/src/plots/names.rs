//! Names that fit beside a plot. What all cells of a sweep vary is told once, in the subtitle; the names keep the values.

use crate::figures::{CellView, Group, short_name};

/// How the keys of rates begin.
const RATES: &str = "rates.";

/// The names of arms beside a plot. Where all cells vary the same their values are name enough, and the plot's subtitle
/// says whose they are.
pub(crate) struct Names {
    keys: Option<Vec<String>>,
}

impl Names {
    /// The names of these cells' arms.
    pub(crate) fn of(cells: &[CellView<'_>]) -> Self {
        Self { keys: varied_keys(cells) }
    }

    /// The name of an arm.
    pub(crate) fn name(&self, arm: &str, views: &[CellView<'_>]) -> String {
        let settings = settings_of(views);
        match arm.strip_suffix(settings).filter(|_| self.keys.is_some()) {
            Some(base) => {
                let values: Vec<&str> = varied(settings).map(|(_, value)| value).collect();
                format!("{base}{}", values.join(" / "))
            }
            None => short_name(arm, views),
        }
    }

    /// What the subtitle says of the names.
    pub(crate) fn note(&self) -> String {
        note(self.keys.iter().flatten())
    }
}

/// The names of the trade-off's points and of the lines that join them: settings name points, worlds and rates lines.
pub(super) struct PointNames {
    keys: Option<Vec<String>>,
    /// Whether a line's scenario and world tell it from the others.
    scenarios: bool,
    worlds: bool,
}

impl PointNames {
    pub(super) fn of(cells: &[CellView<'_>]) -> Self {
        let differ =
            |value: fn(&CellView<'_>) -> String| cells.windows(2).any(|two| value(&two[0]) != value(&two[1]));
        Self {
            keys: varied_keys(cells),
            scenarios: differ(|view| view.cell.scenario.to_string()),
            worlds: differ(|view| view.cell.world.to_string()),
        }
    }

    /// The values of a point's settings where all points vary the same; else its arm.
    pub(super) fn point(&self, arm: &str, views: &[CellView<'_>]) -> String {
        let settings = settings_of(views);
        if self.keys.is_none() {
            return short_name(arm, views);
        }
        let values: Vec<&str> =
            varied(settings).filter(|(key, _)| !key.starts_with(RATES)).map(|(_, value)| value).collect();
        if values.is_empty() {
            return arm.strip_suffix(settings).unwrap_or(arm).trim_end().to_owned();
        }
        values.join(" / ")
    }

    /// What a line's points have in common, as far as it tells lines apart.
    pub(super) fn line(&self, scenario: &str, group: &Group) -> String {
        let arm = if group.arm == group.world && self.worlds { "" } else { &group.arm };
        let world = if self.worlds { &*group.world } else { "" };
        let rates: Vec<String> =
            varied(&group.rates).map(|(key, value)| format!("{}={value}", last_word(key))).collect();
        let rates = rates.join(" ");
        let mut parts = vec![if self.scenarios { scenario } else { "" }, world, arm, &rates];
        parts.retain(|part| !part.is_empty());
        if parts.is_empty() { scenario.to_owned() } else { parts.join(", ") }
    }

    /// What the subtitle says of the points' names.
    pub(super) fn note(&self) -> String {
        note(self.keys.iter().flatten().filter(|key| !key.starts_with(RATES)))
    }
}

fn note<'k>(keys: impl Iterator<Item = &'k String>) -> String {
    let words: Vec<&str> = keys.map(|key| last_word(key)).collect();
    if words.is_empty() { String::new() } else { format!(" Numbers: {}.", words.join(" / ")) }
}

fn last_word(key: &str) -> &str {
    key.strip_prefix(RATES).or_else(|| key.rsplit('.').next()).unwrap_or(key)
}

fn settings_of<'a>(views: &[CellView<'a>]) -> &'a str {
    views.first().map_or("", |view| &view.cell.settings)
}

/// Keys and values of what a sweep varies.
fn varied(settings: &str) -> impl Iterator<Item = (&str, &str)> {
    settings.split(' ').filter_map(|setting| setting.split_once('='))
}

/// What all cells of a sweep vary, if they all vary the same.
fn varied_keys(cells: &[CellView<'_>]) -> Option<Vec<String>> {
    let keys = |view: &CellView<'_>| -> Vec<String> {
        varied(&view.cell.settings).map(|(key, _)| key.to_owned()).collect()
    };
    let first = keys(cells.first()?);
    let same = !first.is_empty() && cells.iter().all(|view| keys(view) == first);
    same.then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::cells;
    use crate::records::{CellRow, Records};

    fn records(arms: &[(&str, &str, &str)]) -> Records {
        let row = |(arm, settings, world): &(&str, &str, &str)| CellRow {
            scenario: "quarter".into(),
            arm: format!("{arm} {settings}").trim_end().into(),
            settings: (*settings).into(),
            world: (*world).into(),
            ..CellRow::default()
        };
        Records { cells: arms.iter().map(row).collect(), ..Records::default() }
    }

    fn shown(arms: &[(&str, &str, &str)]) -> Vec<String> {
        let records = records(arms);
        let views = cells(&records);
        let (names, points) = (Names::of(&views), PointNames::of(&views));
        let one = |view: &CellView<'_>| {
            let (name, point) =
                (names.name(&view.cell.arm, &[*view]), points.point(&view.cell.arm, &[*view]));
            format!("{name} | {point} | {}", points.line("quarter", &Group::of(view)))
        };
        views.iter().map(one).chain([format!("{}|{}", names.note(), points.note())]).collect()
    }

    #[test]
    fn settings_name_points_and_worlds_name_lines() {
        assert_eq!(
            shown(&[
                ("always", "m.interval=3 s.interval=5", "always"),
                ("off", "m.interval=3 s.interval=5", "sometimes")
            ]),
            [
                "always 3 / 5 | 3 / 5 | always",
                "off 3 / 5 | 3 / 5 | sometimes, off",
                " Numbers: interval / interval.| Numbers: interval / interval."
            ]
        );
        assert_eq!(
            shown(&[("a", "m.interval=3", ""), ("b", "m.interval=3", "")]),
            ["a 3 | 3 | a", "b 3 | 3 | b", " Numbers: interval.| Numbers: interval."]
        );
        assert_eq!(shown(&[("a", "", ""), ("b", "", "")]), ["a | a | quarter", "b | b | quarter", "|"]);
    }

    #[test]
    fn rates_name_lines() {
        assert_eq!(
            shown(&[
                ("often", "rates.follow.skill=0.5", "always, changed"),
                ("off", "rates.follow.skill=1", "always, changed")
            ]),
            [
                "often 0.5 | often | follow.skill=0.5",
                "off 1 | off | follow.skill=1",
                " Numbers: follow.skill.|"
            ]
        );
    }
}
