//! The decoder: a source, the mistakes found so far, and the compound shapes.

use std::cell::RefCell;
use std::sync::Arc;

use crate::decode::MapReader;
use crate::diagnose::{Diagnostic, Severity, Source, Span};
use crate::yaml::{self, Entry, Node, Value};

/// Decodes the nodes of one source and collects its mistakes.
#[derive(Debug)]
pub struct Decoder {
    source: Source,
    found: RefCell<Vec<Diagnostic>>,
}

impl Decoder {
    /// A decoder without mistakes.
    pub fn new(source: &Source) -> Self {
        Self { source: source.clone(), found: RefCell::default() }
    }

    /// The source that it decodes.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The source's name, as diagnostics carry it.
    pub fn file(&self) -> &Arc<str> {
        &self.source.name
    }

    /// Reads the source's text; mistakes of the text are collected.
    pub fn read(&self) -> Option<Node> {
        let (root, found) = yaml::read(&self.source);
        self.found.borrow_mut().extend(found);
        root
    }

    /// Adds a mistake, of this or of another source.
    pub fn report(&self, diagnostic: Diagnostic) {
        self.found.borrow_mut().push(diagnostic);
    }

    /// Adds the mistakes of an included source.
    pub fn report_all(&self, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        self.found.borrow_mut().extend(diagnostics);
    }

    /// Adds an error at this place.
    pub fn error(&self, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::error(&self.source.name, span, message));
    }

    /// Adds an error with a hint.
    pub fn error_with(&self, span: Span, message: impl Into<String>, hint: impl Into<String>) {
        self.report(Diagnostic::error(&self.source.name, span, message).hint(hint));
    }

    /// Adds a warning with a hint.
    pub fn warn(&self, span: Span, message: impl Into<String>, hint: impl Into<String>) {
        let warning = Diagnostic::error(&self.source.name, span, message).hint(hint);
        self.report(warning.severity(Severity::Warning));
    }

    /// Whether an error was found so far.
    pub fn has_errors(&self) -> bool {
        self.found.borrow().iter().any(Diagnostic::is_error)
    }

    /// Everything found so far.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.found.into_inner()
    }

    /// The value with the warnings, if no error was found.
    ///
    /// # Errors
    /// All that was found, warnings included, if there was an error or no value.
    pub fn finish<T>(self, value: Option<T>) -> Result<(T, Vec<Diagnostic>), Vec<Diagnostic>> {
        let errors = self.has_errors();
        let found = self.found.into_inner();
        match value {
            Some(value) if !errors => Ok((value, found)),
            _ => Err(found),
        }
    }

    /// Opens a mapping that may have these keys; any other key is an error. `what` names the mapping in messages:
    /// `a step`.
    pub fn map<'d, 'n>(
        &'d self,
        node: &'n Node,
        what: &'static str,
        keys: &'static [&'static str],
    ) -> Option<MapReader<'d, 'n>> {
        match &node.value {
            Value::Map(map) => Some(MapReader::open(self, map, node.span, what, keys)),
            _ => self.wrong(node, &format!("{what} (a mapping)")),
        }
    }

    /// The entries of a mapping whose keys are names that the file chooses.
    pub fn entries<'n>(
        &self,
        node: &'n Node,
        what: &str,
    ) -> Option<impl Iterator<Item = &'n Entry> + use<'n>> {
        match &node.value {
            Value::Map(map) => Some(map.iter()),
            _ => self.wrong(node, &format!("{what} (a mapping of names)")),
        }
    }

    /// The items of a list.
    pub fn items<'n>(&self, node: &'n Node, what: &str) -> Option<&'n [Node]> {
        match &node.value {
            Value::Seq(items) => Some(items),
            Value::Text(_) | Value::Map(_) | Value::Int(_) | Value::Bool(_) => {
                self.wrong_with(node, what, Some("write `- ` before each item, or `[a, b]`".to_owned()))
            }
            _ => self.wrong(node, what),
        }
    }

    /// A list, each item decoded by `decode`; items with a mistake are left out after they were reported.
    pub fn list<'n, T>(
        &self,
        node: &'n Node,
        what: &str,
        mut decode: impl FnMut(&Self, &'n Node) -> Option<T>,
    ) -> Option<Vec<T>> {
        let items = self.items(node, what)?;
        Some(items.iter().filter_map(|item| decode(self, item)).collect())
    }

    /// A list, or one item in its place.
    pub fn one_or_many<'n, T>(
        &self,
        node: &'n Node,
        mut decode: impl FnMut(&Self, &'n Node) -> Option<T>,
    ) -> Option<Vec<T>> {
        match &node.value {
            Value::Seq(items) => Some(items.iter().filter_map(|item| decode(self, item)).collect()),
            _ => decode(self, node).map(|item| vec![item]),
        }
    }

    /// Reports that `node` is not what was wanted.
    pub fn wrong<T>(&self, node: &Node, wanted: &str) -> Option<T> {
        self.wrong_with(node, wanted, None)
    }

    /// The same with a hint.
    pub(crate) fn wrong_with<T>(&self, node: &Node, wanted: &str, hint: Option<String>) -> Option<T> {
        if node.is_broken() {
            return None;
        }
        let message = format!("wanted {wanted}, found {}", node.describe());
        self.report(Diagnostic::error(&self.source.name, node.span, message).hint_if(hint));
        None
    }
}
