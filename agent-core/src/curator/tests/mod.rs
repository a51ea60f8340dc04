//! The curator beyond the golden cases.

mod bench;
mod faults;
mod hostile;
mod interrupted;
mod laws;
mod life;
mod passes;
mod previews;
mod switches;
mod words;
