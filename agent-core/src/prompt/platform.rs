//! The hint for a platform, after the configuration's say (`spec/prompt.md` §1.1, row 16).

use serde_json::{Map, Value};

use crate::text;

/// The hint for a platform; `None` where there is none.
///
/// `sections` is the text with a `## name` for each platform; `overrides` is `platform_hints` of the configuration:
/// a text is appended, an object may `replace` and `append`, anything else changes nothing.
pub(super) fn hint(platform: &str, sections: &str, overrides: &Map<String, Value>) -> Option<String> {
    let platform = text::trim(platform).to_lowercase();
    let default = section(sections, &platform);
    let (base, addition) = match overrides.get(&platform) {
        Some(Value::String(words)) => (default, Some(words.as_str())),
        Some(Value::Object(parts)) => {
            let said = |key: &str| {
                parts.get(key).and_then(Value::as_str).map(text::trim).filter(|words| !words.is_empty())
            };
            (said("replace").or(default), said("append"))
        }
        _ => (default, None),
    };
    let parts = [base, addition.map(text::trim)];
    let hint = super::template::paragraphs(parts.into_iter().flatten());
    (!hint.is_empty()).then_some(hint)
}

/// The text below the heading `## name`.
fn section<'a>(sections: &'a str, name: &str) -> Option<&'a str> {
    sections
        .split("\n## ")
        .map(|part| part.strip_prefix("## ").unwrap_or(part))
        .find_map(|part| {
            let (heading, body) = part.split_once('\n')?;
            (text::trim(heading) == name).then(|| text::trim(body))
        })
        .filter(|body| !body.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const SECTIONS: &str = "## cli\nA terminal.\n\n## sms\nShort.\n";

    #[test]
    fn overrides_append_or_replace_and_work_without_a_default() {
        let with = |value: Value| {
            let overrides = json!({ "cli": value.clone(), "pigeon": value });
            let overrides = overrides.as_object().unwrap().clone();
            (hint(" CLI ", SECTIONS, &overrides), hint("pigeon", SECTIONS, &overrides))
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(with(json!("More.")), (some("A terminal.\n\nMore."), some("More.")));
        let both = json!({ "replace": "Other.", "append": "More." });
        assert_eq!(with(both), (some("Other.\n\nMore."), some("Other.\n\nMore.")));
        assert_eq!(with(json!({ "append": 3 })), (some("A terminal."), None));
        assert_eq!(with(json!(["x"])), (some("A terminal."), None));
        assert_eq!(hint("sms", SECTIONS, &Map::new()), some("Short."));
        assert_eq!(hint("", SECTIONS, &Map::new()), None);
    }
}
