//! A sheet to draw on, the same for SVG and PNG: lengths in points, scaled for print.

use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::{
    BitMapBackend, Circle, DrawingArea, DrawingBackend, IntoDrawingArea, IntoFont, PathElement, Polygon,
    Rectangle, SVGBackend, Text,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontTransform, RGBColor, ShapeStyle, TextStyle};
use thiserror::Error;

use super::chart::Chart;
use super::style::{FONT_FAMILY, FontPlace, Marker, PAPER, font_face, register};
use crate::plain::one_line;

/// Why a plot could not be drawn.
#[derive(Debug, Error)]
#[error("cannot draw a plot: {0}")]
pub struct PlotError(String);

pub(super) type Drawn = Result<(), PlotError>;

/// Pixels per point in PNG files: sharp in print.
const PNG_SCALE: f64 = 2.0;

/// The drawing library centres lines of text, not their digits: what to lower them by, in sizes of letters.
const SVG_SINK: f64 = 0.09;
const PNG_SINK: f64 = 0.2;

/// The chart as SVG.
///
/// # Errors
/// If the drawing library refuses.
pub fn svg(chart: &Chart, font: FontPlace) -> Result<String, PlotError> {
    register();
    let mut out = String::new();
    let (width, height) = chart.size();
    {
        let backend = SVGBackend::with_string(&mut out, (pixels(width), pixels(height)));
        draw(chart, &backend.into_drawing_area(), 1.0, SVG_SINK)?;
    }
    let (title, description) = (escape(&chart.head().title), escape(&chart.describe()));
    let style = match font {
        FontPlace::Inside => format!("<style>{}</style>\n", font_face()),
        FontPlace::Page => String::new(),
    };
    let family = format!("font-family=\"{FONT_FAMILY}\"");
    let stack = format!("font-family=\"'{FONT_FAMILY}', Verdana, sans-serif\"");
    // The drawing library knows one family and no description; both are put in afterwards.
    let out = out.replace(&family, &stack).replacen("<svg ", "<svg role=\"img\" ", 1);
    let head = format!(">\n<title>{title}</title>\n<desc>{description}</desc>\n{style}");
    Ok(out.replacen(">\n", &head, 1))
}

/// Draws the chart into a PNG file, at twice the size.
///
/// # Errors
/// If the file cannot be written.
pub fn png(chart: &Chart, path: &Path) -> Drawn {
    register();
    let (width, height) = chart.size();
    let size = (pixels(width * PNG_SCALE), pixels(height * PNG_SCALE));
    draw(chart, &BitMapBackend::new(path, size).into_drawing_area(), PNG_SCALE, PNG_SINK)
}

fn draw<DB: DrawingBackend>(chart: &Chart, area: &DrawingArea<DB, Shift>, scale: f64, sink: f64) -> Drawn {
    area.fill(&PAPER).map_err(failed)?;
    chart.draw(&Canvas { area, scale, sink })?;
    area.present().map_err(failed)
}

fn failed(error: impl std::fmt::Display) -> PlotError {
    PlotError(error.to_string())
}

/// Text for an XML document.
fn escape(text: &str) -> String {
    one_line(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sizes of sheets are small and positive"
)]
fn pixels(length: f64) -> u32 {
    length.round().max(1.0) as u32
}

/// On which side of its point a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Centre,
    Right,
}

/// How a text is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pen {
    pub(super) size: f64,
    pub(super) colour: RGBColor,
    pub(super) side: Side,
    /// Upwards, for the vertical axis.
    pub(super) upright: bool,
}

/// A point on the sheet.
pub(super) type At = (f64, f64);

pub(super) struct Canvas<'a, DB: DrawingBackend> {
    area: &'a DrawingArea<DB, Shift>,
    scale: f64,
    /// How far a text sinks, in sizes of its letters, so that its digits are centred.
    sink: f64,
}

impl<DB: DrawingBackend> Canvas<'_, DB> {
    #[expect(clippy::cast_possible_truncation, reason = "points on a sheet are small")]
    fn place(&self, (x, y): At) -> (i32, i32) {
        ((x * self.scale).round() as i32, (y * self.scale).round() as i32)
    }

    fn stroke(&self, colour: RGBColor, width: f64) -> ShapeStyle {
        ShapeStyle { color: colour.to_rgba(), filled: false, stroke_width: pixels(width * self.scale) }
    }

    /// A line through these points, dashed where lengths are given.
    pub(super) fn line(&self, points: &[At], colour: RGBColor, width: f64, dash: &[f64]) -> Drawn {
        let stroke = self.stroke(colour, width);
        for piece in dashed(points, dash) {
            let places: Vec<_> = piece.into_iter().map(|point| self.place(point)).collect();
            self.area.draw(&PathElement::new(places, stroke)).map_err(failed)?;
        }
        Ok(())
    }

    pub(super) fn polygon(&self, points: &[At], colour: RGBColor, opacity: f64) -> Drawn {
        if points.len() < 3 {
            return Ok(());
        }
        let places: Vec<_> = points.iter().map(|point| self.place(*point)).collect();
        self.area.draw(&Polygon::new(places, colour.mix(opacity).filled())).map_err(failed)
    }

    pub(super) fn bar(&self, from: At, to: At, colour: RGBColor) -> Drawn {
        self.area.draw(&Rectangle::new([self.place(from), self.place(to)], colour.filled())).map_err(failed)
    }

    pub(super) fn marker(&self, at: At, marker: Marker, colour: RGBColor, hollow: bool) -> Drawn {
        const SIZE: f64 = 4.5;
        let (x, y) = at;
        let corners = |corners: &[(f64, f64)]| -> Vec<At> {
            corners.iter().map(|(dx, dy)| (x + dx * SIZE, y + dy * SIZE)).collect()
        };
        let shape = match marker {
            Marker::Circle => {
                let style = if hollow { self.stroke(colour, 1.5) } else { colour.filled() };
                let circle = Circle::new(self.place(at), pixels(SIZE * self.scale), style);
                return self.area.draw(&circle).map_err(failed);
            }
            Marker::Cross => {
                self.line(&corners(&[(-1.0, -1.0), (1.0, 1.0)]), colour, 2.0, &[])?;
                return self.line(&corners(&[(-1.0, 1.0), (1.0, -1.0)]), colour, 2.0, &[]);
            }
            Marker::Square => corners(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
            Marker::Triangle => corners(&[(0.0, -1.15), (1.1, 0.85), (-1.1, 0.85)]),
            Marker::Diamond => corners(&[(0.0, -1.3), (1.1, 0.0), (0.0, 1.3), (-1.1, 0.0)]),
        };
        if hollow {
            let closed: Vec<At> = shape.iter().chain(shape.first()).copied().collect();
            self.line(&closed, colour, 1.5, &[])
        } else {
            self.polygon(&shape, colour, 1.0)
        }
    }

    pub(super) fn text(&self, (x, y): At, text: &str, pen: Pen) -> Drawn {
        let sink = self.sink * pen.size;
        let at = if pen.upright { (x + sink, y) } else { (x, y + sink) };
        let side = match pen.side {
            Side::Left => HPos::Left,
            Side::Centre => HPos::Center,
            Side::Right => HPos::Right,
        };
        let font = (FONT_FAMILY, pen.size * self.scale * EM).into_font();
        let font = if pen.upright { font.transform(FontTransform::Rotate270) } else { font };
        let style = TextStyle::from(font).color(&pen.colour).pos(Pos::new(side, VPos::Center));
        self.area.draw(&Text::new(one_line(text).into_owned(), self.place(at), style)).map_err(failed)
    }
}

/// The drawing library's sizes are heights of lines; 1.24 of them make the size of the letters.
const EM: f64 = 1.24;

/// The width of a text of this size, in points.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    register();
    let font = (FONT_FAMILY, size * EM * 10.0).into_font();
    // The embedded font has all widths; a failure could only mean that it is not registered.
    font.box_size(text).map_or(0.0, |(width, _)| f64::from(width) / 10.0)
}

/// The text, with an ellipsis in its middle if it is wider: names differ at their ends.
pub(super) fn fitted(text: &str, size: f64, width: f64) -> String {
    let text = one_line(text).into_owned();
    if text_width(&text, size) <= width {
        return text;
    }
    let chars: Vec<char> = text.chars().collect();
    let cut = |kept: usize| {
        let (front, back) = (kept.div_ceil(2), chars.len() - kept / 2);
        format!("{}…{}", String::from_iter(&chars[..front]), String::from_iter(&chars[back..]))
    };
    let fits = |kept: &usize| text_width(&cut(*kept), size) <= width;
    (0..chars.len()).rev().find(fits).map_or_else(|| "…".to_owned(), cut)
}

/// The text on one line, or broken after a word into two, of which the second is shortened if it must be.
pub(super) fn in_two_lines(text: &str, size: f64, width: f64) -> Vec<String> {
    let text = one_line(text);
    if text_width(&text, size) <= width {
        return vec![text.into_owned()];
    }
    let breaks = text.match_indices(' ').map(|(at, _)| at);
    let fits = breaks.take_while(|at| text_width(&text[..*at], size) <= width).last();
    match fits {
        Some(at) => vec![text[..at].to_owned(), fitted(&text[at + 1..], size, width)],
        None => vec![fitted(&text, size, width)],
    }
}

/// The pieces of a dashed line.
fn dashed(points: &[At], dash: &[f64]) -> Vec<Vec<At>> {
    if dash.is_empty() || points.len() < 2 {
        return vec![points.to_vec()];
    }
    let mut pieces = Vec::new();
    let mut piece = vec![points[0]];
    let mut lengths = dash.iter().copied().cycle();
    let (mut left, mut drawn) = (lengths.next().unwrap_or(1.0), true);
    for pair in points.windows(2) {
        let ((mut x, mut y), (x1, y1)) = (pair[0], pair[1]);
        loop {
            let distance = f64::hypot(x1 - x, y1 - y);
            if distance <= left {
                left -= distance;
                if drawn {
                    piece.push((x1, y1));
                }
                break;
            }
            (x, y) = (x + (x1 - x) * left / distance, y + (y1 - y) * left / distance);
            if drawn {
                piece.push((x, y));
                pieces.push(std::mem::take(&mut piece));
            } else {
                piece = vec![(x, y)];
            }
            drawn = !drawn;
            left = lengths.next().unwrap_or(1.0);
        }
    }
    if drawn && piece.len() > 1 {
        pieces.push(piece);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_break_after_a_word() {
        let lines = |width| in_two_lines("one two three four five", 12.0, width);
        assert_eq!(lines(1000.0), ["one two three four five"]);
        let broken = lines(100.0);
        assert_eq!(broken.join(" "), "one two three four five");
        assert!(broken.iter().all(|line| text_width(line, 12.0) <= 100.0), "{broken:?}");
        assert_eq!(in_two_lines("onetwothree", 12.0, 20.0).len(), 1);
    }

    #[test]
    fn dashes_and_gaps_take_turns_around_corners() {
        let pieces = dashed(&[(0.0, 0.0), (10.0, 0.0), (10.0, 10.0)], &[6.0, 2.0]);
        let expected: [&[At]; 3] = [
            &[(0.0, 0.0), (6.0, 0.0)],
            &[(8.0, 0.0), (10.0, 0.0), (10.0, 4.0)],
            &[(10.0, 6.0), (10.0, 10.0)],
        ];
        assert_eq!(pieces, expected);
        assert_eq!(dashed(&[(0.0, 0.0), (1.0, 0.0)], &[]).len(), 1);
    }

    #[test]
    fn long_names_are_cut_to_their_place() {
        assert_eq!(fitted("short", 12.0, 100.0), "short");
        let cut = fitted("memory.nudge_interval=3 skills.creation_nudge_interval=10", 12.0, 120.0);
        assert!(cut.contains('…') && cut.ends_with("=10") && text_width(&cut, 12.0) <= 120.0, "{cut}");
    }
}
