//! Generated work, and what is learned of it: the shipped scenarios, arm against arm.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use agent_core::values::{Draws, Seed};
use reports::figures::{cells, compare_arms, derived};
use reports::records::Records;
use reports::trace::{Event, Kind, TraceReader};
use reports::{Evidence, HazardOutcome, Route};

use super::testing::{loaded, play_cell};
use crate::families::script::draws;
use crate::scenario::Scenario;
use crate::transport::{Hosts, TransportKind};

struct Played {
    trace: Vec<u8>,
    records: Records,
}

impl Played {
    fn events(&self) -> Vec<Event> {
        TraceReader::new(&self.trace[..]).collect::<Result<_, _>>().unwrap()
    }

    fn figure(&self, name: &str) -> f64 {
        derived(name).unwrap().of(&cells(&self.records)).unwrap()
    }
}

fn shipped(name: &str) -> Arc<Scenario> {
    loaded(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios").join(name))
}

fn play_by(scenario: &Scenario, arm: &str, seed: u64, kind: TransportKind) -> Played {
    let arm = scenario.arms.iter().find(|known| &*known.name == arm).unwrap();
    let seed = Seed(seed);
    let mut transport = Hosts::open(kind).unwrap().transport(scenario, arm, seed);
    let (trace, ended) = play_cell(scenario, arm, seed, &mut *transport);
    let ended = ended.unwrap();
    assert_eq!(ended.ending, super::Ending::Finished);
    Played { trace, records: ended.records }
}

fn play(scenario: &Scenario, arm: &str) -> Played {
    play_by(scenario, arm, 1, TransportKind::Direct)
}

#[test]
fn the_quarter_writes_out_the_rates_of_the_named_worlds() {
    for arm in &shipped("quarter.yaml").arms {
        assert_eq!(arm.rates.as_ref().unwrap().world, arm.name, "rates equal to a world's take its name");
    }
}

#[test]
fn both_transports_give_the_same_traces() {
    let scenario = shipped("nudges-small.yaml");
    for arm in ["often", "never-loaded"] {
        let [direct, http] =
            [TransportKind::Direct, TransportKind::Http].map(|kind| play_by(&scenario, arm, 2, kind).trace);
        assert!(direct == http, "{arm}");
    }
}

#[test]
fn the_draws_decide_what_nobody_can_derive() {
    let scenario = shipped("nudges-small.yaml");
    for name in ["often", "never-loaded"] {
        let rates =
            Arc::clone(scenario.arms.iter().find(|arm| &*arm.name == name).unwrap().rates.as_ref().unwrap());
        let draws = Draws::new(Seed(1));
        let mut seen = 0;
        for event in play(&scenario, name).events() {
            let Kind::Hazard { hazard, outcome, followed, known, .. } = &event.kind else { continue };
            assert_eq!(*known, followed.is_some(), "what is known is followed or not");
            let key = format!("{}/{}#{}", event.user, event.session.as_deref().unwrap(), event.turn);
            let rate = if *followed == Some(true) { "avoids.followed" } else { "avoids.unaided" };
            let avoids = draws.unit(&["chance", &key, &draws::avoids(hazard)]) < rates.value(rate);
            assert_eq!(*outcome == HazardOutcome::Avoided, avoids, "{key}: {hazard}");
            seen += 1;
        }
        assert!(seen > 50, "{seen}");
    }
}

/// The tasks of a cell: what the user asks for in which turn, corrections left out.
fn tasks(played: &Played) -> Vec<String> {
    let task = |event: Event| match &event.kind {
        Kind::TurnStart { text, family: Some(family), occurrence, .. } => {
            Some(format!("{} {} {family} {occurrence:?}: {}", event.user, event.session?, &**text))
        }
        _ => None,
    };
    played.events().into_iter().filter_map(task).collect()
}

/// The outcome of every exposure at which nothing was known, by turn and hazard.
fn unaided(played: &Played) -> BTreeMap<(Arc<str>, u32, Arc<str>), HazardOutcome> {
    let exposure = |event: Event| match event.kind {
        Kind::Hazard { hazard, outcome, known: false, .. } => {
            Some(((event.session?, event.turn, hazard), outcome))
        }
        _ => None,
    };
    played.events().into_iter().filter_map(exposure).collect()
}

#[test]
fn arms_share_their_work_and_their_draws() {
    let scenario = shipped("nudges-small.yaml");
    let [off, often, never] = ["off", "often", "never-loaded"].map(|arm| play(&scenario, arm));
    assert_eq!(tasks(&off), tasks(&often));
    assert_eq!(tasks(&off), tasks(&never));
    let (one, other) = (unaided(&off), unaided(&never));
    let mut both = 0;
    for (exposure, outcome) in &one {
        // Corrections move the numbers of later turns of a session, so only first turns are the same in every arm.
        if exposure.1 == 1
            && let Some(twin) = other.get(exposure)
        {
            assert_eq!(outcome, twin, "{exposure:?}");
            both += 1;
        }
    }
    assert!(both > 20, "{both}");
    let other_seed = play_by(&scenario, "off", 2, TransportKind::Direct);
    assert_ne!(tasks(&off), tasks(&other_seed));
}

#[test]
fn learning_spares_errors_where_it_is_loaded_and_nowhere_else() {
    let scenario = shipped("nudges-small.yaml");
    for seed in 1..=3 {
        let [off, rarely, default, often, never, never_off] =
            ["off", "rarely", "default", "often", "never-loaded", "never-loaded-off"]
                .map(|arm| play_by(&scenario, arm, seed, TransportKind::Direct));
        let repeated = |played: &Played| played.figure("repeated_error_rate");
        assert!(off.records.reviews.is_empty() && off.records.writes.is_empty(), "no interval, no review");
        assert!(off.records.lessons.iter().all(|lesson| !lesson.retained), "nothing is learned");
        for arm in [&rarely, &default, &often] {
            assert!(
                repeated(arm) < repeated(&off),
                "seed {seed}: {} against {}",
                repeated(arm),
                repeated(&off)
            );
        }
        assert!(repeated(&often) <= repeated(&rarely), "looking back more often teaches earlier");
        let count = |played: &Played| {
            let cell = &played.records.cells[0];
            (cell.tool_calls, cell.tool_errors, cell.hazard_hits)
        };
        assert_eq!(count(&never), count(&never_off), "what is never loaded spares nothing");
        assert!(never.records.model_calls.len() > never_off.records.model_calls.len(), "and costs reviews");
    }
}

/// Seeds of one arm, parted by lot and paired as if they were two arms: whatever differs is chance, and an interval of 95 %
/// may take it for more than that in few of the cases.
#[test]
fn an_arm_against_its_own_other_seeds_is_seldom_told_apart() {
    const LOTS: u64 = 50;
    let scenario = shipped("nudges-small.yaml");
    let play_seed = |seed| play_by(&scenario, "default", seed, TransportKind::Direct).records.cells.remove(0);
    let played: Vec<_> = (1..=16).map(play_seed).collect();
    let figures = ["tool_calls_per_task", "tool_errors_per_task", "solved_rate"];
    let figures = figures.map(|name| derived(name).unwrap());
    let mut told = 0;
    for lot in 0..LOTS {
        let mut order: Vec<usize> = (0..played.len()).collect();
        order.sort_by_key(|place| Draws::new(Seed(lot)).u64(&["lot", &place.to_string()]));
        let place = |(place, cell): (usize, &usize)| {
            let arm: Arc<str> = if place % 2 == 0 { "a" } else { "b" }.into();
            reports::records::CellRow { arm, seed: place as u64 / 2, ..played[*cell].clone() }
        };
        let mut records =
            Records { cells: order.iter().enumerate().map(place).collect(), ..Records::default() };
        records.sort();
        let (a, b): (Vec<_>, Vec<_>) = cells(&records).into_iter().partition(|view| &*view.cell.arm == "a");
        let (_, found) = compare_arms(("a", &a), ("b", &b), &figures).unwrap();
        assert_eq!(found.len(), figures.len());
        assert!(found.iter().all(|(_, comparison)| comparison.pairs == 8));
        told += found.iter().filter(|(_, comparison)| comparison.judgement.words() != "cannot tell").count();
    }
    let share = told as f64 / (LOTS as f64 * figures.len() as f64);
    assert!(share > 0.0, "chance differs from lot to lot");
    assert!(share < 0.15, "{share}");
}

#[test]
fn the_funnel_is_filled_from_work_to_spared_errors() {
    let played = play(&shipped("nudges-small.yaml"), "often");
    let records = &played.records;
    assert_eq!(records.cells[0].evidence, Evidence::Assumed);
    assert_eq!(&*records.cells[0].world, "always");
    let exposures = &records.hazards;
    assert!(exposures.iter().any(|row| row.hit && !row.known && row.met_before == 0), "a first stumble");
    let spared = |row: &&reports::records::HazardRow| {
        row.met_before > 0
            && row.review_due
            && row.review_ran
            && row.written
            && row.place.is_some()
            && !row.hit
    };
    let learned: Vec<_> = exposures.iter().filter(spared).collect();
    assert!(learned.iter().any(|row| row.listed && row.visible && row.loaded && row.followed == Some(true)));
    assert!(learned.iter().any(|row| row.place == Some(reports::Place::Memory)), "notes help as well");
    assert!(learned.iter().any(|row| row.place == Some(reports::Place::SupportFile)), "and files of skills");
    let loads = records.loads.iter().filter(|row| row.route == Route::Index);
    assert!(loads.clone().count() > 10 && loads.clone().all(|row| row.visible == Some(true)));
    assert!(records.lessons.iter().any(|row| row.met_by_user > 0 && row.retained), "corrections are kept");
    assert!(records.turns.iter().any(|row| row.outcome == Some(reports::TurnOutcome::Corrected)));
    assert!(records.turns.iter().any(|row| row.outcome == Some(reports::TurnOutcome::Abandoned)));
}

/// What is known, loaded and followed goes well: the right way is answered as the right way, for every hazard that any
/// skill, note or file can spare.
#[test]
fn every_lesson_of_the_shipped_families_spares_its_hazard() {
    let played = play(&shipped("quarter.yaml"), "always");
    let mut heeded: BTreeMap<Arc<str>, [u32; 2]> = BTreeMap::new();
    for event in played.events() {
        if let Kind::Hazard { hazard, outcome, followed, .. } = event.kind {
            let counts = heeded.entry(hazard.split('@').next().unwrap().into()).or_default();
            counts[usize::from(followed == Some(true) && outcome == HazardOutcome::Hit)] += 1;
        }
    }
    let avoided = |row: &&reports::records::HazardRow| !row.hit && row.place.is_some();
    for (hazard, counts) in &heeded {
        // Nothing is heeded in vain where all that is followed goes well.
        assert_eq!(counts[1], 0, "{hazard}");
        let spared =
            played.records.hazards.iter().filter(avoided).filter(|row| row.hazard == *hazard).count();
        let unreachable = ["port-taken", "portal-form", "stand-size"].contains(&&**hazard);
        assert!(unreachable || spared > 5, "{hazard}: spared {spared} times");
    }
    // Each task meets each hazard of its family once, whatever the agent knows.
    let exposures = |arm: &str| play(&shipped("quarter.yaml"), arm).records.hazards.len();
    assert_eq!(exposures("always"), exposures("never-loaded"));
}

#[test]
fn one_line_stands_for_a_thousand_sessions() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("many.yaml");
    let text = "
name: many
start: 2026-01-05T09:00:00Z
users: 2
arms: { july: { version: hermes-0.19, world: sometimes } }
families:
  talk: { says: Tell me something new., steps: [], done: Nothing happened today. }
timeline: [{ work: talk, every: 1h, for: 500h }]
expect:
  - session['user-1/talk-500'].turns == 1
  - family.talk.occurrences == 1000
";
    std::fs::write(&path, text).unwrap();
    let records = play(&loaded(&path), "july").records;
    assert_eq!((records.sessions.len(), records.turns.len()), (1000, 1000));
    // Every task is judged, and a few are given up, as the world's rate of solved ones has it.
    let solved =
        records.turns.iter().filter(|turn| turn.outcome == Some(reports::TurnOutcome::Solved)).count();
    let given_up =
        records.turns.iter().filter(|turn| turn.outcome == Some(reports::TurnOutcome::Abandoned)).count();
    assert_eq!(solved + given_up, 1000);
    assert!((950..=990).contains(&solved), "{solved} of a thousand, at a rate of 0.97");
}
