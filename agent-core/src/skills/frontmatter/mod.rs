//! The header of a `SKILL.md`: the strict validator, the lenient parser and the light name reader.

mod light;

pub use light::light_name;
