//! Lives of skills over weeks.

use super::bench::{Bench, day};
use crate::curator::{PassOutcome, Poll, RunAsk, begin_pass, finish_pass};
use crate::values::{CuratorCause, Stamp};

/// A poll every hour; a run whenever one is due.
fn live(bench: &mut Bench, from: (i64, i64), to: (i64, i64), mut events: impl FnMut(&mut Bench, i64, i64)) {
    let hours = |(days, hours): (i64, i64)| days * 24 + hours;
    for hour in hours(from)..=hours(to) {
        let (days, hour) = (hour.div_euclid(24), hour.rem_euclid(24));
        events(bench, days, hour);
        let now = day(days, hour);
        if bench.poll(now) == Poll::Due {
            run(bench, now);
        }
    }
}

fn run(bench: &mut Bench, now: Stamp) {
    let ask = RunAsk { cause: CuratorCause::Poll, dry_run: false, consolidate: None };
    bench.at(now, |context| {
        let start = begin_pass(context, ask).unwrap();
        finish_pass(context, start, PassOutcome::default())
    });
}

/// A whole life under 14 and 30 days with daily runs.
#[test]
fn stale_back_stale_again_archived() {
    let mut bench = Bench::new()
        .set("curator.stale_after_days", 14)
        .set("curator.archive_after_days", 30)
        .set("curator.interval_hours", 24)
        .set("curator.backup.enabled", false);
    bench.agent_skill("deploy", day(0, 0));
    let mut states = Vec::new();
    live(&mut bench, (0, 9), (60, 9), |bench, days, hour| {
        if hour == 12 {
            match days {
                10 => bench.usage(day(days, hour), |usage| usage.use_("deploy")),
                28 => bench.usage(day(days, hour), |usage| usage.count_view("deploy")),
                _ => {}
            }
        }
        let state = bench.state_of("deploy");
        if states.last().is_none_or(|(_, known)| *known != state) {
            states.push((days, state));
        }
    });
    let seen: Vec<(i64, &str)> = states.iter().map(|(days, state)| (*days, state.as_str())).collect();
    assert_eq!(seen, [(0, "active"), (25, "stale"), (29, "active"), (43, "stale"), (59, "archived")]);
    assert!(bench.has("skills/.archive/deploy/SKILL.md") && !bench.has("skills/deploy"));
}

#[test]
fn a_trial_ends_well_or_badly() {
    let mut bench = Bench::careful()
        .set("curator.observation_days", 10)
        .set("curator.min_uses", 2)
        .set("curator.interval_hours", 24)
        .set("curator.backup.enabled", false);
    for name in ["used", "unused", "late"] {
        bench.agent_skill(name, day(0, 0));
    }
    live(&mut bench, (0, 9), (9, 9), |bench, days, hour| {
        if hour == 12 && days < 2 {
            bench.usage(day(days, hour), |usage| usage.use_("used"));
        }
    });
    assert_eq!(bench.json("skills/.usage.json")["used"]["probation"], "promoted");
    assert_eq!(bench.state_of("unused"), "active");
    live(&mut bench, (9, 10), (12, 9), |_, _, _| {});
    assert_eq!(bench.json("skills/.usage.json")["unused"]["probation"], "low_use");
    assert_eq!((bench.state_of("unused"), bench.state_of("used")), ("stale".to_owned(), "active".to_owned()));
    // A recent view does not make it active again, enough uses do.
    live(&mut bench, (12, 10), (16, 9), |bench, days, hour| {
        if hour == 12 && days < 14 {
            bench.usage(day(days, hour), |usage| usage.view("unused"));
            bench.usage(day(days, hour), |usage| usage.use_("late"));
        }
    });
    assert_eq!((bench.state_of("unused"), bench.state_of("late")), ("stale".to_owned(), "active".to_owned()));
    live(&mut bench, (16, 10), (120, 9), |_, _, _| {});
    assert!(bench.has("skills/.archive/unused"), "what is little used ages like the rest");
}

#[test]
fn a_built_in_has_a_base_from_the_first_run_on() {
    for (fault, state) in [(true, "stale"), (false, "active")] {
        let mut bench = Bench::new().set("faults.builtins_aged_at_first_sight", fault);
        bench.builtin("pdf");
        bench.usage(day(0, 0), |usage| usage.count_view("pdf"));
        bench.run(day(40, 0));
        assert_eq!(bench.state_of("pdf"), state, "fault {fault}");
        bench.run(day(69, 23));
        bench.run(day(71, 0));
        assert_eq!(bench.state_of("pdf"), "stale", "it ages from there");
    }
}

#[test]
fn a_year_of_polls_leaves_five_snapshots() {
    let mut bench = Bench::new();
    for number in 0..20 {
        bench.agent_skill(&format!("skill-{number}"), day(number, 0));
    }
    live(&mut bench, (0, 9), (364, 9), |bench, days, hour| {
        if hour == 12 && days % 9 == 0 {
            bench.usage(day(days, hour), |usage| usage.use_("skill-3"));
        }
    });
    assert_eq!(bench.json("skills/.curator_state")["run_count"], 52);
    assert!(!bench.has("skills/.curator_backups"), "nobody has asked for a snapshot yet");
    let listed = bench.snapshots(day(365, 0));
    assert_eq!(listed.len(), 5);
    assert_eq!(listed[0].skill_files(), Some(1));
    assert!(bench.has("skills/.curator_backups") && bench.state_of("skill-3") == "active");
}
