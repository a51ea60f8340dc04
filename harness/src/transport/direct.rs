//! The engine in process: no sockets, no JSON; each message is converted once.
//!
//! What a client would make of an answer is decided by the same rules as over HTTP: a whole answer is taken over as it
//! stands, a faulty one goes through the very events that the server would send.

use std::collections::HashMap;
use std::sync::Arc;

use agent_core::machine::{ModelOutcome, ModelRequest};
use agent_core::values::{
    AssistantText, Finish, Message, Reply, SimDuration, Tokens, ToolCall, ToolList, Usage,
};
use mock_llm::engine::{self, Context, Delivery, Engine};
use mock_llm::wire::{self, ChatRequest, StreamPlan, Tools};

use super::encode::streams;
use super::fault::{broken_connection, from_miss, malformed_whole, never, refused};
use super::reply::{ReplyBuilder, end_of_stream};
use super::{Answer, Ask, Took, Transport};

/// So many messages are kept before the cache starts over; a bound on memory, not on correctness.
const MESSAGES_MAX: usize = 1 << 14;

/// The engine of one cell.
#[derive(Debug)]
pub(super) struct DirectTransport {
    engine: Arc<Engine>,
    // Looked up by the identity of what they hold, never iterated: their order reaches nothing.
    messages: HashMap<usize, (Arc<Message>, Arc<wire::Message>)>,
    systems: HashMap<usize, (Arc<str>, Arc<wire::Message>)>,
    tools: HashMap<usize, (Arc<ToolList>, Arc<Tools>)>,
}

impl DirectTransport {
    /// A way to this engine.
    pub(super) fn new(engine: Engine) -> Self {
        let (messages, systems, tools) = Default::default();
        Self { engine: Arc::new(engine), messages, systems, tools }
    }

    fn request(&mut self, request: &ModelRequest) -> ChatRequest {
        if self.messages.len() > MESSAGES_MAX {
            (self.messages, self.systems, self.tools) = Default::default();
        }
        let system = self.systems.entry(request.system.as_ptr().addr()).or_insert_with(|| {
            (Arc::clone(&request.system), Arc::new(wire::Message::system(Arc::clone(&request.system))))
        });
        let mut messages = Vec::with_capacity(request.messages.len() + 1);
        messages.push(Arc::clone(&system.1));
        for message in request.messages.iter() {
            let entry = self.messages.entry(Arc::as_ptr(message).addr());
            let converted = entry.or_insert_with(|| (Arc::clone(message), Arc::new(convert(message))));
            messages.push(Arc::clone(&converted.1));
        }
        let tools = self.tools.entry(Arc::as_ptr(&request.tools).addr()).or_insert_with(|| {
            let list = request.tools.iter().map(|tool| (&*tool.name, &*tool.description, &tool.parameters));
            (Arc::clone(&request.tools), Arc::new(Tools::new(list)))
        });
        let mut chat = ChatRequest::new(Arc::clone(&request.model), messages, Arc::clone(&tools.1));
        chat.stream = streams(request.role);
        chat.include_usage = chat.stream;
        chat
    }
}

impl Transport for DirectTransport {
    fn ask(&mut self, ask: &Ask<'_>) -> anyhow::Result<Answer> {
        let request = Arc::new(self.request(ask.request));
        let context = Context { key: Some(ask.key), now_ms: Some(ask.now.as_millis()) };
        Ok(match self.engine.answer(&request, &context) {
            Ok(answer) => delivered(answer, request.stream),
            Err(miss) => from_miss(&miss),
        })
    }
}

fn convert(message: &Message) -> wire::Message {
    match message {
        Message::User { text, .. } => wire::Message::user(Arc::clone(text)),
        Message::Assistant { text, calls, .. } => {
            let calls = calls
                .iter()
                .map(|call| wire::Call::new(Arc::clone(&call.id), Arc::clone(&call.name), &call.arguments));
            wire::Message::assistant(Arc::clone(&text.visible), calls.collect::<Box<[_]>>())
        }
        Message::Tool { call, text, .. } => wire::Message::tool(Arc::clone(call), Arc::clone(text)),
    }
}

/// What a client makes of an answer.
fn delivered(answer: engine::Answer, stream: bool) -> Answer {
    let took = match (&answer.delivery, answer.delay) {
        (Delivery::Stalled, _) => Took::Never,
        (_, Some(delay)) => {
            Took::Later(SimDuration::from_millis(u64::try_from(delay.as_millis()).unwrap_or(u64::MAX)))
        }
        (_, None) => Took::Paced,
    };
    let (rule, step) = (Some(Arc::clone(&answer.rule)), Some(Arc::clone(&answer.step)));
    let outcome = match &answer.delivery {
        Delivery::Whole => ModelOutcome::Reply(reply(answer.reply)),
        Delivery::Stalled => never().outcome,
        Delivery::Refused { code, retry_after, message } => {
            let retry_after =
                retry_after.map(|wait| u64::try_from(wait.as_millis().div_ceil(1000)).unwrap_or(u64::MAX));
            ModelOutcome::Failed(refused(
                *code,
                Some("mock_fault".to_owned()),
                message.to_string(),
                retry_after,
            ))
        }
        Delivery::Broken { after } if stream => streamed(&answer.reply, Some(*after), None),
        Delivery::Malformed { after } if stream => streamed(&answer.reply, None, Some(*after)),
        Delivery::Broken { .. } => ModelOutcome::Failed(broken_connection()),
        Delivery::Malformed { .. } => ModelOutcome::Failed(malformed_whole()),
    };
    Answer { outcome, took, rule, step, miss: None }
}

/// The events that the server would send, read as a client reads them.
fn streamed(reply: &wire::Reply, break_after: Option<usize>, malformed_after: Option<usize>) -> ModelOutcome {
    let (events, whole) =
        wire::events(reply, &StreamPlan { include_usage: true, break_after, malformed_after });
    let mut builder = ReplyBuilder::default();
    for event in &events {
        if let Err(fault) = builder.chunk(event) {
            return fault.outcome();
        }
    }
    end_of_stream(builder, whole)
}

fn reply(reply: wire::Reply) -> Reply {
    let call = |call: wire::ReplyCall| ToolCall { id: call.id, name: call.name, arguments: call.arguments };
    Reply {
        text: AssistantText {
            visible: reply.text,
            reasoning: reply.reasoning.filter(|reasoning| !reasoning.is_empty()),
        },
        calls: reply.calls.into_iter().map(call).collect(),
        finish: match reply.finish {
            Some(wire::Finish::Stop) => Finish::Stop,
            Some(wire::Finish::ToolCalls) => Finish::ToolCalls,
            Some(wire::Finish::Length) | None => Finish::Length,
        },
        usage: Usage {
            prompt: Tokens(reply.usage.prompt),
            cached: Tokens(0),
            completion: Tokens(reply.usage.completion),
        },
    }
}
