//! Rows for reports (`spec/skill-usage.md` §4).

use serde_json::Value;

use super::names::Usage;
use super::record::Record;
use super::sources::Provenance;

/// One skill in a report.
#[derive(Clone, Debug, PartialEq)]
pub struct UsageRow {
    /// The declared name.
    pub name: String,
    /// The record, missing fields filled in.
    pub record: Record,
    /// Whether a record is stored.
    pub persisted: bool,
    /// Text of the newest activity.
    pub last_activity_at: Option<String>,
    /// Sum of the counters.
    pub activity_count: i64,
    /// Where it came from.
    pub provenance: Provenance,
}

impl UsageRow {
    /// The row as the reference reports it; with provenance in the full report only.
    pub fn to_value(&self, full: bool) -> Value {
        let mut value = self.record.to_value();
        if let Some(fields) = value.as_object_mut() {
            fields.insert("name".to_owned(), self.name.clone().into());
            fields.insert("_persisted".to_owned(), self.persisted.into());
            fields.insert("last_activity_at".to_owned(), self.last_activity_at.clone().into());
            fields.insert("activity_count".to_owned(), self.activity_count.into());
            if full {
                fields.insert("provenance".to_owned(), self.provenance.as_str().into());
            }
        }
        value
    }
}

impl Usage<'_, '_> {
    /// One row for each candidate, sorted by name.
    pub fn report(&mut self) -> Vec<UsageRow> {
        let names = self.candidates();
        names.into_iter().map(|name| self.row(name)).collect()
    }

    /// One row for each declared name below the own root, external places included, sorted by name.
    pub fn full_report(&mut self) -> Vec<UsageRow> {
        self.refresh();
        let local =
            |number: usize| self.library.roots().get(number).is_some_and(|root| root.access.is_local());
        let mut names: Vec<String> = self
            .state
            .catalogue
            .iter()
            .filter(|skill| !skill.via_link && local(skill.root))
            .map(|skill| skill.declared.to_string())
            .collect();
        names.sort_unstable();
        names.dedup();
        names.into_iter().map(|name| self.row(name)).collect()
    }

    /// The row of one name.
    pub fn row(&self, name: String) -> UsageRow {
        let record = self.get(&name);
        UsageRow {
            persisted: self.stored(&name).is_some(),
            last_activity_at: record.last_activity().map(|(_, text)| text),
            activity_count: record.activity_count(),
            provenance: self.provenance(&name),
            record,
            name,
        }
    }
}
