//! `run.json` and what the trace keeps of it.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::pass_report::PassReport;
use crate::curator::classify::{Consolidated, Pruned, RecordedCall, cut_arguments};

impl PassReport {
    /// The numbers of the model's part. Skills archived by time are not among them.
    pub fn counts(&self) -> Value {
        let classified = &self.classified;
        json!({
            "before": self.before,
            "after": self.after,
            "delta": self.delta(),
            "archived_this_run": classified.removed.len(),
            "added_this_run": classified.added.len(),
            "consolidated_this_run": classified.consolidated.len(),
            "pruned_this_run": classified.pruned.len(),
            "state_transitions": self.state_changes.len(),
            "cron_jobs_rewritten": self.rewritten.jobs_updated,
            "tool_calls_total": self.outcome.tool_calls.len(),
        })
    }

    /// Calls by tool.
    pub fn tool_call_counts(&self) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        for call in &self.outcome.tool_calls {
            *counts.entry(call.name.as_str()).or_default() += 1;
        }
        counts
    }

    /// The content of `run.json`.
    pub fn to_value(&self) -> Value {
        let mut fields = self.common();
        let calls: Vec<Value> = self.outcome.tool_calls.iter().map(call).collect();
        fields.insert("tool_calls".to_owned(), calls.into());
        fields.insert("llm_final".to_owned(), self.outcome.final_text.clone().into());
        fields.insert("model".to_owned(), self.outcome.model.clone().into());
        fields.insert("provider".to_owned(), self.outcome.provider.clone().into());
        Value::Object(fields)
    }

    /// The same without what the trace of the conversation says already.
    pub(in crate::curator) fn to_trace(&self) -> Value {
        Value::Object(self.common())
    }

    fn common(&self) -> Map<String, Value> {
        let classified = &self.classified;
        let pruned_names: Vec<&str> = classified.pruned.iter().map(|one| one.name.as_str()).collect();
        let value = json!({
            "started_at": self.started.to_string(),
            "duration_seconds": self.duration_seconds(),
            "dry_run": self.dry_run,
            "auto_transitions": self.timed.to_value(),
            "counts": self.counts(),
            "tool_call_counts": self.tool_call_counts(),
            "archived": classified.removed,
            "consolidated": classified.consolidated.iter().map(consolidated).collect::<Vec<_>>(),
            "pruned": classified.pruned.iter().map(pruned).collect::<Vec<_>>(),
            "pruned_names": pruned_names,
            "added": classified.added,
            "state_transitions": self.state_changes,
            "cron_rewrites": self.rewritten,
            "llm_summary": self.llm_summary,
            "llm_error": self.outcome.error,
        });
        let Value::Object(mut fields) = value else { unreachable!("an object was written above") };
        if let Some(verification) = &self.verification {
            fields.insert("verification".to_owned(), json!(verification));
        }
        if !self.young.is_empty() {
            fields.insert("too_young".to_owned(), json!(self.young));
        }
        if let Some(snapshot) = &self.timed.snapshot {
            fields.insert("snapshot".to_owned(), snapshot.as_str().into());
        }
        fields
    }
}

fn call(call: &RecordedCall) -> Value {
    json!({"name": call.name, "arguments": cut_arguments(&call.arguments)})
}

fn consolidated(one: &Consolidated) -> Value {
    let mut value =
        json!({"name": one.name, "into": one.into, "source": one.source.as_str(), "reason": one.reason});
    if let Some(fields) = value.as_object_mut() {
        if let Some(evidence) = &one.evidence {
            fields.insert("evidence".to_owned(), json!(evidence));
        }
        if let Some(claimed) = &one.claimed_into {
            fields.insert("model_claimed_into".to_owned(), claimed.clone().into());
        }
    }
    value
}

fn pruned(one: &Pruned) -> Value {
    json!({"name": one.name, "source": one.source.as_str(), "reason": one.reason})
}
