//! The reader on right and wrong files: values, places, limits, and the words for the known traps.

use std::fmt::Write;

use proptest::prelude::*;

use super::{Node, Value, read};
use crate::decode::Decoder;
use crate::diagnose::{Look, Source, Sources, render};

/// A tree in one line, with every node's place.
fn show(node: &Node) -> String {
    let mut out = String::new();
    match &node.value {
        Value::Seq(items) => {
            let items: Vec<String> = items.iter().map(show).collect();
            write!(out, "[{}]", items.join(", ")).unwrap();
        }
        Value::Map(map) => {
            let entries: Vec<String> =
                map.iter().map(|entry| format!("{}: {}", entry.key, show(&entry.value))).collect();
            write!(out, "{{{}}}", entries.join(", ")).unwrap();
        }
        value => write!(out, "{value:?}@{}:{}", node.span.line, node.span.column).unwrap(),
    }
    out
}

fn tree(text: &str) -> String {
    let (root, found) = read(&Source::new("a.yaml", text));
    assert!(found.is_empty(), "{found:?}");
    show(&root.unwrap())
}

/// What a person reads about the mistakes of a text, decoded as a list of texts under `items`.
fn mistakes(text: &str) -> String {
    let source = Source::new("a.yaml", text);
    let decoder = Decoder::new(&source);
    if let Some(root) = decoder.read()
        && let Some(map) = decoder.map(&root, "a file", &["items", "flag", "count", "wait", "args"])
    {
        map.optional("items", |d, node| d.list(node, "a list of texts", Decoder::text));
        map.optional("flag", Decoder::bool);
        map.optional("count", Decoder::count);
        map.optional("wait", Decoder::duration);
        map.optional("args", Decoder::json);
    }
    let mut sources = Sources::default();
    sources.add(&source);
    render(&decoder.into_diagnostics(), &sources, Look { width: 90, ..Look::default() })
}

#[test]
fn values_and_places() {
    insta::assert_snapshot!(tree("a: 1\nb: [x, 'y', \"z\"]\nc:\n  - d: null\n  - no\n"));
}

#[test]
fn nodes_keep_how_they_were_written() {
    let (root, _) = read(&Source::new("a.yaml", "[012, 1e3, 12, '012', no, \"no\", 0.5, True]"));
    let root = root.unwrap();
    let items = root.as_seq().unwrap();
    let written: Vec<&str> = items.iter().map(Node::written).collect();
    assert_eq!(written, ["012", "1e3", "12", "012", "no", "no", "0.5", "True"]);
    let canonical: Vec<bool> = items.iter().map(Node::is_canonical).collect();
    assert_eq!(canonical, [false, false, true, true, false, true, true, false]);
}

#[test]
fn a_part_of_a_text_has_its_own_place() {
    let source = Source::new("a.yaml", "when: \"'é' in usr\"\n");
    let (root, _) = read(&source);
    let root = root.unwrap();
    let node = &root.as_map().unwrap().get("when").unwrap().value;
    let start = node.as_text().unwrap().find("usr").unwrap();
    let span = node.span_within(start..start + 3);
    assert_eq!(&source.text[span.start..span.end], "usr");
    assert_eq!((span.line, span.column), (1, 15));
}

#[test]
fn collections_end_where_their_text_ends() {
    let source = Source::new("a.yaml", "a:\n  b: 1\n\n\nc: 2\n");
    let (root, _) = read(&source);
    let root = root.unwrap();
    let inner = root.as_map().unwrap().get("a").unwrap();
    assert_eq!(&source.text[inner.value.span.start..inner.value.span.end], "b: 1");
}

#[test]
fn anchors_are_used_again_and_merged() {
    let text = "x: &x {a: 1, b: 2}\ny: *x\nz: {<<: *x, b: 3}\nw: {<<: [{a: 9}, *x]}\nx2: &x 5\nv: *x\n";
    insta::assert_snapshot!(tree(text));
}

#[test]
fn an_alias_bomb_is_bounded() {
    let mut text = String::from("a0: &a0 [x,x,x,x,x,x,x,x,x]\n");
    for level in 1..12 {
        let line = vec![format!("*a{}", level - 1); 9].join(",");
        writeln!(text, "a{level}: &a{level} [{line}]").unwrap();
    }
    let text = mistakes(&text);
    assert!(text.contains("aliases expand to more than 20000 values"), "{text}");
}

#[test]
fn depth_is_bounded() {
    let text = format!("a: {}{}", "[".repeat(40), "]".repeat(40));
    assert!(mistakes(&text).contains("nested deeper than 32 levels"));
    let text = format!("a: {}", "[".repeat(100_000));
    assert!(!mistakes(&text).is_empty());
}

#[test]
fn a_value_within_itself_is_refused() {
    insta::assert_snapshot!(mistakes("args: &a [1, *a]\n"));
}

#[test]
fn an_empty_file_is_nothing() {
    assert_eq!(tree(""), "Null@1:1");
    assert_eq!(tree("# only a comment\n"), "Null@1:1");
}

#[test]
fn tab() {
    insta::assert_snapshot!(mistakes("items:\n\t- a\n"));
    insta::assert_snapshot!(mistakes("args:\n  a: 1\n\tb: 2\n"));
}

#[test]
fn quote_at_the_beginning() {
    insta::assert_snapshot!(mistakes("items:\n  - 'a' in b\n"));
    insta::assert_snapshot!(mistakes("items:\n  - x\nflag: 'a' in b and 'c' in d\n"));
}

#[test]
fn braces_without_quotes() {
    insta::assert_snapshot!(mistakes("items: [a, {{ x }}]\nflag: {{ x }}\n"));
    insta::assert_snapshot!(mistakes("items:\n  - {{ x }}/tail\n"));
    insta::assert_snapshot!(mistakes("args: { path: {{ x }} }\n"));
}

#[test]
fn colon_within_text() {
    insta::assert_snapshot!(mistakes("items:\n  - Deploy this: now\n"));
    insta::assert_snapshot!(mistakes("items:\n  - a\nflag: note: this\n"));
}

#[test]
fn words_and_numbers() {
    insta::assert_snapshot!(mistakes(
        "items: [no, 1:30, 2026-01-05, 12, true]\nflag: no\ncount: 012\nwait: 12\nargs: [no, 012, 1e3, 1:30, 2026-01-05, 0x1F, 1_000, True]\n"
    ));
}

#[test]
fn duplicates_unknown_keys_and_unknown_anchors_come_together() {
    insta::assert_snapshot!(mistakes("count: 1\nitmes: [a]\ncount: x\nargs: *nothing\nflag: !x true\n"));
}

#[test]
fn two_documents() {
    insta::assert_snapshot!(mistakes("count: 1\n---\ncount: 2\n"));
}

#[test]
fn bytes_that_are_not_text() {
    let error = super::source_from_bytes("a.yaml", b"a: 1\nb: \xff\n".to_vec()).unwrap_err();
    assert_eq!((error.span.line, error.message.as_str()), (2, "not UTF-8 text (byte 8)"));
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "[ -~\n\t&*:#{}\\[\\]'\"|>!%@`é-]{0,120}") {
        mistakes(&text);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(source) = super::source_from_bytes("a.yaml", bytes) {
            mistakes(&source.text);
        }
    }

    #[test]
    fn spans_stand_within_the_text(text in "[a-c:\n \\-\\[\\]{},'\"é]{0,60}") {
        fn check(node: &Node, text: &str) {
            assert!(node.span.start <= node.span.end && text.get(node.span.start..node.span.end).is_some());
            match &node.value {
                Value::Seq(items) => items.iter().for_each(|item| check(item, text)),
                Value::Map(map) => map.iter().for_each(|entry| check(&entry.value, text)),
                _ => {}
            }
        }
        let (root, found) = read(&Source::new("a.yaml", text.as_str()));
        if let Some(root) = root {
            check(&root, &text);
        }
        for diagnostic in found {
            assert!(text.get(diagnostic.span.start..diagnostic.span.end).is_some());
        }
    }
}
