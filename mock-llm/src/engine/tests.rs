//! The engine in conversation: each test is a script and what a client and its tools make of it.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Answer, Context, Delivery, Engine, Miss, MissKind};
use crate::diagnose::{Look, Source, render};
use crate::preset::Role;
use crate::script::Script;
use crate::wire::{Call, ChatRequest, Finish, Message, Tools};

pub(super) fn script(text: &str) -> Arc<Script> {
    let read = |path: &str| match path {
        "skills/flask.md" => Ok(b"# Flask\n{{ not a template }}\n".to_vec()),
        "note.txt" => Ok(b"for {{ user }}".to_vec()),
        _ => Err("no such file".to_owned()),
    };
    let loading = Script::load(&Source::new("s.yaml", text), &read);
    let shown = render(&loading.diagnostics, &loading.sources, Look::default());
    Arc::new(loading.script.unwrap_or_else(|| panic!("{shown}")))
}

/// A conversation with an engine.
struct Talk {
    engine: Engine,
    messages: Vec<Arc<Message>>,
    key: &'static str,
}

impl Talk {
    fn new(text: &str) -> Self {
        Self { engine: Engine::new(script(text), 7), messages: Vec::new(), key: "anna/s#1" }
    }

    fn says(mut self, message: Message) -> Self {
        self.messages.push(Arc::new(message));
        self
    }

    fn user(self, text: &str) -> Self {
        self.says(Message::user(text))
    }

    fn request(&self) -> Arc<ChatRequest> {
        let tools = Tools::new([("terminal", "", &Value::Null)]);
        Arc::new(ChatRequest::new("m", self.messages.clone(), Arc::new(tools)))
    }

    fn try_ask(&self) -> Result<Answer, Miss> {
        self.engine.answer(&self.request(), &Context { key: Some(self.key), now_ms: Some(1_767_571_200_000) })
    }

    fn ask(&self) -> Answer {
        self.try_ask().unwrap_or_else(|miss| panic!("{miss}"))
    }

    /// Asks and keeps the answer in the conversation.
    fn take(&mut self) -> Answer {
        let answer = self.ask();
        let calls: Vec<Call> = answer
            .reply
            .calls
            .iter()
            .map(|call| Call::new(call.id.clone(), call.name.clone(), &call.arguments))
            .collect();
        self.messages.push(Arc::new(Message::assistant(answer.reply.text.clone(), calls)));
        answer
    }

    /// Gives results to the last calls in order.
    fn results(&mut self, texts: &[&str]) {
        let calls = self.messages.last().unwrap().calls.clone();
        for (call, text) in calls.iter().zip(texts) {
            self.messages.push(Arc::new(Message::tool(call.id.clone(), *text)));
        }
    }

    /// Asks, keeps the answer and gives its calls these results; the answer in a few words.
    fn step(&mut self, results: &[&str]) -> String {
        let answer = self.take();
        self.results(results);
        brief(&answer)
    }
}

/// `rule 2~1: terminal {"command":"ls"}` or `rule 3: "text"`.
fn brief(answer: &Answer) -> String {
    let calls: Vec<String> =
        answer.reply.calls.iter().map(|call| format!("{} {}", call.name, call.arguments)).collect();
    let said =
        if answer.reply.text.is_empty() { String::new() } else { format!("{:?}", &*answer.reply.text) };
    let parts: Vec<String> = Some(said).into_iter().filter(|said| !said.is_empty()).chain(calls).collect();
    format!("{} {}: {}", answer.rule, answer.step, parts.join(", "))
}

/// A call's result, as shells give it.
fn shell(output: &str, code: i64) -> String {
    json!({"output": output, "exit_code": code}).to_string()
}

const DEPLOY: &str = r#"
lessons: { push-first: "push the image" }
main:
  - when: "'deploy' in user|lower"
    let: { image: "registry.example/myapp", entry: "{{ capture('(\\S+\\.py)', user) }}" }
    steps:
      - { call: { skill_view: { name: flask } }, when: "'flask' in skills" }
      - { call: { terminal: { command: kubectl version } }, when: "not viewed('flask')" }
      - call: { read_file: { path: "{{ entry }}" } }
      - { call: { terminal: { command: "docker push {{ image }}" } }, when: knows('push-first') }
      - call: { terminal: { command: kubectl apply } }
        on_error:
          - { match: ImagePullBackOff, steps: [ { call: { terminal: { command: "docker push {{ image }}" } } }, retry ] }
      - reply: The app is running.
review:
  - when: "'skills' in asks and seen('ImagePullBackOff') and 'flask' not in skills"
    call: { skill_manage: { action: create, name: flask, content: { $file: skills/flask.md } } }
  - reply: Nothing to save.
"#;

const INDEX: &str = "You help.\n\n<available_skills>\n  devops:\n    - flask: Deploys\n</available_skills>";

#[test]
fn a_deployment_stumbles_repairs_and_ends() {
    let mut talk = Talk::new(DEPLOY).says(Message::system("You help.")).user("Deploy app.py, please.");
    let good = shell("ok", 0);
    let bad = shell("ImagePullBackOff", 1);
    let steps = [&good, "text", &bad, &good, &good].map(|result| talk.step(&[result]));
    insta::assert_snapshot!(format!("{}\n{}", steps.join("\n"), brief(&talk.take())));
    let review = talk.user("[Background review: skills]\nLook.");
    let mut review = review;
    insta::assert_snapshot!(format!("{}\n{}", review.step(&["{\"success\": true}"]), brief(&review.take())));
    assert!(review.engine.fired().iter().all(|fired| fired.answers > 0), "{:?}", review.engine.fired());
}

#[test]
fn what_was_learned_spares_the_error() {
    let mut talk = Talk::new(DEPLOY).says(Message::system(INDEX)).user("Deploy main.py");
    let steps =
        ["push the image first", "text", &shell("ok", 0), &shell("ok", 0)].map(|result| talk.step(&[result]));
    insta::assert_snapshot!(format!("{}\n{}", steps.join("\n"), brief(&talk.take())));
}

#[test]
fn earlier_conditions_are_not_read_again() {
    let text = "main:\n  - when: iteration == 1\n    steps: [{ call: a }, { call: b }, { reply: done }]\n";
    let mut talk = Talk::new(text).user("go");
    assert_eq!(
        [talk.step(&["1"]), talk.step(&["2"]), talk.step(&[])],
        ["main#1 1: a {}", "main#1 2: b {}", "main#1 3: \"done\""]
    );
}

#[test]
fn identical_calls_are_told_apart_and_rewritten_arguments_do_not_matter() {
    let text = "main:\n  - steps: [{ call: { t: { b: 1, a: 2 } } }, { call: { t: { b: 1, a: 2 } } }, { reply: done }]\n";
    let mut talk = Talk::new(text).user("go");
    talk.step(&["x"]);
    let second = talk.take();
    assert_eq!(&*second.reply.calls[0].arguments, r#"{"a":2,"b":1}"#);
    let id = second.reply.calls[0].id.clone();
    *talk.messages.last_mut().unwrap() = Arc::new(Message::assistant("", [Call::new(id, "t", "{\"b\": 9}")]));
    talk.results(&["x"]);
    assert_eq!(talk.step(&[]), "main#1 3: \"done\"");
}

#[test]
fn compression_that_keeps_the_last_group_loses_nothing() {
    let mut talk = Talk::new(DEPLOY).says(Message::system("You help.")).user("Deploy app.py");
    talk.step(&[&shell("ok", 0)]);
    talk.step(&["text"]);
    talk.step(&[&shell("ImagePullBackOff", 1)]);
    talk.step(&[&shell("pushed", 0)]);
    let tail = talk.messages.split_off(talk.messages.len() - 2);
    talk.messages.truncate(2);
    talk.messages.push(Arc::new(Message::user("[CONTEXT COMPACTION]\nThe version was looked up.")));
    talk.messages.extend(tail);
    assert_eq!(talk.step(&[&shell("ok", 0)]), "main#1 5~1: terminal {\"command\":\"kubectl apply\"}");
    assert_eq!(talk.step(&[]), "main#1 6: \"The app is running.\"");
}

#[test]
fn failed_calls_of_a_reply_alone_are_repeated() {
    let text = r#"
main:
  - steps:
      - calls: [{ terminal: { n: 1 } }, { terminal: { n: 2 } }, { terminal: { n: 3 } }]
        say: Three at once.
        on_error: [{ regex: "try (again|later)", times: 2, steps: [ { call: wait }, retry ] }]
      - reply: "{{ called('terminal') }} calls, {{ called('terminal', n=2) }} of them with 2"
"#;
    let mut talk = Talk::new(text).user("go");
    let (good, bad) = (shell("ok", 0), shell("try later", 1));
    let steps = [
        talk.step(&[&good, &bad, &bad]),
        talk.step(&["waited"]),
        talk.step(&[&bad, &good]),
        talk.step(&["waited"]),
        talk.step(&[&bad]),
        talk.step(&[]),
    ];
    insta::assert_snapshot!(steps.join("\n"));
}

#[test]
fn a_missing_result_counts_as_failed() {
    let text = "main:\n  - steps:\n      - calls: [a, b]\n        on_error: [{ reply: \"lost {{ last.tool }}\" }]\n      - reply: fine\n";
    let mut talk = Talk::new(text).user("go");
    talk.step(&["one"]);
    assert_eq!(talk.step(&[]), "main#1 1/e1/1: \"lost a\"");
}

#[test]
fn good_results_have_branches_of_their_own() {
    let text = r"
main:
  - steps:
      - call: { terminal: { command: get pods } }
        on_error: [{ match: refused, steps: [stop] }]
        on_result:
          - { match: Pending, times: 2, steps: [retry] }
          - { match: Pending, steps: [ { reply: still pending } ] }
      - reply: running
  - reply: no cluster
";
    let pending = shell("Pending", 0);
    let mut talk = Talk::new(text).user("go");
    let steps = [talk.step(&[&pending]), talk.step(&[&pending]), talk.step(&[&pending]), talk.step(&[])];
    insta::assert_snapshot!(steps.join("\n"));
    let mut talk = Talk::new(text).user("go");
    talk.step(&[&shell("refused", 1)]);
    assert_eq!(talk.step(&[]), "main#2 1: \"no cluster\"");
}

#[test]
fn branches_nest() {
    let text = r"
main:
  - steps:
      - call: a
        on_error:
          - steps:
              - call: b
                on_error: [{ steps: [ { call: c }, retry ] }]
              - retry
      - reply: done
";
    let mut talk = Talk::new(text).user("go");
    let steps: Vec<String> =
        ["Error a", "Error b", "ok", "ok", "ok", ""].into_iter().map(|result| talk.step(&[result])).collect();
    insta::assert_snapshot!(steps.join("\n"));
}

#[test]
fn steps_without_a_reply_fall_through_and_a_rule_fires_once() {
    let text = "main:\n  - { name: look, call: a }\n  - { name: never, when: \"user == 'x'\", call: b }\n  - { name: end, reply: done }\n";
    let mut talk = Talk::new(text).user("go");
    assert_eq!([talk.step(&["1"]), talk.step(&[])], ["look 1: a {}", "end 1: \"done\""]);
    let unused: Vec<String> = talk
        .engine
        .fired()
        .iter()
        .filter(|fired| fired.answers == 0)
        .map(|fired| format!("{}:{}", fired.rule, fired.line))
        .collect();
    assert_eq!(unused, ["never:3"]);
}

#[test]
fn a_reply_that_is_continued_goes_on_or_stays() {
    let text = "main:\n  - steps: [{ reply: one }, { call: a, when: \"'never' in user\" }, { reply: two }]\n";
    let mut talk = Talk::new(text).user("go");
    let nudge = || Message::user("[System: go on] please");
    let mut said = Vec::new();
    for _ in 0..3 {
        said.push(talk.step(&[]));
        talk = talk.says(nudge());
    }
    assert_eq!(said, ["main#1 1: \"one\"", "main#1 3: \"two\"", "main#1 3: \"two\""]);
}

#[test]
fn a_text_cut_by_the_limit_goes_on_where_it_was_cut() {
    let text = "main:\n  - { reply: \"äbcdefghij\", fault: { length: 4, attempts: 2 } }\n";
    let mut talk = Talk::new(text).user("go");
    let mut said = Vec::new();
    for _ in 0..4 {
        let answer = talk.take();
        said.push((answer.reply.text.to_string(), answer.reply.finish.unwrap()));
        talk = talk.says(Message::user("[System: reply cut off] go on"));
    }
    let wanted = [
        ("äbcd", Finish::Length),
        ("efgh", Finish::Length),
        ("ij", Finish::Stop),
        ("äbcdefghij", Finish::Stop),
    ];
    assert_eq!(said, wanted.map(|(text, finish)| (text.to_owned(), finish)));
}

#[test]
fn an_empty_answer_is_given_once_more_in_full() {
    let text = "main:\n  - steps: [{ call: a, fault: empty }, { reply: done, fault: empty }]\n";
    let mut talk = Talk::new(text).user("go");
    assert_eq!(brief(&talk.ask()), "main#1 1: ");
    assert_eq!(talk.step(&["x"]), "main#1 1: a {}", "asked again in the same words");
    assert_eq!(brief(&talk.ask()), "main#1 2: ");
    talk = talk.says(Message::assistant("(no words)", [])).says(Message::user("[System: empty reply] go on"));
    assert_eq!(brief(&talk.ask()), "main#1 2: \"done\"");
}

#[test]
fn sequences_run_by_attempts_and_end() {
    let mut talk = Talk::new("main:\n  - reply: [one, two]\n").user("go");
    assert_eq!([talk.ask(), talk.ask()].map(|answer| answer.reply.text.to_string()), ["one", "two"]);
    let miss = talk.try_ask().unwrap_err();
    assert_eq!(
        (miss.kind, miss.message.as_str()),
        (MissKind::Exhausted, "step 1 of `main#1` has 2 texts, and all were given")
    );
    talk.messages.push(Arc::new(Message::user("another")));
    assert_eq!(&*talk.ask().reply.text, "one");
}

#[test]
fn misses_say_what_is_missing() {
    let text = r#"
main:
  - { name: flask, when: "'Deploy' in user and 'Flask' in user and turn == 1", reply: x }
  - { name: django, when: "'Deploy' in user and 'Django' in user and 'flask' in skills", call: a }
  - { name: other, when: "'cook' in user", reply: y }
"#;
    let miss = |talk: &Talk| talk.try_ask().unwrap_err();
    let talk = Talk::new(text).user("Deploy Django");
    insta::assert_snapshot!(miss(&talk));
    assert_eq!(talk.engine.journal().misses().len(), 1);

    let mut talk = Talk::new(text).says(Message::system(INDEX)).user("Deploy Django");
    talk.step(&["x"]);
    insta::assert_snapshot!(miss(&talk));

    let mut foreign = Talk::new("main:\n  - steps: [{ call: b }, { reply: z }]\n").user("go");
    foreign.step(&["x"]);
    let talk = Talk { engine: Engine::new(script(text), 7), ..foreign };
    insta::assert_snapshot!(miss(&talk));

    insta::assert_snapshot!(miss(&Talk::new(text).user("[Session title]\nUser: x")));
    insta::assert_snapshot!(miss(
        &Talk::new("main:\n  - { when: \"last.txt == 1\", reply: x }\n").user("go")
    ));
}

#[test]
fn roles_and_asks() {
    let text = r#"
main: [ { reply: "{{ role }} {{ asks }} {{ user }}" } ]
review: [ { reply: "{{ role }} {{ asks }} {{ user }} {{ turn }}" } ]
curator: [ { reply: "{{ role }} {{ candidates|map(attribute='name')|join(',') }} {{ candidates[0].pinned }}" } ]
delegate: [ { reply: "{{ role }} {{ user }}" } ]
title: [ { reply: "{{ role }}" } ]
"#;
    let said = |messages: Vec<Message>| {
        let mut talk = Talk::new(text);
        talk.messages = messages.into_iter().map(Arc::new).collect();
        talk.ask().reply.text.to_string()
    };
    let session = || vec![Message::system("s"), Message::user("hello"), Message::assistant("hi", [])];
    let mut review = session();
    review.push(Message::user("[Background review: memory and skills]\n…"));
    assert_eq!(said(review), "review [\"memory\",\"skills\"] hello 2");
    let list = "[Library curation: consolidate]\n…\n\na  state=active  pinned=no\nb  state=stale  pinned=yes";
    assert_eq!(said(vec![Message::user(list)]), "curator a,b false");
    assert_eq!(said(vec![Message::system("[Delegated task]\n…"), Message::user("goal")]), "delegate goal");
    let mut closing = session();
    closing.push(Message::user("[System: the limit of steps is reached] sum up"));
    assert_eq!(said(closing), "The limit of steps is reached; the work is not done.");
    assert_eq!(said(vec![Message::user("[Session title]\nx")]), "title");
}

#[test]
fn closing_words_stand_in_a_section_of_their_own() {
    let text = r#"
main: [ { steps: [ { call: a }, { call: b }, { reply: done } ] } ]
closing: [ { when: "'cold' in user", reply: "never" }, { reply: "{{ calls|length }} steps were done" } ]
delegate:
  - { when: "'x' in user", reply: "never" }
  - steps: [ { call: a }, { reply: done } ]
"#;
    let asks = || Message::user("[System: the limit of steps is reached] sum up");
    let mut talk = Talk::new(text).user("go");
    talk.step(&["1"]);
    assert_eq!(brief(&talk.says(asks()).ask()), "closing#2 1: \"1 steps were done\"");
    // A child's call comes from a rule that the section does not even have.
    let mut child = Talk::new(text).says(Message::system("[Delegated task]\n…")).user("go");
    child.step(&["1"]);
    assert_eq!(brief(&child.says(asks()).ask()), "closing#2 1: \"1 steps were done\"");
}

#[test]
fn names_and_functions() {
    let text = r#"
lessons: { tea: likes tea, any: { regex: "gr(ee|ea)n" } }
hazards: { pull: ImagePullBackOff }
let: { first: "{{ users[0] }}", both: [ "{{ first }}", 2 ], plain: 3 }
main:
  - reply: >-
      {{ [turn, iteration, attempt, day, now, model, tools, first, both, plain + 1] }}
      {{ [memory.notes, memory.profile, skills.flask.category, skills.flask.description, 'x' in skills] }}
      {{ [last.tool, last.args.name, last.text, last.failed, last.kind, last.json.a, calls|length, results|length] }}
      {{ [seen('Pull'), seen('Pull', since='turn'), met('pull'), knows('tea'), knows('any'), viewed('flask')] }}
      {{ [viewed('flask', file='x.md'), view('flask'), view('other'), chance(0, 'a'), chance(1.0, 'a'), pick([], 'a')] }}
"#;
    let rule = "\u{2550}".repeat(46);
    let system = format!(
        "{INDEX}\n\n{rule}\nMEMORY [x]\n{rule}\nregistry\n\n{rule}\nUSER PROFILE [x]\n{rule}\nlikes tea\n\nToday: Monday, January 05, 2026"
    );
    let view = Call::new("c1", "skill_view", "{\"name\": \"flask\"}");
    let talk = Talk::new(text)
        .says(Message::system(system))
        .user("one")
        .says(Message::assistant("", [view, Call::new("c0", "terminal", "{}")]))
        .says(Message::tool("c1", "{\"text\": \"green\", \"a\": 5} [note]"))
        .says(Message::tool("c0", shell("ImagePullBackOff", 1)))
        .says(Message::assistant("done", []))
        .user("two");
    insta::assert_snapshot!(talk.ask().reply.text.replace("] [", "]\n["));
}

#[test]
fn chance_is_equal_over_a_turn_and_differs_over_keys_and_seeds() {
    let text = "main:\n  - reply: \"{{ chance(0.5, 'a') }} {{ pick(range(1000), 'b') }} {{ iteration }}\"\n";
    let said = |key: &'static str, seed: u64, more: bool| {
        let mut talk = Talk::new(text).user("go");
        talk.engine = Engine::new(script(text), seed);
        talk.key = key;
        if more {
            talk = talk.says(Message::assistant("x", [])).says(Message::user("[System: go on]"));
        }
        let text = talk.ask().reply.text.to_string();
        text.rsplit_once(' ').unwrap().0.to_owned()
    };
    assert_eq!(said("a", 1, false), said("a", 1, true));
    assert_ne!(said("a", 1, false), said("b", 1, false));
    assert_ne!(said("a", 1, false), said("a", 2, false));
}

#[test]
fn files_are_verbatim_unless_they_are_rendered() {
    let text = "main:\n  - call: { t: { a: { $file: skills/flask.md }, b: { $file: note.txt, render: true }, c: { $expr: \"[turn, user]\" } } }\n";
    let answer = Talk::new(text).user("anna").ask();
    let args: Value = serde_json::from_str(&answer.reply.calls[0].arguments).unwrap();
    assert_eq!(args, json!({"a": "# Flask\n{{ not a template }}\n", "b": "for anna", "c": [1, "anna"]}));
}

#[test]
fn faults_change_answers_and_their_delivery() {
    let answer = |fault: &str, act: &str| {
        let talk = Talk::new(&format!("main:\n  - {{ {act}, fault: {fault} }}\n")).user("go");
        let first = talk.ask();
        assert_eq!(talk.ask().delivery, Delivery::Whole, "the second attempt is sound");
        first
    };
    let (reply, call) = ("reply: words", "call: { t: { command: ls } }");
    assert_eq!(answer("stall", reply).delivery, Delivery::Stalled);
    let refused = answer("{ status: 429, retry_after: 20s }", reply).delivery;
    let message = "too many requests".into();
    assert_eq!(refused, Delivery::Refused { code: 429, retry_after: Some(Duration::from_secs(20)), message });
    assert_eq!(answer("{ break_after: 3 }", reply).delivery, Delivery::Broken { after: 3 });
    assert_eq!(answer("{ malformed_after: 0 }", reply).delivery, Delivery::Malformed { after: 0 });
    assert_eq!(answer("{ delay: 30s }", reply).delay, Some(Duration::from_secs(30)));
    assert_eq!(answer("no_finish", reply).reply.finish, None);
    let thinking = answer("thinking_only", reply).reply;
    assert_eq!((&*thinking.text, thinking.reasoning.as_deref()), ("", Some("words")));
    assert_eq!(&*answer("bad_arguments", call).reply.calls[0].arguments, "{not JSON}");
    assert_eq!(&*answer("truncated_arguments", call).reply.calls[0].arguments, "{\"comman");
    let cut = answer("{ length: 5 }", call).reply;
    assert_eq!((&*cut.calls[0].arguments, cut.finish), ("{\"com", Some(Finish::Length)));
    let empty = answer("empty", call).reply;
    assert_eq!((empty.calls.len(), empty.usage.completion), (0, 0));
}

#[test]
fn faults_of_the_file_come_before_rules() {
    let text = r#"
faults:
  - { role: main, when: "'flaky' in user", attempts: [1, 3], status: 500, message: try again }
  - { attempts: always, delay: 2s }
main: [ { reply: ok, fault: stall } ]
"#;
    let talk = Talk::new(text).user("a flaky one");
    let codes: Vec<bool> =
        (0..4).map(|_| matches!(talk.ask().delivery, Delivery::Refused { code: 500, .. })).collect();
    assert_eq!(codes, [true, false, true, false]);
    assert_eq!(Talk::new(text).user("x").ask().delay, Some(Duration::from_secs(2)));
}

#[test]
fn ids_and_times_come_from_the_request() {
    let talk = Talk::new("main: [{ call: t }]\n").user("go");
    let (one, two) = (talk.ask(), talk.ask());
    assert_eq!(one.reply.created, 1_767_571_200);
    assert_eq!(one.reply.calls[0].id, two.reply.calls[0].id);
    assert_eq!(two.reply.id, format!("{}-2", one.reply.id).into());
    assert_eq!(one.role, Role::Main);
    let bare = talk.engine.answer(&talk.request(), &Context::default()).unwrap();
    assert_eq!(bare.reply.created, 1_767_225_600);
}

#[test]
fn an_instruction_left_over_in_the_history_reads_as_the_users_words() {
    let talk = Talk::new("main: [{ reply: \"{{ user }}; {{ users|length }}: {{ users[1] }}\" }]\n")
        .user("one")
        .says(Message::assistant("done", []))
        .says(Message::user("[Background review: memory]\nLook back."))
        .says(Message::assistant("Nothing to save.", []))
        .user("two");
    assert_eq!(&*talk.ask().reply.text, "two; 3: [Background review: memory]\nLook back.");
}

#[test]
fn knowledge_is_told_apart_by_the_way_it_came() {
    let text = r#"
lessons: { tea: "likes tea", push: "push first" }
main:
  - steps:
      - { call: { skill_view: { name: flask } } }
      - { call: { skill_view: { name: flask, file_path: references/a.md } } }
      - reply: |
          {{ [knows('tea', by='memory'), knows('tea', by='words'), knows('push', by='memory'),
              knows('push', by='skill'), knows('push', by='support_file')] }}
          {{ [shown('flask', ['WEB']), shown('flask', ['deploys', 'x']), shown('flask', ['django']), shown('other', ['web'])] }}
"#;
    let rule = "\u{2550}".repeat(46);
    let system = format!(
        "<available_skills>\n  devops:\n    - flask: Ships web...\n</available_skills>\n\n{rule}\nMEMORY (notes)\n{rule}\nlikes tea"
    );
    let mut talk = Talk::new(text).says(Message::system(system)).user("Go.");
    talk.step(&["{\"content\": \"nothing\"}"]);
    talk.step(&["{\"content\": \"push first\"}"]);
    assert_eq!(
        *talk.ask().reply.text,
        *"[true,false,false,false,true]\n[true,false,false,false]\n",
        "a word need not be written alike, but it must be shown"
    );
}
