//! `skill_view` and loads by other ways.

use serde_json::Value;

use super::super::answer::{Refusal, Reply};
use super::super::context::SkillContext;
use super::super::usage::UsedBy;
use crate::values::{Fact, HomeAnswer, LoadRoute};

/// Shows a skill or one of its files, and counts it (`spec/skill-usage.md` §3).
pub fn view(context: &mut SkillContext<'_, '_>, args: &Value) -> HomeAnswer {
    run(context, args, Counting::View)
}

/// Shows it without counting.
pub fn look(context: &mut SkillContext<'_, '_>, args: &Value) -> HomeAnswer {
    run(context, args, Counting::Nothing)
}

/// Loads a whole skill outside of the tool: the user names it, or a scheduled job does. It counts as use.
pub fn load(context: &mut SkillContext<'_, '_>, name: &str, by: UsedBy) -> HomeAnswer {
    let route = std::mem::replace(
        &mut context.route,
        match by {
            UsedBy::User => LoadRoute::User,
            UsedBy::Job => LoadRoute::Job,
        },
    );
    let answer = run(context, &serde_json::json!({ "name": name }), Counting::Load(by));
    context.route = route;
    answer
}

/// Notes that another tool read a file whole, where the rules count that for read-before-write.
pub fn mark_read_file(context: &mut SkillContext<'_, '_>, absolute: &str) {
    context.mark_read_file(absolute);
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Counting {
    View,
    Load(UsedBy),
    Nothing,
}

fn run(context: &mut SkillContext<'_, '_>, args: &Value, counting: Counting) -> HomeAnswer {
    context.refresh();
    let answer = match context.shown(args) {
        Ok(Shown { reply, key }) => {
            match counting {
                Counting::View if context.reads_apart() => context.usage().count_background_view(&key),
                Counting::View => context.usage().count_view(&key),
                Counting::Load(by) => context.usage().count_load(&key, by),
                Counting::Nothing => {}
            }
            reply.into_answer()
        }
        Err(refusal) => refusal.into_answer(Vec::new()),
    };
    context.state.flush_if_due(context.library);
    answer
}

struct Shown {
    reply: Reply,
    /// The name that is counted: the declared one of a main view, the requested one of a file view.
    key: String,
}

impl SkillContext<'_, '_> {
    fn shown(&mut self, args: &Value) -> Result<Shown, Refusal> {
        let name = args.get("name").and_then(Value::as_str).unwrap_or("");
        let path = args.get("file_path").and_then(Value::as_str).filter(|path| !path.is_empty());
        let candidate = self.one_candidate(name)?;
        let opened = self.open(candidate)?;
        // A skill of one file has no others: the path is ignored.
        if let (Some(path), Some(dir)) = (path, opened.candidate.dir.clone()) {
            let view = self.view_file(name, &dir, path)?;
            if let Some(file) = view.text_at {
                self.mark_read(&file);
            }
            let fact = self.load_fact(&opened.name, Some(path));
            let reply = Reply { fields: view.fields, facts: vec![fact] };
            return Ok(Shown { reply, key: name.to_owned() });
        }
        let view = self.view_main(opened);
        self.mark_read(&view.file);
        let fact = self.load_fact(&view.name, None);
        Ok(Shown { reply: Reply { fields: view.fields, facts: vec![fact] }, key: view.name })
    }

    fn load_fact(&self, skill: &str, file: Option<&str>) -> Fact {
        Fact::Load {
            skill: skill.into(),
            file: file.map(Into::into),
            route: self.route,
            listed: (self.listed)(skill),
        }
    }
}
