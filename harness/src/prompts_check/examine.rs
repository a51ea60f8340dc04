//! One prompt examined: its rules, its fixed parts, its renderings, and what a literal-minded reader makes of it.

use std::collections::BTreeMap;

use agent_core::behaviour::{Behaviour, Settings, TextRules, Version};
use agent_core::prompt::rules::{self, Finding, Status};
use agent_core::prompt::{PromptError, PromptLibrary, PromptName, marker, markers};
use mock_llm::preset::Preset;
use rayon::prelude::*;

use super::library::LibraryFile;
use super::play::{Occasion, Played, play};
use super::reader::Seen;
use super::temptation::TEMPTATIONS;

/// The prompts that have rules and are instructions.
const PROMPTS: [PromptName; 6] = [
    PromptName::ReviewMemory,
    PromptName::ReviewSkills,
    PromptName::ReviewCombined,
    PromptName::Curator,
    PromptName::CuratorBuiltins,
    PromptName::CuratorDryRun,
];

/// The prompts that can be checked.
pub(crate) fn checkable() -> &'static [PromptName] {
    &PROMPTS
}

/// A prompt in the wording of a version, or in that of a file.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    /// Which prompt.
    pub(crate) prompt: PromptName,
    /// The file whose text stands in the place of the built-in one.
    pub(crate) file: Option<String>,
    settings: Settings,
    rules: TextRules,
    text: String,
    replaced: Vec<(String, String)>,
}

impl Subject {
    /// The built-in text; none if no agent with these settings ever reads it.
    pub(crate) fn built_in(prompt: PromptName, settings: &Settings) -> Option<Self> {
        let behaviour = Behaviour::resolve(settings);
        let curator = &behaviour.curator;
        let is_read = match prompt {
            PromptName::Curator | PromptName::CuratorDryRun => curator.available,
            PromptName::CuratorBuiltins => curator.available && curator.builtins,
            _ => true,
        };
        let rules = behaviour.prompt.texts;
        let text = PromptLibrary::new(&rules).get(prompt).to_owned();
        is_read.then(|| Self {
            prompt,
            file: None,
            settings: settings.clone(),
            rules,
            text,
            replaced: Vec::new(),
        })
    }

    /// The same with a file's text in its place.
    ///
    /// # Errors
    /// The agent would not take the text.
    pub(crate) fn replaced(self, file: &str, text: &str) -> Result<Self, PromptError> {
        let name = self.prompt.as_str();
        let mut library = PromptLibrary::new(&self.rules);
        library.replace(name, text)?;
        Ok(Self {
            file: Some(file.to_owned()),
            text: library.get(self.prompt).to_owned(),
            replaced: vec![(name.to_owned(), text.to_owned())],
            ..self
        })
    }

    /// The text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The version whose wording and rules apply.
    pub(crate) fn version(&self) -> Version {
        self.settings.version()
    }
}

/// What an examination found.
#[derive(Debug)]
pub(crate) struct Examined {
    /// What was examined.
    pub(crate) subject: Subject,
    /// Every rule that must be there, in the order of the list.
    pub(crate) findings: Vec<Finding>,
    /// Fixed parts that did not stay, in words.
    pub(crate) lost_parts: Vec<String>,
    /// What the reader did, by rule.
    pub(crate) trials: Vec<Trial>,
    /// The whole request over each library, by the library's name.
    pub(crate) renderings: BTreeMap<String, String>,
}

/// What a reader did for want of a rule, over all libraries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trial {
    /// The rule.
    pub(crate) rule: &'static str,
    /// The harm.
    pub(crate) about: &'static str,
    /// With the prompt as it is.
    pub(crate) as_written: Tally,
    /// If this rule were not there.
    pub(crate) if_lost: Tally,
}

/// Harmful acts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Tried.
    pub(crate) tried: usize,
    /// Of those, the ones that the agent let through.
    pub(crate) through: usize,
}

impl Tally {
    fn of(played: &[&Played], rule: &str) -> Self {
        let acts = || played.iter().flat_map(|played| &played.acts).filter(|(name, _)| *name == rule);
        Self { tried: acts().count(), through: acts().filter(|(_, through)| *through).count() }
    }
}

impl Examined {
    /// How many rules came out so.
    pub(crate) fn count(&self, status: Status) -> usize {
        self.findings.iter().filter(|finding| finding.status == status).count()
    }
}

/// Examines prompts over these libraries, on all cores.
///
/// # Errors
/// A simulation broke: a mistake of this program.
pub(crate) fn examine(subjects: Vec<Subject>, libraries: &[LibraryFile]) -> anyhow::Result<Vec<Examined>> {
    subjects.into_par_iter().map(|subject| one(subject, libraries)).collect()
}

fn one(subject: Subject, libraries: &[LibraryFile]) -> anyhow::Result<Examined> {
    let findings = rules::check(subject.prompt, &subject.text, &subject.rules);
    let occasion = Occasion::of(subject.prompt).expect("only instructions are examined");
    let tempted: Vec<&'static str> = tempted(&subject, &findings);
    let mut plays: Vec<(usize, Option<&'static str>)> = Vec::new();
    for ignored in std::iter::once(None).chain(tempted.iter().copied().map(Some)) {
        plays.extend((0..libraries.len()).map(|library| (library, ignored)));
    }
    let play = |(library, ignored): &(usize, Option<&'static str>)| {
        play(&libraries[*library], occasion, &subject.settings, &subject.replaced, *ignored)
    };
    let played: Vec<Played> = plays.par_iter().map(play).collect::<anyhow::Result<_>>()?;
    let of = |wanted: Option<&'static str>| -> Vec<&Played> {
        plays
            .iter()
            .zip(&played)
            .filter(|((_, ignored), _)| *ignored == wanted)
            .map(|(_, played)| played)
            .collect()
    };
    let as_written = of(None);
    let trials = tempted
        .iter()
        .map(|rule| Trial {
            rule,
            about: about(rule, subject.prompt),
            as_written: Tally::of(&as_written, rule),
            if_lost: Tally::of(&of(Some(rule)), rule),
        })
        .collect();
    let mut lost_parts = Vec::new();
    let mut renderings = BTreeMap::new();
    for (library, played) in libraries.iter().zip(&as_written) {
        match &played.seen {
            Some(seen) => {
                lost_parts.extend(lost_part(occasion, seen));
                // The note on built-ins stands in the curator's instruction and has no rendering of its own.
                if subject.prompt != PromptName::CuratorBuiltins {
                    renderings.insert(library.name.to_string(), rendered(&subject, &library.name, seen));
                }
            }
            None => lost_parts
                .push(format!("the agent never came to this prompt in the library `{}`", library.name)),
        }
    }
    lost_parts.dedup();
    Ok(Examined { subject, findings, lost_parts, trials, renderings })
}

/// The rules of this prompt whose loss can be tried out, in the order of the list.
fn tempted(subject: &Subject, findings: &[Finding]) -> Vec<&'static str> {
    let tried =
        |rule: &str| TEMPTATIONS.iter().any(|one| one.rule == rule && one.prompts.contains(&subject.prompt));
    findings.iter().map(|finding| finding.rule.name).filter(|rule| tried(rule)).collect()
}

fn about(rule: &str, prompt: PromptName) -> &'static str {
    let found = TEMPTATIONS.iter().find(|one| one.rule == rule && one.prompts.contains(&prompt));
    found.map_or("", |temptation| temptation.about)
}

/// The line by which a scripted model knows what a request is for must have stayed, and mean what it says.
fn lost_part(occasion: Occasion, seen: &Seen) -> Option<String> {
    let kind = match occasion {
        Occasion::MemoryReview => "review.memory",
        Occasion::SkillReview => "review.skills",
        Occasion::CombinedReview => "review.combined",
        Occasion::Pass => "curator",
        Occasion::Preview => "curator.dry_run",
    };
    let line = marker(kind);
    let asks = markers().iter().find(|marker| marker.kind == kind).map_or(&[][..], |marker| marker.asks);
    let preset = Preset::hermes();
    let known = preset.instruction(&seen.instruction);
    let same = known.is_some_and(|known| known.asks.iter().map(|ask| &**ask).eq(asks.iter().copied()));
    let stays = seen.instruction.starts_with(line) && same;
    (!stays).then(|| format!("the fixed line `{line}` does not stand where the request is recognised by it"))
}

/// What of a request can change with the library: the tools, the index and the memory in the system prompt, the
/// instruction. The rest of a system prompt is the same for every prompt that is checked here.
fn rendered(subject: &Subject, library: &str, seen: &Seen) -> String {
    let tools: Vec<String> = seen.tools.iter().map(|tool| format!("`{tool}`")).collect();
    let tools = tools.join(", ");
    let mut sections = vec![("Tools offered", tools.as_str())];
    let preset = Preset::hermes();
    for (title, part) in [
        ("Index in the system prompt", between(&seen.system, &preset.index.0, &preset.index.1)),
        ("Memory in the system prompt", memory(&seen.system, &preset.memory.rule)),
    ] {
        sections.extend(part.map(|part| (title, part.trim())));
    }
    sections.push(("Instruction", seen.instruction.trim_end()));
    let head = format!("# {} of {}, library {library}\n", subject.prompt.as_str(), subject.version());
    let sections = sections.iter().map(|(title, part)| format!("\n## {title}\n\n{part}\n"));
    head + &sections.collect::<String>()
}

fn between<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let start = text.find(open)?;
    let end = text[start..].find(close)? + start + close.len();
    Some(&text[start..end])
}

/// From the first rule above a memory block to the end of the last block.
fn memory<'t>(system: &'t str, rule: &str) -> Option<&'t str> {
    let start = system.find(rule)?;
    let last = system.rfind(rule)? + rule.len();
    let end = system[last..].find("\n\n").map_or(system.len(), |at| last + at);
    Some(&system[start..end])
}
