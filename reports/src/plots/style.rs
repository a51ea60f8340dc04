//! Font, colours, dashes and markers.

use std::sync::Once;

use plotters::style::{FontStyle, RGBColor, register_font};

/// The family by which plots name the embedded font.
pub const FONT_FAMILY: &str = "DejaVu Sans";

const FONT: &[u8] = include_bytes!("../../assets/DejaVuSans-subset.ttf");

/// Where an SVG's font comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FontPlace {
    /// The file holds it, so that it looks the same alone.
    Inside,
    /// The page around it holds it, once for all plots.
    Page,
}

/// The CSS rule that embeds the font.
pub fn font_face() -> String {
    let data = base64(FONT);
    format!(
        "@font-face{{font-family:\"{FONT_FAMILY}\";src:url(data:font/ttf;base64,{data}) format(\"truetype\")}}"
    )
}

/// Makes the font known to the drawing library; once is enough.
pub(super) fn register() {
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        let registered = register_font(FONT_FAMILY, FontStyle::Normal, FONT);
        assert!(registered.is_ok(), "the embedded font is a font");
    });
}

pub(super) const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
pub(super) const FAINT: RGBColor = RGBColor(0x5a, 0x5a, 0x5a);
pub(super) const GRID: RGBColor = RGBColor(0xdd, 0xdd, 0xdd);
pub(super) const PAPER: RGBColor = RGBColor(0xff, 0xff, 0xff);

/// Okabe and Ito's palette without black, which is ink, and yellow, which is weak on white; darkest first.
const PALETTE: [RGBColor; 6] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x56, 0xb4, 0xe9),
];

/// Lengths of strokes and gaps in turn; empty for a solid line.
const DASHES: [&[f64]; 5] = [&[], &[9.0, 4.0], &[2.5, 3.0], &[10.0, 3.0, 2.5, 3.0], &[5.0, 2.5]];

/// A point's shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marker {
    Circle,
    Square,
    Triangle,
    Diamond,
    Cross,
}

const MARKERS: [Marker; 5] =
    [Marker::Circle, Marker::Square, Marker::Triangle, Marker::Diamond, Marker::Cross];

/// How the n-th series is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeriesStyle {
    pub(super) colour: RGBColor,
    pub(super) dash: &'static [f64],
    pub(super) marker: Marker,
}

/// Colours repeat after six and dashes after five, so that thirty series differ in one or the other.
pub(super) fn series_style(index: usize) -> SeriesStyle {
    SeriesStyle {
        colour: PALETTE[index % PALETTE.len()],
        dash: DASHES[index % DASHES.len()],
        marker: MARKERS[index % MARKERS.len()],
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| usize::from(chunk.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            if digit <= chunk.len() {
                out.push(char::from(DIGITS[bits >> (18 - 6 * digit) & 63]));
            } else {
                out.push('=');
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4648, section 10.
    #[test]
    fn base64_of_the_standard() {
        let cases = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (text, expected) in cases {
            assert_eq!(base64(text.as_bytes()), expected);
        }
    }
}
