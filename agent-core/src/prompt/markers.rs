//! The fixed lines by which a client's own messages, and what they ask for, are recognised.
//!
//! They stand outside every replaceable text: a replaced prompt cannot lose its role. A server that plays the model
//! knows the same lines as data of its own; a shared test compares both ends.
//! Messages that stand in the user's place in the midst of a conversation begin with `[System:` or
//! `[CONTEXT COMPACTION`, as clients of this wire have it (`spec/wire.md`).

/// What a review answers when it found nothing (`spec/background-review.md` §11).
pub const NOTHING_TO_SAVE: &str = "Nothing to save.";

/// How a message with this line stands in its conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// It is the instruction of a conversation of its own and starts a turn.
    Instruction,
    /// The client's own words within a turn, which goes on.
    Continuing,
    /// The client's own words that start a turn in the user's place.
    Starting,
    /// It opens a system prompt.
    System,
    /// It marks a place inside another message.
    Inline,
}

/// One fixed line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marker {
    /// What it is for, a word that never changes.
    pub kind: &'static str,
    /// The line.
    pub text: &'static str,
    /// How a message with it stands in its conversation.
    pub group: Group,
    /// What an instruction with it asks for: `memory`, `skills`, `consolidate`, `preview`, `title`, `compress`,
    /// `summarise`.
    pub asks: &'static [&'static str],
}

const fn instruction(kind: &'static str, text: &'static str, asks: &'static [&'static str]) -> Marker {
    Marker { kind, text, group: Group::Instruction, asks }
}

const fn other(kind: &'static str, text: &'static str, group: Group) -> Marker {
    Marker { kind, text, group, asks: &[] }
}

const MARKERS: &[Marker] = &[
    instruction("review.memory", "[Background review: memory]", &["memory"]),
    instruction("review.skills", "[Background review: skills]", &["skills"]),
    instruction("review.combined", "[Background review: memory and skills]", &["memory", "skills"]),
    instruction("curator", "[Library curation: consolidate]", &["consolidate"]),
    instruction(
        "curator.dry_run",
        "[Library curation: preview of consolidation]",
        &["consolidate", "preview"],
    ),
    instruction("title", "[Session title]", &["title"]),
    instruction("compression", "[Conversation summary for compaction]", &["compress"]),
    instruction("summary", "[Search result summary]", &["summarise"]),
    other("delegate", "[Delegated task]", Group::System),
    other("closing", "[System: the limit of steps is reached]", Group::Continuing),
    other("empty_nudge", "[System: empty reply]", Group::Continuing),
    other("length_continuation", "[System: reply cut off]", Group::Continuing),
    other("compaction", "[CONTEXT COMPACTION]", Group::Continuing),
    other("todo", "[System: kept list of things to do]", Group::Continuing),
    other("digest", "[System: digest of the earlier conversation]", Group::Continuing),
    other("delegate_result", "[System: delegated work is done]", Group::Starting),
    other("compaction.prior", "[END OF PRIOR CONTEXT]", Group::Inline),
    other("compaction.end", "[END OF CONTEXT COMPACTION]", Group::Inline),
    other("steer.open", "[User's word while you work]", Group::Inline),
    other("steer.close", "[End of the user's word]", Group::Inline),
];

/// All fixed lines.
pub fn markers() -> &'static [Marker] {
    MARKERS
}

/// The fixed line of a kind.
///
/// # Panics
/// There is no such kind; kinds are words of the program.
pub fn marker(kind: &str) -> &'static str {
    MARKERS
        .iter()
        .find(|marker| marker.kind == kind)
        .unwrap_or_else(|| panic!("no fixed line of the kind {kind}"))
        .text
}

/// A fixed line that stands in a text.
pub(super) fn marker_in(text: &str) -> Option<&'static str> {
    if !text.contains('[') {
        return None;
    }
    MARKERS.iter().map(|marker| marker.text).find(|line| text.contains(line))
}

/// A word of the user in mid-turn, as it is put at the end of a tool result (`spec/turn-loop.md` §2).
pub fn steering(words: &str) -> String {
    format!("\n\n{}\n{words}\n{}", marker("steer.open"), marker("steer.close"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_part_of_another_and_kinds_are_unique() {
        for (index, one) in MARKERS.iter().enumerate() {
            for (at, two) in MARKERS.iter().enumerate() {
                assert!(index == at || !one.text.contains(two.text), "{} in {}", two.text, one.text);
                assert!(index == at || one.kind != two.kind, "{}", one.kind);
            }
        }
    }

    #[test]
    fn client_messages_in_the_users_place_begin_as_the_wire_has_it() {
        for marker in MARKERS.iter().filter(|m| matches!(m.group, Group::Continuing | Group::Starting)) {
            let known =
                ["[System:", "[CONTEXT COMPACTION"].iter().any(|start| marker.text.starts_with(start));
            assert!(known, "{}", marker.text);
        }
    }

    #[test]
    fn a_word_in_mid_turn_is_marked() {
        let marked = "\n\n[User's word while you work]\nuse the other cluster\n[End of the user's word]";
        assert_eq!(steering("use the other cluster"), marked);
    }
}
