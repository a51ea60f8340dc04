//! The records in memory, and how they get from and to the sidecar file.
//!
//! A change touches the book only; [`UsageBook::flush`] writes the file. Before each look or change the book asks
//! whether the file is still the one that it read or wrote; if not, it reads it again and keeps its own unwritten
//! records. So a count costs the same in a library of any size, and another writer's file is noticed.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::super::library::Library;
use super::super::seen::Seen;
use super::record::Record;
use crate::stores::{Content, Files, TreePath};

const FILE: &str = ".usage.json";
const LOCK: &str = ".usage.json.lock";

/// Usage records by skill name.
#[derive(Clone, Debug)]
pub struct UsageBook {
    records: BTreeMap<String, Record>,
    /// Names whose record was changed or removed since the file was last written.
    changed: BTreeSet<String>,
    /// How the file looked when it was last read or written.
    seen: Seen,
    /// Why the file's records count as none, if it holds something else.
    damage: Option<Damage>,
}

/// What is wrong with a sidecar file.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Damage {
    /// Its bytes are not UTF-8: nothing is ever written over it.
    Undecodable(String),
    /// It is no JSON object.
    NoRecords(String),
}

impl Default for UsageBook {
    fn default() -> Self {
        Self { records: BTreeMap::new(), changed: BTreeSet::new(), seen: Seen::Never, damage: None }
    }
}

fn own_file(library: &Library<'_>, name: &str) -> TreePath {
    library.own().path.below(&TreePath::new(name))
}

impl UsageBook {
    /// Reads the file again if it is not the one that was read or written last.
    pub fn sync(&mut self, library: &Library<'_>) {
        self.sync_with(library.home(), &own_file(library, FILE));
    }

    fn sync_with(&mut self, home: &dyn Files, file: &TreePath) {
        if self.seen.still(home, file) {
            return;
        }
        self.seen = Seen::of(home, file);
        let mut kept = std::mem::take(&mut self.records);
        let (records, damage) = match read(home, file) {
            Ok(records) => (records, None),
            Err(damage) => (BTreeMap::new(), Some(damage)),
        };
        (self.records, self.damage) = (records, damage);
        for name in &self.changed {
            match kept.remove(name) {
                Some(record) => drop(self.records.insert(name.clone(), record)),
                None => drop(self.records.remove(name)),
            }
        }
    }

    fn is_undecodable(&self) -> bool {
        matches!(self.damage, Some(Damage::Undecodable(_)))
    }

    /// Why the file's records count as none, if it holds something else. Call [`UsageBook::sync`] before.
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_ref().map(|(Damage::Undecodable(why) | Damage::NoRecords(why))| &**why)
    }

    /// The stored record of a skill. Call [`UsageBook::sync`] before.
    pub fn get(&self, name: &str) -> Option<&Record> {
        self.records.get(name)
    }

    /// All stored records, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Record)> {
        self.records.iter().map(|(name, record)| (name.as_str(), record))
    }

    /// Whether there are changes that the file does not have yet.
    pub fn is_changed(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Changes the record of a skill, a fresh one if there is none. The body says whether it changed anything.
    pub(super) fn change(
        &mut self,
        name: &str,
        fresh: impl FnOnce() -> Record,
        body: impl FnOnce(&mut Record) -> bool,
    ) {
        if name.is_empty() || self.is_undecodable() {
            return;
        }
        match self.records.get_mut(name) {
            Some(record) => {
                if body(record) {
                    self.changed.insert(name.to_owned());
                }
            }
            None => {
                let mut record = fresh();
                if body(&mut record) {
                    self.records.insert(name.to_owned(), record);
                    self.changed.insert(name.to_owned());
                }
            }
        }
    }

    /// Removes the record of a skill.
    pub(super) fn remove(&mut self, name: &str) {
        if !name.is_empty() && !self.is_undecodable() && self.records.remove(name).is_some() {
            self.changed.insert(name.to_owned());
        }
    }

    /// Writes the changes into the file, under its lock and on top of what another writer left there. After a
    /// failure the changes stay in the book.
    pub fn flush(&mut self, library: &mut Library<'_>) {
        if self.changed.is_empty() {
            return;
        }
        let (file, lock) = (own_file(library, FILE), own_file(library, LOCK));
        let dir = library.own().path.clone();
        let home = library.home_mut();
        if home.create_dir(&dir).is_err() {
            return;
        }
        // A lock that cannot be had means that nothing is written; so does a failing write.
        let _ = home.with_lock(&lock, &mut |home| {
            self.sync_with(home, &file);
            if self.is_undecodable() || home.replace(&file, Content::text(&self.to_text())).is_err() {
                return;
            }
            self.changed.clear();
            self.seen = Seen::of(home, &file);
        });
    }

    /// The text of the file: two blanks of indent, sorted keys, non-ASCII kept.
    fn to_text(&self) -> String {
        let all: BTreeMap<&str, Value> =
            self.iter().map(|(name, record)| (name, record.to_value())).collect();
        serde_json::to_string_pretty(&all).expect("JSON values with text keys always serialise")
    }
}

/// The records of a file; none of an absent one.
fn read(home: &dyn Files, file: &TreePath) -> Result<BTreeMap<String, Record>, Damage> {
    let Ok(bytes) = home.read(file) else { return Ok(BTreeMap::new()) };
    let text = std::str::from_utf8(&bytes).map_err(|error| Damage::Undecodable(error.to_string()))?;
    let entries: Map<String, Value> =
        serde_json::from_str(text).map_err(|error| Damage::NoRecords(error.to_string()))?;
    let records = entries
        .into_iter()
        .filter_map(|(name, value)| Record::from_value(value).map(|record| (name, record)));
    Ok(records.collect())
}
