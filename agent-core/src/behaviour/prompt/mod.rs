//! The system prompt, the skills index, context files and the wording of prompts (`spec/prompt.md`,
//! `spec/background-review.md` §11, `spec/curator.md` §17).

mod faults;
mod rows;

use serde_json::{Map, Value};

use super::memory::truthy;
use super::settings::Settings;

pub(super) use faults::FAULTS;
pub(super) use rows::ROWS;

/// Whether a running session's prompt follows its stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refresh {
    /// Built once a session (`spec/prompt.md` §2).
    Frozen,
    /// Rebuilt after each write; an alternative to compare with.
    Live,
}

/// When the prompt insists on acting by tools (`spec/prompt.md` §1.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Enforcement {
    /// Always.
    On,
    /// Never.
    Off,
    /// For model names that hold one of these parts, lower-cased.
    Names(Vec<String>),
}

/// How exactly the prompt tells the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateLine {
    /// Date only, so that it is stable for a day.
    Date,
    /// With hour and minute.
    Minute,
}

/// What the in-process cache of the index looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexCache {
    /// The question only; changed files stay unseen.
    Question,
    /// The question and the state of the files.
    QuestionAndFiles,
}

/// Whether skills are listed or written out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkillsBlock {
    /// Names and short descriptions.
    Index,
    /// The whole text of every visible skill.
    Full,
}

/// The skills index (`spec/prompt.md` §3). What hides a skill, and where none are looked for, are rules of the library
/// ([`super::SkillRules`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexRules {
    /// Listed or written out.
    pub block: SkillsBlock,
    /// Whether categories can be demoted to names.
    pub demotion: bool,
    /// Whether the snapshot on disk holds `environments`.
    pub snapshot_keeps_environments: bool,
    /// What the in-process cache looks at.
    pub cache: IndexCache,
}

/// How many characters one source of context may fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextCap {
    /// So many.
    Fixed(usize),
    /// As the model's window allows.
    Scaled,
}

/// Context files (`spec/prompt.md` §4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextRules {
    /// The cap of a source.
    pub cap: ContextCap,
    /// Whether one leading byte order mark is dropped before the scan.
    pub drop_bom: bool,
    /// Whether project files are left out when the directory is only the program's own.
    pub skip_install_tree: bool,
    /// Whether a cut is told to the user.
    pub warns: bool,
}

/// The style of the review prompts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReviewStyle {
    /// Short, ends in "nothing to save".
    Restrained,
    /// Active, class-level skills.
    Active,
    /// Active, with the layer on procedures.
    Procedural,
}

/// Whether reviews are pushed to save.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stance {
    /// Saving nothing is a missed chance.
    Push,
    /// Saving nothing is normal; a fact has one home.
    Calm,
}

/// Which wording prompts have where versions or faults differ.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent parts of the texts")]
pub struct TextRules {
    /// Style of the review prompts.
    pub style: ReviewStyle,
    /// Whether reviews are pushed to save.
    pub stance: Stance,
    /// Whether a review is told which tools it may call.
    pub trailer: bool,
    /// Whether reviews are told that the user's correction outranks a tool's output.
    pub evidence: bool,
    /// Whether the skill review says to read before writing.
    pub read_first: bool,
    /// Whether the memory review has the rules on upkeep.
    pub memory_upkeep: bool,
    /// Whether the combined review has them.
    pub combined_upkeep: bool,
    /// Whether the curator's prompt has the rules on whole packages.
    pub curator_packages: bool,
    /// Whether it has the rules on skills of scheduled jobs.
    pub curator_jobs: bool,
    /// Whether it has the later rules on distilling.
    pub curator_distils: bool,
}

/// The system prompt and the wording of prompts.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "independent blocks of the prompt")]
pub struct PromptRules {
    /// Whether a running session's prompt follows its stores.
    pub refresh: Refresh,
    /// Whether to say that a job should be finished.
    pub task_completion: bool,
    /// Whether to say that independent calls go together.
    pub parallel_calls: bool,
    /// Whether to name what is unusual about the tool chain.
    pub environment_probe: bool,
    /// Whether to explain the marks around a user's word in mid-turn.
    pub steering_note: bool,
    /// Whether to give the coding text in a code workspace.
    pub coding_posture: bool,
    /// Whether to name the active profile.
    pub profile_note: bool,
    /// When to insist on tools.
    pub enforcement: Enforcement,
    /// Parts of model names that get the OpenAI-style text.
    pub openai_style: Vec<String>,
    /// Texts by platform, as configured; empty where the version does not read them.
    pub platform_hints: Map<String, Value>,
    /// How exactly to tell the time.
    pub date: DateLine,
    /// Whether a stored prompt is rebuilt when model or provider changed.
    pub restore_compares_runtime: bool,
    /// Whether compaction may keep the old text.
    pub compaction_keeps_text: bool,
    /// The skills index.
    pub index: IndexRules,
    /// Context files.
    pub context: ContextRules,
    /// Wording.
    pub texts: TextRules,
}

/// The fixed cap of context files up to 0.16, and the fallback later (`spec/prompt.md` §4).
const CONTEXT_CAP_CHARS: usize = 20_000;

impl PromptRules {
    pub(super) fn resolve(settings: &Settings) -> Self {
        let read_hints = settings.bool_or("prompt.platform_overrides", false);
        let hints = settings.value("platform_hints").as_object().filter(|_| read_hints);
        Self {
            refresh: if settings.text("prompt.refresh") == "live" { Refresh::Live } else { Refresh::Frozen },
            task_completion: truthy(settings.value("agent.task_completion_guidance")),
            parallel_calls: truthy(settings.value("agent.parallel_tool_call_guidance")),
            environment_probe: truthy(settings.value("agent.environment_probe")),
            steering_note: settings.bool_or("prompt.steering_note", false),
            coding_posture: settings.bool_or("prompt.coding_posture", false),
            profile_note: settings.bool_or("prompt.profile_note", false),
            enforcement: enforcement(
                settings.value("agent.tool_use_enforcement"),
                settings.value("prompt.enforced_models"),
            ),
            openai_style: lower_items(settings.value("prompt.openai_style_models")),
            platform_hints: hints.cloned().unwrap_or_default(),
            date: match settings.text("prompt.date_line") {
                "minute" => DateLine::Minute,
                _ => DateLine::Date,
            },
            restore_compares_runtime: settings.bool_or("prompt.restore_compares_runtime", false),
            compaction_keeps_text: settings.bool_or("prompt.compaction_keeps_text", false),
            index: index_rules(settings),
            context: context_rules(settings),
            texts: text_rules(settings),
        }
    }
}

fn lower_items(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_lowercase).collect()
}

fn enforcement(value: &Value, models: &Value) -> Enforcement {
    let lower = value.as_str().map(str::to_lowercase);
    match (value, lower.as_deref()) {
        (Value::Bool(true), _) | (_, Some("true" | "always" | "yes" | "on")) => Enforcement::On,
        (Value::Bool(false), _) | (_, Some("false" | "never" | "no" | "off")) => Enforcement::Off,
        (Value::Array(_), _) => Enforcement::Names(lower_items(value)),
        _ => Enforcement::Names(lower_items(models)),
    }
}

fn index_rules(settings: &Settings) -> IndexRules {
    IndexRules {
        block: match settings.text("prompt.skills_block") {
            "full" => SkillsBlock::Full,
            _ => SkillsBlock::Index,
        },
        demotion: settings.bool_or("prompt.index_demotion", false),
        snapshot_keeps_environments: !settings.fault("index_snapshot_forgets_environments"),
        cache: if settings.fault("index_cache_ignores_files") {
            IndexCache::Question
        } else {
            IndexCache::QuestionAndFiles
        },
    }
}

fn context_rules(settings: &Settings) -> ContextRules {
    let configured = settings.value("context_file_max_chars").as_f64().filter(|number| *number > 0.0);
    let cap = match (settings.text("prompt.context_cap"), configured) {
        ("fixed", _) => ContextCap::Fixed(CONTEXT_CAP_CHARS),
        (_, Some(number)) => ContextCap::Fixed(whole(number)),
        _ => ContextCap::Scaled,
    };
    ContextRules {
        cap,
        drop_bom: settings.text("prompt.context_bom") == "dropped",
        skip_install_tree: settings.bool_or("prompt.context_skips_install_tree", false),
        warns: settings.bool_or("prompt.context_warns", false),
    }
}

/// A positive number without its fraction.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, and the number is positive"
)]
fn whole(number: f64) -> usize {
    number as usize
}

fn text_rules(settings: &Settings) -> TextRules {
    let upkeep = settings.bool_or("prompt.memory_upkeep", false);
    TextRules {
        style: match settings.text("prompt.review_style") {
            "restrained" => ReviewStyle::Restrained,
            "active" => ReviewStyle::Active,
            _ => ReviewStyle::Procedural,
        },
        stance: if settings.fault("review_prompt_pushes_to_save") { Stance::Push } else { Stance::Calm },
        trailer: settings.bool_or("prompt.review_trailer", false),
        evidence: !settings.fault("review_prompt_trusts_observations"),
        read_first: settings.bool_or("prompt.review_states_read_first", false)
            && !settings.fault("review_prompt_silent_on_reading"),
        memory_upkeep: upkeep,
        combined_upkeep: upkeep && !settings.fault("combined_review_lacks_upkeep"),
        curator_packages: settings.bool_or("prompt.curator_packages", false),
        curator_jobs: settings.bool_or("prompt.curator_jobs", false),
        curator_distils: settings.bool_or("prompt.curator_distils", false),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Behaviour, Origin, Version};
    use super::*;

    fn rules(version: Version, set: &[(&str, Value)]) -> PromptRules {
        let mut settings = Settings::new(version);
        for (key, value) in set {
            settings.set(key, value.clone(), Origin::CommandLine).unwrap();
        }
        Behaviour::resolve(&settings).prompt
    }

    #[test]
    fn enforcement_takes_words_lists_and_truth_values() {
        let of = |value: Value| rules(Version::V0_19, &[("agent.tool_use_enforcement", value)]).enforcement;
        assert_eq!(of("ON".into()), Enforcement::On);
        assert_eq!(of(false.into()), Enforcement::Off);
        assert_eq!(of("Never".into()), Enforcement::Off);
        assert_eq!(of(serde_json::json!(["Foo", 3])), Enforcement::Names(vec!["foo".to_owned()]));
        let Enforcement::Names(models) = of("perhaps".into()) else { panic!("junk counts as auto") };
        assert!(models.contains(&"qwen".to_owned()));
        let Enforcement::Names(models) = rules(Version::V0_13, &[]).enforcement else { panic!("auto") };
        assert!(!models.contains(&"qwen".to_owned()));
    }

    #[test]
    fn the_cap_follows_configuration_only_where_the_version_reads_it() {
        let cap = |version, value: Value| rules(version, &[("context_file_max_chars", value)]).context.cap;
        assert_eq!(cap(Version::V0_19, 100.9.into()), ContextCap::Fixed(100));
        assert_eq!(cap(Version::V0_19, (-1).into()), ContextCap::Scaled);
        assert_eq!(cap(Version::V0_19, "100".into()), ContextCap::Scaled);
        assert_eq!(cap(Version::V0_16, 100.into()), ContextCap::Fixed(20_000));
    }

    #[test]
    fn wording_follows_version_and_faults() {
        let july = rules(Version::V0_19, &[]).texts;
        assert!(!july.read_first && july.stance == Stance::Push && !july.curator_distils);
        let said = rules(Version::V0_19, &[("faults.review_prompt_silent_on_reading", false.into())]).texts;
        assert!(said.read_first);
        let september = rules(Version::September2026, &[]).texts;
        assert!(september.read_first && september.memory_upkeep && !september.combined_upkeep);
        assert_eq!(rules(Version::April2026, &[]).texts.style, ReviewStyle::Restrained);
    }
}
