//! Scalars: plain, quoted, block.

use super::Loader;
use super::error::YamlError;
use super::scan::{END, Scanner, is_break, is_break_or_end, is_space_or_end};

/// What becomes of the line breaks at the end of a block scalar.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomp {
    Clip,
    Strip,
    Keep,
}

impl Scanner {
    /// Whether a plain scalar's word ends here.
    fn plain_ends(&self, ahead: usize) -> bool {
        let char = self.peek(ahead);
        let flow = self.flow_level > 0;
        if is_space_or_end(char) {
            return true;
        }
        if char == ':' {
            let next = self.peek(ahead + 1);
            return is_space_or_end(next)
                || (flow && self.loader == Loader::Python && matches!(next, ',' | '[' | ']' | '{' | '}'));
        }
        flow && (matches!(char, ',' | '[' | ']' | '{' | '}')
            || (char == '?' && self.loader == Loader::Python))
    }

    pub(super) fn plain_scalar(&mut self) -> Result<String, YamlError> {
        let indent = self.indent + 1;
        let mut text = String::new();
        let mut spaces = String::new();
        loop {
            if self.char() == '#' {
                break;
            }
            let mut length = 0;
            while !self.plain_ends(length) {
                length += 1;
            }
            self.check_flow_colon(length)?;
            if length == 0 {
                break;
            }
            self.simple_key_allowed = false;
            text.push_str(&spaces);
            let word = self.take(length);
            text.push_str(&word);
            spaces = self.plain_spaces(indent)?;
            let outside = self.flow_level == 0 && self.column() < indent;
            if spaces.is_empty() || self.char() == '#' || outside {
                break;
            }
        }
        Ok(text)
    }

    /// The C loader refuses a colon before an indicator inside a flow collection.
    fn check_flow_colon(&self, length: usize) -> Result<(), YamlError> {
        if self.loader != Loader::C || self.flow_level == 0 {
            return Ok(());
        }
        let meets = |at: usize| {
            self.peek(at) == ':' && matches!(self.peek(at + 1), ',' | '?' | '[' | ']' | '{' | '}')
        };
        if (0..length).any(meets) {
            Err(self.mark.error("a `:` before an indicator; quote the value"))
        } else {
            Ok(())
        }
    }

    /// Blanks and line breaks after a word of a plain scalar, folded; empty if the scalar ends.
    fn plain_spaces(&mut self, indent: isize) -> Result<String, YamlError> {
        let tabs = self.loader == Loader::C;
        let mut blanks = String::new();
        while self.char() == ' ' || (tabs && self.char() == '\t') {
            blanks.push(self.char());
            self.step();
        }
        let Some(first) = self.take_break() else { return Ok(blanks) };
        self.simple_key_allowed = true;
        if self.at_document_marker() {
            return Ok(String::new());
        }
        let mut breaks = String::new();
        loop {
            if self.char() == ' ' || (tabs && self.char() == '\t') {
                if self.char() == '\t' && self.column() < indent {
                    return Err(self.mark.error("a tab in the indentation"));
                }
                self.step();
            } else if let Some(another) = self.take_break() {
                breaks.push(another);
                if self.at_document_marker() {
                    return Ok(String::new());
                }
            } else {
                break;
            }
        }
        Ok(fold(first, &breaks))
    }

    pub(super) fn quoted_scalar(&mut self, quote: char) -> Result<String, YamlError> {
        let start = self.mark;
        self.step();
        let mut text = String::new();
        loop {
            self.quoted_words(quote, &mut text)?;
            if self.char() == quote {
                self.step();
                return Ok(text);
            }
            if self.char() == END {
                return Err(start.error("the closing quote is missing"));
            }
            self.quoted_spaces(&mut text)?;
        }
    }

    /// Everything up to a blank, a line break, the closing quote or the end.
    fn quoted_words(&mut self, quote: char, text: &mut String) -> Result<(), YamlError> {
        loop {
            let char = self.char();
            if is_space_or_end(char) {
                return Ok(());
            }
            match char {
                '\'' if quote == '\'' && self.peek(1) == '\'' => {
                    text.push('\'');
                    self.steps(2);
                }
                _ if char == quote => return Ok(()),
                '\\' if quote == '"' => {
                    self.step();
                    if is_break(self.char()) {
                        self.take_break();
                        let breaks = self.quoted_breaks()?;
                        text.push_str(&breaks);
                    } else {
                        let char = self.escape()?;
                        text.push(char);
                    }
                }
                _ => {
                    text.push(char);
                    self.step();
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, YamlError> {
        let (mark, char) = (self.mark, self.char());
        let digits = match char {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => {
                let meant = simple_escape(char)
                    .ok_or_else(|| mark.error("an unknown escape after `\\`; use single quotes or `\\\\`"))?;
                self.step();
                return Ok(meant);
            }
        };
        self.step();
        let mut code = 0_u32;
        for _ in 0..digits {
            let digit = self.char().to_digit(16).ok_or_else(|| mark.error("too few digits in an escape"))?;
            code = code.saturating_mul(16).saturating_add(digit);
            self.step();
        }
        char::from_u32(code).ok_or_else(|| mark.bad_value("an escape that names no character"))
    }

    fn quoted_spaces(&mut self, text: &mut String) -> Result<(), YamlError> {
        let mut blanks = String::new();
        while matches!(self.char(), ' ' | '\t') {
            blanks.push(self.char());
            self.step();
        }
        let Some(first) = self.take_break() else {
            text.push_str(&blanks);
            return Ok(());
        };
        let breaks = self.quoted_breaks()?;
        text.push_str(&fold(first, &breaks));
        Ok(())
    }

    fn quoted_breaks(&mut self) -> Result<String, YamlError> {
        let mut breaks = String::new();
        loop {
            if self.at_document_marker() {
                return Err(self.mark.error("a document marker inside quotes"));
            }
            while matches!(self.char(), ' ' | '\t') {
                self.step();
            }
            match self.take_break() {
                Some(another) => breaks.push(another),
                None => return Ok(breaks),
            }
        }
    }

    pub(super) fn block_scalar(&mut self, folded: bool) -> Result<String, YamlError> {
        self.step();
        let (chomp, increment) = self.block_header()?;
        let minimum = (self.indent + 1).max(1);
        let (mut breaks, indent) = match increment {
            Some(increment) => {
                let indent = minimum + increment - 1;
                (self.block_breaks(indent)?, indent)
            }
            None => self.block_indentation(minimum)?,
        };
        let mut text = String::new();
        let mut last = None;
        while self.column() == indent && self.char() != END {
            text.push_str(&breaks);
            let flush = !matches!(self.char(), ' ' | '\t');
            let mut length = 0;
            while !is_break_or_end(self.peek(length)) {
                length += 1;
            }
            let line = self.take(length);
            text.push_str(&line);
            last = self.take_break();
            breaks = self.block_breaks(indent)?;
            if self.column() != indent || self.char() == END {
                break;
            }
            if folded && last == Some('\n') && flush && !matches!(self.char(), ' ' | '\t') {
                if breaks.is_empty() {
                    text.push(' ');
                }
            } else {
                text.extend(last);
            }
        }
        if chomp != Chomp::Strip {
            text.extend(last);
        }
        if chomp == Chomp::Keep {
            text.push_str(&breaks);
        }
        Ok(text)
    }

    /// Indicators, then nothing but a comment up to the line's end.
    fn block_header(&mut self) -> Result<(Chomp, Option<isize>), YamlError> {
        let (mut chomp, mut increment) = (None, None);
        loop {
            match self.char() {
                '+' if chomp.is_none() => chomp = Some(Chomp::Keep),
                '-' if chomp.is_none() => chomp = Some(Chomp::Strip),
                digit @ '0'..='9' if increment.is_none() => {
                    if digit == '0' {
                        return Err(self.mark.error("an indentation of 0"));
                    }
                    increment = digit.to_digit(10).and_then(|size| isize::try_from(size).ok());
                }
                _ => break,
            }
            self.step();
        }
        if self.loader == Loader::Python && self.char() == '#' {
            return Err(self.mark.error("a comment needs a blank before it"));
        }
        while self.char() == ' ' || (self.loader == Loader::C && self.char() == '\t') {
            self.step();
        }
        if self.char() == '#' {
            while !is_break_or_end(self.char()) {
                self.step();
            }
        }
        if !is_break_or_end(self.char()) {
            return Err(self.mark.error("text behind the sign of a block scalar"));
        }
        self.take_break();
        Ok((chomp.unwrap_or(Chomp::Clip), increment))
    }

    /// Leading line breaks and the indentation that the first line of text sets.
    fn block_indentation(&mut self, minimum: isize) -> Result<(String, isize), YamlError> {
        let mut breaks = String::new();
        let mut widest = 0;
        loop {
            if self.char() == ' ' {
                self.step();
                widest = widest.max(self.column());
            } else if let Some(another) = self.take_break() {
                breaks.push(another);
            } else {
                break;
            }
        }
        // Before the indentation is known no column is deep enough for a tab.
        self.check_block_tab(isize::MAX)?;
        let indent = widest.max(minimum);
        Ok((breaks, indent))
    }

    fn block_breaks(&mut self, indent: isize) -> Result<String, YamlError> {
        let mut breaks = String::new();
        loop {
            while self.column() < indent && self.char() == ' ' {
                self.step();
            }
            self.check_block_tab(indent)?;
            match self.take_break() {
                Some(another) => breaks.push(another),
                None => return Ok(breaks),
            }
        }
    }

    /// The C loader refuses a tab where the indentation of a block scalar is expected.
    fn check_block_tab(&self, indent: isize) -> Result<(), YamlError> {
        if self.loader == Loader::C && self.char() == '\t' && self.column() < indent {
            return Err(self.mark.error("a tab in the indentation of a block scalar"));
        }
        Ok(())
    }
}

/// A line break and those after it inside a scalar: one alone is a blank.
fn fold(first: char, breaks: &str) -> String {
    match (first, breaks.is_empty()) {
        ('\n', true) => " ".to_owned(),
        ('\n', false) => breaks.to_owned(),
        _ => format!("{first}{breaks}"),
    }
}

fn simple_escape(char: char) -> Option<char> {
    Some(match char {
        '0' => '\0',
        'a' => '\u{7}',
        'b' => '\u{8}',
        't' | '\t' => '\t',
        'n' => '\n',
        'v' => '\u{b}',
        'f' => '\u{c}',
        'r' => '\r',
        'e' => '\u{1b}',
        ' ' | '"' | '\\' | '/' => char,
        'N' => '\u{85}',
        '_' => '\u{a0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        _ => return None,
    })
}
