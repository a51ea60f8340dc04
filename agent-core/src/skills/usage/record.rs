//! One usage record (`spec/skill-usage.md` §2 and §5).

use std::collections::BTreeMap;

use serde_json::Value;

use super::number::{counter, truthy};
use crate::values::Stamp;

/// A counter of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// Loads of the skill.
    Use,
    /// Views by the tool.
    View,
    /// Changes by the tool.
    Patch,
}

impl Counter {
    /// All counters, in the order in which the newest date is looked for.
    pub const ALL: [Self; 3] = [Self::Use, Self::View, Self::Patch];

    /// The key of the number.
    pub const fn count_key(self) -> &'static str {
        match self {
            Self::Use => "use_count",
            Self::View => "view_count",
            Self::Patch => "patch_count",
        }
    }

    /// The key of the date.
    pub const fn date_key(self) -> &'static str {
        match self {
            Self::Use => "last_used_at",
            Self::View => "last_viewed_at",
            Self::Patch => "last_patched_at",
        }
    }
}

/// The three known states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkillState {
    /// In use.
    Active,
    /// Not used for some time.
    Stale,
    /// Moved into the archive.
    Archived,
}

impl SkillState {
    /// The text in the file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Stale => "stale",
            Self::Archived => "archived",
        }
    }

    /// The state of this text, case and all.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Active, Self::Stale, Self::Archived].into_iter().find(|state| state.as_str() == text)
    }
}

/// A record as it stands in the file: unknown fields and values of odd types are kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record(BTreeMap<String, Value>);

impl Record {
    /// A new record, made at this time.
    pub fn fresh(at: Stamp) -> Self {
        let mut record = Self::default();
        record.fill(at);
        record
    }

    /// The record in a JSON value; `None` if it is no object.
    pub fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Object(fields) => Some(Self(fields.into_iter().collect())),
            _ => None,
        }
    }

    /// The record as a JSON object.
    pub fn to_value(&self) -> Value {
        Value::Object(self.0.iter().map(|(key, value)| (key.clone(), value.clone())).collect())
    }

    /// Adds the missing fields with their defaults; present nulls stay.
    pub fn fill(&mut self, at: Stamp) {
        let defaults = [
            ("archived_at", Value::Null),
            ("created_at", Value::Null),
            ("created_by", Value::Null),
            ("last_patched_at", Value::Null),
            ("last_used_at", Value::Null),
            ("last_viewed_at", Value::Null),
            ("patch_count", Value::from(0)),
            ("pinned", Value::from(false)),
            ("state", Value::from(SkillState::Active.as_str())),
            ("use_count", Value::from(0)),
            ("view_count", Value::from(0)),
        ];
        let dated = self.0.contains_key("created_at");
        for (key, default) in defaults {
            self.0.entry(key.to_owned()).or_insert(default);
        }
        if !dated {
            self.set("created_at", at.to_string());
        }
    }

    /// A field.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key)
    }

    /// Sets a field.
    pub fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.0.insert(key.to_owned(), value.into());
    }

    /// The fields in key order.
    pub fn fields(&self) -> &BTreeMap<String, Value> {
        &self.0
    }

    /// Whether it is pinned: any truthy value.
    pub fn is_pinned(&self) -> bool {
        self.get("pinned").is_some_and(truthy)
    }

    /// Whether the curator manages it: `created_by` is `agent`, or the older `agent_created` is a real true.
    pub fn is_managed(&self) -> bool {
        let marked = self.get("created_by").and_then(Value::as_str) == Some("agent");
        marked || self.get("agent_created") == Some(&Value::Bool(true))
    }

    /// The text of its state; the empty text if there is none.
    pub fn state_text(&self) -> &str {
        self.get("state").and_then(Value::as_str).unwrap_or("")
    }

    /// Its state, if it is a known one.
    pub fn state(&self) -> Option<SkillState> {
        SkillState::parse(self.state_text())
    }

    /// The value of a counter; `None` if it cannot be converted.
    pub fn count(&self, which: Counter) -> Option<i64> {
        counter(self.get(which.count_key()))
    }

    /// The sum of the counters, passing over those that cannot be converted.
    pub fn activity_count(&self) -> i64 {
        Counter::ALL.into_iter().filter_map(|which| self.count(which)).fold(0, i64::saturating_add)
    }

    /// The newest of the three dates, with its text as it stands. Strictly newer wins, so that ties keep the
    /// earlier field; what cannot be read is passed over.
    pub fn last_activity(&self) -> Option<(Stamp, String)> {
        let mut newest: Option<(Stamp, String)> = None;
        for which in Counter::ALL {
            let Some((stamp, text)) = self.date(which.date_key()) else { continue };
            if newest.as_ref().is_none_or(|(known, _)| stamp > *known) {
                newest = Some((stamp, text));
            }
        }
        newest
    }

    /// A field read as a date, with its text.
    pub fn date(&self, key: &str) -> Option<(Stamp, String)> {
        let value = self.get(key).filter(|value| truthy(value))?;
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        Stamp::parse(&text).map(|stamp| (stamp, text))
    }

    /// Counts once more and dates it; false, and nothing changed, if the counter cannot be converted.
    pub(super) fn bump(&mut self, which: Counter, at: Stamp) -> bool {
        let Some(count) = self.count(which) else { return false };
        self.set(which.count_key(), count.saturating_add(1));
        self.set(which.date_key(), at.to_string());
        true
    }

    /// Sets the state; `archived` dates it, `active` clears that date.
    pub(super) fn set_state(&mut self, state: SkillState, at: Stamp) {
        self.set("state", state.as_str());
        match state {
            SkillState::Archived => self.set("archived_at", at.to_string()),
            SkillState::Active => self.set("archived_at", Value::Null),
            SkillState::Stale => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn record(value: Value) -> Record {
        Record::from_value(value).unwrap()
    }

    #[test]
    fn ties_keep_the_earlier_field_and_its_own_text() {
        let one = record(json!({"last_used_at": "2026-01-01", "last_viewed_at": "2026-01-01T00:00:00Z"}));
        assert_eq!(one.last_activity().unwrap().1, "2026-01-01");
        let none = record(json!({"last_used_at": 5, "last_viewed_at": "", "created_at": "2026-01-01"}));
        assert_eq!(none.last_activity(), None);
    }

    #[test]
    fn only_the_exact_markers_count_as_managed() {
        for (value, managed) in [
            (json!({"created_by": "agent"}), true),
            (json!({"created_by": "Agent"}), false),
            (json!({"agent_created": true}), true),
            (json!({"agent_created": "true"}), false),
            (json!({}), false),
        ] {
            assert_eq!(record(value).is_managed(), managed);
        }
    }
}
