//! From a step to the answer that it stands for.

use std::sync::Arc;

use super::choose::Chooser;
use super::position::{Position, request_bits};
use super::walk::Target;
use crate::expr::{EvalError, Template};
use crate::script::{Act, Texts};
use crate::wire::{Finish, Reply, ReplyCall, Usage, canonical_json};

/// Why a step gives no answer.
pub(super) enum Unanswered {
    /// An expression cannot be evaluated.
    Broken(EvalError),
    /// A sequence of so many texts is used up.
    Sequence(usize),
}

impl From<EvalError> for Unanswered {
    fn from(error: EvalError) -> Self {
        Self::Broken(error)
    }
}

impl Chooser<'_> {
    /// The text of a reply step; none for a step with calls.
    pub(super) fn reply_text(&self, target: &Target, attempt: u32) -> Result<Option<Arc<str>>, Unanswered> {
        let Act::Reply { texts, .. } = &self.step(target.rule, &target.frames).act else { return Ok(None) };
        let scene = self.scene(target.rule);
        match texts {
            Texts::One(template) => Ok(Some(template.render(&scene)?)),
            Texts::Sequence(list) => {
                let index = usize::try_from(attempt.saturating_sub(1)).unwrap_or(usize::MAX);
                let template = list.get(index).ok_or(Unanswered::Sequence(list.len()))?;
                Ok(Some(template.render(&scene)?))
            }
        }
    }

    /// The answer of a step. `text` is what a reply step says.
    pub(super) fn reply(
        &self,
        target: &Target,
        text: Option<Arc<str>>,
        created: i64,
    ) -> Result<Reply, EvalError> {
        let scene = self.scene(target.rule);
        let optional = |template: &Option<Template>| {
            template.as_ref().map(|template| template.render(&scene)).transpose()
        };
        let (text, reasoning, calls) = match &self.step(target.rule, &target.frames).act {
            Act::Calls { say, reasoning, .. } => {
                (optional(say)?.unwrap_or_default(), optional(reasoning)?, self.calls(target)?)
            }
            Act::Reply { reasoning, .. } => (text.unwrap_or_default(), optional(reasoning)?, Vec::new()),
            Act::Retry | Act::Stop => unreachable!("targets are calls and replies"),
        };
        let request = &self.view.request;
        let finish = if calls.is_empty() { Finish::Stop } else { Finish::ToolCalls };
        let mut reply = Reply {
            id: completion_id(self.view.inputs.digest, self.view.inputs.attempt),
            created,
            model: request.model.clone(),
            text,
            reasoning,
            calls,
            finish: Some(finish),
            usage: Usage { prompt: request.prompt_tokens(), completion: 0 },
        };
        reply.usage.completion = reply.completion_tokens();
        Ok(reply)
    }

    fn calls(&self, target: &Target) -> Result<Vec<ReplyCall>, EvalError> {
        let Act::Calls { calls, .. } = &self.step(target.rule, &target.frames).act else {
            return Ok(Vec::new());
        };
        let scene = self.scene(target.rule);
        let mut position = Position {
            rule: u16::try_from(target.rule).unwrap_or(u16::MAX),
            frames: target.frames.clone(),
            index: 0,
            request: request_bits(&self.view.request),
            script: self.script.digest,
        };
        let chosen = |index: &usize| target.subset.as_ref().is_none_or(|subset| subset.contains(index));
        (0..calls.len())
            .filter(chosen)
            .map(|index| {
                position.index = u8::try_from(index).unwrap_or(u8::MAX);
                let arguments = canonical_json(&calls[index].args.render(&scene)?);
                Ok(ReplyCall {
                    id: position.to_id().into(),
                    name: calls[index].tool.clone(),
                    arguments: arguments.into(),
                })
            })
            .collect()
    }
}

/// The id of an answer: of the request, and from the second attempt on of that too.
pub(super) fn completion_id(digest: crate::wire::Digest, attempt: u32) -> Arc<str> {
    let number = u128::from_be_bytes(digest) >> 32;
    if attempt > 1 {
        format!("chatcmpl-{number:024x}-{attempt}").into()
    } else {
        format!("chatcmpl-{number:024x}").into()
    }
}
