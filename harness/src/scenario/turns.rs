//! What a user says in a session, and how: the turns of a timeline's session.

use std::sync::Arc;

use agent_core::stores::{Bytes, TreePath};
use agent_core::values::SimDuration;
use mock_llm::decode::{Decoder, MapReader};
use mock_llm::expr::KnownNames;
use mock_llm::yaml::{Entry, Node};

use super::load::Files;
use super::model::{Begins, IfBusy, Interrupt, Moment, Turn};
use super::times::{Clock, span};

/// The keys of a turn, of an interrupt, of a file that is written out.
pub(super) const TURN: &[&str] = &["user", "files", "at", "after", "times", "interrupt", "if_busy", "when"];
pub(super) const INTERRUPT: &[&str] = &["after", "on", "when"];
pub(super) const CONTENT: &[&str] = &["text"];

/// A user says the same thing at most so often in a row.
const TIMES_MAX: i64 = 100_000;

/// What the condition of a turn sees: the session's last answer (empty before the first) and the day.
const WHEN_NAMES: [&str; 2] = ["answer", "day"];

/// A user who has read an answer speaks again after this time, where the scenario does not say otherwise.
pub(super) const THINK_TIME: SimDuration = SimDuration::from_secs(60);

/// All turns of a session; a single one may stand without a list.
pub(super) fn turns(d: &Decoder, node: &Node, clock: Clock, files: &mut Files<'_>) -> Option<Vec<Turn>> {
    let mut first = true;
    let turns = d.one_or_many(node, |d, node| {
        let after = if std::mem::take(&mut first) { SimDuration::ZERO } else { THINK_TIME };
        turn(d, node, clock, after, files)
    })?;
    let turns = turns.into_iter().flat_map(|(turn, times)| repeated(turn, times)).collect::<Vec<_>>();
    if turns.is_empty() && node.as_seq().is_some_and(<[Node]>::is_empty) {
        d.error(node.span, "a session needs at least one turn");
    }
    Some(turns)
}

/// The same turn so often in a row. Where it has no span of its own, those after the first come after the time to think.
fn repeated(turn: Turn, times: usize) -> impl Iterator<Item = Turn> {
    let again = match turn.begins {
        Begins::After(SimDuration::ZERO) => Begins::After(THINK_TIME),
        begins => begins,
    };
    let rest = std::iter::repeat_n(Turn { begins: again, ..turn.clone() }, times.saturating_sub(1));
    std::iter::once(turn).chain(rest)
}

/// A text, or a mapping with more to say; and how often it is said.
fn turn(
    d: &Decoder,
    node: &Node,
    clock: Clock,
    after: SimDuration,
    files: &mut Files<'_>,
) -> Option<(Turn, usize)> {
    let plain = |text: &str| Turn {
        text: text.into(),
        files: Vec::new(),
        begins: Begins::After(after),
        interrupt: None,
        if_busy: IfBusy::default(),
        task: None,
        when: None,
    };
    if let Some(text) = node.as_text() {
        return Some((plain(text), 1));
    }
    let map = d.map(node, "a turn", TURN)?;
    let text = map.required("user", Decoder::word);
    let dropped = map.or("files", Vec::new(), |d, node| contents(d, node, files));
    let if_busy = map.or("if_busy", IfBusy::default(), |d, node| {
        d.choice(
            node,
            &[("interrupt", IfBusy::Interrupt), ("queue", IfBusy::Queue), ("steer", IfBusy::Steer)],
        )
    });
    let times = map.or("times", 1, |d, node| usize::try_from(d.whole(node, 1..=TIMES_MAX)?).ok());
    if let Some(key) = map.key_span("times").filter(|_| map.has("at")) {
        d.error_with(key, "a turn at one instant is said once", "give the span between them with `after`");
    }
    let interrupt = map.optional("interrupt", interrupt);
    let begins = begins(&map, clock).unwrap_or(Begins::After(after));
    let has_when = map.has("when");
    let when = map.optional("when", |d, node| d.expression(node, &KnownNames::new(WHEN_NAMES)));
    if has_when && when.is_none() {
        return None;
    }
    let text = with_files(text?, &dropped);
    Some((Turn { text, files: dropped, begins, interrupt, if_busy, when, task: None }, times))
}

fn begins(map: &MapReader<'_, '_>, clock: Clock) -> Option<Begins> {
    if !map.has("at") && !map.has("after") {
        return None;
    }
    let (key, node) = map.one_of(&["at", "after"])?;
    match key {
        "at" => clock.at(map.decoder(), node).map(Begins::At),
        _ => span(map.decoder(), node).map(Begins::After),
    }
}

/// `{ after: 12s }`, `{ on: tool_call 3, when: started }`.
fn interrupt(d: &Decoder, node: &Node) -> Option<Interrupt> {
    let map = d.map(node, "an interrupt", INTERRUPT)?;
    let when = map.or("when", Moment::Started, |d, node| {
        d.choice(node, &[("started", Moment::Started), ("done", Moment::Done)])
    });
    match map.one_of(&["after", "on"])? {
        ("after", node) => {
            if let Some(key) = map.key_span("when") {
                d.error(key, "`when` belongs to `on`, not to `after`");
            }
            span(d, node).map(Interrupt::After)
        }
        (_, node) => {
            let parsed = d.text(node)?.split_once(' ').and_then(|(kind, number)| {
                let number = number.trim().parse().ok().filter(|number| *number > 0)?;
                match kind {
                    "model_call" => Some(Interrupt::ModelCall { number, when }),
                    "tool_call" => Some(Interrupt::ToolCall { number, when }),
                    _ => None,
                }
            });
            if parsed.is_none() {
                d.error(node.span, "wanted `tool_call N` or `model_call N`, N counted from 1");
            }
            parsed
        }
    }
}

/// Files by their path in a tree: a file to copy, or `{ text: … }`.
pub(super) fn contents(d: &Decoder, node: &Node, files: &mut Files<'_>) -> Option<Vec<(TreePath, Bytes)>> {
    Some(d.entries(node, "files")?.filter_map(|found| entry(d, found, files)).collect())
}

/// One file with its path in a tree.
fn entry(d: &Decoder, entry: &Entry, files: &mut Files<'_>) -> Option<(TreePath, Bytes)> {
    let path = path(d, entry);
    let bytes = content(d, &entry.value, files);
    Some((path?, bytes?))
}

/// A path in a tree, written as a key.
pub(super) fn path(d: &Decoder, entry: &Entry) -> Option<TreePath> {
    let path = TreePath::parse(&entry.key).filter(|path| *path != TreePath::root());
    if path.is_none() {
        let message = format!("`{}` is not a relative path", entry.key);
        d.error_with(entry.key_span, message, "write it without a leading `/`, `.` or `..`");
    }
    path
}

/// A path of a file to copy, or `{ text: … }`.
pub(super) fn content(d: &Decoder, node: &Node, files: &mut Files<'_>) -> Option<Bytes> {
    if node.as_map().is_some() {
        let map = d.map(node, "a file", CONTENT)?;
        return map.required("text", Decoder::text).map(|text| Arc::from(text.as_bytes()));
    }
    let path = d.word(node)?;
    files.bytes(d, node, path)
}

/// The user's words and the names of the files that came with them.
fn with_files(text: &str, files: &[(TreePath, Bytes)]) -> Arc<str> {
    if files.is_empty() {
        return text.into();
    }
    let names: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    format!("{text}\n\n[Files in the working directory: {}]", names.join(", ")).into()
}
