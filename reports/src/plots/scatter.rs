//! Named points in groups; a line joins those of a group that nothing cheaper equals.

use plotters::prelude::DrawingBackend;

use super::canvas::{At, Canvas, Drawn, PlotError, Side, fitted, text_width};
use super::chart::{BOTTOM, Dot, HEIGHT, LEFT, LEGEND_WIDTH, Scatter, TOP, WIDTH};
use super::frame::{Entry, Frame, Span, TICK_SIZE, legend, pen};
use super::style::{FAINT, series_style};

impl Scatter {
    pub(super) fn draw<DB: DrawingBackend>(&self, canvas: &Canvas<'_, DB>) -> Drawn {
        let dots = self.groups.iter().flat_map(|(_, dots)| dots);
        let x = Span::of(dots.clone().map(|dot| dot.at.0)).padded(0.05, 0.14);
        let y = Span::of(dots.map(|dot| dot.at.1)).with(0.0).padded(0.08, 0.12);
        let right = WIDTH - LEGEND_WIDTH - 16.0;
        let frame = Frame { left: LEFT, right, top: TOP, bottom: HEIGHT - BOTTOM, x, y };
        if self.groups.iter().all(|(_, dots)| dots.is_empty()) {
            return frame.empty(canvas, &self.head);
        }
        frame.axes(canvas, false)?;
        frame.labels(canvas, &self.head.x, &self.head.y)?;
        let zero = frame.at_y(0.0);
        canvas.line(&[(frame.left, zero), (frame.right, zero)], FAINT, 1.0, &[4.0, 3.0])?;
        for (index, (_, dots)) in self.groups.iter().enumerate() {
            let style = series_style(index);
            canvas.line(&frontier(placed(&frame, dots)), style.colour, 1.2, style.dash)?;
            for point in placed(&frame, dots) {
                canvas.marker(point, style.marker, style.colour, false)?;
            }
        }
        let unnamed = self.name_dots(canvas, &frame)?;
        let mut entries: Vec<_> = self
            .groups
            .iter()
            .enumerate()
            .map(|(index, (name, dots))| Entry {
                style: series_style(index),
                name,
                detail: format!("{} points", dots.len()),
                points: false,
            })
            .collect();
        if unnamed > 0
            && let Some(last) = entries.last_mut()
        {
            last.detail = format!("{}, {unnamed} unnamed", last.detail);
        }
        legend(canvas, (right + 18.0, TOP + 8.0), LEGEND_WIDTH, HEIGHT - BOTTOM, &entries)
    }

    /// Writes each point's name where it meets no other name; the number of those that found no place.
    fn name_dots<DB: DrawingBackend>(
        &self,
        canvas: &Canvas<'_, DB>,
        frame: &Frame,
    ) -> Result<usize, PlotError> {
        const NAME_WIDTH_MAX: f64 = 150.0;
        let dots = || self.groups.iter().flat_map(|(_, dots)| dots);
        let mut taken: Vec<Area> = dots().map(|dot| Area::around(frame.at(dot.at), 5.0, 5.0)).collect();
        let lines: Vec<Area> = self.groups.iter().flat_map(|(_, dots)| along(frame, dots)).collect();
        let mut unnamed = 0;
        let mut named: Vec<(&str, At)> = Vec::new();
        for dot in dots() {
            let name = fitted(&dot.name, TICK_SIZE, NAME_WIDTH_MAX);
            let (x, y) = frame.at(dot.at);
            // Points on top of each other that have the same name share it.
            let near = |(_, at): &(&str, At)| f64::hypot(at.0 - x, at.1 - y) < 8.0;
            if named.iter().any(|other| other.0 == dot.name && near(other)) {
                continue;
            }
            let half = text_width(&name, TICK_SIZE) / 2.0;
            let places = [(x + half + 9.0, y), (x, y - 15.0), (x, y + 15.0), (x - half - 9.0, y)];
            let areas = || places.into_iter().map(|at| Area::around(at, half, 6.0));
            let free = |area: &Area, others: &[Area]| !others.iter().any(|other| area.meets(other));
            let fits = |area: &Area| area.within(frame) && free(area, &taken);
            // Best where it meets no line either.
            match areas().find(|area| fits(area) && free(area, &lines)).or_else(|| areas().find(fits)) {
                Some(area) => {
                    canvas.text(area.middle(), &name, pen(TICK_SIZE, Side::Centre))?;
                    taken.push(area);
                    named.push((&dot.name, (x, y)));
                }
                None => unnamed += 1,
            }
        }
        Ok(unnamed)
    }
}

fn placed(frame: &Frame, dots: &[Dot]) -> impl Iterator<Item = At> {
    dots.iter().map(|dot| frame.at(dot.at))
}

/// Of points from left to right, those that stand above all before them: over a grid of two settings a line through
/// every point would go up and down and say nothing.
fn frontier(points: impl Iterator<Item = At>) -> Vec<At> {
    let mut highest = f64::INFINITY;
    points
        .filter(|(_, y)| {
            let above = *y < highest;
            highest = highest.min(*y);
            above
        })
        .collect()
}

/// Small areas along the lines that join points, and along the zero line.
fn along(frame: &Frame, dots: &[Dot]) -> Vec<Area> {
    const STEP: f64 = 6.0;
    let zero = frame.at_y(0.0);
    let mut segments = vec![((frame.left, zero), (frame.right, zero))];
    segments.extend(frontier(placed(frame, dots)).windows(2).map(|pair| (pair[0], pair[1])));
    let mut areas = Vec::new();
    for ((x0, y0), (x1, y1)) in segments {
        let steps = (f64::hypot(x1 - x0, y1 - y0) / STEP).ceil().max(1.0);
        let mut step = 0.0;
        while step <= steps {
            let share = step / steps;
            areas.push(Area::around((x0 + (x1 - x0) * share, y0 + (y1 - y0) * share), STEP / 2.0, 1.0));
            step += 1.0;
        }
    }
    areas
}

/// A part of the sheet.
struct Area {
    from: At,
    to: At,
}

impl Area {
    fn around((x, y): At, half_width: f64, half_height: f64) -> Self {
        Self { from: (x - half_width, y - half_height), to: (x + half_width, y + half_height) }
    }

    fn middle(&self) -> At {
        (f64::midpoint(self.from.0, self.to.0), f64::midpoint(self.from.1, self.to.1))
    }

    fn meets(&self, other: &Self) -> bool {
        self.from.0 < other.to.0
            && other.from.0 < self.to.0
            && self.from.1 < other.to.1
            && other.from.1 < self.to.1
    }

    fn within(&self, frame: &Frame) -> bool {
        self.from.0 > frame.left
            && self.to.0 < frame.right
            && self.from.1 > frame.top
            && self.to.1 < frame.bottom
    }
}

#[cfg(test)]
mod tests {
    use super::frontier;

    #[test]
    fn a_line_joins_what_nothing_cheaper_equals() {
        // Heights count downwards, as on the sheet.
        let points = [(0.0, 9.0), (1.0, 7.0), (2.0, 8.0), (3.0, 7.0), (4.0, 2.0)];
        assert_eq!(frontier(points.into_iter()), [(0.0, 9.0), (1.0, 7.0), (4.0, 2.0)]);
    }
}
