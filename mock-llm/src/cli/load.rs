//! Scripts from the disk.

use std::path::Path;
use std::sync::Arc;

use mock_llm::diagnose::{Look, Severity, render};
use mock_llm::script::Script;
use mock_llm::yaml;

use super::tell;

/// A script that can be used.
pub(super) struct Loaded {
    pub(super) script: Arc<Script>,
    pub(super) warnings: usize,
}

/// Loads a script; its mistakes are told. None if it cannot be used.
pub(super) fn load(path: &Path, look: Look) -> Option<Loaded> {
    let name = path.to_string_lossy().replace('\\', "/");
    let source = match read(&name) {
        Ok(bytes) => yaml::source_from_bytes(&name, bytes),
        Err(reason) => {
            tell(&format!("cannot read `{name}`: {reason}\n"));
            return None;
        }
    };
    let source = match source {
        Ok(source) => source,
        Err(diagnostic) => {
            tell(&render(&[*diagnostic], &mock_llm::diagnose::Sources::default(), look));
            return None;
        }
    };
    let loading = Script::load(&source, &read);
    tell(&render(&loading.diagnostics, &loading.sources, look));
    let warnings = loading.diagnostics.iter().filter(|found| found.severity == Severity::Warning).count();
    if loading.script.is_none() {
        let errors = loading.diagnostics.iter().filter(|found| found.is_error()).count();
        tell(&format!(
            "\n{name}: {errors} {}, nothing runs\n",
            if errors == 1 { "mistake" } else { "mistakes" }
        ));
    }
    loading.script.map(|script| Loaded { script: Arc::new(script), warnings })
}

fn read(name: &str) -> Result<Vec<u8>, String> {
    std::fs::read(name).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => "no such file".to_owned(),
        std::io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
        _ => error.to_string(),
    })
}
