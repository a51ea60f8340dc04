//! The lines of a transcript: indented, cut, wrapped to the terminal, coloured, and free of what a terminal would obey.

use std::borrow::Cow;

use reports::plain::{cut, wrapped};

use super::ShowPlan;

/// Characters and lines of a text that is cut.
const CHARS_MAX: usize = 600;
const LINES_MAX: usize = 8;

/// Below so many columns of text nothing is wrapped: it would only get worse.
const WIDTH_MIN: usize = 20;

/// How a line is meant. Its words say the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    /// Nothing special.
    Plain,
    /// Something begins.
    Head,
    /// Added by a write.
    Added,
    /// Removed by a write, or failed.
    Bad,
}

impl Tone {
    const fn escape(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Head => "\u{1b}[1m",
            Self::Added => "\u{1b}[32m",
            Self::Bad => "\u{1b}[31m",
        }
    }
}

/// A transcript in the making.
pub(super) struct Page<'a> {
    plan: &'a ShowPlan,
    out: String,
}

impl<'a> Page<'a> {
    pub(super) fn new(plan: &'a ShowPlan) -> Self {
        Self { plan, out: String::new() }
    }

    /// The whole text.
    pub(super) fn finish(self) -> String {
        self.out
    }

    /// Whether whole texts are wanted.
    pub(super) fn is_full(&self) -> bool {
        self.plan.full
    }

    /// An empty line.
    pub(super) fn gap(&mut self) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    /// A line behind its margin; what does not fit goes on below, a little further in.
    pub(super) fn line(&mut self, tone: Tone, margin: &str, text: &str) {
        let text = clean(text);
        let room = self.plan.width.map(|width| usize::from(width).saturating_sub(margin.chars().count()));
        let indent = text.chars().take_while(|char| *char == ' ').count();
        let pieces = match room.filter(|room| *room >= WIDTH_MIN + indent) {
            Some(room) => wrapped(&text, room, indent + 2),
            None => vec![text],
        };
        for piece in pieces {
            let line = format!("{margin}{piece}");
            let line = line.trim_end();
            match tone.escape() {
                escape if self.plan.colour && !escape.is_empty() && !line.is_empty() => {
                    self.out.extend([escape, line, "\u{1b}[0m"]);
                }
                _ => self.out.push_str(line),
            }
            self.out.push('\n');
        }
    }

    /// Who said what; a text of several lines stands below.
    pub(super) fn said(&mut self, tone: Tone, margin: &str, who: &str, text: &str) {
        let text = text.trim_end_matches('\n');
        if text.contains('\n') {
            self.line(tone, margin, &format!("{who}:"));
            self.text(margin, text);
        } else {
            self.line(tone, margin, &format!("{who}: {}", self.cut(text)));
        }
    }

    /// A text of its own, line by line.
    pub(super) fn text(&mut self, margin: &str, text: &str) {
        let lines = if self.plan.full { usize::MAX } else { LINES_MAX };
        let cut = self.cut(text);
        for line in cut.lines().take(lines) {
            self.line(Tone::Plain, margin, &format!("    {line}"));
        }
        let left = cut.lines().count().saturating_sub(lines);
        if left > 0 {
            let words = if left == 1 { "line" } else { "lines" };
            self.line(Tone::Plain, margin, &format!("    … {left} more {words}"));
        }
    }

    fn cut<'b>(&self, text: &'b str) -> Cow<'b, str> {
        if self.plan.full { Cow::Borrowed(text) } else { cut(text, CHARS_MAX) }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_to_the_terminal_do_not_pass() {
        assert_eq!(clean("a\u{1b}[31mb\tc\u{202e}"), "a\u{fffd}[31mb c\u{fffd}");
    }
}
