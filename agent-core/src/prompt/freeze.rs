//! How long a system prompt lives: taking a stored one up again, keeping it over compaction, and following a change
//! of model (`spec/prompt.md` §2). The machine decides when to ask.

use super::assemble::{MODEL_LABEL, PROVIDER_LABEL};
use super::library::{PromptLibrary, PromptName};
use crate::behaviour::PromptRules;
use crate::text;

/// What to do when an agent object meets a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restore<'a> {
    /// Take the stored text, byte for byte.
    Reuse(&'a str),
    /// Build a new one and store it.
    Rebuild(Rebuild),
}

/// Why a prompt is built anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rebuild {
    /// The session is new: what is stored was not asked.
    NewSession,
    /// Nothing usable is stored although the session has a history; worth a warning.
    NothingStored,
    /// The stored text names another model or provider.
    OtherRuntime,
}

/// Whether a fresh agent object takes the stored prompt of a session.
pub fn restore<'a>(
    stored: Option<&'a str>,
    has_history: bool,
    model: &str,
    provider: &str,
    rules: &PromptRules,
) -> Restore<'a> {
    if !has_history {
        return Restore::Rebuild(Rebuild::NewSession);
    }
    let Some(stored) = stored.filter(|stored| !stored.is_empty()) else {
        return Restore::Rebuild(Rebuild::NothingStored);
    };
    let same = |label: &str, current: &str| {
        current.is_empty()
            || last_line(stored, label).is_none_or(|at| text::trim(at.2) == text::trim(current))
    };
    if rules.restore_compares_runtime && !(same(MODEL_LABEL, model) && same(PROVIDER_LABEL, provider)) {
        return Restore::Rebuild(Rebuild::OtherRuntime);
    }
    Restore::Reuse(stored)
}

/// The last line that begins with a label: where its value begins and ends, and the value.
fn last_line<'a>(prompt: &'a str, label: &str) -> Option<(usize, usize, &'a str)> {
    let label = text::trim_end(label);
    let mut end = prompt.len();
    loop {
        let start = prompt[..end].rfind('\n').map_or(0, |at| at + 1);
        if let Some(value) = prompt[start..end].strip_prefix(label) {
            return Some((start + label.len(), end, value));
        }
        end = start.checked_sub(1)?;
    }
}

/// One store's part in the question whether a prompt is up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target<'a> {
    /// The block as a new prompt would show it; none where nothing is stored.
    pub block: Option<&'a str>,
    /// The fixed label in the header of the store's blocks.
    pub label: &'a str,
}

/// Whether compaction keeps the old text: nothing external feeds the prompt, and for each store the new block stands
/// in it word for word, or is empty and the store's label does not occur.
pub fn kept_at_compaction(
    old: &str,
    targets: &[Target<'_>],
    external_provider: bool,
    rules: &PromptRules,
) -> bool {
    let current = |target: &Target<'_>| match target.block.map(text::trim).filter(|block| !block.is_empty()) {
        Some(block) => old.contains(block),
        None => !old.contains(target.label),
    };
    rules.compaction_keeps_text && !external_provider && targets.iter().all(current)
}

/// The text with its last `Model:` and `Provider:` lines naming another runtime, as a failover has it. What is stored
/// is not changed by it.
pub fn with_runtime(prompt: &str, model: &str, provider: &str) -> String {
    let mut text = prompt.to_owned();
    for (label, value) in [(MODEL_LABEL, model), (PROVIDER_LABEL, provider)] {
        if let Some((start, end, _)) = last_line(&text, label) {
            text.replace_range(start..end, &format!(" {value}"));
        }
    }
    text
}

/// The text with the note on compaction at its end; a text that has it stays as it is (`spec/compression.md` §3, step 9).
pub fn with_compaction_note(prompt: &str, library: &PromptLibrary) -> String {
    let note = library.get(PromptName::CompactionNote);
    if prompt.contains(note) { prompt.to_owned() } else { format!("{prompt}\n\n{note}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviour::{Behaviour, Settings, Version};

    fn rules(version: Version) -> PromptRules {
        Behaviour::resolve(&Settings::new(version)).prompt
    }

    const STORED: &str = "Model: in a memory entry\n\nwords\nModel: m-1\nProvider: p";

    #[test]
    fn a_stored_prompt_is_reused_word_for_word() {
        let july = rules(Version::V0_19);
        let with = |model, provider| restore(Some(STORED), true, model, provider, &july);
        assert_eq!(with("m-1", "p"), Restore::Reuse(STORED));
        assert_eq!(with("", ""), Restore::Reuse(STORED));
        assert_eq!(with("m-2", "p"), Restore::Rebuild(Rebuild::OtherRuntime));
        assert_eq!(with("m-1", "q"), Restore::Rebuild(Rebuild::OtherRuntime));
        assert_eq!(restore(Some("no lines"), true, "m", "p", &july), Restore::Reuse("no lines"));
        assert_eq!(restore(Some(STORED), true, "m-2", "p", &rules(Version::V0_16)), Restore::Reuse(STORED));
        let nothing = Restore::Rebuild(Rebuild::NothingStored);
        assert_eq!(
            (restore(None, true, "m", "p", &july), restore(Some(""), true, "m", "p", &july)),
            (nothing, nothing)
        );
        assert_eq!(restore(Some(STORED), false, "m-1", "p", &july), Restore::Rebuild(Rebuild::NewSession));
    }

    #[test]
    fn compaction_keeps_a_prompt_that_shows_the_current_memory() {
        let july = rules(Version::V0_19);
        let old = "intro\n\nNOTES [1%]\nfact\n\ndate";
        let notes = |block| Target { block, label: "NOTES" };
        let user = Target { block: None, label: "PROFILE" };
        let kept = |target, external| kept_at_compaction(old, &[target, user], external, &july);
        assert!(kept(notes(Some("NOTES [1%]\nfact\n")), false));
        assert!(!kept(notes(Some("NOTES [1%]\nfact\n")), true));
        assert!(!kept(notes(Some("NOTES [2%]\nfact\nmore")), false));
        assert!(!kept(notes(None), false));
        assert!(!kept_at_compaction(old, &[user], false, &rules(Version::V0_16)));
        assert!(kept_at_compaction(old, &[user], false, &july));
    }

    #[test]
    fn the_note_on_compaction_is_added_once_and_hides_no_line() {
        let july = rules(Version::V0_19);
        let library = PromptLibrary::new(&july.texts);
        let once = with_compaction_note(STORED, &library);
        assert!(once.len() > STORED.len() && with_compaction_note(&once, &library) == once);
        assert_eq!(restore(Some(&once), true, "m-2", "p", &july), Restore::Rebuild(Rebuild::OtherRuntime));
    }

    #[test]
    fn a_failover_renames_the_last_lines_only() {
        let renamed = with_runtime(STORED, "m-9", "backup");
        assert_eq!(renamed, "Model: in a memory entry\n\nwords\nModel: m-9\nProvider: backup");
        assert_eq!(with_runtime("no lines", "m", "p"), "no lines");
        assert_eq!(last_line("Model:", MODEL_LABEL), Some((6, 6, "")));
        assert_eq!(last_line("", MODEL_LABEL), None);
    }
}
