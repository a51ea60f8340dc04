//! What the README says holds: its commands run, its files are there, its table of commands is that of the program.

use std::fs;
use std::path::{Path, PathBuf};

use super::context::TestContext;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace").to_path_buf()
}

fn readme() -> String {
    fs::read_to_string(root().join("README.md")).expect("it is there")
}

/// The commands of console blocks, each with the exit code that a comment behind it promises, 0 if none does.
fn commands(text: &str) -> Vec<(String, i32)> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if let Some(language) = line.strip_prefix("```") {
            inside = language == "console";
        } else if inside && let Some(command) = line.strip_prefix("$ ") {
            let (command, comment) = command.split_once(" # ").unwrap_or((command, ""));
            let code = comment
                .split("exits with ")
                .nth(1)
                .and_then(|code| code.split_whitespace().next()?.parse().ok());
            found.push((command.trim().to_owned(), code.unwrap_or(0)));
        }
    }
    found
}

#[test]
fn every_command_of_the_readme_runs() {
    let context = TestContext::with_scenarios();
    let mut count = 0;
    for (command, code) in commands(&readme()) {
        let args = command.strip_prefix("cargo run --release -- ").or(command.strip_prefix("harness "));
        let Some(args) = args else {
            assert!(command.starts_with("cargo "), "who runs `{command}`?");
            continue;
        };
        let args: Vec<&str> = args.split_whitespace().collect();
        let output = context.run(&args);
        assert_eq!(output.code, code, "{command}: {output:?}");
        count += 1;
    }
    assert!(count >= 2, "{count}");
}

/// The scripts that are shown, each as a whole, in a folder with fewer scenarios.
#[test]
fn the_scripts_of_the_readme_run() {
    let context = TestContext::with_scenarios();
    for entry in fs::read_dir(context.path("scenarios")).expect("it is there") {
        let path = entry.expect("the folder can be read").path();
        let is_other =
            path.extension().is_some_and(|end| end == "yaml") && !path.ends_with("k8s-deploy.yaml");
        if is_other {
            fs::remove_file(path).expect("files can be removed");
        }
    }
    fs::remove_dir_all(context.path("scenarios/faults")).expect("folders can be removed");
    let readme = readme();
    let scripts: Vec<&str> =
        readme.split("```bash\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(scripts.len(), 2);
    let binary = assert_cmd::cargo::cargo_bin!("harness");
    let path = format!("{}:/usr/bin:/bin", binary.parent().expect("it lies in a folder").display());
    for script in scripts {
        let output = assert_cmd::Command::new("bash")
            .args(["-euc", script])
            .current_dir(context.path("."))
            .env_clear()
            .env("PATH", &path)
            .output()
            .expect("bash runs");
        assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    }
    assert!(context.path("junit.xml").exists() && context.path("out/report.html").exists());
}

#[test]
fn every_command_of_the_program_stands_in_the_readme() {
    let help = TestContext::new().run(&["--help"]).stdout;
    let lines =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let text = readme();
    for name in lines.filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next()) {
        if !["help", "completions"].contains(&name) && help.contains(&format!("\n  {name} ")) {
            assert!(
                text.contains(&format!("`harness {name}")),
                "the README does not tell of `harness {name}`"
            );
        }
    }
}

#[test]
fn every_file_that_the_documents_name_is_there() {
    for document in ["README.md", "ARCHITECTURE.md"] {
        let text = fs::read_to_string(root().join(document)).expect("it is there");
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let path = link.split('#').next().unwrap_or_default();
            if !path.is_empty() && !link.contains("://") {
                assert!(root().join(path).exists(), "{document} links to {path}");
            }
        }
    }
}
