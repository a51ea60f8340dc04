//! Arms: version, configuration, faults and prompts, checked against the core's own tables.

use agent_core::behaviour::{Behaviour, Origin, SettingError, Settings, Version, faults, rows};
use agent_core::prompt::{PromptError, PromptLibrary};
use mock_llm::decode::Decoder;
use mock_llm::diagnose::{Diagnostic, Span, nearest_hint};
use mock_llm::yaml::{Entry, Node, Value};

use super::load::Files;
use super::model::Arm;
use super::names::is_name;
use super::work::rates_of;

/// The keys of an arm.
pub(super) const KEYS: &[&str] = &["version", "config", "faults", "prompts", "world", "rates", "calibration"];

/// Of these, the ones that give the arm its rates.
const RATES: &[&str] = &["world", "rates", "calibration"];

/// All arms; each mistake is reported.
pub(super) fn arms(d: &Decoder, node: &Node, files: &mut Files<'_>) -> Option<Vec<Arm>> {
    let arms: Vec<Arm> = d.entries(node, "arms")?.filter_map(|entry| arm(d, entry, files)).collect();
    if node.as_map().is_some_and(mock_llm::yaml::Map::is_empty) {
        d.error(node.span, "a scenario needs at least one arm");
    }
    Some(arms)
}

fn arm(d: &Decoder, entry: &Entry, files: &mut Files<'_>) -> Option<Arm> {
    is_name(d, &entry.key, entry.key_span, "an arm");
    let map = d.map(&entry.value, "an arm", KEYS)?;
    let rates = rates_of(&map, RATES, files);
    let rates_are_wrong = rates.is_none() && RATES.iter().any(|key| map.has(key));
    let versions = Version::ALL.map(|version| (version.as_str(), version));
    let version = map.required("version", |d, node| d.choice(node, &versions))?;
    let mut settings = Settings::new(version);
    let origin = Origin::File(d.file().to_string());
    if let Some(node) = map.take("faults") {
        set_faults(d, node, &mut settings, &origin);
    }
    if let Some(entries) = map.optional("config", |d, node| d.entries(node, "configuration keys")) {
        for entry in entries {
            set_config(d, entry, "", &mut settings, &origin);
        }
    }
    let prompts = map.or("prompts", Vec::new(), |d, node| Some(prompts(d, node, &settings, files)));
    // An arm whose rates have mistakes is not said to have none.
    (!rates_are_wrong).then_some(())?;
    Some(Arm { name: (&*entry.key).into(), span: entry.key_span, settings, prompts, rates, script: None })
}

/// Texts that replace prompts: each a file, checked as the agent will check it.
fn prompts(d: &Decoder, node: &Node, settings: &Settings, files: &mut Files<'_>) -> Vec<(String, String)> {
    let mut library = PromptLibrary::new(&Behaviour::resolve(settings).prompt.texts);
    let mut prompts = Vec::new();
    for entry in d.entries(node, "prompts").into_iter().flatten() {
        let Some(text) = prompt_text(d, &entry.value, files) else { continue };
        match library.replace(&entry.key, &text) {
            Ok(()) => prompts.push((entry.key.to_string(), text)),
            Err(error) => {
                let (span, nearest) = match &error {
                    PromptError::UnknownName { nearest, .. } => (entry.key_span, *nearest),
                    _ => (entry.value.span, None),
                };
                let hint = nearest.map(|name| format!("did you mean `{name}`?"));
                d.report(Diagnostic::error(d.file(), span, error.to_string()).hint_if(hint));
            }
        }
    }
    prompts
}

fn prompt_text(d: &Decoder, node: &Node, files: &mut Files<'_>) -> Option<String> {
    let bytes = files.bytes(d, node, d.word(node)?)?;
    match std::str::from_utf8(&bytes) {
        Ok(text) => Some(text.to_owned()),
        Err(_) => {
            d.error(node.span, "a prompt must be UTF-8 text");
            None
        }
    }
}

/// `off`, `on`, or a mapping of single switches.
fn set_faults(d: &Decoder, node: &Node, settings: &mut Settings, origin: &Origin) {
    if node.as_map().is_none() {
        if d.choice(node, &[("off", false), ("on", true)]) == Some(false) {
            settings.faults_off(origin);
        }
        return;
    }
    for entry in d.entries(node, "faults").into_iter().flatten() {
        let Some(on) = d.bool(&entry.value) else { continue };
        set(d, &format!("faults.{}", entry.key), on.into(), entry, settings, origin);
    }
}

/// A key with dots, or a mapping that stands for the first part of several.
fn set_config(d: &Decoder, entry: &Entry, prefix: &str, settings: &mut Settings, origin: &Origin) {
    let key = format!("{prefix}{}", entry.key);
    let is_key = rows().any(|row| row.key == key);
    match &entry.value.value {
        Value::Map(map) if !is_key => {
            for inner in map {
                set_config(d, inner, &format!("{key}."), settings, origin);
            }
        }
        _ => {
            if let Some(value) = d.json(&entry.value) {
                set(d, &key, value, entry, settings, origin);
            }
        }
    }
}

fn set(
    d: &Decoder,
    key: &str,
    value: serde_json::Value,
    entry: &Entry,
    settings: &mut Settings,
    origin: &Origin,
) {
    if let Err(error) = settings.set(key, value, origin.clone()) {
        d.report(explain(d, &error, entry.key_span, entry.value.span));
    }
}

fn explain(d: &Decoder, error: &SettingError, key: Span, value: Span) -> Diagnostic {
    match error {
        SettingError::UnknownKey { key: name, .. } => {
            Diagnostic::error(d.file(), key, error.to_string()).hint_if(hint_for(name))
        }
        SettingError::WrongKind { .. } => Diagnostic::error(d.file(), value, error.to_string()),
    }
}

/// Whether a change of a setting in mid-run can be taken; if not, that is reported. Keys and kinds are the same in
/// every version.
pub(super) fn check_setting(d: &Decoder, entry: &Entry, value: &serde_json::Value) -> bool {
    let outcome = Settings::new(Version::ALL[0]).set(&entry.key, value.clone(), Origin::Changed);
    outcome.map_err(|error| d.report(explain(d, &error, entry.key_span, entry.value.span))).is_ok()
}

/// The known key or fault that a mistyped one was probably meant to be.
pub(crate) fn hint_for(key: &str) -> Option<String> {
    let keys: Vec<&str> = rows().map(|row| row.key).collect();
    match key.strip_prefix("faults.") {
        Some(name) => {
            nearest_hint(name, faults().map(|fault| fault.name).collect::<Vec<_>>().iter().copied())
        }
        None => nearest_hint(key, keys.iter().copied()),
    }
}
