//! Which skills a session sees (`spec/prompt.md` §3.2).

use super::entry::Entry;
use crate::behaviour::{IndexRules, PlatformList, SkillRules};
use crate::text;

/// What a session asks of the index. Lists may come in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexQuery<'a> {
    /// Tools offered; none where the caller does not say.
    pub tools: Option<&'a [&'a str]>,
    /// Toolsets offered; none where the caller does not say.
    pub toolsets: Option<&'a [&'a str]>,
    /// Where the user speaks.
    pub platform: &'a str,
    /// Categories of which names alone are shown.
    pub demoted: &'a [&'a str],
}

/// Environments that can be inactive; any other tag counts as active.
const ENVIRONMENTS: [&str; 3] = ["kanban", "docker", "s6"];

/// Names and folders that are switched off on a platform.
pub(super) fn disabled<'r>(platform: &str, rules: &'r SkillRules) -> Vec<&'r str> {
    let here = rules.platform_disabled.iter().find(|(name, _)| name == platform).map(|(_, list)| list);
    let global: &[String] = match here {
        Some(_) if rules.platform_list == PlatformList::Replaces => &[],
        _ => &rules.disabled,
    };
    let mut names: Vec<&str> = global.iter().chain(here.into_iter().flatten()).map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Whether the system and the environment let a skill be shown at all.
pub(super) fn fits_place(entry: &Entry, rules: &SkillRules) -> bool {
    runs_on(&rules.system, &entry.platforms)
        && rules.environments.as_ref().is_none_or(|active| is_active(&entry.environments, active))
}

fn runs_on(system: &str, platforms: &[String]) -> bool {
    platforms.is_empty()
        || platforms.iter().any(|platform| match text::trim(platform).to_lowercase().as_str() {
            "macos" => system.starts_with("darwin"),
            "windows" => system.starts_with("win32"),
            other => system.starts_with(other),
        })
}

fn is_active(tags: &[String], active: &[String]) -> bool {
    tags.is_empty()
        || tags.iter().any(|tag| {
            let tag = text::trim(tag).to_lowercase();
            !ENVIRONMENTS.contains(&tag.as_str()) || active.contains(&tag)
        })
}

impl IndexQuery<'_> {
    /// Whether the session's tools let a skill be offered.
    pub(super) fn offers(&self, entry: &Entry) -> bool {
        if self.tools.is_none() && self.toolsets.is_none() {
            return true;
        }
        let has = |list: Option<&[&str]>, name: &String| list.unwrap_or(&[]).contains(&name.as_str());
        let conditions = &entry.conditions;
        !conditions.fallback_for_toolsets.iter().any(|name| has(self.toolsets, name))
            && !conditions.fallback_for_tools.iter().any(|name| has(self.tools, name))
            && conditions.requires_toolsets.iter().all(|name| has(self.toolsets, name))
            && conditions.requires_tools.iter().all(|name| has(self.tools, name))
    }

    /// Whether of a category names alone are shown: its first segment decides.
    pub(super) fn demotes(&self, category: &str, rules: IndexRules) -> bool {
        rules.demotion && self.demoted.contains(&category.split('/').next().unwrap_or(category))
    }
}
