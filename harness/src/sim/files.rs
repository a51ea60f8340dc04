//! Files put into a tree from outside the agent.

use agent_core::stores::{Content, Files, FilesError, TreePath};

/// Puts a file or link there and makes the directories above it.
pub(crate) fn put(tree: &mut dyn Files, path: &TreePath, content: Content) -> Result<(), FilesError> {
    if let Some(parent) = path.parent() {
        tree.create_dir(&parent)?;
    }
    tree.replace(path, content)
}
