//! System prompts, read once each.
//!
//! All requests of a session begin with the same prompt, and an index of thousands of skills takes longer to read than a
//! request to answer. So what was read of the last few prompts is kept. A bound on work, not on results: what is kept
//! depends on the prompt's text alone.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use minijinja::value::Value;

use super::prompt::{SkillLine, memory_blocks, skills_index};
use crate::preset::Preset;
use crate::wire::Digest;

/// Prompts that are kept: those of the sessions and reviews that overlap in one cell.
const PROMPTS_MAX: usize = 8;

/// The newest prompts of a cell by the digest of their message, newest last.
#[derive(Debug, Default)]
pub(crate) struct Prompts(Mutex<VecDeque<(Digest, Arc<Prompt>)>>);

impl Prompts {
    /// The prompt of this digest; `text` gives its text if it was not read yet.
    pub(crate) fn of(&self, digest: Digest, text: impl FnOnce() -> Arc<str>) -> Arc<Prompt> {
        // What a panicking reader leaves is still a list of prompts.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = known.iter().rposition(|(other, _)| *other == digest);
        let entry = match place.and_then(|place| known.remove(place)) {
            Some(entry) => entry,
            None => (digest, Arc::new(Prompt::new(text()))),
        };
        let prompt = Arc::clone(&entry.1);
        known.push_back(entry);
        if known.len() > PROMPTS_MAX {
            known.pop_front();
        }
        prompt
    }
}

/// One system prompt; its parts are read off when they are asked for.
#[derive(Debug)]
pub(crate) struct Prompt {
    text: Arc<str>,
    skills: OnceLock<Vec<SkillLine>>,
    by_name: OnceLock<Value>,
    memory: OnceLock<[Arc<str>; 2]>,
}

impl Prompt {
    fn new(text: Arc<str>) -> Self {
        Self { text, skills: OnceLock::new(), by_name: OnceLock::new(), memory: OnceLock::new() }
    }

    /// The whole text.
    pub(crate) fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The lines of the skills index, in its order.
    pub(super) fn skills(&self, preset: &Preset) -> &[SkillLine] {
        self.skills.get_or_init(|| skills_index(preset, &self.text))
    }

    /// The same by name, with category and description.
    pub(super) fn skills_by_name(&self, preset: &Preset) -> Value {
        let value = self.by_name.get_or_init(|| {
            // Of two skills with one name the first counts: later pairs of a mapping would win.
            Value::from_pairs(self.skills(preset).iter().rev().map(|skill| {
                let shown = Value::from_pairs([
                    ("category", skill.category.as_str()),
                    ("description", skill.description.as_str()),
                ]);
                (skill.name.as_str(), shown)
            }))
        });
        value.clone()
    }

    /// Notes and profile.
    pub(super) fn memory(&self, preset: &Preset) -> &[Arc<str>; 2] {
        self.memory.get_or_init(|| {
            let blocks = memory_blocks(preset, &self.text);
            [blocks.notes.into(), blocks.profile.into()]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_read_once_and_the_oldest_is_forgotten() {
        let prompts = Prompts::default();
        let read = |n: u8| prompts.of([n; 16], || n.to_string().into());
        let first = read(0);
        assert!(Arc::ptr_eq(&first, &read(0)));
        for n in 1..=8 {
            read(n);
        }
        assert!(!Arc::ptr_eq(&first, &read(0)), "eight others were read since");
        assert_eq!(**read(8).text(), *"8");
    }
}
