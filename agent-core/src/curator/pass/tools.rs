//! The changing tool in the hands of a pass.

use serde_json::{Value, json};

use super::super::jobs::{JobStore, Moves, restore_store, rewrite};
use super::start::PassStart;
use crate::skills::{SkillContext, Spot, manage};
use crate::stores::exists;
use crate::text::{json_line, trim};
use crate::values::{Fact, HomeAnswer, Store, WriteEnd};

/// The skill that a delete would merge, and into which.
struct Merge {
    place: Spot,
    moves: Moves,
}

impl PassStart {
    /// Runs one call of `skill_manage` that a pass asks for. What the rules of the run forbid is refused before the
    /// tool sees it: any change in a dry run, a merge of a skill that is too young. Where the rules want merges
    /// verified, a merge is one step: the jobs are led to the target, then the skill is archived, and if either fails
    /// all is as before. A crash between the two leaves both skills in place and every job with a skill.
    pub fn manage(&mut self, context: &mut SkillContext<'_, '_>, args: &Value) -> HomeAnswer {
        let (action, name) = (field(args, "action"), field(args, "name"));
        if self.dry_run && context.behaviour.curator.pass.dry_run_enforced {
            return refused(context, &action, &name, "dry-run", "this is a preview: nothing is changed");
        }
        if action == "delete" && self.is_young(&name) {
            let why = "it was made only lately and is left to prove itself; do not merge it yet";
            return refused(context, &action, &name, "too-young", why);
        }
        let verified = context.behaviour.curator.pass.verified && context.behaviour.curator.jobs.follow;
        let named;
        let args = if context.behaviour.curator.match_directories && action != "create" {
            named = by_directory(context, args);
            &named
        } else {
            args
        };
        let (name, into) = (field(args, "name"), field(args, "absorbed_into"));
        let merge = (verified && action == "delete").then(|| Self::merge(context, &name, &into)).flatten();
        match merge {
            Some(merge) => self.run_merge(context, args, &name, &merge),
            None => manage(context, args),
        }
    }

    fn merge(context: &mut SkillContext<'_, '_>, name: &str, into: &str) -> Option<Merge> {
        context.state.catalogue.refresh(context.library, &context.behaviour.skills);
        let skill = context.state.catalogue.find(name).filter(|_| !into.is_empty() && into != name)?;
        let target = context.state.catalogue.find(into)?;
        let named = [skill.dir_name.to_string(), skill.declared.to_string()];
        let mapped = named.into_iter().map(|name| (name, target.declared.to_string())).collect();
        let slashes = context.behaviour.curator.jobs.slashes;
        Some(Merge { place: skill.spot.clone(), moves: Moves { mapped, dropped: [].into(), slashes } })
    }

    fn run_merge(
        &mut self,
        context: &mut SkillContext<'_, '_>,
        args: &Value,
        name: &str,
        merge: &Merge,
    ) -> HomeAnswer {
        let before = JobStore::read(context.library.home()).ok().flatten();
        let led = rewrite(context.library.home_mut(), &merge.moves);
        if led.error.is_some() {
            let why =
                "the scheduled jobs that use it could not be led to the other skill; nothing was changed";
            return refused(context, "delete", name, "jobs-unwritable", why);
        }
        let answer = manage(context, args);
        if exists(context.library.files(merge.place.tree), &merge.place.path) {
            // Refused, failed, or only proposed: the jobs go back to where they were.
            if let (Some(store), false) = (before, led.rewrites.is_empty()) {
                restore_store(context.library.home_mut(), &store);
            }
        } else {
            self.led.extend(led.rewrites);
        }
        answer
    }
}

fn field(args: &Value, key: &str) -> String {
    trim(args.get(key).and_then(Value::as_str).unwrap_or("")).to_owned()
}

/// The arguments with declared names replaced by those of directories, which the tool asks for: the list of candidates
/// shows declared names.
fn by_directory(context: &mut SkillContext<'_, '_>, args: &Value) -> Value {
    context.state.catalogue.refresh(context.library, &context.behaviour.skills);
    let mut args = args.clone();
    for key in ["name", "absorbed_into"] {
        let name = field(&args, key);
        let catalogue = &context.state.catalogue;
        let skill = if catalogue.find(&name).is_some() { None } else { catalogue.declared(&name).next() };
        if let (Some(skill), Some(fields)) = (skill, args.as_object_mut()) {
            fields.insert(key.to_owned(), skill.dir_name.to_string().into());
        }
    }
    args
}

fn refused(
    context: &SkillContext<'_, '_>,
    action: &str,
    name: &str,
    kind: &'static str,
    why: &str,
) -> HomeAnswer {
    let fact = Fact::Write {
        store: Store::Skill,
        action: action.into(),
        target: name.into(),
        origin: context.origin,
        end: WriteEnd::Refused,
        kind: Some(kind.into()),
        before: "".into(),
        after: "".into(),
    };
    let text = json_line(&json!({"success": false, "error": format!("`{name}` was not changed: {why}")}));
    HomeAnswer { text, kind: Some(kind.into()), refused: true, facts: vec![fact] }
}
