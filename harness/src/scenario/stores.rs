//! Skill stores beside the users' homes: one library for several users, or one that all only read.

use std::sync::Arc;

use mock_llm::decode::Decoder;
use mock_llm::yaml::{Entry, Node};

use super::homes::tree;
use super::load::Files;
use super::model::SharedStore;
use super::names::is_name;

/// The keys of a store.
pub(super) const STORE: &[&str] = &["path", "files", "writable"];

/// All stores by name.
pub(super) fn stores(d: &Decoder, node: &Node, files: &mut Files<'_>) -> Option<Vec<SharedStore>> {
    Some(d.entries(node, "stores by name")?.filter_map(|entry| store(d, entry, files)).collect())
}

fn store(d: &Decoder, entry: &Entry, files: &mut Files<'_>) -> Option<SharedStore> {
    let good_name = is_name(d, &entry.key, entry.key_span, "a store");
    let map = d.map(&entry.value, "a store", STORE)?;
    let path = map.or("path", format!("/shared/{}", entry.key), |d, node| {
        let path = d.word(node)?;
        let good = path.len() > 1 && path.starts_with('/') && !path.ends_with('/');
        if !good {
            d.error_with(node.span, format!("`{path}` is no absolute path"), "such as `/shared/skills`");
        }
        good.then(|| path.to_owned())
    });
    let held = map.or("files", Vec::new(), |d, node| tree(d, node, files));
    let writable = map.or("writable", true, Decoder::bool);
    Some(SharedStore {
        name: good_name.then(|| Arc::from(&*entry.key))?,
        path: path.into(),
        files: held,
        writable,
    })
}
