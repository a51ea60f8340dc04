//! Arbitrary events for property tests.

use std::sync::Arc;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::*;
use crate::words::*;

fn name() -> BoxedStrategy<Arc<str>> {
    "[a-z][a-z0-9_-]{0,12}".prop_map(Arc::from).boxed()
}

/// Short, long, empty, hostile.
fn text() -> BoxedStrategy<Text> {
    prop_oneof![
        any::<String>().prop_map(Text::from),
        "[ -~äöü\n\u{1b}\u{0}]{150,260}".prop_map(Text::from),
        select(vec!["", "{\"$text\":\"0\"}", "\u{2028}\u{fffe}]]>"]).prop_map(Text::from),
    ]
    .boxed()
}

fn value() -> BoxedStrategy<Data<Value>> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[a-z ]{150,260}".prop_map(Value::from),
        Just(json!({ "$text": "no reference" })),
        Just(json!({ "$json": 1 })),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map("[a-z$]{1,6}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
    .prop_map(Data)
    .boxed()
}

fn word<T: Copy + std::fmt::Debug + 'static>(all: &'static [T]) -> BoxedStrategy<T> {
    select(all).boxed()
}

fn tokens() -> BoxedStrategy<TokenCounts> {
    (0..100_000u64, 0..100_000u64, 0..10_000u64)
        .prop_map(|(prompt, cached, completion)| TokenCounts { prompt, cached, completion })
        .boxed()
}

fn counters() -> BoxedStrategy<Counters> {
    (any::<i8>(), any::<i8>(), any::<i8>())
        .prop_map(|(a, b, c)| Counters {
            turns_since_memory: a.into(),
            iters_since_skill: b.into(),
            user_turns: c.into(),
        })
        .boxed()
}

fn frame_kind() -> BoxedStrategy<Kind> {
    let part = (name(), any::<u64>()).prop_map(|(name, chars)| PromptPart { name, chars });
    let skill = (name(), name()).prop_map(|(name, shown)| ListedSkill { name, shown });
    let setting = (name(), name()).prop_map(|(key, value)| Setting { key, value });
    prop_oneof![
        (name(), name(), any::<u64>(), any::<i64>(), word(Evidence::ALL), vec(setting, 0..3)).prop_map(
            |(scenario, arm, seed, start_ms, evidence, settings)| Kind::CellStart {
                schema: SCHEMA_VERSION,
                digest: Arc::clone(&scenario),
                version: Arc::clone(&arm),
                world: Arc::clone(&arm),
                scenario,
                arm,
                seed,
                start_ms,
                evidence,
                settings,
            }
        ),
        (word(CellOutcome::ALL), text(), name()).prop_map(|(outcome, reason, digest)| Kind::CellEnd {
            outcome,
            reason,
            digest
        }),
        (word(AgentObject::ALL), text(), vec(part, 0..9), vec(skill, 0..9), 0..100_000_u64).prop_map(
            |(agent, prompt, parts, skills, index_tokens)| Kind::SessionStart {
                agent,
                prompt,
                parts: Data(parts),
                skills: Data(skills),
                index_tokens
            }
        ),
        name().prop_map(|reason| Kind::SessionEnd { reason }),
        (text(), option::of(name()), option::of(any::<u32>()), option::of(name())).prop_map(
            |(text, family, occurrence, corrects)| Kind::TurnStart { text, family, occurrence, corrects }
        ),
        (counters(), counters(), any::<u32>(), 0..1_000_000_u64, option::of(text()), any::<bool>(), name())
            .prop_flat_map(|(before, after, api_calls, waited_ms, answer, completed, word_)| {
                option::of(word(TurnOutcome::ALL)).prop_map(move |outcome| Kind::TurnEnd {
                    exit: Arc::clone(&word_),
                    api_calls,
                    before,
                    after,
                    waited_ms,
                    wait_cause: Arc::clone(&word_),
                    answer: answer.clone(),
                    completed,
                    outcome,
                })
            }),
    ]
    .boxed()
}

fn call_kind() -> BoxedStrategy<Kind> {
    prop_oneof![
        (any::<u64>(), name(), any::<u32>(), any::<u64>(), any::<u64>()).prop_map(
            |(call, model, attempt, messages, shared_tokens)| Kind::ModelCall {
                call,
                model,
                attempt,
                messages,
                shared_tokens
            }
        ),
        (
            any::<u64>(),
            word(ModelOutcome::ALL),
            option::of(word(Finish::ALL)),
            option::of(name()),
            tokens(),
            option::of(name())
        )
            .prop_map(|(call, outcome, finish, class, tokens, rule)| Kind::ModelAnswer {
                call,
                outcome,
                finish,
                class,
                tokens,
                step: rule.clone(),
                rule,
                took_ms: call / 2,
                booked: call % 3 > 0,
            }),
        (name(), any::<u64>()).prop_map(|(class, wait_ms)| Kind::Retry { class, wait_ms }),
        (name(), name(), value(), word(Origin::ALL), any::<u32>())
            .prop_map(|(id, tool, args, origin, segment)| Kind::ToolCall { id, tool, args, origin, segment }),
        (name(), any::<[bool; 5]>(), option::of(name()), text(), any::<u64>()).prop_map(
            |(id, [failed, refused, cancelled, timed_out, unknown], error, text, took_ms)| Kind::ToolAnswer {
                tool: Arc::clone(&id),
                id,
                failed,
                refused,
                cancelled,
                timed_out,
                unknown,
                error,
                text,
                took_ms,
            }
        ),
        (any::<u64>(), any::<u64>(), name(), any::<u64>(), option::of(name())).prop_map(
            |(before, after, how, unpaired, child)| Kind::Compression { before, after, how, unpaired, child }
        ),
        (name(), any::<u64>(), name(), tokens()).prop_map(|(parent, child, status, tokens)| Kind::Delegate {
            parent,
            child,
            status,
            tokens
        }),
    ]
    .boxed()
}

fn learning_kind() -> BoxedStrategy<Kind> {
    prop_oneof![
        (word(Nudge::ALL), word(NudgeEvent::ALL), name()).prop_map(|(which, event, why)| Kind::Nudge {
            which,
            event,
            why
        }),
        (any::<u64>(), any::<[bool; 4]>()).prop_map(|(review, [memory, skills, explicit, digest])| {
            Kind::ReviewStart { review, cause: ReviewCause { memory, skills, explicit }, digest }
        }),
        (any::<u64>(), word(ReviewOutcome::ALL), name(), any::<u32>(), tokens(), text()).prop_map(
            |(review, outcome, reason, iterations, tokens, summary)| Kind::ReviewEnd {
                review,
                outcome,
                reason,
                iterations,
                tokens,
                summary
            }
        ),
        (
            word(Store::ALL),
            name(),
            text(),
            word(Origin::ALL),
            word(WriteOutcome::ALL),
            text(),
            vec(name(), 0..3)
        )
            .prop_map(|(store, action, target, origin, outcome, after, gained)| Kind::Write {
                store,
                error: gained.first().cloned(),
                action,
                before: target.clone(),
                target,
                origin,
                outcome,
                after,
                lost: gained.clone(),
                gained,
            }),
        (word(Store::ALL), text()).prop_map(|(store, target)| Kind::Visible { store, target }),
        (name(), option::of(name()), word(Route::ALL), any::<bool>(), option::of(any::<bool>())).prop_map(
            |(skill, file, route, listed, visible)| Kind::Load {
                skill,
                file,
                route,
                listed,
                visible,
                followed: visible
            }
        ),
        (name(), word(SkillEvent::ALL), option::of(name())).prop_map(|(name, event, from)| Kind::Skill {
            cause: Arc::clone(&name),
            name,
            event,
            to: from.clone(),
            from
        }),
        (name(), any::<u32>(), word(HazardOutcome::ALL), any::<[bool; 4]>(), option::of(word(Place::ALL)))
            .prop_map(|(hazard, occurrence, outcome, [known, listed, visible, archived], place)| {
                Kind::Hazard {
                    family: Arc::clone(&hazard),
                    lesson: Arc::clone(&hazard),
                    skill: place.map(|_| Arc::clone(&hazard)),
                    hazard,
                    occurrence,
                    outcome,
                    known,
                    followed: known.then_some(visible),
                    place,
                    listed,
                    visible,
                    archived,
                }
            }),
        (
            name(),
            word(LessonEvent::ALL),
            option::of(word(Teacher::ALL)),
            option::of(word(Place::ALL)),
            option::of(text())
        )
            .prop_map(|(lesson, event, teacher, place, target)| Kind::Lesson {
                family: Arc::clone(&lesson),
                lesson,
                event,
                is_false: teacher.is_none(),
                teacher,
                place,
                target,
            }),
    ]
    .boxed()
}

fn other_kind() -> BoxedStrategy<Kind> {
    let near = (name(), name()).prop_map(|(rule, clause)| NearRule { rule, clause });
    prop_oneof![
        (name(), any::<bool>(), text()).prop_map(|(of, synthetic, text)| Kind::Message {
            of,
            synthetic,
            text
        }),
        text().prop_map(|text| Kind::Steer { text }),
        Just(Kind::Interrupt),
        text().prop_map(|text| Kind::Notice { text }),
        (word(CuratorCause::ALL), value()).prop_map(|(cause, report)| Kind::CuratorRun { cause, report }),
        name().prop_map(|reason| Kind::CuratorIdle { reason }),
        any::<[u32; 3]>().prop_map(|[day, active, polls]| Kind::Day {
            day,
            library: LibraryState { active: active.into(), ..LibraryState::default() },
            memory: MemoryState { notes_chars: active.into(), ..MemoryState::default() },
            polls,
        }),
        (name(), name(), value()).prop_map(|(what, target, value)| Kind::Change { what, target, value }),
        (name(), value()).prop_map(|(tool, args)| Kind::Unanswered { tool, args }),
        (text(), vec(near, 0..9)).prop_map(|(message, near)| Kind::Miss { message, nearest: Data(near) }),
    ]
    .boxed()
}

/// Any event of any kind.
pub(crate) fn event() -> BoxedStrategy<Event> {
    let kind = prop_oneof![frame_kind(), call_kind(), learning_kind(), other_kind()];
    (
        any::<u64>(),
        -1_000_000_000_000..1_000_000_000_000_i64,
        name(),
        option::of(name()),
        option::of(any::<u64>()),
        kind,
    )
        .prop_flat_map(|(n, at_ms, user, session, conversation, kind)| {
            (option::of(word(Role::ALL)), any::<u32>(), any::<u32>()).prop_map(
                move |(role, turn, iteration)| {
                    let kind = kind.clone();
                    let (user, session) = (Arc::clone(&user), session.clone());
                    Event { n, at_ms, user, session, conversation, role, turn, iteration, kind }
                },
            )
        })
        .boxed()
}

/// The start of any trace.
pub(crate) fn start() -> Event {
    Event::of_cell(
        1,
        0,
        Kind::CellStart {
            schema: SCHEMA_VERSION,
            scenario: "demo".into(),
            arm: "july".into(),
            seed: 7,
            start_ms: 1_767_603_600_000,
            version: "hermes-0.19".into(),
            digest: "d".into(),
            evidence: Evidence::Counted,
            world: "".into(),
            settings: Vec::new(),
        },
    )
}
