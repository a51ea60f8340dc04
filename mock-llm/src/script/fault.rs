//! What may go wrong with an answer, on purpose (`spec/wire.md`, the table of answers).

use std::sync::Arc;
use std::time::Duration;

use crate::decode::{Decoder, MapReader};
use crate::yaml::{Node, Value};

/// A fault and at which attempts of the same request it happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultPlan {
    /// At which attempts.
    pub attempts: Attempts,
    /// Time before the first byte, beyond what the answer takes anyway.
    pub delay: Option<Duration>,
    /// What goes wrong.
    pub kind: Option<FaultKind>,
}

/// Attempts of the same request, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attempts {
    /// Every one.
    Always,
    /// So many from the first.
    First(u32),
    /// These.
    These(Vec<u32>),
}

impl Attempts {
    /// Whether the attempt is among them.
    pub fn has(&self, attempt: u32) -> bool {
        match self {
            Self::Always => true,
            Self::First(count) => attempt <= *count,
            Self::These(list) => list.contains(&attempt),
        }
    }
}

/// What goes wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The answer never comes.
    Stall,
    /// An HTTP error instead of an answer.
    Status {
        /// The status code, from 400 on.
        code: u16,
        /// What the header `Retry-After` says.
        retry_after: Option<Duration>,
        /// The error's words.
        message: Option<Arc<str>>,
    },
    /// The connection breaks after so many characters.
    Break(usize),
    /// An event that is not JSON after so many characters, then the connection breaks.
    Malformed(usize),
    /// The text is cut at so many characters, as by the output limit; the rest follows when the client asks for it.
    Length(usize),
    /// No text and no calls.
    Empty,
    /// Arguments that are not JSON.
    BadArguments,
    /// Arguments that end in the middle.
    TruncatedArguments,
    /// No reason of the end.
    NoFinish,
    /// The text comes as reasoning, and nothing else does.
    ThinkingOnly,
}

/// The keys of a fault.
pub(super) const KEYS: &[&str] = &[
    "attempts",
    "delay",
    "stall",
    "status",
    "retry_after",
    "message",
    "break_after",
    "malformed_after",
    "length",
    "empty",
    "bad_arguments",
    "truncated_arguments",
    "no_finish",
    "thinking_only",
];

const KINDS: &[&str] = &[
    "stall",
    "status",
    "break_after",
    "malformed_after",
    "length",
    "empty",
    "bad_arguments",
    "truncated_arguments",
    "no_finish",
    "thinking_only",
];

const FLAGS: [(&str, FaultKind); 6] = [
    ("stall", FaultKind::Stall),
    ("empty", FaultKind::Empty),
    ("bad_arguments", FaultKind::BadArguments),
    ("truncated_arguments", FaultKind::TruncatedArguments),
    ("no_finish", FaultKind::NoFinish),
    ("thinking_only", FaultKind::ThinkingOnly),
];

/// A fault: one word, or a mapping.
pub(super) fn decode(decoder: &Decoder, node: &Node) -> Option<FaultPlan> {
    if node.as_text().is_some() {
        let kind = decoder.choice(node, &FLAGS)?;
        return Some(FaultPlan { attempts: Attempts::First(1), delay: None, kind: Some(kind) });
    }
    of_map(&decoder.map(node, "a fault", KEYS)?)
}

/// The fault that these keys of a mapping describe.
pub(super) fn of_map(map: &MapReader<'_, '_>) -> Option<FaultPlan> {
    let delay = map.optional("delay", Decoder::duration);
    let some = KINDS.iter().any(|key| map.has(key));
    let kind = if some { Some(kind(map)?) } else { None };
    if !some && !map.has("delay") {
        let span = map.entries().next().map_or(map.span(), |entry| entry.key_span);
        map.decoder().error(span, format!("a fault needs `delay` or one of `{}`", KINDS.join("`, `")));
        return None;
    }
    for key in ["retry_after", "message"] {
        if let Some(span) = map.key_span(key).filter(|_| !map.has("status")) {
            map.decoder().error(span, format!("`{key}` belongs to `status`"));
        }
    }
    Some(FaultPlan { attempts: map.or("attempts", Attempts::First(1), attempts), delay, kind })
}

fn kind(map: &MapReader<'_, '_>) -> Option<FaultKind> {
    let (key, node) = map.one_of(KINDS)?;
    let decoder = map.decoder();
    let chars = |node: &Node| decoder.count(node).map(|count| count as usize);
    match key {
        "status" => {
            let code = decoder.whole(node, 400..=599)?;
            Some(FaultKind::Status {
                code: u16::try_from(code).ok()?,
                retry_after: map.optional("retry_after", Decoder::duration),
                message: map.optional("message", Decoder::text).map(Arc::from),
            })
        }
        "break_after" => chars(node).map(FaultKind::Break),
        "malformed_after" => chars(node).map(FaultKind::Malformed),
        "length" => decoder
            .whole(node, 1..=i64::from(u32::MAX))
            .and_then(|n| usize::try_from(n).ok())
            .map(FaultKind::Length),
        flag => {
            if decoder.bool(node)? {
                FLAGS.into_iter().find(|(name, _)| *name == flag).map(|(_, kind)| kind)
            } else {
                decoder.error_with(node.span, format!("`{flag}` is on or absent"), "remove the key");
                None
            }
        }
    }
}

fn attempts(decoder: &Decoder, node: &Node) -> Option<Attempts> {
    let number = |decoder: &Decoder, node: &Node| {
        decoder.whole(node, 1..=i64::from(u32::MAX)).and_then(|number| u32::try_from(number).ok())
    };
    match &node.value {
        Value::Text(_) => decoder.choice(node, &[("always", Attempts::Always)]),
        Value::Seq(_) => decoder.list(node, "a list of attempts", number).map(Attempts::These),
        _ => number(decoder, node).map(Attempts::First),
    }
}
