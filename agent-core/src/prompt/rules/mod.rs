//! What the prompts of reviews and curator must convey, as data, and the test whether a text conveys it
//! (`spec/background-review.md` §11, `spec/curator.md` §17).
//!
//! A rule counts as found where one bullet or sentence matches all its word groups. The test knows words, not
//! meaning: a text can satisfy it and still say something else, so it is a guard against losing a rule by accident,
//! not a proof that the rule is well said.

mod curator;
mod pattern;
mod review;

use pattern::{Unit, units};

use super::library::PromptName;
use crate::behaviour::{ReviewStyle, Stance, TextRules};

/// Words of which one must occur; a word group of a rule.
pub type Group = &'static [&'static str];

/// When a rule must stand in the text of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Always.
    Always,
    /// In restrained reviews.
    Restrained,
    /// In active reviews, the procedural ones included.
    Active,
    /// In procedural reviews.
    Procedural,
    /// In active reviews that are not procedural.
    BeforeProcedural,
    /// In active reviews that push to save.
    Push,
    /// In active reviews that do not.
    Calm,
    /// Where the user's correction is said to outrank a tool's output.
    Evidence,
    /// Where reading before writing is said.
    ReadFirst,
    /// Where the memory review has the rules on upkeep.
    MemoryUpkeep,
    /// Where the combined review has them.
    CombinedUpkeep,
    /// Where the curator minds whole packages.
    Packages,
    /// Where the curator minds scheduled jobs.
    Jobs,
    /// Where the curator distils.
    Distils,
}

impl Layer {
    /// Whether these rules ask for it.
    pub fn applies(self, rules: &TextRules) -> bool {
        let restrained = rules.style == ReviewStyle::Restrained;
        let push = rules.stance == Stance::Push;
        match self {
            Self::Always => true,
            Self::Restrained => restrained,
            Self::Active => !restrained,
            Self::Procedural => rules.style == ReviewStyle::Procedural,
            Self::BeforeProcedural => rules.style == ReviewStyle::Active,
            Self::Push => !restrained && push,
            Self::Calm => !restrained && !push,
            Self::Evidence => rules.evidence,
            Self::ReadFirst => !restrained && rules.read_first,
            Self::MemoryUpkeep => rules.memory_upkeep,
            Self::CombinedUpkeep => !restrained && rules.combined_upkeep,
            Self::Packages => rules.curator_packages,
            Self::Jobs => rules.curator_jobs,
            Self::Distils => rules.curator_distils,
        }
    }
}

/// One rule that a prompt must convey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromptRule {
    /// Its name, unique within a prompt.
    pub name: &'static str,
    /// Its place in the specification's list.
    pub source: &'static str,
    /// What it says, in a few words.
    pub about: &'static str,
    /// Whether its loss does harm to the library.
    pub harm: bool,
    /// When it must be there.
    pub layer: Layer,
    /// What it speaks of: each group must occur in one bullet or sentence.
    pub topic: &'static [Group],
    /// How strictly it says so: each group must occur there or in the line that introduces the bullet.
    pub force: &'static [Group],
}

/// How well a text conveys a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Nothing speaks of it.
    Lost,
    /// Something speaks of it, but without its force or with a word that takes it back.
    Weakened,
    /// It is there.
    Found,
}

impl Status {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Lost => "lost",
            Self::Weakened => "weakened",
            Self::Found => "found",
        }
    }
}

/// What a check found out about one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: &'static PromptRule,
    /// How well the text conveys it.
    pub status: Status,
    /// The bullet or sentence that comes nearest, where there is one.
    pub sentence: Option<String>,
}

/// The rules of the memory review.
pub fn review_memory() -> &'static [PromptRule] {
    review::MEMORY
}

/// The rules of the skill review.
pub fn review_skills() -> &'static [PromptRule] {
    review::SKILLS
}

/// The rules of the combined review.
pub fn review_combined() -> &'static [PromptRule] {
    review::COMBINED
}

/// The rules of the consolidation prompt.
pub fn curator() -> &'static [PromptRule] {
    curator::RULES
}

/// The rules of the banner of a preview.
pub fn curator_dry_run() -> &'static [PromptRule] {
    curator::DRY_RUN
}

/// The rules of the note on built-ins.
pub fn curator_builtins() -> &'static [PromptRule] {
    curator::BUILTINS
}

/// The rules of a prompt; none for a prompt that has none.
pub fn of(prompt: PromptName) -> &'static [PromptRule] {
    match prompt {
        PromptName::ReviewMemory => review_memory(),
        PromptName::ReviewSkills => review_skills(),
        PromptName::ReviewCombined => review_combined(),
        PromptName::Curator => curator(),
        PromptName::CuratorDryRun => curator_dry_run(),
        PromptName::CuratorBuiltins => curator_builtins(),
        PromptName::ToolSkillManage => crate::skills::description_rules(),
        _ => &[],
    }
}

/// Checks a text for every rule that its prompt must convey under these rules of wording, in the order of the list.
pub fn check(prompt: PromptName, text: &str, rules: &TextRules) -> Vec<Finding> {
    check_list(of(prompt), text, rules)
}

/// Checks a text for every rule of a list that applies under these rules of wording.
pub fn check_list(list: &'static [PromptRule], text: &str, rules: &TextRules) -> Vec<Finding> {
    let units = units(text);
    list.iter()
        .filter(|rule| rule.layer.applies(rules))
        .map(|rule| {
            let best = units
                .iter()
                .map(|unit| (status(rule, unit), unit))
                .filter(|(status, _)| *status != Status::Lost)
                .reduce(|best, next| if next.0 > best.0 { next } else { best });
            let (status, sentence) = match best {
                Some((status, unit)) => (status, Some(text[unit.at.clone()].to_owned())),
                None => (Status::Lost, None),
            };
            Finding { rule, status, sentence }
        })
        .collect()
}

/// Words that take a rule's force back.
const HEDGES: Group = &[
    "usually",
    "normally",
    "generally",
    "preferably",
    "ideally",
    "if possible",
    "where possible",
    "when possible",
    "if convenient",
    "in most cases",
    "try to",
    "should probably",
    "unless you",
];

fn status(rule: &PromptRule, unit: &Unit) -> Status {
    if !rule.topic.iter().all(|group| unit.says(group)) {
        return Status::Lost;
    }
    let forceful = rule.force.iter().all(|group| unit.says(group) || unit.is_introduced_by(group));
    let hedged = !rule.force.is_empty() && unit.says(HEDGES);
    if forceful && !hedged { Status::Found } else { Status::Weakened }
}

#[cfg(test)]
mod tests;
