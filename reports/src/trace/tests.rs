//! Laws of the trace format.

use proptest::collection::vec;
use proptest::prelude::*;

use super::samples::{event, start};
use super::*;

fn write(events: &[Event]) -> String {
    let mut writer = TraceWriter::new(Vec::new());
    for event in events {
        writer.write(event).unwrap();
    }
    String::from_utf8(writer.finish().unwrap()).unwrap()
}

fn read(text: &str) -> Result<Vec<Event>, TraceError> {
    TraceReader::new(text.as_bytes()).collect()
}

fn message(n: u64, text: &str) -> Event {
    let kind = Kind::Message { of: "user".into(), synthetic: false, text: text.into() };
    Event { user: "ana".into(), session: Some("flask".into()), ..Event::of_cell(n, 1500, kind) }
}

proptest! {
    #[test]
    fn what_was_written_is_read(events in vec(event(), 0..12)) {
        let mut all = vec![start()];
        all.extend(events);
        let text = write(&all);
        prop_assert_eq!(read(&text).unwrap(), all.clone());
        prop_assert_eq!(write(&all), text);
    }

    #[test]
    fn broken_lines_are_errors_and_never_panics(events in vec(event(), 1..4), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut all = vec![start()];
        all.extend(events);
        let mut bytes = write(&all).into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        for event in TraceReader::new(bytes.as_slice()) {
            let _either = event.is_ok();
        }
    }
}

#[test]
fn lines_are_flat_and_in_a_fixed_order() {
    let nudge = Event {
        user: "ana".into(),
        session: Some("flask".into()),
        conversation: Some(1),
        role: Some(crate::Role::Main),
        turn: 1,
        iteration: 13,
        ..Event::of_cell(
            2,
            60_000,
            Kind::Nudge { which: crate::Nudge::Skill, event: crate::NudgeEvent::Due, why: "13 of 10".into() },
        )
    };
    insta::assert_snapshot!(write(&[start(), nudge]), @r#"
    {"n":1,"at_ms":0,"user":"","turn":0,"iteration":0,"kind":"cell_start","schema":1,"scenario":"demo","arm":"july","seed":7,"start_ms":1767603600000,"version":"hermes-0.19","digest":"d","evidence":"counted","world":"","settings":[]}
    {"n":2,"at_ms":60000,"user":"ana","session":"flask","conversation":1,"role":"main","turn":1,"iteration":13,"kind":"nudge","which":"skill","event":"due","why":"13 of 10"}
    "#);
}

#[test]
fn a_long_text_stands_once_and_before_its_first_use() {
    let long = "a long text ".repeat(30);
    let events = [start(), message(2, &long), message(3, "short"), message(4, &long)];
    let text = write(&events);
    assert_eq!(text.matches("a long text").count(), 30);
    let kinds: Vec<_> =
        text.lines().map(|line| line.split("\"kind\":\"").nth(1).unwrap().split('"').next()).collect();
    assert_eq!(kinds, [Some("cell_start"), Some("text"), Some("message"), Some("message"), Some("message")]);
    assert_eq!(read(&text).unwrap(), events);
}

#[test]
fn errors_name_the_line() {
    let good = write(&[start(), message(2, &"x".repeat(300))]);
    let show = |text: &str| read(text).unwrap_err().to_string();
    let without = |pattern: &str| -> String {
        good.split_inclusive('\n').filter(|line| !line.contains(pattern)).collect()
    };
    let cases = [
        show(&good.replace("\"schema\":1", "\"schema\":2")),
        show(&without("cell_start").replacen("text\",\"digest", "texts\",\"digest", 1)),
        show(&good.replacen("xxx", "xxy", 1)),
        show(good.trim_end()),
        show(&good.replace("\"synthetic\":false", "\"synthetic\":3")),
        show(&without("\"text\",")),
        show("{\"kind\":\"cell_start\"}\n"),
        show("no json\n"),
    ];
    insta::assert_snapshot!(cases.join("\n"), @r"
    line 1: trace format 2, but this build reads format 1
    line 1: a trace starts with `cell_start`, this one with `texts`
    line 2: the text does not fit its digest 296a7bce08325b75b90d23204fd50b75
    line 3: cut off in the middle; the trace was not written to its end
    line 3 is not an event of a trace
    line 2: refers to the text 296a7bce08325b75b90d23204fd50b75, which no earlier line holds
    line 1 is not an event of a trace
    line 1 is not an event of a trace
    ");
}

#[test]
fn unknown_kinds_and_fields_are_skipped() {
    let text = write(&[start()])
        + "{\"n\":2,\"at_ms\":0,\"user\":\"\",\"kind\":\"dream\",\"of\":\"sheep\"}\n"
        + "{\"n\":3,\"at_ms\":0,\"user\":\"ana\",\"turn\":1,\"iteration\":0,\"kind\":\"session_end\",\"reason\":\"closed\",\"mood\":\"good\"}\n";
    let mut reader = TraceReader::new(text.as_bytes());
    let kinds: Vec<_> = reader.by_ref().map(|event| event.unwrap().kind.name()).collect();
    assert_eq!(kinds, ["cell_start", "session_end"]);
    assert_eq!(reader.unknown_kinds().get("dream"), Some(&1));
}

#[test]
fn the_digest_is_of_the_bytes() {
    let mut writer = TraceWriter::new(Vec::new());
    writer.write(&start()).unwrap();
    let digest = writer.digest();
    let bytes = writer.finish().unwrap();
    assert_eq!(digest, blake3::hash(&bytes).to_hex().to_string());
}
