//! The keys of the prompt's area.

use crate::behaviour::table::{Kind, Preset, Row};

const NO: Preset = Preset::Bool(false);
const YES: Preset = Preset::Bool(true);
const SINCE_0_16: [Preset; 5] = [NO, NO, YES, YES, YES];
const SINCE_0_19: [Preset; 5] = [NO, NO, NO, YES, YES];
const SINCE_2026_09: [Preset; 5] = [NO, NO, NO, NO, YES];

/// A word up to 0.16 and another one from 0.19 on.
const fn changed_in_0_19(before: &'static str, after: &'static str) -> [Preset; 5] {
    let (before, after) = (Preset::Text(before), Preset::Text(after));
    [before, before, before, after, after]
}

const MODELS_OLD: Preset = Preset::List(&["gpt", "codex", "gemini", "gemma", "grok", "glm"]);
const MODELS_NEW: Preset =
    Preset::List(&["gpt", "codex", "gemini", "gemma", "grok", "glm", "qwen", "deepseek"]);
const OPENAI_OLD: Preset = Preset::List(&["gpt", "codex"]);
const OPENAI_NEW: Preset = Preset::List(&["gpt", "codex", "grok"]);

pub(in crate::behaviour) const ROWS: &[Row] = &[
    Row::same(
        "prompt.refresh",
        Kind::Choice(&["frozen", "live"]),
        Preset::Text("frozen"),
        "whether a session keeps its first system prompt or rebuilds it after each write",
        "spec/prompt.md §2",
    ),
    Row::by_version(
        "agent.task_completion_guidance",
        Kind::Bool,
        [Preset::None, Preset::None, YES, YES, YES],
        "whether the prompt says to finish the job",
        "spec/prompt.md §1.1, §6",
    ),
    Row::by_version(
        "agent.parallel_tool_call_guidance",
        Kind::Bool,
        [Preset::None, Preset::None, Preset::None, YES, YES],
        "whether the prompt says to make independent calls together",
        "spec/prompt.md §1.1, §6",
    ),
    Row::by_version(
        "agent.environment_probe",
        Kind::Bool,
        [Preset::None, Preset::None, YES, YES, YES],
        "whether the prompt names what is unusual about the local tool chain",
        "spec/prompt.md §1.1, §6",
    ),
    Row::same(
        "agent.tool_use_enforcement",
        Kind::Any,
        Preset::Text("auto"),
        "whether the prompt insists on acting by tools: truth value, word, `auto`, or a list of parts of model names",
        "spec/prompt.md §1.1",
    ),
    Row::by_version(
        "prompt.enforced_models",
        Kind::List,
        [MODELS_OLD, MODELS_OLD, MODELS_NEW, MODELS_NEW, MODELS_NEW],
        "parts of model names for which `auto` insists on tools",
        "spec/prompt.md §1.1, §6",
    ),
    Row::by_version(
        "prompt.openai_style_models",
        Kind::List,
        [OPENAI_OLD, OPENAI_OLD, OPENAI_NEW, OPENAI_NEW, OPENAI_NEW],
        "parts of model names that get the OpenAI-style text",
        "spec/prompt.md §1.1, §6",
    ),
    Row::by_version(
        "prompt.steering_note",
        Kind::Bool,
        SINCE_0_19,
        "whether the prompt explains the marks around a user's word in mid-turn",
        "spec/prompt.md §1.1, §6",
    ),
    Row::by_version(
        "prompt.coding_posture",
        Kind::Bool,
        SINCE_0_19,
        "whether an interactive session in a code workspace gets the coding text",
        "spec/prompt.md §1.1, §6",
    ),
    Row::by_version(
        "prompt.profile_note",
        Kind::Bool,
        SINCE_0_16,
        "whether the prompt names the active profile",
        "spec/prompt.md §1.1, §6",
    ),
    Row::same(
        "platform_hints",
        Kind::Map,
        Preset::None,
        "a text by platform, or `append` and `replace`",
        "spec/prompt.md §1.1",
    ),
    Row::by_version(
        "prompt.platform_overrides",
        Kind::Bool,
        SINCE_0_19,
        "whether `platform_hints` is read",
        "spec/prompt.md §6",
    ),
    Row::by_version(
        "prompt.date_line",
        Kind::Choice(&["date", "minute"]),
        [
            Preset::Text("minute"),
            Preset::Text("minute"),
            Preset::Text("date"),
            Preset::Text("date"),
            Preset::Text("date"),
        ],
        "how exactly the prompt tells the time",
        "spec/prompt.md §1.3, §6",
    ),
    Row::by_version(
        "prompt.restore_compares_runtime",
        Kind::Bool,
        SINCE_0_19,
        "whether a stored prompt is rebuilt when model or provider changed",
        "spec/prompt.md §2, §6",
    ),
    Row::by_version(
        "prompt.compaction_keeps_text",
        Kind::Bool,
        SINCE_0_19,
        "whether compaction keeps the old prompt when it already shows the current memory",
        "spec/prompt.md §2, §6",
    ),
    Row::same(
        "prompt.skills_block",
        Kind::Choice(&["index", "full"]),
        Preset::Text("index"),
        "whether the prompt lists skills or holds their whole text",
        "spec/prompt.md §3; `full` is the way of agents with a static library",
    ),
    Row::by_version(
        "prompt.index_demotion",
        Kind::Bool,
        SINCE_0_19,
        "whether categories can be demoted to names",
        "spec/prompt.md §3.2, §6",
    ),
    Row::same(
        "context_file_max_chars",
        Kind::Any,
        Preset::None,
        "characters that one source of context may fill; unset follows the model's window",
        "spec/prompt.md §4",
    ),
    Row::by_version(
        "prompt.context_cap",
        Kind::Choice(&["fixed", "scaled"]),
        changed_in_0_19("fixed", "scaled"),
        "whether the cap of context files is 20,000 characters or follows configuration and window",
        "spec/prompt.md §4, §6",
    ),
    Row::by_version(
        "prompt.context_bom",
        Kind::Choice(&["finding", "dropped"]),
        changed_in_0_19("finding", "dropped"),
        "what a byte order mark at the start of a context file does",
        "spec/prompt.md §4, §6",
    ),
    Row::by_version(
        "prompt.context_skips_install_tree",
        Kind::Bool,
        SINCE_0_19,
        "whether project files are left out when the directory is only the program's own",
        "spec/prompt.md §4, §6",
    ),
    Row::by_version(
        "prompt.context_warns",
        Kind::Bool,
        SINCE_0_19,
        "whether a cut context file is told to the user",
        "spec/prompt.md §4, §6",
    ),
    Row::by_version(
        "prompt.review_style",
        Kind::Choice(&["restrained", "active", "procedural"]),
        [
            Preset::Text("restrained"),
            Preset::Text("active"),
            Preset::Text("active"),
            Preset::Text("active"),
            Preset::Text("procedural"),
        ],
        "the style of the three review prompts",
        "spec/config.md §2, spec/background-review.md §11",
    ),
    Row::by_version(
        "prompt.review_trailer",
        Kind::Bool,
        [NO, YES, YES, YES, YES],
        "whether a review is told which tools it may call",
        "spec/background-review.md §1; no whitelist in 2026-04 (spec/config.md §2)",
    ),
    Row::by_version(
        "prompt.review_states_read_first",
        Kind::Bool,
        SINCE_0_19,
        "whether the skill review says that a file must be read before it is changed",
        "spec/background-review.md §11 rule 15; the guard exists since 0.19",
    ),
    Row::by_version(
        "prompt.memory_upkeep",
        Kind::Bool,
        SINCE_2026_09,
        "whether reviews are told to replace and merge old memory entries",
        "spec/known-faults.md 29",
    ),
    Row::by_version(
        "prompt.curator_packages",
        Kind::Bool,
        SINCE_0_16,
        "whether the curator's prompt has the rules on whole packages (18 to 21)",
        "spec/curator.md §18",
    ),
    Row::by_version(
        "prompt.curator_jobs",
        Kind::Bool,
        SINCE_0_19,
        "whether the curator's prompt has the rules on skills of scheduled jobs (9 and 26)",
        "spec/curator.md §18: the list shows them since 0.19",
    ),
    Row::by_version(
        "prompt.curator_distils",
        Kind::Bool,
        SINCE_2026_09,
        "whether the curator's prompt has the later rules (36 to 41)",
        "spec/curator.md §17",
    ),
];
