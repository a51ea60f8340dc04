//! Line charts, alone and as panels.

use plotters::prelude::DrawingBackend;

use super::canvas::{At, Canvas, Drawn, Pen, Side, fitted, text_width};
use super::chart::{
    BOTTOM, HEIGHT, LEFT, LEGEND_WIDTH, Line, LineChart, PANEL_COLUMNS, PANEL_HEIGHT, Panels, TOP, WIDTH,
};
use super::frame::{Entry, Frame, LABEL_SIZE, Span, legend, pen};
use super::style::series_style;

impl LineChart {
    pub(super) fn draw<DB: DrawingBackend>(&self, canvas: &Canvas<'_, DB>) -> Drawn {
        let (x, y) = span_of(self.lines.iter());
        let right = WIDTH - LEGEND_WIDTH - 16.0;
        let frame =
            Frame { left: LEFT, right, top: TOP, bottom: HEIGHT - BOTTOM, x: x.padded(0.02, 0.02), y };
        if self.lines.iter().all(|line| line.points.is_empty()) {
            return frame.empty(canvas, &self.head);
        }
        frame.axes(canvas, self.whole_x)?;
        frame.labels(canvas, &self.head.x, &self.head.y)?;
        draw_lines(canvas, &frame, &self.lines)?;
        let entries: Vec<_> = self
            .lines
            .iter()
            .enumerate()
            .map(|(index, line)| Entry {
                style: series_style(index),
                name: &line.name,
                detail: line.detail.clone(),
                points: false,
            })
            .collect();
        legend(canvas, (right + 18.0, TOP + 8.0), LEGEND_WIDTH, HEIGHT - BOTTOM, &entries)
    }
}

/// Bands first, so that no band hides a line.
fn draw_lines<DB: DrawingBackend>(canvas: &Canvas<'_, DB>, frame: &Frame, lines: &[Line]) -> Drawn {
    const BAND_OPACITY: f64 = 0.14;
    const MARKERS_ALL_MAX: usize = 14;
    const MARKERS: usize = 6;
    for (index, line) in lines.iter().enumerate() {
        let lower = line.points.iter().map(|point| frame.at((point.x, point.low)));
        let upper = line.points.iter().rev().map(|point| frame.at((point.x, point.high)));
        let banded = line.points.iter().any(|point| point.low < point.high);
        if banded {
            canvas.polygon(
                &lower.chain(upper).collect::<Vec<_>>(),
                series_style(index).colour,
                BAND_OPACITY,
            )?;
        }
    }
    for (index, line) in lines.iter().enumerate() {
        let style = series_style(index);
        let points: Vec<At> = line.points.iter().map(|point| frame.at((point.x, point.y))).collect();
        canvas.line(&points, style.colour, 2.0, style.dash)?;
        // Many points get a few markers, at other places on each line, so that lines on top of each other show.
        let step = if points.len() > MARKERS_ALL_MAX { points.len() / MARKERS } else { 1 };
        for point in points.iter().skip(index * step / lines.len().max(1)).step_by(step) {
            canvas.marker(*point, style.marker, style.colour, false)?;
        }
    }
    Ok(())
}

impl Panels {
    pub(super) fn draw<DB: DrawingBackend>(&self, canvas: &Canvas<'_, DB>) -> Drawn {
        let all = self.panels.iter().flat_map(|panel| &panel.lines);
        let (x, y) = span_of(all);
        let width = (WIDTH - LEGEND_WIDTH - 16.0) / PANEL_COLUMNS as f64;
        let rows = self.panels.len().div_ceil(PANEL_COLUMNS).max(1);
        if self.panels.is_empty() {
            return Self::frame(0, width, x, y).empty(canvas, &self.head);
        }
        for (index, panel) in self.panels.iter().enumerate() {
            let frame = Self::frame(index, width, x, y);
            frame.axes(canvas, true)?;
            let room = width - LEFT - 10.0 - text_width(&panel.detail, LABEL_SIZE);
            let title = format!("{}{}", fitted(&panel.name, LABEL_SIZE, room), panel.detail);
            canvas.text((frame.left, frame.top - 12.0), &title, pen(LABEL_SIZE, Side::Left))?;
            draw_lines(canvas, &frame, &panel.lines)?;
        }
        let middle = LEFT + (WIDTH - LEGEND_WIDTH - LEFT) / 2.0;
        let bottom = TOP + rows as f64 * PANEL_HEIGHT;
        canvas.text((middle, bottom + 30.0), &self.head.x, pen(LABEL_SIZE, Side::Centre))?;
        let upright = Pen { upright: true, ..pen(LABEL_SIZE, Side::Centre) };
        canvas.text((22.0, f64::midpoint(TOP, bottom)), &self.head.y, upright)?;
        let entries: Vec<_> = self.panels[0]
            .lines
            .iter()
            .enumerate()
            .map(|(index, line)| Entry {
                style: series_style(index),
                name: &line.name,
                detail: line.detail.clone(),
                points: false,
            })
            .collect();
        legend(canvas, (WIDTH - LEGEND_WIDTH + 4.0, TOP + 24.0), LEGEND_WIDTH - 20.0, bottom, &entries)
    }

    fn frame(index: usize, width: f64, x: Span, y: Span) -> Frame {
        let (column, row) = (index % PANEL_COLUMNS, index / PANEL_COLUMNS);
        let (left, top) = (column as f64 * width, TOP + row as f64 * PANEL_HEIGHT);
        Frame {
            left: left + LEFT,
            right: left + width - 8.0,
            top: top + 20.0,
            bottom: top + PANEL_HEIGHT - 32.0,
            x,
            y,
        }
    }
}

fn span_of<'a>(lines: impl Iterator<Item = &'a Line> + Clone) -> (Span, Span) {
    let points = lines.flat_map(|line| &line.points);
    let x = Span::of(points.clone().map(|point| point.x));
    let y = Span::of(points.flat_map(|point| [point.y, point.low, point.high])).with(0.0);
    (x, y.padded(0.0, 0.06))
}
