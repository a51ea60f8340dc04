//! Characters to tokens: indentation, simple keys, indicators.

use std::collections::BTreeMap;

use super::error::{Mark, YamlError};
use super::token::{Token, TokenKind};
use super::{DEPTH_MAX, Loader};

/// How far a simple key may stand before its colon, in characters (YAML 1.1 §9.3).
const SIMPLE_KEY_CHARS_MAX: usize = 1024;

/// End of text. NUL is no character of YAML, so it can stand for it.
pub(super) const END: char = '\0';

pub(super) fn is_break(char: char) -> bool {
    matches!(char, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

pub(super) fn is_break_or_end(char: char) -> bool {
    char == END || is_break(char)
}

/// A blank, a line break or the end.
pub(super) fn is_space_or_end(char: char) -> bool {
    matches!(char, ' ' | '\t') || is_break_or_end(char)
}

/// A token that may turn out to be a key.
#[derive(Clone, Copy, Debug)]
struct SimpleKey {
    /// Index of the token.
    token: usize,
    /// Whether something else than a key would be an error.
    required: bool,
    /// Character index of its begin.
    at: usize,
    mark: Mark,
}

pub(super) struct Scanner {
    pub(super) chars: Vec<char>,
    pub(super) at: usize,
    pub(super) mark: Mark,
    pub(super) loader: Loader,
    pub(super) flow_level: usize,
    /// Column of the current block; -1 outside of all.
    pub(super) indent: isize,
    indents: Vec<isize>,
    pub(super) simple_key_allowed: bool,
    simple_keys: BTreeMap<usize, SimpleKey>,
    tokens: Vec<Token>,
}

impl Scanner {
    /// A scanner over a text.
    ///
    /// # Errors
    /// The text holds a character that YAML does not allow.
    pub(super) fn new(text: &str, loader: Loader) -> Result<Self, YamlError> {
        // The C loader takes a leading mark as a sign of the encoding; later ones stand in a column.
        let text = if loader == Loader::C { text.strip_prefix('\u{feff}').unwrap_or(text) } else { text };
        let mut scanner = Self {
            chars: text.chars().collect(),
            at: 0,
            mark: Mark::default(),
            loader,
            flow_level: 0,
            indent: -1,
            indents: Vec::new(),
            simple_key_allowed: true,
            simple_keys: BTreeMap::new(),
            tokens: Vec::new(),
        };
        if let Some(bad) = scanner.chars.iter().position(|&char| !is_allowed(char)) {
            while scanner.at < bad {
                scanner.step();
            }
            let code = u32::from(scanner.chars[bad]);
            return Err(scanner.mark.error(format!("the control character U+{code:04X} is not allowed")));
        }
        Ok(scanner)
    }

    /// All tokens. The last one is the end of the stream, or the error that stopped the scanner.
    pub(super) fn run(mut self) -> Vec<Token> {
        loop {
            match self.next_token() {
                Ok(true) => {}
                Ok(false) => return self.tokens,
                Err(error) => {
                    let mark = self.mark;
                    self.tokens.push(Token { kind: TokenKind::Broken(error), mark });
                    return self.tokens;
                }
            }
        }
    }

    pub(super) fn peek(&self, ahead: usize) -> char {
        self.chars.get(self.at + ahead).copied().unwrap_or(END)
    }

    pub(super) fn char(&self) -> char {
        self.peek(0)
    }

    /// Goes one character on. A line break counts once, CRLF included.
    pub(super) fn step(&mut self) {
        let char = self.char();
        self.at += 1;
        if is_break(char) && !(char == '\r' && self.char() == '\n') {
            self.mark = Mark { line: self.mark.line + 1, column: 0 };
        } else if char != '\u{feff}' || self.loader == Loader::C {
            self.mark.column += 1;
        }
    }

    pub(super) fn steps(&mut self, count: usize) {
        for _ in 0..count {
            self.step();
        }
    }

    /// Takes so many characters as text.
    pub(super) fn take(&mut self, count: usize) -> String {
        let text = self.chars[self.at..self.at + count].iter().collect();
        self.steps(count);
        text
    }

    /// Takes a line break: what it stands for in a scalar, or nothing.
    pub(super) fn take_break(&mut self) -> Option<char> {
        let char = self.char();
        if !is_break(char) {
            return None;
        }
        if char == '\r' && self.peek(1) == '\n' {
            self.step();
        }
        self.step();
        Some(if matches!(char, '\u{2028}' | '\u{2029}') { char } else { '\n' })
    }

    /// Whether a document marker (`---` or `...`) stands here at the line's begin.
    pub(super) fn at_document_marker(&self) -> bool {
        let three = |char| (0..3).all(|ahead| self.peek(ahead) == char);
        self.mark.column == 0 && (three('-') || three('.')) && is_space_or_end(self.peek(3))
    }

    fn push(&mut self, kind: TokenKind, mark: Mark) {
        self.tokens.push(Token { kind, mark });
    }

    pub(super) fn column(&self) -> isize {
        isize::try_from(self.mark.column).unwrap_or(isize::MAX)
    }

    fn next_token(&mut self) -> Result<bool, YamlError> {
        self.skip_to_token();
        self.drop_stale_keys()?;
        self.unwind(self.column());
        let mark = self.mark;
        let char = self.char();
        if char == END {
            self.unwind(-1);
            self.drop_key()?;
            self.push(TokenKind::StreamEnd, mark);
            return Ok(false);
        }
        if self.mark.column == 0 && char == '%' {
            self.end_blocks()?;
            let kind = self.directive()?;
            self.push(kind, mark);
            return Ok(true);
        }
        if self.at_document_marker() {
            self.end_blocks()?;
            self.steps(3);
            let kind = if char == '-' { TokenKind::DocumentStart } else { TokenKind::DocumentEnd };
            self.push(kind, mark);
            return Ok(true);
        }
        self.content(char, mark)?;
        Ok(true)
    }

    fn content(&mut self, char: char, mark: Mark) -> Result<(), YamlError> {
        let spaced = is_space_or_end(self.peek(1));
        let flow = self.flow_level > 0;
        match char {
            '[' => self.flow_start(TokenKind::FlowSequenceStart, mark),
            '{' => self.flow_start(TokenKind::FlowMappingStart, mark),
            ']' => self.flow_end(TokenKind::FlowSequenceEnd, mark),
            '}' => self.flow_end(TokenKind::FlowMappingEnd, mark),
            ',' => {
                self.simple_key_allowed = true;
                self.drop_key()?;
                self.step();
                self.push(TokenKind::FlowEntry, mark);
                Ok(())
            }
            '-' if spaced => self.block_entry(mark),
            '?' if flow || spaced => self.explicit_key(mark),
            ':' if flow || spaced => self.value(mark),
            '*' | '&' => {
                self.save_key()?;
                self.simple_key_allowed = false;
                let name = self.anchor_name()?;
                let kind = if char == '*' { TokenKind::Alias(name) } else { TokenKind::Anchor(name) };
                self.push(kind, mark);
                Ok(())
            }
            '!' => {
                self.save_key()?;
                self.simple_key_allowed = false;
                let tag = self.tag()?;
                self.push(TokenKind::Tag(tag), mark);
                Ok(())
            }
            '|' | '>' if !flow => {
                self.simple_key_allowed = true;
                self.drop_key()?;
                let text = self.block_scalar(char == '>')?;
                self.push(TokenKind::Scalar { text, plain: false }, mark);
                Ok(())
            }
            '\'' | '"' => {
                self.save_key()?;
                self.simple_key_allowed = false;
                let text = self.quoted_scalar(char)?;
                self.push(TokenKind::Scalar { text, plain: false }, mark);
                Ok(())
            }
            _ if self.starts_plain(char) => {
                self.save_key()?;
                self.simple_key_allowed = false;
                let text = self.plain_scalar()?;
                self.push(TokenKind::Scalar { text, plain: true }, mark);
                Ok(())
            }
            '\t' => Err(mark.error("a tab cannot indent or start anything; use blanks")),
            _ => Err(mark.error(format!("`{char}` cannot start a value; quote it"))),
        }
    }

    fn starts_plain(&self, char: char) -> bool {
        let indicator = matches!(
            char,
            '-' | '?'
                | ':'
                | ','
                | '['
                | ']'
                | '{'
                | '}'
                | '#'
                | '&'
                | '*'
                | '!'
                | '|'
                | '>'
                | '\''
                | '"'
                | '%'
                | '@'
                | '`'
        );
        if !indicator {
            return !is_space_or_end(char);
        }
        let followed = !is_space_or_end(self.peek(1));
        followed && (char == '-' || (self.flow_level == 0 && matches!(char, '?' | ':')))
    }

    /// Passes over blanks, comments and line breaks.
    fn skip_to_token(&mut self) {
        loop {
            let mark_here = match self.loader {
                Loader::Python => self.at == 0,
                Loader::C => self.mark.column == 0,
            };
            if mark_here && self.char() == '\u{feff}' {
                self.step();
            }
            // The C loader takes tabs as blanks where no block can begin.
            let tabs = self.loader == Loader::C && (self.flow_level > 0 || !self.simple_key_allowed);
            while self.char() == ' ' || (tabs && self.char() == '\t') {
                self.step();
            }
            if self.char() == '#' {
                while !is_break_or_end(self.char()) {
                    self.step();
                }
            }
            if self.take_break().is_none() {
                return;
            }
            if self.flow_level == 0 {
                self.simple_key_allowed = true;
            }
        }
    }

    /// Ends all blocks deeper than a column.
    fn unwind(&mut self, column: isize) {
        if self.flow_level > 0 {
            return;
        }
        while self.indent > column {
            let mark = self.mark;
            self.indent = self.indents.pop().unwrap_or(-1);
            self.push(TokenKind::BlockEnd, mark);
        }
    }

    fn end_blocks(&mut self) -> Result<(), YamlError> {
        self.unwind(-1);
        self.drop_key()?;
        self.simple_key_allowed = false;
        Ok(())
    }

    /// Begins a block at a column if it is deeper than the current one.
    fn begin_block(&mut self, column: isize) -> bool {
        let deeper = self.indent < column;
        if deeper {
            self.indents.push(self.indent);
            self.indent = column;
        }
        deeper
    }

    fn save_key(&mut self) -> Result<(), YamlError> {
        if self.simple_key_allowed {
            self.drop_key()?;
            let required = self.flow_level == 0 && self.indent == self.column();
            let key = SimpleKey { token: self.tokens.len(), required, at: self.at, mark: self.mark };
            self.simple_keys.insert(self.flow_level, key);
        }
        Ok(())
    }

    fn drop_key(&mut self) -> Result<(), YamlError> {
        match self.simple_keys.remove(&self.flow_level) {
            Some(key) if key.required => Err(missing_colon(key.mark)),
            _ => Ok(()),
        }
    }

    fn drop_stale_keys(&mut self) -> Result<(), YamlError> {
        let (line, at) = (self.mark.line, self.at);
        // Keys of outer levels stand further in front, so the stale ones come first.
        while let Some(entry) = self.simple_keys.first_entry() {
            let key = *entry.get();
            if key.mark.line == line && at - key.at <= SIMPLE_KEY_CHARS_MAX {
                break;
            }
            if key.required {
                return Err(missing_colon(key.mark));
            }
            entry.remove();
        }
        Ok(())
    }

    fn flow_start(&mut self, kind: TokenKind, mark: Mark) -> Result<(), YamlError> {
        self.save_key()?;
        if self.flow_level == DEPTH_MAX {
            return Err(mark.error(format!("more than {DEPTH_MAX} levels of nesting")));
        }
        self.flow_level += 1;
        self.simple_key_allowed = true;
        self.step();
        self.push(kind, mark);
        Ok(())
    }

    fn flow_end(&mut self, kind: TokenKind, mark: Mark) -> Result<(), YamlError> {
        self.drop_key()?;
        self.flow_level = self.flow_level.saturating_sub(1);
        self.simple_key_allowed = false;
        self.step();
        self.push(kind, mark);
        Ok(())
    }

    fn block_entry(&mut self, mark: Mark) -> Result<(), YamlError> {
        if self.flow_level == 0 {
            if !self.simple_key_allowed {
                return Err(mark.error("a list entry cannot begin here"));
            }
            if self.begin_block(self.column()) {
                self.push(TokenKind::BlockSequenceStart, mark);
            }
        }
        self.simple_key_allowed = true;
        self.drop_key()?;
        self.step();
        self.push(TokenKind::BlockEntry, mark);
        Ok(())
    }

    fn explicit_key(&mut self, mark: Mark) -> Result<(), YamlError> {
        if self.flow_level == 0 {
            if !self.simple_key_allowed {
                return Err(mark.error("a key cannot begin here"));
            }
            if self.begin_block(self.column()) {
                self.push(TokenKind::BlockMappingStart, mark);
            }
        }
        self.simple_key_allowed = self.flow_level == 0;
        self.drop_key()?;
        self.step();
        self.push(TokenKind::Key, mark);
        Ok(())
    }

    fn value(&mut self, mark: Mark) -> Result<(), YamlError> {
        if let Some(key) = self.simple_keys.remove(&self.flow_level) {
            self.tokens.insert(key.token, Token { kind: TokenKind::Key, mark: key.mark });
            let column = isize::try_from(key.mark.column).unwrap_or(isize::MAX);
            if self.flow_level == 0 && self.begin_block(column) {
                let start = Token { kind: TokenKind::BlockMappingStart, mark: key.mark };
                self.tokens.insert(key.token, start);
            }
            self.simple_key_allowed = false;
        } else {
            if self.flow_level == 0 {
                if !self.simple_key_allowed {
                    return Err(mark.error("a second `: ` in one value; quote the value"));
                }
                if self.begin_block(self.column()) {
                    self.push(TokenKind::BlockMappingStart, mark);
                }
            }
            self.simple_key_allowed = self.flow_level == 0;
            self.drop_key()?;
        }
        self.step();
        self.push(TokenKind::Value, mark);
        Ok(())
    }
}

fn missing_colon(mark: Mark) -> YamlError {
    mark.error("a key without `: ` and value")
}

fn is_allowed(char: char) -> bool {
    matches!(char, '\t' | '\n' | '\r' | '\u{85}' | ' '..='~' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..)
}
