//! The first signal: what the delete calls declared.

use std::collections::BTreeMap;

use serde_json::Value;

use super::calls::RecordedCall;
use crate::text::trim;

/// Deleted names with their declared targets, which may be empty. Later calls overwrite earlier ones; whether a call
/// succeeded is not asked.
pub fn declared(calls: &[RecordedCall]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for call in calls {
        let Some(arguments) = call.managed() else { continue };
        let text = |key: &str| arguments.get(key).and_then(Value::as_str);
        if text("action") != Some("delete") {
            continue;
        }
        if let (Some(name), Some(target)) = (text("name").map(trim), text("absorbed_into"))
            && !name.is_empty()
        {
            found.insert(name.to_owned(), trim(target).to_owned());
        }
    }
    found
}
