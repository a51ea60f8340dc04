//! The command that archives what has been idle for long, at once.

use super::super::candidates::names;
use super::super::context::CuratorContext;
use super::archive;
use crate::skills::usage::SkillState;
use crate::values::Fact;

const MICROS_PER_DAY: i64 = 86_400_000_000;

/// How the command is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PruneAsk {
    /// Idle days; none takes the version's own.
    pub days: Option<i64>,
    /// Whether only to list.
    pub dry_run: bool,
    /// Whether the user said yes, or need not be asked.
    pub confirmed: bool,
}

/// What the command did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PruneAnswer {
    /// The exit code: 0 done or nothing to do, 1 aborted or something failed, 2 fewer than one day.
    pub exit: u8,
    /// Names with their idle days, longest first.
    pub listed: Vec<(String, i64)>,
    /// Those that were archived.
    pub archived: Vec<String>,
    /// In words.
    pub text: String,
    /// What happened.
    pub facts: Vec<Fact>,
}

/// Archives the candidates that have been idle for so many whole days. Pinned ones are spared, and those of scheduled
/// jobs without the fault `prune_ignores_jobs`.
pub fn prune(context: &mut CuratorContext<'_, '_>, ask: PruneAsk) -> PruneAnswer {
    let rules = context.rules();
    let answer = |exit: u8, text: &str| PruneAnswer { exit, text: text.to_owned(), ..PruneAnswer::default() };
    if !rules.available {
        return answer(2, "this version has no command `curator prune`");
    }
    let days = ask.days.unwrap_or(rules.prune_days);
    if days < 1 {
        return answer(2, "the number of days must be at least 1");
    }
    let listed = idle(context, days);
    if listed.is_empty() {
        return answer(0, "nothing has been idle for so long");
    }
    if ask.dry_run {
        let text = format!("{} skills would be archived", listed.len());
        return PruneAnswer { listed, text, ..PruneAnswer::default() };
    }
    if !ask.confirmed {
        return PruneAnswer { listed, ..answer(1, "aborted; nothing was archived") };
    }
    let mut done = PruneAnswer { listed, ..PruneAnswer::default() };
    for (name, _) in done.listed.clone() {
        let one = archive(context, &name);
        done.exit = done.exit.max(one.exit);
        if one.exit == 0 {
            done.archived.push(name);
        }
        done.facts.extend(one.facts);
    }
    done.text = format!("{} of {} skills archived", done.archived.len(), done.listed.len());
    done
}

fn idle(context: &mut CuratorContext<'_, '_>, days: i64) -> Vec<(String, i64)> {
    let (rules, at) = (context.rules(), context.at);
    let jobs = context.job_skills();
    let mut usage = context.usage();
    let mut listed: Vec<(String, i64)> = names(&mut usage, rules)
        .into_iter()
        .filter(|name| !(rules.prune_spares_jobs && jobs.has(name)))
        .filter_map(|name| {
            let record = usage.get(&name);
            if record.is_pinned() || record.state() == Some(SkillState::Archived) {
                return None;
            }
            let (since, _) = record.last_activity().or_else(|| record.date("created_at"))?;
            let idle = (at - since).div_euclid(MICROS_PER_DAY).max(0);
            (idle >= days).then_some((name, idle))
        })
        .collect();
    listed.sort_by(|one, two| two.1.cmp(&one.1).then_with(|| one.0.cmp(&two.0)));
    listed
}
