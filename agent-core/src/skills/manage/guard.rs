//! What unattended writers may change (`spec/skills.md` §6, `spec/background-review.md` §6).

use super::super::answer::Refusal;
use super::super::catalogue::SkillDir;
use super::super::context::SkillContext;
use super::super::usage::Record;
use super::arguments::{Action, Arguments};
use super::paths::Target;
use crate::behaviour::Unmanaged;
use crate::text::trim;

/// What to do instead of a refused write.
const ADVICE: &str =
    "Leave it as it is; write what you learned into a skill that the agent made, or tell the user.";

impl SkillContext<'_, '_> {
    /// The guard of existing skills. Attended writers pass.
    pub(super) fn guard(&mut self, name: &str, skill: &SkillDir) -> Result<(), Refusal> {
        if !self.is_unattended() {
            return Ok(());
        }
        let refuse = |kind: &str, why: &str| {
            Err(Refusal::guarded(
                kind,
                format!("`{name}` {why}; unattended writes to it are refused. {ADVICE}"),
            ))
        };
        let rules = &self.behaviour.skills;
        let (pin_blocks, guards, unmanaged) = (rules.pin_blocks_reviews, rules.review_guard, rules.unmanaged);
        let external = self.library.is_external(&skill.spot);
        let recorded = self.record_name(name, &skill.spot);
        let usage = self.usage();
        let record = usage.stored(&recorded);
        if pin_blocks && record.is_some_and(Record::is_pinned) {
            return refuse("bg-pinned", "is pinned");
        }
        if !guards {
            return Ok(());
        }
        if external {
            return refuse("bg-external", "lies in an external directory");
        }
        if usage.is_protected(&recorded) {
            return refuse("bg-protected", "is protected");
        }
        if usage.is_hub(&recorded) {
            return refuse("bg-hub", "was installed from a hub");
        }
        if usage.is_bundled(&recorded) {
            return refuse("bg-bundled", "came with the program");
        }
        let owned = match (record, unmanaged) {
            (Some(record), _) => !record.is_managed(),
            (None, Unmanaged::All) => true,
            (None, Unmanaged::Recorded) => false,
        };
        if owned { refuse("bg-not-agent-created", "was not made by the agent") } else { Ok(()) }
    }

    /// Unattended writers must have read the very file that they change.
    pub(super) fn must_have_read(&self, name: &str, target: &Target) -> Result<(), Refusal> {
        let needed = self.is_unattended() && self.rules().read_before_write;
        if !needed || self.marks.has(&target.real) {
            return Ok(());
        }
        let inner = target.inner.as_str();
        let call = if target.named.path.name() == inner {
            format!("skill_view(name=\"{name}\")")
        } else {
            format!("skill_view(name=\"{name}\", file_path=\"{inner}\")")
        };
        let why = format!(
            "{inner} of `{name}` was not read in this review. Call {call} first, then try once more."
        );
        Err(Refusal::guarded("bg-unread", why).with("_read_before_write_required", true))
    }

    /// Unattended writers must say which skill absorbs a deleted one.
    pub(super) fn must_be_absorbed(&self, arguments: Arguments<'_>) -> Result<(), Refusal> {
        let needed = self.is_unattended() && self.rules().delete_needs_absorber;
        if !needed || !trim(arguments.text("absorbed_into").unwrap_or("")).is_empty() {
            return Ok(());
        }
        let why = "an unattended delete must name in `absorbed_into` the skill that holds the content now; \
                   a skill that nothing absorbs stays";
        Err(Refusal::guarded("bg-unverified-delete", why).with("_fail_closed", true))
    }

    /// The guard before anything else is looked at: for every action on an existing skill.
    pub(super) fn preflight(&mut self, action: Action, name: &str) -> Result<(), Refusal> {
        match self.find(name) {
            Some(skill) if action != Action::Create => self.guard(name, &skill),
            _ => Ok(()),
        }
    }
}
