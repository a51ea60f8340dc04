//! The scripted model over HTTP: the mock server on a loopback port, asked as the real client asks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use agent_core::machine::ModelOutcome;
use agent_core::values::SimDuration;
use anyhow::{Context, bail};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use hyper::{Request, Response, StatusCode};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use mock_llm::engine::Engine;
use mock_llm::server::{
    HEADER_CONVERSATION, HEADER_NOW, HEADER_RULE, HEADER_STEP, HEADER_TOOK_MS, Server, ServerHandle,
};
use serde::Deserialize;
use tokio::runtime::Runtime;

use super::encode::{Encoder, streams};
use super::fault::{broken_connection, malformed_chunk, malformed_whole, missed, never, refused};
use super::reply::{ErrorFile, ReplyBuilder, end_of_stream};
use super::sse::SseDecoder;
use super::{Answer, Ask, Miss, Took, Transport};

/// The type of error by which the mock server says that no rule fits.
const MISS: &str = "mock_miss";

/// A guard in real time against a server that hangs. No result depends on it: it ends in an error of the run.
const ANSWER_LIMIT: Duration = Duration::from_mins(2);

/// The server and the client that all cells of a run share.
#[derive(Debug)]
pub(super) struct HttpHost {
    server: ServerHandle,
    client: Arc<HttpClient>,
    cells: AtomicU64,
}

/// A client of any server that speaks the protocol.
#[derive(Debug)]
pub(super) struct HttpClient {
    runtime: Runtime,
    client: Client<HttpConnector, Full<Bytes>>,
    /// How long one answer may take in real time.
    limit: Duration,
}

impl HttpHost {
    /// Starts the server on a free loopback port.
    ///
    /// # Errors
    /// No port or thread is to be had.
    pub(super) fn start() -> anyhow::Result<Arc<Self>> {
        let server = Server::start(([127, 0, 0, 1], 0).into()).context("cannot start the mock server")?;
        Ok(Arc::new(Self { server, client: HttpClient::new(ANSWER_LIMIT)?, cells: AtomicU64::new(1) }))
    }

    /// A way for one cell.
    pub(super) fn transport(self: &Arc<Self>, engine: Engine) -> HttpTransport {
        let cell = self.cells.fetch_add(1, Ordering::Relaxed);
        self.server.register(cell, Arc::new(engine));
        let url = format!("{}/chat/completions", self.server.base_url(Some(cell)));
        let registered = Some((Arc::clone(self), cell));
        let mut transport = HttpTransport::new(Arc::clone(&self.client), url);
        transport.registered = registered;
        transport
    }
}

impl HttpClient {
    /// A client that waits so long for an answer.
    ///
    /// # Errors
    /// No thread is to be had.
    pub(super) fn new(limit: Duration) -> anyhow::Result<Arc<Self>> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("model-client")
            .enable_io()
            .enable_time()
            .build()
            .context("cannot start the client of the mock server")?;
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let client = Client::builder(TokioExecutor::new()).build(connector);
        Ok(Arc::new(Self { runtime, client, limit }))
    }

    /// Sends a request and waits for the answer.
    fn send(&self, request: Request<Full<Bytes>>, stream: bool) -> anyhow::Result<Answer> {
        self.runtime.block_on(async {
            let answer = async {
                let response =
                    self.client.request(request).await.context("the mock server does not answer")?;
                read(response, stream).await
            };
            tokio::time::timeout(self.limit, answer).await.with_context(|| {
                let limit = self.limit.as_secs_f64();
                format!(
                    "the mock server gave no whole answer within the {limit} s that the client waits for one"
                )
            })?
        })
    }
}

/// One cell's way over HTTP.
#[derive(Debug)]
pub(super) struct HttpTransport {
    client: Arc<HttpClient>,
    url: String,
    encoder: Encoder,
    /// The cell's number at the server that knows it.
    registered: Option<(Arc<HttpHost>, u64)>,
}

impl HttpTransport {
    /// A way to a server that need not know of cells.
    pub(super) fn new(client: Arc<HttpClient>, url: String) -> Self {
        Self { client, url, encoder: Encoder::default(), registered: None }
    }
}

impl Drop for HttpTransport {
    fn drop(&mut self) {
        if let Some((host, cell)) = &self.registered {
            host.server.unregister(*cell);
        }
    }
}

impl Transport for HttpTransport {
    fn ask(&mut self, ask: &Ask<'_>) -> anyhow::Result<Answer> {
        let body = self.encoder.body(ask.request);
        let request = Request::post(&self.url)
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .header(HEADER_CONVERSATION, HeaderValue::from_bytes(ask.key.as_bytes())?)
            .header(HEADER_NOW, ask.now.as_millis())
            .body(Full::new(Bytes::from(body)))?;
        self.client.send(request, streams(ask.request.role))
    }
}

async fn read(response: Response<Incoming>, stream: bool) -> anyhow::Result<Answer> {
    let (head, body) = response.into_parts();
    let took = took(&head.headers)?;
    let answer = if took == Took::Never {
        never()
    } else if head.status != StatusCode::OK {
        failed(head.status, &head.headers, body).await?
    } else {
        let outcome = if stream { streamed(body).await } else { whole(body).await };
        Answer { outcome, ..never() }
    };
    let (rule, step) = (text(&head.headers, HEADER_RULE), text(&head.headers, HEADER_STEP));
    Ok(Answer { took, rule, step, ..answer })
}

/// A stream, event by event, until it ends in good order or breaks.
async fn streamed(mut body: Incoming) -> ModelOutcome {
    let mut decoder = SseDecoder::default();
    let mut builder = ReplyBuilder::default();
    let mut events = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return end_of_stream(builder, false) };
        let Some(data) = frame.data_ref() else { continue };
        if decoder.push(data, &mut events).is_err() {
            return ModelOutcome::Failed(malformed_chunk());
        }
        for event in events.drain(..) {
            if let Err(fault) = builder.chunk(&event) {
                return fault.outcome();
            }
        }
    }
    end_of_stream(builder, true)
}

async fn whole(body: Incoming) -> ModelOutcome {
    match body.collect().await {
        Ok(body) => {
            ReplyBuilder::whole(&body.to_bytes()).unwrap_or_else(|_| ModelOutcome::Failed(malformed_whole()))
        }
        Err(_) => ModelOutcome::Failed(broken_connection()),
    }
}

/// An answer with an error status: a miss of the script, or an error for the agent.
async fn failed(status: StatusCode, headers: &HeaderMap, body: Incoming) -> anyhow::Result<Answer> {
    let body = body.collect().await.context("the mock server broke off an error")?.to_bytes();
    let file: FailureFile = serde_json::from_slice(&body)
        .with_context(|| format!("the mock server answered {status} without the protocol's error"))?;
    if file.error.kind.as_deref() == Some(MISS) {
        return Ok(missed(Miss { message: file.error.message, nearest: file.error.nearest }));
    }
    if !headers.contains_key(HEADER_RULE) {
        bail!("the mock server refused the request: {status} {}", file.error.message);
    }
    let retry_after = text(headers, RETRY_AFTER.as_str()).and_then(|seconds| seconds.parse().ok());
    let code = file.error.code_text();
    let fault = refused(status.as_u16(), code, file.error.message, retry_after);
    Ok(Answer { outcome: ModelOutcome::Failed(fault), ..never() })
}

#[derive(Debug, Deserialize)]
struct FailureFile {
    error: ErrorFile,
}

fn text(headers: &HeaderMap, name: &str) -> Option<Arc<str>> {
    headers.get(name).and_then(|value| std::str::from_utf8(value.as_bytes()).ok()).map(Arc::from)
}

fn took(headers: &HeaderMap) -> anyhow::Result<Took> {
    let Some(took) = text(headers, HEADER_TOOK_MS) else { return Ok(Took::Paced) };
    if &*took == "never" {
        return Ok(Took::Never);
    }
    let millis = took.parse().with_context(|| format!("{HEADER_TOOK_MS} is {took}"))?;
    Ok(Took::Later(SimDuration::from_millis(millis)))
}
