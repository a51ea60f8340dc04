//! Every rule stands in our own texts, each in a place of its own.

use std::collections::BTreeSet;

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
    let mut seen = BTreeSet::new();
    for (wording, rules) in wordings() {
        let library = PromptLibrary::new(&rules);
        for prompt in PROMPTS {
            let text = library.get(prompt);
            let applying = || of(prompt).iter().filter(|rule| rule.layer.applies(&rules));
            // Most wordings share most of their prompts.
            if !seen.insert((text.to_owned(), applying().map(|rule| rule.name).collect::<Vec<_>>())) {
                continue;
            }
            let units = units(text);
            for rule in applying() {
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
    let sources: Vec<&str> = review_memory().iter().map(|rule| rule.source).collect();
    for number in 1..=5 {
        assert!(sources.contains(&format!("memory {number}").as_str()), "{number}");
    }
}

/// Other words for rules of the curator, as somebody else might put them.
const CURATOR_OTHERWISE: &[(&str, &str)] = &[
    (
        "umbrella-building",
        "You run the consolidation pass: you create umbrella skills, you do not audit passively or hunt duplicates.",
    ),
    (
        "class-level-library",
        "What we want is a library of class-level skills. A library with hundreds of narrow class-level misfits is a failure.",
    ),
    (
        "descriptions-are-searched",
        "Agents find skills through their description, and a broad one with clear sections wins.",
    ),
    ("target-shape", "The target is a rich SKILL.md plus `references/`, `templates/` and `scripts/`."),
    (
        "foreign-untouched",
        "Do NOT modify bundled skills, skills from the hub or skills in external directories.",
    ),
    (
        "archive-is-strongest",
        "You may never delete a skill; archiving, which can be reversed, is the strongest thing you can do.",
    ),
    ("pinned-untouched", "Skip anything marked pinned=yes."),
    (
        "protected-untouched",
        "Protected built-in skills are not to be changed, and they are no merge targets either.",
    ),
    (
        "job-skills-not-archived",
        "Skills with cron=yes must not be pruned or archived, but they may be merged.",
    ),
    ("counters-no-argument", "Usage counts are not a reason to skip merging: compare what the skills say."),
    ("unused-no-argument", "A never-used skill that is younger than 30 days must not be archived."),
    (
        "triggers-no-argument",
        "Distinct triggers do not speak against a merge; would a human maintainer write one skill with several sections?",
    ),
    ("find-clusters", "Read the full list and group it to clusters by prefix or domain."),
    ("ask-for-the-class", "For every cluster name the class that it belongs to instead of comparing pairs."),
    ("way-a-existing-umbrella", "If one member is an umbrella already, patch it with a section per sibling."),
    ("way-b-new-umbrella", "If none is broad enough, create a new skill for the class."),
    ("way-c-support-files", "Demote narrow material that is valuable to supporting files."),
    (
        "whole-directory-first",
        "Inspect the whole directory and not just the main file before archiving or demoting anything.",
    ),
    (
        "reference-is-no-root",
        "Files in references/ are not at a skill's root, and relative links break there.",
    ),
    (
        "main-file-not-alone",
        "Never move just the main file of a skill with support files or relative links; rewrite the paths or leave it unchanged.",
    ),
    ("nothing-points-nowhere", "Do not leave instructions that refer to files that are gone."),
    ("flag-narrow-names", "Point out names that are too narrow, for instance ticket numbers."),
    ("iterate", "Iterate and look for the next cluster; three merges are no place to stop."),
    ("toolset", "Tools: skills_list and skill_view; skill_manage with patch, create, write_file and delete."),
    ("delete-names-umbrella", "Each delete must carry absorbed_into with a skill that exists."),
    ("why-the-declaration", "Cron references are migrated by what you declare in absorbed_into."),
    ("keep-only-class-level", "Only keep a skill that is class-level and that no merge would improve."),
    ("real-restructuring", "We expect restructuring of every cluster; fewer than ten archives is too few."),
    (
        "summary-then-block",
        "Finish with a summary and a YAML block with the lists consolidations and prunings.",
    ),
    ("each-archived-once", "Each archived skill is named exactly once, and empty lists stay in the block."),
    ("reasons-say-why", "Keep each reason short and say why."),
    ("distil", "Distil the content into rules; copying a file unchanged is not a consolidation."),
    ("topical-references", "A reference file is named after its topic, not after an absorbed sibling."),
    ("large-main-file", "Any main file beyond 24,000 characters needs work as well."),
    ("trigger-in-57-characters", "Only 57 characters of a description are shown: begin with the trigger."),
    ("read-before-write", "You must read the exact file before you write to it."),
    ("ledgered-moves", "To move content use write_file, remove_file and delete, which the ledger records."),
];

/// Other words for rules of the skill review.
const SKILLS_OTHERWISE: &[(&str, &str)] = &[
    ("be-active", "BE ACTIVE. Most sessions should lead to one small update; a missed one costs."),
    (
        "class-level-shape",
        "Target: class-level skills with a rich main file and references, not session logs.",
    ),
    ("any-signal", "Any of these signals is enough to act."),
    ("signal-style", "The user corrected your tone or format, or showed frustration."),
    ("signal-method", "The user corrected your approach or the order of steps."),
    ("signal-effort", "You found a technique only after debugging."),
    ("signal-wrong-skill", "A skill you loaded was wrong or outdated."),
    ("prefer-loaded-skill", "Update a skill loaded during this session."),
    ("prefer-existing-umbrella", "Otherwise update an umbrella: use skills_list and then skill_view."),
    ("prefer-supporting-file", "Otherwise add a support file to an umbrella."),
    ("new-umbrella-last", "Otherwise create an umbrella for the class."),
    ("pointer-in-main-file", "Point to every supporting file from SKILL.md."),
    ("class-level-name", "Names must be class-level: no PR numbers, no codenames."),
    ("preference-in-skill", "How the user prefers a task to be done goes to the skill that governs it."),
    ("overlap-to-curator", "Report overlaps; the curator merges."),
    ("foreign-untouched", "Bundled skills and hub skills: do not touch."),
    ("only-protected", "When only protected skills need work, nothing is saved."),
    ("no-environment-failures", "Environment-specific failures must not be captured."),
    ("no-negative-claims", "Never write down negative statements about a tool."),
    ("no-transient-errors", "Transient failures are not to be kept."),
    ("no-one-off-stories", "No narratives of one-off tasks."),
    ("setup-remedy", "For setup failures keep the fix."),
    ("nothing-is-allowed", "\"Nothing to save.\" is an acceptable answer, but not the default."),
];

#[test]
fn rules_are_found_in_other_words() {
    let mut rules = wordings().pop().unwrap().1;
    rules.stance = Stance::Push;
    let mut missed = Vec::new();
    for (prompt, cases) in
        [(PromptName::Curator, CURATOR_OTHERWISE), (PromptName::ReviewSkills, SKILLS_OTHERWISE)]
    {
        for (name, words) in cases {
            let findings = check(prompt, words, &rules);
            let found = findings.iter().find(|finding| finding.rule.name == *name).unwrap();
            if found.status != Status::Found {
                missed.push(format!("{name}: {words}"));
            }
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    for rule in curator() {
        assert!(CURATOR_OTHERWISE.iter().any(|(name, _)| *name == rule.name), "{}", rule.name);
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 64, ..Default::default() })]

    #[test]
    fn any_text_can_be_checked(text in "[-a-z#*`.?!:() \n\u{e9}\u{201c}0-9]{0,200}") {
        let rules = &wordings()[0].1;
        for prompt in PROMPTS {
            check(prompt, &text, rules);
        }
        for unit in units(&text) {
            proptest::prop_assert!(text.is_char_boundary(unit.at.start) && text.is_char_boundary(unit.at.end));
        }
    }
}
