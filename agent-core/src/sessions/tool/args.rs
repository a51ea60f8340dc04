//! Arguments as the tool takes them: whatever a model sends is converted or replaced by the default, never refused
//! (`spec/sessions.md` §4).

use std::sync::Arc;

use serde_json::Value;

use super::Caller;
use crate::behaviour::{SessionRules, ToolModes};
use crate::sessions::search::Sort;
use crate::text;

const LIMIT_DEFAULT: i64 = 3;
const WINDOW_DEFAULT: i64 = 5;
const WINDOW_MAX: i64 = 20;

/// The arguments of a call.
#[derive(Debug)]
pub(super) struct Arguments {
    /// The trimmed query; none if blank or no text.
    pub(super) query: Option<String>,
    /// The session, trimmed, without a profile in front; none if blank.
    pub(super) session: Option<String>,
    /// The anchor as sent; none if null.
    pub(super) anchor: Option<Value>,
    /// The profile; none if blank.
    pub(super) profile: Option<String>,
    /// Roles asked for; none means the default.
    pub(super) roles: Option<Vec<Arc<str>>>,
    /// Most results.
    pub(super) limit: usize,
    /// Messages on each side of an anchor.
    pub(super) window: usize,
    /// The order.
    pub(super) sort: Sort,
}

impl Arguments {
    pub(super) fn read(args: &Value, rules: &SessionRules, caller: Caller) -> Self {
        let text = |key: &str| args.get(key).and_then(Value::as_str);
        let forwarded = rules.forward_profile || caller == Caller::Command;
        let given = text("profile").filter(|_| forwarded).and_then(filled);
        let (session, profile) = match rules.modes {
            ToolModes::Two => (None, None),
            ToolModes::Four => split_profile(text("session_id"), given),
        };
        let limit_max = i64::try_from(rules.limit_max).unwrap_or(i64::MAX);
        let limit = whole(args.get("limit")).unwrap_or(LIMIT_DEFAULT).clamp(1, limit_max);
        let window = whole(args.get("window")).unwrap_or(WINDOW_DEFAULT).clamp(1, WINDOW_MAX);
        Self {
            query: text("query").and_then(filled).map(str::to_owned),
            session,
            anchor: args.get("around_message_id").filter(|anchor| !anchor.is_null()).cloned(),
            profile,
            roles: text("role_filter").and_then(roles),
            limit: usize::try_from(limit).unwrap_or(1),
            window: usize::try_from(window).unwrap_or(1),
            sort: text("sort").filter(|_| rules.sort).map_or(Sort::Rank, sort),
        }
    }
}

fn filled(raw: &str) -> Option<&str> {
    Some(text::trim(raw)).filter(|text| !text.is_empty())
}

/// A session given as `profile/session` names its profile, unless one was given apart.
fn split_profile(session: Option<&str>, given: Option<&str>) -> (Option<String>, Option<String>) {
    let (session, profile) = match session.and_then(|session| session.split_once('/')) {
        None => (session, given),
        Some((profile, id)) => {
            let id = if id.is_empty() { session } else { Some(id) };
            (id, given.or(filled(profile)))
        }
    };
    (session.and_then(filled).map(str::to_owned), profile.map(str::to_owned))
}

fn roles(list: &str) -> Option<Vec<Arc<str>>> {
    let roles: Vec<Arc<str>> = list.split(',').filter_map(filled).map(Arc::from).collect();
    (!roles.is_empty()).then_some(roles)
}

fn sort(word: &str) -> Sort {
    match text::trim(word).to_lowercase().as_str() {
        "newest" => Sort::Newest,
        "oldest" => Sort::Oldest,
        _ => Sort::Rank,
    }
}

/// Python's `int(value)`: fractions are cut, text must be digits; none where it raises.
pub(super) fn whole(value: Option<&Value>) -> Option<i64> {
    match value? {
        Value::Bool(truth) => Some(i64::from(*truth)),
        Value::Number(number) => Some(whole_of(number)),
        Value::String(text) => whole_text(text),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn whole_of(number: &serde_json::Number) -> i64 {
    if let Some(whole) = number.as_i64() {
        return whole;
    }
    #[expect(clippy::cast_possible_truncation, reason = "`as` cuts the fraction and saturates, as is wanted")]
    let cut = number.as_f64().unwrap_or(0.0) as i64;
    cut
}

/// Digits with an optional sign; single underscores between digits are allowed. Saturates.
fn whole_text(raw: &str) -> Option<i64> {
    let trimmed = text::trim(raw);
    let (negative, digits) = match trimmed.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, trimmed.strip_prefix('+').unwrap_or(trimmed)),
    };
    let mut value: i64 = 0;
    let mut after_digit = false;
    for char in digits.chars() {
        match (char, char.to_digit(10)) {
            (_, Some(digit)) => {
                value = value.saturating_mul(10).saturating_add(i64::from(digit));
                after_digit = true;
            }
            ('_', None) if after_digit => after_digit = false,
            _ => return None,
        }
    }
    after_digit.then_some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_taken_as_python_takes_them() {
        let good = [
            (json!(4), 4),
            (json!(4.9), 4),
            (json!(-4.9), -4),
            (json!(" 12 "), 12),
            (json!("+1_0"), 10),
            (json!("-3"), -3),
            (json!(true), 1),
            (json!(1e300), i64::MAX),
            (json!("99999999999999999999"), i64::MAX),
        ];
        for (value, number) in good {
            assert_eq!(whole(Some(&value)), Some(number), "{value}");
        }
        for bad in [
            json!("4.5"),
            json!("wide"),
            json!(""),
            json!("_1"),
            json!("1_"),
            json!("1__0"),
            json!([]),
            json!(null),
        ] {
            assert_eq!(whole(Some(&bad)), None, "{bad}");
        }
    }

    #[test]
    fn a_slash_names_a_profile() {
        let split = |session, given| split_profile(Some(session), given);
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(split("work/a/b", None), (text("a/b"), text("work")));
        assert_eq!(split("work/a", Some("home")), (text("a"), text("home")));
        assert_eq!(split("/a", None), (text("a"), None));
        assert_eq!(split("work/", None), (text("work/"), text("work")));
        assert_eq!(split(" a ", None), (text("a"), None));
        assert_eq!(split("  ", None), (None, None));
    }
}
