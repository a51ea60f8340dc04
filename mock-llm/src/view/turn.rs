//! Where a turn begins, what it serves, and whose words are whose.

use std::sync::Arc;

use crate::preset::{Preset, Role};
use crate::wire::{Author, ChatRequest, Message};

/// A request's place in its conversation, read off the messages.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    /// The message that starts it.
    pub(crate) start: usize,
    /// What the request serves.
    pub(crate) role: Role,
    /// What the instruction asks for.
    pub(crate) asks: Arc<[Arc<str>]>,
    /// Whether the message that starts the turn is an instruction.
    pub(crate) instructed: bool,
    /// The last message that is the user's own.
    pub(crate) user: Option<usize>,
    /// Turns in view up to this one, from 1.
    pub(crate) number: u32,
    /// Answers of this turn so far and this one, from 1.
    pub(crate) iteration: u32,
}

impl Turn {
    pub(crate) fn of(request: &ChatRequest, preset: &Preset) -> Self {
        let messages = &request.messages;
        let starts =
            |message: &&Arc<Message>| message.author == Author::User && !preset.continues(&message.text);
        let start = messages.iter().rposition(|message| starts(&message)).unwrap_or_else(|| {
            messages.iter().position(|message| message.author != Author::System).unwrap_or(0)
        });
        let instruction = messages.get(start).and_then(|message| preset.instruction(&message.text));
        let system = messages.iter().find(|message| message.author == Author::System);
        let recognised = instruction.or_else(|| system.and_then(|message| preset.system(&message.text)));
        let (mut role, mut asks) =
            recognised.map_or_else(|| (Role::Main, Arc::from([])), |known| (known.role, known.asks.clone()));
        let closing =
            messages.last().is_some_and(|last| last.author == Author::User && preset.closes(&last.text));
        if closing {
            role = Role::Closing;
            asks = asks.iter().cloned().chain([Arc::from("closing")]).collect();
        }
        let up_to = &messages[..(start + 1).min(messages.len())];
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let answers = messages[start.min(messages.len())..]
            .iter()
            .filter(|message| message.author == Author::Assistant && !preset.summarises(&message.text))
            .count();
        Self {
            start,
            role,
            asks,
            instructed: instruction.is_some(),
            user: up_to.iter().rposition(|message| is_users(message, preset)),
            number: count(up_to.iter().filter(starts).count().max(1)),
            iteration: count(answers + 1),
        }
    }
}

/// Whether a message is the user's own.
pub(super) fn is_users(message: &Message, preset: &Preset) -> bool {
    message.author == Author::User
        && !preset.continues(&message.text)
        && !preset.starts(&message.text)
        && preset.instruction(&message.text).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(messages: Vec<Message>) -> Turn {
        let request = ChatRequest::new("m", messages.into_iter().map(Arc::new).collect(), Arc::default());
        Turn::of(&request, &Preset::hermes())
    }

    #[test]
    fn a_turn_starts_at_the_last_message_of_the_user() {
        let turn = turn(vec![
            Message::system("s"),
            Message::user("one"),
            Message::assistant("a", []),
            Message::user("two"),
            Message::assistant("b", []),
            Message::user("[System: empty reply] go on"),
        ]);
        assert_eq!((turn.start, turn.role, turn.number, turn.iteration), (3, Role::Main, 2, 2));
        assert_eq!(turn.user, Some(3));
    }

    #[test]
    fn a_review_starts_at_its_instruction_and_knows_the_users_words() {
        let turn = turn(vec![
            Message::system("s"),
            Message::user("deploy"),
            Message::assistant("done", []),
            Message::user("[Background review: memory and skills]\nLook."),
        ]);
        assert_eq!((turn.start, turn.role, turn.user, turn.instructed), (3, Role::Review, Some(1), true));
        assert_eq!(turn.asks.iter().map(|ask| &**ask).collect::<Vec<_>>(), ["memory", "skills"]);
    }

    #[test]
    fn delegate_results_start_a_turn_in_the_users_place() {
        let turn = turn(vec![
            Message::user("do three things"),
            Message::assistant("started", []),
            Message::user("[System: delegated work is done]\n…"),
        ]);
        assert_eq!((turn.start, turn.user, turn.number), (2, Some(0), 2));
    }

    #[test]
    fn closing_words_and_children() {
        let closing = turn(vec![
            Message::user("deploy"),
            Message::assistant("", []),
            Message::user("[System: the limit of steps is reached] sum up"),
        ]);
        assert_eq!((closing.start, closing.role), (0, Role::Closing));
        let child = turn(vec![Message::system("[Delegated task]\n…"), Message::user("goal")]);
        assert_eq!(child.role, Role::Delegate);
        let bare = turn(vec![Message::assistant("x", [])]);
        assert_eq!((bare.start, bare.user, bare.number), (0, None, 1));
    }
}
