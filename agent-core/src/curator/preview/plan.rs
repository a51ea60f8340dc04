//! What a run at some time would do to a home.

use super::super::ageing::{Change, Counters, LimitTooFar, Plan};
use super::super::backup;
use super::super::candidates::{list, plan_run, render};
use super::super::context::CuratorContext;
use super::super::gate::{Poll, next_due, peek};
use super::super::pass::Consolidation;
use super::config::warnings;
use super::on_read_only;
use crate::behaviour::{Settings, SnapshotBefore};
use crate::skills::SkillDir;
use crate::stores::{Files, TreePath, exists, is_dir};
use crate::values::Stamp;

const MICROS_PER_DAY: i64 = 86_400_000_000;

/// One change that a run would make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreviewStep {
    /// The skill.
    pub name: String,
    /// What would happen.
    pub change: Change,
    /// The text of its state now.
    pub from: String,
    /// What its age counts from.
    pub anchor: Stamp,
    /// Whole days since then.
    pub idle_days: i64,
    /// Where it would be archived, relative to the home.
    pub to: Option<String>,
}

/// What a run at some time would do to a home.
#[derive(Clone, Debug, PartialEq)]
pub struct Preview {
    /// When.
    pub at: Stamp,
    /// What the gate says, the idle test left out.
    pub poll: Poll,
    /// When a run will be due, if the home stays as it is.
    pub next_due: Option<Stamp>,
    /// What the run would count.
    pub counters: Counters,
    /// The changes, by name.
    pub steps: Vec<PreviewStep>,
    /// The skill whose odd counter would stop the run after these changes.
    pub stopped: Option<String>,
    /// Why nothing can be said about changes.
    pub error: Option<LimitTooFar>,
    /// Whether a snapshot would be taken first.
    pub snapshot: bool,
    /// Whether a model would be asked.
    pub consolidation: Consolidation,
    /// The list that it would read.
    pub list: String,
    /// What a person should know.
    pub warnings: Vec<String>,
}

/// Says what a run at this time would do to a home under these settings. Nothing is written; the home's own
/// configuration must have been laid over the settings before ([`super::home_config`]).
pub fn preview(home: &dyn Files, at: Stamp, settings: &Settings) -> Preview {
    on_read_only(home, at, settings, |context| build(context, settings))
}

fn build(context: &mut CuratorContext<'_, '_>, settings: &Settings) -> Preview {
    let (rules, at) = (context.rules(), context.at);
    let skills = context.skills_dir();
    let jobs = context.job_skills();
    let schedule = context.schedule();
    let poll = peek(context.library.home(), &skills, rules, at);
    let mut warnings = warnings(settings);
    warnings.extend(stranded(context.library.home(), &skills));
    if jobs.is_unreadable() {
        warnings.push("cron/jobs.json cannot be read, so it is not known which skills jobs use".to_owned());
    }
    warnings.extend(context.usage().warning());
    let planned = plan_run(&mut context.usage(), &jobs, rules, at);
    let (plan, error) = match planned {
        Ok(plan) => (plan, None),
        Err(error) => (Plan::default(), Some(error)),
    };
    let steps = steps(context, &plan);
    let rows = list(&mut context.usage(), &jobs, rules);
    let consolidation = match (rules.consolidate, rows.is_empty()) {
        (false, _) => Consolidation::Off,
        (true, true) => Consolidation::NoCandidates,
        (true, false) => Consolidation::Asks,
    };
    let wanted = match rules.backup.before {
        SnapshotBefore::Nothing => false,
        SnapshotBefore::EveryRun => true,
        SnapshotBefore::Consolidation => rules.consolidate,
    };
    Preview {
        at,
        poll,
        next_due: schedule.last_run_at().and_then(|last_run| next_due(last_run, rules)),
        counters: Counters::of(&plan),
        steps,
        stopped: plan.stopped,
        error,
        snapshot: wanted && rules.backup.enabled && is_dir(context.library.home(), &skills),
        consolidation,
        list: render(&rows, rules.pass.list_jobs),
        warnings,
    }
}

fn steps(context: &mut CuratorContext<'_, '_>, plan: &Plan) -> Vec<PreviewStep> {
    let at = context.at;
    let places = context.usage().local_skills();
    let place = |name: &str| places.iter().find(|skill| &*skill.declared == name);
    plan.steps
        .iter()
        .map(|step| PreviewStep {
            name: step.name.clone(),
            change: step.change,
            from: step.from.clone(),
            anchor: step.anchor,
            idle_days: (at - step.anchor).div_euclid(MICROS_PER_DAY).max(0),
            to: match step.change {
                Change::Archive => place(&step.name).map(|skill| destination(context, skill)),
                _ => None,
            },
        })
        .collect()
}

/// Where a skill would go: the archive, under its directory's name, with the time if that is taken.
fn destination(context: &CuratorContext<'_, '_>, skill: &SkillDir) -> String {
    let root = &context.library.roots()[skill.root].spot;
    let files = context.library.files(root.tree);
    let name = &skill.dir_name;
    let plain = root.path.below(&TreePath::new(".archive")).below(&TreePath::new(name));
    if exists(files, &plain) {
        format!("{plain}-{}", context.at.to_basic_seconds())
    } else {
        plain.to_string()
    }
}

fn stranded(home: &dyn Files, skills: &TreePath) -> Vec<String> {
    let names = backup::interrupted(home, skills).into_iter();
    names.map(|name| format!("a rollback was interrupted; {name} holds what it had put aside")).collect()
}
