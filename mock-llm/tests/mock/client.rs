//! A small client: one request, one response, headers and body as they came.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{Method, Request};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use mock_llm::diagnose::{Look, Source, render};
use mock_llm::script::Script;
use mock_llm::yaml;
use serde_json::Value;

/// What came back.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
    /// Whether the connection broke before the body ended.
    pub(crate) broken: bool,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// The data of the events of a stream.
    pub(crate) fn events(&self) -> Vec<&str> {
        assert_eq!(self.header("content-type"), Some("text/event-stream; charset=utf-8"));
        self.body.split("\n\n").filter_map(|event| event.strip_prefix("data: ")).collect()
    }
}

/// A client with its own runtime.
pub(crate) struct Http {
    runtime: tokio::runtime::Runtime,
    client: Client<HttpConnector, Full<Bytes>>,
}

impl Http {
    pub(crate) fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { runtime, client: Client::builder(TokioExecutor::new()).build_http() }
    }

    pub(crate) fn send(&self, method: Method, url: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut request = Request::builder().method(method).uri(url);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(Bytes::from(body.to_owned()))).unwrap();
        self.runtime.block_on(async {
            let response = self.client.request(request).await.unwrap();
            let status = response.status().as_u16();
            let headers = response.headers().iter();
            let headers =
                headers.map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned())).collect();
            let mut body = response.into_body();
            let (mut bytes, mut broken) = (Vec::new(), false);
            while let Some(frame) = body.frame().await {
                match frame {
                    Ok(frame) => bytes.extend_from_slice(&frame.into_data().unwrap_or_default()),
                    Err(_) => {
                        broken = true;
                        break;
                    }
                }
            }
            Reply { status, headers, body: String::from_utf8(bytes).unwrap(), broken }
        })
    }

    pub(crate) fn get(&self, url: &str) -> Reply {
        self.send(Method::GET, url, &[], "")
    }

    pub(crate) fn post(&self, url: &str, headers: &[(&str, &str)], body: &Value) -> Reply {
        self.send(Method::POST, url, headers, &body.to_string())
    }
}

/// A script from a file of the tests.
pub(crate) fn script_at(path: &str) -> Arc<Script> {
    let source = yaml::source_from_bytes(path, std::fs::read(path).unwrap()).unwrap();
    loaded(&source)
}

/// A script from a text.
pub(crate) fn script(text: &str) -> Arc<Script> {
    loaded(&Source::new("script.yaml", text))
}

fn loaded(source: &Source) -> Arc<Script> {
    let loading = Script::load(source, &|name| std::fs::read(name).map_err(|error| error.to_string()));
    let shown = render(&loading.diagnostics, &loading.sources, Look::default());
    Arc::new(loading.script.unwrap_or_else(|| panic!("{shown}")))
}
