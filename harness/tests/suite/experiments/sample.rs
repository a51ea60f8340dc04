//! A small scenario that draws: each turn works once or twice, and a review of memory spares the second time.

use crate::suite::context::TestContext;

const SCENARIO: &str = "\
name: draw
start: 2026-01-05T09:00:00Z
arms:
  july: { version: hermes-0.19 }
  may: { version: hermes-0.13 }
world:
  tools:
    - name: work
      description: Works.
      parameters: { type: object, properties: {} }
      rules: [{ output: done }]
script: script.yaml
timeline:
  - { session: monday, at: 0d, turns: [Work., Work., Work.] }
  - { session: tuesday, at: 1d, turns: [Work., Work., Work.] }
  - { session: wednesday, at: 2d, turns: [Work., Work., Work.] }
";

const SCRIPT: &str = "\
lessons:
  once: once is enough
main:
  - steps:
      - call: { work: {} }
      - { call: { work: {} }, when: \"not knows('once') and chance(0.7, 'again')\" }
      - reply: Done.
review:
  - when: \"'memory' in asks and not knows('once')\"
    steps:
      - call: { memory: { action: add, target: memory, content: Working once is enough. } }
      - reply: Saved.
  - reply: Nothing to save.
";

/// A folder with the scenario `draw.yaml`.
pub(super) fn drawing() -> TestContext {
    let context = TestContext::new();
    context.file("draw.yaml", SCENARIO).file("script.yaml", SCRIPT);
    context
}

/// The same after a sweep over the memory nudge into `out`, eight seeds a point.
pub(super) fn swept() -> TestContext {
    let context = drawing();
    let output = context.run(&[
        "sweep",
        "draw.yaml",
        "--arm",
        "july",
        "--vary",
        "memory.nudge_interval=0,1,3",
        "--set",
        "skills.creation_nudge_interval=0",
        "--repeat",
        "8",
    ]);
    assert_eq!(output.code, 0, "{output:?}");
    context
}
