//! What a parent reads of a child: its status, its answer, what it did (`spec/turn-loop.md` §10).

use std::sync::Arc;

use serde_json::{Value, json};

use super::conversation::Exit;
use super::verdict;
use crate::text::cut;
use crate::values::{Chars, Message, SimDuration, Transcript, Usage};

/// The answer of a child that found no words.
const EMPTY_MARKER: &str = "(empty)";

/// How a child ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChildEnd {
    /// `completed`, `failed`, `interrupted`, `timeout` or `error`.
    pub(super) status: &'static str,
    /// `completed`, `max_iterations`, `interrupted`, `timeout` or `error`.
    exit_reason: &'static str,
    pub(super) summary: Option<Arc<str>>,
    error: Option<String>,
}

impl ChildEnd {
    /// The end that a turn's exit stands for. Words count as completed, even if the limit was hit.
    pub(super) fn of_exit(exit: &Exit) -> Self {
        if exit.interrupted {
            return Self::stopped("interrupted", "the parent was interrupted");
        }
        let has_words = |answer: &&Arc<str>| {
            !answer.trim().is_empty()
                && &***answer != EMPTY_MARKER
                && exit.reason != "empty_response_exhausted"
        };
        let exit_reason = if exit.completed {
            "completed"
        } else if exit.early || exit.failed {
            "error"
        } else {
            "max_iterations"
        };
        match exit.answer.as_ref().filter(has_words) {
            Some(answer) => {
                Self { status: "completed", exit_reason, summary: Some(Arc::clone(answer)), error: None }
            }
            None => Self { status: "failed", exit_reason, summary: None, error: Some(exit.reason.clone()) },
        }
    }

    /// A child that was not let finish: `interrupted` or `timeout`.
    pub(super) fn stopped(status: &'static str, why: impl Into<String>) -> Self {
        Self { status, exit_reason: status, summary: None, error: Some(why.into()) }
    }
}

/// One child's part of the results.
#[derive(Clone, Debug)]
pub(super) struct ChildReport {
    pub(super) task: usize,
    pub(super) end: ChildEnd,
    pub(super) api_calls: u32,
    pub(super) took: SimDuration,
    pub(super) model: Arc<str>,
    pub(super) usage: Usage,
    pub(super) trace: Value,
}

impl ChildReport {
    /// The part as the parent reads it, its answer already cut.
    pub(super) fn to_value(&self) -> Value {
        let mut part = json!({
            "task_index": self.task,
            "status": self.end.status,
            "summary": self.end.summary.as_deref(),
            "exit_reason": self.end.exit_reason,
            "api_calls": self.api_calls,
            "duration_seconds": self.took.as_secs_f64(),
            "model": &*self.model,
            "tokens": { "input": self.usage.prompt.0, "output": self.usage.completion.0 },
            "tool_trace": self.trace,
        });
        if let Some(error) = &self.end.error {
            part["error"] = error.as_str().into();
        }
        part
    }
}

/// The calls that a child made, in order, with the sizes of what went in and came out.
pub(super) fn tool_trace(transcript: &Transcript) -> Value {
    let mut arguments: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    let mut trace = Vec::new();
    for message in transcript.iter() {
        for call in message.calls() {
            arguments.insert(&call.id, Chars::of(&call.arguments).0);
        }
        if let Message::Tool { call, tool, text } = &**message {
            let failed = verdict::is_failure(tool, text);
            trace.push(json!({
                "tool": &**tool,
                "args_chars": arguments.get(&**call).copied().unwrap_or(0),
                "result_chars": Chars::of(text).0,
                "ok": !failed,
            }));
        }
    }
    trace.into()
}

/// An answer that is too long for the parent: its beginning, and where the whole of it lies.
pub(super) fn cut_summary(summary: &str, chars: usize, file: &str) -> String {
    let whole = Chars::of(summary).0;
    format!("{}\n\n[{chars} of {whole} characters; the whole answer is in {file}]", cut(summary, chars))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::{AssistantText, ToolCall};

    fn exit(reason: &str, answer: Option<&str>) -> Exit {
        Exit {
            reason: reason.to_owned(),
            early: reason.starts_with("early"),
            interrupted: false,
            failed: answer.is_none(),
            completed: reason == "text_response",
            answer: answer.map(Arc::from),
        }
    }

    #[test]
    fn words_count_as_completed() {
        for (reason, answer, status, exit_reason) in [
            ("text_response", Some("found"), "completed", "completed"),
            ("max_iterations_reached(50/50)", Some("so far"), "completed", "max_iterations"),
            ("empty_response_exhausted", Some("(no answer came)"), "failed", "max_iterations"),
            ("text_response", Some("(empty)"), "failed", "completed"),
            ("early_return(auth)", None, "failed", "error"),
        ] {
            let end = ChildEnd::of_exit(&exit(reason, answer));
            assert_eq!((end.status, end.exit_reason), (status, exit_reason), "{reason}");
        }
        let interrupted = Exit { interrupted: true, ..exit("interrupted_by_user", None) };
        assert_eq!(ChildEnd::of_exit(&interrupted).status, "interrupted");
    }

    #[test]
    fn a_trace_tells_each_call() {
        let call = ToolCall { id: "c".into(), name: "read_file".into(), arguments: "{}".into() };
        let asked =
            Message::Assistant { text: AssistantText::default(), calls: [call].into(), synthetic: None };
        let answer = Message::Tool { call: "c".into(), tool: "read_file".into(), text: "Error: no".into() };
        let transcript: Transcript = [asked, answer].into_iter().collect();
        let expected = json!([{"tool": "read_file", "args_chars": 2, "result_chars": 9, "ok": false}]);
        assert_eq!(tool_trace(&transcript), expected);
        assert_eq!(
            cut_summary("abcdef", 2, "/work/x.md"),
            "ab\n\n[2 of 6 characters; the whole answer is in /work/x.md]"
        );
    }
}
