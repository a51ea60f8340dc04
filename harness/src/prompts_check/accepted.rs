//! Renderings that somebody looked at and accepted, one file each, beside the libraries.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use similar::TextDiff;

use super::examine::Examined;

/// The folder below that of the libraries.
const FOLDER: &str = "accepted";

/// Lines around a change that a difference shows.
const CONTEXT_LINES: usize = 1;

/// How a rendering compares with the accepted one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Accepted {
    /// It is the same.
    Same,
    /// It differs so.
    Differs(String),
    /// None was accepted yet.
    Missing,
}

/// Compares all renderings with what was accepted, each with its library's name.
///
/// # Errors
/// An accepted rendering cannot be read.
pub(crate) fn compare(folder: &Path, examined: &Examined) -> anyhow::Result<Vec<(String, Accepted)>> {
    let one = |(library, rendering): (&String, &String)| -> anyhow::Result<(String, Accepted)> {
        let path = path(folder, library, examined);
        let accepted = match fs::read_to_string(&path) {
            Ok(accepted) if accepted == *rendering => Accepted::Same,
            Ok(accepted) => Accepted::Differs(difference(&accepted, rendering)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Accepted::Missing,
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
        };
        Ok((library.clone(), accepted))
    };
    examined.renderings.iter().map(one).collect()
}

/// Accepts all renderings; the paths of those that were new or differed.
///
/// # Errors
/// A file cannot be written.
pub(crate) fn accept(folder: &Path, examined: &[Examined]) -> anyhow::Result<Vec<PathBuf>> {
    let mut written = Vec::new();
    for one in examined {
        for (library, rendering) in &one.renderings {
            let path = path(folder, library, one);
            if fs::read_to_string(&path).is_ok_and(|accepted| accepted == *rendering) {
                continue;
            }
            let parent = path.parent().expect("an accepted rendering lies in its folder");
            fs::create_dir_all(parent)
                .and_then(|()| fs::write(&path, rendering))
                .with_context(|| format!("cannot write {}", path.display()))?;
            written.push(path);
        }
    }
    Ok(written)
}

fn path(folder: &Path, library: &str, examined: &Examined) -> PathBuf {
    let (prompt, version) = (examined.subject.prompt.as_str(), examined.subject.version());
    folder.join(FOLDER).join(format!("{library}.{prompt}.{version}.md"))
}

fn difference(accepted: &str, rendering: &str) -> String {
    TextDiff::from_lines(accepted, rendering)
        .unified_diff()
        .context_radius(CONTEXT_LINES)
        .header("accepted", "now")
        .to_string()
}
