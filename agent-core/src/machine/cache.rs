//! The agent's own model of the provider's prefix cache: how much of a request an earlier one already paid for.
//!
//! A request is a chain of links: system prompt and tools, then one link a message. Each link's digest covers all
//! before it, so equal digests mean equal prefixes. A chain is extended as its conversation grows and shared by a
//! review of it, so that the model costs one hash a message and never re-reads a history.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::request::ModelRequest;
use crate::behaviour::CacheRules;
use crate::values::{Chars, Message, SimTime, Tokens, ToolList, Transcript};

type Digest = [u8; 16];

/// A prefix of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Link {
    digest: Digest,
    /// Characters from the beginning up to and with this link.
    chars: Chars,
}

/// The links of one conversation's requests.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chain {
    /// System prompt and tools, told apart by their addresses (both are shared and never change in place).
    head: Option<(Arc<str>, Arc<ToolList>)>,
    first: Option<Link>,
    links: Vec<(Arc<Message>, Link)>,
}

impl Chain {
    /// Characters of a request made of these parts.
    pub(crate) fn chars(&mut self, system: &Arc<str>, tools: &Arc<ToolList>, messages: &Transcript) -> Chars {
        self.update(system, tools, messages);
        self.prefixes().next().map_or(Chars(0), |link| link.chars)
    }

    /// Brings the chain up to date with a request; only what is new is hashed.
    fn update(&mut self, new_system: &Arc<str>, new_tools: &Arc<ToolList>, messages: &Transcript) {
        let same_head = self
            .head
            .as_ref()
            .is_some_and(|(system, tools)| Arc::ptr_eq(system, new_system) && Arc::ptr_eq(tools, new_tools));
        if !same_head {
            self.head = Some((Arc::clone(new_system), Arc::clone(new_tools)));
            self.first = Some(head_link(new_system, new_tools));
            self.links.clear();
        }
        let shared = self
            .links
            .iter()
            .zip(messages.iter())
            .take_while(|((known, _), message)| Arc::ptr_eq(known, message))
            .count();
        self.links.truncate(shared);
        let mut last =
            self.links.last().map(|(_, link)| *link).or(self.first).expect("the head was just linked");
        for message in messages.iter().skip(shared) {
            last = message_link(last, message);
            self.links.push((Arc::clone(message), last));
        }
    }

    fn prefixes(&self) -> impl Iterator<Item = Link> {
        self.links.iter().rev().map(|(_, link)| *link).chain(self.first)
    }
}

fn head_link(system: &str, tools: &ToolList) -> Link {
    let mut hasher = blake3::Hasher::new();
    hasher.update(system.as_bytes());
    let mut chars = Chars::of(system);
    for tool in tools.iter() {
        let parameters = tool.parameters.to_string();
        for part in [&*tool.name, &*tool.description, parameters.as_str()] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
            chars += Chars::of(part);
        }
    }
    Link { digest: half(&hasher), chars }
}

fn message_link(before: Link, message: &Message) -> Link {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&before.digest);
    let mut add = |part: &str| {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    };
    add(match message {
        Message::User { .. } => "user",
        Message::Assistant { .. } => "assistant",
        Message::Tool { .. } => "tool",
    });
    add(message.text());
    for call in message.calls() {
        add(&call.id);
        add(&call.name);
        add(&call.arguments);
    }
    if let Message::Tool { call, .. } = message {
        add(call);
    }
    Link { digest: half(&hasher), chars: before.chars + message.chars() }
}

fn half(hasher: &blake3::Hasher) -> Digest {
    let whole = hasher.finalize();
    let (half, _) = whole.as_bytes().split_at(16);
    half.try_into().expect("half of 32 bytes")
}

fn digest_of(text: &str) -> Digest {
    let mut hasher = blake3::Hasher::new();
    hasher.update(text.as_bytes());
    half(&hasher)
}

/// A prefix as one model's cache knows it: models share nothing.
fn of_model(model: Digest, link: &Link) -> Digest {
    std::array::from_fn(|at| model[at] ^ link.digest[at])
}

/// The prefixes that the provider still holds, for each of its models.
#[derive(Clone, Debug, Default)]
pub(crate) struct PrefixCache {
    until: BTreeMap<Digest, SimTime>,
    sweep_at: usize,
}

/// How many known links before the new ones are renewed: a turn's scaffolding that is cut off again is shorter.
const RENEWED_LINKS: usize = 8;
/// Entries after which outdated ones are swept.
const SWEEP_STEP: usize = 4096;

impl PrefixCache {
    /// Tokens of a request that the cache serves; afterwards the cache holds the request's own prefixes.
    pub(crate) fn serve(
        &mut self,
        at: SimTime,
        chain: &mut Chain,
        request: &ModelRequest,
        rules: &CacheRules,
    ) -> Tokens {
        chain.update(&request.system, &request.tools, &request.messages);
        let model = digest_of(&request.model);
        let is_held = |link: &Link| self.until.get(&of_model(model, link)).is_some_and(|&until| at <= until);
        let fresh = chain.prefixes().take_while(|link| !is_held(link)).count();
        let held = chain.prefixes().nth(fresh);
        let until = at + rules.lifetime;
        // What is new, the tail that may be cut off again, and the head: everything else is read through these.
        for link in chain.prefixes().take(fresh + RENEWED_LINKS).chain(chain.first) {
            self.until.insert(of_model(model, &link), until);
        }
        self.sweep(at);
        let tokens = held.map_or(Tokens(0), |link| link.chars.estimate_tokens());
        if tokens < rules.minimum { Tokens(0) } else { Tokens(tokens.0 - tokens.0 % rules.granularity.0) }
    }

    fn sweep(&mut self, at: SimTime) {
        if self.until.len() >= self.sweep_at + SWEEP_STEP {
            self.until.retain(|_, until| *until >= at);
            self.sweep_at = self.until.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::{Role, SimDuration};

    const RULES: CacheRules =
        CacheRules { lifetime: SimDuration::from_secs(300), minimum: Tokens(10), granularity: Tokens(1) };

    fn request(system: &Arc<str>, tools: &Arc<ToolList>, messages: Transcript) -> ModelRequest {
        ModelRequest {
            role: Role::Main,
            model: "m".into(),
            system: Arc::clone(system),
            tools: Arc::clone(tools),
            messages,
            max_tokens: None,
            cached: Tokens(0),
            retry: 0,
        }
    }

    #[test]
    fn a_longer_request_finds_the_shorter_one_until_it_is_outdated() {
        let (system, tools): (Arc<str>, _) = ("s".repeat(400).into(), Arc::new(ToolList::default()));
        let mut session: Transcript = [Message::user("u".repeat(40))].into_iter().collect();
        let (mut cache, mut chain) = (PrefixCache::default(), Chain::default());
        let at = SimTime::from_millis;
        assert_eq!(
            cache.serve(at(0), &mut chain, &request(&system, &tools, session.clone()), &RULES),
            Tokens(0)
        );
        session.push(Message::assistant("a".repeat(40)));
        let second = request(&system, &tools, session.clone());
        assert_eq!(cache.serve(at(1000), &mut chain, &second, &RULES), Tokens(110));
        // A review of the session shares its prefix, whatever chain it is counted on.
        let mut review = Transcript::sharing(session.share());
        review.push(Message::user("look back"));
        let asked = request(&system, &tools, review);
        assert_eq!(cache.serve(at(2000), &mut Chain::default(), &asked, &RULES), Tokens(120));
        assert_eq!(cache.serve(at(400_000), &mut chain, &second, &RULES), Tokens(0));
        let other: Arc<str> = "t".repeat(400).into();
        assert_eq!(
            cache.serve(at(400_001), &mut chain, &request(&other, &tools, session), &RULES),
            Tokens(0)
        );
    }
}
