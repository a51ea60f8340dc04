//! One verdict on a run. Banner, table, `run.json`, `JUnit` file and exit code are all made of it, so that they cannot
//! contradict each other.

use serde::{Deserialize, Serialize};

use crate::plain::cut;
use crate::table::{Grid, Tone};

/// Characters of a value before it is cut: a value may be a whole table.
const VALUE_CHARS_MAX: usize = 200;

/// How a whole run came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// All held.
    Held,
    /// An expectation or a baseline failed.
    Failed,
    /// Command line or input is wrong; nothing ran.
    InputWrong,
    /// The run itself broke; results are incomplete.
    Broken,
    /// Nothing was selected.
    NothingSelected,
    /// The same cell gave different results.
    Nondeterministic,
    /// Stopped by the user; finished cells were kept.
    Interrupted,
    /// Stopped by the system; finished cells were kept.
    Terminated,
}

impl Outcome {
    /// The exit code.
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Held => 0,
            Self::Failed => 1,
            Self::InputWrong => 2,
            Self::Broken => 3,
            Self::NothingSelected => 4,
            Self::Nondeterministic => 5,
            Self::Interrupted => 130,
            Self::Terminated => 143,
        }
    }

    /// The words for it on a banner.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Held => "all held",
            Self::Failed => "failed",
            Self::InputWrong => "input wrong, nothing ran",
            Self::Broken => "broken, results incomplete",
            Self::NothingSelected => "nothing selected",
            Self::Nondeterministic => "not deterministic",
            Self::Interrupted => "interrupted, finished cells kept",
            Self::Terminated => "terminated, finished cells kept",
        }
    }
}

/// How one cell came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CellStatus {
    /// The simulation broke.
    Broken,
    /// Its results differ from those of another run of the same cell.
    Nondeterministic,
    /// An expectation failed.
    Failed,
    /// A signal stopped it, or it had not begun.
    Stopped,
    /// It was not run because enough had failed already.
    Skipped,
    /// All expectations held.
    Held,
}

impl CellStatus {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Broken => "broken",
            Self::Nondeterministic => "nondeterministic",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
            Self::Skipped => "skipped",
            Self::Held => "held",
        }
    }

    /// How it is meant.
    pub(crate) const fn tone(self) -> Tone {
        match self {
            Self::Broken | Self::Nondeterministic | Self::Failed => Tone::Bad,
            Self::Stopped | Self::Skipped => Tone::Doubtful,
            Self::Held => Tone::Good,
        }
    }
}

/// One expectation that did not hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The expression as written.
    pub expression: String,
    /// Why the scenario expects it; empty where it does not say.
    pub why: String,
    /// The parts of the expression with the values that they had.
    pub values: Vec<(String, String)>,
    /// Where it is written: `file:line`.
    pub place: String,
}

/// What became of one cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellResult {
    /// The scenario.
    pub scenario: String,
    /// The arm.
    pub arm: String,
    /// The seed.
    pub seed: u64,
    /// How it came out.
    pub status: CellStatus,
    /// The expectations that did not hold.
    pub failures: Vec<Failure>,
    /// Expectations that were looked at.
    pub expectations: u64,
    /// Why it broke, differs or stopped; empty otherwise.
    pub reason: String,
    /// The command that runs this cell alone.
    pub rerun: String,
    /// The command that shows what happened in it; empty where there is no trace.
    pub show: String,
}

/// What stopped a run from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    /// SIGINT.
    Interrupt,
    /// SIGTERM.
    Terminate,
}

/// The verdict on a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// All cells that were selected.
    pub cells: Vec<CellResult>,
    /// Mistakes of command line and input files. With one of them nothing ran.
    pub input_errors: Vec<String>,
    /// What went wrong with the run as a whole: a full disk, a lost file.
    pub run_errors: Vec<String>,
    /// Figures that fell behind a baseline.
    pub regressions: Vec<String>,
    /// Rules of scripts that answered no request, where that counts as a failure.
    pub unused: Vec<String>,
    /// What stopped it.
    pub signal: Option<Signal>,
    /// Whether an empty selection is fine.
    pub allow_empty: bool,
}

/// The verdict as `run.json` holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictFile {
    /// How the run came out.
    pub outcome: Outcome,
    /// The exit code.
    pub exit_code: u8,
    /// Cells selected.
    pub cells: usize,
    /// Cells by how they came out.
    pub held: usize,
    /// Cells with a failed expectation.
    pub failed: usize,
    /// Cells whose simulation broke.
    pub broken: usize,
    /// Cells whose results differ.
    pub nondeterministic: usize,
    /// Cells that a signal stopped.
    pub stopped: usize,
    /// Cells that were not run because enough had failed.
    pub skipped: usize,
    /// Whether every selected cell has results.
    pub complete: bool,
    /// Cells that did not hold, with everything known of them.
    pub not_held: Vec<CellResult>,
    /// Mistakes of the input.
    pub input_errors: Vec<String>,
    /// Mistakes of the run.
    pub run_errors: Vec<String>,
    /// Figures behind the baseline.
    pub regressions: Vec<String>,
    /// Rules of scripts that answered no request, where that counts as a failure.
    #[serde(default)]
    pub unused: Vec<String>,
}

impl Verdict {
    /// How the run came out: a signal before all, then 2, 3, 5, 1, 4.
    pub fn outcome(&self) -> Outcome {
        let any = |status| self.count(status) > 0;
        match self.signal {
            Some(Signal::Interrupt) => return Outcome::Interrupted,
            Some(Signal::Terminate) => return Outcome::Terminated,
            None => {}
        }
        if !self.input_errors.is_empty() {
            Outcome::InputWrong
        } else if !self.run_errors.is_empty() || any(CellStatus::Broken) || any(CellStatus::Stopped) {
            Outcome::Broken
        } else if any(CellStatus::Nondeterministic) {
            Outcome::Nondeterministic
        } else if any(CellStatus::Failed) || !self.regressions.is_empty() || !self.unused.is_empty() {
            Outcome::Failed
        } else if self.cells.is_empty() && !self.allow_empty {
            Outcome::NothingSelected
        } else {
            Outcome::Held
        }
    }

    /// The number of cells that came out so.
    pub fn count(&self, status: CellStatus) -> usize {
        self.cells.iter().filter(|cell| cell.status == status).count()
    }

    /// One line: the outcome, and the cells by how they came out.
    pub fn banner(&self) -> String {
        let statuses = [
            CellStatus::Held,
            CellStatus::Failed,
            CellStatus::Broken,
            CellStatus::Nondeterministic,
            CellStatus::Stopped,
            CellStatus::Skipped,
        ];
        let counts: Vec<_> = statuses
            .into_iter()
            .filter(|&status| self.count(status) > 0)
            .map(|status| format!("{} {}", self.count(status), status.as_str()))
            .collect();
        let cells = match self.cells.len() {
            1 => "1 cell".to_owned(),
            cells => format!("{cells} cells"),
        };
        let outcome = match self.outcome() {
            // "All held" would claim something that nobody checked.
            Outcome::Held if self.expects_nothing() => {
                return format!("done: {cells}, nothing was expected of them");
            }
            outcome => outcome.words(),
        };
        if counts.is_empty() {
            format!("{outcome}: {cells}")
        } else {
            format!("{outcome}: {cells}, {}", counts.join(", "))
        }
    }

    /// Whether there are cells and no expectation was judged in any of them, as in a sweep.
    fn expects_nothing(&self) -> bool {
        !self.cells.is_empty() && self.cells.iter().all(|cell| cell.expectations == 0)
    }

    /// The cells, those that did not hold first, otherwise in order.
    pub fn failures_first(&self) -> Vec<&CellResult> {
        let mut cells: Vec<_> = self.cells.iter().collect();
        cells.sort_by(|one, other| {
            let key = |cell: &'_ CellResult| (cell.status == CellStatus::Held, cell.status);
            key(one).cmp(&key(other)).then_with(|| cell_key(one).cmp(&cell_key(other)))
        });
        cells
    }

    /// The table of cells for a page, failures first, each failure with its expression, values and the command that
    /// reruns it. A terminal has less room: [`crate::shown`].
    pub fn grid(&self) -> Grid {
        let mut grid = Grid::new("", &["status", "scenario", "arm", ">seed", ">expectations", "what"]);
        for cell in self.failures_first() {
            let held = cell.expectations.saturating_sub(cell.failures.len() as u64);
            let (seed, held) = (cell.seed.to_string(), format!("{held} of {}", cell.expectations));
            let what = cell.what();
            let cells = [cell.status.as_str(), &cell.scenario, &cell.arm, &seed, &held, &what];
            grid.toned(cell.status.tone(), cells);
        }
        grid
    }

    /// What `run.json` holds.
    pub fn file(&self) -> VerdictFile {
        let not_held = self.failures_first().into_iter().filter(|cell| cell.status != CellStatus::Held);
        let unfinished = [CellStatus::Broken, CellStatus::Stopped, CellStatus::Skipped];
        VerdictFile {
            outcome: self.outcome(),
            exit_code: self.outcome().exit_code(),
            cells: self.cells.len(),
            held: self.count(CellStatus::Held),
            failed: self.count(CellStatus::Failed),
            broken: self.count(CellStatus::Broken),
            nondeterministic: self.count(CellStatus::Nondeterministic),
            stopped: self.count(CellStatus::Stopped),
            skipped: self.count(CellStatus::Skipped),
            complete: self.input_errors.is_empty()
                && self.run_errors.is_empty()
                && unfinished.into_iter().all(|status| self.count(status) == 0),
            not_held: not_held.cloned().collect(),
            input_errors: self.input_errors.clone(),
            run_errors: self.run_errors.clone(),
            regressions: self.regressions.clone(),
            unused: self.unused.clone(),
        }
    }
}

impl VerdictFile {
    /// The verdict that the file was made of. It names only the cells that did not hold; `held` are the others.
    pub fn verdict(self, held: Vec<CellResult>) -> Verdict {
        let mut cells = held;
        cells.extend(self.not_held);
        cells.sort_by(|one, other| cell_key(one).cmp(&cell_key(other)));
        Verdict {
            allow_empty: cells.is_empty() && self.outcome == Outcome::Held,
            cells,
            input_errors: self.input_errors,
            run_errors: self.run_errors,
            regressions: self.regressions,
            unused: self.unused,
            signal: match self.outcome {
                Outcome::Interrupted => Some(Signal::Interrupt),
                Outcome::Terminated => Some(Signal::Terminate),
                _ => None,
            },
        }
    }
}

fn cell_key(cell: &CellResult) -> (&str, &str, u64) {
    (&cell.scenario, &cell.arm, cell.seed)
}

impl CellResult {
    /// Everything that went wrong, a line each, and how to see it again; empty where all held.
    pub fn what(&self) -> String {
        let mut lines = Vec::new();
        if !self.reason.is_empty() {
            lines.push(self.reason.clone());
        }
        for failure in &self.failures {
            lines.extend(failure.lines());
        }
        if self.status != CellStatus::Held && !self.rerun.is_empty() {
            lines.push(format!("rerun: {}", self.rerun));
        }
        if self.status != CellStatus::Held && !self.show.is_empty() {
            lines.push(format!("show: {}", self.show));
        }
        lines.join("\n")
    }
}

impl Failure {
    /// The expression, its values, why it is expected and where it is written. Long values are cut.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![self.expression.clone()];
        lines.extend(
            self.values.iter().map(|(part, value)| format!("  {part} = {}", cut(value, VALUE_CHARS_MAX))),
        );
        if !self.why.is_empty() {
            lines.push(format!("  because {}", self.why));
        }
        if !self.place.is_empty() {
            lines.push(format!("  at {}", self.place));
        }
        lines
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::table::{Look, terminal};

    pub(crate) fn cell(arm: &str, seed: u64, status: CellStatus) -> CellResult {
        CellResult {
            scenario: "k8s-deploy".into(),
            arm: arm.into(),
            seed,
            status,
            failures: Vec::new(),
            expectations: 4,
            reason: String::new(),
            rerun: format!("harness rerun k8s-deploy/{arm}/{seed}"),
            show: String::new(),
        }
    }

    pub(crate) fn verdict() -> Verdict {
        let mut failed = cell("july", 1, CellStatus::Failed);
        failed.failures.push(Failure {
            expression: "session.flask.tool_calls == 12".into(),
            why: "the image was not pushed".into(),
            values: vec![("session.flask.tool_calls".into(), "13".into())],
            place: "scenarios/k8s-deploy.yaml:31".into(),
        });
        let mut broken = cell("article", 2, CellStatus::Broken);
        broken.reason = "no rule fits the request; nearest is main[0]".into();
        Verdict { cells: vec![cell("article", 1, CellStatus::Held), failed, broken], ..Verdict::default() }
    }

    #[test]
    fn a_verdict_comes_back_from_its_file() {
        let verdict = Verdict { signal: Some(Signal::Interrupt), ..verdict() };
        let held = verdict.cells.iter().filter(|cell| cell.status == CellStatus::Held).cloned().collect();
        let text = serde_json::to_string(&verdict.file()).unwrap();
        let back = serde_json::from_str::<VerdictFile>(&text).unwrap().verdict(held);
        assert_eq!((back.outcome(), back.banner()), (verdict.outcome(), verdict.banner()));
        assert_eq!(back.failures_first(), verdict.failures_first());
    }

    #[test]
    fn failures_come_first_with_all_that_is_known() {
        let verdict = verdict();
        let text = format!("{}\n{}", verdict.banner(), terminal(&verdict.grid(), Look::default()));
        insta::assert_snapshot!(text, @r"
        broken, results incomplete: 3 cells, 1 held, 1 failed, 1 broken
        ────────────────────────────────────────────────────────────────────────────────────────────────────
         status   scenario     arm       seed   expectations   what
        ════════════════════════════════════════════════════════════════════════════════════════════════════
         broken   k8s-deploy   article      2         4 of 4   no rule fits the request; nearest is main[0]
                                                               rerun: harness rerun k8s-deploy/article/2
         failed   k8s-deploy   july         1         3 of 4   session.flask.tool_calls == 12
                                                                 session.flask.tool_calls = 13
                                                                 because the image was not pushed
                                                                 at scenarios/k8s-deploy.yaml:31
                                                               rerun: harness rerun k8s-deploy/july/1
         held     k8s-deploy   article      1         4 of 4
        ────────────────────────────────────────────────────────────────────────────────────────────────────
        ");
    }

    #[test]
    fn the_precedence_is_signal_then_2_3_5_1_4() {
        let mut verdict = Verdict::default();
        let mut codes = vec![verdict.outcome().exit_code()];
        verdict.allow_empty = true;
        codes.push(verdict.outcome().exit_code());
        verdict.regressions.push("tool calls rose".into());
        codes.push(verdict.outcome().exit_code());
        verdict.cells.push(cell("a", 1, CellStatus::Nondeterministic));
        codes.push(verdict.outcome().exit_code());
        verdict.cells.push(cell("a", 2, CellStatus::Broken));
        codes.push(verdict.outcome().exit_code());
        verdict.input_errors.push("no such file".into());
        codes.push(verdict.outcome().exit_code());
        verdict.signal = Some(Signal::Terminate);
        codes.push(verdict.outcome().exit_code());
        assert_eq!(codes, [4, 0, 1, 5, 3, 2, 143]);
    }

    #[test]
    fn banner_file_and_exit_code_agree() {
        let verdict = verdict();
        let file = verdict.file();
        assert_eq!((file.outcome, file.exit_code, file.complete), (Outcome::Broken, 3, false));
        assert!(verdict.banner().starts_with(file.outcome.words()));
        assert_eq!((file.cells, file.held, file.failed, file.broken, file.not_held.len()), (3, 1, 1, 1, 2));
    }
}
