//! The header of a `SKILL.md`: the strict validator, the lenient parser and the light name reader.
//!
//! Three readers, deliberately different as in the reference: what is written is checked strictly, what is listed
//! and viewed is read leniently, and what is looked up by usage and curator is read by lines only.

mod fence;
mod lenient;
mod light;
mod strict;

pub use lenient::Lenient;
pub use light::light_name;
pub use strict::{DESCRIPTION_CHARS_MAX, FrontmatterError, FrontmatterProblem, validate};
