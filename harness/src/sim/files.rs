//! Files put into a tree from outside the agent.

use std::sync::Arc;

use agent_core::stores::{Bytes, Content, Files, FilesError, TreePath};

/// Puts a file there and makes the directories above it.
pub(crate) fn put(tree: &mut dyn Files, path: &TreePath, bytes: &Bytes) -> Result<(), FilesError> {
    if let Some(parent) = path.parent() {
        tree.create_dir(&parent)?;
    }
    tree.replace(path, Content::bytes(Arc::clone(bytes)))
}
