//! The session stores of the user's other profiles: homes of their own below `profiles/` in this one. They are opened
//! for reading when a search may ask for them (`spec/sessions.md` §1, §4).

use std::collections::BTreeMap;

use crate::sessions::ReadOnlyStore;
use crate::stores::{Files, TreePath, exists};

const PROFILES: &str = "profiles";
const DATABASE: &str = "state.db";

/// The stores of other profiles, opened at most once for each state of their files.
#[derive(Debug, Default)]
pub(super) struct Profiles {
    seen: Option<u64>,
    stores: BTreeMap<String, ReadOnlyStore>,
}

impl Profiles {
    /// The stores by profile. A database that cannot be read is not there: a profile is never a reason to fail.
    pub(super) fn open(&mut self, home: &dyn Files) -> &mut BTreeMap<String, ReadOnlyStore> {
        let root = TreePath::new(PROFILES);
        let revision = home.revision(&root);
        if self.seen.is_none() || self.seen != revision {
            self.stores = read_all(home, &root);
            self.seen = revision;
        }
        &mut self.stores
    }
}

fn read_all(home: &dyn Files, root: &TreePath) -> BTreeMap<String, ReadOnlyStore> {
    let mut stores = BTreeMap::new();
    for entry in home.list(root).unwrap_or_default() {
        let Ok(path) = root.join(&entry.name).and_then(|profile| profile.join(DATABASE)) else { continue };
        if !exists(home, &path) {
            continue;
        }
        if let Ok(store) = ReadOnlyStore::open(home, &path) {
            stores.insert(entry.name, store);
        }
    }
    stores
}
