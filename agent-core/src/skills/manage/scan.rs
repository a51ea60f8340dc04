//! The scan on write and what it undoes (`spec/skills.md` §7).

use super::super::answer::Refusal;
use super::super::context::SkillContext;
use super::super::library::Spot;
use super::arguments::Action;
use super::text_io::{Old, failed, write};
use crate::behaviour::{GuardRules, Rollback};
use crate::guard::skill::{Decision, ScanReport, scan};
use crate::stores::{Files, MemFiles, TreePath, copy_tree, exists, remove_tree, write_text};
use crate::values::{SimTime, Stamp};

/// The source of what the agent writes.
const SOURCE: &str = "agent-created";

impl SkillContext<'_, '_> {
    /// Writes a file of a skill unless the scan blocks the skill as it would be then.
    pub(super) fn scan_and_write(
        &mut self,
        action: Action,
        skill: &Spot,
        real: &Spot,
        old: Option<&Old>,
        text: &str,
    ) -> Result<(), Refusal> {
        if self.rules().rollback == Rollback::Exact {
            if let Some(report) = self.blocked_copy(skill, real, text) {
                return Err(blocked(&report));
            }
            return write(self.library, real, text).map_err(|error| failed("written", &error));
        }
        write(self.library, real, text).map_err(|error| failed("written", &error))?;
        let Some(report) = blocks(self.library.files(skill.tree), skill, self.at, &self.behaviour.guard)
        else {
            return Ok(());
        };
        self.undo(action, skill, real, old);
        Err(blocked(&report))
    }

    /// Scans a copy of the skill in memory with the new text in it.
    fn blocked_copy(&self, skill: &Spot, real: &Spot, text: &str) -> Option<ScanReport> {
        let files = self.library.files(skill.tree);
        let mut copy = MemFiles::new(files.root());
        copy.create_dir(&skill.path).ok()?;
        if exists(files, &skill.path) {
            copy_tree(files, &skill.path, &mut copy, &skill.path).ok()?;
        }
        // A text behind a link that leads elsewhere is scanned as the file that it is shown as.
        let at = if real.is_at_or_below(skill) { real.path.clone() } else { main_file(skill) };
        write_text(&mut copy, &at, text).ok()?;
        blocks(&copy, skill, self.at, &self.behaviour.guard)
    }

    /// As the reference undoes: a new skill's whole directory, or the old text with LF line ends; directories stay.
    fn undo(&mut self, action: Action, skill: &Spot, real: &Spot, old: Option<&Old>) {
        let files = self.library.files_mut(real.tree);
        // What cannot be undone stays; the answer says that the write was blocked.
        let _ = match (action, old) {
            (Action::Create, _) => remove_tree(files, &skill.path),
            (_, Some(old)) => write_text(files, &real.path, &old.folded),
            (_, None) => files.remove(&real.path),
        };
    }
}

fn main_file(skill: &Spot) -> TreePath {
    skill.path.below(&TreePath::new(super::super::excluded::SKILL_FILE))
}

/// The report, if the scan blocks the skill. A scan that fails blocks nothing.
fn blocks(files: &dyn Files, skill: &Spot, at: SimTime, rules: &GuardRules) -> Option<ScanReport> {
    let report = scan(files, &skill.path, SOURCE, Stamp::from(at), rules).ok()?;
    (report.decision(false, rules) != Decision::Allow).then_some(report)
}

fn blocked(report: &ScanReport) -> Refusal {
    let why = format!(
        "the security scan blocked this write and nothing was changed. Change the wording of these lines, not the \
         meaning, and try again:\n{}",
        report.refusal()
    );
    Refusal::guarded("scan-blocked", why)
}
