//! What an examination found, as people and programs read it.

use std::fmt::Write as _;
use std::path::Path;

use agent_core::prompt::rules::Status;
use reports::table::{Grid, Look, Tone, terminal};
use serde_json::{Value, json};

use super::accepted::{Accepted, compare};
use super::examine::{Examined, Tally};

/// Version of the JSON format.
const VERSION: u32 = 1;

/// What makes a check fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// A rule or a fixed part that is lost.
    Lost,
    /// Also a rule that is weakened, and a rendering that nobody accepted.
    Everything,
}

/// The examinations with what was accepted of each.
#[derive(Debug)]
pub(crate) struct Report {
    entries: Vec<Entry>,
    strictness: Strictness,
}

#[derive(Debug)]
struct Entry {
    examined: Examined,
    accepted: Vec<(String, Accepted)>,
    /// Whether every rule is listed.
    in_full: bool,
}

impl Report {
    /// A report; renderings are compared with those accepted below `folder`, if there is one. Prompts of files, and all
    /// others if `in_full` says so, are shown rule by rule.
    ///
    /// # Errors
    /// An accepted rendering cannot be read.
    pub(crate) fn new(
        examined: Vec<Examined>,
        folder: Option<&Path>,
        strictness: Strictness,
        in_full: bool,
    ) -> anyhow::Result<Self> {
        let entry = |examined: Examined| -> anyhow::Result<Entry> {
            let accepted = folder.map(|folder| compare(folder, &examined)).transpose()?.unwrap_or_default();
            let in_full = in_full || examined.subject.file.is_some();
            Ok(Entry { examined, accepted, in_full })
        };
        Ok(Self { entries: examined.into_iter().map(entry).collect::<anyhow::Result<_>>()?, strictness })
    }

    /// Whether nothing is missing.
    pub(crate) fn holds(&self) -> bool {
        self.entries.iter().all(|entry| entry.holds(self.strictness))
    }

    /// What is lost or weakened, by name, one line each.
    fn losses(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for entry in &self.entries {
            let name = entry.name();
            let missing = entry.examined.findings.iter().filter(|finding| finding.status != Status::Found);
            lines.extend(missing.map(|finding| {
                let (status, rule) = (finding.status.as_str(), finding.rule);
                format!("{status}: `{}` in {name}: {} ({})", rule.name, rule.about, rule.source)
            }));
            lines.extend(entry.examined.lost_parts.iter().map(|part| format!("lost: in {name}: {part}")));
        }
        lines
    }

    /// The report for people: details first, then all prompts in one table, then what is lost.
    pub(crate) fn human(&self, look: Look) -> String {
        let mut text = String::new();
        for entry in self.entries.iter().filter(|entry| entry.in_full) {
            for grid in entry.grids() {
                push(&mut text, &terminal(&grid, look));
            }
            for (library, accepted) in &entry.accepted {
                if let Accepted::Differs(difference) = accepted {
                    push(&mut text, &format!("Rendered over `{library}`:\n{difference}"));
                }
            }
        }
        push(&mut text, &terminal(&self.overview(), look));
        for line in self.losses() {
            writeln!(text, "{line}").expect("writing to memory cannot fail");
        }
        text
    }

    /// All prompts, one a row.
    fn overview(&self) -> Grid {
        let heads = [
            "prompt",
            "version",
            "text",
            ">found",
            ">weakened",
            ">lost",
            ">harm tried",
            ">let through",
            "renderings",
        ];
        let mut grid = Grid::new("Prompts", &heads);
        for entry in &self.entries {
            let examined = &entry.examined;
            let harm = examined.trials.iter().fold(Tally::default(), |sum, trial| Tally {
                tried: sum.tried + trial.as_written.tried,
                through: sum.through + trial.as_written.through,
            });
            let tone = if entry.holds(self.strictness) { Tone::Plain } else { Tone::Bad };
            let cells = [
                examined.subject.prompt.as_str().to_owned(),
                examined.subject.version().to_string(),
                examined.subject.file.clone().unwrap_or_else(|| "built in".to_owned()),
                examined.count(Status::Found).to_string(),
                examined.count(Status::Weakened).to_string(),
                (examined.count(Status::Lost) + examined.lost_parts.len()).to_string(),
                harm.tried.to_string(),
                harm.through.to_string(),
                entry.renderings(),
            ];
            grid.toned(tone, cells);
        }
        grid.note(
            "Rules are searched as patterns of words: a text can hold them all and still say something else. Harm: what \
             a reader does who keeps to the rules that it finds and to no others.",
        );
        grid
    }

    /// The report for programs.
    pub(crate) fn json(&self) -> Value {
        let prompts: Vec<Value> = self.entries.iter().map(Entry::json).collect();
        json!({ "version": VERSION, "holds": self.holds(), "prompts": prompts })
    }
}

impl Entry {
    fn name(&self) -> String {
        let subject = &self.examined.subject;
        let text = subject.file.as_ref().map_or_else(String::new, |file| format!(" ({file})"));
        format!("{} of {}{text}", subject.prompt.as_str(), subject.version())
    }

    fn holds(&self, strictness: Strictness) -> bool {
        let examined = &self.examined;
        let nothing_lost = examined.count(Status::Lost) == 0 && examined.lost_parts.is_empty();
        match strictness {
            Strictness::Lost => nothing_lost,
            Strictness::Everything => {
                let accepted = self.accepted.iter().all(|(_, accepted)| *accepted == Accepted::Same);
                nothing_lost && examined.count(Status::Weakened) == 0 && accepted
            }
        }
    }

    fn renderings(&self) -> String {
        if self.accepted.is_empty() {
            return "–".to_owned();
        }
        let count =
            |wanted: fn(&Accepted) -> bool| self.accepted.iter().filter(|(_, one)| wanted(one)).count();
        let differs = count(|one| matches!(one, Accepted::Differs(_)));
        let missing = count(|one| *one == Accepted::Missing);
        match (differs, missing) {
            (0, 0) => "as accepted".to_owned(),
            (0, missing) if missing == self.accepted.len() => "none accepted".to_owned(),
            (differs, missing) => format!("{differs} differ, {missing} new"),
        }
    }

    fn grids(&self) -> Vec<Grid> {
        let mut rules =
            Grid::new(format!("Rules of {}", self.name()), &["status", "rule", "source", "what it says"]);
        for finding in &self.examined.findings {
            let tone = match finding.status {
                Status::Found => Tone::Good,
                Status::Weakened => Tone::Doubtful,
                Status::Lost => Tone::Bad,
            };
            let rule = finding.rule;
            let mut about = rule.about.to_owned();
            if let Some(sentence) = finding.sentence.as_ref().filter(|_| finding.status == Status::Weakened) {
                write!(about, "\nbut: {}", sentence.trim()).expect("writing to memory cannot fail");
            }
            rules.toned(tone, [finding.status.as_str(), rule.name, rule.source, &about]);
        }
        let mut grids = vec![rules];
        if !self.examined.trials.is_empty() {
            grids.push(self.trials());
        }
        grids
    }

    fn trials(&self) -> Grid {
        let heads = [
            "rule",
            "what a literal-minded reader does without it",
            ">tried",
            ">let through",
            ">tried if lost",
            ">let through if lost",
        ];
        let mut grid = Grid::new(format!("Harm under {}", self.name()), &heads);
        for trial in &self.examined.trials {
            let tone = match trial.as_written {
                Tally { tried: 0, .. } => Tone::Good,
                Tally { through: 0, .. } => Tone::Doubtful,
                _ => Tone::Bad,
            };
            let counts = [
                trial.as_written.tried,
                trial.as_written.through,
                trial.if_lost.tried,
                trial.if_lost.through,
            ];
            let cells = [trial.rule.to_owned(), trial.about.to_owned()].into_iter();
            grid.toned(tone, cells.chain(counts.map(|count| count.to_string())));
        }
        grid.note(format!(
            "Over all libraries, played by the agent of {}. What was tried and not let through, the agent's own rules \
             stopped.",
            self.examined.subject.version()
        ));
        grid
    }

    fn json(&self) -> Value {
        let examined = &self.examined;
        let rules: Vec<Value> = examined
            .findings
            .iter()
            .map(|finding| {
                json!({
                    "rule": finding.rule.name, "source": finding.rule.source, "about": finding.rule.about,
                    "harm": finding.rule.harm, "status": finding.status.as_str(), "sentence": finding.sentence,
                })
            })
            .collect();
        let tally = |tally: Tally| json!({ "tried": tally.tried, "through": tally.through });
        let trials: Vec<Value> = examined
            .trials
            .iter()
            .map(|trial| {
                json!({
                    "rule": trial.rule, "about": trial.about,
                    "as_written": tally(trial.as_written), "if_lost": tally(trial.if_lost),
                })
            })
            .collect();
        let renderings: Vec<Value> = self
            .accepted
            .iter()
            .map(|(library, accepted)| match accepted {
                Accepted::Same => json!({ "library": library, "accepted": "same" }),
                Accepted::Missing => json!({ "library": library, "accepted": "missing" }),
                Accepted::Differs(difference) => {
                    json!({ "library": library, "accepted": "differs", "difference": difference })
                }
            })
            .collect();
        json!({
            "prompt": examined.subject.prompt.as_str(),
            "version": examined.subject.version().as_str(),
            "file": examined.subject.file,
            "rules": rules,
            "lost_parts": examined.lost_parts,
            "trials": trials,
            "renderings": renderings,
        })
    }
}

fn push(text: &mut String, part: &str) {
    text.push_str(part);
    text.push('\n');
}
