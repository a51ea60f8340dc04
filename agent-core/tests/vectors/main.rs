//! Golden cases, made by running the reference. One test a file: `cargo test -p agent-core --test vectors NAME`.
//! With `VECTORS_DIR` set, the files of that folder are run instead of the ones beside this file.

mod common;
mod curator;
mod guard;
mod memory;
mod nudges;
mod patch;
mod prompt;
#[path = "../rig/mod.rs"]
mod rig;
mod sessions;
mod skills;
