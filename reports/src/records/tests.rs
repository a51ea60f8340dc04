//! Laws of the record tables.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::measure::Measure;
use crate::trace::samples::{event, start};
use crate::trace::{Event, Kind};

fn measure<'a>(events: impl IntoIterator<Item = &'a Event>) -> Records {
    let mut measure = Measure::new();
    events.into_iter().for_each(|event| measure.push(event));
    measure.finish()
}

fn cell(arm: &str, seed_wanted: u64) -> Records {
    let mut first = start();
    if let Kind::CellStart { arm: name, seed, .. } = &mut first.kind {
        *name = arm.into();
        *seed = seed_wanted;
    }
    measure(&[first])
}

fn write(cells: &[Records]) -> std::io::Result<Vec<Vec<u8>>> {
    let mut tables = CsvTables::new(|_| Ok(Vec::new()))?;
    for cell in cells {
        tables.append(cell)?;
    }
    tables.finish()
}

fn read(files: &[Vec<u8>]) -> Result<Records, RecordsError> {
    let mut files = files.iter();
    read_records(|_| Ok(Some(files.next().expect("one file a table").as_slice())))
}

proptest! {
    #[test]
    fn any_events_can_be_measured_and_their_records_read_back(events in vec(event(), 0..40)) {
        let first = start();
        let records = measure(std::iter::once(&first).chain(&events));
        let files = write(std::slice::from_ref(&records)).unwrap();
        prop_assert_eq!(read(&files).unwrap(), records);
    }
}

#[test]
fn keys_come_first_and_sessions_keep_their_promised_columns() {
    let records = Records::default();
    for table in records.tables() {
        let names: Vec<_> = table.columns().iter().map(|column| column.name).collect();
        assert_eq!(names[..3], ["scenario", "arm", "seed"], "{}", table.name());
        assert_eq!(names.last(), Some(&"evidence"), "{}", table.name());
        assert!(table.columns().iter().all(|column| !column.doc.is_empty()));
    }
    let sessions: Vec<_> = SessionRow::COLUMNS.iter().map(|column| column.name).collect();
    insta::assert_snapshot!(sessions[..18].join(", "), @"scenario, arm, seed, user, session, started_at, turns, iterations, tool_calls, tool_errors, main_calls, review_calls, reviews, review_writes, memory_writes, prompt_tokens, cached_tokens, completion_tokens");
}

#[test]
fn cells_are_written_in_order_or_not_at_all() {
    let files = write(&[cell("article", 1), cell("article", 2), cell("july", 1)]).unwrap();
    let mut records = Records::default();
    for cell in [cell("july", 1), cell("article", 2), cell("article", 1)] {
        records.append(cell);
    }
    records.sort();
    assert_eq!(read(&files).unwrap(), records);
    assert_eq!(String::from_utf8(files[0].clone()).unwrap(), table_csv(&records.cells));
    let error = write(&[cell("july", 1), cell("article", 1)]).unwrap_err();
    insta::assert_snapshot!(error, @"the cell demo, article, 1 is out of order or repeated");
}

#[test]
fn what_does_not_belong_into_a_file_is_named() {
    let mut files = write(&[cell("july", 1)]).unwrap();
    let cells = String::from_utf8(files[0].clone()).unwrap();
    let mut show = |cells: String| {
        files[0] = cells.into_bytes();
        read(&files).unwrap_err().to_string()
    };
    let cases = [
        show(cells.replacen("july,1,", "july,one,", 1)),
        show(cells.replacen("tool_errors", "tool_mistakes", 1)),
        show(cells.replacen("july,1,", "july,1,1,", 1)),
    ];
    insta::assert_snapshot!(cases.join("\n"), @r"
    cells.csv line 2: `one` in column `seed` is not what belongs there (count)
    cells.csv: column `tool_errors` is missing; was it written by another version?
    cells.csv: not a readable CSV file: CSV error: record 1 (line: 2, byte: 475): found record with 48 fields, but the previous record has 47 fields
    ");
}
