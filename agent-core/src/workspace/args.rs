//! Arguments of calls. Absent and null are the same.

use serde_json::{Map, Value};

use super::answer::Mistake;

/// The arguments of one call.
#[derive(Clone, Copy)]
pub(super) struct Args<'a>(pub(super) &'a Map<String, Value>);

impl<'a> Args<'a> {
    fn given(self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    pub(super) fn text(self, name: &'static str) -> Result<Option<&'a str>, Mistake> {
        match self.given(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong(name, "text", other)),
        }
    }

    /// Text that must be there; it may be empty.
    pub(super) fn needed_text(self, name: &'static str) -> Result<&'a str, Mistake> {
        self.text(name)?.ok_or_else(|| Mistake::new("missing-argument", format!("`{name}` is missing.")))
    }

    pub(super) fn flag(self, name: &'static str) -> Result<bool, Mistake> {
        match self.given(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(other) => Err(wrong(name, "true or false", other)),
        }
    }

    /// A whole number of at least 1.
    pub(super) fn count(self, name: &'static str) -> Result<Option<usize>, Mistake> {
        let Some(value) = self.given(name) else { return Ok(None) };
        match value.as_u64().and_then(|count| usize::try_from(count).ok()) {
            Some(count) if count >= 1 => Ok(Some(count)),
            _ => Err(wrong(name, "a whole number of 1 or more", value)),
        }
    }

    pub(super) fn list(self, name: &'static str) -> Result<Option<&'a [Value]>, Mistake> {
        match self.given(name) {
            None => Ok(None),
            Some(Value::Array(items)) => Ok(Some(items)),
            Some(other) => Err(wrong(name, "a list", other)),
        }
    }
}

/// The mistake of an argument of the wrong type. Lists and objects are named, not repeated.
pub(super) fn wrong(name: &str, wanted: &str, found: &Value) -> Mistake {
    let found = match found {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::String(_) => "text".to_owned(),
        plain => plain.to_string(),
    };
    Mistake::new("bad-argument", format!("`{name}` takes {wanted}, not {found}."))
}
