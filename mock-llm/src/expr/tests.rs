//! The language as its users meet it: values, mistakes when a file is loaded, mistakes when it runs.

use minijinja::context;
use minijinja::value::Value;
use proptest::prelude::*;

use super::{Expression, KnownNames, Template};
use crate::decode::Decoder;
use crate::diagnose::{Look, Source, Sources, render};

fn names() -> KnownNames {
    KnownNames::new(["user", "last", "skills", "count", "nothing", "chance"])
        .with_literals("knows", ["push-first"])
}

fn scene() -> Value {
    context! {
        user => "Deploy app.py to the cluster",
        last => context! { text => "ImagePullBackOff", failed => true },
        skills => context! { flask => context! { description => "deploys" } },
        count => 3,
        nothing => (),
    }
}

fn eval(text: &str) -> String {
    match Expression::compile(text, &names()) {
        Err(error) => format!("load: {} at {:?}", error.message, &text[error.range]),
        Ok(expression) => match expression.eval(&scene()) {
            Ok(value) => serde_json::to_string(&value).unwrap(),
            Err(error) => format!("run: {error}"),
        },
    }
}

fn rendered(text: &str) -> String {
    match Template::compile(text, &names()) {
        Err(error) => format!("load: {} at {:?}", error.message, &text[error.range]),
        Ok(template) => match template.render(&scene()) {
            Ok(text) => text.to_string(),
            Err(error) => format!("run: {error}"),
        },
    }
}

#[test]
fn values() {
    assert_eq!(eval("'cluster' in user and count > 2"), "true");
    assert_eq!(eval("'flask' in skills and 'django' not in skills"), "true");
    assert_eq!(eval(r"capture('(\S+\.py)', user)"), "\"app.py\"");
    assert_eq!(eval("capture('(app)[.](py)', user, 2)"), "\"py\"");
    assert_eq!(eval("capture('(app)[.](py)', user, group=0)"), "\"app.py\"");
    assert_eq!(eval("capture('(zebra)', user)"), "null");
    assert_eq!(eval("capture('(zebra)', nothing) is none"), "true");
    assert_eq!(eval("json('[1, 2] and more')[1]"), "2");
    assert_eq!(eval("json('words') is none"), "true");
    assert_eq!(eval("user|lower|length"), "28");
    assert_eq!(eval("last.missing is defined"), "false");
}

#[test]
fn mistakes_when_loaded() {
    insta::assert_snapshot!(
        [
            "usr == 1",
            "kown('x')",
            "user|lwoer",
            "user is strng",
            "a &&",
            "knows('push')",
            "capture('(', user)",
            " ",
            "a b"
        ]
        .map(eval)
        .join("\n")
    );
}

#[test]
fn mistakes_when_run() {
    insta::assert_snapshot!(
        [
            "last.txt == 1",
            "'x' in last.txt",
            "last.missing",
            "user.lower()",
            "count + 'x'",
            "range(100000)|list|length"
        ]
        .map(eval)
        .join("\n")
    );
}

#[test]
fn work_is_bounded() {
    assert_eq!(
        eval("range(100000)|map('string')|list|length"),
        "run: `range(100000)|map('string')|list|length`: engine ran out of fuel"
    );
    assert!(eval("'x' * 100000000").starts_with("run: "));
}

#[test]
fn a_failed_clause_is_named() {
    let expression =
        Expression::compile("'Deploy' in user and count == 4 and last.failed", &names()).unwrap();
    let failed = expression.first_failed(&scene()).unwrap().unwrap();
    assert_eq!(&**expression.clauses()[failed].text(), "count == 4");
    assert_eq!(
        expression.values(&scene()),
        [("user", "\"Deploy app.py to the cluster\""), ("count", "3"), ("last.failed", "true")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
    );
}

#[test]
fn guards() {
    let guard = |text: &str| {
        let expression = Expression::compile(text, &names()).unwrap();
        expression.clauses()[0]
            .guard()
            .map(|guard| format!("{}{} {}", guard.name, if guard.lower { "*" } else { "" }, guard.literal))
    };
    assert_eq!(guard("'deploy' in user|lower and count"), Some("user* deploy".to_owned()));
    assert_eq!(guard(r#""it's" in last.text"#), Some("last.text it's".to_owned()));
    assert_eq!(guard("'a' in user|upper"), None);
    assert_eq!(guard("'a' not in user"), None);
    assert_eq!(guard("'' in user"), None);
    assert_eq!(guard("'a' in skills['x']"), None);
}

#[test]
fn templates() {
    assert_eq!(rendered("push {{ capture('(app)', user) }}:{{ count + 1 }}!"), "push app:4!");
    assert_eq!(rendered("{{ [1, 'a'] }} {{ {'b': {'c': true}} }}"), "[1,\"a\"] {\"b\":{\"c\":true}}");
    assert_eq!(rendered("{% if x %} ${arr[#]} {# kept #} } }}"), "{% if x %} ${arr[#]} {# kept #} } }}");
    assert_eq!(rendered("{{ '{{' }} x }}"), "{{ x }}");
    assert_eq!(rendered(""), "");
    insta::assert_snapshot!(
        ["{{ nothing }}", "a {{ usr }}", "a {{ user", "{{ }}", "{{ count.x }}"].map(rendered).join("\n")
    );
}

#[test]
fn a_template_of_one_expression_keeps_its_value() {
    let value = |text: &str| Template::compile(text, &names()).unwrap().value(&scene()).unwrap();
    assert_eq!(value("{{ count }}"), Value::from(3));
    assert!(value("{{ nothing }}").is_none());
    assert_eq!(value("{{ count }} "), Value::from("3 "));
}

#[test]
fn mistakes_stand_at_their_place_in_the_file() {
    let source = Source::new("a.yaml", "when: \"'x' in usr\"\nsay: |\n  lines {{ usr }}\nok: true\n");
    let decoder = Decoder::new(&source);
    let root = decoder.read().unwrap();
    let map = decoder.map(&root, "a rule", &["when", "say", "ok"]).unwrap();
    assert!(map.optional("when", |d, node| d.expression(node, &names())).is_none());
    assert!(map.optional("say", |d, node| d.template(node, &names())).is_none());
    assert!(map.optional("ok", |d, node| d.expression(node, &names())).is_some());
    let mut sources = Sources::default();
    sources.add(&source);
    insta::assert_snapshot!(render(
        &decoder.into_diagnostics(),
        &sources,
        Look { width: 80, ..Look::default() }
    ));
}

proptest! {
    #[test]
    fn no_text_makes_the_compiler_panic(text in "[a-z0-9 '\"(){}\\[\\].|=<>!+*/%~,:\\\\é-]{0,60}") {
        eval(&text);
        rendered(&text);
    }

    /// Splitting never changes whether a condition holds.
    #[test]
    fn clauses_agree_with_the_whole(parts in proptest::collection::vec(
        prop_oneof![Just("count == 3"), Just("count == 4"), Just("'Deploy' in user"), Just("not last.failed"),
            Just("(count or nothing)"), Just("'and' in user"), Just("skills"), Just("nothing is none")], 1..6)) {
        let text = parts.join(" and ");
        let expression = Expression::compile(&text, &names()).unwrap();
        prop_assert_eq!(expression.clauses().len(), parts.len());
        prop_assert_eq!(expression.holds(&scene()).unwrap(), expression.eval(&scene()).unwrap().is_true());
    }
}
