//! Everything else that a timeline holds: the curator's polls, commands, changes from outside.

use agent_core::machine::{CallerIdle, Event};
use agent_core::stores::{Content, Files, Kind as FileKind, TreePath, remove_tree, walk_files};
use reports::SkillEvent;
use reports::trace::{Data, Kind};

use super::driver::{Driver, Due, Owner};
use super::files;
use crate::scenario::{Idle, PollTimes, Polls, What};

impl Driver<'_> {
    /// An item of the timeline is due.
    pub(super) fn item(&mut self, index: usize) -> anyhow::Result<()> {
        let scenario = self.input.scenario;
        let item = &scenario.timeline[index];
        match &item.what {
            What::Session(session) => self.open_session(item.user, session),
            What::Work(work) => {
                self.start_work(index, work);
                Ok(())
            }
            What::Polls(Polls { times: PollTimes::CommandLines, .. }) => {
                self.users[item.user].start_polls.push(index);
                Ok(())
            }
            What::Polls(_) => self.poll(index),
            What::Reaction(_) => {
                self.users[item.user].reactions.push(index);
                Ok(())
            }
            what => self.happen(item.user, what),
        }
    }

    /// A command or a change from outside.
    fn happen(&mut self, user: usize, what: &What) -> anyhow::Result<()> {
        match what {
            What::Command(command) => {
                self.feed(Owner { user, session: None }, Event::Command(command.clone()))
            }
            What::DeleteSkill(name) => self.delete_skill(user, name),
            What::Home(changes) => {
                for (path, content) in changes {
                    self.change_home(user, path, content.as_ref())?;
                }
                Ok(())
            }
            What::Facts(facts) => {
                for (name, value) in facts {
                    self.world.set(name, value);
                    self.change(user, "fact", name, value.clone())?;
                }
                Ok(())
            }
            What::Session(_) | What::Work(_) | What::Polls(_) | What::Reaction(_) => {
                unreachable!("`item` takes these itself, and no reaction holds one")
            }
        }
    }

    /// The agent tells its user something: whoever reacts to that will do so.
    pub(super) fn tell(&mut self, user: usize, text: &str) {
        let timeline = &self.input.scenario.timeline;
        let due = self.users[user].reactions.iter().filter_map(|&index| match &timeline[index].what {
            What::Reaction(reaction) if text.contains(&*reaction.told) => Some((index, reaction.after)),
            _ => None,
        });
        for (index, after) in due.collect::<Vec<_>>() {
            self.queue(self.now + after, Due::Reaction(index));
        }
    }

    /// The user does what follows from what was told.
    pub(super) fn react(&mut self, index: usize) -> anyhow::Result<()> {
        let item = &self.input.scenario.timeline[index];
        let What::Reaction(reaction) = &item.what else {
            unreachable!("only reactions are queued as reactions")
        };
        self.happen(item.user, &reaction.then)
    }

    /// One poll of the curator, and the next one queued. Polls that start nothing cost no memory.
    pub(super) fn poll(&mut self, index: usize) -> anyhow::Result<()> {
        let item = &self.input.scenario.timeline[index];
        let What::Polls(polls) = &item.what else { unreachable!("only polls are queued as polls") };
        self.ask_curator(item.user, polls)?;
        if let PollTimes::Every(every) = polls.times
            && self.now + every <= self.at(polls.until)
        {
            self.queue(self.now + every, Due::Poll(index));
        }
        Ok(())
    }

    /// A command line starts: it asks once whether a run is due.
    pub(super) fn poll_at_start(&mut self, user: usize) -> anyhow::Result<()> {
        for index in self.users[user].start_polls.clone() {
            if let What::Polls(polls) = &self.input.scenario.timeline[index].what
                && self.now <= self.at(polls.until)
            {
                self.ask_curator(user, polls)?;
            }
        }
        Ok(())
    }

    fn ask_curator(&mut self, index: usize, polls: &Polls) -> anyhow::Result<()> {
        let user = &mut self.users[index];
        user.polls.today += 1;
        let measured = self.now.since(user.last_activity);
        let idle = match polls.idle {
            None => CallerIdle::Measured(measured),
            Some(Idle::Measured) => CallerIdle::Passed(measured),
            Some(Idle::Infinite) => CallerIdle::Endless,
        };
        self.feed(Owner { user: index, session: None }, Event::CuratorPoll { idle })
    }

    /// Somebody deletes a skill's directory, as `rm -r` does: the agent is not told.
    fn delete_skill(&mut self, user: usize, name: &str) -> anyhow::Result<()> {
        let home = &mut self.users[user].home;
        home.set_now(self.now);
        let skills = TreePath::new("skills");
        let mut found = None;
        walk_files(home, &skills, &mut |path, _| {
            let dir = path.parent();
            if path.name() == "SKILL.md" && dir.as_ref().is_some_and(|dir| dir.name() == name) {
                found = dir;
            }
        });
        let Some(dir) = found else {
            return self.change(user, "file", &format!("skills/{name}"), "not there to be deleted".into());
        };
        remove_tree(home, &dir)?;
        let kind = Kind::Skill {
            name: name.into(),
            event: SkillEvent::Deleted,
            from: None,
            to: None,
            cause: "timeline".into(),
        };
        self.recorder.of_user(self.now, &self.users[user].name, kind)
    }

    fn change_home(&mut self, user: usize, path: &TreePath, content: Option<&Content>) -> anyhow::Result<()> {
        let home = &mut self.users[user].home;
        home.set_now(self.now);
        let is_dir = home.stat(path)?.is_some_and(|stat| stat.kind == FileKind::Dir);
        if content.is_none() || is_dir {
            remove_tree(home, path)?;
        }
        let value = match content {
            None => serde_json::Value::Null,
            Some(Content::File { bytes, .. }) => String::from_utf8_lossy(bytes).into(),
            Some(Content::Link(target)) => format!("-> {target}").into(),
        };
        if let Some(content) = content {
            files::put(home, path, content.clone())?;
        }
        self.change(user, "file", path.as_str(), value)
    }

    fn change(
        &mut self,
        user: usize,
        what: &str,
        target: &str,
        value: serde_json::Value,
    ) -> anyhow::Result<()> {
        let kind = Kind::Change { what: what.into(), target: target.into(), value: Data(value) };
        self.recorder.of_user(self.now, &self.users[user].name, kind)
    }
}
