//! Failures in the words of the client, which must not depend on the way: neither a library's message nor an address
//! stands in them.

use agent_core::machine::{ModelFault, ModelOutcome};
use agent_core::values::SimDuration;
use mock_llm::engine;

use super::{Answer, Miss, Took};

/// The connection broke before anything of an answer had arrived.
pub(super) fn broken_connection() -> ModelFault {
    ModelFault {
        message: "the connection broke before the answer".to_owned(),
        transport: true,
        ..ModelFault::default()
    }
}

/// A whole answer is no JSON of the protocol.
pub(super) fn malformed_whole() -> ModelFault {
    ModelFault {
        message: "the answer is not the JSON of the protocol".to_owned(),
        transport: true,
        ..ModelFault::default()
    }
}

/// An event of a stream is no JSON of the protocol.
pub(super) fn malformed_chunk() -> ModelFault {
    let message = "an event of the stream is not the JSON of the protocol".to_owned();
    ModelFault { message, transport: true, ..ModelFault::default() }
}

/// The server refused with a status; `retry_after` in seconds.
pub(super) fn refused(
    status: u16,
    code: Option<String>,
    message: String,
    retry_after: Option<u64>,
) -> ModelFault {
    let retry_after = retry_after.map(|seconds| SimDuration::from_millis(seconds.saturating_mul(1000)));
    ModelFault { status: Some(status), code, message, retry_after, transport: false }
}

/// A request that the script does not answer.
pub(super) fn from_miss(miss: &engine::Miss) -> Answer {
    let nearest = miss.nearest.iter().map(|near| (near.rule.to_string(), near.clause.to_string())).collect();
    missed(Miss { message: miss.to_string(), nearest })
}

/// The answer that stands for a miss.
pub(super) fn missed(miss: Miss) -> Answer {
    Answer { miss: Some(miss), ..never() }
}

/// The answer that never comes; the caller says how long it takes until that is noticed.
pub(super) fn never() -> Answer {
    let outcome = ModelOutcome::Failed(ModelFault::default());
    Answer { outcome, took: Took::Paced, rule: None, step: None, miss: None }
}
