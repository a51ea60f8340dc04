//! From text to nodes: events of the parser, anchors, merges, equal keys, limits.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_saphyr::granit_parser;
use serde_saphyr::granit_parser::{
    Event, Parser, ScalarStyle, ScanError, Span as ParserSpan, StrInput, StructureStyle, Tag,
};

use super::hints;
use super::node::{Entry, Map, Node, Style, Value};
use super::scalar;
use crate::diagnose::{Diagnostic, Source, Span, nearest_hint};

/// Bytes of one file.
const BYTES_MAX: usize = 8 << 20;
/// Nodes of one file, aliases expanded.
const NODES_MAX: usize = 400_000;
/// Nodes that aliases and merges may add: a bomb stops here.
const NODES_COPIED_MAX: usize = 20_000;
/// Levels of lists and mappings.
const DEPTH_MAX: usize = 32;

/// The source of these bytes.
///
/// # Errors
/// When they are not UTF-8, or too many.
pub fn source_from_bytes(name: &str, bytes: Vec<u8>) -> Result<Source, Box<Diagnostic>> {
    let file: Arc<str> = name.into();
    let start = Span { line: 1, column: 1, ..Span::default() };
    if bytes.len() > BYTES_MAX {
        let message = format!("the file is larger than {} MiB", BYTES_MAX >> 20);
        return Err(Box::new(Diagnostic::error(&file, start, message)));
    }
    String::from_utf8(bytes).map(|text| Source::new(file.clone(), text)).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = String::from_utf8_lossy(&error.as_bytes()[..good]).matches('\n').count() + 1;
        let span = Span { line: u32::try_from(line).unwrap_or(u32::MAX), ..start };
        Box::new(
            Diagnostic::error(&file, span, format!("not UTF-8 text (byte {good})"))
                .hint("save the file as UTF-8"),
        )
    })
}

/// The tree of a source, and the mistakes found on the way. There is no tree when the text is not YAML; mistakes such as
/// equal keys leave one, so that further ones can be found.
pub fn read(source: &Source) -> (Option<Node>, Vec<Diagnostic>) {
    let options = granit_parser::options! { emit_comments: false, emit_anchor_events: true, emit_unresolved_aliases: true };
    let mut reader = Reader {
        source,
        events: Parser::new_from_str_with_options(&source.text, options),
        anchors: BTreeMap::new(),
        names: BTreeMap::new(),
        nodes: 0,
        copied: 0,
        found: Vec::new(),
    };
    let root = reader.document();
    (root.ok(), reader.found)
}

/// Reading cannot go on; the reason is among the mistakes found.
struct Stop;

struct Reader<'a> {
    source: &'a Source,
    events: Parser<'a, StrInput<'a>>,
    /// Finished nodes by anchor.
    anchors: BTreeMap<usize, Node>,
    /// Anchor names, for suggestions.
    names: BTreeMap<usize, String>,
    nodes: usize,
    copied: usize,
    found: Vec<Diagnostic>,
}

impl<'a> Reader<'a> {
    fn document(&mut self) -> Result<Node, Stop> {
        let mut root = None;
        while let Some((event, span)) = self.next()? {
            match event {
                Event::StreamStart | Event::DocumentStart(..) | Event::DocumentEnd => {}
                Event::StreamEnd => break,
                _ if root.is_some() => {
                    let span = Self::span(&span);
                    self.error(
                        span,
                        "a second document in one file",
                        "one document a file: remove the `---`",
                    );
                    return Err(Stop);
                }
                event => root = Some(self.node(event, &span, 0)?),
            }
        }
        Ok(root.unwrap_or_else(|| Node::null(self.source.span(0..0))))
    }

    fn next(&mut self) -> Result<Option<(Event<'a>, ParserSpan)>, Stop> {
        loop {
            match self.events.next_event() {
                None => return Ok(None),
                Some(Err(error)) => {
                    self.syntax(&error);
                    return Err(Stop);
                }
                Some(Ok((Event::Anchor(id, name), _))) => {
                    self.names.insert(id, name.into_owned());
                }
                Some(Ok(pair)) => return Ok(Some(pair)),
            }
        }
    }

    fn syntax(&mut self, error: &ScanError) {
        let at = error.marker().byte_offset().unwrap_or(0);
        self.found.push(hints::syntax(self.source, at, error.kind(), &error.info()));
    }

    fn error(&mut self, span: Span, message: impl Into<String>, hint: &str) {
        self.found.push(Diagnostic::error(&self.source.name, span, message).hint(hint));
    }

    fn span(span: &ParserSpan) -> Span {
        let start = span.start.byte_offset().unwrap_or(0);
        let end = span.end.byte_offset().unwrap_or(start);
        // The parser's own line and column spare a second count from the file's start.
        let line = u32::try_from(span.start.line()).unwrap_or(u32::MAX);
        let column = u32::try_from(span.start.col() + 1).unwrap_or(u32::MAX);
        Span { start, end: end.max(start), line, column }
    }

    fn count(&mut self, span: Span) -> Result<(), Stop> {
        self.nodes += 1;
        if self.nodes > NODES_MAX {
            self.error(span, format!("more than {NODES_MAX} values in one file"), "split the file");
            return Err(Stop);
        }
        Ok(())
    }

    fn node(&mut self, event: Event<'a>, span: &ParserSpan, depth: usize) -> Result<Node, Stop> {
        let at = Self::span(span);
        self.count(at)?;
        if depth > DEPTH_MAX {
            self.error(at, format!("nested deeper than {DEPTH_MAX} levels"), "flatten the file");
            return Err(Stop);
        }
        let (node, anchor) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                (self.scalar(&text, style, tag.as_deref(), span, at), anchor)
            }
            Event::SequenceStart(style, anchor, tag) => {
                self.check_tag(tag.as_deref(), "seq", at);
                (self.sequence(at, style, depth)?, anchor)
            }
            Event::MappingStart(style, anchor, tag) => {
                self.check_tag(tag.as_deref(), "map", at);
                (self.mapping(at, style, depth)?, anchor)
            }
            Event::Alias(id) => (self.alias(id, at)?, 0),
            Event::UnresolvedAlias(name) => {
                let hint = nearest_hint(&name, self.names.values().map(String::as_str))
                    .unwrap_or_else(|| "text that begins with `*` needs quotes".to_owned());
                self.error(at, format!("`*{name}` names no anchor"), &hint);
                (Node::broken(at), 0)
            }
            // Comments are switched off, anchors are taken by `next`, ends are taken by their collections.
            _ => (Node::null(at), 0),
        };
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        tag: Option<&Tag>,
        raw: &ParserSpan,
        at: Span,
    ) -> Node {
        let written = raw.slice(&self.source.text).unwrap_or_default();
        let plain = style == ScalarStyle::Plain;
        let value = match tag.map(|tag| (tag.core_suffix(), tag)) {
            None if plain => scalar::resolve(text),
            None | Some((Some("str"), _)) => Value::Text(text.into()),
            Some((Some("int" | "float" | "bool" | "null"), _)) => scalar::resolve(text),
            Some((_, tag)) => {
                self.error(at, format!("unknown tag `{}`", tag.original()), "remove the tag");
                if plain { scalar::resolve(text) } else { Value::Text(text.into()) }
            }
        };
        let untagged_plain = plain && tag.is_none();
        let quote = usize::from(matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted));
        let verbatim =
            written.get(quote..).is_some_and(|rest| rest.starts_with(text)).then_some(at.start + quote);
        let written = if matches!(value, Value::Text(_)) { "" } else { text };
        let style = if untagged_plain { Style::Plain } else { Style::Quoted };
        Node { span: at, value, style, written: written.into(), verbatim }
    }

    fn check_tag(&mut self, tag: Option<&Tag>, kind: &str, at: Span) {
        if let Some(tag) = tag.filter(|tag| tag.core_suffix() != Some(kind)) {
            self.error(at, format!("unknown tag `{}`", tag.original()), "remove the tag");
        }
    }

    fn sequence(&mut self, at: Span, style: StructureStyle, depth: usize) -> Result<Node, Stop> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                Some((Event::SequenceEnd, end)) => {
                    return Ok(self.collection(at, &end, style, Value::Seq(items)));
                }
                Some((event, span)) => items.push(self.node(event, &span, depth + 1)?),
                None => return Err(Stop),
            }
        }
    }

    fn collection(&self, at: Span, end: &ParserSpan, style: StructureStyle, value: Value) -> Node {
        // A block collection ends where the next token begins: what lies between is no part of it.
        let end = Self::span(end).end.max(at.start);
        let text = self.source.text.get(at.start..end).unwrap_or_default();
        let span = Span { end: at.start + text.trim_end().len(), ..at };
        let style = if style == StructureStyle::Flow { Style::Flow } else { Style::Block };
        Node { span, value, style, written: "".into(), verbatim: None }
    }

    fn mapping(&mut self, at: Span, style: StructureStyle, depth: usize) -> Result<Node, Stop> {
        let mut map = Map::default();
        let mut merged: Vec<Node> = Vec::new();
        let mut braces = false;
        loop {
            let (event, span) = match self.next()? {
                Some((Event::MappingEnd, end)) => {
                    self.merge(&mut map, &merged)?;
                    let node = self.collection(at, &end, style, Value::Map(map));
                    return Ok(if braces { self.braces(node.span) } else { node });
                }
                Some(pair) => pair,
                None => return Err(Stop),
            };
            let key = self.node(event, &span, depth + 1)?;
            let Some((event, span)) = self.next()? else { return Err(Stop) };
            let value = self.node(event, &span, depth + 1)?;
            braces |= key.is_flow() && key.as_map().is_some();
            match self.key(&key) {
                Some(text) if &*text == "<<" && key.is_plain() => merged.push(value),
                Some(text) => self.insert(&mut map, text, key.span, value),
                None => {}
            }
        }
    }

    fn key(&mut self, key: &Node) -> Option<Box<str>> {
        match &key.value {
            Value::Text(text) => Some(text.clone()),
            Value::Bool(_) | Value::Int(_) | Value::Float(_) => Some(key.written().into()),
            // Reported as a whole by `braces`.
            Value::Map(_) if key.is_flow() => None,
            Value::Null | Value::Seq(_) | Value::Map(_) => {
                let message = format!("a key must be text, found {}", key.describe());
                self.error(key.span, message, "write the key as text");
                None
            }
        }
    }

    /// Reports `{{ x }}` without quotes, which reads as a mapping with a mapping for a key.
    fn braces(&mut self, span: Span) -> Node {
        let text = &self.source.text[span.start..span.end];
        let whole = if text.contains('\n') { String::new() } else { format!(": {}", hints::quoted(text)) };
        let hint = format!("{}{whole}", hints::BRACES);
        self.error(span, "`{{ … }}` without quotes", &hint);
        Node::broken(span)
    }

    fn insert(&mut self, map: &mut Map, key: Box<str>, key_span: Span, value: Node) {
        if let Some(first) = map.get(&key) {
            let message = format!("duplicate key `{key}` (first on line {})", first.key_span.line);
            self.found.push(
                Diagnostic::error(&self.source.name, key_span, message)
                    .label("again here")
                    .related(first.key_span, "first here")
                    .hint("keep one of the two"),
            );
            return;
        }
        map.0.push(Entry { key, key_span, value });
    }

    fn alias(&mut self, id: usize, at: Span) -> Result<Node, Stop> {
        let Some(node) = self.anchors.get(&id) else {
            let name = self.names.get(&id).cloned().unwrap_or_default();
            self.error(
                at,
                format!("`*{name}` stands inside the value that it names"),
                "a value cannot contain itself",
            );
            return Ok(Node::broken(at));
        };
        let node = Node { span: at, ..node.clone() };
        self.copied(&node, at)?;
        Ok(node)
    }

    fn copied(&mut self, node: &Node, at: Span) -> Result<(), Stop> {
        self.copied += size(node);
        if self.copied > NODES_COPIED_MAX {
            let message = format!("aliases expand to more than {NODES_COPIED_MAX} values");
            self.error(at, message, "write the values out, or use fewer aliases within aliases");
            return Err(Stop);
        }
        Ok(())
    }

    /// Adds the entries of `<<` values: those of the mapping itself win, then earlier ones.
    fn merge(&mut self, map: &mut Map, merged: &[Node]) -> Result<(), Stop> {
        for node in merged {
            let sources: Vec<&Node> =
                node.as_seq().map_or_else(|| vec![node], |items| items.iter().collect());
            for source in sources {
                let Some(entries) = source.as_map() else {
                    let message =
                        format!("`<<` wants a mapping or a list of mappings, found {}", source.describe());
                    self.error(source.span, message, "`<<: *name` merges the mapping that `&name` marks");
                    continue;
                };
                for entry in entries {
                    if map.get(&entry.key).is_none() {
                        self.copied(&entry.value, node.span)?;
                        map.0.push(entry.clone());
                    }
                }
            }
        }
        Ok(())
    }
}

/// Number of nodes in a tree.
fn size(node: &Node) -> usize {
    match &node.value {
        Value::Seq(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Map(map) => 1 + map.iter().map(|entry| 1 + size(&entry.value)).sum::<usize>(),
        _ => 1,
    }
}
