//! Where the script goes from a position: results, branches, next steps, later rules.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::choose::Chooser;
use super::position::{Frame, Position};
use crate::expr::EvalError;
use crate::script::{Act, Branch, Rule, Step};
use crate::view::Record;
use crate::wire::Author;

/// A step that is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) rule: usize,
    /// Levels, the step's own last.
    pub(super) frames: Vec<Frame>,
    /// Which of its calls; all if there is none.
    pub(super) subset: Option<Vec<usize>>,
}

/// Where a rule's steps lead.
pub(super) enum Flow {
    /// To a step.
    At(Target),
    /// To their end.
    End,
}

/// The calls of the turn's last reply that has any.
pub(super) struct Located {
    pub(super) message: usize,
    pub(super) rule: usize,
    pub(super) frames: Vec<Frame>,
}

/// A call id that this script did not issue.
pub(super) struct Lost(pub(super) Arc<str>);

/// The branches of a step, `on_error` first.
fn branches(step: &Step) -> impl Iterator<Item = &Branch> {
    step.on_error.iter().chain(&step.on_result)
}

/// The list of steps below these upper levels; none if they lead nowhere.
fn steps_below<'r>(rule: &'r Rule, upper: &[Frame]) -> Option<&'r [Step]> {
    upper.iter().try_fold(rule.steps.as_slice(), |steps, frame| {
        let step = steps.get(usize::from(frame.step))?;
        branches(step).nth(usize::from(frame.branch?)).map(|branch| branch.steps.as_slice())
    })
}

/// A step's number as a position holds it; lists are bounded when a script is loaded.
fn byte(index: usize) -> u8 {
    u8::try_from(index).unwrap_or(u8::MAX)
}

impl<'a> Chooser<'a> {
    /// The position of the turn's last reply with calls.
    pub(super) fn locate(&self) -> Result<Option<Located>, Lost> {
        let messages = self.view.messages();
        let first = self.view.turn.start + 1;
        let Some(message) = (first..messages.len())
            .rev()
            .find(|index| messages[*index].author == Author::Assistant && !messages[*index].calls.is_empty())
        else {
            return Ok(None);
        };
        let calls = &messages[message].calls;
        let position = self.position(&calls[0].id);
        position
            .map(|position| {
                Some(Located { message, rule: usize::from(position.rule), frames: position.frames })
            })
            .ok_or_else(|| Lost(calls[0].id.clone()))
    }

    /// The position that an id of this script carries.
    fn position(&self, id: &str) -> Option<Position> {
        let position = Position::from_id(id).filter(|position| position.script == self.script.digest)?;
        let rule = self.rules.get(usize::from(position.rule))?;
        let (leaf, upper) = position.frames.split_last()?;
        let step = steps_below(rule, upper)?.get(usize::from(leaf.step))?;
        matches!(step.act, Act::Calls { .. }).then_some(position)
    }

    /// The step of these levels.
    pub(super) fn step(&self, rule: usize, frames: &[Frame]) -> &'a Step {
        let (leaf, upper) = frames.split_last().expect("a position has a level");
        let steps = steps_below(&self.rules[rule], upper).expect("positions are checked when they are read");
        &steps[usize::from(leaf.step)]
    }

    /// The first step of a rule that applies now.
    pub(super) fn enter(&self, rule: usize) -> Result<Flow, EvalError> {
        self.advance(rule, &[], 0)
    }

    /// The step that follows another in its rule.
    pub(super) fn after(&self, rule: usize, frames: &[Frame]) -> Result<Flow, EvalError> {
        let (leaf, upper) = frames.split_last().expect("a position has a level");
        self.advance(rule, upper, usize::from(leaf.step) + 1)
    }

    /// The first step from `first` on, below these levels, that applies now; then what follows the upper levels.
    fn advance(&self, rule: usize, upper: &[Frame], first: usize) -> Result<Flow, EvalError> {
        let steps = steps_below(&self.rules[rule], upper).expect("positions are checked when they are read");
        for (index, step) in steps.iter().enumerate().skip(first) {
            if !self.applies(rule, step)? {
                continue;
            }
            match step.act {
                Act::Calls { .. } | Act::Reply { .. } => {
                    let leaf = Frame { step: byte(index), branch: None, visit: 0 };
                    return Ok(Flow::At(Target { rule, frames: [upper, &[leaf]].concat(), subset: None }));
                }
                Act::Stop => return Ok(Flow::End),
                Act::Retry => return self.repeat(rule, upper),
            }
        }
        if upper.is_empty() { Ok(Flow::End) } else { self.after(rule, upper) }
    }

    fn applies(&self, rule: usize, step: &Step) -> Result<bool, EvalError> {
        step.when.as_ref().map_or(Ok(true), |when| when.holds(&self.scene(rule)))
    }

    /// The failed calls of the step whose branch these levels end in, once more; all its calls after a good result.
    fn repeat(&self, rule: usize, levels: &[Frame]) -> Result<Flow, EvalError> {
        let step = self.step(rule, levels);
        let (parent, upper) = levels.split_last().expect("`retry` stands in a branch");
        let most: u32 = branches(step).map(|branch| branch.times).sum();
        if u32::from(parent.visit) >= most.min(u32::from(u8::MAX)) {
            // Reached only when compression hid the earlier repeats from `taken`.
            return self.after(rule, levels);
        }
        let after_error = parent.branch.is_some_and(|branch| usize::from(branch) < step.on_error.len());
        let subset = after_error.then(|| self.failed_calls(rule, upper, *parent)).flatten();
        let again = Frame { visit: parent.visit + 1, ..*parent };
        Ok(Flow::At(Target { rule, frames: [upper, &[again]].concat(), subset }))
    }

    /// Which calls of a visited step failed, if its reply is still in view.
    fn failed_calls(&self, rule: usize, upper: &[Frame], parent: Frame) -> Option<Vec<usize>> {
        let failed: Vec<usize> = self
            .view
            .turn_records()
            .iter()
            .filter_map(|record| {
                let position =
                    self.position(&record.id).filter(|position| usize::from(position.rule) == rule)?;
                let (leaf, above) = position.frames.split_last()?;
                let same = above == upper && leaf.step == parent.step && leaf.visit == parent.visit;
                (same && record.failed()).then_some(usize::from(position.index))
            })
            .collect();
        (!failed.is_empty()).then_some(failed)
    }

    /// Where the results of a reply lead.
    pub(super) fn after_results(&self, located: &Located) -> Result<Flow, EvalError> {
        let (rule, frames) = (located.rule, located.frames.as_slice());
        let step = self.step(rule, frames);
        let results: Vec<&Arc<Record>> =
            self.view.turn_records().iter().filter(|record| record.asked_at == located.message).collect();
        let failed = results.iter().find(|record| record.failed());
        let mut branch = match failed {
            Some(record) => self.fitting(rule, frames, &step.on_error, 0, record)?,
            None => None,
        };
        for record in results.iter().filter(|record| !record.failed()) {
            if branch.is_some() {
                break;
            }
            branch = self.fitting(rule, frames, &step.on_result, step.on_error.len(), record)?;
        }
        let Some(branch) = branch else { return self.after(rule, frames) };
        let (leaf, upper) = frames.split_last().expect("a position has a level");
        let taken = Frame { branch: Some(byte(branch)), ..*leaf };
        self.advance(rule, &[upper, &[taken]].concat(), 0)
    }

    /// The first branch that fits a result and may still be taken; its number, counted on from `first`.
    fn fitting(
        &self,
        rule: usize,
        frames: &[Frame],
        branches: &[Branch],
        first: usize,
        record: &Record,
    ) -> Result<Option<usize>, EvalError> {
        for (index, branch) in branches.iter().enumerate() {
            let number = first + index;
            let fits = branch.pattern.as_ref().is_none_or(|pattern| pattern.is_in(record.result()))
                && branch.tool.as_ref().is_none_or(|tool| *tool == record.tool)
                && self.taken(rule, frames, byte(number)) < branch.times as usize;
            let holds = || branch.when.as_ref().map_or(Ok(true), |when| when.holds(&self.scene(rule)));
            if fits && holds()? {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }

    /// How often a branch was taken since its step was reached, as far as the turn's call ids in view tell.
    fn taken(&self, rule: usize, frames: &[Frame], branch: u8) -> usize {
        let (own, upper) = frames.split_last().expect("a position has a level");
        let visits: BTreeSet<u8> = self
            .view
            .turn_records()
            .iter()
            .filter_map(|record| {
                let position =
                    self.position(&record.id).filter(|position| usize::from(position.rule) == rule)?;
                let frame = position.frames.get(upper.len())?;
                let below = position.frames.len() > upper.len() + 1;
                let same = position.frames.starts_with(upper)
                    && frame.step == own.step
                    && frame.branch == Some(branch);
                // A repeat carries the branch that led to it, and was asked for on the visit before.
                same.then(|| if below { frame.visit } else { frame.visit.saturating_sub(1) })
            })
            .collect();
        visits.len()
    }
}

/// A step's place for people: `3`, `2/e1/1` (first error branch), `2/r1/1` (first result branch), `2~1` (repeated).
pub(super) fn label(rule: &Rule, frames: &[Frame]) -> String {
    let mut label = String::new();
    let mut steps = rule.steps.as_slice();
    for (level, frame) in frames.iter().enumerate() {
        let Some(step) = steps.get(usize::from(frame.step)) else { break };
        if level > 0 {
            label.push('/');
        }
        label.push_str(&(usize::from(frame.step) + 1).to_string());
        if frame.visit > 0 {
            label.push('~');
            label.push_str(&frame.visit.to_string());
        }
        if level + 1 == frames.len() {
            break;
        }
        let Some(branch) = frame.branch.map(usize::from) else { break };
        let errors = step.on_error.len();
        let part =
            if branch < errors { format!("/e{}", branch + 1) } else { format!("/r{}", branch - errors + 1) };
        label.push_str(&part);
        steps = branches(step).nth(branch).map_or(&[], |branch| branch.steps.as_slice());
    }
    label
}
