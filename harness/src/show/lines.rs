//! Events as lines of a transcript.

use reports::trace::{Event, Kind, ReviewCause};
use reports::{ModelOutcome, Role, WriteOutcome};
use serde_json::Value;

use super::ShowPlan;
use super::diff::changed_lines;

/// Characters and lines of a text that is cut.
const CHARS_MAX: usize = 600;
const LINES_MAX: usize = 8;

/// The whole transcript.
pub(crate) fn transcript(events: impl IntoIterator<Item = Event>, plan: &ShowPlan) -> String {
    let mut writer = Writer { plan, out: String::new() };
    for event in events {
        let wanted = plan.session.as_deref().is_none_or(|name| event.session.as_deref() == Some(name));
        if wanted {
            writer.event(&event);
        }
    }
    writer.out
}

struct Writer<'a> {
    plan: &'a ShowPlan,
    out: String,
}

impl Writer<'_> {
    /// One event; calls of the model are not shown apart from what they say.
    fn event(&mut self, event: &Event) {
        match &event.kind {
            Kind::CellStart { scenario, arm, seed, version, start_ms, .. } => {
                let start = jiff::Timestamp::from_millisecond(*start_ms)
                    .map_or_else(|_| String::new(), |at| at.to_string());
                self.head(event, &format!("{scenario}/{arm}/{seed}: {version}, from {start}"));
            }
            Kind::CellEnd { outcome, reason, .. } => {
                self.head(event, &with(&format!("cell {outcome}"), reason));
            }
            Kind::SessionStart { agent, prompt, parts, skills, index_tokens } => {
                self.head(event, &format!("session starts with a {agent} agent object"));
                let parts: Vec<String> =
                    parts.iter().map(|part| format!("{} {}", part.name, part.chars)).collect();
                let chars: u64 = prompt.chars().count() as u64;
                self.line(event, &format!("prompt: {chars} characters ({})", parts.join(", ")));
                let skills: Vec<&str> = skills.iter().map(|skill| &*skill.name).collect();
                let listed = if skills.is_empty() { "no skills".to_owned() } else { skills.join(", ") };
                self.line(event, &format!("index: {listed} ({index_tokens} tokens)"));
                if self.plan.full {
                    self.text(event, prompt);
                }
            }
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
                self.line(event, &format!("turn ends: {exit} after {api_calls} iterations{waited}"));
            }
            Kind::Message { of, synthetic: true, text } => self.said(event, &format!("client as {of}"), text),
            Kind::Steer { text } => self.said(event, "user, steering", text),
            Kind::Interrupt => self.line(event, "user interrupts"),
            Kind::ToolCall { tool, args, .. } => self.said(event, &format!("calls {tool}"), &arguments(args)),
            Kind::ToolAnswer { .. } => self.answer(event),
            _ => self.rare(event),
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
        self.said(event, &with("answer", &words.join(", ")), text);
    }

    /// What is not part of every turn.
    fn rare(&mut self, event: &Event) {
        match &event.kind {
            Kind::ModelAnswer { outcome, class, .. } if *outcome != ModelOutcome::Reply => {
                self.line(event, &with(&format!("model: {outcome}"), class.as_deref().unwrap_or("")));
            }
            Kind::Retry { class, wait_ms } => {
                self.line(event, &format!("tries again in {wait_ms} ms: {class}"));
            }
            Kind::Nudge { which, event: what, why } => {
                self.line(event, &with(&format!("{which} nudge {what}"), why));
            }
            Kind::ReviewStart { review, cause, digest } => {
                let digest = if *digest { ", reading a digest" } else { "" };
                self.head(event, &format!("review {review} starts for {}{digest}", causes(*cause)));
            }
            Kind::ReviewEnd { review, outcome, reason, iterations, summary, .. } => {
                self.line(
                    event,
                    &with(&format!("review {review} ends after {iterations} calls: {outcome}"), reason),
                );
                if !summary.is_empty() {
                    self.said(event, "shown to the user", summary);
                }
            }
            Kind::Write { store, action, target, outcome, error, before, after, gained, lost, .. } => {
                let error = error.as_deref().unwrap_or("");
                self.line(event, &with(&format!("writes {store}: {action} {}: {outcome}", &**target), error));
                if *outcome == WriteOutcome::Applied || *outcome == WriteOutcome::Staged {
                    for line in changed_lines(before, after) {
                        self.line(event, &format!("    {line}"));
                    }
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
            Kind::Compression { before, after, how } => {
                self.line(event, &format!("compression by {how}: {before} messages become {after}"));
            }
            Kind::Delegate { status, .. } => self.line(event, &format!("delegate ends: {status}")),
            Kind::CuratorRun { cause, report } => {
                self.said(event, &format!("curator run by {cause}"), &report.to_string());
            }
            Kind::CuratorIdle { reason } => self.line(event, &format!("curator idle: {reason}")),
            Kind::Change { what, target, value } => {
                self.line(event, &format!("{what} {target} is {}", **value));
            }
            Kind::Notice { text } => self.said(event, "notice", text),
            Kind::Miss { message, .. } => self.said(event, "no rule fits", message),
            _ => {}
        }
    }

    fn lessons(&mut self, event: &Event, verb: &str, lessons: &[std::sync::Arc<str>]) {
        if !lessons.is_empty() {
            self.line(event, &format!("{verb} {}", lessons.join(", ")));
        }
    }

    /// A line that begins something, with its time.
    fn head(&mut self, event: &Event, words: &str) {
        let session =
            event.session.as_deref().map_or(String::new(), |session| format!("{session}#{} ", event.turn));
        let user = if event.user.is_empty() { String::new() } else { format!("{} ", event.user) };
        self.push(&format!("\n{}  {user}{session}{}", time(event.at_ms), clean(words)));
    }

    fn line(&mut self, event: &Event, words: &str) {
        let role = match event.role {
            Some(Role::Main) | None => String::new(),
            Some(role) => format!("{role} | "),
        };
        self.push(&format!("  {role}{}", clean(words)));
    }

    /// Who said what; a text of several lines stands below.
    fn said(&mut self, event: &Event, who: &str, text: &str) {
        if text.contains('\n') {
            self.line(event, &format!("{who}:"));
            self.text(event, text);
        } else {
            self.line(event, &format!("{who}: {}", self.cut(text)));
        }
    }

    fn text(&mut self, event: &Event, text: &str) {
        let lines = if self.plan.full { usize::MAX } else { LINES_MAX };
        let cut = self.cut(text);
        for line in cut.lines().take(lines) {
            self.line(event, &format!("    {line}"));
        }
        let left = cut.lines().count().saturating_sub(lines);
        if left > 0 {
            self.line(event, &format!("    … {left} more lines"));
        }
    }

    fn cut(&self, text: &str) -> String {
        match text.char_indices().nth(CHARS_MAX) {
            Some((end, _)) if !self.plan.full => {
                let left = text[end..].chars().count();
                format!("{}… {left} more characters", &text[..end])
            }
            _ => text.to_owned(),
        }
    }

    fn push(&mut self, line: &str) {
        self.out.push_str(line.trim_end());
        self.out.push('\n');
    }
}

/// Words with more words after a colon, if there are any.
fn with(words: &str, more: &str) -> String {
    if more.is_empty() { words.to_owned() } else { format!("{words}: {more}") }
}

fn causes(cause: ReviewCause) -> String {
    let words = [(cause.memory, "memory"), (cause.skills, "skills"), (cause.explicit, "the user")];
    let words: Vec<&str> = words.iter().filter(|(on, _)| *on).map(|(_, word)| *word).collect();
    words.join(" and ")
}

/// Arguments, a lone text argument without its braces.
fn arguments(args: &Value) -> String {
    match args.as_object().filter(|map| map.len() == 1).and_then(|map| map.values().next()) {
        Some(Value::String(text)) => text.clone(),
        _ => args.to_string(),
    }
}

/// Milliseconds since the scenario's start as day and time of day.
fn time(at_ms: i64) -> String {
    let (day, rest) = (at_ms.div_euclid(86_400_000), at_ms.rem_euclid(86_400_000));
    let (hour, minute, second, milli) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60, rest % 1000);
    format!("day {day} {hour:02}:{minute:02}:{second:02}.{milli:03}")
}

/// A text without what a terminal would take for a command.
fn clean(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\t' => ' ',
            c if c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') => {
                '\u{fffd}'
            }
            c => c,
        })
        .collect()
}
