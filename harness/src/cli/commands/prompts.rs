//! `harness prompts`.

use std::path::{Path, PathBuf};

use agent_core::behaviour::{Settings, Version};
use agent_core::prompt::{PromptError, PromptName};
use mock_llm::diagnose::{Sources, nearest_hint};
use reports::verdict::Outcome;

use super::{Result, version};
use crate::cli::experiment_args::{Prompts, PromptsCheck, PromptsShow, PromptsWhat, PromptsWhich};
use crate::cli::resolve::{Options, OutputFormat, WrongInput};
use crate::cli::say::Say;
use crate::prompts_check::{
    LibraryError, LibraryFile, Report, Strictness, Subject, accept, built_in_libraries, checkable, examine,
    read_libraries,
};
use crate::run::prompt_text;

/// Where libraries are looked for when no folder is named.
const LIBRARIES: &str = "scenarios/libraries/prompts";

/// The version whose wording and rules apply where none is named.
const NEWEST: Version = Version::ALL[Version::ALL.len() - 1];

/// Checks or shows prompts, or accepts how they are rendered.
///
/// # Errors
/// A prompt, version, file or library is not there or cannot be taken.
pub(crate) fn prompts(args: &Prompts, options: &Options, say: Say) -> Result {
    match &args.what {
        PromptsWhat::Check(args) => check(args, options, say),
        PromptsWhat::Accept(which) => accept_all(which, say),
        PromptsWhat::Show(args) => show(args, say),
    }
}

fn check(args: &PromptsCheck, options: &Options, say: Say) -> Result {
    let folder = folder(&args.which)?;
    let libraries = if args.rules_only { Vec::new() } else { libraries(folder.as_deref())? };
    let subjects = subjects(&args.which, true)?;
    let strictness = if args.strict { Strictness::Everything } else { Strictness::Lost };
    let in_full = !args.which.prompt.is_empty();
    let folder = folder.filter(|_| !args.rules_only);
    let report = Report::new(examine(subjects, &libraries)?, folder.as_deref(), strictness, in_full)?;
    say.results(&match options.format {
        OutputFormat::Human | OutputFormat::Markdown => report.human(say.table_look()),
        OutputFormat::Json => format!("{:#}\n", report.json()),
        OutputFormat::Jsonl => format!("{}\n", report.json()),
    });
    Ok(if report.holds() { Outcome::Held } else { Outcome::Failed })
}

fn accept_all(which: &PromptsWhich, say: Say) -> Result {
    let Some(folder) = folder(which)? else {
        let words = format!("there is no folder {LIBRARIES} to keep renderings in");
        return Err(WrongInput::Words(words, Some("name one with --libraries".to_owned())).into());
    };
    let examined = examine(subjects(which, false)?, &libraries(Some(&folder))?)?;
    let written = accept(&folder, &examined)?;
    for path in &written {
        say.results(&format!("{}\n", crate::scenario::shown(path)));
    }
    let all: usize = examined.iter().map(|one| one.renderings.len()).sum();
    say.talk(&format!("{} of {all} renderings were new", written.len()));
    Ok(Outcome::Held)
}

/// Prints a built-in text as a file of `--prompt NAME=FILE` holds it.
fn show(args: &PromptsShow, say: Say) -> Result {
    let version = args.version.as_deref().map_or(Ok(NEWEST), version)?;
    let prompt = prompt(&args.prompt)?;
    let subject = Subject::built_in(prompt, &Settings::new(version));
    let subject = subject.ok_or_else(|| not_read(version, prompt))?;
    say.results(&format!("{}\n", subject.text().trim_end()));
    Ok(Outcome::Held)
}

fn not_read(version: Version, prompt: PromptName) -> WrongInput {
    WrongInput::words(format!("no agent of {version} ever reads the prompt `{}`", prompt.as_str()))
}

/// The folder that is named, or the usual one if it is there.
fn folder(which: &PromptsWhich) -> std::result::Result<Option<PathBuf>, WrongInput> {
    match &which.libraries {
        Some(folder) if folder.is_dir() => Ok(Some(folder.clone())),
        Some(folder) => Err(WrongInput::words(format!("there is no folder {}", folder.display()))),
        None => Ok(Some(PathBuf::from(LIBRARIES)).filter(|folder| folder.is_dir())),
    }
}

fn libraries(folder: Option<&Path>) -> std::result::Result<Vec<LibraryFile>, WrongInput> {
    let Some(folder) = folder else { return Ok(built_in_libraries()) };
    let libraries = read_libraries(folder).map_err(|error| match error {
        LibraryError::Unreadable(words) => WrongInput::words(words),
        LibraryError::Mistakes(found, source) => {
            let mut sources = Sources::default();
            sources.add(&source);
            WrongInput::Mistakes(found, sources)
        }
    })?;
    if libraries.is_empty() {
        return Err(WrongInput::words(format!("{} holds no library", folder.display())));
    }
    Ok(libraries)
}

/// What is examined. A check of all built-in prompts looks at every version, everything else at the newest.
fn subjects(which: &PromptsWhich, all_versions: bool) -> std::result::Result<Vec<Subject>, WrongInput> {
    let versions: Vec<Version> = match which.versions.as_slice() {
        [] if which.prompt.is_empty() && all_versions => Version::ALL.to_vec(),
        [] => vec![NEWEST],
        names => names.iter().map(|name| version(name)).collect::<std::result::Result<_, _>>()?,
    };
    let mut wanted = Vec::new();
    for text in &which.prompt {
        let (name, file) =
            text.split_once('=').map_or((text.as_str(), None), |(name, file)| (name, Some(file)));
        wanted.push((prompt(name)?, file.map(read).transpose()?));
    }
    if wanted.is_empty() {
        wanted.extend(checkable().iter().map(|prompt| (*prompt, None)));
    }
    let mut subjects = Vec::new();
    for version in versions {
        let settings = Settings::new(version);
        for (prompt, file) in &wanted {
            let Some(subject) = Subject::built_in(*prompt, &settings) else {
                if which.prompt.is_empty() {
                    continue;
                }
                return Err(not_read(version, *prompt));
            };
            subjects.push(match file {
                Some((file, text)) => {
                    subject.replaced(file, text).map_err(|error| not_taken(file, &error))?
                }
                None => subject,
            });
        }
    }
    Ok(subjects)
}

fn prompt(name: &str) -> std::result::Result<PromptName, WrongInput> {
    let known: Vec<&str> = checkable().iter().map(|prompt| prompt.as_str()).collect();
    let found = PromptName::parse(name).filter(|prompt| checkable().contains(prompt));
    found.ok_or_else(|| {
        let hint = nearest_hint(name, known.iter().copied())
            .unwrap_or_else(|| format!("prompts that can be checked are {}", known.join(", ")));
        WrongInput::Words(format!("no prompt with rules is named `{name}`"), Some(hint))
    })
}

fn read(file: &str) -> std::result::Result<(String, String), WrongInput> {
    let text = prompt_text(file).map_err(|why| WrongInput::words(format!("cannot read {file}: {why}")))?;
    Ok((file.to_owned(), text))
}

fn not_taken(file: &str, error: &PromptError) -> WrongInput {
    WrongInput::words(format!("{file}: {error}"))
}
