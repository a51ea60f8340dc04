//! The records of one cell as the names of an expectation; what each name means stands beside the names
//! (`scenario::EXPECT_NAMES`).

use std::collections::BTreeMap;
use std::sync::Arc;

use minijinja::value::{Enumerator, Object, ObjectRepr, Value};
use minijinja::{Error, ErrorKind};
use mock_llm::decode::parse_instant;
use mock_llm::diagnose::nearest_hint;
use reports::figures::{DERIVED, cells, derived};
use reports::records::{Column, Datum, Records, Table};
use reports::{CuratorCause, NudgeEvent, ReviewOutcome};

use crate::scenario::FAMILY_FIGURES;

/// The names of a cell with these records, as the context of its expectations.
pub(crate) fn cell_names(records: Arc<Records>, start_ms: i64, users: &[Arc<str>]) -> Value {
    Value::from_object(CellValues { records, start_ms, users: users.to_vec() })
}

/// All names of one cell.
#[derive(Debug)]
struct CellValues {
    records: Arc<Records>,
    start_ms: i64,
    users: Vec<Arc<str>>,
}

impl CellValues {
    fn sessions(&self) -> Value {
        let mut map = BTreeMap::new();
        for (index, row) in self.records.sessions.iter().enumerate() {
            let value = row_value(&self.records.sessions, index);
            map.insert(format!("{}/{}", row.user, row.session), value.clone());
            // With several users a bare name is the session of the first one who has it.
            map.entry(row.session.to_string()).or_insert(value);
        }
        named(map, "session")
    }

    fn lessons(&self) -> Value {
        let rows = self.records.lessons.iter().enumerate();
        named(
            rows.map(|(index, row)| (row.lesson.to_string(), row_value(&self.records.lessons, index)))
                .collect(),
            "lesson",
        )
    }

    fn families(&self) -> Value {
        let mut families: BTreeMap<String, BTreeMap<&'static str, u64>> = BTreeMap::new();
        for turn in self.records.turns.iter().filter(|turn| !turn.family.is_empty()) {
            *families.entry(turn.family.to_string()).or_default().entry("occurrences").or_default() += 1;
        }
        for hazard in &self.records.hazards {
            let family = families.entry(hazard.family.to_string()).or_default();
            *family.entry("hazards").or_default() += 1;
            *family.entry("hits").or_default() += u64::from(hazard.hit);
        }
        let with_zeros = |mut family: BTreeMap<&'static str, u64>| {
            for name in FAMILY_FIGURES {
                family.entry(name).or_default();
            }
            Value::from(family)
        };
        named(families.into_iter().map(|(name, family)| (name, with_zeros(family))).collect(), "family")
    }

    /// The lives of a skill together; all zero for one that never was.
    fn skill(&self, name: &str) -> Value {
        let lives: Vec<usize> = (0..self.records.skills.len())
            .filter(|&index| *self.records.skills[index].skill == *name)
            .collect();
        let mut all = match lives.last() {
            Some(&last) => row_map(&self.records.skills, last),
            None => empty_row(&self.records.skills),
        };
        for column in ["patches", "stale", "archived", "restored", "sessions_listed"].into_iter().chain(LOADS)
        {
            let sum: i128 = lives.iter().map(|&index| integer(&self.records.skills, index, column)).sum();
            all.insert(column.into(), Value::from(sum));
        }
        all.insert("lives".into(), Value::from(lives.len()));
        Value::from(all)
    }

    /// Library and memory of a user at the end of a day.
    fn day(&self, day: u32, user: Option<&str>) -> Result<Value, Error> {
        let user = user.unwrap_or(&self.users[0]);
        let library = self.records.library_days.iter().position(|row| row.day == day && *row.user == *user);
        let memory = self.records.memory_days.iter().position(|row| row.day == day && *row.user == *user);
        let (Some(library), Some(memory)) = (library, memory) else {
            let last = self.records.library_days.iter().map(|row| row.day).max();
            let last = last.map_or_else(
                || "there is no day at all".to_owned(),
                |last| format!("the last day is {last}"),
            );
            return Err(Error::new(ErrorKind::InvalidOperation, format!("no day {day} of {user}: {last}")));
        };
        Ok(Value::from(BTreeMap::from([
            ("skills", row_value(&self.records.library_days, library)),
            ("memory", row_value(&self.records.memory_days, memory)),
        ])))
    }

    fn memory(&self) -> Value {
        match self.records.memory_days.len() {
            0 => Value::from(empty_row(&self.records.memory_days)),
            rows => row_value(&self.records.memory_days, rows - 1),
        }
    }

    /// A derived figure of this cell; none where it does not exist.
    fn figure(&self, name: &str) -> Result<Value, Error> {
        let Some(figure) = derived(name) else {
            let hint = nearest_hint(name, DERIVED.iter().map(|known| known.name));
            let hint = hint.map_or_else(String::new, |hint| format!(" ({hint})"));
            return Err(Error::new(
                ErrorKind::InvalidOperation,
                format!("there is no figure `{name}`{hint}"),
            ));
        };
        Ok(figure.of(&cells(&self.records)).map_or_else(|_| Value::from(()), Value::from))
    }

    fn date(&self, text: &str) -> Result<Value, Error> {
        let wrong = || Error::new(ErrorKind::InvalidOperation, format!("`{text}` is no instant or date"));
        Ok(Value::from(parse_instant(text).ok_or_else(wrong)?.as_millisecond() - self.start_ms))
    }
}

/// The columns of a skill that count loads.
const LOADS: [&str; 6] =
    ["loads_index", "loads_user", "loads_job", "loads_review", "loads_curator", "loads_later"];

impl Object for CellValues {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let this = Arc::clone(self);
        let records = &self.records;
        Some(match key.as_str()? {
            "session" => self.sessions(),
            "skill" => Value::from_function(move |name: String| this.skill(&name)),
            "day" => {
                Value::from_function(move |day: u32, user: Option<String>| this.day(day, user.as_deref()))
            }
            "date" => Value::from_function(move |text: String| this.date(&text)),
            "figure" => Value::from_function(move |name: String| this.figure(&name)),
            "memory" => self.memory(),
            "review" => sums(&records.reviews, "outcome", ReviewOutcome::ALL),
            "curator" => sums(&records.curator_runs, "cause", CuratorCause::ALL),
            "nudge" => sums(&records.nudges, "outcome", NudgeEvent::ALL),
            "lesson" => self.lessons(),
            "family" => self.families(),
            "writes" => all_rows(&records.writes),
            "reviews" => all_rows(&records.reviews),
            "nudges" => all_rows(&records.nudges),
            "turns" => all_rows(&records.turns),
            "tool_calls" => all_rows(&records.tool_calls),
            "loads" => all_rows(&records.loads),
            "curator_runs" => all_rows(&records.curator_runs),
            "journal" => all_rows(&records.model_calls),
            "cell" if !records.cells.is_empty() => row_value(&records.cells, 0),
            "arm" => Value::from(Arc::clone(&records.cells.first()?.arm)),
            "seed" => Value::from(records.cells.first()?.seed),
            "user" => self.users.iter().map(|user| Value::from(Arc::clone(user))).collect(),
            _ => return None,
        })
    }
}

/// A mapping whose missing names say what there is.
#[derive(Debug)]
struct Named {
    map: BTreeMap<String, Value>,
    what: &'static str,
}

fn named(map: BTreeMap<String, Value>, what: &'static str) -> Value {
    Value::from_object(Named { map, what })
}

impl Object for Named {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Map
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let name = key.as_str()?;
        let missing = || {
            let message = format!("there was no {} named `{name}`", self.what);
            Some(Error::new(ErrorKind::InvalidOperation, message).into())
        };
        self.map.get(name).cloned().or_else(missing)
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(self.map.keys().map(|name| Value::from(&**name)).collect())
    }
}

type RowMap = BTreeMap<Arc<str>, Value>;

fn row_value<T: Table>(table: &T, index: usize) -> Value {
    Value::from(row_map(table, index))
}

/// The rows of a table, in order.
fn all_rows<T: Table>(table: &T) -> Value {
    (0..table.len()).map(|index| row_value(table, index)).collect()
}

fn row_map<T: Table>(table: &T, index: usize) -> RowMap {
    table
        .columns()
        .iter()
        .zip(table.row(index))
        .map(|(column, datum)| (column.name.into(), value_of(&datum)))
        .collect()
}

/// A row of a table that has none: counts are zero, texts empty, figures that may be missing are.
fn empty_row<T: Table>(table: &T) -> RowMap {
    let value = |column: &Column| match column.kind {
        _ if column.optional => Value::from(()),
        reports::records::ColumnType::Text => Value::from(""),
        _ => Value::from(0),
    };
    table.columns().iter().map(|column| (column.name.into(), value(column))).collect()
}

fn value_of(datum: &Datum<'_>) -> Value {
    match datum {
        Datum::Null => Value::from(()),
        // Values beyond 64 bits do not occur; a 64-bit value compares and prints as other numbers do.
        Datum::Integer(number) => i64::try_from(*number).map_or_else(|_| Value::from(*number), Value::from),
        Datum::Text(text) => Value::from(&**text),
    }
}

fn integer<T: Table>(table: &T, index: usize, column: &str) -> i128 {
    let place = table.columns().iter().position(|known| known.name == column);
    match place.map(|place| table.row(index).swap_remove(place)) {
        Some(Datum::Integer(number)) => number,
        _ => 0,
    }
}

/// All integer columns summed, `count` of the rows, and how often each word stands in one column.
fn sums<T: Table>(table: &T, words: &str, all: &[impl ToString]) -> Value {
    let mut sums: BTreeMap<String, i128> = all.iter().map(|word| (word.to_string(), 0)).collect();
    sums.insert("count".to_owned(), table.len() as i128);
    for column in table.columns().iter().filter(|column| column.kind != reports::records::ColumnType::Text) {
        sums.insert(column.name.to_owned(), 0);
    }
    for index in 0..table.len() {
        for (column, datum) in table.columns().iter().zip(table.row(index)) {
            match datum {
                Datum::Integer(number) => *sums.entry(column.name.to_owned()).or_default() += number,
                Datum::Text(word) if column.name == words => *sums.entry(word.into_owned()).or_default() += 1,
                Datum::Text(_) | Datum::Null => {}
            }
        }
    }
    let short = |sum: i128| i64::try_from(sum).map_or_else(|_| Value::from(sum), Value::from);
    Value::from(sums.into_iter().map(|(name, sum)| (name, short(sum))).collect::<BTreeMap<_, _>>())
}

#[cfg(test)]
mod tests {
    use reports::records::CellRow;

    use super::*;
    use crate::scenario::EXPECT_NAMES;

    #[test]
    fn every_name_that_an_expectation_may_use_has_a_meaning() {
        let records = Records { cells: vec![CellRow::default()], ..Records::default() };
        let names = cell_names(Arc::new(records), 0, &["ana".into()]);
        for (name, _) in EXPECT_NAMES {
            let value = names.get_attr(name).unwrap();
            assert!(!value.is_undefined(), "{name}");
        }
        assert!(names.get_attr("nothing").unwrap().is_undefined());
    }
}
