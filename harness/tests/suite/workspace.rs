//! The house keeps its plan: who may use whom, and what the core may never touch.
//!
//! The rules are those of ARCHITECTURE.md. They are read off Cargo's metadata and off the sources themselves, so that
//! an import the wrong way fails here and not in somebody's review.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Which workspace members each may depend on.
const MAY_USE: [(&str, &[&str]); 5] = [
    ("agent-core", &[]),
    ("mock-llm", &[]),
    ("reports", &[]),
    ("harness", &["agent-core", "mock-llm", "reports"]),
    ("benches", &["agent-core", "mock-llm", "reports", "harness"]),
];

/// What the core never names outside its tests: clocks, entropy, environment, sockets, threads, unordered maps.
const BANNED_IN_CORE: [&str; 13] = [
    "SystemTime",
    "Instant::",
    "std::env",
    "std::net",
    "std::thread",
    "std::process",
    "tokio",
    "HashMap",
    "HashSet",
    "RandomState",
    "getrandom",
    "Timestamp::now",
    "Zoned::now",
];

/// The only file of the core that may touch the host: a home on disk.
const HOST_DOOR: &str = "agent-core/src/stores/disk.rs";

/// The only folder that may tell versions apart.
const VERSION_TABLE: &str = "agent-core/src/behaviour/";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace").to_path_buf()
}

fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("cargo prints JSON")
}

/// Direct dependencies by member.
fn dependencies() -> BTreeMap<String, Vec<String>> {
    let metadata = metadata();
    let name = |value: &Value| value["name"].as_str().expect("names are text").to_owned();
    let packages = metadata["packages"].as_array().expect("a list of packages");
    packages
        .iter()
        .map(|package| {
            let dependencies = package["dependencies"].as_array().expect("a list of dependencies");
            (name(package), dependencies.iter().map(name).collect())
        })
        .collect()
}

/// The sources of a folder with their path from the root; files that are compiled for tests only are left out.
fn sources(folder: &str) -> Vec<(String, String)> {
    let root = root();
    let files: Vec<(String, String)> = walkdir::WalkDir::new(root.join(folder))
        .sort_by_file_name()
        .into_iter()
        .map(|entry| entry.expect("the sources can be read"))
        .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "rs"))
        .map(|entry| {
            let path = entry.path().strip_prefix(&root).expect("below the root");
            let text = std::fs::read_to_string(entry.path()).expect("sources are text");
            (path.to_string_lossy().replace('\\', "/"), text)
        })
        .collect();
    let test_only: Vec<String> = files.iter().flat_map(|(path, text)| test_modules(path, text)).collect();
    let is_test = |path: &str| {
        let below = |module: &String| {
            path.strip_prefix(&**module).is_some_and(|rest| rest.starts_with('/') || rest == ".rs")
        };
        test_only.iter().any(below)
    };
    files.into_iter().filter(|(path, _)| !is_test(path)).collect()
}

/// The modules declared below `#[cfg(test)]`, as paths without the extension.
fn test_modules(path: &str, text: &str) -> Vec<String> {
    let (folder, file) = path.rsplit_once('/').expect("a file lies in a folder");
    let folder = match file {
        "mod.rs" | "lib.rs" | "main.rs" => folder.to_owned(),
        file => format!("{folder}/{}", file.trim_end_matches(".rs")),
    };
    let declared = text.split("#[cfg(test)]").skip(1).filter_map(|rest| {
        let line = rest.trim_start().lines().next()?;
        line.strip_prefix("pub(crate) ").unwrap_or(line).strip_prefix("mod ")?.strip_suffix(';')
    });
    declared.map(|name| format!("{folder}/{name}")).collect()
}

/// The code of a source: comments are left out, and the module of tests that stands last.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    let lines = text[..end].lines().enumerate().map(|(index, line)| (index + 1, line));
    lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
}

#[test]
fn imports_run_one_way() {
    let dependencies = dependencies();
    let members: Vec<&String> = dependencies.keys().collect();
    assert_eq!(members.len(), MAY_USE.len(), "a new member needs its row here: {members:?}");
    for (member, allowed) in MAY_USE {
        let uses = dependencies.get(member).unwrap_or_else(|| panic!("{member} is no member"));
        let inside = uses.iter().filter(|name| dependencies.contains_key(*name));
        let wrong: Vec<_> = inside.filter(|name| !allowed.contains(&name.as_str())).collect();
        assert!(wrong.is_empty(), "{member} must not use {wrong:?}");
    }
}

#[test]
fn the_core_depends_on_nothing_that_waits_or_draws() {
    let dependencies = dependencies();
    let banned =
        ["tokio", "hyper", "hyper-util", "axum", "rand", "rand_chacha", "rayon", "getrandom", "uuid"];
    let wrong: Vec<_> =
        dependencies["agent-core"].iter().filter(|name| banned.contains(&name.as_str())).collect();
    assert!(wrong.is_empty(), "agent-core must not use {wrong:?}");
}

#[test]
fn the_core_names_no_clock_entropy_or_socket() {
    let mut wrong = Vec::new();
    for (path, text) in sources("agent-core/src") {
        if path == HOST_DOOR {
            continue;
        }
        for (line, code) in code(&text) {
            wrong.extend(
                BANNED_IN_CORE
                    .iter()
                    .filter(|word| code.contains(**word))
                    .map(|word| format!("{path}:{line}: {word}")),
            );
        }
    }
    assert!(wrong.is_empty(), "agent-core is sans-IO and deterministic:\n{}", wrong.join("\n"));
}

#[test]
fn versions_are_compared_in_one_place() {
    let mut wrong = Vec::new();
    for folder in ["agent-core/src", "mock-llm/src", "reports/src", "harness/src"] {
        for (path, text) in sources(folder) {
            if path.starts_with(VERSION_TABLE) {
                continue;
            }
            for (line, code) in code(&text) {
                let names_one = ["Version::April", "Version::V0_", "Version::September", "\"hermes-"];
                let asks = code.contains(".version()")
                    && ["==", "!=", "<", "match", "matches!"].iter().any(|by| code.contains(by));
                if asks || names_one.iter().any(|name| code.contains(name)) {
                    wrong.push(format!("{path}:{line}: {}", code.trim()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "only {VERSION_TABLE} tells versions apart:\n{}", wrong.join("\n"));
}

#[test]
fn only_one_module_of_the_reports_knows_polars() {
    let files: Vec<String> = sources("reports/src")
        .into_iter()
        .filter(|(_, text)| code(text).any(|(_, line)| names_polars(line)))
        .map(|(path, _)| path)
        .collect();
    assert!(files.len() <= 1, "polars belongs behind one module: {files:?}");
    for folder in ["agent-core/src", "mock-llm/src", "harness/src"] {
        for (path, text) in sources(folder) {
            assert!(code(&text).all(|(_, line)| !names_polars(line)), "{path} names polars");
        }
    }
}

fn names_polars(line: &str) -> bool {
    ["use polars", "polars::", "polars_io::"].iter().any(|name| line.contains(name))
}

#[test]
fn no_network_stack_comes_with_the_tables() {
    let output = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--offline",
            "-p",
            "harness",
            "-e",
            "normal,build",
            "--prefix",
            "none",
            "--format",
            "{p}",
        ])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let tree = String::from_utf8(output.stdout).expect("cargo prints text");
    assert!(
        output.status.success() && tree.contains("polars"),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    for name in ["object_store", "reqwest", "rustls", "h2", "openssl", "native-tls"] {
        let wrong = tree.lines().find(|line| line.split(' ').next() == Some(name));
        assert!(wrong.is_none(), "{name} must not be among the dependencies");
    }
}
