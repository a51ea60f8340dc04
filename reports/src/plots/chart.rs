//! The kinds of charts, as data. How each is drawn stands in [`super::lines`], [`super::scatter`] and [`super::bars`].

use plotters::prelude::DrawingBackend;

use super::canvas::{Canvas, Drawn, Side, fitted, in_two_lines};
use super::frame::{TICK_SIZE, TITLE_SIZE, faint, pen};

/// What stands around a chart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// What it shows.
    pub title: String,
    /// n, what bands mean, what it rests on.
    pub subtitle: String,
    /// The horizontal axis, with its unit.
    pub x: String,
    /// The vertical axis, with its unit.
    pub y: String,
    /// Why there is nothing to see, if there is nothing.
    pub empty: String,
}

/// A point of a line, with the band around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Where.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// The band's lower end; the value itself without a band.
    pub low: f64,
    /// The band's upper end.
    pub high: f64,
}

/// One line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// Its name.
    pub name: String,
    /// What stands below its name in the legend, such as n.
    pub detail: String,
    /// Its points, by x.
    pub points: Vec<Point>,
}

/// Lines over a common axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineChart {
    /// What stands around it.
    pub head: Head,
    /// Its lines.
    pub lines: Vec<Line>,
    /// Whether x takes whole values only.
    pub whole_x: bool,
}

/// Several line charts with common axes and the same lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panels {
    /// What stands around all of them.
    pub head: Head,
    /// The panels.
    pub panels: Vec<Panel>,
}

/// One of several line charts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// Its name.
    pub name: String,
    /// What stands beside its name, such as n.
    pub detail: String,
    /// Its lines.
    pub lines: Vec<Line>,
}

/// A point with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Dot {
    /// Its name.
    pub name: String,
    /// Where.
    pub at: (f64, f64),
}

/// Named points, in groups joined by lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scatter {
    /// What stands around it.
    pub head: Head,
    /// Groups: name and points.
    pub groups: Vec<(String, Vec<Dot>)>,
}

/// A bar with what is written beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// From 0 to 1.
    pub share: f64,
    /// Beside it.
    pub text: String,
}

/// Horizontal bars, a group for each row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BarChart {
    /// What stands around it.
    pub head: Head,
    /// The series' names.
    pub series: Vec<String>,
    /// Rows: name and a bar a series.
    pub rows: Vec<(String, Vec<Bar>)>,
}

/// One comparison of a forest plot.
#[derive(Clone, Debug, PartialEq)]
pub struct ForestRow {
    /// What is compared.
    pub name: String,
    /// The difference.
    pub value: f64,
    /// Its interval, if it has one.
    pub interval: Option<(f64, f64)>,
    /// What is written at the right: the verdict.
    pub text: String,
}

/// Differences with their intervals around 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Forest {
    /// What stands around it.
    pub head: Head,
    /// Its rows.
    pub rows: Vec<ForestRow>,
}

/// A chart of any kind.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "each is documented at its type")]
pub enum Chart {
    Lines(LineChart),
    Panels(Panels),
    Scatter(Scatter),
    Bars(BarChart),
    Forest(Forest),
}

pub(super) const WIDTH: f64 = 960.0;
pub(super) const HEIGHT: f64 = 540.0;
pub(super) const TOP: f64 = 92.0;
pub(super) const LEFT: f64 = 78.0;
pub(super) const BOTTOM: f64 = 58.0;
pub(super) const LEGEND_WIDTH: f64 = 210.0;
pub(super) const PANEL_HEIGHT: f64 = 200.0;
pub(super) const PANEL_COLUMNS: usize = 2;
pub(super) const ROW_HEIGHT: f64 = 34.0;

impl Chart {
    /// What stands around it.
    pub fn head(&self) -> &Head {
        match self {
            Self::Lines(chart) => &chart.head,
            Self::Panels(chart) => &chart.head,
            Self::Scatter(chart) => &chart.head,
            Self::Bars(chart) => &chart.head,
            Self::Forest(chart) => &chart.head,
        }
    }

    /// Its content in a sentence, for those who cannot see it.
    pub fn describe(&self) -> String {
        let head = self.head();
        let series = match self {
            Self::Lines(chart) => names(chart.lines.iter().map(|line| &line.name)),
            Self::Panels(chart) => names(chart.panels.iter().map(|panel| &panel.name)),
            Self::Scatter(chart) => names(chart.groups.iter().map(|(name, _)| name)),
            Self::Bars(chart) => names(chart.series.iter()),
            Self::Forest(chart) => names(chart.rows.iter().map(|row| &row.name)),
        };
        let series = if series.is_empty() { format!("no data: {}", head.empty) } else { series };
        format!("{} against {}. {} Shown: {series}.", head.y, head.x, head.subtitle)
    }

    /// Width and height in points.
    pub(super) fn size(&self) -> (f64, f64) {
        match self {
            Self::Lines(_) | Self::Scatter(_) => (WIDTH, HEIGHT),
            Self::Panels(chart) => {
                let rows = chart.panels.len().div_ceil(PANEL_COLUMNS).max(1);
                (WIDTH, TOP + rows as f64 * PANEL_HEIGHT + BOTTOM)
            }
            Self::Bars(chart) => (WIDTH, TOP + chart.rows_height().max(120.0) + BOTTOM),
            Self::Forest(chart) => (WIDTH, TOP + (chart.rows.len() as f64 * ROW_HEIGHT).max(120.0) + BOTTOM),
        }
    }

    pub(super) fn draw<DB: DrawingBackend>(&self, canvas: &Canvas<'_, DB>) -> Drawn {
        let head = self.head();
        canvas.text(
            (24.0, 24.0),
            &fitted(&head.title, TITLE_SIZE, WIDTH - 48.0),
            pen(TITLE_SIZE, Side::Left),
        )?;
        for (line, y) in in_two_lines(&head.subtitle, TICK_SIZE, WIDTH - 48.0).iter().zip([48.0, 64.0]) {
            canvas.text((24.0, y), line, faint(TICK_SIZE, Side::Left))?;
        }
        match self {
            Self::Lines(chart) => chart.draw(canvas),
            Self::Panels(chart) => chart.draw(canvas),
            Self::Scatter(chart) => chart.draw(canvas),
            Self::Bars(chart) => chart.draw(canvas),
            Self::Forest(chart) => chart.draw(canvas),
        }
    }
}

fn names<'a>(names: impl Iterator<Item = &'a String>) -> String {
    names.map(String::as_str).collect::<Vec<_>>().join(", ")
}
