//! Faults in answers: in their content, which both transports see alike, and in their delivery.

use std::sync::Arc;

use super::answer::Delivery;
use crate::script::FaultKind;
use crate::wire::{Finish, Reply};

/// Applies a fault; how the answer then reaches the client.
pub(super) fn apply(kind: &FaultKind, reply: &mut Reply) -> Delivery {
    match kind {
        FaultKind::Stall => return Delivery::Stalled,
        FaultKind::Status { code, retry_after, message } => {
            let message = message.clone().unwrap_or_else(|| default_message(*code).into());
            return Delivery::Refused { code: *code, retry_after: *retry_after, message };
        }
        FaultKind::Break(after) => return Delivery::Broken { after: *after },
        FaultKind::Malformed(after) => return Delivery::Malformed { after: *after },
        FaultKind::Length(chars) => cut(reply, *chars),
        FaultKind::Empty => {
            reply.text = "".into();
            reply.reasoning = None;
            reply.calls.clear();
            reply.finish = Some(Finish::Stop);
        }
        FaultKind::ThinkingOnly => {
            let text = std::mem::take(&mut reply.text);
            reply.reasoning = reply.reasoning.take().or(Some(text)).filter(|text| !text.is_empty());
            reply.reasoning.get_or_insert_with(|| "(thinking)".into());
            reply.calls.clear();
            reply.finish = Some(Finish::Stop);
        }
        FaultKind::BadArguments => change_arguments(reply, |_| "{not JSON}".into()),
        FaultKind::TruncatedArguments => change_arguments(reply, |text| {
            let half = text.chars().count().div_ceil(2);
            let cut: String = text.chars().take(half).collect();
            cut.trim_end_matches(['}', ']']).into()
        }),
        FaultKind::NoFinish => reply.finish = None,
    }
    reply.usage.completion = reply.completion_tokens();
    Delivery::Whole
}

fn change_arguments(reply: &mut Reply, change: impl Fn(&str) -> Arc<str>) {
    for call in &mut reply.calls {
        call.arguments = change(&call.arguments);
    }
}

/// Cuts an answer as the output limit does: its text, and the arguments of its last call.
fn cut(reply: &mut Reply, chars: usize) {
    let head = |text: &str| -> Arc<str> { text.chars().take(chars).collect::<String>().into() };
    if reply.text.chars().count() > chars {
        reply.text = head(&reply.text);
        reply.finish = Some(Finish::Length);
    }
    if let Some(call) = reply.calls.last_mut() {
        if call.arguments.chars().count() > chars {
            call.arguments = head(&call.arguments);
        }
        reply.finish = Some(Finish::Length);
    }
}

fn default_message(code: u16) -> &'static str {
    match code {
        401 => "the key is not valid",
        402 => "the account has no credit left",
        403 => "the account may not use this model",
        404 => "there is no such model",
        408 => "the request took too long",
        413 => "the request is too large",
        429 => "too many requests",
        503 | 529 => "the server is overloaded",
        400..=499 => "the request is not valid",
        _ => "the server failed",
    }
}
