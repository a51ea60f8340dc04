//! What is served where.

use std::net::TcpListener;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use jiff::Timestamp;
use serde_json::json;

use super::handle::Cells;
use super::respond::{self, Pace};
use super::{HEADER_CONVERSATION, HEADER_NOW};
use crate::decode::parse_instant;
use crate::engine::Context;
use crate::wire::ChatRequest;

/// The engines that a request may ask.
type Engines = State<Arc<Cells>>;

/// Bytes of one request.
const BODY_BYTES_MAX: usize = 64 << 20;

/// Serves until the future is dropped.
pub(super) async fn serve(listener: TcpListener, cells: Arc<Cells>) -> std::io::Result<()> {
    // Small answers must not wait for more to come.
    let listener = tokio::net::TcpListener::from_std(listener)?.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    axum::serve(listener, router(cells)).await
}

fn router(cells: Arc<Cells>) -> Router {
    let own = Router::new()
        .route("/chat/completions", post(|state, headers, body| completions(state, None, headers, body)))
        .route("/models", get(async |State(cells): Engines| models(&cells, None)))
        .route(
            "/models/{*id}",
            get(async |State(cells): Engines, Path(id): Path<String>| model(&cells, None, &id)),
        );
    let cell = Router::new()
        .route(
            "/chat/completions",
            post(|state, Path(cell): Path<u64>, headers, body| completions(state, Some(cell), headers, body)),
        )
        .route(
            "/models",
            get(async |State(cells): Engines, Path(cell): Path<u64>| models(&cells, Some(cell))),
        )
        .route(
            "/models/{*id}",
            get(async |State(cells): Engines, Path((cell, id)): Path<(u64, String)>| {
                model(&cells, Some(cell), &id)
            }),
        );
    Router::new()
        .nest("/v1", own)
        .nest("/cells/{cell}/v1", cell)
        .fallback(|| async { respond::error(StatusCode::NOT_FOUND, "not_found", "nothing is served here") })
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .with_state(cells)
}

fn no_engine(cell: Option<u64>) -> Response {
    let message = match cell {
        Some(cell) => format!("no cell {cell} is registered"),
        None => "no engine is registered; use /cells/<n>/v1".to_owned(),
    };
    respond::error(StatusCode::NOT_FOUND, "not_found", &message)
}

async fn completions(
    State(cells): State<Arc<Cells>>,
    cell: Option<u64>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let Some(engine) = cells.get(cell) else { return no_engine(cell) };
    let now_ms = match headers.get(HEADER_NOW).map(|value| instant_ms(value.as_bytes())) {
        Some(None) => {
            let message = format!("{HEADER_NOW}: wanted milliseconds since the Unix epoch, or RFC 3339");
            return respond::error(StatusCode::BAD_REQUEST, "invalid_request_error", &message);
        }
        Some(now_ms) => now_ms,
        None => None,
    };
    let request = match ChatRequest::from_json(&body) {
        Ok(request) => Arc::new(request),
        Err(error) => {
            return respond::error(StatusCode::BAD_REQUEST, "invalid_request_error", &error.to_string());
        }
    };
    let key = headers.get(HEADER_CONVERSATION).map(|value| String::from_utf8_lossy(value.as_bytes()));
    let result = engine.answer(&request, &Context { key: key.as_deref(), now_ms });
    if let Some(observer) = &cells.observer {
        observer(cell, &result);
    }
    match result {
        Ok(answer) => {
            let pace = if now_ms.is_some() { Pace::Simulated } else { Pace::Real };
            respond::answer(&request, &answer, pace).await
        }
        Err(miss) => respond::miss(&miss),
    }
}

/// Milliseconds since the Unix epoch, as a number or in RFC 3339.
fn instant_ms(value: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(value).ok()?.trim();
    text.parse().ok().or_else(|| parse_instant(text).map(Timestamp::as_millisecond))
}

fn models(cells: &Cells, cell: Option<u64>) -> Response {
    let Some(engine) = cells.get(cell) else { return no_engine(cell) };
    let list = json!({ "object": "list", "data": [respond::model(&engine.script().model)] });
    respond::json(StatusCode::OK, &list)
}

fn model(cells: &Cells, cell: Option<u64>, id: &str) -> Response {
    // Any name is served: a client may ask for the model that it is configured with.
    if cells.get(cell).is_none() {
        no_engine(cell)
    } else {
        respond::json(StatusCode::OK, &respond::model(id))
    }
}
