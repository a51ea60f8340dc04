//! Tokens to nodes, with tags resolved to full names and aliases to shared nodes.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::error::{Mark, YamlError};
use super::scalars::implicit_tag;
use super::token::{RawTag, Token, TokenKind};
use super::{DEPTH_MAX, Loader};

/// Keys and values in order.
pub(super) type Pairs = Vec<(Rc<Node>, Rc<Node>)>;

/// What a node holds.
#[derive(Debug)]
pub(super) enum Content {
    Scalar(String),
    Sequence(Vec<Rc<Node>>),
    Mapping(Pairs),
}

/// One node: a tag's full name (`str`, `int` … for those of YAML itself) and content.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) tag: String,
    pub(super) content: Content,
    pub(super) mark: Mark,
    /// Levels below it and its own, aliases followed: what a walk over it needs of the stack.
    depth: usize,
}

impl Node {
    fn new(tag: String, content: Content, mark: Mark) -> Result<Self, YamlError> {
        let below = match &content {
            Content::Scalar(_) => None,
            Content::Sequence(items) => items.iter().map(|item| item.depth).max(),
            Content::Mapping(pairs) => pairs.iter().map(|(key, value)| key.depth.max(value.depth)).max(),
        };
        let depth = below.unwrap_or(0) + 1;
        if depth > DEPTH_MAX {
            return Err(mark.error(format!("more than {DEPTH_MAX} levels of nesting, aliases included")));
        }
        Ok(Self { tag, content, mark, depth })
    }
}

/// The prefix of YAML's own tags; nodes carry only what follows it.
const YAML_PREFIX: &str = "tag:yaml.org,2002:";

pub(super) struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    loader: Loader,
    handles: BTreeMap<String, String>,
    anchors: BTreeMap<String, Rc<Node>>,
    open_anchors: Vec<String>,
    depth: usize,
}

/// Where a node stands, which decides what it may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Flow,
    Block,
    /// A value of a block mapping, where a list needs no deeper indentation.
    MappingValue,
}

impl<'t> Parser<'t> {
    pub(super) fn new(tokens: &'t [Token], loader: Loader) -> Self {
        Self {
            tokens,
            at: 0,
            loader,
            handles: BTreeMap::new(),
            anchors: BTreeMap::new(),
            open_anchors: Vec::new(),
            depth: 0,
        }
    }

    fn peek(&self) -> &'t TokenKind {
        &self.token().kind
    }

    fn token(&self) -> &'t Token {
        // The last token is an end or an error and is never passed.
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn is(&self, kind: &TokenKind) -> bool {
        self.peek() == kind
    }

    fn is_any(&self, kinds: &[TokenKind]) -> bool {
        kinds.contains(self.peek())
    }

    fn skip(&mut self) {
        self.at += 1;
    }

    fn expected(&self, wanted: &str) -> YamlError {
        match self.peek() {
            TokenKind::Broken(error) => error.clone(),
            other => self.token().mark.error(format!("expected {wanted}, found {}", other.name())),
        }
    }

    /// The only document, or nothing.
    pub(super) fn document(&mut self) -> Result<Option<Rc<Node>>, YamlError> {
        self.default_handles();
        if self.is(&TokenKind::StreamEnd) {
            return Ok(None);
        }
        let explicit = self.at_directive() || self.is(&TokenKind::DocumentStart);
        if explicit {
            self.directives()?;
            if !self.is(&TokenKind::DocumentStart) {
                return Err(self.expected("a document start `---`"));
            }
            self.skip();
        }
        let ends = [TokenKind::DocumentStart, TokenKind::DocumentEnd, TokenKind::StreamEnd];
        let root = if explicit && (self.is_any(&ends) || self.at_directive()) {
            self.empty()
        } else {
            self.node(Place::Block)?
        };
        while self.is(&TokenKind::DocumentEnd) {
            self.skip();
        }
        if self.is(&TokenKind::StreamEnd) {
            Ok(Some(root))
        } else {
            Err(self.expected("the end of the only document"))
        }
    }

    fn at_directive(&self) -> bool {
        matches!(self.peek(), TokenKind::Version(_) | TokenKind::TagHandle(..) | TokenKind::Reserved)
    }

    fn default_handles(&mut self) {
        self.handles.insert("!".to_owned(), "!".to_owned());
        self.handles.insert("!!".to_owned(), YAML_PREFIX.to_owned());
    }

    fn directives(&mut self) -> Result<(), YamlError> {
        let (mut version, mut named) = (false, Vec::new());
        loop {
            let mark = self.token().mark;
            match self.peek() {
                TokenKind::Version(major) => {
                    if version || *major != 1 {
                        return Err(mark.error("only one version directive, of version 1"));
                    }
                    version = true;
                }
                TokenKind::TagHandle(handle, prefix) => {
                    if named.contains(handle) {
                        return Err(mark.error("one tag handle twice"));
                    }
                    named.push(handle.clone());
                    self.handles.insert(handle.clone(), prefix.clone());
                }
                TokenKind::Reserved => {}
                _ => return Ok(()),
            }
            self.skip();
        }
    }

    fn node(&mut self, place: Place) -> Result<Rc<Node>, YamlError> {
        if self.depth == DEPTH_MAX {
            return Err(self.token().mark.error(format!("more than {DEPTH_MAX} levels of nesting")));
        }
        self.depth += 1;
        let node = self.node_within(place);
        self.depth -= 1;
        node
    }

    fn node_within(&mut self, place: Place) -> Result<Rc<Node>, YamlError> {
        let mark = self.token().mark;
        if let TokenKind::Alias(name) = self.peek() {
            self.skip();
            return match self.anchors.get(name) {
                Some(node) => Ok(Rc::clone(node)),
                None => Err(mark.error(format!("the alias `*{name}` has no anchor"))),
            };
        }
        let (anchor, tag) = self.properties()?;
        if let Some(name) = &anchor {
            if self.anchors.contains_key(name) || self.open_anchors.contains(name) {
                return Err(mark.error(format!("the anchor `&{name}` is there twice")));
            }
            self.open_anchors.push(name.clone());
        }
        let node = Rc::new(self.content(place, anchor.is_some(), tag.as_deref(), mark)?);
        if let Some(name) = anchor {
            self.open_anchors.retain(|open| *open != name);
            self.anchors.insert(name, Rc::clone(&node));
        }
        Ok(node)
    }

    /// An anchor and a tag, in either order.
    fn properties(&mut self) -> Result<(Option<String>, Option<String>), YamlError> {
        let (mut anchor, mut tag) = (None, None);
        loop {
            match self.peek() {
                TokenKind::Anchor(name) if anchor.is_none() => anchor = Some(name.clone()),
                TokenKind::Tag(raw) if tag.is_none() => tag = Some(self.full_tag(raw)?),
                _ => return Ok((anchor, tag)),
            }
            self.skip();
        }
    }

    fn full_tag(&self, raw: &RawTag) -> Result<String, YamlError> {
        let Some(handle) = &raw.handle else { return Ok(raw.suffix.clone()) };
        match self.handles.get(handle) {
            Some(prefix) => Ok(format!("{prefix}{}", raw.suffix)),
            None => Err(self.token().mark.error(format!("the tag handle `{handle}` is not declared"))),
        }
    }

    fn content(
        &mut self,
        place: Place,
        anchored: bool,
        tag: Option<&str>,
        mark: Mark,
    ) -> Result<Node, YamlError> {
        let bare = tag.is_none_or(|tag| tag == "!");
        let named = |usual: &str| match tag {
            Some(tag) if !bare => short_tag(tag),
            _ => usual.to_owned(),
        };
        match self.peek() {
            TokenKind::Scalar { text, plain } => {
                self.skip();
                let implicit =
                    if (*plain && tag.is_none()) || tag == Some("!") { implicit_tag(text) } else { "str" };
                Node::new(named(implicit), Content::Scalar(text.clone()), mark)
            }
            TokenKind::BlockEntry if place == Place::MappingValue => {
                let items = self.loose_sequence()?;
                Node::new(named("seq"), Content::Sequence(items), mark)
            }
            TokenKind::FlowSequenceStart => {
                let items = self.flow_sequence()?;
                Node::new(named("seq"), Content::Sequence(items), mark)
            }
            TokenKind::FlowMappingStart => {
                let pairs = self.flow_mapping()?;
                Node::new(named("map"), Content::Mapping(pairs), mark)
            }
            TokenKind::BlockSequenceStart if place != Place::Flow => {
                let items = self.block_sequence()?;
                Node::new(named("seq"), Content::Sequence(items), mark)
            }
            TokenKind::BlockMappingStart if place != Place::Flow => {
                let pairs = self.block_mapping()?;
                Node::new(named("map"), Content::Mapping(pairs), mark)
            }
            _ if anchored || tag.is_some() => {
                // The C loader takes a lone `!` on nothing as text.
                let lone = tag == Some("!") && self.loader == Loader::C;
                let usual = if lone { "str" } else { "null" };
                Node::new(named(usual), Content::Scalar(String::new()), mark)
            }
            _ => Err(self.expected("a value")),
        }
    }

    fn empty(&self) -> Rc<Node> {
        let mark = self.token().mark;
        Rc::new(Node { tag: "null".to_owned(), content: Content::Scalar(String::new()), mark, depth: 1 })
    }

    /// A node, or an empty one before any of these tokens.
    fn node_unless(&mut self, place: Place, ends: &[TokenKind]) -> Result<Rc<Node>, YamlError> {
        if self.is_any(ends) { Ok(self.empty()) } else { self.node(place) }
    }

    fn block_sequence(&mut self) -> Result<Vec<Rc<Node>>, YamlError> {
        self.skip();
        let mut items = Vec::new();
        while self.is(&TokenKind::BlockEntry) {
            self.skip();
            items.push(self.node_unless(Place::Block, &[TokenKind::BlockEntry, TokenKind::BlockEnd])?);
        }
        self.end_block("another `-` entry")?;
        Ok(items)
    }

    fn loose_sequence(&mut self) -> Result<Vec<Rc<Node>>, YamlError> {
        let ends = [TokenKind::BlockEntry, TokenKind::Key, TokenKind::Value, TokenKind::BlockEnd];
        let mut items = Vec::new();
        while self.is(&TokenKind::BlockEntry) {
            self.skip();
            items.push(self.node_unless(Place::Block, &ends)?);
        }
        Ok(items)
    }

    fn block_mapping(&mut self) -> Result<Pairs, YamlError> {
        self.skip();
        let ends = [TokenKind::Key, TokenKind::Value, TokenKind::BlockEnd];
        let mut pairs = Vec::new();
        while self.is(&TokenKind::Key) {
            self.skip();
            let key = self.node_unless(Place::MappingValue, &ends)?;
            let value = if self.is(&TokenKind::Value) {
                self.skip();
                self.node_unless(Place::MappingValue, &ends)?
            } else {
                self.empty()
            };
            pairs.push((key, value));
        }
        self.end_block("another key at the same indentation")?;
        Ok(pairs)
    }

    fn end_block(&mut self, wanted: &str) -> Result<(), YamlError> {
        if !self.is(&TokenKind::BlockEnd) {
            return Err(self.expected(wanted));
        }
        self.skip();
        Ok(())
    }

    fn flow_sequence(&mut self) -> Result<Vec<Rc<Node>>, YamlError> {
        self.skip();
        let end = TokenKind::FlowSequenceEnd;
        let mut items = Vec::new();
        while !self.is(&end) {
            if !items.is_empty() {
                self.comma("`,` or `]`")?;
            }
            let mark = self.token().mark;
            if self.is(&TokenKind::Key) {
                self.skip();
                let pair = self.flow_pair(&end)?;
                let tag = "map".to_owned();
                items.push(Rc::new(Node::new(tag, Content::Mapping(vec![pair]), mark)?));
            } else if !self.is(&end) {
                items.push(self.node(Place::Flow)?);
            }
        }
        self.skip();
        Ok(items)
    }

    fn flow_mapping(&mut self) -> Result<Pairs, YamlError> {
        self.skip();
        let end = TokenKind::FlowMappingEnd;
        let mut pairs = Vec::new();
        while !self.is(&end) {
            if !pairs.is_empty() {
                self.comma("`,` or `}`")?;
            }
            if self.is(&TokenKind::Key) {
                self.skip();
                pairs.push(self.flow_pair(&end)?);
            } else if !self.is(&end) {
                let key = self.node(Place::Flow)?;
                pairs.push((key, self.empty()));
            }
        }
        self.skip();
        Ok(pairs)
    }

    fn flow_pair(&mut self, end: &TokenKind) -> Result<(Rc<Node>, Rc<Node>), YamlError> {
        let ends = [TokenKind::Value, TokenKind::FlowEntry, end.clone()];
        let empty = self.is_any(&ends);
        let key = self.node_unless(Place::Flow, &ends)?;
        if self.loader == Loader::C && empty && *end == TokenKind::FlowSequenceEnd {
            // The C loader loses the token behind an empty key in a list.
            self.skip();
        }
        if !self.is(&TokenKind::Value) {
            return Ok((key, self.empty()));
        }
        self.skip();
        let value = self.node_unless(Place::Flow, &[TokenKind::FlowEntry, end.clone()])?;
        Ok((key, value))
    }

    fn comma(&mut self, wanted: &str) -> Result<(), YamlError> {
        if !self.is(&TokenKind::FlowEntry) {
            return Err(self.expected(wanted));
        }
        self.skip();
        Ok(())
    }
}

fn short_tag(tag: &str) -> String {
    tag.strip_prefix(YAML_PREFIX)
        .map_or_else(|| tag.to_owned(), |rest| if rest.is_empty() { tag } else { rest }.to_owned())
}
