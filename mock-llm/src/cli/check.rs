//! `mock-llm check`: is the script right, and what does it hold?

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use mock_llm::diagnose::Look;
use mock_llm::preset::Role;
use mock_llm::script::Script;

use super::EXIT_WRONG;
use super::load::load;

#[derive(Debug, Args)]
pub(super) struct Check {
    /// The script.
    script: PathBuf,
    /// Take warnings for errors.
    #[arg(long)]
    strict: bool,
}

impl Check {
    pub(super) fn run(&self, look: Look) -> ExitCode {
        let Some(loaded) = load(&self.script, look) else { return ExitCode::from(EXIT_WRONG) };
        // A closed pipe is the reader's wish.
        let _ = io::stdout().lock().write_all(summary(&loaded.script).as_bytes());
        if self.strict && loaded.warnings > 0 { ExitCode::from(EXIT_WRONG) } else { ExitCode::SUCCESS }
    }
}

/// Rules by role, and those that every request is held against.
fn summary(script: &Script) -> String {
    let count = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let all = script.all_rules().count();
    let unguarded = script.unguarded().len();
    let mut text = format!("{}: {}, {unguarded} without a guard\n", script.file, count(all, "rule"));
    for role in Role::ALL.into_iter().filter(|role| script.has_role(*role)) {
        write!(text, "  {role}: {}", count(script.rules(role).len(), "rule"))
            .expect("writing to a string does not fail");
        let open = script.unguarded().into_iter().filter(|(of, _)| *of == role);
        let open: Vec<String> =
            open.map(|(_, rule)| format!("`{}` (line {})", rule.label, rule.span.line)).collect();
        if !open.is_empty() {
            write!(text, "; without a guard: {}", open.join(", "))
                .expect("writing to a string does not fail");
        }
        text.push('\n');
    }
    text
}
