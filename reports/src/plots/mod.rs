//! Plots as SVG and PNG, drawn in process with an embedded font: no font, time or place of the machine comes in, so
//! the same records give the same bytes.
//!
//! Colours are those of Okabe and Ito, and never carry a meaning alone: lines differ in dashes and markers, too.
//! Every plot names its axes with units and says n. A plot without data is drawn empty, with the reason in it.

mod bars;
mod canvas;
mod chart;
mod data;
mod frame;
mod lines;
mod names;
mod scatter;
mod style;

pub use canvas::{PlotError, png, svg};
pub use chart::{
    Bar, BarChart, Chart, Dot, Forest, ForestRow, Head, Line, LineChart, Panel, Panels, Point, Scatter,
};
pub use data::{comparison, funnel_chart, learning_curve, library, nudge_tradeoff, plots};
pub(crate) use names::Names;
pub use style::{FONT_FAMILY, FontPlace, font_face};
