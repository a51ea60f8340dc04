//! One reply's calls: which may run beside each other, and how far they are (`spec/turn-loop.md` §6).

use std::sync::Arc;

use serde_json::Value;

use crate::behaviour::ParallelRule;
use crate::values::{Parallel, SimDuration, SimTime, ToolCall, ToolEnd, ToolList};

/// Workers of a parallel segment.
const WORKERS_MAX: usize = 8;

/// A call of the round with what is known of it.
#[derive(Clone, Debug)]
pub(crate) struct RoundCall {
    /// As asked for, its name repaired.
    pub(crate) call: ToolCall,
    /// Its arguments, or what is wrong with them.
    pub(crate) args: Result<Value, String>,
    /// Set once it is known that it will not run.
    pub(crate) state: CallState,
}

/// How far a call is.
#[derive(Clone, Debug)]
pub(crate) enum CallState {
    Pending,
    Running(SimTime),
    Done(Answered),
}

/// A call's answer as the conversation keeps it until its turn to be appended.
#[derive(Clone, Debug)]
pub(crate) struct Answered {
    pub(crate) text: Arc<str>,
    pub(crate) end: ToolEnd,
    /// From dispatch to answer; nothing for calls that did not run.
    pub(crate) took: SimDuration,
}

impl Answered {
    /// The answer of a call that did not run.
    pub(crate) fn at_once(text: impl Into<Arc<str>>, end: ToolEnd) -> Self {
        Self { text: text.into(), end, took: SimDuration::ZERO }
    }
}

/// Calls that are dispatched together, or one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) indices: Vec<usize>,
    pub(crate) parallel: bool,
}

/// One reply's calls in progress.
#[derive(Clone, Debug)]
pub(crate) struct Round {
    /// Which round of its conversation, from 1.
    pub(crate) number: u32,
    pub(crate) calls: Vec<RoundCall>,
    pub(crate) segments: Vec<Segment>,
    /// The segment in progress.
    pub(crate) segment: usize,
    /// Results already appended to the conversation.
    pub(crate) appended: usize,
    /// When the last wait was armed; an older timer is stale.
    pub(crate) limit: u32,
}

impl Round {
    /// Plans the calls. Those already answered (unknown tools, bad arguments) take part in no segment.
    pub(crate) fn plan(number: u32, calls: Vec<RoundCall>, tools: &ToolList, rule: ParallelRule) -> Self {
        let segments = segments(&calls, tools, rule);
        Self { number, calls, segments, segment: 0, appended: 0, limit: 0 }
    }

    /// The running calls of the segment in progress.
    pub(crate) fn running(&self) -> impl Iterator<Item = usize> {
        self.calls
            .iter()
            .enumerate()
            .filter(|(_, call)| matches!(call.state, CallState::Running(_)))
            .map(|(index, _)| index)
    }

    /// The next call of a sequential segment, or all pending ones of a parallel one as far as workers allow.
    pub(crate) fn startable(&self) -> Vec<usize> {
        let Some(segment) = self.segments.get(self.segment) else { return Vec::new() };
        let running = self.running().count();
        let free = if segment.parallel { WORKERS_MAX } else { 1 }.saturating_sub(running);
        let mut pending = self.pending_of_segment();
        pending.truncate(free);
        pending
    }

    /// The calls of the segment in progress that have not begun.
    pub(crate) fn pending_of_segment(&self) -> Vec<usize> {
        let indices = self.segments.get(self.segment).map_or(&[][..], |segment| &segment.indices);
        let is_pending = |&index: &usize| matches!(self.calls[index].state, CallState::Pending);
        indices.iter().copied().filter(is_pending).collect()
    }

    /// Whether the segment in progress is parallel.
    pub(crate) fn is_parallel(&self) -> bool {
        self.segments.get(self.segment).is_some_and(|segment| segment.parallel)
    }

    /// Whether every call of the segment in progress is answered.
    pub(crate) fn segment_done(&self) -> bool {
        self.segments.get(self.segment).is_none_or(|segment| {
            segment.indices.iter().all(|&index| matches!(self.calls[index].state, CallState::Done(_)))
        })
    }

    /// The segment that a call belongs to.
    pub(crate) fn segment_of(&self, index: usize) -> u32 {
        let at = self.segments.iter().position(|segment| segment.indices.contains(&index));
        u32::try_from(at.unwrap_or(0)).unwrap_or(u32::MAX)
    }
}

fn segments(calls: &[RoundCall], tools: &ToolList, rule: ParallelRule) -> Vec<Segment> {
    let open: Vec<usize> =
        (0..calls.len()).filter(|&index| matches!(calls[index].state, CallState::Pending)).collect();
    let runs = parallel_runs(calls, tools, &open);
    if rule == ParallelRule::Batch {
        let parallel = runs.len() == 1 && runs[0].parallel;
        return vec![Segment { indices: open, parallel }];
    }
    let mut merged: Vec<Segment> = Vec::new();
    for run in runs {
        match merged.last_mut() {
            Some(last) if !last.parallel && !run.parallel => last.indices.extend(run.indices),
            _ => merged.push(run),
        }
    }
    merged
}

/// Maximal runs of calls that may run beside each other; runs of one count as sequential.
fn parallel_runs(calls: &[RoundCall], tools: &ToolList, open: &[usize]) -> Vec<Segment> {
    let mut runs: Vec<Segment> = Vec::new();
    let mut run: Vec<usize> = Vec::new();
    let mut paths: Vec<String> = Vec::new();
    let close = |run: &mut Vec<usize>, runs: &mut Vec<Segment>| {
        if !run.is_empty() {
            let parallel = run.len() > 1;
            runs.push(Segment { indices: std::mem::take(run), parallel });
        }
    };
    for &index in open {
        match safety(&calls[index], tools) {
            Safety::Barrier => {
                close(&mut run, &mut runs);
                paths.clear();
                runs.push(Segment { indices: vec![index], parallel: false });
            }
            Safety::Safe => run.push(index),
            Safety::Path(path) => {
                if paths.iter().any(|other| overlap(other, &path)) {
                    close(&mut run, &mut runs);
                    paths.clear();
                }
                paths.push(path);
                run.push(index);
            }
        }
    }
    close(&mut run, &mut runs);
    runs
}

enum Safety {
    Barrier,
    Safe,
    Path(String),
}

fn safety(call: &RoundCall, tools: &ToolList) -> Safety {
    let Ok(Value::Object(args)) = &call.args else { return Safety::Barrier };
    match tools.get(&call.call.name).map(|tool| tool.parallel) {
        Some(Parallel::Safe) => Safety::Safe,
        Some(Parallel::ByPath) => match args.get("path").and_then(Value::as_str) {
            Some(path) => Safety::Path(canonical(path)),
            None => Safety::Barrier,
        },
        Some(Parallel::Never) | None => Safety::Barrier,
    }
}

fn canonical(path: &str) -> String {
    let absolute = if path.starts_with('/') { path.to_owned() } else { format!("/work/{path}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in absolute.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Equal, or one containing the other.
fn overlap(one: &str, two: &str) -> bool {
    let within = |inner: &str, outer: &str| {
        inner
            .strip_prefix(outer)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || outer.is_empty())
    };
    within(one, two) || within(two, one)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::values::{ToolOwner, ToolSpec};

    fn tools() -> ToolList {
        let tool = |name: &str, parallel| ToolSpec {
            name: name.into(),
            description: "".into(),
            parameters: json!({}),
            parallel,
            owner: ToolOwner::Home,
        };
        ToolList::new(vec![
            tool("skill_view", Parallel::Safe),
            tool("read_file", Parallel::ByPath),
            tool("write_file", Parallel::ByPath),
            tool("terminal", Parallel::Never),
        ])
    }

    fn plan(calls: &[(&str, Value)], rule: ParallelRule) -> Vec<(Vec<usize>, bool)> {
        let calls = calls
            .iter()
            .map(|(name, args)| RoundCall {
                call: ToolCall { id: "c".into(), name: (*name).into(), arguments: args.to_string().into() },
                args: Ok(args.clone()),
                state: CallState::Pending,
            })
            .collect();
        Round::plan(1, calls, &tools(), rule)
            .segments
            .into_iter()
            .map(|one| (one.indices, one.parallel))
            .collect()
    }

    #[test]
    fn barriers_and_overlapping_paths_end_a_run() {
        let calls = [
            ("skill_view", json!({"name": "a"})),
            ("read_file", json!({"path": "src/a"})),
            ("write_file", json!({"path": "/work/src"})),
            ("skill_view", json!({"name": "b"})),
            ("terminal", json!({})),
            ("terminal", json!({})),
            ("read_file", json!({})),
        ];
        assert_eq!(
            plan(&calls, ParallelRule::Segments),
            [(vec![0, 1], true), (vec![2, 3], true), (vec![4, 5, 6], false)]
        );
        assert_eq!(plan(&calls, ParallelRule::Batch), [((0..7).collect(), false)]);
        assert_eq!(plan(&calls[..2], ParallelRule::Batch), [(vec![0, 1], true)]);
        assert_eq!(plan(&calls[..1], ParallelRule::Segments), [(vec![0], false)]);
    }

    #[test]
    fn paths_overlap_when_one_holds_the_other() {
        assert!(overlap("work/a", "work/a/b"));
        assert!(!overlap("work/a", "work/ab"));
        assert_eq!(canonical("x/../a"), "work/a");
    }
}
