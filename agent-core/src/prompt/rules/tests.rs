//! Every rule stands in our own texts, each in a place of its own.

use super::*;
use crate::behaviour::{Behaviour, Origin, Settings, Version};
use crate::prompt::library::PromptLibrary;

const PROMPTS: [PromptName; 6] = [
    PromptName::ReviewMemory,
    PromptName::ReviewSkills,
    PromptName::ReviewCombined,
    PromptName::Curator,
    PromptName::CuratorDryRun,
    PromptName::CuratorBuiltins,
];

/// The wording of every version, with its faults and without.
fn wordings() -> Vec<(String, TextRules)> {
    let mut wordings = Vec::new();
    for version in Version::ALL {
        let mut settings = Settings::new(version);
        let with_faults = Behaviour::resolve(&settings).prompt.texts;
        settings.faults_off(&Origin::CommandLine);
        let without = Behaviour::resolve(&settings).prompt.texts;
        for (name, rules) in [(version.to_string(), with_faults), (format!("{version}, faults off"), without)]
        {
            if !wordings.iter().any(|(_, known)| *known == rules) {
                wordings.push((name, rules));
            }
        }
    }
    wordings
}

fn not_found(prompt: PromptName, text: &str, rules: &TextRules) -> Vec<(&'static str, Status)> {
    check(prompt, text, rules)
        .into_iter()
        .filter(|finding| finding.status != Status::Found)
        .map(|finding| (finding.rule.name, finding.status))
        .collect()
}

#[test]
fn our_texts_convey_every_rule() {
    for (wording, rules) in wordings() {
        let library = PromptLibrary::new(&rules);
        for prompt in PROMPTS {
            let missing = not_found(prompt, library.get(prompt), &rules);
            assert!(missing.is_empty(), "{wording}, {}: {missing:?}", prompt.as_str());
        }
    }
}

#[test]
fn without_its_sentence_a_rule_is_lost_and_no_other() {
    for (wording, rules) in wordings() {
        let library = PromptLibrary::new(&rules);
        for prompt in PROMPTS {
            let text = library.get(prompt);
            for rule in of(prompt).iter().filter(|rule| rule.layer.applies(&rules)) {
                let units = units(text);
                let home: Vec<&Unit> =
                    units.iter().filter(|unit| status(rule, unit) != Status::Lost).collect();
                let place = format!("{wording}, {}, {}", prompt.as_str(), rule.name);
                assert_eq!(home.len(), 1, "{place}: said in {} places", home.len());
                let mut cut = text.to_owned();
                cut.replace_range(home[0].at.clone(), "");
                assert_eq!(not_found(prompt, &cut, &rules), [(rule.name, Status::Lost)], "{place}");
            }
        }
    }
}

#[test]
fn names_are_unique_and_the_harmful_ones_are_marked() {
    for prompt in PROMPTS {
        let mut names: Vec<&str> = of(prompt).iter().map(|rule| rule.name).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all, "{}", prompt.as_str());
    }
    let harm = |rules: &'static [PromptRule]| rules.iter().filter(|rule| rule.harm).count();
    assert!(harm(curator()) >= 6 && harm(review_skills()) >= 4);
}

#[test]
fn a_rule_can_be_weakened() {
    let rules = &wordings().pop().unwrap().1;
    let pinned = |text: &str| {
        let findings = check(PromptName::Curator, text, rules);
        findings.into_iter().find(|finding| finding.rule.name == "pinned-untouched").unwrap()
    };
    assert_eq!(pinned("Leave skills shown as pinned alone.").status, Status::Found);
    assert_eq!(pinned("Never do this:\n\n- edit pinned skills").status, Status::Found);
    assert_eq!(pinned("- Usually leave pinned skills alone.").status, Status::Weakened);
    let said = pinned("Work well. Pinned skills can be merged. Stop.");
    assert_eq!(
        (said.status, said.sentence.as_deref()),
        (Status::Weakened, Some(" Pinned skills can be merged."))
    );
    assert_eq!(pinned("Merge what you can.").status, Status::Lost);
}

#[test]
fn every_number_of_the_curators_list_is_covered() {
    let sources: Vec<&str> =
        curator().iter().chain(curator_builtins()).chain(curator_dry_run()).map(|rule| rule.source).collect();
    for number in 1..=41 {
        assert!(sources.contains(&format!("curator {number}").as_str()), "{number}");
    }
    let sources: Vec<&str> = review_skills().iter().map(|rule| rule.source).collect();
    for number in 1..=15 {
        let wanted = format!("skills {number}");
        let covered = sources.iter().any(|source| source.trim_end_matches(['a', 'b', 'c', 'd']) == wanted);
        assert!(covered, "{number}");
    }
}
