//! Loading a script: its sections, the files that it includes, and what must fit together.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use super::fault;
use super::names::known;
use super::pattern::{self, Pattern};
use super::values::{FaultRule, Let, Lets, Rule, Script};
use crate::decode::{Decoder, MapReader};
use crate::diagnose::{Diagnostic, Source, Sources};
use crate::expr::KnownNames;
use crate::preset::{Preset, Role};
use crate::yaml::{self, Entry, Node};

/// Reads a file that a script includes. The path is the script's folder and the path in the script, with `/`.
pub type ReadFile<'a> = dyn Fn(&str) -> Result<Vec<u8>, String> + 'a;

/// What became of loading a script.
#[derive(Debug)]
pub struct Loading {
    /// The script; none if there was an error.
    pub script: Option<Script>,
    /// Errors and warnings, of included files too.
    pub diagnostics: Vec<Diagnostic>,
    /// Everything that was read, for showing them.
    pub sources: Sources,
}

/// The rules of one role.
const RULES_MAX: usize = 16_000;

const KEYS: &[&str] = &[
    "description",
    "preset",
    "model",
    "lessons",
    "hazards",
    "let",
    "faults",
    "main",
    "review",
    "curator",
    "delegate",
    "compression",
    "title",
    "summary",
    "closing",
];

impl Script {
    /// Loads a script from its text; `read` gives the files that it includes.
    pub fn load(source: &Source, read: &ReadFile<'_>) -> Loading {
        Self::load_with(source, read, |loader| loader.decoder.read().and_then(|root| loader.script(&root)))
    }

    /// Loads a script that stands within another file, at this node of it. Paths of included files begin at that
    /// file's folder.
    pub fn load_node(source: &Source, node: &Node, read: &ReadFile<'_>) -> Loading {
        Self::load_with(source, read, |loader| loader.script(node))
    }

    fn load_with(
        source: &Source,
        read: &ReadFile<'_>,
        decode: impl FnOnce(&Loader<'_>) -> Option<Self>,
    ) -> Loading {
        let mut sources = Sources::default();
        sources.add(source);
        let loader = Loader { decoder: Decoder::new(source), read, included: RefCell::new(Vec::new()) };
        let script = decode(&loader);
        let included = loader.included.into_inner();
        for file in &included {
            sources.add(file);
        }
        match loader.decoder.finish(script) {
            Ok((mut script, diagnostics)) => {
                script.digest = digest(source, &included);
                Loading { script: Some(script), diagnostics, sources }
            }
            Err(diagnostics) => Loading { script: None, diagnostics, sources },
        }
    }
}

fn digest(source: &Source, included: &[Source]) -> u16 {
    let mut hasher = blake3::Hasher::new();
    for text in std::iter::once(source).chain(included).map(|source| &source.text) {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    let bytes = hasher.finalize();
    u16::from_le_bytes([bytes.as_bytes()[0], bytes.as_bytes()[1]])
}

/// A script that is being loaded.
pub(super) struct Loader<'a> {
    pub(super) decoder: Decoder,
    read: &'a ReadFile<'a>,
    included: RefCell<Vec<Source>>,
}

impl Loader<'_> {
    fn script(&self, root: &Node) -> Option<Script> {
        let map = self.decoder.map(root, "a script", KEYS)?;
        map.optional("description", Decoder::text);
        let patterns = |key: &str| map.or(key, BTreeMap::new(), named_patterns);
        let (lessons, hazards) = (patterns("lessons"), patterns("hazards"));
        let names = known(lessons.keys().map(|name| &**name), hazards.keys().map(|name| &**name));
        let (lets, names) = self.lets(&map, &names);
        let preset = map.optional("preset", |_, node| self.preset(node)).unwrap_or_else(Preset::hermes);
        let faults = map.or("faults", Vec::new(), |d, node| {
            d.list(node, "a list of faults", |_, item| self.fault(item, &names))
        });
        let mut rules = BTreeMap::new();
        for role in Role::ALL {
            if let Some(node) = map.take(role.as_str()) {
                rules.insert(role, self.rules(role, node, &names));
            }
        }
        if rules.is_empty() {
            self.decoder.error_with(map.span(), "a script without rules", "add `main:` with a list of rules");
        }
        Some(Script {
            file: self.decoder.file().clone(),
            model: map.optional("model", Decoder::word).unwrap_or("mock").into(),
            preset,
            lessons,
            hazards,
            lets,
            faults,
            rules,
            digest: 0,
            indexes: OnceLock::new(),
        })
    }

    fn rules(&self, role: Role, node: &Node, names: &KnownNames) -> Vec<Rule> {
        let Some(items) = self.decoder.items(node, "a list of rules") else { return Vec::new() };
        if items.len() > RULES_MAX {
            self.decoder.error(node.span, format!("more than {RULES_MAX} rules for one role"));
            return Vec::new();
        }
        let mut labels = BTreeSet::new();
        let mut rules: Vec<Rule> = Vec::with_capacity(items.len());
        let mut covered_by: Option<(Arc<str>, u32)> = None;
        for (index, item) in items.iter().enumerate() {
            let Some(one) = self.rule(role, index, item, names) else { continue };
            if !labels.insert(one.label.clone()) {
                self.decoder.error(item.span, format!("a second rule named `{}` for `{role}`", one.label));
            }
            if let Some((label, line)) = covered_by.as_ref().filter(|_| !self.decoder.has_errors()) {
                let message =
                    format!("`{}` is never reached: `{label}` on line {line} always answers", one.label);
                self.decoder.warn(one.span, message, "give that rule a `when`, or move it to the end");
            } else if one.always_replies() {
                covered_by = Some((one.label.clone(), one.span.line));
            }
            rules.push(one);
        }
        rules
    }

    fn fault(&self, node: &Node, names: &KnownNames) -> Option<FaultRule> {
        const KEYS: &[&str] = &[
            "role",
            "when",
            "attempts",
            "delay",
            "stall",
            "status",
            "retry_after",
            "message",
            "break_after",
            "malformed_after",
            "length",
            "empty",
            "bad_arguments",
            "truncated_arguments",
            "no_finish",
            "thinking_only",
        ];
        let map = self.decoder.map(node, "a fault", KEYS)?;
        let when = map.optional("when", |d, node| d.expression(node, names));
        let role = map.optional("role", |d, node| d.choice(node, &Role::NAMES));
        Some(FaultRule { role, when, plan: fault::of_map(&map)? })
    }

    fn preset(&self, node: &Node) -> Option<Arc<Preset>> {
        let name = self.decoder.word(node)?;
        if name == "hermes" {
            return Some(Preset::hermes());
        }
        if !name.contains('.') {
            self.decoder.unknown(node, "preset", ["hermes"]);
            return None;
        }
        let source = self.read_text(node, name)?;
        match Preset::load(&source) {
            Ok(preset) => Some(Arc::new(preset)),
            Err(diagnostics) => {
                self.decoder.report_all(diagnostics);
                None
            }
        }
    }

    /// The named values of a mapping's `let`, and the names with them.
    pub(super) fn lets(&self, map: &MapReader<'_, '_>, names: &KnownNames) -> (Lets, KnownNames) {
        let Some(entries) = map.optional("let", |d, node| d.entries(node, "named values")) else {
            return (Lets::default(), names.clone());
        };
        let entries: Vec<&Entry> = entries.filter(|entry| self.let_name(entry, names)).collect();
        let all = names.with(entries.iter().map(|entry| &*entry.key));
        let mut lets: BTreeMap<Arc<str>, Let> = BTreeMap::new();
        for entry in &entries {
            let value = match entry.value.as_text() {
                Some(_) => self.decoder.template(&entry.value, &all).map(Let::Text),
                None => self.args(&entry.value, &all).map(Let::Value),
            };
            lets.extend(value.map(|value| (Arc::from(&*entry.key), value)));
        }
        for entry in &entries {
            if depends_on_itself(&entry.key, &lets) {
                self.decoder.error(entry.key_span, format!("`{}` is defined by itself", entry.key));
            }
        }
        (Arc::new(lets), all)
    }

    fn let_name(&self, entry: &Entry, names: &KnownNames) -> bool {
        let mut chars = entry.key.chars();
        let is_name = chars.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
            && chars.all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_name {
            let hint = "letters, digits and `_`, the first a letter";
            self.decoder.error_with(entry.key_span, format!("`{}` cannot be a name", entry.key), hint);
        } else if names.has(&entry.key) {
            self.decoder.error(entry.key_span, format!("`{}` has a meaning already", entry.key));
        }
        is_name && !names.has(&entry.key)
    }

    /// The source of a file that the script includes.
    pub(super) fn read_text(&self, node: &Node, path: &str) -> Option<Source> {
        let Some(name) = beside(self.decoder.file(), path) else {
            self.decoder.error_with(
                node.span,
                format!("`{path}` is no path beside the script"),
                "write a relative path with `/`",
            );
            return None;
        };
        if let Some(known) = self.included.borrow().iter().find(|known| *known.name == *name) {
            return Some(known.clone());
        }
        let bytes = match (self.read)(&name) {
            Ok(bytes) => bytes,
            Err(reason) => {
                self.decoder.error(node.span, format!("cannot read `{name}`: {reason}"));
                return None;
            }
        };
        match yaml::source_from_bytes(&name, bytes) {
            Ok(source) => {
                self.included.borrow_mut().push(source.clone());
                Some(source)
            }
            Err(diagnostic) => {
                self.decoder.error(node.span, format!("cannot use `{name}`: {}", diagnostic.message));
                None
            }
        }
    }
}

/// The path of a file that stands relative to another's folder; none for absolute ones and those with empty parts.
fn beside(file: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "" => return None,
            "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    (!path.contains('\\')).then(|| parts.join("/"))
}

fn named_patterns(decoder: &Decoder, node: &Node) -> Option<BTreeMap<Arc<str>, Pattern>> {
    let entries = decoder.entries(node, "patterns by name")?;
    Some(
        entries
            .filter_map(|entry| Some((Arc::from(&*entry.key), pattern::either(decoder, &entry.value)?)))
            .collect(),
    )
}

/// Whether the names that a value uses lead back to it.
fn depends_on_itself(name: &str, lets: &BTreeMap<Arc<str>, Let>) -> bool {
    let uses = |name: &str| {
        let mut used = Vec::new();
        match lets.get(name) {
            Some(Let::Text(template)) => used.extend(template.names().cloned()),
            Some(Let::Value(args)) => args.names(&mut used),
            None => {}
        }
        used
    };
    let mut open = uses(name);
    let mut seen: BTreeSet<Arc<str>> = BTreeSet::new();
    while let Some(next) = open.pop() {
        if *next == *name {
            return true;
        }
        if seen.insert(next.clone()) {
            open.extend(uses(&next));
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn included_paths_stand_beside_the_script() {
        assert_eq!(beside("scripts/a.yaml", "skills/x.md").as_deref(), Some("scripts/skills/x.md"));
        assert_eq!(beside("scripts/a.yaml", "../x.md").as_deref(), Some("x.md"));
        assert_eq!(beside("a.yaml", "../x.md").as_deref(), Some("../x.md"));
        assert_eq!(beside("a.yaml", "/etc/passwd"), None);
        assert_eq!(beside("a.yaml", "c:\\x"), None);
        assert_eq!(beside("/tmp/s/a.yaml", "./x.md").as_deref(), Some("/tmp/s/x.md"));
    }
}
