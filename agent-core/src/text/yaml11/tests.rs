//! Reading as `PyYAML` reads. The expected values were taken from running it.

use serde_json::{Value, json};

use super::*;

fn read(text: &str) -> Value {
    parse(text).map_or_else(|error| json!({"error": error.to_string()}), |value| value.to_json())
}

#[test]
fn plain_scalars_resolve_by_the_rules_of_1_1() {
    for (text, value) in [
        ("yes", json!(true)),
        ("No", json!(false)),
        ("oN", json!("oN")),
        ("017", json!(15)),
        ("08", json!("08")),
        ("0x1F", json!(31)),
        ("0b101", json!(5)),
        ("1_000", json!(1000)),
        ("1:30", json!(90)),
        ("-1:30.5", json!(-90.5)),
        ("1e3", json!("1e3")),
        ("1.0e+3", json!(1000.0)),
        ("1.", json!(1.0)),
        (".5", json!(0.5)),
        ("-.5", json!("-.5")),
        (".inf", json!("inf")),
        ("~", json!(null)),
        ("2026-05-01", json!("2026-05-01")),
        ("2026-5-1", json!("2026-5-1")),
        ("2026-5-1 1:02:03.5 +2", json!("2026-05-01 01:02:03.500000+02:00")),
        (
            "12345678901234567890123456789012345678901234567890",
            json!("12345678901234567890123456789012345678901234567890"),
        ),
    ] {
        assert_eq!(read(text), value, "{text}");
    }
}

#[test]
fn an_impossible_scalar_is_no_syntax_error() {
    for text in ["2026-13-45", "!!int x", "0b_", "\"\\ud800\""] {
        assert_eq!(parse(text).unwrap_err().class, YamlErrorClass::Value, "{text}");
    }
    assert_eq!(parse("a: b: c").unwrap_err().class, YamlErrorClass::Syntax);
}

#[test]
fn errors_say_where() {
    for (text, place) in [
        ("a: b\nname: a: b\n", (2, 8)),
        ("a: 1\n\tb: 2\n", (2, 1)),
        ("a: [1, 2\n", (2, 1)),
        ("a: *x\n", (1, 4)),
        ("a: 'x\n", (1, 4)),
        ("a: 1\nb\n", (2, 1)),
        ("a: x\u{7}\n", (1, 5)),
        ("- 1\n-2\n", (2, 1)),
    ] {
        let error = parse(text).unwrap_err();
        assert_eq!((error.line, error.column), place, "{text:?}: {error}");
    }
}

#[test]
fn merges_and_duplicates_keep_the_last_of_a_key() {
    assert_eq!(read("<<: [{a: 1, b: 1}, {a: 2, c: 2}]\nb: 3\nb: 4\n"), json!({"a": 1, "b": 4, "c": 2}));
    assert_eq!(parse("1: a\ntrue: b\n1.0: c\n").unwrap().as_map().unwrap().len(), 1);
}

#[test]
fn hostile_documents_are_refused() {
    let deep = "[".repeat(100_000);
    assert!(parse(&deep).unwrap_err().message.contains("levels"));
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..9 {
        let refs = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb = format!("{bomb}a{level}: &a{level} [{refs}]\n");
    }
    assert!(parse(&bomb).unwrap_err().message.contains("values"));
    assert!(parse("a: &a\n  <<: *a\n").is_err());
    let level = |number: usize| {
        let nested = format!("{}*a{}{}", "[".repeat(150), number - 1, "]".repeat(150));
        format!("a{number}: &a{number} {nested}\n")
    };
    let chain = format!("a0: &a0 x\n{}", (1..400).map(level).collect::<Vec<_>>().concat());
    assert!(parse(&chain).unwrap_err().message.contains("levels"));
}

#[test]
fn values_print_as_python_prints_them() {
    let value = parse("[null, yes, 1.5, 'it''s', \"a\\tb\\u200b\", {a: [2026-05-01]}]").unwrap();
    insta::assert_snapshot!(value.printed(), @r#"[None, True, 1.5, "it's", 'a\tb\u200b', {'a': [datetime.date(2026, 5, 1)]}]"#);
    assert_eq!(parse("2026-05-01T10:00:00Z").unwrap().printed(), "2026-05-01 10:00:00+00:00");
}
