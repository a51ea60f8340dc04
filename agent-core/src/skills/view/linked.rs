//! The files of a skill as views show them (`spec/skills.md` §11).

use serde_json::{Map, Value};

use super::super::excluded::SKILL_FILE;
use super::super::library::{Library, Spot};
use crate::stores::{Kind, TreePath};

/// Suffixes of files outside the support directories that a miss shows, and of templates.
const TEXT_SUFFIXES: [&str; 7] = ["md", "py", "yaml", "yml", "json", "tex", "sh"];

const SCRIPT_SUFFIXES: [&str; 6] = ["py", "sh", "bash", "js", "ts", "rb"];

/// The last suffix of a file's name, with its point; empty if there is none.
pub(super) fn suffix(name: &str) -> &str {
    match name.rfind('.') {
        Some(at) if at > 0 && at + 1 < name.len() => &name[at..],
        _ => "",
    }
}

/// The paths of all files and links to files below a skill's directory, relative to it, in path order.
fn files_of(library: &Library<'_>, dir: &Spot) -> Vec<TreePath> {
    let mut found = Vec::new();
    collect(library, dir, &TreePath::root(), &mut found);
    found
}

fn collect(library: &Library<'_>, dir: &Spot, inner: &TreePath, found: &mut Vec<TreePath>) {
    let here = dir.below(inner);
    let Ok(entries) = library.files(here.tree).list(&here.path) else { return };
    for entry in entries {
        let Ok(path) = inner.join(&entry.name) else { continue };
        match entry.kind {
            Kind::Dir => collect(library, dir, &path, found),
            Kind::File => found.push(path),
            Kind::Link => {
                let real = library.real(&dir.below(&path));
                let stat = real.and_then(|real| library.files(real.tree).stat(&real.path).ok().flatten());
                if stat.is_some_and(|stat| stat.kind == Kind::File) {
                    found.push(path);
                }
            }
        }
    }
}

/// Groups in order; empty ones are left out.
fn grouped(groups: Vec<(&str, Vec<String>)>) -> Value {
    let filled = groups.into_iter().filter(|(_, paths)| !paths.is_empty());
    let map: Map<String, Value> = filled.map(|(group, paths)| (group.to_owned(), paths.into())).collect();
    Value::Object(map)
}

/// The files that a main view links to; null if there are none.
pub(super) fn linked_files(library: &Library<'_>, dir: &Spot) -> Value {
    let files = files_of(library, dir);
    let pick = |group: &str, deep: bool, suffixes: Option<&[&str]>| -> Vec<String> {
        files
            .iter()
            .filter(|path| path.components().next() == Some(group))
            .filter(|path| deep || path.components().count() == 2)
            .filter(|path| {
                suffixes.is_none_or(|known| known.contains(&suffix(path.name()).trim_start_matches('.')))
            })
            .map(|path| path.as_str().to_owned())
            .collect()
    };
    let groups = grouped(vec![
        ("references", pick("references", false, Some(&["md"]))),
        ("templates", pick("templates", true, Some(&TEXT_SUFFIXES))),
        ("assets", pick("assets", true, None)),
        ("scripts", pick("scripts", false, Some(&SCRIPT_SUFFIXES))),
    ]);
    if groups.as_object().is_some_and(Map::is_empty) { Value::Null } else { groups }
}

/// All files that could have been meant, by support directory.
pub(super) fn available_files(library: &Library<'_>, dir: &Spot) -> Value {
    const GROUPS: [&str; 4] = ["references", "templates", "assets", "scripts"];
    let files = files_of(library, dir);
    let group_of = |path: &TreePath| {
        let first = path.components().next().unwrap_or("");
        let deep = path.components().count() > 1;
        GROUPS.into_iter().find(|group| deep && *group == first).unwrap_or("other")
    };
    let pick = |group: &str| -> Vec<String> {
        files
            .iter()
            .filter(|path| path.as_str() != SKILL_FILE && group_of(path) == group)
            .filter(|path| {
                group != "other" || TEXT_SUFFIXES.contains(&suffix(path.name()).trim_start_matches('.'))
            })
            .map(|path| path.as_str().to_owned())
            .collect()
    };
    let mut groups: Vec<(&str, Vec<String>)> = GROUPS.into_iter().map(|group| (group, pick(group))).collect();
    groups.push(("other", pick("other")));
    grouped(groups)
}
