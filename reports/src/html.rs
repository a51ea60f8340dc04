//! One self-contained page: verdict, tables, plots. No script, no network, dark and light, usable by keyboard, and no
//! meaning in colour alone.

use minijinja::{AutoEscape, Environment};
use serde::Serialize;
use thiserror::Error;

use crate::figures::Figure;
use crate::plain::plain;
use crate::plots::{Chart, FONT_FAMILY, FontPlace, PlotError, font_face, svg};
use crate::table::{Align, Grid, Tone};
use crate::verdict::{Outcome, Verdict};

/// Rows of a table on the page; the files hold all.
const ROWS_MAX: usize = 500;

/// Why the page could not be made.
#[derive(Debug, Error)]
pub enum HtmlError {
    /// A plot could not be drawn.
    #[error(transparent)]
    Plot(#[from] PlotError),
    /// The template refused.
    #[error("cannot fill in the page's template: {0}")]
    Template(#[from] minijinja::Error),
}

/// A part of the page.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// Its heading.
    pub title: String,
    /// Text below it.
    pub paragraphs: Vec<String>,
    /// Plots, before the tables.
    pub plots: Vec<Chart>,
    /// Tables.
    pub grids: Vec<Grid>,
}

/// The whole page.
#[derive(Clone, Debug, Default)]
pub struct Page<'a> {
    /// Its title.
    pub title: String,
    /// The verdict, for a run that has one.
    pub verdict: Option<&'a Verdict>,
    /// Names and values below the title: versions, numbers of cells.
    pub facts: Vec<(String, String)>,
    /// Its parts, in order.
    pub sections: Vec<Section>,
    /// The figures to explain.
    pub figures: Vec<Figure>,
}

/// The page as HTML.
///
/// # Errors
/// If a plot cannot be drawn.
pub fn html(page: &Page<'_>) -> Result<String, HtmlError> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.add_template("report", include_str!("../templates/report.html"))?;
    let sections = page.sections.iter().enumerate().map(|(index, section)| SectionView::new(index, section));
    let view = PageView {
        title: clean(&page.title),
        font_face: font_face(),
        font_family: FONT_FAMILY,
        verdict: page.verdict.map(VerdictView::new),
        facts: page.facts.iter().map(|(name, value)| (clean(name), clean(value))).collect(),
        sections: sections.collect::<Result<_, _>>()?,
        figures: page.figures.iter().map(FigureView::new).collect(),
    };
    let text = environment.get_template("report")?.render(minijinja::value::Serde(view))?;
    Ok(text + "\n")
}

fn clean(text: &str) -> String {
    plain(text).into_owned()
}

#[derive(Serialize)]
struct PageView {
    title: String,
    font_face: String,
    font_family: &'static str,
    verdict: Option<VerdictView>,
    facts: Vec<(String, String)>,
    sections: Vec<SectionView>,
    figures: Vec<FigureView>,
}

#[derive(Serialize)]
struct VerdictView {
    banner: String,
    exit_code: u8,
    tone: &'static str,
}

impl VerdictView {
    fn new(verdict: &Verdict) -> Self {
        let outcome = verdict.outcome();
        let tone = match outcome {
            Outcome::Held => "good",
            Outcome::Interrupted | Outcome::Terminated | Outcome::NothingSelected => "doubtful",
            Outcome::Failed | Outcome::InputWrong | Outcome::Broken | Outcome::Nondeterministic => "bad",
        };
        Self { banner: clean(&verdict.banner()), exit_code: outcome.exit_code(), tone }
    }
}

#[derive(Serialize)]
struct SectionView {
    id: String,
    title: String,
    paragraphs: Vec<String>,
    plots: Vec<String>,
    grids: Vec<GridView>,
}

impl SectionView {
    fn new(index: usize, section: &Section) -> Result<Self, PlotError> {
        Ok(Self {
            id: format!("section-{}", index + 1),
            title: clean(&section.title),
            paragraphs: section.paragraphs.iter().map(|text| clean(text)).collect(),
            plots: section.plots.iter().map(inline).collect::<Result<_, _>>()?,
            grids: section.grids.iter().map(|grid| GridView::new(grid, &section.title)).collect(),
        })
    }
}

/// An SVG as part of a page: without the declaration that a file of its own has.
fn inline(chart: &Chart) -> Result<String, PlotError> {
    let svg = svg(chart, FontPlace::Page)?;
    let start = svg.find("<svg").unwrap_or(0);
    Ok(svg[start..].trim_end().to_owned())
}

#[derive(Serialize)]
struct GridView {
    title: String,
    label: String,
    columns: Vec<ColumnView>,
    rows: Vec<RowView>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct ColumnView {
    name: String,
    number: bool,
}

#[derive(Serialize)]
struct RowView {
    tone: &'static str,
    cells: Vec<String>,
}

impl GridView {
    fn new(grid: &Grid, section: &str) -> Self {
        let row = |row: &crate::table::GridRow| RowView {
            tone: match row.tone {
                Tone::Plain => "",
                Tone::Good => "good",
                Tone::Bad => "bad",
                Tone::Doubtful => "doubtful",
            },
            cells: (0..grid.columns.len())
                .map(|index| row.cells.get(index).map(|cell| clean(cell)).unwrap_or_default())
                .collect(),
        };
        let mut notes: Vec<String> = grid.notes.iter().map(|note| clean(note)).collect();
        if grid.rows.len() > ROWS_MAX {
            notes.insert(
                0,
                format!("{ROWS_MAX} of {} rows shown; the run's files hold all.", grid.rows.len()),
            );
        }
        Self {
            title: clean(&grid.title),
            label: clean(if grid.title.is_empty() { section } else { &grid.title }),
            columns: grid
                .columns
                .iter()
                .map(|column| ColumnView { name: clean(&column.name), number: column.align == Align::Right })
                .collect(),
            rows: grid.rows.iter().take(ROWS_MAX).map(row).collect(),
            notes,
        }
    }
}

#[derive(Serialize)]
struct FigureView {
    name: String,
    unit: String,
    formula: String,
    source: &'static str,
    evidence: &'static str,
}

impl FigureView {
    fn new(figure: &Figure) -> Self {
        Self {
            name: figure.name.clone(),
            unit: figure.unit.clone(),
            formula: figure.formula.clone(),
            source: figure.source,
            evidence: figure.evidence,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::samples::study;
    use crate::report::Report;
    use crate::verdict::tests::verdict;

    /// The page without its font, which is long and says nothing.
    fn without_font(page: &str) -> String {
        page.replace(&font_face(), "/* font */")
    }

    #[test]
    fn a_small_page() {
        let mut grid = Grid::new("Sessions", &["status", ">calls"]);
        grid.toned(Tone::Bad, ["failed <b>", "12"]).note("Counted & done.");
        let verdict = verdict();
        let page = Page {
            title: "Run of \"k8s\" \u{1b}[31m".into(),
            verdict: Some(&verdict),
            facts: vec![("version".into(), "1".into())],
            sections: vec![Section { title: "Cells".into(), grids: vec![grid], ..Section::default() }],
            figures: Vec::new(),
        };
        let text = without_font(&html(&page).unwrap());
        let body = &text[text.find("<body>").unwrap()..];
        insta::assert_snapshot!(body, @r##"
        <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header>
        <h1>Run of &quot;k8s&quot; </h1>
        <p class="verdict bad" role="status">Verdict: <strong>broken, results incomplete: 3 cells, 1 held, 1 failed, 1 broken</strong> (exit code 3)</p>
        <dl>
        <dt>version</dt><dd>1</dd>
        </dl>
        <nav aria-label="Sections">
        <ul>
        <li><a href="#section-1">Cells</a></li>
        </ul>
        </nav>
        </header>
        <main id="main">
        <section aria-labelledby="section-1">
        <h2 id="section-1">Cells</h2>
        <div class="scroll" tabindex="0" role="region" aria-label="Sessions">
        <table>
        <caption>Sessions</caption>
        <thead><tr><th scope="col">status</th><th scope="col" class="number">calls</th></tr></thead>
        <tbody>
        <tr class="bad"><td>failed &lt;b&gt;</td><td class="number">12</td></tr>
        </tbody>
        </table>
        </div>
        <p class="note">Counted &amp; done.</p>
        </section>
        </main>
        </body>
        </html>
        "##);
    }

    /// Set `PLOTS_DIR` to keep the page and look at it.
    #[test]
    fn the_page_of_a_study_stands_alone_and_is_the_same_each_time() {
        let records = study();
        let verdict = verdict();
        let page = || html(&Report::new(&records).page("A study", Some(&verdict), &[])).unwrap();
        let text = page();
        assert_eq!(text, page());
        if let Some(dir) = std::env::var_os("PLOTS_DIR") {
            std::fs::write(std::path::Path::new(&dir).join("report.html"), &text).unwrap();
        }
        let shown = without_font(&text);
        assert!(!shown.contains("<script") && !shown.contains(" src=") && !shown.contains("@import"));
        let addresses: Vec<_> = shown.match_indices("http").map(|(at, _)| &shown[at..at + 26]).collect();
        assert!(
            addresses.iter().all(|address| address.starts_with("http://www.w3.org/2000/svg")
                || address.starts_with("http-equiv")),
            "{addresses:?}"
        );
        assert_eq!(shown.matches("<svg").count(), shown.matches("role=\"img\"").count());
        assert_eq!(shown.matches("<svg").count(), 6);
        assert!(!shown.contains("NaN"));
    }
}
