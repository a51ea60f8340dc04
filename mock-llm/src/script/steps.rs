//! Rules, steps and branches.

use std::sync::Arc;

use super::args::Args;
use super::fault;
use super::load::Loader;
use super::pattern;
use super::values::{Act, Branch, CallSpec, Rule, Step, Texts};
use crate::decode::{Decoder, MapReader};
use crate::expr::KnownNames;
use crate::preset::Role;
use crate::yaml::{Node, Value, quoted};

/// Levels of steps within branches: a position names at most so many.
pub(crate) const DEPTH_MAX: usize = 4;
/// Steps of one list, branches of one step, calls of one reply: a position gives each a byte.
const COUNT_MAX: usize = 200;

/// Ways to say what a step does.
const ACTS: &[&str] = &["call", "calls", "reply", "retry", "stop"];
const BODIES: &[&str] = &["steps", "call", "calls", "reply", "retry", "stop"];
const STEP_KEYS: &[&str] = &[
    "when",
    "call",
    "calls",
    "reply",
    "retry",
    "stop",
    "say",
    "reasoning",
    "on_error",
    "on_result",
    "fault",
];
const RULE_KEYS: &[&str] = &[
    "name",
    "when",
    "let",
    "steps",
    "call",
    "calls",
    "reply",
    "say",
    "reasoning",
    "on_error",
    "on_result",
    "fault",
    "retry",
    "stop",
];
const BRANCH_KEYS: &[&str] = &[
    "match",
    "regex",
    "tool",
    "when",
    "times",
    "steps",
    "call",
    "calls",
    "reply",
    "retry",
    "stop",
    "say",
    "reasoning",
    "on_error",
    "on_result",
    "fault",
];

/// Where a list of steps stands.
#[derive(Clone, Copy)]
struct Place {
    /// Levels of branches above it.
    depth: usize,
}

impl Rule {
    /// Whether it applies to every request and ends every turn, so that no later rule is reached.
    pub(super) fn always_replies(&self) -> bool {
        fn stops(steps: &[Step]) -> bool {
            steps.iter().any(|step| {
                matches!(step.act, Act::Stop)
                    || step.on_error.iter().chain(&step.on_result).any(|branch| stops(&branch.steps))
            })
        }
        let replies =
            self.steps.iter().any(|step| step.when.is_none() && matches!(step.act, Act::Reply { .. }));
        self.when.is_none() && replies && !stops(&self.steps)
    }
}

impl Loader<'_> {
    pub(super) fn rule(&self, role: Role, index: usize, node: &Node, names: &KnownNames) -> Option<Rule> {
        let map = self.decoder.map(node, "a rule", RULE_KEYS)?;
        let name = map.optional("name", name_of_rule);
        let (lets, names) = self.lets(&map, names);
        let when = map.optional("when", |d, node| d.expression(node, &names));
        let steps = self.body(&map, "a rule", Place { depth: 0 }, &names)?;
        let span = map.entries().next().map_or(node.span, |entry| entry.key_span);
        let label = name.map_or_else(|| format!("{role}#{}", index + 1), str::to_owned);
        Some(Rule { label: label.into(), span, when, lets, steps })
    }

    /// What a rule or branch does: its steps, or the one step that its own keys describe.
    fn body(
        &self,
        map: &MapReader<'_, '_>,
        what: &str,
        place: Place,
        names: &KnownNames,
    ) -> Option<Vec<Step>> {
        if !BODIES.iter().any(|key| map.has(key)) {
            let span = map.entries().next().map_or(map.span(), |entry| entry.key_span);
            self.decoder.error(span, format!("{what} needs `steps` or one of `{}`", ACTS.join("`, `")));
            return None;
        }
        let Some(node) = map.take("steps") else { return Some(vec![self.acting(map, None, place, names)?]) };
        let own = STEP_KEYS
            .iter()
            .filter(|key| **key != "when")
            .find_map(|key| map.key_span(key).map(|span| (key, span)));
        if let Some((key, span)) = own {
            self.decoder.error(span, format!("`{key}` beside `steps`: write it in a step"));
        }
        let steps = self.decoder.list(node, "a list of steps", |_, item| self.step(item, place, names))?;
        if steps.len() > COUNT_MAX {
            self.decoder.error(node.span, format!("more than {COUNT_MAX} steps in one list"));
        }
        if node.as_seq().is_some_and(<[_]>::is_empty) {
            self.decoder.error(node.span, "an empty list of steps");
        }
        Some(steps)
    }

    fn step(&self, node: &Node, place: Place, names: &KnownNames) -> Option<Step> {
        if node.as_text().is_some() {
            let act = self.decoder.choice(node, &[("retry", Word::Retry), ("stop", Word::Stop)])?;
            let act = self.word(act, node.span, place)?;
            return Some(Step { act, when: None, on_error: Vec::new(), on_result: Vec::new(), fault: None });
        }
        let map = self.decoder.map(node, "a step", STEP_KEYS)?;
        let when = map.optional("when", |d, node| d.expression(node, names));
        self.acting(&map, when, place, names)
    }

    fn word(&self, word: Word, span: crate::diagnose::Span, place: Place) -> Option<Act> {
        match word {
            Word::Stop => Some(Act::Stop),
            Word::Retry if place.depth > 0 => Some(Act::Retry),
            Word::Retry => {
                let hint = "it stands in a branch of `on_error` or `on_result` and repeats that step's calls";
                self.decoder.error_with(span, "`retry` outside of a branch", hint);
                None
            }
        }
    }

    /// The step that the keys of a mapping describe.
    fn acting(
        &self,
        map: &MapReader<'_, '_>,
        when: Option<crate::expr::Expression>,
        place: Place,
        names: &KnownNames,
    ) -> Option<Step> {
        let (key, node) = map.one_of(ACTS)?;
        let calls = matches!(key, "call" | "calls");
        for (key, fits) in [
            ("say", calls),
            ("on_error", calls),
            ("on_result", calls),
            ("reasoning", calls || key == "reply"),
        ] {
            if let Some(span) = map.key_span(key).filter(|_| !fits) {
                self.decoder.error(span, format!("`{key}` belongs to a step with calls"));
            }
        }
        let text = |key: &str| map.optional(key, |_, node| self.text_or_file(node, names));
        let (say, reasoning) = (text("say"), text("reasoning"));
        let act = match key {
            "call" => self.call(node, names).map(|call| Act::Calls { say, reasoning, calls: vec![call] }),
            "calls" => self.calls(node, names).map(|calls| Act::Calls { say, reasoning, calls }),
            "reply" => self.texts(node, names).map(|texts| Act::Reply { texts, reasoning }),
            word => {
                let word = if word == "stop" { Word::Stop } else { Word::Retry };
                self.decoder.bool(node).filter(|on| *on).and_then(|_| self.word(word, node.span, place))
            }
        };
        let branches = |key: &str| map.or(key, Vec::new(), |_, node| self.branches(node, place, names));
        let (on_error, on_result) = (branches("on_error"), branches("on_result"));
        if on_error.len() + on_result.len() > COUNT_MAX {
            self.decoder.error(map.span(), format!("more than {COUNT_MAX} branches of one step"));
        }
        let fault = map.optional("fault", fault::decode);
        Some(Step { act: act?, when, on_error, on_result, fault })
    }

    fn calls(&self, node: &Node, names: &KnownNames) -> Option<Vec<CallSpec>> {
        let calls = self.decoder.list(node, "a list of calls", |_, item| self.call(item, names))?;
        if calls.is_empty() || calls.len() > COUNT_MAX {
            self.decoder.error(node.span, format!("wanted 1 to {COUNT_MAX} calls"));
            return None;
        }
        Some(calls)
    }

    /// One call: `{ tool: { argument: value } }`, or the tool's name alone.
    fn call(&self, node: &Node, names: &KnownNames) -> Option<CallSpec> {
        let no_arguments = || Args::Constant(Arc::new(serde_json::json!({})));
        match &node.value {
            Value::Text(tool) => Some(CallSpec { tool: Arc::from(&**tool), args: no_arguments() }),
            Value::Map(map) => {
                let mut entries = map.iter();
                let (Some(entry), None) = (entries.next(), entries.next()) else {
                    let hint =
                        "one call names one tool: `{ terminal: { command: ls } }`; for several write `calls`";
                    self.decoder.error_with(node.span, "wanted one tool with its arguments", hint);
                    return None;
                };
                let args = match &entry.value.value {
                    Value::Null => Some(no_arguments()),
                    Value::Map(_) => self.args(&entry.value, names),
                    _ => {
                        let written = entry.value.written();
                        let hint =
                            format!("name the argument: `{}: {{ command: {} }}`", entry.key, quoted(written));
                        self.decoder.wrong_with(&entry.value, "the arguments by name", Some(hint))
                    }
                };
                Some(CallSpec { tool: Arc::from(&*entry.key), args: args? })
            }
            _ => self.decoder.wrong(node, "one tool with its arguments"),
        }
    }

    fn texts(&self, node: &Node, names: &KnownNames) -> Option<Texts> {
        if node.as_seq().is_none() {
            return self.text_or_file(node, names).map(Texts::One);
        }
        let texts = self.decoder.list(node, "a list of texts", |_, item| self.text_or_file(item, names))?;
        Some(Texts::Sequence(texts))
    }

    fn branches(&self, node: &Node, place: Place, names: &KnownNames) -> Option<Vec<Branch>> {
        let inner = Place { depth: place.depth + 1 };
        if inner.depth >= DEPTH_MAX {
            self.decoder.error(node.span, format!("branches nested deeper than {} levels", DEPTH_MAX - 1));
            return None;
        }
        self.decoder.list(node, "a list of branches", |_, item| self.branch(item, inner, names))
    }

    fn branch(&self, node: &Node, place: Place, names: &KnownNames) -> Option<Branch> {
        let map = self.decoder.map(node, "a branch", BRANCH_KEYS)?;
        let pattern = match (map.has("match"), map.has("regex")) {
            (true, true) => map.one_of(&["match", "regex"]).and(None),
            (true, false) => Some(map.optional("match", pattern::literal)?),
            (false, true) => Some(map.optional("regex", pattern::regex)?),
            (false, false) => None,
        };
        let times =
            map.or("times", 1, |d, node| d.whole(node, 1..=100).and_then(|times| u32::try_from(times).ok()));
        Some(Branch {
            pattern,
            tool: map.optional("tool", Decoder::word).map(Arc::from),
            when: map.optional("when", |d, node| d.expression(node, names)),
            times,
            steps: self.body(&map, "a branch", place, names)?,
        })
    }
}

/// A rule's name. It travels in a header, so it is plain.
fn name_of_rule<'n>(decoder: &Decoder, node: &'n Node) -> Option<&'n str> {
    let name = decoder.word(node)?;
    let plain = name.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ');
    if !plain {
        decoder.error_with(
            node.span,
            "a rule's name is plain text",
            "ASCII letters, digits, signs and spaces",
        );
    }
    plain.then_some(name)
}

/// A step that is a bare word.
#[derive(Clone, Copy)]
enum Word {
    Retry,
    Stop,
}
