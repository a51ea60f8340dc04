//! The skills index: which skills there are, which of them this session sees, and how the prompt shows them
//! (`spec/prompt.md` §3).
//!
//! Reading is cheap on purpose: directories and files whose revision is known and unchanged are not looked at again,
//! and a library that did not change gives the block that was made before. That memory is of this process alone and
//! changes no result. The two caches of the reference, which do, are [`cache`]'s matter.

mod block;
mod cache;
mod entry;
mod filter;
mod scan;
mod snapshot;
#[cfg(test)]
mod tests;

pub use block::IndexBlock;
pub use cache::{IndexContext, SkillIndex};
pub use filter::IndexQuery;
