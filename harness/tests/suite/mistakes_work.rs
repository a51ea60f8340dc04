//! What a person reads who has made a mistake in generated work: in arrivals, in families as a timeline names them, in
//! rates and calibrations.
#![expect(clippy::too_many_lines, reason = "what is shown stands in the tests that show it")]

use super::context::TestContext;

/// A scenario that is right, for mistakes to be planted in.
const RIGHT: &str = "\
name: demo
start: 2026-01-05T09:00:00Z
users: [ana, ben]
arms:
  july: { version: hermes-0.19, world: sometimes }
families: families.yaml
timeline:
  - work: daily
    working_days: { at: [9:00, 17:00], per_day: 2 }
    for: 2w
    families: { deploy: 3, invoice: 1 }
    tasks: [1, 2]
expect:
  - cell.turns > 10
";

const FAMILIES: &str = r#"families:
  deploy:
    says: Deploy {{ app }} to the cluster.
    slots: { app: [billing, shop] }
    steps:
      - { call: { terminal: { command: "kubectl apply -f {{ app }}.yaml" } }, hazard: push-first }
    hazards:
      push-first:
        error: "ImagePullBackOff: {{ app }} is not in the registry"
        instead: [{ call: { terminal: { command: "push-and-apply {{ app }}" } }, output: applied }]
        lesson: { text: Push the image before you apply., belongs: memory }
  invoice:
    says: Write the monthly invoice.
    steps: [{ call: { terminal: { command: make invoice } }, output: written }]
"#;

/// A calibration that is right.
const CALIBRATION: &str = "\
rates:
  capture: { first: { count: 60, of: 100 }, repeat: { count: 20, of: 50 } }
  view: { count: 31, of: 59 }
  false_view: { count: 2, of: 59 }
  follow:
    memory: { count: 30, of: 50 }
    skill: { count: 21, of: 31 }
    support_file: { count: 1, of: 2 }
    conversation: { count: 30, of: 50 }
  false_lesson: { count: 1, of: 10 }
  avoids: { followed: { count: 9, of: 10 }, unaided: { count: 1, of: 10 } }
  solved: { spared: { count: 97, of: 100 }, hit: { count: 85, of: 100 } }
";

fn context() -> TestContext {
    let context = TestContext::new();
    context.file("demo.yaml", RIGHT).file("families.yaml", FAMILIES).file("counts.yaml", CALIBRATION);
    context
}

fn said_of(context: &TestContext) -> String {
    let output = context.run(&["validate", "demo.yaml"]);
    assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{output:?}");
    output.stderr
}

/// What is said of the scenario, one mistake after the other, each planted alone.
fn said(mistakes: &[(&str, &str)]) -> String {
    let said = mistakes.iter().map(|(from, to)| {
        let context = context();
        context.replace("demo.yaml", from, to);
        said_of(&context)
    });
    said.collect::<Vec<_>>().join("\n")
}

const DAYS: &str = "working_days: { at: [9:00, 17:00], per_day: 2 }";
const WORLD: &str = ", world: sometimes";

#[test]
fn the_scenario_itself_is_right_and_so_is_one_with_a_calibration() {
    let right = (0, "1 scenario is right\n", "");
    let output = context().run(&["validate", "demo.yaml"]);
    assert_eq!((output.code, &*output.stdout, &*output.stderr), right);
    let context = context();
    context.replace("demo.yaml", WORLD, ", calibration: counts.yaml");
    let output = context.run(&["validate", "demo.yaml"]);
    assert_eq!((output.code, &*output.stdout, &*output.stderr), right);
}

#[test]
fn arrivals() {
    let mistakes = [
        (DAYS, "working_days: { at: [17:00, 9:00], per_day: 2 }"),
        (DAYS, "working_days: { at: [9, 17], per_day: 0 }"),
        (DAYS, "working_days: { at: [9:00, 17:00] }"),
        (DAYS, "poisson: { per: 1w, mean: 0 }"),
        (DAYS, "every: 1h\n    poisson: { per: 1w, mean: 3 }"),
        (DAYS, "evry: 1h"),
        ("    for: 2w\n", ""),
        ("for: 2w", "until: 0d"),
        ("tasks: [1, 2]", "tasks: [2, 1]"),
        ("tasks: [1, 2]", "tasks: 0"),
    ];
    insta::assert_snapshot!(said(&mistakes), @r"
      × working hours end after they begin
        ╭─[demo.yaml:9:25]
      8 │   - work: daily
      9 │     working_days: { at: [17:00, 9:00], per_day: 2 }
        ·                         ─────────────
     10 │     for: 2w
        ╰────

    1 mistake; nothing ran

      × wanted beginning and end of the working hours, such as `[9:00, 17:00]`
        ╭─[demo.yaml:9:25]
      8 │   - work: daily
      9 │     working_days: { at: [9, 17], per_day: 0 }
        ·                         ───────
     10 │     for: 2w
        ╰────

      × wanted a time of day such as `9:00`
        ╭─[demo.yaml:9:26]
      8 │   - work: daily
      9 │     working_days: { at: [9, 17], per_day: 0 }
        ·                          ─
     10 │     for: 2w
        ╰────

      × wanted a time of day such as `9:00`
        ╭─[demo.yaml:9:29]
      8 │   - work: daily
      9 │     working_days: { at: [9, 17], per_day: 0 }
        ·                             ──
     10 │     for: 2w
        ╰────

      × wanted a whole number from 1 to 10000, found the number `0`
        ╭─[demo.yaml:9:43]
      8 │   - work: daily
      9 │     working_days: { at: [9, 17], per_day: 0 }
        ·                                           ─
     10 │     for: 2w
        ╰────

    4 mistakes; nothing ran

      × missing key `per_day` in working days
        ╭─[demo.yaml:9:21]
      8 │   - work: daily
      9 │     working_days: { at: [9:00, 17:00] }
        ·                     ──
     10 │     for: 2w
        ╰────

    1 mistake; nothing ran

      × wanted a number above 0, at most 1000000, found the number `0`
        ╭─[demo.yaml:9:31]
      8 │   - work: daily
      9 │     poisson: { per: 1w, mean: 0 }
        ·                               ─
     10 │     for: 2w
        ╰────

    1 mistake; nothing ran

      × `every` and `poisson` exclude each other in generated work
        ╭─[demo.yaml:10:5]
      8 │   - work: daily
      9 │     every: 1h
        ·     ──┬──
        ·       ╰── and this one
     10 │     poisson: { per: 1w, mean: 3 }
        ·     ───┬───
        ·        ╰── this one
     11 │     for: 2w
        ╰────

    1 mistake; nothing ran

      × generated work needs one of `every`, `poisson`, `working_days`
       ╭─[demo.yaml:8:5]
     7 │ timeline:
     8 │   - work: daily
       ·     ────
     9 │     evry: 1h
       ╰────

      × unknown key `evry` in generated work
        ╭─[demo.yaml:9:5]
      8 │   - work: daily
      9 │     evry: 1h
        ·     ────
     10 │     for: 2w
        ╰────
      hint: did you mean `every`?

    2 mistakes; nothing ran

      × generated work needs one of `for`, `until`
       ╭─[demo.yaml:8:5]
     7 │ timeline:
     8 │   - work: daily
       ·     ────
     9 │     working_days: { at: [9:00, 17:00], per_day: 2 }
       ╰────

    1 mistake; nothing ran

      × this work ends before it begins
        ╭─[demo.yaml:10:12]
      9 │     working_days: { at: [9:00, 17:00], per_day: 2 }
     10 │     until: 0d
        ·            ──
     11 │     families: { deploy: 3, invoice: 1 }
        ╰────

    1 mistake; nothing ran

      × wanted the least and the most tasks of a session, such as `[1, 3]`
        ╭─[demo.yaml:12:12]
     11 │     families: { deploy: 3, invoice: 1 }
     12 │     tasks: [2, 1]
        ·            ──────
     13 │ expect:
        ╰────

    1 mistake; nothing ran

      × wanted a whole number from 1 to 100, found the number `0`
        ╭─[demo.yaml:12:12]
     11 │     families: { deploy: 3, invoice: 1 }
     12 │     tasks: 0
        ·            ─
     13 │ expect:
        ╰────

    1 mistake; nothing ran
    ");
}

#[test]
fn families_of_a_timeline() {
    let mistakes = [
        ("{ deploy: 3, invoice: 1 }", "{ deploy: 3, invoices: 1 }"),
        ("{ deploy: 3, invoice: 1 }", "{ deploy: -1 }"),
        ("{ deploy: 3, invoice: 1 }", "[]"),
        ("families: families.yaml\n", ""),
        ("families: families.yaml", "families: family.yaml"),
        ("cell.turns > 10", "family.deploys.hits > 10"),
        ("cell.turns > 10", "session['ana/dayly-1'].turns == 1"),
        ("cell.turns > 10", "lesson['push-last'].retained and lesson['push-first'].metby == 1"),
        ("  - work: daily\n", "  - { session: daily-1, turns: [Hello.] }\n  - work: daily\n"),
    ];
    insta::assert_snapshot!(said(&mistakes), @r"
      × there is no family named `invoices`
        ╭─[demo.yaml:11:28]
     10 │     for: 2w
     11 │     families: { deploy: 3, invoices: 1 }
        ·                            ────────
     12 │     tasks: [1, 2]
        ╰────
      hint: did you mean `invoice`?

    1 mistake; nothing ran

      × wanted a number above 0, at most 1000000, found the number `-1`
        ╭─[demo.yaml:11:25]
     10 │     for: 2w
     11 │     families: { deploy: -1 }
        ·                         ──
     12 │     tasks: [1, 2]
        ╰────

    1 mistake; nothing ran

      × no family is named
        ╭─[demo.yaml:11:15]
     10 │     for: 2w
     11 │     families: []
        ·               ──
     12 │     tasks: [1, 2]
        ╰────

    1 mistake; nothing ran

      × missing key `script` in a scenario
       ╭─[demo.yaml:1:1]
     1 │ name: demo
       · ────
     2 │ start: 2026-01-05T09:00:00Z
       ╰────

      × missing key `world` in a scenario
       ╭─[demo.yaml:1:1]
     1 │ name: demo
       · ────
     2 │ start: 2026-01-05T09:00:00Z
       ╰────

      × work is drawn from families, and the scenario has none
       ╭─[demo.yaml:7:5]
     6 │ timeline:
     7 │   - work: daily
       ·     ────
     8 │     working_days: { at: [9:00, 17:00], per_day: 2 }
       ╰────
      hint: add `families:` to the scenario: a file, or families by name

    3 mistakes; nothing ran

      × there is no family.yaml
       ╭─[demo.yaml:6:11]
     5 │   july: { version: hermes-0.19, world: sometimes }
     6 │ families: family.yaml
       ·           ───────────
     7 │ timeline:
       ╰────
      hint: did you mean `families.yaml`?

    1 mistake; nothing ran

      × there is no family named `deploys`
        ╭─[demo.yaml:14:12]
     13 │ expect:
     14 │   - family.deploys.hits > 10
        ·            ───────
        ╰────
      hint: did you mean `deploy`?

    1 mistake; nothing ran

      × there is no session named `ana/dayly-1`
        ╭─[demo.yaml:14:14]
     13 │ expect:
     14 │   - session['ana/dayly-1'].turns == 1
        ·              ───────────
        ╰────

    1 mistake; nothing ran

      × there is no lesson named `push-last`
        ╭─[demo.yaml:14:13]
     13 │ expect:
     14 │   - lesson['push-last'].retained and lesson['push-first'].metby == 1
        ·             ─────────
        ╰────
      hint: did you mean `push-first`?

      × a lesson has no figure `metby`
        ╭─[demo.yaml:14:59]
     13 │ expect:
     14 │   - lesson['push-last'].retained and lesson['push-first'].metby == 1
        ·                                                           ─────
        ╰────

    2 mistakes; nothing ran

      × the session `daily-1` has a name that this work gives
        ╭─[demo.yaml:9:11]
      8 │   - { session: daily-1, turns: [Hello.] }
      9 │   - work: daily
        ·           ─────
     10 │     working_days: { at: [9:00, 17:00], per_day: 2 }
        ╰────

    1 mistake; nothing ran
    ");
}

#[test]
fn rates() {
    let mistakes = [
        (WORLD, ""),
        (WORLD, ", world: sometime"),
        (WORLD, ", rates: { view: 0.5 }"),
        (WORLD, ", rates: { world: sometimes, view: 52 % }"),
        (WORLD, ", rates: { world: sometimes, view: 1.5, follow: { skills: 1 } }"),
        (WORLD, ", rates: { world: sometimes, view: { count: 98, of: 4 } }"),
        (WORLD, ", rates: { world: sometimes, view: { rate: 1, evidence: counted } }"),
        (WORLD, ", world: always, rates: { world: sometimes }"),
        (WORLD, ", calibration: count.yaml"),
    ];
    insta::assert_snapshot!(said(&mistakes), @r"
      × how often does the model of `july` do what? it has no rates
       ╭─[demo.yaml:5:3]
     4 │ arms:
     5 │   july: { version: hermes-0.19 }
       ·   ────
     6 │ families: families.yaml
       ╰────
      hint: add `world: never-loaded`, `sometimes` or `always`, or `rates:`; to all arms by `rates:` of
            the scenario

    1 mistake; nothing ran

      × wanted one of `never-loaded`, `sometimes`, `always`, found the text `sometime`
       ╭─[demo.yaml:5:40]
     4 │ arms:
     5 │   july: { version: hermes-0.19, world: sometime }
       ·                                        ────────
     6 │ families: families.yaml
       ╰────
      hint: did you mean `sometimes`?

    1 mistake; nothing ran

      × missing key `avoids` in the rates
       ╭─[demo.yaml:5:42]
     4 │ arms:
     5 │   july: { version: hermes-0.19, rates: { view: 0.5 } }
       ·                                          ────
     6 │ families: families.yaml
       ╰────

      × missing key `capture` in the rates
       ╭─[demo.yaml:5:42]
     4 │ arms:
     5 │   july: { version: hermes-0.19, rates: { view: 0.5 } }
       ·                                          ────
     6 │ families: families.yaml
       ╰────

      × missing key `false_lesson` in the rates
       ╭─[demo.yaml:5:42]
     4 │ arms:
     5 │   july: { version: hermes-0.19, rates: { view: 0.5 } }
       ·                                          ────
     6 │ families: families.yaml
       ╰────

      × missing key `false_view` in the rates
       ╭─[demo.yaml:5:42]
     4 │ arms:
     5 │   july: { version: hermes-0.19, rates: { view: 0.5 } }
       ·                                          ────
     6 │ families: families.yaml
       ╰────

      × missing key `follow` in the rates
       ╭─[demo.yaml:5:42]
     4 │ arms:
     5 │   july: { version: hermes-0.19, rates: { view: 0.5 } }
       ·                                          ────
     6 │ families: families.yaml
       ╰────

      × missing key `solved` in the rates
       ╭─[demo.yaml:5:42]
     4 │ arms:
     5 │   july: { version: hermes-0.19, rates: { view: 0.5 } }
       ·                                          ────
     6 │ families: families.yaml
       ╰────

    6 mistakes; nothing ran

      × wanted a number from 0 to 1, found the text `52 %`
       ╭─[demo.yaml:5:66]
     4 │ arms:
     5 │   july: { version: hermes-0.19, rates: { world: sometimes, view: 52 % } }
       ·                                                                  ────
     6 │ families: families.yaml
       ╰────

    1 mistake; nothing ran

      × wanted a number from 0 to 1, found the number `1.5`
       ╭─[demo.yaml:5:66]
     4 │ arms:
     5 │   july: { version: hermes-0.19, rates: { world: sometimes, view: 1.5, follow: { skills: 1 } } }
       ·                                                                  ───
     6 │ families: families.yaml
       ╰────

      × unknown key `skills` in the rates of `follow`
       ╭─[demo.yaml:5:81]
     4 │ arms:
     5 │   july: { version: hermes-0.19, rates: { world: sometimes, view: 1.5, follow: { skills: 1 } } }
       ·                                                                                 ──────
     6 │ families: families.yaml
       ╰────
      hint: did you mean `skill`?

    2 mistakes; nothing ran

      × 98 out of 4 is more than all
       ╭─[demo.yaml:5:75]
     4 │ arms:
     5 │   july: { version: hermes-0.19, rates: { world: sometimes, view: { count: 98, of: 4 } } }
       ·                                                                           ──
     6 │ families: families.yaml
       ╰────

    1 mistake; nothing ran

      × a rate that counts as counted needs a `source` that says from which rule it follows
       ╭─[demo.yaml:5:66]
     4 │ arms:
     5 │   july: { version: hermes-0.19, rates: { world: sometimes, view: { rate: 1, evidence: counted } } }
       ·                                                                  ──────────────────────────────
     6 │ families: families.yaml
       ╰────

    1 mistake; nothing ran

      × `world` and `rates` exclude each other in an arm
       ╭─[demo.yaml:5:48]
     4 │ arms:
     5 │   july: { version: hermes-0.19, world: always, rates: { world: sometimes } }
       ·                                 ──┬──          ──┬──
       ·                                   │              ╰── this one
       ·                                   ╰── and this one
     6 │ families: families.yaml
       ╰────

    1 mistake; nothing ran

      × there is no count.yaml
       ╭─[demo.yaml:5:46]
     4 │ arms:
     5 │   july: { version: hermes-0.19, calibration: count.yaml }
       ·                                              ──────────
     6 │ families: families.yaml
       ╰────
      hint: did you mean `counts.yaml`?

    1 mistake; nothing ran
    ");
}

#[test]
fn a_calibration_counts_every_rate() {
    let context = context();
    context.replace("demo.yaml", WORLD, ", calibration: counts.yaml");
    context.replace("counts.yaml", "view: { count: 31, of: 59 }\n", "view: 0.53\n");
    context.replace("counts.yaml", "support_file: { count: 1, of: 2 }", "support_file: { count: 1 }");
    context.replace("counts.yaml", "  false_lesson: { count: 1, of: 10 }\n", "");
    insta::assert_snapshot!(said_of(&context), @r"
      × missing key `false_lesson` in the rates
       ╭─[counts.yaml:2:3]
     1 │ rates:
     2 │   capture: { first: { count: 60, of: 100 }, repeat: { count: 20, of: 50 } }
       ·   ───────
     3 │   view: 0.53
       ╰────

      × a calibration counts each rate
       ╭─[counts.yaml:3:9]
     2 │   capture: { first: { count: 60, of: 100 }, repeat: { count: 20, of: 50 } }
     3 │   view: 0.53
       ·         ────
     4 │   false_view: { count: 2, of: 59 }
       ╰────
      hint: write `{ count: 4, of: 98 }`; a typed rate belongs under `rates`

      × missing key `of` in a rate
       ╭─[counts.yaml:8:21]
     7 │     skill: { count: 21, of: 31 }
     8 │     support_file: { count: 1 }
       ·                     ─────
     9 │     conversation: { count: 30, of: 50 }
       ╰────

    3 mistakes; nothing ran
    ");
}
