//! Files of a home: what it holds at the start, and what somebody writes or removes later.

use agent_core::stores::{Content, TreePath};
use mock_llm::decode::Decoder;
use mock_llm::yaml::{Entry, Node, Value};

use super::load::Files;
use super::turns::{content, path};

/// The keys of a file that is written out, and of a link.
pub(super) const HOME_CONTENT: &[&str] = &["text", "link"];

/// What a tree holds: all files of a folder, or files by their path.
pub(super) fn tree(d: &Decoder, node: &Node, files: &mut Files<'_>) -> Option<Vec<(TreePath, Content)>> {
    if node.as_map().is_some() {
        let entries = d.entries(node, "files by their path")?;
        return Some(entries.filter_map(|found| entry(d, found, files)).collect());
    }
    let reference = d.word(node)?;
    let found = files.directory(d, node, reference)?;
    Some(found.into_iter().map(|(path, bytes)| (path, Content::bytes(bytes))).collect())
}

/// Files that somebody writes or removes (`null`).
pub(super) fn changes(
    d: &Decoder,
    node: &Node,
    files: &mut Files<'_>,
) -> Option<Vec<(TreePath, Option<Content>)>> {
    let (removed, written): (Vec<_>, Vec<_>) =
        d.entries(node, "files of the home")?.partition(|entry| entry.value.value == Value::Null);
    let mut changes = Vec::new();
    for found in written {
        changes.extend(entry(d, found, files).map(|(path, content)| (path, Some(content))));
    }
    for entry in removed {
        changes.extend(path(d, entry).map(|path| (path, None)));
    }
    Some(changes)
}

/// One file or link with its path.
fn entry(d: &Decoder, entry: &Entry, files: &mut Files<'_>) -> Option<(TreePath, Content)> {
    let path = path(d, entry);
    let is_link = entry.value.as_map().is_some_and(|map| map.get("link").is_some());
    let content =
        if is_link { link(d, &entry.value) } else { content(d, &entry.value, files).map(Content::bytes) };
    Some((path?, content?))
}

/// `{ link: TARGET }`, the target as a link holds it: relative to the link's own folder, or absolute.
fn link(d: &Decoder, node: &Node) -> Option<Content> {
    let map = d.map(node, "a link", &["link"])?;
    map.required("link", Decoder::word).map(|target| Content::Link(target.to_owned()))
}
