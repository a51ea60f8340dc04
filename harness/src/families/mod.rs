//! Families of recurring tasks: what users ask for, how it is done, where it goes wrong, and what spares that.
//!
//! A family is data. From it follow the steps of the scripted model and the writing rules of its reviews ([`script`]), and
//! the answers of the tools ([`world`]). Nothing here simulates, and nothing here decides what a model knows: that follows,
//! request by request, from what the agent put before it.
//!
//! Rates ([`rates`]) stand in for what no rule of an agent tells: how often a model opens a skill that it is shown, or acts
//! on what it read. They are required, and what they rest on is said with every figure.

mod check;
mod compile;
mod decode;
mod hazards;
pub(crate) mod keys;
mod model;
pub(crate) mod rates;
mod review;
pub(crate) mod script;
#[cfg(test)]
mod tests;
mod text;
mod world;

pub(crate) use compile::{script, world as families_world};
pub(crate) use decode::{families, file};
pub(crate) use model::{Families, Family, HazardId, HazardKind};
pub(crate) use rates::{RateError, Rates, rate_name};
pub(crate) use text::SlotText;
pub(crate) use world::TROUBLE;
