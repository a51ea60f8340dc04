//! Events as lines of a transcript.

use std::sync::Arc;

use reports::trace::{Event, Kind, ReviewCause};
use reports::{ModelOutcome, Role, WriteOutcome};

use super::ShowPlan;
use super::diff::changed_lines;
use super::page::{Page, Tone};
use super::value::{answer, arguments, readable, substance};

/// The whole transcript.
pub(crate) fn transcript(events: impl IntoIterator<Item = Event>, plan: &ShowPlan) -> String {
    let mut writer = Writer { page: Page::new(plan), headed_ms: None };
    for event in events {
        let wanted = plan.session.as_deref().is_none_or(|name| event.session.as_deref() == Some(name));
        if wanted {
            writer.event(&event);
        }
    }
    writer.page.finish()
}

struct Writer<'a> {
    page: Page<'a>,
    /// The time of the last head.
    headed_ms: Option<i64>,
}

impl Writer<'_> {
    /// One event; calls of the model are not shown apart from what they say.
    fn event(&mut self, event: &Event) {
        match &event.kind {
            Kind::CellStart { .. } | Kind::CellEnd { .. } => self.cell(event),
            Kind::SessionStart { .. } => self.session(event),
            Kind::SessionEnd { reason } => self.line(event, &with("session ends", reason)),
            Kind::TurnStart { text, .. } => {
                self.head(event, "turn starts");
                self.said(event, "user", text);
            }
            Kind::TurnEnd { exit, api_calls, answer, waited_ms, .. } => {
                if let Some(answer) = answer {
                    self.said(event, "assistant", answer);
                }
                let waited = if *waited_ms > 0 { format!(", waited {waited_ms} ms") } else { String::new() };
                let after = counted(*api_calls, "iteration");
                self.line(event, &format!("turn ends: {exit} after {after}{waited}"));
            }
            Kind::Message { of, synthetic: true, text } => self.said(event, &format!("client as {of}"), text),
            Kind::Steer { text } => self.said(event, "user, steering", text),
            Kind::Interrupt => self.line(event, "user interrupts"),
            Kind::ToolCall { tool, args, .. } => self.said(event, &format!("calls {tool}"), &arguments(args)),
            Kind::ToolAnswer { .. } => self.answer(event),
            Kind::Nudge { .. } | Kind::ReviewStart { .. } | Kind::ReviewEnd { .. } => self.review(event),
            Kind::Write { .. } | Kind::Visible { .. } | Kind::Load { .. } | Kind::Skill { .. } => {
                self.knowledge(event);
            }
            _ => self.rare(event),
        }
    }

    fn cell(&mut self, event: &Event) {
        match &event.kind {
            Kind::CellStart { scenario, arm, seed, version, start_ms, .. } => {
                let start = jiff::Timestamp::from_millisecond(*start_ms)
                    .map_or_else(|_| String::new(), |at| at.to_string());
                self.head(event, &format!("{scenario}/{arm}/{seed}: {version}, from {start}"));
            }
            Kind::CellEnd { outcome, reason, .. } => {
                self.head(event, &with(&format!("cell {outcome}"), reason));
            }
            _ => {}
        }
    }

    fn session(&mut self, event: &Event) {
        let Kind::SessionStart { agent, prompt, parts, skills, index_tokens } = &event.kind else { return };
        self.head(event, &format!("session starts with a {agent} agent object"));
        let parts: Vec<String> = parts.iter().map(|part| format!("{} {}", part.name, part.chars)).collect();
        let chars = prompt.chars().count();
        self.line(event, &format!("prompt: {chars} characters ({})", parts.join(", ")));
        let skills: Vec<&str> = skills.iter().map(|skill| &*skill.name).collect();
        let listed = if skills.is_empty() { "no skills".to_owned() } else { skills.join(", ") };
        self.line(event, &format!("index: {listed} ({index_tokens} tokens)"));
        if self.page.is_full() {
            self.page.text(&margin(event), prompt);
        }
    }

    fn answer(&mut self, event: &Event) {
        let Kind::ToolAnswer { failed, refused, cancelled, timed_out, unknown, error, text, .. } =
            &event.kind
        else {
            return;
        };
        let marks = [
            (*failed, "failed"),
            (*refused, "refused"),
            (*cancelled, "cancelled"),
            (*timed_out, "timed out"),
            (*unknown, "unknown tool"),
        ];
        let mut words: Vec<&str> = marks.iter().filter(|(on, _)| *on).map(|(_, word)| *word).collect();
        words.extend(error.as_deref());
        let tone = if words.is_empty() { Tone::Plain } else { Tone::Bad };
        let who =
            if words.is_empty() { "answer".to_owned() } else { format!("answer, {}", words.join(", ")) };
        self.page.said(tone, &margin(event), &who, &answer(text));
    }

    fn review(&mut self, event: &Event) {
        match &event.kind {
            Kind::Nudge { which, event: what, why } => {
                self.line(event, &with(&format!("{which} nudge {what}"), why));
            }
            Kind::ReviewStart { review, cause, digest } => {
                let digest = if *digest { ", reading a digest" } else { "" };
                self.head(event, &format!("review {review} starts for {}{digest}", causes(*cause)));
            }
            Kind::ReviewEnd { review, outcome, reason, iterations, summary, .. } => {
                let after = counted(*iterations, "call");
                let words = format!("review {review} ends after {after}: {outcome}");
                self.line(event, &with(&words, reason));
                if !summary.is_empty() {
                    self.said(event, "shown to the user", summary);
                }
            }
            _ => {}
        }
    }

    fn knowledge(&mut self, event: &Event) {
        match &event.kind {
            Kind::Write { store, action, target, outcome, error, before, after, gained, lost, .. } => {
                let tone = match outcome {
                    WriteOutcome::Applied | WriteOutcome::Staged => Tone::Plain,
                    _ => Tone::Bad,
                };
                let words = format!("writes {store}: {action} {}: {outcome}", &**target);
                self.page.line(tone, &margin(event), &with(&words, error.as_deref().unwrap_or("")));
                if tone == Tone::Plain {
                    self.diff(event, before, after);
                }
                self.lessons(event, "gains", gained);
                self.lessons(event, "loses", lost);
            }
            Kind::Visible { store, target } => {
                self.line(event, &format!("first prompt with {store}: {}", &**target));
            }
            Kind::Load { skill, file, route, .. } => {
                let file = file.as_ref().map_or(String::new(), |file| format!(" {file}"));
                self.line(event, &format!("loads {skill}{file} by {route}"));
            }
            Kind::Skill { name, event: what, from, to, cause } => {
                let change = from
                    .as_ref()
                    .zip(to.as_ref())
                    .map_or(String::new(), |(from, to)| format!(" {from} → {to}"));
                self.line(event, &format!("skill {name}: {what}{change} by {cause}"));
            }
            _ => {}
        }
    }

    fn diff(&mut self, event: &Event, before: &str, after: &str) {
        for line in changed_lines(before, after) {
            let tone = match line.chars().next() {
                Some('+') => Tone::Added,
                Some('-') => Tone::Bad,
                _ => Tone::Plain,
            };
            self.page.line(tone, &margin(event), &format!("    {line}"));
        }
    }

    /// What is not part of every turn.
    fn rare(&mut self, event: &Event) {
        match &event.kind {
            Kind::ModelAnswer { outcome, class, .. } if *outcome != ModelOutcome::Reply => {
                let words = with(&format!("model: {outcome}"), class.as_deref().unwrap_or(""));
                self.page.line(Tone::Bad, &margin(event), &words);
            }
            Kind::Retry { class, wait_ms } => {
                self.line(event, &format!("tries again in {wait_ms} ms: {class}"));
            }
            Kind::Compression { before, after, how, child, .. } => {
                let child =
                    child.as_ref().map_or(String::new(), |child| format!("; session {child} goes on"));
                self.line(event, &format!("compression by {how}: {before} messages become {after}{child}"));
            }
            Kind::Delegate { status, .. } => self.line(event, &format!("delegate ends: {status}")),
            Kind::CuratorRun { cause, report } => {
                let whole = self.page.is_full().then(|| readable(report));
                let text = whole.unwrap_or_else(|| substance(report));
                self.said(event, &format!("curator run by {cause}"), &text);
            }
            Kind::CuratorIdle { reason } => self.line(event, &format!("curator idle: {reason}")),
            Kind::Change { what, target, value } => {
                self.line(event, &format!("{what} {target} is {}", **value));
            }
            Kind::Unanswered { tool, args } => {
                let words = format!("no rule of the world answers {tool}");
                self.page.said(Tone::Bad, &margin(event), &words, &arguments(args));
            }
            Kind::Notice { text } => self.said(event, "notice", text),
            Kind::Miss { message, .. } => {
                self.page.said(Tone::Bad, &margin(event), "no rule fits", message);
            }
            _ => {}
        }
    }

    fn lessons(&mut self, event: &Event, verb: &str, lessons: &[Arc<str>]) {
        if !lessons.is_empty() {
            self.line(event, &format!("{verb} {}", lessons.join(", ")));
        }
    }

    /// What happens outside sessions has no turn that tells its time, so it gets a head of its own when time has moved.
    fn timed(&mut self, event: &Event) {
        if event.session.is_none() && self.headed_ms != Some(event.at_ms) {
            self.head(event, event.role.map_or("outside sessions", Role::as_str));
        }
    }

    /// A line that begins something, with its time.
    fn head(&mut self, event: &Event, words: &str) {
        let session =
            event.session.as_deref().map_or(String::new(), |session| format!("{session}#{} ", event.turn));
        let user = if event.user.is_empty() { String::new() } else { format!("{} ", event.user) };
        self.headed_ms = Some(event.at_ms);
        self.page.gap();
        self.page.line(Tone::Head, "", &format!("{}  {user}{session}{words}", time(event.at_ms)));
    }

    fn line(&mut self, event: &Event, words: &str) {
        self.timed(event);
        self.page.line(Tone::Plain, &margin(event), words);
    }

    fn said(&mut self, event: &Event, who: &str, text: &str) {
        self.timed(event);
        self.page.said(Tone::Plain, &margin(event), who, text);
    }
}

/// What stands before every line of an event: whose it is, where it is not the session's own conversation.
fn margin(event: &Event) -> String {
    match event.role {
        Some(Role::Main) | None => "  ".to_owned(),
        Some(role) => format!("  {role} | "),
    }
}

/// Words with more words after a colon, if there are any.
fn with(words: &str, more: &str) -> String {
    if more.is_empty() { words.to_owned() } else { format!("{words}: {more}") }
}

/// A count with its word.
fn counted(count: u32, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

fn causes(cause: ReviewCause) -> String {
    let words = [(cause.memory, "memory"), (cause.skills, "skills"), (cause.explicit, "the user")];
    let words: Vec<&str> = words.iter().filter(|(on, _)| *on).map(|(_, word)| *word).collect();
    words.join(" and ")
}

/// Milliseconds since the scenario's start as day and time of day.
fn time(at_ms: i64) -> String {
    let (day, rest) = (at_ms.div_euclid(86_400_000), at_ms.rem_euclid(86_400_000));
    let (hour, minute, second, milli) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60, rest % 1000);
    format!("day {day} {hour:02}:{minute:02}:{second:02}.{milli:03}")
}
