//! Compression, as far as it needs no model: what is kept, what is summarised, how it is put together again
//! (`spec/compression.md` §3). Pure functions over a list of messages; when it is due is in `pressure.rs`.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::pressure::{CompressionState, Limits};
use crate::behaviour::CompressionRules;
use crate::text::{cut, cut_last};
use crate::values::{AssistantText, Chars, Message, Synthetic, Tokens, ToolCall};

const SUMMARY_MIN: u64 = 2000;
/// Messages that must lie between head and tail for a summary to be worth it.
const MIDDLE_MIN: usize = 4;
/// Results and arguments above these lengths are shortened outside the tail, in characters.
const RESULT_CHARS: usize = 200;
const ARGUMENT_CHARS: usize = 500;
const KEPT_ARGUMENT_CHARS: usize = 200;
/// Fixed cost of a message when the tail is measured, in tokens.
const MESSAGE_TOKENS: u64 = 10;
/// How a message is cut for the summariser, in characters.
const INPUT_CHARS: usize = 6000;
const INPUT_HEAD_CHARS: usize = 4000;
const INPUT_TAIL_CHARS: usize = 1500;
const INPUT_ARGUMENT_CHARS: usize = 1500;
const INPUT_ARGUMENT_KEPT_CHARS: usize = 1200;
const FALLBACK_CHARS: usize = 8000;

/// What a compression will do.
#[derive(Clone, Debug)]
pub(crate) struct CompressionPlan {
    /// The messages with copies and old results shortened.
    messages: Vec<Arc<Message>>,
    start: usize,
    end: usize,
    /// What the summariser reads.
    pub(crate) input: String,
    /// An earlier summary that the new one continues.
    pub(crate) previous: Option<Arc<str>>,
    /// Tokens that the summary may have.
    pub(crate) budget: Tokens,
    /// Whether the summary takes the place of more than one message as short as itself.
    pub(crate) saves: bool,
}

/// Plans a compression; `None` if there is nothing to summarise.
pub(crate) fn plan(
    messages: &[Arc<Message>],
    state: CompressionState,
    rules: &CompressionRules,
    limits: Limits,
) -> Option<CompressionPlan> {
    let decayed = rules.head_decays && (state.count > 0 || messages.iter().any(is_summary));
    let head = if decayed { 0 } else { rules.protect_first };
    if messages.len() <= head + MIDDLE_MIN {
        return None;
    }
    let pruned = prune(messages, rules, limits);
    let mut start = head;
    while start < pruned.len() && is_tool(&pruned[start]) {
        start += 1;
    }
    let end = tail_start(&pruned, start, rules, limits);
    if start >= end {
        return None;
    }
    let previous_at = pruned[start..end].iter().rposition(is_summary).map(|at| start + at);
    let previous = previous_at.map(|at| Arc::from(pruned[at].text()));
    let from = previous_at.map_or(start, |at| at + 1);
    let middle: Tokens =
        pruned[from..end].iter().map(|message| message.chars()).sum::<Chars>().estimate_tokens();
    if from >= end {
        // Nothing is new since the earlier summary.
        return None;
    }
    let budget = (middle.0 / 5).min(limits.summary_max).max(SUMMARY_MIN);
    let input = pruned[from..end].iter().map(serialised).collect::<Vec<_>>().join("\n\n");
    let saves = from + 1 < end || middle > Tokens(SUMMARY_MIN);
    Some(CompressionPlan { messages: pruned, start, end, input, previous, budget: Tokens(budget), saves })
}

fn is_summary(message: &Arc<Message>) -> bool {
    matches!(
        **message,
        Message::User { synthetic: Some(Synthetic::Compaction), .. }
            | Message::Assistant { synthetic: Some(Synthetic::Compaction), .. }
    )
}

/// Whether a message says what is to be done: the user's own words, an instruction, or results that opened a turn.
fn is_request(message: &Arc<Message>) -> bool {
    matches!(
        **message,
        Message::User { synthetic: None | Some(Synthetic::Instruction | Synthetic::DelegateResult), .. }
    )
}

fn is_tool(message: &Arc<Message>) -> bool {
    matches!(**message, Message::Tool { .. })
}

fn tokens_of(message: &Message) -> u64 {
    let calls: usize =
        message.calls().iter().map(|call| Chars::of(&call.arguments).0 + Chars::of(&call.name).0).sum();
    Chars::of(message.text()).0 as u64 / 4 + MESSAGE_TOKENS + calls as u64 / 4
}

/// Step 3: copies of results go, old results and arguments are shortened.
fn prune(messages: &[Arc<Message>], rules: &CompressionRules, limits: Limits) -> Vec<Arc<Message>> {
    let mut kept = 0;
    let mut spent = 0;
    for message in messages.iter().rev() {
        spent += tokens_of(message);
        if spent > limits.tail && kept >= rules.protect_last {
            break;
        }
        kept += 1;
    }
    let tail = messages.len() - kept;
    let mut seen: BTreeSet<Arc<str>> = BTreeSet::new();
    let mut pruned: Vec<Arc<Message>> = Vec::with_capacity(messages.len());
    for (index, message) in messages.iter().enumerate().rev() {
        pruned.push(match &**message {
            Message::Tool { call, tool, text } if Chars::of(text).0 >= RESULT_CHARS => {
                let repeated = !seen.insert(Arc::clone(text));
                if repeated || (index < tail && Chars::of(text).0 > RESULT_CHARS) {
                    let what = if repeated { "same as a later result" } else { "old result" };
                    let line = format!("[{what} of {tool}: {} characters left out]", Chars::of(text).0);
                    let short =
                        Message::Tool { call: Arc::clone(call), tool: Arc::clone(tool), text: line.into() };
                    Arc::new(short)
                } else {
                    Arc::clone(message)
                }
            }
            Message::Assistant { text, calls, synthetic }
                if index < tail && calls.iter().any(has_long_arguments) =>
            {
                let calls = calls.iter().map(shortened).collect();
                Arc::new(Message::Assistant { text: text.clone(), calls, synthetic: *synthetic })
            }
            _ => Arc::clone(message),
        });
    }
    pruned.reverse();
    pruned
}

fn has_long_arguments(call: &ToolCall) -> bool {
    Chars::of(&call.arguments).0 > ARGUMENT_CHARS
}

/// Cuts long texts inside the arguments; they stay valid JSON.
fn shortened(call: &ToolCall) -> ToolCall {
    if !has_long_arguments(call) {
        return call.clone();
    }
    let Ok(mut value) = serde_json::from_str::<Value>(&call.arguments) else { return call.clone() };
    shorten_texts(&mut value);
    ToolCall { arguments: value.to_string().into(), ..call.clone() }
}

fn shorten_texts(value: &mut Value) {
    match value {
        Value::String(text) if Chars::of(text).0 > KEPT_ARGUMENT_CHARS => {
            *text = format!("{}\u{2026}", cut(text, KEPT_ARGUMENT_CHARS));
        }
        Value::Array(items) => items.iter_mut().for_each(shorten_texts),
        Value::Object(fields) => fields.values_mut().for_each(shorten_texts),
        _ => {}
    }
}

/// Step 4: where the kept tail begins.
fn tail_start(messages: &[Arc<Message>], start: usize, rules: &CompressionRules, limits: Limits) -> usize {
    let keep = rules.protect_last.clamp(3, 8).min(messages.len().saturating_sub(start + 1));
    let budget = limits.tail + limits.tail / 2;
    let (mut end, mut spent) = (messages.len(), 0);
    while end > start {
        let cost = tokens_of(&messages[end - 1]);
        if spent + cost > budget && messages.len() - end >= keep {
            break;
        }
        spent += cost;
        end -= 1;
    }
    while end > start && end < messages.len() && is_tool(&messages[end]) {
        end -= 1;
    }
    let user = messages.iter().rposition(is_request);
    let spoken = messages.iter().rposition(
        |message| matches!(&**message, Message::Assistant { text, .. } if !text.visible.trim().is_empty()),
    );
    for must in [user, spoken].into_iter().flatten() {
        end = end.min(must);
    }
    if user == Some(start) && end <= start + 1 {
        // The user's message opens the middle: its whole exchange is summarised together.
        end = start + 1;
        while end < messages.len() && !messages[end].is_user() && messages.len() - end > keep {
            end += 1;
        }
    }
    end = end.max(start + 1).min(messages.len());
    while end < messages.len() && is_tool(&messages[end]) {
        end += 1;
    }
    end
}

/// A message as the summariser reads it; reasoning is left out.
fn serialised(message: &Arc<Message>) -> String {
    let who = match &**message {
        Message::User { .. } => "USER".to_owned(),
        Message::Assistant { .. } => "ASSISTANT".to_owned(),
        Message::Tool { tool, .. } => format!("RESULT of {tool}"),
    };
    let mut text =
        format!("{who}: {}", around(message.text(), INPUT_CHARS, INPUT_HEAD_CHARS, INPUT_TAIL_CHARS));
    for call in message.calls() {
        let arguments = around(&call.arguments, INPUT_ARGUMENT_CHARS, INPUT_ARGUMENT_KEPT_CHARS, 0);
        text.extend(["\nCALL ", &*call.name, "(", &arguments, ")"]);
    }
    text
}

fn around(text: &str, limit: usize, head: usize, tail: usize) -> String {
    if Chars::of(text).0 <= limit {
        return text.to_owned();
    }
    format!("{} \u{2026} {}", cut(text, head), cut_last(text, tail))
}

/// A summary without a model: what can be said from the messages alone.
pub(crate) fn fallback_summary(plan: &CompressionPlan) -> String {
    let middle = &plan.messages[plan.start..plan.end];
    let mut lines =
        vec![format!("{} earlier messages were left out; no summary could be made of them.", middle.len())];
    if let Some(previous) = &plan.previous {
        lines.push(previous.to_string());
    }
    for message in middle {
        match &**message {
            Message::User { text, synthetic: None } => {
                lines.push(format!("The user said: {}", cut(text, 300)));
            }
            Message::Assistant { calls, .. } if !calls.is_empty() => {
                let names: Vec<&str> = calls.iter().map(|call| &*call.name).collect();
                lines.push(format!("Called: {}", names.join(", ")));
            }
            _ => {}
        }
    }
    cut(&lines.join("\n"), FALLBACK_CHARS).to_owned()
}

/// The texts that stand for the middle.
pub(crate) struct SummaryTexts<'a> {
    /// As a message of its own, its preface and end marker included.
    pub(crate) body: &'a str,
    /// As a part of another message, whose own text is handed in.
    pub(crate) absorbed: &'a dyn Fn(&str) -> String,
}

/// Step 9 and 10: head, summary, tail, without calls or results that lost their other half. A list of things to do
/// that an earlier compression kept is left out: it is out of date.
pub(crate) fn assemble(plan: &CompressionPlan, texts: &SummaryTexts<'_>) -> Vec<Arc<Message>> {
    let head = &plan.messages[..plan.start];
    let is_old_list = |message: &&Arc<Message>| {
        matches!(***message, Message::User { synthetic: Some(Synthetic::KeptTodo), .. })
    };
    let tail: Vec<Arc<Message>> =
        plan.messages[plan.end..].iter().filter(|message| !is_old_list(message)).cloned().collect();
    let tail = &tail[..];
    let user_survives = head.iter().chain(tail).any(is_request);
    let after_assistant = head.last().is_some_and(|last| !last.is_user());
    let mut as_user = head.is_empty() || after_assistant || !user_survives;
    let tail_is_user = tail.first().map(|first| first.is_user());
    let mut merged = false;
    if tail_is_user == Some(as_user) {
        let head_is_user = head.last().map(|last| last.is_user());
        if head_is_user == Some(!as_user) || head.is_empty() || !user_survives {
            merged = true;
        } else {
            as_user = !as_user;
        }
    }
    let mut messages: Vec<Arc<Message>> = head.to_vec();
    if merged && let Some(first) = tail.first() {
        messages.push(absorb(first, texts));
        messages.extend(tail[1..].iter().cloned());
    } else {
        messages.push(Arc::new(summary_message(texts.body.into(), as_user)));
        messages.extend(tail.iter().cloned());
    }
    without_orphans(messages)
}

fn summary_message(body: Arc<str>, as_user: bool) -> Message {
    if as_user {
        return Message::client(body, Synthetic::Compaction);
    }
    let text = AssistantText { visible: body, reasoning: None };
    Message::Assistant { text, calls: Arc::from([]), synthetic: Some(Synthetic::Compaction) }
}

/// The first message of the tail takes the summary in after its own words, so that no two messages of one role follow each other.
fn absorb(first: &Arc<Message>, texts: &SummaryTexts<'_>) -> Arc<Message> {
    let joined: Arc<str> = (texts.absorbed)(first.text()).into();
    Arc::new(match &**first {
        Message::User { synthetic, .. } => Message::User { text: joined, synthetic: *synthetic },
        Message::Assistant { text, calls, synthetic } => Message::Assistant {
            text: AssistantText { visible: joined, reasoning: text.reasoning.clone() },
            calls: Arc::clone(calls),
            synthetic: *synthetic,
        },
        Message::Tool { call, tool, .. } => {
            Message::Tool { call: Arc::clone(call), tool: Arc::clone(tool), text: joined }
        }
    })
}

/// Removes results without a call and calls without a result.
fn without_orphans(messages: Vec<Arc<Message>>) -> Vec<Arc<Message>> {
    let asked: BTreeSet<Arc<str>> =
        messages.iter().flat_map(|message| message.calls()).map(|call| Arc::clone(&call.id)).collect();
    let answered: BTreeSet<Arc<str>> = messages
        .iter()
        .filter_map(|message| match &**message {
            Message::Tool { call, .. } => Some(Arc::clone(call)),
            _ => None,
        })
        .collect();
    messages
        .into_iter()
        .filter_map(|message| match &*message {
            Message::Tool { call, .. } => asked.contains(call).then_some(message),
            Message::Assistant { text, calls, synthetic } => {
                if calls.iter().all(|call| answered.contains(&call.id)) {
                    return Some(message);
                }
                let calls: Arc<[ToolCall]> =
                    calls.iter().filter(|call| answered.contains(&call.id)).cloned().collect();
                let mut text = text.clone();
                if calls.is_empty() && text.visible.is_empty() {
                    text.visible = "(calls left out)".into();
                }
                Some(Arc::new(Message::Assistant { text, calls, synthetic: *synthetic }))
            }
            Message::User { .. } => Some(message),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviour::{Behaviour, Settings, Version};

    fn rules() -> CompressionRules {
        Behaviour::resolve(&Settings::new(Version::V0_19)).compression
    }

    fn assembled(plan: &CompressionPlan, body: &str) -> Vec<Arc<Message>> {
        assemble(plan, &SummaryTexts { body, absorbed: &|older: &str| format!("{older} {body}") })
    }

    fn exchange(number: usize, chars: usize) -> Vec<Arc<Message>> {
        let id: Arc<str> = format!("call_{number}").into();
        let call = ToolCall { id: Arc::clone(&id), name: "terminal".into(), arguments: "{}".into() };
        let text = format!("{number} {}", "x".repeat(chars));
        vec![
            Arc::new(Message::user(format!("task {number}"))),
            Arc::new(Message::Assistant {
                text: AssistantText::default(),
                calls: [call].into(),
                synthetic: None,
            }),
            Arc::new(Message::Tool { call: id, tool: "terminal".into(), text: text.into() }),
            Arc::new(Message::assistant(format!("done {number}"))),
        ]
    }

    #[test]
    fn the_middle_is_summarised_and_pairs_stay_together() {
        let rules = rules();
        let messages: Vec<_> = (0..30).flat_map(|number| exchange(number, 4000)).collect();
        let limits = Limits { threshold: 20_000, tail: 4000, summary_max: 10_000 };
        let plan = plan(&messages, CompressionState::default(), &rules, limits).unwrap();
        assert_eq!(plan.start, 3);
        assert!(!is_tool(&plan.messages[plan.end]));
        assert!(plan.input.contains("USER: task 1") && plan.input.contains("[old result of terminal"));
        let compressed = assembled(&plan, "PREFACE the summary END");
        assert!(compressed.len() < messages.len());
        assert_eq!(compressed[0].text(), "task 0");
        assert!(compressed.iter().any(|message| message.text().contains("the summary")));
        assert_eq!(compressed.last().unwrap().text(), "done 29");
        let mut state = CompressionState::default();
        state.count = 1;
        let again = super::plan(&compressed, state, &rules, limits);
        assert!(again.is_none_or(|plan| plan.previous.is_some()));
    }

    #[test]
    fn no_two_messages_of_one_role_meet_at_the_summary() {
        let rules = rules();
        let limits = Limits { threshold: 20_000, tail: 1000, summary_max: 10_000 };
        for count in 4..12 {
            let messages: Vec<_> = (0..count).flat_map(|number| exchange(number, 900)).collect();
            let Some(plan) = plan(&messages, CompressionState::default(), &rules, limits) else { continue };
            let compressed = assembled(&plan, "PSE");
            for pair in compressed.windows(2) {
                let same = pair[0].is_user() && pair[1].is_user();
                assert!(!same, "{count}: {pair:?}");
            }
        }
    }
}
