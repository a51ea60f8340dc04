//! What the check says of our own prompts, and of prompts that lost something.

use agent_core::behaviour::{Settings, Version};
use agent_core::prompt::PromptName;
use agent_core::prompt::rules::Status;

use super::examine::{Examined, Subject, checkable, examine};
use super::library::built_in_libraries;
use super::show::{Report, Strictness};

fn subject(prompt: PromptName, version: Version) -> Option<Subject> {
    Subject::built_in(prompt, &Settings::new(version))
}

fn examined(subjects: Vec<Subject>) -> Vec<Examined> {
    examine(subjects, &built_in_libraries()).expect("the check's own simulations run")
}

#[test]
fn our_own_prompts_hold_in_every_version() {
    let subjects = Version::ALL
        .iter()
        .flat_map(|version| checkable().iter().filter_map(|prompt| subject(*prompt, *version)));
    let examined = examined(subjects.collect());
    for one in &examined {
        let name = format!("{} of {}", one.subject.prompt.as_str(), one.subject.version());
        assert_eq!(one.count(Status::Found), one.findings.len(), "{name}");
        assert!(one.lost_parts.is_empty(), "{name}: {:?}", one.lost_parts);
        let renderings = if one.subject.prompt == PromptName::CuratorBuiltins { 0 } else { 3 };
        assert_eq!(one.renderings.len(), renderings, "{name}");
        for trial in &one.trials {
            assert_eq!(trial.as_written.tried, 0, "{name}: {}", trial.rule);
            assert!(trial.if_lost.tried > 0, "{name}: {}", trial.rule);
        }
    }
    let report = Report::new(examined, None, Strictness::Lost, true).unwrap();
    assert!(report.holds());
}
