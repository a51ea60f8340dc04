//! A small made-up study for tests of figures, plots and pages: six deployments by one user, three seeds, an arm that
//! never reviews and one that does, with a library that goes stale.

use std::sync::Arc;

use crate::measure::Measure;
use crate::records::Records;
use crate::trace::samples::start;
use crate::trace::*;
use crate::words::*;

const DAY_MS: i64 = 86_400_000;

/// The records of the whole study.
pub(crate) fn study() -> Records {
    let mut records = Records::default();
    for arm in ["every-5", "every-10", "off"] {
        for seed in 1..=3 {
            records.append(cell(arm, seed));
        }
    }
    records.sort();
    records
}

/// The sixth deployment is the last; this arm knows the lesson from so many deployments on.
fn knows_from(arm: &str, seed: u64) -> u32 {
    match arm {
        "every-5" => 3 + u32::from(seed == 2),
        "every-10" => 5,
        _ => u32::MAX,
    }
}

fn cell(arm: &str, seed: u64) -> Records {
    let mut first = start();
    if let Kind::CellStart { scenario, arm: name, seed: number, evidence, .. } = &mut first.kind {
        *scenario = "quarter".into();
        *name = arm.into();
        *number = seed;
        *evidence = Evidence::Assumed;
    }
    let mut measure = Measure::new();
    measure.push(&first);
    let mut writer = Writer { measure, n: 1, call: 0 };
    for occurrence in 1..=6 {
        writer.deployment(occurrence, occurrence >= knows_from(arm, seed), arm != "off", seed);
    }
    writer.measure.finish()
}

struct Writer {
    measure: Measure,
    n: u64,
    call: u64,
}

impl Writer {
    fn deployment(&mut self, occurrence: u32, known: bool, reviews: bool, seed: u64) {
        let at = i64::from(occurrence - 1) * 10 * DAY_MS;
        let session: Arc<str> = format!("s{occurrence}").into();
        let place = move |role, conversation| (Arc::clone(&session), role, conversation, at);
        let main = place(Role::Main, u64::from(occurrence) * 2);
        self.put(
            &main,
            Kind::SessionStart {
                agent: AgentObject::Fresh,
                prompt: "a prompt".into(),
                parts: Data(Vec::new()),
                skills: Data(Vec::new()),
                index_tokens: if known { 60 } else { 20 },
            },
        );
        let family = Some("deploy".into());
        self.put(
            &main,
            Kind::TurnStart { text: "deploy".into(), family, occurrence: Some(occurrence), corrects: None },
        );
        if known {
            self.put(&main, load(Route::Index));
        }
        let calls = if known { 6 } else { 12 - u64::from(seed == 3) };
        self.calls(&main, calls, u64::from(!known) * 2);
        self.put(&main, hazard(occurrence, known));
        if !known {
            self.put(&main, lesson(LessonEvent::Met));
        }
        // The first deployment goes wrong once while reviews run, and two later ones while nothing is known.
        let solved = if reviews {
            !(occurrence == 1 && seed == 1)
        } else {
            occurrence < 5 || seed == 3 && occurrence == 5
        };
        let outcome = Some(if solved { TurnOutcome::Solved } else { TurnOutcome::Abandoned });
        self.put(
            &main,
            Kind::TurnEnd {
                exit: "text_response".into(),
                api_calls: u32::try_from(calls).unwrap() + 1,
                before: Counters::default(),
                after: Counters::default(),
                waited_ms: 0,
                wait_cause: "".into(),
                answer: None,
                completed: true,
                outcome,
            },
        );
        if reviews {
            self.review(
                &place(Role::Review, u64::from(occurrence) * 2 + 1),
                u64::from(occurrence),
                occurrence == 2,
            );
        }
        for day in 0..10 {
            self.day((occurrence - 1) * 10 + day, reviews);
        }
    }

    fn calls(&mut self, at: &(Arc<str>, Role, u64, i64), tools: u64, errors: u64) {
        for index in 0..=tools {
            self.call += 1;
            let call = self.call;
            self.put(
                at,
                Kind::ModelCall { call, model: "m".into(), attempt: 1, messages: 2, shared_tokens: 800 },
            );
            let tokens = TokenCounts { prompt: 1000 + 50 * index, cached: 800, completion: 40 };
            self.put(
                at,
                Kind::ModelAnswer {
                    call,
                    outcome: ModelOutcome::Reply,
                    finish: None,
                    class: None,
                    tokens,
                    rule: None,
                    step: None,
                    took_ms: 900,
                    booked: true,
                },
            );
            if index < tools {
                let id: Arc<str> = format!("call_{call}").into();
                let args = Data(serde_json::Value::Null);
                let tool: Arc<str> = "terminal".into();
                let origin = Origin::Foreground;
                self.put(
                    at,
                    Kind::ToolCall { id: Arc::clone(&id), tool: Arc::clone(&tool), args, origin, segment: 0 },
                );
                self.put(
                    at,
                    Kind::ToolAnswer {
                        id,
                        tool,
                        failed: index < errors,
                        refused: false,
                        cancelled: false,
                        timed_out: false,
                        unknown: false,
                        error: None,
                        text: "done".into(),
                        took_ms: 400,
                    },
                );
            }
        }
    }

    fn review(&mut self, at: &(Arc<str>, Role, u64, i64), review: u64, writes: bool) {
        let why: Arc<str> = "interval".into();
        for event in [NudgeEvent::Due, NudgeEvent::Fired] {
            self.put(at, Kind::Nudge { which: Nudge::Skill, event, why: Arc::clone(&why) });
        }
        let cause = ReviewCause { skills: true, ..ReviewCause::default() };
        self.put(at, Kind::ReviewStart { review, cause, digest: false });
        self.calls(at, 0, 0);
        if writes {
            self.put(
                at,
                Kind::Write {
                    store: Store::Skill,
                    action: "create".into(),
                    target: "deploy".into(),
                    origin: Origin::Review,
                    outcome: WriteOutcome::Applied,
                    error: None,
                    before: "".into(),
                    after: "push first".into(),
                    gained: vec!["push-first".into()],
                    lost: Vec::new(),
                },
            );
            let (event, cause) = (SkillEvent::Created, "review".into());
            self.put(at, Kind::Skill { name: "deploy".into(), event, from: None, to: None, cause });
            self.put(at, lesson(LessonEvent::Learned));
        }
        self.put(
            at,
            Kind::ReviewEnd {
                review,
                outcome: ReviewOutcome::Done,
                reason: "".into(),
                iterations: 1,
                tokens: TokenCounts::default(),
                summary: "".into(),
            },
        );
    }

    fn day(&mut self, day: u32, reviews: bool) {
        let alive = u64::from(reviews && day >= 10);
        let library = LibraryState {
            active: alive * (1 + u64::from(day < 45)),
            stale: alive * u64::from((45..55).contains(&day)),
            archived: alive * u64::from(day >= 55),
            ..LibraryState::default()
        };
        let at = i64::from(day + 1) * DAY_MS - 1;
        let kind = Kind::Day { day, library, memory: MemoryState::default(), polls: 24 };
        self.n += 1;
        self.measure.push(&Event { user: "ana".into(), ..Event::of_cell(self.n, at, kind) });
    }

    fn put(&mut self, (session, role, conversation, at): &(Arc<str>, Role, u64, i64), kind: Kind) {
        self.n += 1;
        self.measure.push(&Event {
            user: "ana".into(),
            session: Some(Arc::clone(session)),
            role: Some(*role),
            conversation: Some(*conversation),
            turn: 1,
            ..Event::of_cell(self.n, *at, kind)
        });
    }
}

fn load(route: Route) -> Kind {
    Kind::Load {
        skill: "deploy".into(),
        file: None,
        route,
        listed: true,
        visible: Some(true),
        followed: Some(true),
    }
}

fn hazard(occurrence: u32, known: bool) -> Kind {
    Kind::Hazard {
        hazard: "unpushed".into(),
        family: "deploy".into(),
        occurrence,
        lesson: "push-first".into(),
        outcome: if known { HazardOutcome::Avoided } else { HazardOutcome::Hit },
        known,
        followed: None,
        place: known.then_some(Place::Skill),
        skill: known.then(|| "deploy".into()),
        listed: known,
        visible: known,
        archived: false,
    }
}

fn lesson(event: LessonEvent) -> Kind {
    Kind::Lesson {
        lesson: "push-first".into(),
        family: "deploy".into(),
        event,
        teacher: (event == LessonEvent::Met).then_some(Teacher::Error),
        place: (event == LessonEvent::Learned).then_some(Place::Skill),
        target: None,
        is_false: false,
    }
}
