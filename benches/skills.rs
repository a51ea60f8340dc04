//! A library of twenty and of two thousand skills: what a count, a view, a look-up and a patch cost must not depend on
//! its size; only listing all of it may.

use std::hint::black_box;

use agent_core::behaviour::{Behaviour, Settings, Version};
use agent_core::skills::usage::Usage;
use agent_core::skills::{
    Batch, Library, LibraryState, ReadMarks, SkillContext, WriteBack, list, manage, view,
};
use agent_core::stores::{MemFiles, TreePath, write_text};
use agent_core::values::{Draws, LoadRoute, Seed, SimTime, WriteOrigin};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use serde_json::json;

const SIZES: [usize; 2] = [20, 2000];

struct Bench {
    home: MemFiles,
    behaviour: Behaviour,
    state: LibraryState,
    marks: ReadMarks,
}

impl Bench {
    fn new(skills: usize) -> Self {
        let mut home = MemFiles::new("/home/agent/.hermes");
        for number in 0..skills {
            let path = TreePath::new(&format!("skills/area-{}/skill-{number}/SKILL.md", number % 20));
            let text = format!(
                "---\nname: skill-{number}\ndescription: Use when task {number} comes.\n---\n# Steps\n\nDo the thing.\n"
            );
            write_text(&mut home, &path, &text).expect("a tree in memory takes it");
        }
        let behaviour = Behaviour::resolve(&Settings::new(Version::V0_19));
        let mut bench =
            Self { home, behaviour, state: LibraryState::new(WriteBack::Later), marks: ReadMarks::new() };
        // The first call reads the library; what is measured comes after it.
        bench.with(|context| view(context, &json!({"name": "skill-1"})));
        bench
    }

    fn with<T>(&mut self, body: impl FnOnce(&mut SkillContext<'_, '_>) -> T) -> T {
        let mut library = Library::open(&mut self.home, &mut [], &self.behaviour.skills);
        body(&mut SkillContext {
            library: &mut library,
            state: &mut self.state,
            behaviour: &self.behaviour,
            marks: &mut self.marks,
            draws: Draws::new(Seed(1)),
            at: SimTime::from_millis(0),
            origin: WriteOrigin::Foreground,
            origin_label: "foreground",
            batch: Batch::Alone,
            route: LoadRoute::Index,
            listed: &|_| true,
            session: None,
            platform: None,
        })
    }
}

fn calls(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("skills");
    for size in SIZES {
        let mut bench = Bench::new(size);
        group.bench_function(BenchmarkId::new("count", size), |bencher| {
            bencher.iter(|| {
                bench.with(|context| {
                    let rules = &context.behaviour.skills;
                    Usage::new(context.library, context.state, rules, context.at).use_("skill-7");
                });
            });
        });
        group.bench_function(BenchmarkId::new("view", size), |bencher| {
            bencher.iter(|| black_box(bench.with(|context| view(context, &json!({"name": "skill-7"})))));
        });
        group.bench_function(BenchmarkId::new("miss", size), |bencher| {
            let args = json!({"action": "patch", "name": "none", "old_string": "a", "new_string": "b"});
            bencher.iter(|| black_box(bench.with(|context| manage(context, &args))));
        });
        group.bench_function(BenchmarkId::new("patch", size), |bencher| {
            let turn = |old: &str, new: &str| {
                json!({"action": "patch", "name": "skill-7", "old_string": old, "new_string": new})
            };
            let both = [turn("thing", "job"), turn("job", "thing")];
            bencher.iter(|| {
                for args in &both {
                    black_box(bench.with(|context| manage(context, args)));
                }
            });
        });
        group.bench_function(BenchmarkId::new("list, not independent", size), |bencher| {
            bencher.iter(|| black_box(bench.with(|context| list(context, &json!({})))));
        });
    }
    group.finish();
}

criterion_group!(skills, calls);
criterion_main!(skills);
