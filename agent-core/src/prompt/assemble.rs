//! Putting the system prompt together (`spec/prompt.md` §1).
//!
//! Three tiers, stable, context and volatile, so that what changes from session to session stands at the end and the
//! beginning stays in a prefix cache. What the blocks say comes in as data; which of them appear is decided here.

use std::ops::Range;
use std::sync::Arc;

use jiff::tz::TimeZone;

use super::index::IndexBlock;
use super::library::{PromptLibrary, PromptName};
use super::template::fill;
use super::{enforcement, markers, platform};
use crate::behaviour::{DateLine, PromptRules};
use crate::text;
use crate::values::{Chars, SimTime, Tokens};

/// Who the agent is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity<'a> {
    /// The text of `SOUL.md`, scanned and cut (see [`super::context::soul`]).
    Soul(&'a str),
    /// The text of the library.
    BuiltIn,
}

impl<'a> Identity<'a> {
    /// `SOUL.md` where it has something to say, and is asked for or context files are not skipped
    /// (`spec/prompt.md` §1.1, row 1).
    pub fn choose(soul: Option<&'a str>, asked_for: bool, skip_context_files: bool) -> Self {
        match soul.filter(|soul| !text::is_blank(soul)) {
            Some(soul) if asked_for || !skip_context_files => Self::Soul(soul),
            _ => Self::BuiltIn,
        }
    }
}

/// What the memory store gives to the prompt (`spec/memory.md` §7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryBlocks<'a> {
    /// The block of the agent's notes; none where the store is off, absent or empty.
    pub memory: Option<&'a str>,
    /// The block of the user's profile, likewise.
    pub user: Option<&'a str>,
    /// What an external memory provider said.
    pub external: Option<&'a str>,
}

/// Whether the session works on a task board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Board<'a> {
    /// Only if the tool `kanban_show` is offered.
    #[default]
    ByTool,
    /// With this text, resolved when the agent started.
    Text(&'a str),
}

/// The host as the prompt tells it. Paths are virtual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surroundings<'a> {
    /// The system's name.
    pub os: &'a str,
    /// The home directory of the agent.
    pub home: &'a str,
    /// The working directory.
    pub cwd: &'a str,
    /// The profile's name; none for the default one.
    pub profile: Option<&'a str>,
    /// Whether an interactive session lies in a code workspace.
    pub code_workspace: bool,
    /// What is unusual about the tool chain, in one line.
    pub probe: Option<&'a str>,
}

/// All that the system prompt is made of.
#[derive(Clone, Copy, Debug)]
pub struct PromptInput<'a> {
    /// The wording.
    pub library: &'a PromptLibrary,
    /// Names of the tools offered.
    pub tools: &'a [&'a str],
    /// The model's name.
    pub model: &'a str,
    /// The provider's name.
    pub provider: &'a str,
    /// Where the user speaks: `cli`, `telegram` …
    pub platform: &'a str,
    /// Who the agent is.
    pub identity: Identity<'a>,
    /// The caller's own system message.
    pub system_message: Option<&'a str>,
    /// The block of context files; none where they are skipped.
    pub context_files: Option<&'a str>,
    /// The skills index.
    pub index: Option<&'a IndexBlock>,
    /// Memory.
    pub memory: MemoryBlocks<'a>,
    /// The task board.
    pub board: Board<'a>,
    /// A notice on the user's subscription.
    pub subscription: Option<&'a str>,
    /// The host.
    pub surroundings: Surroundings<'a>,
    /// The time of building.
    pub now: SimTime,
    /// The time zone in which to tell it.
    pub zone: &'a TimeZone,
    /// The session's id, where the agent is told to pass it on.
    pub session_id: Option<&'a str>,
}

/// The tiers of the prompt, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// What is the same from session to session.
    Stable,
    /// What the place and the caller add.
    Context,
    /// What changes.
    Volatile,
}

/// One named part of an assembled prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its name.
    pub name: &'static str,
    /// Its tier.
    pub tier: Tier,
    /// Its characters, joints left out.
    pub chars: Chars,
    /// Where it stands, in bytes of the text.
    pub at: Range<usize>,
}

/// A system prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssembledPrompt {
    /// The whole text.
    pub text: Arc<str>,
    /// Its parts, in order.
    pub parts: Vec<Part>,
    /// The skills that it lists, each with what is shown of it.
    pub skills: Arc<[(Arc<str>, Arc<str>)]>,
    /// Tokens of the index block.
    pub index: Tokens,
}

impl AssembledPrompt {
    /// The text of a tier; empty if it has no part.
    pub fn tier(&self, tier: Tier) -> &str {
        let mut parts = self.parts.iter().filter(|part| part.tier == tier);
        match parts.next() {
            Some(first) => &self.text[first.at.start..parts.next_back().unwrap_or(first).at.end],
            None => "",
        }
    }

    /// Names and characters, as the trace has them.
    pub fn part_chars(&self) -> Vec<(Arc<str>, Chars)> {
        self.parts.iter().map(|part| (part.name.into(), part.chars)).collect()
    }
}

/// What stands between two parts.
const BLANK_LINE: &str = "\n\n";

/// Collects parts: trims them, drops blank ones, joins the rest.
struct Builder {
    text: String,
    parts: Vec<Part>,
    tier: Tier,
}

impl Builder {
    fn push(&mut self, name: &'static str, words: &str) {
        self.push_with(BLANK_LINE, name, words);
    }

    fn push_with(&mut self, joint: &str, name: &'static str, words: &str) {
        let words = text::trim(words);
        if words.is_empty() {
            return;
        }
        if !self.text.is_empty() {
            self.text.push_str(joint);
        }
        let start = self.text.len();
        self.text.push_str(words);
        let at = start..self.text.len();
        self.parts.push(Part { name, tier: self.tier, chars: Chars::of(words), at });
    }
}

/// Puts a system prompt together.
pub fn assemble(input: &PromptInput<'_>, rules: &PromptRules) -> AssembledPrompt {
    let mut builder = Builder { text: String::new(), parts: Vec::new(), tier: Tier::Stable };
    stable_guidance(&mut builder, input, rules);
    stable_place(&mut builder, input, rules);
    builder.tier = Tier::Context;
    builder.push("system-message", input.system_message.unwrap_or(""));
    builder.push("context-files", input.context_files.unwrap_or(""));
    builder.tier = Tier::Volatile;
    volatile(&mut builder, input, rules);
    let index = listed(input);
    AssembledPrompt {
        text: builder.text.into(),
        parts: builder.parts,
        skills: index.map_or_else(|| Arc::from([]), |index| Arc::clone(&index.listed)),
        index: index.map_or(Tokens(0), |index| index.tokens),
    }
}

/// The index, where a tool of skills is offered and a skill is visible (`spec/prompt.md` §1.1, row 10).
fn listed<'a>(input: &PromptInput<'a>) -> Option<&'a IndexBlock> {
    let offered = ["skills_list", "skill_view", "skill_manage"].iter().any(|tool| input.tools.contains(tool));
    input.index.filter(|index| offered && !index.text.is_empty())
}

/// Rows 1 to 10 of the stable tier.
fn stable_guidance(builder: &mut Builder, input: &PromptInput<'_>, rules: &PromptRules) {
    let library = input.library;
    let loaded = !input.tools.is_empty();
    match input.identity {
        Identity::Soul(soul) => builder.push("soul", soul),
        Identity::BuiltIn => builder.push("identity-default", library.get(PromptName::Identity)),
    }
    builder.push("help-pointer", library.get(PromptName::Help));
    if loaded && rules.task_completion {
        builder.push("task-completion", library.get(PromptName::TaskCompletion));
    }
    if loaded && rules.parallel_calls {
        builder.push("parallel-tool-calls", library.get(PromptName::Parallel));
    }
    tool_guidance(builder, input);
    if loaded && rules.steering_note {
        let marks = [("open", markers::marker("steer.open")), ("close", markers::marker("steer.close"))];
        builder.push("steer-note", &fill(library.get(PromptName::Steering), &marks));
    }
    if input.tools.contains(&"computer_use") {
        builder.push("computer-use", library.get(PromptName::ComputerUse));
    }
    builder.push("subscription", input.subscription.unwrap_or(""));
    if loaded {
        for (name, prompt) in enforcement::texts(input.model, rules) {
            builder.push(name, library.get(prompt));
        }
    }
    if let Some(index) = listed(input) {
        builder.push("skills-index", &index.text);
    }
}

/// Row 5: the guidance of each tool, joined by one space.
fn tool_guidance(builder: &mut Builder, input: &PromptInput<'_>) {
    let by_tool = [
        ("memory", "memory-guidance", PromptName::GuidanceMemory),
        ("session_search", "session-search-guidance", PromptName::GuidanceSearch),
        ("skill_manage", "skills-guidance", PromptName::GuidanceSkills),
    ];
    let mut joint = BLANK_LINE;
    for (tool, name, prompt) in by_tool {
        if input.tools.contains(&tool) {
            builder.push_with(joint, name, input.library.get(prompt));
            joint = " ";
        }
    }
    match input.board {
        Board::Text(words) => builder.push_with(joint, "board-guidance", words),
        Board::ByTool if input.tools.contains(&"kanban_show") => {
            builder.push_with(joint, "board-guidance", input.library.get(PromptName::GuidanceBoard));
        }
        Board::ByTool => {}
    }
}

/// Rows 11 to 16 of the stable tier.
fn stable_place(builder: &mut Builder, input: &PromptInput<'_>, rules: &PromptRules) {
    let library = input.library;
    let place = &input.surroundings;
    if input.provider == "alibaba" {
        builder
            .push("model-identity", &fill(library.get(PromptName::ModelIdentity), &[("model", input.model)]));
    }
    let host = [("os", place.os), ("home", place.home), ("cwd", place.cwd)];
    builder.push("environment-hints", &fill(library.get(PromptName::Environment), &host));
    if !input.tools.is_empty() && rules.coding_posture && place.code_workspace {
        builder.push("coding-posture", library.get(PromptName::Posture));
    }
    if rules.environment_probe {
        builder.push("toolchain-probe", place.probe.unwrap_or(""));
    }
    if rules.profile_note {
        let note = match place.profile {
            None => fill(library.get(PromptName::ProfileDefault), &[("home", place.home)]),
            Some(profile) => {
                let values = [("home", place.home), ("profile", profile)];
                fill(library.get(PromptName::ProfileNamed), &values)
            }
        };
        builder.push("profile-hint", &note);
    }
    let sections = library.get(PromptName::Platforms);
    let hint = platform::hint(input.platform, sections, &rules.platform_hints);
    builder.push("platform-hint", &hint.unwrap_or_default());
}

/// The label of the session's id (`spec/prompt.md` §1.3).
const SESSION_LABEL: &str = "Session ID: ";
/// The label of the model; [`super::restore`] reads it back.
pub(super) const MODEL_LABEL: &str = "Model: ";
/// The label of the provider; [`super::restore`] reads it back.
pub(super) const PROVIDER_LABEL: &str = "Provider: ";

fn volatile(builder: &mut Builder, input: &PromptInput<'_>, rules: &PromptRules) {
    builder.push("memory-block", input.memory.memory.unwrap_or(""));
    builder.push("user-block", input.memory.user.unwrap_or(""));
    builder.push("external-memory", input.memory.external.unwrap_or(""));
    builder.push("date-line", &date_line(input.now, input.zone, rules.date));
    let lines = [
        ("session-id-line", SESSION_LABEL, input.session_id.unwrap_or("")),
        ("model-line", MODEL_LABEL, input.model),
        ("provider-line", PROVIDER_LABEL, input.provider),
    ];
    for (name, label, value) in lines {
        if !value.is_empty() {
            builder.push_with("\n", name, &format!("{label}{value}"));
        }
    }
}

/// The day, in English words, with hour and minute where the rules say so.
fn date_line(now: SimTime, zone: &TimeZone, exactness: DateLine) -> String {
    let instant = jiff::Timestamp::from_millisecond(now.as_millis()).unwrap_or_default();
    let civil = zone.to_datetime(instant);
    let format = match exactness {
        DateLine::Date => "%A, %B %d, %Y",
        DateLine::Minute => "%A, %B %d, %Y, %H:%M",
    };
    format!("This conversation began on: {}", civil.strftime(format))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviour::{Behaviour, Settings, Version};

    fn prompt(version: Version, change: impl Fn(&mut PromptInput<'_>)) -> AssembledPrompt {
        let rules = Behaviour::resolve(&Settings::new(version)).prompt;
        let library = PromptLibrary::new(&rules.texts);
        let mut input = PromptInput {
            library: &library,
            tools: &["memory", "session_search", "skill_manage", "terminal"],
            model: "grok-4",
            provider: "alibaba",
            platform: "cli",
            identity: Identity::BuiltIn,
            system_message: Some(" Be brief.\n"),
            context_files: Some("# Files\n\nUse pnpm."),
            index: None,
            memory: MemoryBlocks { memory: Some("NOTES\nfact"), user: None, external: None },
            board: Board::ByTool,
            subscription: None,
            surroundings: Surroundings {
                os: "Linux",
                home: "/home/agent/.hermes",
                cwd: "/work",
                profile: None,
                code_workspace: true,
                probe: Some("python3 is 3.9"),
            },
            now: SimTime::from_millis(1_767_603_600_000),
            zone: &TimeZone::UTC,
            session_id: Some("s-1"),
        };
        change(&mut input);
        assemble(&input, &rules)
    }

    #[test]
    fn july() {
        insta::assert_snapshot!(prompt(Version::V0_19, |_| ()).text);
    }

    #[test]
    fn may() {
        insta::assert_snapshot!(prompt(Version::V0_13, |_| ()).text);
    }

    #[test]
    fn every_block() {
        let index = IndexBlock { text: "# Skills".into(), listed: Arc::from([]), tokens: Tokens(2) };
        let library =
            PromptLibrary::new(&Behaviour::resolve(&Settings::new(Version::September2026)).prompt.texts);
        let all = prompt(Version::September2026, |input| {
            let index: &'static IndexBlock = Box::leak(Box::new(index.clone()));
            input.index = Some(index);
            input.tools = &["skills_list", "computer_use", "kanban_show", "memory"];
            input.model = "gemini-3";
            input.platform = "cron";
            input.identity = Identity::Soul("I am a lighthouse.");
            input.subscription = Some("The plan ends today.");
            input.surroundings.profile = Some("work");
            input.memory =
                MemoryBlocks { memory: Some("NOTES"), user: Some("PROFILE"), external: Some("RECALL") };
        });
        assert_eq!(all.index, Tokens(2));
        assert!(!all.text.contains(library.get(PromptName::Identity)));
        insta::assert_snapshot!(all.text);
    }

    #[test]
    fn parts_cover_the_text_but_for_the_joints() {
        let whole = prompt(Version::V0_19, |_| ());
        let mut at = 0;
        for part in &whole.parts {
            assert!(matches!(&whole.text[at..part.at.start], "" | "\n\n" | "\n" | " "), "{}", part.name);
            assert_eq!(Chars::of(&whole.text[part.at.clone()]), part.chars);
            at = part.at.end;
        }
        assert_eq!(at, whole.text.len());
        let tiers = [Tier::Stable, Tier::Context, Tier::Volatile].map(|tier| whole.tier(tier));
        assert_eq!(tiers.join("\n\n"), *whole.text);
        assert!(whole.tier(Tier::Context).starts_with("Be brief.\n\n# Files"));
    }

    #[test]
    fn the_date_is_the_zones_and_names_no_hour_after_0_13() {
        let line = |version, zone: &str| {
            let zone = TimeZone::get(zone).unwrap();
            let made = prompt(version, |input| {
                input.now = SimTime::from_millis(1_767_225_600_000 - 1);
            });
            assert!(made.text.contains("Wednesday, December 31, 2025"));
            date_line(SimTime::from_millis(1_767_225_600_000 - 1), &zone, DateLine::Minute)
        };
        let berlin = line(Version::V0_19, "Europe/Berlin");
        assert_eq!(berlin, "This conversation began on: Thursday, January 01, 2026, 00:59");
        let may = prompt(Version::V0_13, |_| ());
        assert!(may.text.contains("January 05, 2026, 09:00"));
        assert!(!may.parts.iter().any(|part| part.name == "profile-hint" || part.name == "steer-note"));
    }

    #[test]
    fn without_tools_nothing_speaks_of_tools() {
        let bare = prompt(Version::V0_19, |input| input.tools = &[]);
        let names: Vec<&str> = bare.parts.iter().map(|part| part.name).collect();
        insta::assert_snapshot!(names.join(" "), @"identity-default help-pointer model-identity environment-hints toolchain-probe profile-hint platform-hint system-message context-files memory-block date-line session-id-line model-line provider-line");
    }

    #[test]
    fn a_soul_takes_the_place_of_the_identity_unless_context_is_skipped() {
        assert_eq!(Identity::choose(Some("x"), false, false), Identity::Soul("x"));
        assert_eq!(Identity::choose(Some("x"), true, true), Identity::Soul("x"));
        assert_eq!(Identity::choose(Some("x"), false, true), Identity::BuiltIn);
        assert_eq!(Identity::choose(Some(" \n"), true, false), Identity::BuiltIn);
    }
}
