//! Rows with bars, and rows with intervals.

use plotters::prelude::DrawingBackend;

use super::canvas::{Canvas, Drawn, Side, fitted};
use super::chart::{BarChart, Forest, LEGEND_WIDTH, ROW_HEIGHT, TOP, WIDTH};
use super::frame::{Entry, Frame, LABEL_SIZE, Span, TICK_SIZE, legend, pen};
use super::style::{GRID, INK, series_style};

/// The height of one bar.
const BAR_HEIGHT: f64 = 13.0;
/// Room for the names of rows.
const NAMES_WIDTH: f64 = 230.0;

impl BarChart {
    pub(super) fn rows_height(&self) -> f64 {
        self.rows.len() as f64 * self.row_height()
    }

    fn row_height(&self) -> f64 {
        self.series.len().max(1) as f64 * BAR_HEIGHT + 14.0
    }

    pub(super) fn draw<DB: DrawingBackend>(&self, canvas: &Canvas<'_, DB>) -> Drawn {
        let right = WIDTH - LEGEND_WIDTH - 70.0;
        let bottom = TOP + self.rows_height().max(120.0);
        let x = Span { low: 0.0, high: 100.0 };
        let frame = Frame { left: NAMES_WIDTH, right, top: TOP, bottom, x, y: Span { low: 0.0, high: 1.0 } };
        if self.rows.is_empty() || self.series.is_empty() {
            return frame.empty(canvas, &self.head);
        }
        for share in [20.0, 40.0, 60.0, 80.0, 100.0] {
            canvas.line(&[(frame.at_x(share), TOP), (frame.at_x(share), bottom)], GRID, 1.0, &[])?;
        }
        frame.horizontal_axis(canvas, true)?;
        let middle = f64::midpoint(frame.left, frame.right);
        canvas.text((middle, bottom + 36.0), &self.head.x, pen(LABEL_SIZE, Side::Centre))?;
        for (index, (name, bars)) in self.rows.iter().enumerate() {
            let top = TOP + index as f64 * self.row_height() + 7.0;
            let height = bars.len() as f64 * BAR_HEIGHT;
            let name = fitted(name, LABEL_SIZE, NAMES_WIDTH - 34.0);
            canvas.text((NAMES_WIDTH - 10.0, top + height / 2.0), &name, pen(LABEL_SIZE, Side::Right))?;
            for (place, bar) in bars.iter().enumerate() {
                let y = top + place as f64 * BAR_HEIGHT;
                let end = frame.at_x(bar.share.clamp(0.0, 1.0) * 100.0);
                canvas.bar((frame.left, y + 1.0), (end, y + BAR_HEIGHT - 1.0), series_style(place).colour)?;
                // The marker repeats the colour, so that bars can be told apart without it.
                canvas.marker((end, y + BAR_HEIGHT / 2.0), series_style(place).marker, INK, false)?;
                canvas.text(
                    (end + 10.0, y + BAR_HEIGHT / 2.0),
                    &bar.text,
                    pen(TICK_SIZE - 1.0, Side::Left),
                )?;
            }
        }
        canvas.line(&[(frame.left, TOP), (frame.left, bottom)], INK, 1.0, &[])?;
        let entries: Vec<_> = self
            .series
            .iter()
            .enumerate()
            .map(|(index, name)| Entry {
                style: series_style(index),
                name,
                detail: String::new(),
                points: true,
            })
            .collect();
        legend(canvas, (WIDTH - LEGEND_WIDTH + 4.0, TOP + 12.0), LEGEND_WIDTH - 20.0, bottom, &entries)
    }
}

/// Room for verdicts at the right.
const VERDICT_WIDTH: f64 = 200.0;

impl Forest {
    pub(super) fn draw<DB: DrawingBackend>(&self, canvas: &Canvas<'_, DB>) -> Drawn {
        let ends = self.rows.iter().flat_map(|row| {
            let (low, high) = row.interval.unwrap_or((row.value, row.value));
            [low, high, row.value]
        });
        let x = Span::of(ends).with(0.0).padded(0.06, 0.06);
        let bottom = TOP + (self.rows.len() as f64 * ROW_HEIGHT).max(120.0);
        let left = NAMES_WIDTH + 60.0;
        let right = WIDTH - VERDICT_WIDTH;
        let frame = Frame { left, right, top: TOP, bottom, x, y: Span { low: 0.0, high: 1.0 } };
        if self.rows.is_empty() {
            return frame.empty(canvas, &self.head);
        }
        frame.horizontal_axis(canvas, false)?;
        let middle = f64::midpoint(frame.left, frame.right);
        canvas.text((middle, bottom + 36.0), &self.head.x, pen(LABEL_SIZE, Side::Centre))?;
        let zero = frame.at_x(0.0);
        canvas.line(&[(zero, TOP), (zero, bottom)], INK, 1.0, &[4.0, 3.0])?;
        let style = series_style(0);
        for (index, row) in self.rows.iter().enumerate() {
            let y = TOP + (index as f64 + 0.5) * ROW_HEIGHT;
            canvas.line(&[(frame.left, y), (frame.right, y)], GRID, 1.0, &[])?;
            let name = fitted(&row.name, LABEL_SIZE, left - 34.0);
            canvas.text((left - 12.0, y), &name, pen(LABEL_SIZE, Side::Right))?;
            if let Some((low, high)) = row.interval {
                let (low, high) = (frame.at_x(low), frame.at_x(high));
                canvas.line(&[(low, y), (high, y)], style.colour, 2.0, &[])?;
                for end in [low, high] {
                    canvas.line(&[(end, y - 5.0), (end, y + 5.0)], style.colour, 2.0, &[])?;
                }
            }
            canvas.marker((frame.at_x(row.value), y), style.marker, style.colour, row.interval.is_none())?;
            let text = fitted(&row.text, LABEL_SIZE, VERDICT_WIDTH - 24.0);
            canvas.text((right + 16.0, y), &text, pen(LABEL_SIZE, Side::Left))?;
        }
        Ok(())
    }
}
