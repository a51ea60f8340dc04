//! The content hash of a skill (`spec/skill-guard.md` §6).

use std::fmt::Write;

use sha2::{Digest, Sha256};

use super::scan::file_behind;
use crate::behaviour::{GuardRules, HashOver, Unreadable};
use crate::stores::{Files, FilesError, Resolved, TreePath, is_file, resolve, walk_files};

const SHORT_DIGITS: usize = 16;

/// SHA-256 over a skill's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentHash(String);

impl ContentHash {
    /// All 64 hex digits.
    pub fn hex(&self) -> &str {
        &self.0
    }

    /// `sha256:` and all digits.
    pub fn full(&self) -> String {
        format!("sha256:{}", self.0)
    }

    /// `sha256:` and the first 16 digits, as reported.
    pub fn short(&self) -> String {
        format!("sha256:{}", &self.0[..SHORT_DIGITS])
    }
}

/// The hash over all regular files of a skill, links to files followed, ignore files not asked; for a single file
/// over its bytes. Links that lead out of the tree or nowhere are passed over.
///
/// # Errors
/// A file cannot be read, where the rules do not pass that over.
pub fn content_hash(
    files: &dyn Files,
    path: &TreePath,
    rules: &GuardRules,
) -> Result<ContentHash, FilesError> {
    let mut hash = Sha256::new();
    if is_file(files, path) {
        hash.update(&*files.read(path)?);
        return Ok(ContentHash(hex(hash)));
    }
    let Resolved::Inside(base) = resolve(files, path)? else { return Ok(ContentHash(hex(hash))) };
    let mut trouble = None;
    // The walk goes by name within each directory, which is the order of components.
    walk_files(files, &base, &mut |found, _| {
        let (Some(inner), Some(real)) = (found.strip(&base), file_behind(files, found)) else { return };
        match files.read(&real) {
            Ok(bytes) => {
                if rules.hash_over == HashOver::PathsAndBytes {
                    hash.update(inner.as_str().as_bytes());
                    hash.update([0]);
                }
                hash.update(&*bytes);
            }
            Err(_) if rules.unreadable == Unreadable::Skipped => {}
            Err(error) => drop(trouble.get_or_insert(error)),
        }
    });
    trouble.map_or_else(|| Ok(ContentHash(hex(hash))), Err)
}

/// The first 16 digits of the hash of a source and its address: part of the name of a cached scan.
pub(super) fn source_digits(source: &str, source_url: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(source.as_bytes());
    hash.update([0]);
    hash.update(source_url.as_bytes());
    let mut digits = hex(hash);
    digits.truncate(SHORT_DIGITS);
    digits
}

fn hex(hash: Sha256) -> String {
    let mut digits = String::with_capacity(64);
    for byte in hash.finalize() {
        write!(digits, "{byte:02x}").expect("a string takes all");
    }
    digits
}
