//! The definitions of the figures, each on a few events.

use std::sync::Arc;

use serde_json::json;

use super::Measure;
use crate::money::{PriceTable, Prices};
use crate::records::Records;
use crate::trace::samples::start;
use crate::trace::*;
use crate::words::*;

/// Writes a trace line by line: each event belongs to where the pen stands.
struct Pen {
    measure: Measure,
    at: Event,
}

impl Pen {
    fn new() -> Self {
        Self::with(Measure::new())
    }

    fn with(mut measure: Measure) -> Self {
        let at = start();
        measure.push(&at);
        let mut pen = Self { measure, at };
        pen.at.user = "ana".into();
        pen.session("flask");
        pen
    }

    fn session(&mut self, name: &str) -> &mut Self {
        self.at.session = Some(name.into());
        self.at.turn = 1;
        self.role(Role::Main, 1)
    }

    fn role(&mut self, role: Role, conversation: u64) -> &mut Self {
        self.at.role = Some(role);
        self.at.conversation = Some(conversation);
        self
    }

    fn at(&mut self, ms: i64) -> &mut Self {
        self.at.at_ms = ms;
        self
    }

    fn write(&mut self, kind: Kind) -> &mut Self {
        self.at.n += 1;
        self.at.kind = kind;
        self.measure.push(&self.at);
        self
    }

    fn finish(&mut self) -> Records {
        std::mem::take(&mut self.measure).finish()
    }

    fn open(&mut self) -> &mut Self {
        let skills = vec![ListedSkill { name: "old".into(), shown: "an old one".into() }];
        self.write(Kind::SessionStart {
            agent: AgentObject::Fresh,
            prompt: "prompt".into(),
            parts: Data(Vec::new()),
            skills: Data(skills),
            index_tokens: 10,
        })
    }

    fn turn(&mut self) -> &mut Self {
        self.write(Kind::TurnStart { text: "go".into(), family: None, occurrence: None, corrects: None })
    }

    fn turn_end(&mut self, api_calls: u32, outcome: Option<TurnOutcome>) -> &mut Self {
        self.write(Kind::TurnEnd {
            exit: "text_response".into(),
            api_calls,
            before: Counters::default(),
            after: Counters::default(),
            waited_ms: 7,
            wait_cause: "review".into(),
            answer: None,
            completed: true,
            outcome,
        })
    }

    fn model(&mut self, call: u64, prompt: u64, cached: u64, completion: u64) -> &mut Self {
        self.write(Kind::ModelCall {
            call,
            model: "m".into(),
            attempt: 1,
            messages: 2,
            shared_tokens: cached,
        });
        self.write(Kind::ModelAnswer {
            call,
            outcome: ModelOutcome::Reply,
            finish: Some(Finish::Stop),
            class: None,
            tokens: TokenCounts { prompt, cached, completion },
            rule: None,
            step: None,
            took_ms: 5,
            booked: true,
        })
    }

    fn tool(&mut self, id: &str, failed: bool, refused: bool) -> &mut Self {
        let origin = Origin::Foreground;
        let args = Data(json!({}));
        self.write(Kind::ToolCall { id: id.into(), tool: "terminal".into(), args, origin, segment: 0 });
        self.write(Kind::ToolAnswer {
            id: id.into(),
            tool: "terminal".into(),
            failed,
            refused,
            cancelled: false,
            timed_out: false,
            unknown: false,
            error: None,
            text: "done".into(),
            took_ms: 400,
        })
    }

    fn nudge(&mut self, which: Nudge, event: NudgeEvent) -> &mut Self {
        self.write(Kind::Nudge { which, event, why: event.as_str().into() })
    }

    fn review(&mut self, review: u64) -> &mut Self {
        let cause = ReviewCause { skills: true, ..ReviewCause::default() };
        self.write(Kind::ReviewStart { review, cause, digest: false })
    }

    fn writes(&mut self, store: Store, target: &str, origin: Origin, outcome: WriteOutcome) -> &mut Self {
        self.write(Kind::Write {
            store,
            action: "create".into(),
            target: target.into(),
            origin,
            outcome,
            error: None,
            before: "".into(),
            after: "text".into(),
            gained: Vec::new(),
            lost: Vec::new(),
        })
    }

    fn load(&mut self, skill: &str, route: Route) -> &mut Self {
        let skill = skill.into();
        self.write(Kind::Load { skill, file: None, route, listed: true, visible: None, followed: Some(true) })
    }

    fn skill(&mut self, name: &str, event: SkillEvent) -> &mut Self {
        self.write(Kind::Skill { name: name.into(), event, from: None, to: None, cause: "review".into() })
    }

    fn hazard(&mut self, outcome: HazardOutcome) -> &mut Self {
        self.write(Kind::Hazard {
            hazard: "unpushed".into(),
            family: "deploy".into(),
            occurrence: 1,
            lesson: "push-first".into(),
            outcome,
            known: outcome == HazardOutcome::Avoided,
            followed: None,
            place: Some(Place::Skill),
            skill: Some("deploy".into()),
            listed: true,
            visible: true,
            archived: false,
        })
    }

    fn lesson(&mut self, event: LessonEvent, teacher: Option<Teacher>) -> &mut Self {
        self.write(Kind::Lesson {
            lesson: "push-first".into(),
            family: "deploy".into(),
            event,
            teacher,
            place: Some(Place::Skill),
            target: None,
            is_false: false,
        })
    }
}

#[test]
fn a_reviews_calls_and_writes_are_booked_on_the_session_that_caused_it() {
    let mut pen = Pen::new();
    pen.open().turn().model(1, 100, 0, 10).tool("a", true, false).tool("b", false, true).turn_end(2, None);
    pen.role(Role::Review, 2).review(1).model(2, 200, 150, 20).tool("c", true, true);
    pen.writes(Store::Skill, "deploy", Origin::Review, WriteOutcome::Applied);
    pen.writes(Store::Memory, "a note", Origin::Review, WriteOutcome::Applied);
    pen.writes(Store::Memory, "another", Origin::Review, WriteOutcome::Staged);
    pen.role(Role::Delegate, 3).model(3, 50, 0, 5).tool("d", true, false);
    pen.role(Role::Curator, 4);
    pen.at.session = None;
    pen.model(4, 1000, 0, 1);
    let records = pen.finish();
    let [session] = records.sessions.as_slice() else { panic!("one session") };
    assert_eq!((session.tool_calls, session.tool_errors, session.iterations), (2, 1, 2));
    assert_eq!((session.main_calls, session.review_calls, session.other_calls), (1, 1, 1));
    assert_eq!((session.reviews, session.review_writes, session.memory_writes), (1, 2, 1));
    assert_eq!(
        (session.prompt_tokens, session.review_cached_tokens, session.other_completion_tokens),
        (100, 150, 5)
    );
    assert_eq!((session.staged_writes, session.waited_ms, session.openings), (1, 7, 1));
    let [review] = records.reviews.as_slice() else { panic!("one review") };
    assert_eq!((review.calls, review.tool_calls, review.refused_calls, review.skill_writes), (1, 1, 1, 1));
    assert!(review.wasted, "nothing it wrote was loaded or seen");
    let [cell] = records.cells.as_slice() else { panic!("one cell") };
    assert_eq!((cell.curator_calls, cell.prompt_tokens, cell.index_tokens), (1, 1350, 10));
    assert_eq!(records.tool_calls.len(), 4);
}

#[test]
fn a_session_counts_from_its_opening_to_the_last_that_it_caused() {
    let mut pen = Pen::new();
    pen.at(1000).open().turn().at(5000).turn_end(1, Some(TurnOutcome::Corrected));
    pen.role(Role::Review, 2).at(9000).model(1, 1, 0, 1);
    let records = pen.finish();
    assert_eq!(records.sessions[0].duration_ms, 8000);
    assert_eq!(&*records.sessions[0].started_at, "2026-01-05T09:00:01Z");
    assert_eq!(records.turns[0].duration_ms, Some(4000));
    assert_eq!((records.cells[0].judged, records.cells[0].solved), (1, 1));
}

#[test]
fn nudges_are_followed_from_due_to_run_or_loss() {
    let mut pen = Pen::new();
    pen.open().turn().nudge(Nudge::Skill, NudgeEvent::Due).nudge(Nudge::Skill, NudgeEvent::Deferred);
    pen.at(60_000)
        .turn()
        .nudge(Nudge::Skill, NudgeEvent::Due)
        .nudge(Nudge::Skill, NudgeEvent::Fired)
        .review(9);
    pen.nudge(Nudge::Memory, NudgeEvent::Due).nudge(Nudge::Memory, NudgeEvent::Lost);
    pen.nudge(Nudge::Skill, NudgeEvent::Due).nudge(Nudge::Skill, NudgeEvent::Kept);
    pen.nudge(Nudge::Skill, NudgeEvent::Due);
    let records = pen.finish();
    let rows: Vec<_> = records
        .nudges
        .iter()
        .map(|row| (row.which, row.outcome, row.delay_ms, row.delay_turns, row.review))
        .collect();
    assert_eq!(
        rows,
        [
            (Nudge::Skill, NudgeEvent::Fired, Some(60_000), Some(1), Some(9)),
            (Nudge::Skill, NudgeEvent::Fired, Some(0), Some(0), Some(9)),
            (Nudge::Memory, NudgeEvent::Lost, None, None, None),
            (Nudge::Skill, NudgeEvent::Kept, None, None, None),
        ]
    );
    let cell = &records.cells[0];
    assert_eq!((cell.nudges_due, cell.nudges_run, cell.nudges_lost), (4, 2, 1));
}

#[test]
fn the_number_of_a_review_reaches_its_nudge_whichever_is_named_first() {
    let mut pen = Pen::new();
    pen.open().turn().nudge(Nudge::Skill, NudgeEvent::Due).review(1).nudge(Nudge::Skill, NudgeEvent::Fired);
    assert_eq!(pen.finish().nudges[0].review, Some(1));
}

#[test]
fn a_skill_has_lives_and_a_write_has_uses() {
    let mut pen = Pen::new();
    pen.open().turn().role(Role::Review, 2).review(1);
    pen.writes(Store::Skill, "deploy", Origin::Review, WriteOutcome::Applied)
        .skill("deploy", SkillEvent::Created);
    pen.writes(Store::Skill, "deploy/notes.md", Origin::Review, WriteOutcome::Applied);
    pen.session("django").at(1000).open().load("deploy", Route::Index).load("deploy", Route::Review);
    pen.writes(Store::Skill, "deploy", Origin::Foreground, WriteOutcome::Applied);
    pen.skill("deploy", SkillEvent::Archived)
        .skill("deploy", SkillEvent::Restored)
        .skill("deploy", SkillEvent::Deleted);
    pen.at(2000).skill("deploy", SkillEvent::Created);
    let records = pen.finish();
    let lives: Vec<_> = records
        .skills
        .iter()
        .map(|row| (&*row.skill, row.life, row.created_ms, row.loads_later, &*row.state, row.never_used))
        .collect();
    assert_eq!(
        lives,
        [
            ("old", 1, None, 0, "active", true),
            ("deploy", 1, Some(0), 1, "deleted", false),
            ("deploy", 2, Some(2000), 0, "active", true),
        ]
    );
    assert_eq!(records.skills[0].sessions_listed, 2);
    let uses: Vec<_> = records.writes.iter().map(|row| (row.review, row.loads_after)).collect();
    assert_eq!(uses, [(Some(1), 1), (Some(1), 1), (None, 0)]);
    assert_eq!((records.reviews[0].used_writes, records.reviews[0].wasted), (2, false));
}

#[test]
fn a_memory_write_is_of_use_once_it_stands_in_a_prompt() {
    let mut pen = Pen::new();
    pen.open().turn().role(Role::Review, 2).review(1);
    pen.writes(Store::User, "likes tables", Origin::Review, WriteOutcome::Applied);
    pen.session("django").at(500).write(Kind::Visible { store: Store::User, target: "likes tables".into() });
    let records = pen.finish();
    assert_eq!(records.writes[0].visible_ms, Some(500));
    assert!(!records.reviews[0].wasted);
}

#[test]
fn an_exposure_knows_what_happened_since_the_lesson_was_taught() {
    let mut pen = Pen::new();
    pen.open().turn().hazard(HazardOutcome::Hit).lesson(LessonEvent::Met, Some(Teacher::Error));
    pen.nudge(Nudge::Skill, NudgeEvent::Due).nudge(Nudge::Skill, NudgeEvent::Fired).review(1);
    pen.lesson(LessonEvent::Learned, None);
    pen.session("django").open().turn().load("deploy", Route::Index).hazard(HazardOutcome::Avoided);
    pen.lesson(LessonEvent::Met, Some(Teacher::User)).lesson(LessonEvent::Met, Some(Teacher::User));
    pen.lesson(LessonEvent::Lost, None);
    let records = pen.finish();
    let [first, second] = records.hazards.as_slice() else { panic!("two exposures") };
    assert_eq!((first.exposure, first.hit, first.met_before, first.review_due), (1, true, 0, false));
    assert_eq!((second.exposure, second.hit, second.met_before), (2, false, 1));
    assert!(second.review_due && second.review_ran && second.written && second.loaded);
    assert_eq!(second.followed, Some(true));
    let [lesson] = records.lessons.as_slice() else { panic!("one lesson") };
    assert_eq!((lesson.met_by_error, lesson.met_by_user, lesson.user_repeats), (1, 2, 1));
    assert_eq!((lesson.exposures, lesson.hits, lesson.exposures_after, lesson.hits_after), (2, 1, 1, 0));
    assert_eq!((lesson.learned, lesson.lost, lesson.retained, lesson.place), (1, 1, false, None));
    assert_eq!(records.turns[1].corrections, 2);
}

#[test]
fn a_day_shows_the_state_and_what_led_to_it() {
    let mut pen = Pen::new();
    pen.open().skill("deploy", SkillEvent::Created).writes(
        Store::User,
        "x",
        Origin::Foreground,
        WriteOutcome::Applied,
    );
    let library = LibraryState { active: 1, ..LibraryState::default() };
    let day = |day| Kind::Day { day, library, memory: MemoryState::default(), polls: 24 };
    pen.at.session = None;
    pen.write(day(0)).write(Kind::CuratorRun {
        cause: CuratorCause::Poll,
        report: Data(json!({
            "auto_transitions": { "checked": 3, "marked_stale": 1 },
            "counts": { "consolidated_this_run": 2 },
        })),
    });
    pen.role(Role::Curator, 7).model(1, 30, 0, 3).write(day(1));
    let records = pen.finish();
    let days: Vec<_> =
        records.library_days.iter().map(|row| (row.day, row.active, row.created, row.polls)).collect();
    assert_eq!(days, [(0, 1, 1, 24), (1, 1, 0, 24)]);
    assert_eq!(records.memory_days.iter().map(|row| row.writes).collect::<Vec<_>>(), [1, 0]);
    let [run] = records.curator_runs.as_slice() else { panic!("one run") };
    assert_eq!(
        (run.run, run.checked, run.marked_stale, run.consolidated, run.calls, run.prompt_tokens),
        (1, 3, 1, 2, 1, 30)
    );
    assert_eq!((records.cells[0].days, records.cells[0].users), (2, 1));
}

#[test]
fn money_is_exact_and_booked_where_the_calls_are() {
    let table: PriceTable = serde_json::from_value(json!({
        "currency": "USD",
        "prices": [{ "prompt": 3, "cached": 0.3, "completion": 15 }],
    }))
    .unwrap();
    let mut pen = Pen::with(Measure::with_prices(Prices::new(&table).unwrap()));
    pen.open().turn().model(1, 1000, 800, 10).role(Role::Review, 2).review(1).model(2, 10, 0, 0);
    let records = pen.finish();
    assert_eq!(records.model_calls[0].cost_nanos, Some(200 * 3000 + 800 * 300 + 10 * 15_000));
    assert_eq!(records.reviews[0].cost_nanos, Some(30_000));
    assert_eq!(records.sessions[0].cost_nanos, Some(1_020_000));
    assert_eq!(records.cells[0].cost_nanos, Some(1_020_000));
}

#[test]
fn a_broken_trace_still_gives_what_there_was() {
    let mut pen = Pen::new();
    pen.write(Kind::Miss { message: "no rule fits".into(), nearest: Data(Vec::new()) });
    pen.model(3, 1, 0, 1).write(Kind::SessionEnd { reason: Arc::from("exit") });
    pen.write(Kind::CellEnd {
        outcome: CellOutcome::Broken,
        reason: "no rule fits".into(),
        digest: "d".into(),
    });
    let records = pen.finish();
    assert_eq!((records.cells[0].misses, records.cells[0].outcome), (1, Some(CellOutcome::Broken)));
    assert_eq!((records.sessions[0].main_calls, &*records.sessions[0].end_reason), (1, "exit"));
}
