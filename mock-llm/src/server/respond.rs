//! Answers, misses and errors as HTTP responses.

use std::future;

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use serde_json::{Value, json};

use super::broken::BrokenBody;
use super::{HEADER_ROLE, HEADER_RULE, HEADER_STEP, HEADER_TOOK_MS};
use crate::engine::{Answer, Delivery, Miss};
use crate::wire::{ChatRequest, StreamPlan, events};

/// Whether delays are real.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    /// They are slept.
    Real,
    /// They are told.
    Simulated,
}

/// A JSON body.
pub(super) fn json(status: StatusCode, value: &Value) -> Response {
    with_type(status, "application/json", Body::from(value.to_string()))
}

fn with_type(status: StatusCode, content_type: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

/// An error in the protocol's shape.
pub(super) fn error(status: StatusCode, kind: &str, message: &str) -> Response {
    json(status, &json!({ "error": { "message": message, "type": kind, "code": Value::Null } }))
}

/// One entry of the list of models.
pub(super) fn model(id: &str) -> Value {
    json!({ "id": id, "object": "model", "created": 0, "owned_by": "mock-llm" })
}

/// A miss. Unprocessable: a client that asked again would get the same.
pub(super) fn miss(miss: &Miss) -> Response {
    let nearest: Vec<Value> = miss.nearest.iter().map(|near| json!([&*near.rule, &*near.clause])).collect();
    let body = json!({ "error": {
        "message": miss.to_string(),
        "type": "mock_miss",
        "code": miss.kind.as_str(),
        "role": miss.role.as_str(),
        "nearest": nearest,
    } });
    json(StatusCode::UNPROCESSABLE_ENTITY, &body)
}

/// An answer, as its delivery has it.
pub(super) async fn answer(request: &ChatRequest, answer: &Answer, pace: Pace) -> Response {
    if pace == Pace::Real {
        if answer.delivery == Delivery::Stalled {
            // Ends when the client gives up: the server then drops this future.
            future::pending::<()>().await;
        }
        if let Some(delay) = answer.delay {
            tokio::time::sleep(delay).await;
        }
    }
    let mut response = delivered(request, answer);
    let took = match (&answer.delivery, answer.delay) {
        (Delivery::Stalled, _) => Some("never".to_owned()),
        (_, Some(delay)) => Some(delay.as_millis().to_string()),
        (_, None) => None,
    };
    let headers = response.headers_mut();
    let mut insert = |name: &'static str, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    };
    insert(HEADER_RULE, &answer.rule);
    insert(HEADER_STEP, &answer.step);
    insert(HEADER_ROLE, answer.role.as_str());
    if let Some(took) = took.filter(|_| pace == Pace::Simulated) {
        insert(HEADER_TOOK_MS, &took);
    }
    response
}

fn delivered(request: &ChatRequest, answer: &Answer) -> Response {
    let mut plan = StreamPlan { include_usage: request.include_usage, ..StreamPlan::default() };
    match &answer.delivery {
        Delivery::Whole => {}
        Delivery::Stalled => {
            return error(StatusCode::GATEWAY_TIMEOUT, "mock_stall", "the answer never comes");
        }
        Delivery::Refused { code, retry_after, message } => {
            let status = StatusCode::from_u16(*code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            let mut response = error(status, "mock_fault", message);
            if let Some(wait) = retry_after {
                let seconds = wait.as_millis().div_ceil(1000);
                let value = HeaderValue::from_str(&seconds.to_string()).expect("digits are a header value");
                response.headers_mut().insert(RETRY_AFTER, value);
            }
            return response;
        }
        Delivery::Broken { after } => plan.break_after = Some(*after),
        Delivery::Malformed { after } => plan.malformed_after = Some(*after),
    }
    if request.stream { stream(answer, &plan) } else { plain(answer, &plan) }
}

fn stream(answer: &Answer, plan: &StreamPlan) -> Response {
    let (events, whole) = events(&answer.reply, plan);
    let mut text = String::with_capacity(events.iter().map(|event| event.len() + 8).sum());
    for event in &events {
        text.push_str("data: ");
        text.push_str(event);
        text.push_str("\n\n");
    }
    let body = if whole { Body::from(text) } else { Body::new(BrokenBody::new(text)) };
    let mut response = with_type(StatusCode::OK, "text/event-stream; charset=utf-8", body);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// A whole answer; one that breaks ends in the middle of its JSON, a malformed one is cut and ends in good order.
fn plain(answer: &Answer, plan: &StreamPlan) -> Response {
    let text = answer.reply.to_json().to_string();
    let head = |chars: usize| {
        text.chars().take(chars.min(text.chars().count().saturating_sub(1))).collect::<String>()
    };
    match (plan.break_after, plan.malformed_after) {
        (Some(after), _) => {
            with_type(StatusCode::OK, "application/json", Body::new(BrokenBody::new(head(after))))
        }
        (None, Some(after)) => with_type(StatusCode::OK, "application/json", Body::from(head(after))),
        (None, None) => with_type(StatusCode::OK, "application/json", Body::from(text)),
    }
}
