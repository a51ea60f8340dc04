//! Who is within the curator's reach, and why not.

use super::super::ageing::{anchor, limits};
use super::super::commands::{self, Status};
use super::super::context::CuratorContext;
use super::on_read_only;
use crate::behaviour::{AgeingBy, Settings};
use crate::skills::SkillDir;
use crate::skills::usage::Usage;
use crate::stores::Files;
use crate::values::Stamp;

/// Why the curator leaves a skill alone, or that it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It ages.
    Ages,
    /// It is pinned.
    Pinned,
    /// A scheduled job names it.
    Job,
    /// It was installed from a hub.
    Hub,
    /// Its name is protected.
    Protected,
    /// It came with the program, and such skills do not take part.
    Bundled,
    /// It lies in an external directory.
    External,
    /// It lies in a store that is not the user's, or is reached over a link.
    Elsewhere,
    /// Somebody made it who did not hand it over: no record, or one without the marker.
    Unmanaged,
    /// Another directory declares the same name and is found first.
    Shadowed,
}

impl Why {
    /// In words.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ages => "ages",
            Self::Pinned => "is pinned",
            Self::Job => "is used by a scheduled job",
            Self::Hub => "was installed from a hub",
            Self::Protected => "is protected",
            Self::Bundled => "came with the program, and built-ins do not take part",
            Self::External => "lies in an external directory",
            Self::Elsewhere => "lies in a store that the curator does not tend",
            Self::Unmanaged => "was not made by the agent and not handed over",
            Self::Shadowed => "has the name of another skill that is found first",
        }
    }
}

/// One skill on disk.
#[derive(Clone, Debug, PartialEq)]
pub struct Reach {
    /// The declared name.
    pub name: String,
    /// Its directory, absolute.
    pub dir: String,
    /// Whether and why not it ages.
    pub why: Why,
    /// The text of its state.
    pub state: String,
    /// What its age counts from, if it ages.
    pub anchor: Option<Stamp>,
    /// When it would be marked stale and archived without further activity, where time does that.
    pub limits: Option<(Stamp, Stamp)>,
}

/// Curator and library of a home.
#[derive(Clone, Debug, PartialEq)]
pub struct HomeStatus {
    /// At a glance.
    pub status: Status,
    /// Skill by skill, in order of name and place.
    pub skills: Vec<Reach>,
    /// What a person should know.
    pub warnings: Vec<String>,
}

/// Looks at a home under these settings. Nothing is written; the home's own configuration must have been laid over the
/// settings before ([`super::home_config`]).
pub fn status(home: &dyn Files, at: Stamp, settings: &Settings) -> HomeStatus {
    on_read_only(home, at, settings, |context| HomeStatus {
        status: commands::status(context),
        skills: reach(context),
        warnings: context.usage().warning().into_iter().collect(),
    })
}

fn reach(context: &mut CuratorContext<'_, '_>) -> Vec<Reach> {
    let (rules, at) = (context.rules(), context.at);
    let jobs = context.job_skills();
    let absolute: Vec<String> = {
        let skills = context.usage().all_skills();
        skills.iter().map(|skill| context.library.absolute(&skill.spot)).collect()
    };
    let mut usage = context.usage();
    let candidates = super::super::candidates::names(&mut usage, rules);
    let local = usage.local_skills();
    let skills = usage.all_skills();
    let by_time = rules.ageing.by == AgeingBy::Time;
    let mut found: Vec<Reach> = Vec::with_capacity(skills.len());
    for (skill, dir) in skills.iter().zip(absolute) {
        let name = skill.declared.to_string();
        let first = local.iter().find(|other| other.declared == skill.declared);
        let why = match first {
            Some(first) if first.spot != skill.spot && is_local(&local, skill) => Why::Shadowed,
            _ => why(&mut usage, skill, &candidates, &local, jobs.has(&name)),
        };
        let record = usage.get(&name);
        let anchor = (why == Why::Ages).then(|| anchor(&record, at, &rules.ageing));
        let limits = anchor.filter(|_| by_time).and_then(|anchor| {
            let back = limits(anchor, &rules.ageing).ok()?;
            // The limits lie as far behind an instant as its dates lie ahead of it.
            let ahead = |limit: Stamp| Stamp::from_micros(anchor.as_micros() + (anchor - limit));
            Some((ahead(back.stale), ahead(back.archive)))
        });
        found.push(Reach { state: record.state_text().to_owned(), name, dir, why, anchor, limits });
    }
    found.sort_by(|one, two| (&one.name, &one.dir).cmp(&(&two.name, &two.dir)));
    found
}

fn is_local(local: &[std::sync::Arc<SkillDir>], skill: &SkillDir) -> bool {
    local.iter().any(|other| other.spot == skill.spot)
}

fn why(
    usage: &mut Usage<'_, '_>,
    skill: &SkillDir,
    candidates: &[String],
    local: &[std::sync::Arc<SkillDir>],
    has_job: bool,
) -> Why {
    let name = &*skill.declared;
    if usage.library().is_external(&skill.spot) {
        return Why::External;
    }
    if !is_local(local, skill) {
        return Why::Elsewhere;
    }
    if usage.is_hub(name) {
        return Why::Hub;
    }
    if usage.is_protected(name) {
        return Why::Protected;
    }
    if candidates.iter().any(|known| known == name) {
        return match usage.get(name).is_pinned() {
            true => Why::Pinned,
            false if has_job => Why::Job,
            false => Why::Ages,
        };
    }
    if usage.is_bundled(name) { Why::Bundled } else { Why::Unmanaged }
}
