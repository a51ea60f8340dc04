//! From layers of options to the plain values that a command works with.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent_core::behaviour::{Origin, SettingError, Settings, Version};
use mock_llm::diagnose::{Diagnostic, Source, Sources};
use serde_json::Value;

use super::args::{Args, Lay};
use super::options::Layers;
use super::say::Say;
use crate::run::{Partition, SEED, Selection, Tables, Traces, TypedPrompt};
use crate::scenario::hint_for;
use crate::transport::TransportKind;

/// The file that is read when no other is named.
const FILE: &str = "harness.toml";

/// What a command works with.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch that a person gives or does not give")]
#[derive(Clone, Debug)]
pub(super) struct Options {
    pub(super) selection: Selection,
    pub(super) allow_empty: bool,
    /// How requests reach the scripted model; none where nobody says.
    pub(super) transport: Option<TransportKind>,
    pub(super) jobs: usize,
    pub(super) out: PathBuf,
    pub(super) keep_homes: bool,
    /// Which traces are written; none where nobody says.
    pub(super) traces: Option<Traces>,
    /// Which tables are written; none where nobody says.
    pub(super) tables: Option<Tables>,
    pub(super) resume: bool,
    pub(super) max_fail: Option<u64>,
    /// Whether a rule that answers nothing fails the run.
    pub(super) deny_unused: bool,
    pub(super) junit: Option<PathBuf>,
    pub(super) format: OutputFormat,
    /// Every option with its origin.
    pub(super) layers: Layers,
}

/// What the results on stdout look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutputFormat {
    Human,
    Json,
    Jsonl,
    Markdown,
}

/// What is wrong with the command line or the layers below it.
#[derive(Debug)]
pub(super) enum WrongInput {
    /// In words, with a hint.
    Words(String, Option<String>),
    /// Mistakes of a file.
    Mistakes(Vec<Diagnostic>, Sources),
}

impl WrongInput {
    /// Words without a hint.
    pub(super) fn words(words: impl Into<String>) -> Self {
        Self::Words(words.into(), None)
    }
}

/// Lays file, environment and flags over each other.
///
/// # Errors
/// The first layer with mistakes.
pub(super) fn layers(args: &Args) -> Result<Layers, WrongInput> {
    let mut layers = Layers::default();
    let named = args.common.config.as_deref();
    if let Some(source) = read(named.unwrap_or(Path::new(FILE)), named.is_some())? {
        let found = layers.lay_file(&source);
        if !found.is_empty() {
            let mut sources = Sources::default();
            sources.add(&source);
            return Err(WrongInput::Mistakes(found, sources));
        }
    }
    layers.lay_environment(|name| std::env::var(name).ok()).map_err(WrongInput::words)?;
    args.common.lay(&mut layers);
    args.command.lay(&mut layers);
    Ok(layers)
}

fn read(path: &Path, must: bool) -> Result<Option<Source>, WrongInput> {
    let name = path.to_string_lossy().replace('\\', "/");
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(Source::new(name, text))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !must => Ok(None),
        Err(error) => {
            Err(WrongInput::words(format!("cannot read {name}: {}", crate::scenario::reason_of(&error))))
        }
    }
}

impl Options {
    /// The values of these layers.
    ///
    /// # Errors
    /// The first value that cannot be taken.
    pub(super) fn resolve(layers: Layers) -> Result<Self, WrongInput> {
        let partition = match layers.text("partition") {
            Some(text) => Some(Partition::parse(text).ok_or_else(|| {
                let words =
                    format!("{} takes count:I/N or hash:I/N, found `{text}`", layers.spoken("partition"));
                WrongInput::words(words)
            })?),
            None => None,
        };
        let selection = Selection {
            arms: layers.list("arm").to_vec(),
            filters: layers.list("filter").to_vec(),
            settings: settings(&layers)?,
            prompts: prompts(&layers)?,
            points: Vec::new(),
            seed: layers.count("seed").unwrap_or(SEED),
            repeat: layers.count("repeat").unwrap_or(1),
            partition,
        };
        let jobs = layers.count("jobs").and_then(|jobs| usize::try_from(jobs).ok());
        Ok(Self {
            selection,
            allow_empty: layers.switch("allow_empty", false),
            transport: layers.text("transport").map(|word| match word {
                "direct" => TransportKind::Direct,
                _ => TransportKind::Http,
            }),
            jobs: jobs
                .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get)),
            out: layers.text("out").unwrap_or("out").into(),
            keep_homes: layers.switch("keep_homes", false),
            traces: layers.text("traces").map(|word| match word {
                "none" => Traces::None,
                "failed" => Traces::Failed,
                _ => Traces::All,
            }),
            tables: layers
                .given("calls")
                .then(|| if layers.switch("calls", true) { Tables::All } else { Tables::WithoutCalls }),
            resume: layers.switch("resume", false),
            max_fail: layers.count("max_fail"),
            deny_unused: layers.switch("deny_unused", false),
            junit: layers.text("junit").map(PathBuf::from),
            format: match layers.text("format") {
                Some("json") => OutputFormat::Json,
                Some("jsonl") => OutputFormat::Jsonl,
                Some("markdown") => OutputFormat::Markdown,
                _ => OutputFormat::Human,
            },
            layers,
        })
    }
}

/// How the program speaks, by these layers.
pub(super) fn say(layers: &Layers) -> Say {
    Say::new(layers.text("color"), layers.text("verbosity"), layers.switch("progress", true))
}

/// The texts of `--prompt`, checked.
fn prompts(layers: &Layers) -> Result<Arc<[TypedPrompt]>, WrongInput> {
    let spoken = layers.spoken("prompt");
    let read = |text: &String| {
        let wrong = |words: String, hint| WrongInput::Words(format!("`{spoken} {text}`: {words}"), hint);
        let Some((name, file)) = text.split_once('=') else {
            return Err(wrong("wanted NAME=FILE".to_owned(), None));
        };
        TypedPrompt::read(name, file).map_err(|(words, hint)| wrong(words, hint))
    };
    layers.list("prompt").iter().map(read).collect()
}

/// The settings of `--set`, checked.
fn settings(layers: &Layers) -> Result<Vec<(String, Value)>, WrongInput> {
    // Keys and kinds are the same in every version; any will do for the check.
    let mut check = Settings::new(Version::ALL[0]);
    let mut settings = Vec::new();
    let spoken = layers.spoken("set");
    for text in layers.list("set") {
        let Some((key, value)) = text.split_once('=') else {
            return Err(WrongInput::words(format!("{spoken}: wanted KEY=VALUE, found `{text}`")));
        };
        // What is no JSON is text, so that words need no quotes.
        let value: Value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
        if let Err(error) = check.set(key, value.clone(), Origin::CommandLine) {
            let hint = match error {
                SettingError::UnknownKey { .. } => hint_for(key),
                SettingError::WrongKind { .. } => None,
            };
            return Err(WrongInput::Words(format!("{spoken}: {error}"), hint));
        }
        settings.push((key.to_owned(), value));
    }
    Ok(settings)
}
