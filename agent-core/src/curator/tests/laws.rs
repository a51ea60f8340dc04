//! Laws of plans and of whole lives.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::bench::{Bench, content, day};
use crate::behaviour::{Behaviour, Settings, Version};
use crate::curator::ageing::{Candidate, Counters, apply, plan};
use crate::curator::commands::{self, PruneAsk};
use crate::curator::jobs::JobSkills;
use crate::curator::{candidate_names, plan_run};
use crate::skills::usage::Record;
use crate::stores::{Files, TreePath, exists};

const NAMES: [&str; 5] = ["alpha", "beta", "gamma", "delta", "eps"];

/// A record with anything in it.
fn any_record() -> impl Strategy<Value = Value> {
    let date = prop_oneof![
        (0_i64..200).prop_map(|days| json!(day(-days, 0).to_string())),
        Just(Value::Null),
        Just(json!("soon")),
        Just(json!(5)),
    ];
    let count =
        prop_oneof![Just(json!(0)), Just(json!(3)), Just(json!("4")), Just(json!("many")), Just(Value::Null)];
    let state = prop_oneof![
        Just(json!("active")),
        Just(json!("stale")),
        Just(json!("archived")),
        Just(json!("odd")),
        Just(Value::Null),
    ];
    (date.clone(), date.clone(), date, count, state, any::<bool>()).prop_map(
        |(created, used, viewed, count, state, pinned)| {
            json!({
                "created_by": "agent", "created_at": created, "last_used_at": used, "last_viewed_at": viewed,
                "use_count": count, "state": state, "pinned": pinned,
            })
        },
    )
}

fn settings(faults: bool, by: &str, capacity: i64) -> Settings {
    let mut settings = Settings::new(Version::V0_19);
    if !faults {
        settings.faults_off(&crate::behaviour::Origin::CommandLine);
    }
    settings.set("curator.ageing", by.into(), crate::behaviour::Origin::CommandLine).unwrap();
    settings.set("curator.capacity", capacity.into(), crate::behaviour::Origin::CommandLine).unwrap();
    settings.set("curator.backup.enabled", false.into(), crate::behaviour::Origin::CommandLine).unwrap();
    settings
}

fn ways() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("timed"), Just("lru"), Just("lfu"), Just("off")]
}

proptest! {
    #[test]
    fn a_plan_is_pure_and_spares_the_pinned(
        records in prop::collection::vec(prop::option::of(any_record()), 1..8),
        faults in any::<bool>(), by in ways(), capacity in 0_i64..6,
    ) {
        let rules = Behaviour::resolve(&settings(faults, by, capacity)).curator.ageing;
        let records: Vec<Option<Record>> =
            records.into_iter().map(|record| record.and_then(Record::from_value)).collect();
        let names: Vec<String> = (0..records.len()).map(|number| format!("s{number}")).collect();
        let candidates = || names.iter().zip(&records).map(|(name, record)| Candidate {
            name, record: record.as_ref(), builtin: record.is_none(),
        });
        let (jobs, at) = (JobSkills::default(), day(0, 0));
        let first = plan(candidates(), &jobs, at, &rules).unwrap();
        prop_assert_eq!(&first, &plan(candidates(), &jobs, at, &rules).unwrap());
        let touched: BTreeSet<&str> = first.steps.iter().map(|step| step.name.as_str()).collect();
        prop_assert_eq!(touched.len(), first.steps.len(), "one change a skill");
        for (name, record) in names.iter().zip(&records) {
            if record.as_ref().is_some_and(Record::is_pinned) {
                prop_assert!(!touched.contains(name.as_str()));
            }
        }
        if by == "off" {
            prop_assert_eq!(Counters::of(&first).archived + Counters::of(&first).marked_stale, 0);
        }
    }

    #[test]
    fn a_plan_applied_twice_does_what_it_does_once(
        records in prop::collection::vec(any_record(), 1..5),
        faults in any::<bool>(), by in ways(), capacity in 0_i64..4,
    ) {
        let mut bench = Bench::of(settings(faults, by, capacity));
        let all: serde_json::Map<String, Value> =
            NAMES.iter().zip(records).map(|(name, record)| ((*name).to_owned(), record)).collect();
        for name in all.keys() {
            bench.put(&format!("skills/{name}/SKILL.md"), &super::bench::skill_text(name));
        }
        bench.put("skills/.usage.json", &Value::Object(all).to_string());
        let rules = Behaviour::resolve(&bench.settings).curator;
        let at = day(0, 0);
        let plan = bench.usage(at, |usage| plan_run(usage, &JobSkills::default(), &rules, at).unwrap());
        let once = bench.usage(at, |usage| apply(usage, &plan, at, &rules.ageing));
        prop_assert_eq!(once.counters, Counters::of(&plan));
        let after = content(&bench.home, "");
        bench.usage(at, |usage| apply(usage, &plan, at, &rules.ageing));
        prop_assert_eq!(content(&bench.home, ""), after);
    }
}

/// Something that happens to a library.
#[derive(Clone, Debug)]
enum Event {
    Use(usize),
    Pin(usize, bool),
    Archive(usize),
    Restore(usize),
    Run,
    Prune(i64),
    Snapshot,
    Rollback,
    Job(usize),
}

fn event() -> impl Strategy<Value = Event> {
    let who = 0..NAMES.len();
    prop_oneof![
        3 => who.clone().prop_map(Event::Use),
        1 => (who.clone(), any::<bool>()).prop_map(|(who, pinned)| Event::Pin(who, pinned)),
        2 => who.clone().prop_map(Event::Archive),
        2 => who.clone().prop_map(Event::Restore),
        4 => Just(Event::Run),
        1 => (1_i64..60).prop_map(Event::Prune),
        1 => Just(Event::Snapshot),
        1 => Just(Event::Rollback),
        1 => who.prop_map(Event::Job),
    ]
}

fn happen(bench: &mut Bench, event: &Event, now: crate::values::Stamp) {
    match *event {
        Event::Use(who) => bench.usage(now, |usage| usage.use_(NAMES[who])),
        Event::Pin(who, pinned) => bench.at(now, |context| drop(commands::pin(context, NAMES[who], pinned))),
        Event::Archive(who) => bench.at(now, |context| drop(commands::archive(context, NAMES[who]))),
        Event::Restore(who) => bench.at(now, |context| drop(commands::restore(context, NAMES[who]))),
        Event::Run => drop(bench.run(now)),
        Event::Prune(days) => {
            let ask = PruneAsk { days: Some(days), dry_run: false, confirmed: true };
            bench.at(now, |context| drop(commands::prune(context, ask)));
        }
        Event::Snapshot => bench.at(now, |context| drop(context.snapshot("law"))),
        Event::Rollback => bench.at(now, |context| drop(context.rollback(None))),
        Event::Job(who) => bench.jobs(&[NAMES[who]]),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 6, ..ProptestConfig::default() })]

    /// Whatever happens, in whatever order: each skill is in its place or in the archive, whole, and once.
    #[test]
    fn no_skill_is_ever_lost(
        events in prop::collection::vec((event(), 0_i64..40), 1..25),
        faults in any::<bool>(), later in any::<bool>(),
    ) {
        let mut bench = if faults { Bench::new() } else { Bench::careful() };
        if later {
            bench.skills.write_back = crate::skills::WriteBack::Later;
        }
        for name in NAMES {
            bench.agent_skill(name, day(0, 0));
            bench.put(&format!("skills/{name}/references/note.md"), name);
        }
        bench.at(day(0, 0), |context| context.snapshot("first"));
        let mut days = 0;
        for (event, wait) in events {
            days += wait;
            happen(&mut bench, &event, day(days, 1));
            for name in NAMES {
                let places = [format!("skills/{name}"), format!("skills/.archive/{name}")];
                let found: Vec<&String> =
                    places.iter().filter(|place| exists(&bench.home, &TreePath::new(place))).collect();
                prop_assert_eq!(found.len(), 1, "{}: {:?} after {:?}", name, found, event);
                prop_assert_eq!(bench.text(&format!("{}/references/note.md", found[0])), name);
            }
            let left = bench.home.list(&TreePath::new("skills/.curator_backups")).unwrap_or_default();
            prop_assert!(left.iter().all(|entry| !entry.name.starts_with('.')));
        }
        let rules = Behaviour::resolve(&bench.settings).curator;
        let names = bench.usage(day(days, 2), |usage| candidate_names(usage, &rules));
        for name in names {
            prop_assert!(bench.has(&format!("skills/{name}/SKILL.md")), "{} is a candidate and in its place", name);
        }
    }
}
