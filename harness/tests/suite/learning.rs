//! What generated work shows of learning, seen from outside: a sweep over the intervals of both nudges, in a world where
//! nothing that was written down is ever loaded, and in one where all of it is.

use serde_json::Value;

use super::context::TestContext;

/// One point of the sweep.
struct Point<'a>(&'a Value);

impl Point<'_> {
    fn interval(&self, key: &str) -> &str {
        self.0["settings"][key].as_str().expect("every point has both intervals")
    }

    /// Both nudges are off.
    fn is_off(&self) -> bool {
        self.interval("memory.nudge_interval") == "0"
            && self.interval("skills.creation_nudge_interval") == "0"
    }

    fn figure(&self, name: &str) -> &Value {
        let figures = self.0["figures"].as_array().expect("figures are a list");
        figures.iter().find(|figure| figure["figure"] == name).expect("the figure is there")
    }

    fn value(&self, figure: &str) -> f64 {
        self.figure(figure)["value"].as_f64().expect("the figure exists")
    }

    fn verdict(&self, figure: &str) -> &str {
        self.figure(figure)["verdict"].as_str().expect("it was judged")
    }
}

const CALLS: &str = "tool_calls_per_task";
const ERRORS: &str = "tool_errors_per_task";
const REPEATED: &str = "repeated_error_rate";

#[test]
fn reviews_pay_where_skills_are_loaded_and_nowhere_else() {
    let context = TestContext::with_scenarios();
    let args = "sweep scenarios/nudges-small.yaml --arm default --arm never-loaded --vary memory.nudge_interval=0,3,10 \
                --vary skills.creation_nudge_interval=0,10 --repeat 4 -j 2 --format json";
    let output = context.run(&args.split_whitespace().collect::<Vec<_>>());
    assert_eq!(output.code, 0, "{output:?}");
    let read: Value = serde_json::from_str(&output.stdout).expect("the output is JSON");
    let points: Vec<Point<'_>> =
        read["points"].as_array().expect("points are a list").iter().map(Point).collect();
    let of = |world: &str| points.iter().filter(|point| point.0["world"] == world).collect::<Vec<_>>();
    let (never, always) = (of("never-loaded"), of("always"));
    assert_eq!((points.len(), never.len(), always.len()), (12, 6, 6));
    assert_eq!(points[0].0["world"], "never-loaded", "the world where learning brings nothing comes first");

    for world in [&never, &always] {
        let (off, on): (Vec<&Point<'_>>, Vec<&Point<'_>>) = world.iter().partition(|point| point.is_off());
        let off = off[0];
        assert!(off.0["against"].is_null(), "what reviews least is what others are compared against");
        assert_eq!(off.0["review_tokens_per_task"], 0.0);
        for point in on {
            assert!(point.0["review_tokens_per_task"].as_f64() > Some(0.0), "{}", point.0["arm"]);
            assert!(point.value(REPEATED) <= off.value(REPEATED), "{}", point.0["arm"]);
        }
    }
    for point in never.iter().filter(|point| !point.is_off()) {
        for figure in [CALLS, ERRORS] {
            assert_eq!(point.verdict(figure), "cannot tell", "{}: {figure}", point.0["arm"]);
        }
    }
    let often = always.iter().find(|point| {
        point.interval("memory.nudge_interval") == "3"
            && point.interval("skills.creation_nudge_interval") == "10"
    });
    let (often, off) = (often.expect("it was swept"), always.iter().find(|point| point.is_off()));
    for figure in [CALLS, ERRORS] {
        assert_eq!(often.verdict(figure), "better", "{figure}");
    }
    assert!(often.value(REPEATED) < 0.5 * off.expect("it was swept").value(REPEATED));
}

#[test]
fn the_readme_s_family_is_right() {
    let readme = include_str!("../../../README.md");
    let mut blocks = readme.split("```yaml\n").filter_map(|rest| rest.split("```").next());
    let block = blocks.find(|block| block.starts_with("users: 5"));
    let head = "name: demo\nstart: 2026-01-05T00:00:00Z\narms: { july: { version: hermes-0.19, world: sometimes } }\n";
    let context = TestContext::new();
    context.file("demo.yaml", &format!("{head}{}", block.expect("there is a block")));
    let output = context.run(&["validate", "demo.yaml"]);
    assert_eq!((output.code, &*output.stdout, &*output.stderr), (0, "1 scenario is right\n", ""));
}
