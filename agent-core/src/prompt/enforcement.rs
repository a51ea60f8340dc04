//! Which texts on acting by tools a model gets (`spec/prompt.md` §1.1, row 9).

use super::library::PromptName;
use crate::behaviour::{Enforcement, PromptRules};

/// Parts of model names that get the Google-style text (`spec/prompt.md` §1.1).
const GOOGLE: [&str; 2] = ["gemini", "gemma"];

/// The texts for a model, in order; empty where nothing is insisted on.
pub(super) fn texts(model: &str, rules: &PromptRules) -> Vec<(&'static str, PromptName)> {
    let model = model.to_lowercase();
    let on = match &rules.enforcement {
        Enforcement::On => true,
        Enforcement::Off => false,
        Enforcement::Names(parts) => parts.iter().any(|part| model.contains(part.as_str())),
    };
    if !on {
        return Vec::new();
    }
    let mut texts = vec![("tool-use-enforcement", PromptName::Enforcement)];
    if GOOGLE.iter().any(|part| model.contains(part)) {
        texts.push(("google-guidance", PromptName::EnforcementGoogle));
    }
    if rules.openai_style.iter().any(|part| model.contains(part.as_str())) {
        texts.push(("openai-guidance", PromptName::EnforcementOpenai));
    }
    texts
}
