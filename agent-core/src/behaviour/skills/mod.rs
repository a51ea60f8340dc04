//! The skill library, its tools and its guard (`spec/skills.md`, `spec/skill-usage.md`).

mod faults;
mod rows;

use serde_json::Value;

use super::settings::Settings;
use super::staging::{StagingRules, gate};
use crate::text::{trim, truthy};

pub(super) use faults::FAULTS;
pub(super) use rows::ROWS;

/// Where new skills go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkillStore {
    /// Into the home.
    Own,
    /// Into the first writable shared store; into the home if there is none.
    Shared,
    /// Nowhere: skills are read and never written.
    Static,
}

/// What an unattended delete does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewDelete {
    /// Removes the directory for good.
    Remove,
    /// Moves it into the archive.
    Archive,
}

/// Which skills without the curator's marker the guard refuses to unattended writers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmanaged {
    /// Those that have a usage record.
    Recorded,
    /// All.
    All,
}

/// What becomes of `SKILL.md` given as `file_path`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExplicitSkillMd {
    /// It is not an allowed path.
    Refused,
    /// It is written without a frontmatter check.
    Unchecked,
    /// It is checked like any other write of it.
    Checked,
}

/// Which directories hold no skills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Excluded {
    /// The four oldest names.
    Short,
    /// The full list of names.
    Full,
    /// The full list, and the support directories of skills.
    Packages,
}

/// How `skill_view` looks a name up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewLookup {
    /// By directory name only; names are not checked.
    Directory,
    /// By directory or declared name; absolute and climbing names are refused.
    Declared,
}

/// What a restore takes if no archived directory has the very name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestoreMatch {
    /// Any whose name starts with the name and a hyphen.
    Prefix,
    /// One whose name is the name, a hyphen and 14 digits.
    Stamp,
}

/// Which of several archived copies a restore takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestoreChoice {
    /// The one with the plain name, wherever it lies in the archive.
    Plain,
    /// The newest archived skill.
    Newest,
}

/// What a blocked scan undoes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rollback {
    /// As the reference: a new skill's whole directory goes, old text comes back with LF, directories stay.
    Traces,
    /// Every byte is as it was.
    Exact,
}

/// With which origin an approved proposal is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApproveAs {
    /// As the user who approves.
    Approver,
    /// As the one who proposed it.
    Proposer,
}

/// How the disabled list of a messaging platform combines with the general one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlatformList {
    /// It replaces it.
    Replaces,
    /// It adds to it.
    Adds,
}

/// The usage sidecar and who is in the curator's sight.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "independent rules of one version")]
pub struct UsageRules {
    /// Whether there is a sidecar at all.
    pub sidecar: bool,
    /// Whether bundled and hub skills are recorded as well.
    pub record_all: bool,
    /// Whether a view by the tool counts a use too.
    pub view_counts_as_use: bool,
    /// Whether anything counts uses.
    pub count_use: bool,
    /// Whether loads by scheduled jobs count as use.
    pub count_jobs: bool,
    /// Names that nothing unattended may touch.
    pub protected: Vec<String>,
    /// Whether external directories are left out of sight.
    pub external_known: bool,
    /// Whether bundled skills take part in the timed transitions.
    pub prune_builtins: bool,
    /// What a restore falls back to.
    pub restore_match: RestoreMatch,
    /// Which copy a restore takes.
    pub restore_choice: RestoreChoice,
    /// Whether dot directories at the top hold no candidates.
    pub skip_top_dot_dirs: bool,
    /// Whether a new skill under an old name inherits the record.
    pub keep_dead_record: bool,
}

/// The skill library, its tools and its guard.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "independent rules of one version")]
pub struct SkillRules {
    /// Usage, provenance, archive.
    pub usage: UsageRules,
    /// Configured external directories, as written.
    pub external_dirs: Vec<String>,
    /// Where new skills go by configuration.
    pub create_dir: Option<String>,
    /// Where new skills go by kind of store.
    pub store: SkillStore,
    /// Whether every write is staged.
    pub write_approval: bool,
    /// How writes are staged.
    pub staging: StagingRules,
    /// With which origin an approved proposal is applied.
    pub approve_as: ApproveAs,
    /// Whether writes are scanned.
    pub scan_on_write: bool,
    /// What a blocked scan undoes.
    pub rollback: Rollback,
    /// Whether a patch keeps CRLF line ends.
    pub keep_newlines: bool,
    /// Whether a link is written where it leads, inside the skills or not.
    pub write_through_links: bool,
    /// Whether a view fills in template variables.
    pub template_vars: bool,
    /// Names hidden everywhere.
    pub disabled: Vec<String>,
    /// Names hidden by messaging platform.
    pub platform_disabled: Vec<(String, Vec<String>)>,
    /// How the two combine.
    pub platform_list: PlatformList,
    /// Operating system for `platforms`.
    pub system: String,
    /// Active environment tags; none if tags are not known in this version.
    pub environments: Option<Vec<String>>,
    /// Whether the guard against unattended writes to others' skills exists.
    pub review_guard: bool,
    /// Whether the curator's pass counts as unattended.
    pub curator_unattended: bool,
    /// Which skills without the curator's marker it refuses.
    pub unmanaged: Unmanaged,
    /// Whether a pin blocks every unattended write and not only deletion.
    pub pin_blocks_reviews: bool,
    /// Whether unattended writers must read first.
    pub read_before_write: bool,
    /// Whether reads made in a parallel batch are remembered.
    pub marks_from_parallel: bool,
    /// Whether a whole `read_file` counts as reading.
    pub read_file_marks: bool,
    /// Whether an unattended delete must name an absorbing skill.
    pub delete_needs_absorber: bool,
    /// What an unattended delete does.
    pub review_delete: ReviewDelete,
    /// Whether a delete makes sure of its directory.
    pub delete_checks: bool,
    /// `SKILL.md` as `file_path`.
    pub explicit_skill_md: ExplicitSkillMd,
    /// Whether a byte order mark before the frontmatter is accepted.
    pub accept_bom: bool,
    /// Which directories hold no skills.
    pub excluded: Excluded,
    /// Whether a miss names the other profiles that have the skill.
    pub profile_hint: bool,
    /// How a view looks names up.
    pub view_lookup: ViewLookup,
}

impl SkillRules {
    pub(super) fn resolve(settings: &Settings) -> Self {
        let is = |key: &str, word: &str| settings.text(key) == word;
        let fault = |name: &str| settings.fault(name);
        let approval = settings.bool_or("skills.approval_gate", false);
        Self {
            usage: UsageRules::resolve(settings),
            external_dirs: texts(settings.value("skills.external_dirs")),
            create_dir: settings.value("skills.create_dir").as_str().map(str::to_owned),
            store: match settings.text("skills.store") {
                "shared" => SkillStore::Shared,
                "static" => SkillStore::Static,
                _ => SkillStore::Own,
            },
            write_approval: approval && gate(settings.value("skills.write_approval")),
            staging: StagingRules::resolve(settings),
            approve_as: if fault("provenance_lost_on_approval") {
                ApproveAs::Approver
            } else {
                ApproveAs::Proposer
            },
            scan_on_write: scan_flag(settings.value("skills.guard_agent_created")),
            rollback: if fault("rollback_leaves_traces") { Rollback::Traces } else { Rollback::Exact },
            keep_newlines: !fault("patch_folds_newlines"),
            write_through_links: fault("skill_link_written_through"),
            template_vars: truthy(settings.value("skills.template_vars")),
            disabled: texts(settings.value("skills.disabled")),
            platform_disabled: platform_lists(settings.value("skills.platform_disabled")),
            platform_list: if is("skills.platform_disabled_mode", "adds") {
                PlatformList::Adds
            } else {
                PlatformList::Replaces
            },
            system: settings.text("skills.system").to_owned(),
            environments: settings
                .bool_or("skills.environment_tags", false)
                .then(|| texts(settings.value("skills.environments"))),
            review_guard: settings.bool_or("skills.review_guard", false),
            curator_unattended: settings.bool_or("skills.curator_unattended", false),
            unmanaged: if fault("unrecorded_skill_unguarded") { Unmanaged::Recorded } else { Unmanaged::All },
            pin_blocks_reviews: !fault("pinned_skill_edited_by_review"),
            read_before_write: !fault("skill_overwritten_unread"),
            marks_from_parallel: !fault("read_marks_per_context"),
            read_file_marks: settings.bool_or("skills.read_file_marks", false),
            delete_needs_absorber: !fault("delete_without_absorber"),
            review_delete: if is("skills.review_delete", "archive") {
                ReviewDelete::Archive
            } else {
                ReviewDelete::Remove
            },
            delete_checks: settings.bool_or("skills.delete_checks", false),
            explicit_skill_md: match settings.text("skills.explicit_skill_md") {
                "refused" => ExplicitSkillMd::Refused,
                _ if fault("skill_file_unchecked") => ExplicitSkillMd::Unchecked,
                _ => ExplicitSkillMd::Checked,
            },
            accept_bom: is("skills.byte_order_mark", "accepted"),
            excluded: match settings.text("skills.excluded") {
                "short" => Excluded::Short,
                "full" => Excluded::Full,
                _ => Excluded::Packages,
            },
            profile_hint: settings.bool_or("skills.profile_hint", false),
            view_lookup: if is("skills.view_lookup", "declared") {
                ViewLookup::Declared
            } else {
                ViewLookup::Directory
            },
        }
    }

    /// The names disabled on a messaging platform (`spec/skills.md` §10).
    pub fn disabled_on(&self, platform: Option<&str>) -> Vec<&str> {
        let own = platform.and_then(|platform| {
            self.platform_disabled.iter().find(|(known, _)| known == platform).map(|(_, names)| names)
        });
        let general = match (own, self.platform_list) {
            (Some(_), PlatformList::Replaces) => &[],
            _ => self.disabled.as_slice(),
        };
        general.iter().chain(own.into_iter().flatten()).map(String::as_str).collect()
    }
}

impl UsageRules {
    fn resolve(settings: &Settings) -> Self {
        let is = |key: &str, word: &str| settings.text(key) == word;
        Self {
            sidecar: settings.bool_or("usage.sidecar", false),
            record_all: is("usage.recorded", "all"),
            view_counts_as_use: settings.bool_or("usage.view_counts_as_use", false),
            count_use: !settings.fault("use_uncounted"),
            count_jobs: !settings.fault("job_use_uncounted"),
            protected: texts(settings.value("usage.protected")),
            external_known: settings.bool_or("usage.external_known", false),
            prune_builtins: truthy(settings.value("curator.prune_builtins")),
            restore_match: if is("usage.restore_match", "stamp") {
                RestoreMatch::Stamp
            } else {
                RestoreMatch::Prefix
            },
            restore_choice: if settings.fault("restore_takes_older_copy") {
                RestoreChoice::Plain
            } else {
                RestoreChoice::Newest
            },
            skip_top_dot_dirs: is("usage.top_dot_dirs", "skipped"),
            keep_dead_record: settings.fault("dead_name_keeps_record"),
        }
    }
}

/// A boolean, or text in a list of words; any other type by its truth value (`spec/skills.md` §7).
fn scan_flag(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            let word = trim(text).to_lowercase();
            ["1", "true", "yes", "on"].contains(&word.as_str())
        }
        other => truthy(other),
    }
}

/// The texts of a text or a list.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

fn platform_lists(value: &Value) -> Vec<(String, Vec<String>)> {
    let Some(map) = value.as_object() else { return Vec::new() };
    map.iter().map(|(platform, names)| (platform.clone(), texts(names))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Origin, Version};
    use super::*;

    fn rules(version: Version) -> SkillRules {
        SkillRules::resolve(&Settings::new(version))
    }

    #[test]
    fn versions_differ_as_their_table_says() {
        let old = rules(Version::April2026);
        assert!(old.scan_on_write && !old.usage.sidecar && !old.review_guard);
        let may = rules(Version::V0_13);
        assert!(may.usage.sidecar && !may.usage.record_all && !may.usage.prune_builtins);
        assert_eq!((may.excluded, may.review_delete), (Excluded::Short, ReviewDelete::Remove));
        let july = rules(Version::V0_19);
        assert_eq!((july.excluded, july.unmanaged), (Excluded::Packages, Unmanaged::Recorded));
        assert_eq!(july.usage.protected, ["plan"]);
        let september = rules(Version::September2026);
        assert_eq!(september.unmanaged, Unmanaged::All);
        assert!(september.read_file_marks && september.usage.protected.is_empty());
    }

    #[test]
    fn faults_off_is_the_better_behaviour_in_every_version() {
        for version in Version::ALL {
            let mut settings = Settings::new(version);
            settings.faults_off(&Origin::CommandLine);
            let rules = SkillRules::resolve(&settings);
            assert!(rules.read_before_write && rules.marks_from_parallel && rules.pin_blocks_reviews);
            assert!(rules.delete_needs_absorber && rules.keep_newlines);
            assert_eq!(
                (rules.unmanaged, rules.rollback, rules.approve_as),
                (Unmanaged::All, Rollback::Exact, ApproveAs::Proposer)
            );
        }
    }

    #[test]
    fn the_two_flags_read_numbers_differently() {
        assert!(scan_flag(&1.into()) && !gate(&1.into()));
        assert!(scan_flag(&" YES ".into()) && gate(&" Enabled ".into()));
        assert!(!scan_flag(&"enabled".into()));
    }

    #[test]
    fn a_platform_list_replaces_or_adds() {
        let mut rules = rules(Version::V0_16);
        rules.disabled = vec!["a".to_owned()];
        rules.platform_disabled = vec![("telegram".to_owned(), vec!["b".to_owned()])];
        assert_eq!(rules.disabled_on(Some("telegram")), ["b"]);
        assert_eq!(rules.disabled_on(Some("discord")), ["a"]);
        rules.platform_list = PlatformList::Adds;
        assert_eq!(rules.disabled_on(Some("telegram")), ["a", "b"]);
    }
}
