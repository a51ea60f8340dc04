//! Guardrails of one turn: remarks on repeated failures and repeated reads, and, if switched on, an end to them
//! (`spec/turn-loop.md` §6).

use std::collections::BTreeMap;

use serde_json::Value;

use crate::behaviour::GuardrailRules;

/// Tools that only read, so that the same answer twice is no progress.
const READ_ONLY: [&str; 6] =
    ["read_file", "search_files", "session_search", "skill_view", "skills_list", "web_search"];

/// A call's identity: tool name and a digest of its canonical arguments.
type Identity = (String, [u8; 16]);

/// What the guardrails say after a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Remark {
    /// Nothing.
    None,
    /// A sentence to append to the result.
    Warn(String),
    /// The turn ends after this call.
    Halt(String),
}

/// The guardrails' memory of one turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct Guardrails {
    exact: BTreeMap<Identity, u32>,
    by_tool: BTreeMap<String, u32>,
    reads: BTreeMap<Identity, ([u8; 16], u32)>,
}

impl Guardrails {
    /// Whether the call may run; otherwise why not. Asked only with the hard stop on.
    pub(crate) fn check(&self, tool: &str, args: &Value, rules: &GuardrailRules) -> Result<(), String> {
        let Some(stop) = rules.stop else { return Ok(()) };
        let identity = identity(tool, args);
        if self.exact.get(&identity).is_some_and(|&times| times >= stop.exact_failure) {
            return Err(format!(
                "This exact call of {tool} has failed {} times; it is not run again.",
                stop.exact_failure
            ));
        }
        if is_read_only(tool)
            && self.reads.get(&identity).is_some_and(|&(_, times)| times >= stop.no_progress)
        {
            return Err(format!(
                "This exact call of {tool} keeps giving the same result; it is not run again."
            ));
        }
        Ok(())
    }

    /// Takes note of a call's outcome.
    pub(crate) fn observe(
        &mut self,
        tool: &str,
        args: &Value,
        failed: bool,
        text: &str,
        rules: &GuardrailRules,
    ) -> Remark {
        let identity = identity(tool, args);
        if failed { self.failed(tool, identity, rules) } else { self.succeeded(tool, identity, text, rules) }
    }

    fn failed(&mut self, tool: &str, identity: Identity, rules: &GuardrailRules) -> Remark {
        self.reads.remove(&identity);
        let exact = self.exact.entry(identity).or_default();
        *exact += 1;
        let same_tool = self.by_tool.entry(tool.to_owned()).or_default();
        *same_tool += 1;
        if rules.stop.is_some_and(|stop| *same_tool >= stop.same_tool_failure) {
            return Remark::Halt(format!("{tool} has failed {same_tool} times in this turn."));
        }
        match rules.warn {
            Some(warn) if *exact >= warn.exact_failure => Remark::Warn(format!(
                "[Note: the same call has now failed {exact} times. Try something else.]"
            )),
            Some(warn) if *same_tool >= warn.same_tool_failure => Remark::Warn(format!(
                "[Note: {tool} has now failed {same_tool} times. Think again about the approach.]"
            )),
            _ => Remark::None,
        }
    }

    fn succeeded(&mut self, tool: &str, identity: Identity, text: &str, rules: &GuardrailRules) -> Remark {
        self.exact.remove(&identity);
        self.by_tool.remove(tool);
        if !is_read_only(tool) {
            return Remark::None;
        }
        let digest = digest(text.as_bytes());
        let (last, times) = self.reads.entry(identity).or_insert((digest, 0));
        *times = if *last == digest { *times + 1 } else { 1 };
        *last = digest;
        match rules.warn {
            Some(warn) if *times >= warn.no_progress => {
                Remark::Warn(format!("[Note: this call has given the same result {times} times.]"))
            }
            _ => Remark::None,
        }
    }
}

fn is_read_only(tool: &str) -> bool {
    READ_ONLY.contains(&tool)
}

fn identity(tool: &str, args: &Value) -> Identity {
    // serde_json keeps objects sorted, so the text is canonical.
    (tool.to_owned(), digest(args.to_string().as_bytes()))
}

fn digest(bytes: &[u8]) -> [u8; 16] {
    let whole = blake3::hash(bytes);
    let (half, _) = whole.as_bytes().split_at(16);
    half.try_into().expect("half of 32 bytes")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::behaviour::GuardrailLimits;

    const RULES: GuardrailRules = GuardrailRules {
        warn: Some(GuardrailLimits { exact_failure: 2, same_tool_failure: 3, no_progress: 2 }),
        stop: Some(GuardrailLimits { exact_failure: 5, same_tool_failure: 8, no_progress: 5 }),
    };

    #[test]
    fn the_sixth_identical_failure_is_not_run() {
        let mut rails = Guardrails::default();
        let args = json!({"b": 1, "a": 2});
        for time in 1..=5 {
            assert_eq!(rails.check("memory", &args, &RULES), Ok(()), "{time}");
            let remark = rails.observe("memory", &args, true, "", &RULES);
            assert_eq!(matches!(remark, Remark::Warn(_)), time >= 2);
        }
        assert!(rails.check("memory", &args, &RULES).is_err());
        assert_eq!(rails.check("memory", &json!({}), &RULES), Ok(()));
    }

    #[test]
    fn eight_failures_of_a_tool_halt_and_a_success_clears() {
        let mut rails = Guardrails::default();
        for time in 1..=7 {
            assert!(!matches!(
                rails.observe("terminal", &json!({ "n": time }), true, "", &RULES),
                Remark::Halt(_)
            ));
        }
        assert!(matches!(rails.observe("terminal", &json!({"n": 8}), true, "", &RULES), Remark::Halt(_)));
        rails.observe("terminal", &json!({"n": 9}), false, "ok", &RULES);
        assert_eq!(rails.observe("terminal", &json!({"n": 10}), true, "", &RULES), Remark::None);
    }

    #[test]
    fn the_same_read_twice_is_remarked_on() {
        let mut rails = Guardrails::default();
        let args = json!({"path": "a"});
        assert_eq!(rails.observe("read_file", &args, false, "x", &RULES), Remark::None);
        assert!(matches!(rails.observe("read_file", &args, false, "x", &RULES), Remark::Warn(_)));
        assert_eq!(rails.observe("read_file", &args, false, "y", &RULES), Remark::None);
    }
}
