//! One reader, one library, one occasion: played by the real agent in a small simulation.

use std::fs;
use std::sync::Arc;

use agent_core::behaviour::{Behaviour, Origin, Settings};
use agent_core::prompt::PromptName;
use agent_core::stores::{Files, MemFiles, TreePath};
use agent_core::values::Seed;
use anyhow::{Context, bail};
use mock_llm::diagnose::Span;
use reports::WriteOutcome;
use reports::records::Records;

use super::library::LibraryFile;
use super::reader::{Harm, Reader, Seen};
use crate::scenario::{Arm, Scenario, load};
use crate::sim::{CellInput, Driver, Ending, Recorder};

/// The world of the work before a review: the shop takes the upload at the second try, and one program is missing.
const WORLD: &str = r#"
facts: { tries: 0 }
tools:
  - name: terminal
    description: Runs a command line and returns its output and exit code.
    parameters: { type: object, properties: { command: { type: string } }, required: [command] }
    shell: command
    rules:
      - match: { command: { regex: "upload .*" } }
        when: facts.tries == 0
        set: { tries: "{{ facts.tries + 1 }}" }
        error: "shop.example: connection timed out"
      - { match: { command: { regex: "upload .*" } }, output: "uploaded" }
      - { match: { command: { regex: "jq .*" } }, error: "jq: command not found" }
      - { match: { command: { regex: "python3 .*" } }, output: "{}" }
"#;

/// Nobody reads it: the reader answers in the script's place.
const SCRIPT: &str = "main: [{ reply: unread }]\n";

/// What leads to an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Occasion {
    /// A review of memory.
    MemoryReview,
    /// A review of skills.
    SkillReview,
    /// A review of both.
    CombinedReview,
    /// A consolidation pass.
    Pass,
    /// A preview of one.
    Preview,
}

impl Occasion {
    /// The occasion on which a prompt is read; none for a prompt that is no instruction.
    pub(super) fn of(prompt: PromptName) -> Option<Self> {
        Some(match prompt {
            PromptName::ReviewMemory => Self::MemoryReview,
            PromptName::ReviewSkills => Self::SkillReview,
            PromptName::ReviewCombined => Self::CombinedReview,
            PromptName::Curator | PromptName::CuratorBuiltins => Self::Pass,
            PromptName::CuratorDryRun => Self::Preview,
            _ => return None,
        })
    }

    /// The prompts whose rules stand in the instruction.
    fn prompts(self) -> &'static [PromptName] {
        match self {
            Self::MemoryReview => &[PromptName::ReviewMemory],
            Self::SkillReview => &[PromptName::ReviewSkills],
            Self::CombinedReview => &[PromptName::ReviewCombined],
            Self::Pass => &[PromptName::Curator, PromptName::CuratorBuiltins],
            Self::Preview => &[PromptName::Curator, PromptName::CuratorBuiltins, PromptName::CuratorDryRun],
        }
    }

    fn timeline(self) -> &'static str {
        match self {
            Self::Pass => "  - { curator: run, at: 1h, consolidate: true }\n",
            Self::Preview => "  - { curator: run, at: 1h, consolidate: true, dry_run: true }\n",
            Self::MemoryReview | Self::SkillReview | Self::CombinedReview => {
                "  - { session: work, at: 1h, turns: [Publish this week's price list.] }\n"
            }
        }
    }

    /// Nudges that make just this review due after one turn.
    fn adjust(self, settings: &mut Settings) {
        let (memory, skills) = match self {
            Self::MemoryReview => (1, 0),
            Self::SkillReview => (0, 1),
            Self::CombinedReview => (1, 1),
            Self::Pass | Self::Preview => (0, 0),
        };
        for (key, interval) in [("memory.nudge_interval", memory), ("skills.creation_nudge_interval", skills)]
        {
            let set = settings.set(key, interval.into(), Origin::CommandLine);
            set.expect("both keys take whole numbers");
        }
    }
}

/// What came of it.
#[derive(Clone, Debug)]
pub(super) struct Played {
    /// The request as the reader saw it; none if the agent never asked.
    pub(super) seen: Option<Seen>,
    /// Harmful acts, each with its rule and whether the agent let it through.
    pub(super) acts: Vec<(&'static str, bool)>,
}

/// Plays an occasion in a library. The reader passes over the rule `ignored`.
///
/// # Errors
/// The simulation broke: a mistake of this program.
pub(super) fn play(
    library: &LibraryFile,
    occasion: Occasion,
    settings: &Settings,
    replaced: &[(String, String)],
    ignored: Option<&'static str>,
) -> anyhow::Result<Played> {
    let mut settings = settings.clone();
    occasion.adjust(&mut settings);
    let rules = Behaviour::resolve(&settings).prompt.texts;
    let scenario = scenario(library, occasion)?;
    let arm = Arm {
        name: "check".into(),
        settings,
        prompts: replaced.to_vec(),
        span: Span::default(),
        rates: None,
        script: None,
    };
    let input = CellInput {
        scenario: &scenario,
        arm: &arm,
        settings: &arm.settings,
        seed: Seed(1),
        digest: "".into(),
        varied: Vec::new(),
    };
    let mut reader = Reader::new(library, occasion.prompts(), &rules, ignored);
    let recorder = Recorder::measuring(&scenario);
    let ended = Driver::new(input, &mut reader, recorder)?.run(&|| false)?;
    if let Ending::Broken(reason) = ended.ending {
        bail!("the simulation broke: {reason}");
    }
    let home = ended.homes.first().map(|(_, home)| home).context("a scenario has a user")?;
    let through = |harm: &Harm| match harm {
        Harm::Call(id) => went_through(&ended.records, id),
        Harm::Left(name) => still_there(library, name, home),
    };
    let acts = reader.acts.iter().map(|(rule, harm)| (*rule, through(harm))).collect();
    Ok(Played { seen: reader.seen, acts })
}

/// A call went through if its result is good and nothing of it was only proposed.
fn went_through(records: &Records, id: &str) -> bool {
    let Some(call) = records.tool_calls.iter().find(|call| *call.id == *id) else { return false };
    let bad = call.failed || call.refused || call.cancelled || call.timed_out || call.unknown;
    let mut writes = records
        .writes
        .iter()
        .filter(|write| write.at_ms == call.at_ms && write.conversation == call.conversation);
    !bad && writes.any(|write| write.outcome == WriteOutcome::Applied)
}

fn still_there(library: &LibraryFile, name: &str, home: &MemFiles) -> bool {
    let Some(skill) = library.skill(name) else { return false };
    let path = TreePath::parse(&format!("skills/{}/SKILL.md", skill.dir()));
    path.is_some_and(|path| matches!(home.stat(&path), Ok(Some(_))))
}

/// The scenario of an occasion, read as any other: its files are written out, loaded, and forgotten.
fn scenario(library: &LibraryFile, occasion: Occasion) -> anyhow::Result<Arc<Scenario>> {
    let dir = tempfile::tempdir().context("cannot make a temporary folder")?;
    let text = format!(
        "name: prompts-check\nstart: 2026-03-02T09:00:00Z\narms: {{ check: {{ version: hermes-2026-09 }} }}\n\
         world: world.yaml\nscript: script.yaml\nhome: home\ntimeline:\n{}",
        occasion.timeline()
    );
    let mut files = vec![
        ("check.yaml".to_owned(), text),
        ("world.yaml".to_owned(), WORLD.to_owned()),
        ("script.yaml".to_owned(), SCRIPT.to_owned()),
    ];
    files.extend(library.home().into_iter().map(|(path, text)| (format!("home/{path}"), text)));
    for (path, text) in files {
        let path = dir.path().join(path);
        let folder = path.parent().expect("every file lies in a folder");
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, text))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    let loaded = load(&[dir.path().join("check.yaml")]);
    let mistake = loaded.diagnostics.iter().find(|found| found.is_error());
    match (mistake, loaded.scenarios.into_iter().next()) {
        (None, Some(scenario)) => Ok(scenario),
        (mistake, _) => {
            bail!("the check's own scenario is wrong: {}", mistake.map_or("", |found| &found.message))
        }
    }
}
