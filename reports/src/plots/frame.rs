//! The frame of a chart: where data come to lie, axes, ticks, grid and legend.

use plotters::prelude::DrawingBackend;

use super::canvas::{At, Canvas, Drawn, Pen, Side, fitted};
use super::chart::Head;
use super::style::{FAINT, GRID, INK, SeriesStyle};
use crate::stats::number;

/// Sizes of letters.
pub(super) const TITLE_SIZE: f64 = 18.0;
pub(super) const LABEL_SIZE: f64 = 13.0;
pub(super) const TICK_SIZE: f64 = 12.0;

pub(super) fn pen(letters: f64, side: Side) -> Pen {
    Pen { size: letters, colour: INK, side, upright: false }
}

pub(super) fn faint(letters: f64, side: Side) -> Pen {
    Pen { colour: FAINT, ..pen(letters, side) }
}

/// A range of values on an axis, never empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Span {
    /// The span of these values; 0 to 1 without any, and one to each side of a single one.
    pub(super) fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let finite = values.into_iter().filter(|value| value.is_finite());
        let (low, high) = finite
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        match (low <= high, low < high) {
            (false, _) => Self { low: 0.0, high: 1.0 },
            (true, false) => Self { low: low - 1.0, high: high + 1.0 },
            (true, true) => Self { low, high },
        }
    }

    pub(super) fn with(self, value: f64) -> Self {
        Self { low: self.low.min(value), high: self.high.max(value) }
    }

    /// Wider by this share of its length at each end.
    pub(super) fn padded(self, below: f64, above: f64) -> Self {
        let length = self.high - self.low;
        Self { low: self.low - below * length, high: self.high + above * length }
    }

    /// Round values within it, some five of them, and the digits that they need.
    pub(super) fn ticks(self, wanted: f64, whole: bool) -> (Vec<f64>, usize) {
        let raw = (self.high - self.low) / wanted;
        let power = 10_f64.powf(raw.log10().floor());
        let factor = match raw / power {
            ratio if ratio < 1.4 => 1.0,
            ratio if ratio < 3.0 => 2.0,
            ratio if ratio < 7.0 => 5.0,
            _ => 10.0,
        };
        let step = factor * power;
        let step = if whole { step.round().max(1.0) } else { step };
        let mut ticks = Vec::new();
        let mut index = (self.low / step).ceil();
        while index * step <= self.high + step * 1e-9 && ticks.len() < 50 {
            ticks.push(index * step);
            index += 1.0;
        }
        (ticks, digits_of(step))
    }
}

/// Digits after the point that a step needs to be told apart.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 6")]
fn digits_of(step: f64) -> usize {
    (-step.log10().floor()).clamp(0.0, 6.0) as usize
}

/// Where data come to lie on the sheet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
    pub(super) x: Span,
    pub(super) y: Span,
}

impl Frame {
    pub(super) fn at_x(&self, x: f64) -> f64 {
        self.left + (x - self.x.low) / (self.x.high - self.x.low) * (self.right - self.left)
    }

    pub(super) fn at_y(&self, y: f64) -> f64 {
        self.bottom - (y - self.y.low) / (self.y.high - self.y.low) * (self.bottom - self.top)
    }

    pub(super) fn at(&self, (x, y): At) -> At {
        (self.at_x(x), self.at_y(y))
    }

    /// Horizontal grid, ticks of both axes with their numbers, axes.
    pub(super) fn axes<DB: DrawingBackend>(&self, canvas: &Canvas<'_, DB>, whole_x: bool) -> Drawn {
        self.vertical_axis(canvas)?;
        self.horizontal_axis(canvas, whole_x)
    }

    fn vertical_axis<DB: DrawingBackend>(&self, canvas: &Canvas<'_, DB>) -> Drawn {
        let (ticks, digits) = self.y.ticks(5.0, false);
        for tick in ticks {
            let y = self.at_y(tick);
            canvas.line(&[(self.left, y), (self.right, y)], GRID, 1.0, &[])?;
            canvas.text((self.left - 7.0, y), &number(tick, digits), pen(TICK_SIZE, Side::Right))?;
        }
        canvas.line(&[(self.left, self.top), (self.left, self.bottom)], INK, 1.0, &[])
    }

    pub(super) fn horizontal_axis<DB: DrawingBackend>(&self, canvas: &Canvas<'_, DB>, whole: bool) -> Drawn {
        let wanted = ((self.right - self.left) / 90.0).clamp(2.0, 10.0);
        let (ticks, digits) = self.x.ticks(wanted, whole);
        for tick in ticks {
            let x = self.at_x(tick);
            canvas.line(&[(x, self.bottom), (x, self.bottom + 5.0)], INK, 1.0, &[])?;
            canvas.text((x, self.bottom + 15.0), &number(tick, digits), pen(TICK_SIZE, Side::Centre))?;
        }
        canvas.line(&[(self.left, self.bottom), (self.right, self.bottom)], INK, 1.0, &[])
    }

    pub(super) fn labels<DB: DrawingBackend>(&self, canvas: &Canvas<'_, DB>, x: &str, y: &str) -> Drawn {
        let middle = f64::midpoint(self.left, self.right);
        canvas.text((middle, self.bottom + 36.0), x, pen(LABEL_SIZE, Side::Centre))?;
        let upright = Pen { upright: true, ..pen(LABEL_SIZE, Side::Centre) };
        canvas.text((self.left - 52.0, f64::midpoint(self.top, self.bottom)), y, upright)
    }

    /// Axes without numbers, their labels, and the reason why there is nothing to see.
    pub(super) fn empty<DB: DrawingBackend>(&self, canvas: &Canvas<'_, DB>, head: &Head) -> Drawn {
        let corners = [(self.left, self.top), (self.left, self.bottom), (self.right, self.bottom)];
        canvas.line(&corners, INK, 1.0, &[])?;
        self.labels(canvas, &head.x, &head.y)?;
        let middle = (f64::midpoint(self.left, self.right), f64::midpoint(self.top, self.bottom));
        canvas.text(middle, &format!("no data: {}", head.empty), faint(LABEL_SIZE + 1.0, Side::Centre))
    }
}

/// A legend's entry: how its series is drawn, and its words.
pub(super) struct Entry<'a> {
    pub(super) style: SeriesStyle,
    pub(super) name: &'a str,
    /// A second, fainter line.
    pub(super) detail: String,
    /// Whether the series has points only.
    pub(super) points: bool,
}

/// Entries below each other; those that find no room are counted in a last line.
pub(super) fn legend<DB: DrawingBackend>(
    canvas: &Canvas<'_, DB>,
    (x, y): At,
    width: f64,
    bottom: f64,
    entries: &[Entry<'_>],
) -> Drawn {
    const ENTRY_HEIGHT: f64 = 38.0;
    let mut y = y;
    for (index, entry) in entries.iter().enumerate() {
        if y + ENTRY_HEIGHT > bottom && index + 1 < entries.len() {
            let left = entries.len() - index;
            return canvas.text((x, y), &format!("and {left} more"), faint(TICK_SIZE, Side::Left));
        }
        let SeriesStyle { colour, dash, marker } = entry.style;
        if !entry.points {
            canvas.line(&[(x, y), (x + 34.0, y)], colour, 2.0, dash)?;
        }
        canvas.marker((x + 17.0, y), marker, colour, false)?;
        canvas.text(
            (x + 42.0, y),
            &fitted(entry.name, LABEL_SIZE, width - 58.0),
            pen(LABEL_SIZE, Side::Left),
        )?;
        canvas.text((x + 42.0, y + 15.0), &entry.detail, faint(TICK_SIZE - 1.0, Side::Left))?;
        y += ENTRY_HEIGHT;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ticks_are_round() {
        let shown = |low, high| {
            let (ticks, digits) = Span { low, high }.ticks(5.0, false);
            ticks.iter().map(|tick| number(*tick, digits)).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(shown(0.0, 12.7), "0 2 4 6 8 10 12");
        assert_eq!(shown(-0.03, 0.11), "-0.02 0.00 0.02 0.04 0.06 0.08 0.10");
        assert_eq!(shown(0.0, 16_000.0), "0 5000 10000 15000");
        assert_eq!(Span::of([]), Span { low: 0.0, high: 1.0 });
        assert_eq!(Span::of([3.0]), Span { low: 2.0, high: 4.0 });
    }

    proptest! {
        #[test]
        fn ticks_lie_within(low in -1e6..1e6_f64, length in 1e-3..1e6_f64, whole in any::<bool>()) {
            let span = Span { low, high: low + length };
            let (ticks, _) = span.ticks(5.0, whole);
            let slack = length * 1e-6;
            prop_assert!(ticks.iter().all(|tick| (low - slack..=low + length + slack).contains(tick)));
            prop_assert!(whole || !ticks.is_empty());
        }
    }
}
