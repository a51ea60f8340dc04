//! Which scenario files a path stands for.

use std::path::{Path, PathBuf};

/// Folders below a scenario folder that hold what scenarios refer to.
const DATA_FOLDERS: [&str; 4] = ["worlds", "scripts", "libraries", "fixtures"];

/// The scenario files of these paths, in order, each once: a file stands for itself, a folder for the `*.yaml` and
/// `*.yml` files below it, in the order of their paths; folders of data are left out.
///
/// # Errors
/// A path is not there or cannot be read.
pub(super) fn scenario_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut files: Vec<PathBuf> = Vec::new();
    for path in paths {
        let found = if path.is_dir() { below(path)? } else { vec![path.clone()] };
        for file in found {
            if !file.is_file() {
                return Err(format!("there is no file or folder {}", file.display()));
            }
            if !files.contains(&file) {
                files.push(file);
            }
        }
    }
    Ok(files)
}

fn below(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let wanted = |entry: &walkdir::DirEntry| {
        let name = entry.file_name().to_string_lossy();
        entry.depth() == 0
            || !(name.starts_with('.') || entry.file_type().is_dir() && DATA_FOLDERS.contains(&&*name))
    };
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().filter_entry(wanted) {
        let entry = entry.map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
        let is_yaml = entry.path().extension().is_some_and(|end| end == "yaml" || end == "yml");
        if is_yaml && entry.file_type().is_file() {
            files.push(entry.into_path());
        }
    }
    Ok(files)
}
