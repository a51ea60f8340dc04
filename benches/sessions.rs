//! Storing and searching sessions: 100,000 messages.

use std::hint::black_box;
use std::sync::Arc;

use agent_core::behaviour::{Behaviour, SessionRules, Settings, Version};
use agent_core::sessions::{Caller, SearchContext, SessionRow, SessionStore, StoredMessage, call};
use agent_core::values::{Message, SimTime};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use serde_json::{Value, json};

/// Messages of the store that is searched.
const MESSAGES: usize = 100_000;

/// Messages of one session.
const PER_SESSION: usize = 50;

/// Words of a message.
const WORDS: usize = 110;

/// Words that messages are made of; word `n` is about `n` times rarer than the first, as in language.
const VOCABULARY: u64 = 20_000;

/// A fixed stream of numbers (`SplitMix64`).
struct Stream(u64);

impl Stream {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn word(&mut self) -> u64 {
        let unit = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "below the vocabulary's size"
        )]
        let word = (VOCABULARY as f64).powf(unit) as u64;
        word
    }

    fn message(&mut self) -> Message {
        let words: Vec<String> = (0..WORDS).map(|_| format!("w{}", self.word())).collect();
        let text: Arc<str> = words.join(" ").into();
        if self.next().is_multiple_of(2) { Message::user(text) } else { Message::assistant(text) }
    }
}

fn messages(count: usize) -> Vec<Message> {
    let mut stream = Stream(1);
    (0..count).map(|_| stream.message()).collect()
}

fn at(n: usize) -> SimTime {
    SimTime::from_millis(1_770_000_000_000 + i64::try_from(n).unwrap_or(i64::MAX) * 1000)
}

/// Stores messages in sessions of equal length.
fn stored(messages: &[Message]) -> SessionStore {
    let mut store = SessionStore::new();
    let mut session = String::new();
    for (n, message) in messages.iter().enumerate() {
        if n % PER_SESSION == 0 {
            session = format!("s{:06}", n / PER_SESSION);
            store.create_session(SessionRow::new(session.as_str(), "cli", at(n)));
        }
        store.append(&session, StoredMessage::from(message), at(n));
    }
    store
}

fn search(store: &mut SessionStore, args: &Value, rules: &SessionRules) -> usize {
    let context = SearchContext {
        current_session: Some("s000000"),
        rules,
        utc_offset_secs: 0,
        caller: Caller::Loop,
        profiles: None,
    };
    call(store, args, context).text.len()
}

fn storing(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("sessions/store");
    for count in [1_000, 10_000, 100_000] {
        let messages = messages(count);
        group.throughput(criterion::Throughput::Elements(count as u64));
        group.sample_size(10);
        group.bench_function(count.to_string(), |bencher| {
            bencher.iter_batched(|| (), |()| stored(&messages), BatchSize::PerIteration);
        });
    }
    group.finish();
}

fn searching(criterion: &mut Criterion) {
    let rules = Behaviour::resolve(&Settings::new(Version::V0_19)).sessions;
    let mut store = stored(&messages(MESSAGES));
    let mut group = criterion.benchmark_group("sessions/search");
    group.sample_size(20);
    for (name, args) in [
        ("one word", json!({ "query": "w500" })),
        ("two words", json!({ "query": "w100 w1000", "limit": 10 })),
        ("alternatives", json!({ "query": "w700 OR w900 OR w1100", "sort": "newest" })),
        ("phrase", json!({ "query": "\"w10 w20\"" })),
        ("substring", json!({ "query": "\u{5927}\u{522b}" })),
        ("list", json!({})),
    ] {
        // The first call fills the index; what follows is what a session pays.
        search(&mut store, &args, &rules);
        group.bench_function(name, |bencher| bencher.iter(|| black_box(search(&mut store, &args, &rules))));
    }
    group.finish();
}

criterion_group!(benches, storing, searching);
criterion_main!(benches);
