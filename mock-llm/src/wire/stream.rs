//! An answer as a stream of events.

use serde_json::{Value, json};

use super::reply::{Finish, Reply};

/// The last event of a stream in good order.
pub const DONE: &str = "[DONE]";

/// Characters of one piece of text or arguments.
const PIECE_CHARS: usize = 48;

/// Where a stream goes wrong on purpose, counted in characters of text, reasoning and arguments that were sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamPlan {
    /// Whether a count of tokens ends the stream.
    pub include_usage: bool,
    /// The connection breaks after so many characters.
    pub break_after: Option<usize>,
    /// An event that is not JSON follows after so many characters, and then the connection breaks.
    pub malformed_after: Option<usize>,
}

/// The data of the events in order, and whether the stream ends in good order (else the connection breaks after them).
///
/// A role, then reasoning, text and calls in pieces, the reason of the end, tokens with empty choices if they were asked
/// for, and [`DONE`].
pub fn events(reply: &Reply, plan: &StreamPlan) -> (Vec<String>, bool) {
    let limit = plan.break_after.or(plan.malformed_after);
    let mut stream = Stream { reply, sent: 0, limit, events: Vec::new() };
    stream.delta(&json!({ "role": "assistant", "content": "" }));
    let whole = stream.pieces("reasoning_content", reply.reasoning.as_deref().unwrap_or(""))
        && stream.pieces("content", &reply.text)
        && stream.calls();
    let mut events = stream.events;
    if !whole || limit.is_some() {
        if plan.malformed_after.is_some() {
            events.push("{\"choices\": [{\"delta\": {\"content\": ".to_owned());
        }
        return (events, false);
    }
    if let Some(finish) = reply.finish {
        events.push(chunk(reply, &json!({}), Some(finish)));
    }
    if plan.include_usage {
        let mut usage = envelope(reply);
        usage["choices"] = json!([]);
        usage["usage"] = reply.usage.to_json();
        events.push(usage.to_string());
    }
    events.push(DONE.to_owned());
    (events, true)
}

struct Stream<'a> {
    reply: &'a Reply,
    sent: usize,
    limit: Option<usize>,
    events: Vec<String>,
}

impl Stream<'_> {
    fn delta(&mut self, delta: &Value) {
        self.events.push(chunk(self.reply, delta, None));
    }

    /// Takes as much of a text as the limit lets through; the piece and whether it is all of it.
    fn within<'t>(&mut self, text: &'t str) -> (&'t str, bool) {
        let Some(limit) = self.limit else { return (text, true) };
        let left = limit.saturating_sub(self.sent);
        let end = text.char_indices().nth(left).map_or(text.len(), |(index, _)| index);
        self.sent += text[..end].chars().count();
        (&text[..end], end == text.len())
    }

    fn pieces(&mut self, field: &str, text: &str) -> bool {
        for piece in pieces(text) {
            let (piece, whole) = self.within(piece);
            if !piece.is_empty() {
                self.delta(&json!({ field: piece }));
            }
            if !whole {
                return false;
            }
        }
        true
    }

    fn calls(&mut self) -> bool {
        let reply = self.reply;
        for (index, call) in reply.calls.iter().enumerate() {
            let opening = json!({ "tool_calls": [{
                "index": index, "id": &*call.id, "type": "function",
                "function": { "name": &*call.name, "arguments": "" },
            }] });
            self.delta(&opening);
            for piece in pieces(&call.arguments) {
                let (piece, whole) = self.within(piece);
                self.delta(
                    &json!({ "tool_calls": [{ "index": index, "function": { "arguments": piece } }] }),
                );
                if !whole {
                    return false;
                }
            }
        }
        true
    }
}

fn envelope(reply: &Reply) -> Value {
    json!({
        "id": &*reply.id,
        "object": "chat.completion.chunk",
        "created": reply.created,
        "model": &*reply.model,
    })
}

fn chunk(reply: &Reply, delta: &Value, finish: Option<Finish>) -> String {
    let mut chunk = envelope(reply);
    chunk["choices"] = json!([{ "index": 0, "delta": delta, "finish_reason": finish.map(Finish::as_str) }]);
    chunk.to_string()
}

/// A text in pieces of at most [`PIECE_CHARS`] characters.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.char_indices().nth(PIECE_CHARS).map_or(rest.len(), |(index, _)| index);
        let (piece, tail) = rest.split_at(end);
        rest = tail;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::reply::{ReplyCall, Usage};
    use super::*;

    fn reply(text: &str, arguments: &[String], reasoning: Option<&str>) -> Reply {
        let calls = arguments.iter().enumerate().map(|(index, arguments)| ReplyCall {
            id: format!("call_{index}").into(),
            name: "tool".into(),
            arguments: arguments.as_str().into(),
        });
        Reply {
            id: "chatcmpl-1".into(),
            created: 0,
            model: "m".into(),
            text: text.into(),
            reasoning: reasoning.map(Into::into),
            calls: calls.collect(),
            finish: Some(Finish::Stop),
            usage: Usage { prompt: 3, completion: 4 },
        }
    }

    /// What a client makes of events: text, reasoning, arguments by index.
    fn joined(events: &[String]) -> (String, String, Vec<String>) {
        let (mut text, mut reasoning, mut calls) = (String::new(), String::new(), Vec::<String>::new());
        for event in events.iter().filter(|event| *event != DONE) {
            let Ok(value) = serde_json::from_str::<Value>(event) else { continue };
            let delta = &value["choices"][0]["delta"];
            text.push_str(delta["content"].as_str().unwrap_or(""));
            reasoning.push_str(delta["reasoning_content"].as_str().unwrap_or(""));
            for call in delta["tool_calls"].as_array().into_iter().flatten() {
                let index = usize::try_from(call["index"].as_u64().unwrap()).unwrap();
                if calls.len() == index {
                    assert_eq!(call["id"], format!("call_{index}"));
                    calls.push(String::new());
                }
                calls[index].push_str(call["function"]["arguments"].as_str().unwrap());
            }
        }
        (text, reasoning, calls)
    }

    #[test]
    fn a_stream_in_good_order() {
        let plan = StreamPlan { include_usage: true, ..StreamPlan::default() };
        let (events, whole) =
            events(&reply("I look.", &["{\"path\":\"app.py\"}".to_owned()], Some("hm")), &plan);
        assert!(whole);
        insta::assert_snapshot!(events.join("\n"));
    }

    #[test]
    fn a_reason_can_be_left_out() {
        let reply = Reply { finish: None, ..reply("x", &[], None) };
        let (events, whole) = events(&reply, &StreamPlan::default());
        assert!(whole && events.len() == 3 && events[2] == DONE);
    }

    #[test]
    fn malformed_streams_break_after_the_bad_event() {
        let plan = StreamPlan { malformed_after: Some(2), ..StreamPlan::default() };
        let (events, whole) = events(&reply("abcdef", &[], None), &plan);
        assert!(!whole && joined(&events).0 == "ab");
        assert!(serde_json::from_str::<Value>(events.last().unwrap()).is_err());
    }

    proptest! {
        #[test]
        fn pieces_join_to_the_whole(text in "\\PC{0,200}", reasoning in "\\PC{0,80}",
                                    arguments in proptest::collection::vec("\\PC{0,120}", 0..4)) {
            let (events, whole) = events(&reply(&text, &arguments, Some(&reasoning)), &StreamPlan::default());
            prop_assert!(whole);
            prop_assert_eq!(joined(&events), (text, reasoning, arguments));
        }

        #[test]
        fn a_broken_stream_is_a_beginning_of_the_whole(text in "\\PC{0,200}", limit in 0_usize..220) {
            let plan = StreamPlan { break_after: Some(limit), include_usage: true, ..StreamPlan::default() };
            let (events, whole) = events(&reply(&text, &[], None), &plan);
            prop_assert!(!whole);
            let wanted: String = text.chars().take(limit).collect();
            prop_assert_eq!(joined(&events).0, wanted);
        }
    }
}
