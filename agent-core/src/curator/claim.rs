//! The claim that keeps a second pass out (`spec/curator.md` §18): `skills/.locks/curator-run`.

use serde_json::{Value, json};

use crate::behaviour::PassRules;
use crate::stores::{self, Files, FilesError, TreePath};
use crate::values::Stamp;

/// After how long a claim is taken over, in microseconds: one hour.
const HELD_MICROS_MAX: i64 = 3_600_000_000;

fn file(skills: &TreePath) -> TreePath {
    skills.below(&TreePath::new(".locks/curator-run"))
}

/// Whether a pass holds the claim. What cannot be read holds nothing.
pub(super) fn is_held(files: &dyn Files, skills: &TreePath, rules: &PassRules, at: Stamp) -> bool {
    if !rules.claim {
        return false;
    }
    let Ok(text) = stores::read_text(files, &file(skills)) else { return false };
    let claim: Value = serde_json::from_str(&text).unwrap_or_default();
    let since = claim.get("started_at").and_then(Value::as_str).and_then(Stamp::parse);
    since.is_some_and(|since| (0..HELD_MICROS_MAX).contains(&(at - since)))
}

/// Takes the claim.
pub(super) fn take(
    files: &mut dyn Files,
    skills: &TreePath,
    rules: &PassRules,
    at: Stamp,
) -> Result<(), FilesError> {
    if !rules.claim {
        return Ok(());
    }
    stores::write_text(files, &file(skills), &json!({"started_at": at.to_string()}).to_string())
}

/// Gives the claim back; a failure leaves it to run out.
pub(super) fn release(files: &mut dyn Files, skills: &TreePath, rules: &PassRules) {
    if rules.claim {
        let _ = files.remove(&file(skills));
    }
}
