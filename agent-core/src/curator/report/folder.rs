//! The folder of a report.

use serde_json::json;

use super::pass_report::PassReport;
use crate::stores::{Content, Files, TreePath, exists};
use crate::values::Stamp;

const REPORTS: &str = "logs/curator";
/// Reports of one second that get a folder of their own.
const SAME_SECOND_MAX: usize = 1000;

/// A folder that was made for one report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::curator) struct Folder(TreePath);

impl Folder {
    /// Makes the folder; none if it cannot be made.
    pub(in crate::curator) fn make(home: &mut dyn Files, started: Stamp) -> Option<Self> {
        let stamp = started.civil_utc().strftime("%Y%m%d-%H%M%S").to_string();
        let base = TreePath::new(REPORTS);
        let numbered = (2..SAME_SECOND_MAX).map(|number| format!("{stamp}-{number}"));
        let mut paths =
            std::iter::once(stamp.clone()).chain(numbered).filter_map(|name| base.join(&name).ok());
        let path = paths.find(|path| !exists(home, path))?;
        home.create_dir(&path).ok()?;
        Some(Self(path))
    }

    /// Writes the files; none if one of the two main ones cannot be written.
    pub(in crate::curator) fn write(self, home: &mut dyn Files, report: &PassReport) -> Option<TreePath> {
        let file = |name: &str| self.0.below(&TreePath::new(name));
        let pretty = |value: &serde_json::Value| {
            serde_json::to_string_pretty(value).expect("JSON values always serialise")
        };
        home.replace(&file("run.json"), Content::text(&pretty(&report.to_value()))).ok()?;
        home.replace(&file("REPORT.md"), Content::text(&report.to_markdown())).ok()?;
        if report.rewritten.jobs_updated > 0 {
            let text = pretty(&json!(report.rewritten));
            let _ = home.replace(&file("cron_rewrites.json"), Content::text(&text));
        }
        Some(self.0)
    }
}
