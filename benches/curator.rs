//! A year of the curator: hourly polls and weekly runs over five hundred skills, in memory. The whole year must stay
//! under a second, a poll that is not due under five microseconds.

use std::hint::black_box;

use agent_core::behaviour::{Behaviour, Settings, Version};
use agent_core::curator::{
    CuratorContext, CuratorState, PassOutcome, Poll, RunAsk, begin_pass, finish_pass, poll,
};
use agent_core::skills::usage::Usage;
use agent_core::skills::{Library, LibraryState, WriteBack};
use agent_core::stores::{Files, MemFiles, TreePath, write_text};
use agent_core::values::{CuratorCause, Stamp};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};

const SKILLS: usize = 500;
const WEEKS: i64 = 52;
const HOUR_MICROS: i64 = 3_600_000_000;

#[derive(Clone)]
struct Bench {
    home: MemFiles,
    behaviour: Behaviour,
    skills: LibraryState,
    state: CuratorState,
    start: i64,
}

impl Bench {
    fn new() -> Self {
        let mut home = MemFiles::new("/home/agent/.hermes");
        for number in 0..SKILLS {
            let text = format!(
                "---\nname: skill-{number}\ndescription: Use when task {number} comes.\n---\n# Steps\n\n{}",
                "Do the thing.\n".repeat(60)
            );
            let path = TreePath::new(&format!("skills/area-{}/skill-{number}/SKILL.md", number % 20));
            write_text(&mut home, &path, &text).expect("a tree in memory takes it");
        }
        let start = Stamp::parse("2026-01-05T09:00:00Z").expect("a literal date").as_micros();
        let behaviour = Behaviour::resolve(&Settings::new(Version::V0_19));
        let skills = LibraryState::new(WriteBack::Later);
        let mut bench = Self { home, behaviour, skills, state: CuratorState::default(), start };
        for number in 0..SKILLS {
            bench.usage(0, |usage| usage.mark_agent_created(&format!("skill-{number}")));
        }
        bench
    }

    fn at(&self, hour: i64) -> Stamp {
        Stamp::from_micros(self.start + hour * HOUR_MICROS)
    }

    fn usage(&mut self, hour: i64, body: impl FnOnce(&mut Usage<'_, '_>)) {
        let at = self.at(hour);
        let mut library = Library::open(&mut self.home, &mut [], &self.behaviour.skills);
        body(&mut Usage::new(&mut library, &mut self.skills, &self.behaviour.skills, at));
    }

    fn poll(&mut self, hour: i64) -> Poll {
        let at = self.at(hour);
        poll(&mut self.state.gate, &mut self.home, &self.behaviour.curator, at, None)
    }

    fn run(&mut self, hour: i64) {
        let at = self.at(hour);
        self.home.set_now(at.to_sim());
        let mut library = Library::open(&mut self.home, &mut [], &self.behaviour.skills);
        let (skills, state, behaviour) = (&mut self.skills, &mut self.state, &self.behaviour);
        let mut context = CuratorContext { library: &mut library, skills, state, behaviour, at };
        let ask = RunAsk { cause: CuratorCause::Poll, dry_run: false, consolidate: None };
        let start = begin_pass(&mut context, ask).expect("a run begins");
        finish_pass(&mut context, start, PassOutcome::default());
    }

    /// Polls every hour, runs when due; each day one skill in ten is used.
    fn year(&mut self) {
        for hour in 0..WEEKS * 7 * 24 {
            if hour % 24 == 3 {
                let tenth = usize::try_from(hour / 24 % 10).expect("a small number");
                for number in (tenth..SKILLS / 2).step_by(10) {
                    self.usage(hour, |usage| usage.use_(&format!("skill-{number}")));
                }
            }
            if self.poll(hour) == Poll::Due {
                self.run(hour);
            }
        }
    }
}

fn year(c: &mut Criterion) {
    let bench = Bench::new();
    let mut group = c.benchmark_group("curator");
    group.sample_size(10);
    group.bench_function("52 weeks of hourly polls, 500 skills", |b| {
        b.iter_batched(
            || bench.clone(),
            |mut bench| {
                bench.year();
                bench
            },
            BatchSize::PerIteration,
        );
    });
    group.bench_function("the five snapshots of that year, written", |b| {
        let mut bench = bench.clone();
        bench.year();
        b.iter_batched(
            || bench.clone(),
            |mut bench| {
                let at = bench.at(WEEKS * 7 * 24);
                let mut library = Library::open(&mut bench.home, &mut [], &bench.behaviour.skills);
                let (skills, state, behaviour) = (&mut bench.skills, &mut bench.state, &bench.behaviour);
                CuratorContext { library: &mut library, skills, state, behaviour, at }.settle();
                bench
            },
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

fn idle(c: &mut Criterion) {
    let mut bench = Bench::new();
    bench.poll(0);
    assert!(bench.home.list(&TreePath::new("skills")).is_ok());
    c.bench_function("curator/a poll that is not due", |b| b.iter(|| black_box(bench.poll(black_box(1)))));
}

criterion_group!(benches, year, idle);
criterion_main!(benches);
