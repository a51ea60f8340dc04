//! Reads scenarios and what they refer to, and collects the mistakes of all files.
//!
//! A reference is a path relative to the file that holds it. It must stay below the working directory, the
//! scenario's own or the repository that it lies in, links followed, so that a scenario from elsewhere cannot read the rest of the disk into an agent.
//!
//! A file's mistakes are told once, at their place, however many scenarios refer to it: those are left out in silence.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use agent_core::stores::{Bytes, TreePath};
use mock_llm::decode::Decoder;
use mock_llm::diagnose::{Diagnostic, Source, Sources};
use mock_llm::script::Script;
use mock_llm::yaml::{Node, source_from_bytes};

use super::file;
use super::model::Scenario;
use crate::world::World;

/// A file that a scenario refers to is no larger.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// What loading gave: the scenarios without mistakes, and the mistakes of the others.
#[derive(Debug, Default)]
pub struct Loaded {
    /// Scenarios in the order of their files.
    pub scenarios: Vec<Arc<Scenario>>,
    /// Mistakes and warnings of all files.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that the mistakes speak of.
    pub sources: Sources,
}

impl Loaded {
    /// Whether anything keeps the scenarios from running.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Loads these files, given as a person named them.
pub fn load(paths: &[PathBuf]) -> Loaded {
    let mut loader = Loader { loaded: Loaded::default(), worlds: BTreeMap::new(), scripts: BTreeMap::new() };
    for path in paths {
        loader.scenario(path);
    }
    loader.check_names();
    loader.loaded
}

/// What was loaded so far; worlds and scripts are read once, whoever refers to them.
pub(super) struct Loader {
    loaded: Loaded,
    worlds: BTreeMap<String, Option<(Arc<World>, Digest)>>,
    scripts: BTreeMap<String, Option<(Arc<Script>, Digest)>>,
}

type Digest = [u8; 32];

impl Loader {
    fn scenario(&mut self, path: &Path) {
        let shown = shown(path);
        let source = match read(path, &shown) {
            Ok(source) => source,
            Err(diagnostic) => return self.loaded.diagnostics.push(*diagnostic),
        };
        self.loaded.sources.add(&source);
        let decoder = Decoder::new(&source);
        let mut files = Files::new(path, self);
        files.digest.update(source.text.as_bytes());
        let scenario = decoder.read().and_then(|node| file::scenario(&decoder, &node, &mut files));
        match decoder.finish(scenario) {
            Ok((scenario, warnings)) => {
                self.loaded.diagnostics.extend(warnings);
                self.loaded.scenarios.push(Arc::new(scenario));
            }
            Err(found) => self.loaded.diagnostics.extend(found),
        }
    }

    /// A name stands for one scenario of a run.
    fn check_names(&mut self) {
        let mut first: BTreeMap<&str, &Scenario> = BTreeMap::new();
        let mut found = Vec::new();
        for scenario in &self.loaded.scenarios {
            if let Some(other) = first.get(&*scenario.name) {
                let message = format!("the name `{}` is already taken by {}", scenario.name, other.file);
                found.push(Diagnostic::error(&scenario.file, scenario.name_span, message));
            } else {
                first.insert(&scenario.name, scenario);
            }
        }
        self.loaded.diagnostics.extend(found);
    }
}

/// The files that one file may refer to.
pub(super) struct Files<'a> {
    /// The directory of the referring file.
    dir: PathBuf,
    loader: &'a mut Loader,
    /// Of everything read so far.
    pub(super) digest: blake3::Hasher,
}

impl<'a> Files<'a> {
    fn new(path: &Path, loader: &'a mut Loader) -> Self {
        let dir = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
        Self { dir, loader, digest: blake3::Hasher::new() }
    }

    /// The bytes of a file.
    pub(super) fn bytes(&mut self, d: &Decoder, node: &Node, reference: &str) -> Option<Bytes> {
        let path = self.path(d, node, reference)?;
        match read_bytes(&path) {
            Ok(bytes) => {
                self.digest.update(reference.as_bytes()).update(&bytes);
                Some(bytes.into())
            }
            Err(reason) => {
                d.error(node.span, format!("cannot read {}: {reason}", shown(&path)));
                None
            }
        }
    }

    /// All files below a directory, by path.
    pub(super) fn directory(
        &mut self,
        d: &Decoder,
        node: &Node,
        reference: &str,
    ) -> Option<Vec<(TreePath, Bytes)>> {
        let root = self.path(d, node, reference)?;
        let mut files = Vec::new();
        for entry in walkdir::WalkDir::new(&root).sort_by_file_name() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    d.error(node.span, format!("cannot read {}: {error}", shown(&root)));
                    return None;
                }
            };
            if !entry.file_type().is_file() {
                continue;
            }
            let below = entry.path().strip_prefix(&root).ok().map(shown);
            let path = below.as_deref().and_then(TreePath::parse);
            match (path, read_bytes(entry.path())) {
                (Some(path), Ok(bytes)) => {
                    self.digest.update(path.as_str().as_bytes()).update(&bytes);
                    files.push((path, bytes.into()));
                }
                (_, Err(reason)) => {
                    d.error(node.span, format!("cannot read {}: {reason}", shown(entry.path())));
                }
                (None, _) => {
                    d.error(node.span, format!("{} cannot be a file of a home", shown(entry.path())));
                }
            }
        }
        Some(files)
    }

    /// A world, in its own file or written out.
    pub(super) fn world(&mut self, d: &Decoder, node: &Node) -> Option<Arc<World>> {
        let Some(reference) = node.as_text() else {
            return crate::world::decode_world(d, node).map(Arc::new);
        };
        let path = self.path(d, node, reference)?;
        let key = shown(&path);
        if !self.loader.worlds.contains_key(&key) {
            let world = self.loader.world(&path);
            self.loader.worlds.insert(key.clone(), world);
        }
        let (world, digest) = self.loader.worlds[&key].as_ref()?;
        self.digest.update(digest);
        Some(Arc::clone(world))
    }

    /// A script, in its own file or written out.
    pub(super) fn script(&mut self, d: &Decoder, node: &Node) -> Option<Arc<Script>> {
        if node.as_map().is_some() {
            return self.inline_script(d, node);
        }
        let reference = d.word(node)?;
        let path = self.path(d, node, reference)?;
        let key = shown(&path);
        if !self.loader.scripts.contains_key(&key) {
            let script = self.loader.script(&path);
            self.loader.scripts.insert(key.clone(), script);
        }
        let (script, digest) = self.loader.scripts[&key].as_ref()?;
        self.digest.update(digest);
        Some(Arc::clone(script))
    }

    /// A file of another kind, decoded as such.
    pub(super) fn decoded<T>(
        &mut self,
        d: &Decoder,
        node: &Node,
        reference: &str,
        decode: impl FnOnce(&Decoder, &Node) -> Option<T>,
    ) -> Option<T> {
        let path = self.path(d, node, reference)?;
        let source = self.loader.source(&path)?;
        self.digest.update(source.text.as_bytes());
        let decoder = Decoder::new(&source);
        let value = decoder.read().and_then(|node| decode(&decoder, &node));
        self.loader.take(decoder.finish(value))
    }

    fn inline_script(&mut self, d: &Decoder, node: &Node) -> Option<Arc<Script>> {
        let roots = roots(&self.dir);
        let loading = Script::load_node(d.source(), node, &|name| read_below(&roots, name));
        for source in loading.sources.iter() {
            self.loader.loaded.sources.add(&source);
            self.digest.update(source.text.as_bytes());
        }
        d.report_all(loading.diagnostics);
        loading.script.map(Arc::new)
    }

    /// The path that a reference names, if it may be read.
    fn path(&self, d: &Decoder, node: &Node, reference: &str) -> Option<PathBuf> {
        let relative = Path::new(reference);
        if reference.trim().is_empty() || relative.components().any(|part| !is_step(part)) {
            d.error_with(
                node.span,
                format!("`{reference}` is not a relative path"),
                "paths begin at this file's folder",
            );
            return None;
        }
        let path = tidy(&self.dir.join(relative));
        let Ok(real) = path.canonicalize() else {
            let hint =
                near(&path).map(|name| format!("did you mean `{}`?", shown(&relative.with_file_name(name))));
            let message = format!("there is no {}", shown(&path));
            d.report(Diagnostic::error(d.file(), node.span, message).hint_if(hint));
            return None;
        };
        if !roots(&self.dir).iter().any(|root| real.starts_with(root)) {
            d.error(
                node.span,
                format!(
                    "{} leads out of the working directory and of the scenario's repository",
                    shown(&path)
                ),
            );
            return None;
        }
        Some(path)
    }
}

impl Loader {
    fn world(&mut self, path: &Path) -> Option<(Arc<World>, Digest)> {
        let source = self.source(path)?;
        let decoder = Decoder::new(&source);
        let world = decoder.read().and_then(|node| crate::world::decode_world(&decoder, &node));
        let world = self.take(decoder.finish(world))?;
        Some((Arc::new(world), *blake3::hash(source.text.as_bytes()).as_bytes()))
    }

    fn script(&mut self, path: &Path) -> Option<(Arc<Script>, Digest)> {
        let source = self.source(path)?;
        let roots = roots(path.parent().unwrap_or(Path::new("")));
        let loading = Script::load(&source, &|name| read_below(&roots, name));
        let mut digest = blake3::Hasher::new();
        for source in loading.sources.iter() {
            self.loaded.sources.add(&source);
            digest.update(&(source.text.len() as u64).to_le_bytes()).update(source.text.as_bytes());
        }
        self.loaded.diagnostics.extend(loading.diagnostics);
        Some((Arc::new(loading.script?), *digest.finalize().as_bytes()))
    }

    fn source(&mut self, path: &Path) -> Option<Source> {
        match read(path, &shown(path)) {
            Ok(source) => {
                self.loaded.sources.add(&source);
                Some(source)
            }
            Err(diagnostic) => {
                self.loaded.diagnostics.push(*diagnostic);
                None
            }
        }
    }

    fn take<T>(&mut self, outcome: Result<(T, Vec<Diagnostic>), Vec<Diagnostic>>) -> Option<T> {
        match outcome {
            Ok((value, warnings)) => {
                self.loaded.diagnostics.extend(warnings);
                Some(value)
            }
            Err(found) => {
                self.loaded.diagnostics.extend(found);
                None
            }
        }
    }
}

/// Why a file could not be read, in words that are the same on every system.
pub(crate) fn reason_of(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        kind => kind.to_string(),
    }
}

/// The directories below which a file in this one may refer to others: the working directory, its own, and the
/// repository that it lies in, so that scenarios run from wherever one stands.
fn roots(dir: &Path) -> Vec<PathBuf> {
    let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
    let mut roots: Vec<PathBuf> =
        [Path::new("."), dir].into_iter().filter_map(|root| root.canonicalize().ok()).collect();
    let repository = roots
        .last()
        .and_then(|own| own.ancestors().find(|above| above.join(".git").exists()))
        .map(Path::to_path_buf);
    roots.extend(repository);
    roots
}

/// The bytes of a file that a script includes.
fn read_below(roots: &[PathBuf], name: &str) -> Result<Vec<u8>, String> {
    let path = Path::new(name);
    let real = path.canonicalize().map_err(|error| reason_of(&error))?;
    if roots.iter().any(|root| real.starts_with(root)) {
        read_bytes(path)
    } else {
        Err("it leads out of the working directory and of the script's repository".to_owned())
    }
}

fn is_step(part: Component<'_>) -> bool {
    matches!(part, Component::Normal(_) | Component::CurDir | Component::ParentDir)
}

/// A path without `.` and with `..` taken back where a step stands before it.
fn tidy(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(tidy.components().next_back(), Some(Component::Normal(_))) => {
                tidy.pop();
            }
            part => tidy.push(part),
        }
    }
    tidy
}

/// The name in a missing path's folder that it was probably meant to be.
fn near(path: &Path) -> Option<String> {
    let wanted = path.file_name()?.to_str()?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut names: Vec<String> =
        parent.read_dir().ok()?.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    mock_llm::diagnose::nearest(wanted, names.iter().map(String::as_str)).map(str::to_owned)
}

/// A path as messages show it: with `/` on every system.
pub(crate) fn shown(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

fn read(path: &Path, name: &str) -> Result<Source, Box<Diagnostic>> {
    let missing = |reason: String| {
        let span = mock_llm::diagnose::Span::default();
        Box::new(Diagnostic::error(&Arc::from(name), span, format!("cannot be read: {reason}")))
    };
    source_from_bytes(name, read_bytes(path).map_err(missing)?)
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, String> {
    read_small(path, FILE_BYTES_MAX)
}

/// The bytes of a regular file of at most so many, so that no pipe or device keeps the program waiting.
///
/// # Errors
/// There is no such file, or it is something else; in words.
pub(crate) fn read_small(path: &Path, bytes_max: u64) -> Result<Vec<u8>, String> {
    let reason = |error: std::io::Error| reason_of(&error);
    let meta = std::fs::metadata(path).map_err(reason)?;
    if !(meta.is_file() || meta.is_dir()) {
        return Err("it is no regular file".to_owned());
    }
    if meta.len() > bytes_max {
        return Err(format!("it is larger than {bytes_max} bytes"));
    }
    std::fs::read(path).map_err(reason)
}
