//! Skills: storage, frontmatter, the three tools, usage sidecar, archive (`spec/skills.md`, `spec/skill-usage.md`).
//!
//! A [`Library`] is the trees that hold skills, with their roots. A [`LibraryState`] is what an agent remembers of
//! it between calls: the usage book and the catalogue. Both are handed to every function here; nothing else is kept.
//!
//! # Invariants
//!
//! * Directory name and declared name are two different keys (`spec/skills.md` §13). The manager works by the
//!   first, view, curator and archive by the second.
//! * Nothing is written outside the roots, whatever names, links and paths say.
//! * With `faults: off` a refused or rolled-back write leaves every byte as it was.

mod answer;
mod catalogue;
mod context;
mod excluded;
pub mod frontmatter;
mod head;
mod install;
mod library;
mod manage;
mod marks;
mod seen;
mod state;
#[cfg(test)]
mod testing;
mod tools;
pub mod usage;
mod view;
mod walk;

pub use catalogue::{Catalogue, SkillDir};
pub use context::SkillContext;
pub use excluded::{SUPPORT_DIRS, is_excluded};
pub(crate) use excluded::{is_excluded_name, is_support_name};
pub use head::{NotText, SkillHead};
pub use install::{BUNDLED, Installation, install};
pub use library::{Access, Library, Root, Spot, Tree, Whereabouts};
pub use manage::{Action, WritePath, approve, manage, pending_diff, reject};
pub use marks::{Batch, ReadMarks};
pub(crate) use seen::Seen;
pub use state::{LibraryState, WriteBack};
pub use tools::{LIST, MANAGE, VIEW, description_rules, tool_specs};
pub use view::{
    ListedSkill, list, load, look, mark_read_file, matches_environments, matches_platforms, view,
};
