//! Anchors, tags and directives.

use super::Loader;
use super::error::YamlError;
use super::scan::{Scanner, is_break_or_end, is_space_or_end};
use super::token::{RawTag, TokenKind};

fn is_word(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '-' | '_')
}

impl Scanner {
    /// The name behind `&` or `*`.
    pub(super) fn anchor_name(&mut self) -> Result<String, YamlError> {
        let mark = self.mark;
        self.step();
        let mut length = 0;
        while is_word(self.peek(length)) {
            length += 1;
        }
        let after = self.peek(length);
        let ends = is_space_or_end(after) || matches!(after, '?' | ':' | ',' | ']' | '}' | '%' | '@' | '`');
        if length == 0 || !ends {
            return Err(mark.error("`&` and `*` begin an anchor or alias; quote text that begins with them"));
        }
        Ok(self.take(length))
    }

    pub(super) fn tag(&mut self) -> Result<RawTag, YamlError> {
        let mark = self.mark;
        let c_flow = self.loader == Loader::C && self.flow_level > 0;
        let tag = if self.peek(1) == '<' {
            self.steps(2);
            let suffix = self.uri(true)?;
            if self.char() != '>' {
                return Err(mark.error("a verbatim tag without `>`"));
            }
            self.step();
            RawTag { handle: None, suffix }
        } else if is_space_or_end(self.peek(1)) || (c_flow && self.peek(1) == ',') {
            self.step();
            RawTag { handle: None, suffix: "!".to_owned() }
        } else {
            let handle = self.handle();
            self.steps(handle.len());
            let suffix = self.uri(false)?;
            RawTag { handle: Some(handle), suffix }
        };
        let ends = is_space_or_end(self.char()) || (c_flow && self.char() == ',');
        if !ends {
            return Err(mark.error("a tag must be followed by a blank"));
        }
        Ok(tag)
    }

    /// The handle of a tag here: `!`, `!!` or `!word!`. Not taken yet.
    fn handle(&self) -> String {
        let mut length = 1;
        while is_word(self.peek(length)) {
            length += 1;
        }
        if self.peek(length) == '!' {
            self.chars[self.at..=self.at + length].iter().collect()
        } else {
            "!".to_owned()
        }
    }

    fn uri(&mut self, verbatim: bool) -> Result<String, YamlError> {
        let mark = self.mark;
        let mut bytes: Vec<u8> = Vec::new();
        loop {
            let char = self.char();
            if char == '%' {
                let digit = |ahead: usize| self.peek(ahead).to_digit(16);
                let (Some(high), Some(low)) = (digit(1), digit(2)) else {
                    return Err(mark.error("`%` in a tag needs two hexadecimal digits"));
                };
                bytes.push(u8::try_from(high * 16 + low).unwrap_or(b'?'));
                self.steps(3);
            } else if char.is_ascii_alphanumeric() || "-;/?:@&=+$,_.!~*'()[]".contains(char) {
                let ends = self.loader == Loader::C && !verbatim && matches!(char, ',' | '[' | ']');
                if ends {
                    break;
                }
                bytes.push(u8::try_from(char).unwrap_or(b'?'));
                self.step();
            } else {
                break;
            }
        }
        if bytes.is_empty() {
            return Err(mark.error("an empty tag"));
        }
        String::from_utf8(bytes).map_err(|_| mark.error("a tag that is not UTF-8"))
    }

    /// A directive.
    pub(super) fn directive(&mut self) -> Result<TokenKind, YamlError> {
        let mark = self.mark;
        self.step();
        let mut length = 0;
        while is_word(self.peek(length)) {
            length += 1;
        }
        if length == 0 || !is_space_or_end(self.peek(length)) {
            return Err(mark.error("`%` begins a directive; quote text that begins with it"));
        }
        let name = self.take(length);
        let mut rest = String::new();
        while !is_break_or_end(self.char()) {
            rest.push(self.char());
            self.step();
        }
        let rest = rest.split(" #").next().unwrap_or("");
        let words: Vec<&str> = rest.split(' ').filter(|word| !word.is_empty()).collect();
        match (name.as_str(), words.as_slice()) {
            ("YAML", [version]) => {
                let number = |text: &str| text.parse::<u64>().ok();
                let parsed = version.split_once('.').and_then(|(major, minor)| {
                    number(minor)?;
                    number(major)
                });
                let major = parsed.ok_or_else(|| mark.error("a version is two numbers with a point"))?;
                Ok(TokenKind::Version(major))
            }
            ("TAG", [handle, prefix]) if handle.starts_with('!') && handle.ends_with('!') => {
                Ok(TokenKind::TagHandle((*handle).to_owned(), (*prefix).to_owned()))
            }
            ("YAML" | "TAG", _) => Err(mark.error("a directive with the wrong words")),
            _ => Ok(TokenKind::Reserved),
        }
    }
}
