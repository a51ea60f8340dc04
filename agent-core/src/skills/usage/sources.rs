//! Where a skill came from: the hub, the program, or somebody here (`spec/skill-usage.md` §1 and §4).

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::excluded::SKILL_FILE;
use super::super::frontmatter::light_name;
use super::super::library::{Library, Spot, Whereabouts};
use super::super::seen::Seen;
use crate::stores::{Files, FilesError, TreePath, write_text};
use crate::text::trim;

/// The manifest of bundled skills.
pub(in super::super) const MANIFEST: &str = ".bundled_manifest";
/// The hub's lock file.
pub(in super::super) const HUB_LOCK: &str = ".hub/lock.json";
const SUPPRESSED: &str = ".curator_suppressed";

/// Where a skill came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provenance {
    /// Installed from a hub.
    Hub,
    /// Came with the program.
    Bundled,
    /// Made here, by the agent or the user.
    Agent,
}

impl Provenance {
    /// The word in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hub => "hub",
            Self::Bundled => "bundled",
            Self::Agent => "agent",
        }
    }
}

/// Names of bundled and hub skills, read again only when their lists changed.
#[derive(Clone, Debug)]
pub struct Sources {
    manifest_seen: Seen,
    bundled: BTreeSet<String>,
    hub_seen: Seen,
    hub: BTreeSet<String>,
    hub_paths: Vec<Spot>,
}

impl Default for Sources {
    fn default() -> Self {
        Self {
            manifest_seen: Seen::Never,
            bundled: BTreeSet::new(),
            hub_seen: Seen::Never,
            hub: BTreeSet::new(),
            hub_paths: Vec::new(),
        }
    }
}

impl Sources {
    /// Reads the lists again if they changed.
    pub(crate) fn sync(&mut self, library: &Library<'_>) {
        let (manifest, lock) = (own(library, MANIFEST), own(library, HUB_LOCK));
        if !self.manifest_seen.still(library.home(), &manifest) {
            self.manifest_seen = Seen::of(library.home(), &manifest);
            self.bundled = read_manifest(library.home(), &manifest);
        }
        if !self.hub_seen.still(library.home(), &lock) {
            self.hub_seen = Seen::of(library.home(), &lock);
            (self.hub, self.hub_paths) = read_hub(library, &lock);
        }
    }

    /// Whether the name is in the manifest of bundled skills. [`Sources::sync`] comes first.
    pub(crate) fn is_bundled(&self, name: &str) -> bool {
        self.bundled.contains(name)
    }

    /// Whether the name is an installed hub skill, or declared by one. [`Sources::sync`] comes first.
    pub(crate) fn is_hub(&self, library: &Library<'_>, name: &str) -> bool {
        // The declared names are read anew: an edit may have changed them, and hub skills are few.
        self.hub.contains(name)
            || self.hub_paths.iter().any(|file| {
                let bytes = library.files(file.tree).read(&file.path);
                bytes.is_ok_and(|bytes| declared(&bytes, file).as_deref() == Some(name))
            })
    }
}

/// The name at an install path: declared, else that of its directory.
fn declared(bytes: &[u8], file: &Spot) -> Option<String> {
    light_name(bytes).or_else(|| file.parent().map(|dir| dir.path.name().to_owned()))
}

fn own(library: &Library<'_>, name: &str) -> TreePath {
    library.own().path.below(&TreePath::new(name))
}

/// A text file with undecodable bytes replaced; empty if it cannot be read.
fn lossy(files: &dyn Files, path: &TreePath) -> String {
    files.read(path).map_or_else(|_| String::new(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn read_manifest(files: &dyn Files, path: &TreePath) -> BTreeSet<String> {
    let text = lossy(files, path);
    let names = text.lines().map(|line| trim(line.split(':').next().unwrap_or("")));
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn read_hub(library: &Library<'_>, lock: &TreePath) -> (BTreeSet<String>, Vec<Spot>) {
    let text = lossy(library.home(), lock);
    let value: Value = serde_json::from_str(&text).unwrap_or_default();
    let Some(installed) = value.get("installed").and_then(Value::as_object) else {
        return (BTreeSet::new(), Vec::new());
    };
    let names = installed.keys().cloned().collect();
    let paths = installed
        .values()
        .filter_map(|entry| entry.get("install_path").and_then(Value::as_str))
        .filter_map(|path| installed_file(library, path));
    (names, paths.collect())
}

/// The main file at an install path, if that lies inside the skills directory.
fn installed_file(library: &Library<'_>, path: &str) -> Option<Spot> {
    let root = library.own();
    let prefix = format!("{}/", library.absolute(root));
    let relative = path.strip_prefix(&prefix).unwrap_or(path);
    let parts: Vec<&str> = relative.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let dir = root.below(&TreePath::parse(&parts.join("/"))?);
    match library.resolve(&dir.join(SKILL_FILE).ok()?) {
        Ok(Whereabouts::Inside(file)) if file.is_at_or_below(root) => Some(file),
        _ => None,
    }
}

/// The names that the installer of bundled skills passes over, sorted.
pub(super) fn read_suppressed(library: &Library<'_>) -> BTreeSet<String> {
    let text = lossy(library.home(), &own(library, SUPPRESSED));
    let names = text.lines().map(trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    names.map(str::to_owned).collect()
}

/// Adds or removes a suppressed name, and says whether that changed anything. The file is rewritten sorted; comments
/// are lost.
pub(super) fn set_suppressed(
    library: &mut Library<'_>,
    name: &str,
    suppressed: bool,
) -> Result<bool, FilesError> {
    let mut names = read_suppressed(library);
    let changes = if suppressed { names.insert(name.to_owned()) } else { names.remove(name) };
    if changes {
        let text: String = names.iter().flat_map(|name| [name.as_str(), "\n"]).collect();
        let path = own(library, SUPPRESSED);
        write_text(library.home_mut(), &path, &text)?;
    }
    Ok(changes)
}
