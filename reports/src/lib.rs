//! Trace and record formats, statistics, tables, plots, HTML and `JUnit`.
//!
//! Data takes one road: a [`trace`] of typed events is measured into records, and everything that a person or a
//! machine reads afterwards is made of records. Nothing here knows the agent core, the scripted model or the
//! runner.
//!
//! Invariants:
//! - The same events give the same bytes of every file. No wall clock, no unordered map, no absolute path.
//! - Records hold integers, words and names. Floats appear in the statistics only and are printed by one routine.

pub mod columnar;
pub mod figures;
pub mod html;
pub mod junit;
pub mod measure;
pub mod money;
pub mod plain;
pub mod plots;
pub mod records;
pub mod report;
pub mod shown;
pub mod sqlite;
pub mod stats;
pub mod summary;
pub mod table;
pub mod trace;
pub mod verdict;
mod words;

pub use words::{
    AgentObject, CellOutcome, CuratorCause, Evidence, Finish, HazardOutcome, LessonEvent, ModelOutcome,
    Nudge, NudgeEvent, Origin, Place, ReviewOutcome, Role, Route, SkillEvent, Store, Teacher, TurnOutcome,
    WriteOutcome,
};

#[cfg(test)]
mod house_rules {
    use std::path::{Path, PathBuf};

    fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, found);
            } else {
                found.push(path);
            }
        }
    }

    /// Polars is heavy and never stands between a simulation and its verdict.
    #[test]
    fn only_columnar_knows_polars_and_only_plots_know_plotters() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut files = Vec::new();
        sources(&root, &mut files);
        assert!(files.len() > 40);
        for file in files {
            let name = file.strip_prefix(&root).unwrap().display().to_string();
            let text = std::fs::read_to_string(&file).unwrap();
            let uses = |krate: &str| {
                text.contains(&format!("use {krate}")) || text.contains(&format!("{krate}::pre"))
            };
            let polars = concat!("pol", "ars");
            assert!(!uses(polars) || name == "columnar.rs", "{name} uses {polars}");
            let plotters = concat!("plot", "ters");
            assert!(!uses(plotters) || name.starts_with("plots"), "{name} uses {plotters}");
        }
    }

    /// `lazy` together with file formats would pull an HTTP and TLS stack through polars.
    #[test]
    fn no_network_stack_comes_with_the_data_frames() {
        let tree = std::process::Command::new(env!("CARGO"))
            .args(["tree", "-p", "reports", "-e", "normal", "--offline", "--prefix", "none", "-f", "{p}"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .unwrap();
        let text = String::from_utf8(tree.stdout).unwrap();
        assert!(text.contains("polars-io"), "{text}{}", String::from_utf8_lossy(&tree.stderr));
        for name in ["object_store", "reqwest", "rustls", "hyper"] {
            assert!(
                !text.lines().any(|line| line.starts_with(&format!("{name} "))),
                "{name} comes with reports"
            );
        }
    }
}
