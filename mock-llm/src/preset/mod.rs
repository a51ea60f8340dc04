//! What a family of clients puts into its requests: data, read from a file.
//!
//! The preset of the Hermes family is built in; a script can name another file. It recognises a request by fixed parts of
//! its messages and never by a hash of the whole: system prompts hold dates and paths (`spec/wire.md`).

mod role;

use std::sync::{Arc, LazyLock};

pub use role::Role;

use crate::decode::Decoder;
use crate::diagnose::{Diagnostic, Source};
use crate::yaml::Node;

/// The preset of the Hermes family.
static HERMES: LazyLock<Arc<Preset>> = LazyLock::new(|| {
    let source = Source::new("presets/hermes.yaml", include_str!("../../presets/hermes.yaml"));
    Arc::new(Preset::load(&source).expect("the built-in preset is tested"))
});

/// How requests of a family of clients are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Beginnings of the client's own messages within a turn.
    pub continuing: Vec<String>,
    /// Beginnings of the client's own messages that start a turn.
    pub starting: Vec<String>,
    /// Beginnings of summaries of what was said before.
    pub summaries: Vec<String>,
    /// Where a summary begins that was put at the end of a user's message.
    pub absorbed: Option<String>,
    /// Beginnings of requests for closing words.
    pub closing: Vec<String>,
    /// What is answered to them by default.
    pub closing_reply: Arc<str>,
    /// What the message that starts a turn says about the request.
    pub instructions: Vec<Recognised>,
    /// What a system prompt says about the request.
    pub systems: Vec<Recognised>,
    /// Tools that fail by their exit code alone.
    pub shells: Vec<String>,
    /// Tools that do not fail once they report success.
    pub writers: Vec<String>,
    /// The tool whose result is a skill's text.
    pub skill_viewer: String,
    /// The lines around the skills index.
    pub index: (String, String),
    /// The line above and below the header of a memory block, and the words of the two headers.
    pub memory: MemoryMarks,
}

/// A beginning and what it says about a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recognised {
    /// The beginning of the message.
    pub starts: String,
    /// What the request serves.
    pub role: Role,
    /// What it asks for.
    pub asks: Arc<[Arc<str>]>,
}

/// How memory blocks are marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryMarks {
    /// The line above and below a header.
    pub rule: String,
    /// What the header of the notes contains.
    pub notes: String,
    /// What the header of the profile contains.
    pub profile: String,
}

const KEYS: &[&str] = &[
    "continuing",
    "starting",
    "summaries",
    "absorbed",
    "closing",
    "closing_reply",
    "instructions",
    "systems",
    "shells",
    "writers",
    "skill_viewer",
    "index",
    "memory",
];

impl Preset {
    /// The preset of the Hermes family.
    pub fn hermes() -> Arc<Self> {
        HERMES.clone()
    }

    /// Reads a preset.
    ///
    /// # Errors
    /// All mistakes of the file.
    pub fn load(source: &Source) -> Result<Self, Vec<Diagnostic>> {
        let decoder = Decoder::new(source);
        let preset = decoder.read().and_then(|root| decode(&decoder, &root));
        decoder.finish(preset).map(|(preset, _)| preset)
    }

    /// What the message that starts a turn says, if it is an instruction.
    pub fn instruction(&self, text: &str) -> Option<&Recognised> {
        self.instructions.iter().find(|known| text.starts_with(&known.starts))
    }

    /// What a system prompt says.
    pub fn system(&self, text: &str) -> Option<&Recognised> {
        self.systems.iter().find(|known| text.starts_with(&known.starts))
    }

    /// Whether a message is the client's own and goes on with a turn.
    pub fn continues(&self, text: &str) -> bool {
        !begins(&self.starting, text) && begins(&self.continuing, text)
    }

    /// Whether a message is the client's own and starts a turn.
    pub fn starts(&self, text: &str) -> bool {
        begins(&self.starting, text)
    }

    /// Whether a message asks for closing words.
    pub fn closes(&self, text: &str) -> bool {
        begins(&self.closing, text)
    }

    /// Whether a message is a summary of what was said before.
    pub fn summarises(&self, text: &str) -> bool {
        begins(&self.summaries, text)
    }

    /// A user's message without, and the rest with, a summary that was put at its end.
    pub fn split_absorbed<'t>(&self, text: &'t str) -> (&'t str, Option<&'t str>) {
        let at = self.absorbed.as_deref().and_then(|mark| text.find(mark).map(|at| (at, mark.len())));
        match at {
            Some((at, length)) => (text[..at].trim_end(), Some(&text[at + length..])),
            None => (text, None),
        }
    }
}

fn begins(beginnings: &[String], text: &str) -> bool {
    beginnings.iter().any(|beginning| text.starts_with(beginning))
}

fn words(decoder: &Decoder, node: &Node) -> Option<Vec<String>> {
    decoder.list(node, "a list of texts", |d, item| d.word(item).map(str::to_owned))
}

fn decode(decoder: &Decoder, root: &Node) -> Option<Preset> {
    let map = decoder.map(root, "a preset", KEYS)?;
    let recognised = |decoder: &Decoder, node: &Node| {
        let map = decoder.map(node, "a way to recognise a request", &["starts", "role", "asks"])?;
        let asks = map.or("asks", Vec::new(), words);
        Some(Recognised {
            starts: map.required("starts", Decoder::word)?.to_owned(),
            role: map.required("role", |d, node| d.choice(node, &Role::NAMES))?,
            asks: asks.into_iter().map(Arc::from).collect(),
        })
    };
    let list = |key: &str| map.or(key, Vec::new(), words);
    let recognisers = |key: &str| {
        map.or(key, Vec::new(), |d, node| d.list(node, "a list of ways to recognise a request", recognised))
    };
    let index = map.required("index", |d, node| {
        let map = d.map(node, "the marks of the skills index", &["open", "close"])?;
        Some((
            map.required("open", Decoder::word)?.to_owned(),
            map.required("close", Decoder::word)?.to_owned(),
        ))
    });
    let memory = map.required("memory", |d, node| {
        let map = d.map(node, "the marks of memory blocks", &["rule", "notes", "profile"])?;
        let word = |key: &str| map.required(key, Decoder::word).map(str::to_owned);
        Some(MemoryMarks { rule: word("rule")?, notes: word("notes")?, profile: word("profile")? })
    });
    Some(Preset {
        continuing: list("continuing"),
        starting: list("starting"),
        summaries: list("summaries"),
        absorbed: map.optional("absorbed", Decoder::word).map(str::to_owned),
        closing: list("closing"),
        closing_reply: map.required("closing_reply", Decoder::word)?.into(),
        instructions: recognisers("instructions"),
        systems: recognisers("systems"),
        shells: list("shells"),
        writers: list("writers"),
        skill_viewer: map.required("skill_viewer", Decoder::word)?.to_owned(),
        index: index?,
        memory: memory?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_preset_reads() {
        let preset = Preset::hermes();
        assert_eq!(preset.instructions.len(), 8);
        assert_eq!(preset.memory.rule.chars().filter(|c| *c == '\u{2550}').count(), 46);
    }

    #[test]
    fn client_messages_are_told_apart() {
        let preset = Preset::hermes();
        assert!(preset.continues("[System: empty reply] Go on."));
        assert!(preset.starts("[System: delegated work is done]\n…"));
        assert!(!preset.continues("[System: delegated work is done]\n…"));
        assert!(!preset.continues("Deploy [System:"));
        let review = preset.instruction("[Background review: memory and skills]\nLook over …").unwrap();
        assert_eq!((review.role, review.asks.len()), (Role::Review, 2));
        assert_eq!(preset.split_absorbed("go on\n\n[END OF PRIOR CONTEXT] then"), ("go on", Some(" then")));
    }
}
