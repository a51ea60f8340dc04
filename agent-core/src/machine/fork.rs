//! What a review may do: its charter, its whitelist, its budget (`spec/background-review.md` §2, §5, §9).

use std::sync::Arc;

use super::agent::{Agent, Cx};
use super::charter::{Allowed, Charter, Compresses};
use super::home;
use super::review::ReviewJob;
use crate::behaviour::{ReviewBudget, ReviewCompression, ReviewRules, ReviewWhitelist};
use crate::values::{ReviewCause, Role, Tokens, ToolList, WriteOrigin};

/// The unset input budget: three quarters of the window, at most this, and this much where the window is unknown (§9).
const BUDGET_MAX: u64 = 600_000;
const BUDGET_UNKNOWN: u64 = 120_000;

const SKILL_TOOLS: [&str; 3] = ["skills_list", "skill_view", "skill_manage"];
const READING_TOOLS: [&str; 2] = ["read_file", "search_files"];

impl Agent {
    /// The charter of a review: its origin's prompt and tools, as far as the rules hand them on.
    pub(super) fn review_charter(&mut self, cx: &mut Cx<'_, '_>, job: &ReviewJob, digest: bool) -> Charter {
        let tools = if self.rules.review.inherits_tools {
            Arc::clone(&job.tools)
        } else {
            let all = home::tools(&self.rules, &self.texts_library, &[], &self.plan.world_tools);
            Arc::new(all)
        };
        let system = if self.rules.review.inherits_prompt && !digest {
            Arc::clone(&job.system)
        } else {
            self.build_prompt(cx, job.object, &tools).text
        };
        let rules = &self.rules.review;
        Charter {
            role: Role::Review,
            system,
            allowed: allowed(rules, job.cause, &tools, self.memory_enabled()),
            tools,
            refusal_lists_allowed: rules.refusal_lists_allowed,
            iterations_max: rules.iterations_max,
            input_budget: budget(rules.budget, self.loop_rules.context),
            origin: WriteOrigin::Review,
            persists: false,
            compresses: match rules.compression {
                ReviewCompression::AsSession => Compresses::Yes,
                ReviewCompression::Off => Compresses::No,
                ReviewCompression::AfterFirstReply => Compresses::AfterFirstReply,
            },
            nudges: false,
            hooks: Arc::from([]),
            delegates_max: self.rules.delegation.children_max,
            rules: Arc::clone(&self.loop_rules),
            texts: Arc::clone(&self.texts),
        }
    }
}

/// The dispatch whitelist. Extra tools only admit what the session is offered.
fn allowed(rules: &ReviewRules, cause: ReviewCause, tools: &ToolList, memory_enabled: bool) -> Allowed {
    let armed = cause.memory || cause.explicit || !rules.memory_only_if_armed;
    let (memory, extra) = match rules.whitelist {
        ReviewWhitelist::None if armed => return Allowed::Offered,
        ReviewWhitelist::None => {
            let names = tools.names().filter(|name| *name != "memory");
            return Allowed::Only(names.map(Arc::from).collect());
        }
        ReviewWhitelist::Toolsets => (armed, &[][..]),
        ReviewWhitelist::Enabled => (armed && memory_enabled, &[][..]),
        ReviewWhitelist::Armed => (armed && memory_enabled, &rules.extra_tools[..]),
    };
    let reading = if rules.reads_files { &READING_TOOLS[..] } else { &[] };
    let memory = if memory { &["memory"][..] } else { &[] };
    let fixed = SKILL_TOOLS.iter().chain(reading).chain(memory).copied();
    let mut names: Vec<Arc<str>> = Vec::new();
    for name in fixed.chain(extra.iter().map(String::as_str)) {
        if tools.has(name) && !names.iter().any(|known| **known == *name) {
            names.push(name.into());
        }
    }
    Allowed::Only(names.into())
}

fn budget(rule: ReviewBudget, window: Tokens) -> Option<Tokens> {
    match rule {
        ReviewBudget::Unlimited => None,
        ReviewBudget::Fixed(tokens) => Some(tokens),
        ReviewBudget::OfWindow if window.0 == 0 => Some(Tokens(BUDGET_UNKNOWN)),
        ReviewBudget::OfWindow => Some(Tokens((window.0.saturating_mul(3) / 4).min(BUDGET_MAX))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::behaviour::{Behaviour, Origin, Settings, Version};
    use crate::values::{Parallel, ToolOwner, ToolSpec};

    const MEMORY: ReviewCause = ReviewCause { memory: true, skills: false, explicit: false };
    const SKILLS: ReviewCause = ReviewCause { memory: false, skills: true, explicit: false };
    const ASKED: ReviewCause = ReviewCause { memory: false, skills: true, explicit: true };

    fn tools() -> ToolList {
        let names =
            ["memory", "skills_list", "skill_view", "skill_manage", "read_file", "search_files", "terminal"];
        ToolList::new(
            names
                .map(|name| ToolSpec {
                    name: name.into(),
                    description: "".into(),
                    parameters: json!({}),
                    parallel: Parallel::Never,
                    owner: ToolOwner::Home,
                })
                .into(),
        )
    }

    fn names(settings: &Settings, cause: ReviewCause, enabled: bool) -> String {
        let rules = Behaviour::resolve(settings).review;
        match allowed(&rules, cause, &tools(), enabled) {
            Allowed::Offered => "all".to_owned(),
            Allowed::Only(names) => names.iter().map(|name| &**name).collect::<Vec<_>>().join(" "),
        }
    }

    #[test]
    fn whitelists_of_the_versions() {
        let skills = "skills_list skill_view skill_manage";
        for (version, of_memory, of_skills, disabled) in [
            (Version::April2026, "all", "all", "all"),
            (Version::V0_13, "memory", "memory", "memory"),
            (Version::V0_16, "memory", "memory", "memory"),
            (Version::V0_19, "memory", "memory", ""),
            (
                Version::September2026,
                "read_file search_files memory",
                "read_file search_files",
                "read_file search_files",
            ),
        ] {
            let settings = Settings::new(version);
            let expected = |rest: &str| {
                if rest == "all" { rest.to_owned() } else { format!("{skills} {rest}").trim_end().to_owned() }
            };
            assert_eq!(names(&settings, MEMORY, true), expected(of_memory), "{version}");
            assert_eq!(names(&settings, SKILLS, true), expected(of_skills), "{version}");
            assert_eq!(names(&settings, SKILLS, false), expected(disabled), "{version}");
        }
        let main = Settings::new(Version::September2026);
        assert_eq!(names(&main, ASKED, true), names(&main, MEMORY, true));
    }

    #[test]
    fn faults_decide_about_memory_and_files() {
        let mut settings = Settings::new(Version::V0_19);
        settings.faults_off(&Origin::CommandLine);
        assert_eq!(
            names(&settings, SKILLS, true),
            "skills_list skill_view skill_manage read_file search_files"
        );
        let mut april = Settings::new(Version::April2026);
        april.set("faults.review_writes_any_store", false.into(), Origin::CommandLine).unwrap();
        assert!(!names(&april, SKILLS, true).contains("memory") && names(&april, MEMORY, true) == "all");
        let mut main = Settings::new(Version::September2026);
        main.set("faults.review_writes_any_store", true.into(), Origin::CommandLine).unwrap();
        assert!(names(&main, SKILLS, true).ends_with("memory"));
    }

    #[test]
    fn extra_tools_admit_only_what_is_offered() {
        let mut settings = Settings::new(Version::September2026);
        let key = "auxiliary.background_review.extra_tools";
        let extra = json!(["terminal", " ", 7, "web_search", "terminal"]);
        settings.set(key, extra, Origin::CommandLine).unwrap();
        assert!(names(&settings, SKILLS, true).ends_with("search_files terminal"));
        settings.set(key, "terminal".into(), Origin::CommandLine).unwrap();
        assert!(!names(&settings, SKILLS, true).contains("terminal"));
    }

    #[test]
    fn the_input_budget_follows_the_window_unless_it_is_set() {
        let mut settings = Settings::new(Version::September2026);
        let found =
            |settings: &Settings, window| budget(Behaviour::resolve(settings).review.budget, Tokens(window));
        assert_eq!(found(&settings, 200_000), Some(Tokens(150_000)));
        assert_eq!(found(&settings, 1_000_000), Some(Tokens(600_000)));
        assert_eq!(found(&settings, 0), Some(Tokens(120_000)));
        let key = "auxiliary.background_review.max_input_tokens";
        for (value, expected) in [(json!(7000), Some(Tokens(7000))), (json!(0), None), (json!(-1), None)] {
            settings.set(key, value, Origin::CommandLine).unwrap();
            assert_eq!(found(&settings, 200_000), expected);
        }
        let old = Settings::new(Version::V0_19);
        assert_eq!(found(&old, 200_000), None);
    }
}
