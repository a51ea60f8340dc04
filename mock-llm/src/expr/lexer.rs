//! Tokens of an expression, as far as splitting, guards and messages need them. minijinja alone decides what is right.

use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name or keyword.
    Name,
    /// A text in quotes, quotes included.
    Text,
    /// A number.
    Number,
    /// `(`, `[` or `{`.
    Open,
    /// `)`, `]` or `}`.
    Close,
    /// Any other sign.
    Sign,
}

/// One token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    pub(super) at: Range<usize>,
    /// Brackets that are open around it.
    pub(super) depth: usize,
}

impl Token<'_> {
    pub(super) fn is(&self, kind: Kind, text: &str) -> bool {
        self.kind == kind && self.text == text
    }
}

/// The tokens of a text. A text in quotes that does not end runs to the end.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (kind, length) = token_at(&text[at..], first);
        if kind == Kind::Close {
            depth = depth.saturating_sub(1);
        }
        tokens.push(Token { kind, text: &text[at..at + length], at: at..at + length, depth });
        if kind == Kind::Open {
            depth += 1;
        }
        at += length;
    }
    tokens
}

fn token_at(rest: &str, first: char) -> (Kind, usize) {
    let run = |accept: fn(char) -> bool| rest.find(|c| !accept(c)).unwrap_or(rest.len());
    match first {
        '\'' | '"' => (Kind::Text, text_length(rest, first)),
        'a'..='z' | 'A'..='Z' | '_' => (Kind::Name, run(|c| c.is_ascii_alphanumeric() || c == '_')),
        '0'..='9' => (Kind::Number, run(|c| c.is_ascii_alphanumeric() || c == '_')),
        '(' | '[' | '{' => (Kind::Open, 1),
        ')' | ']' | '}' => (Kind::Close, 1),
        _ => (Kind::Sign, first.len_utf8()),
    }
}

/// Bytes of a text in quotes, quotes included.
fn text_length(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (index, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return index + 1,
            _ => {}
        }
    }
    rest.len()
}

/// The parts of a condition between its top-level `and`s; the whole when a top-level `or` or `if` binds weaker.
pub(super) fn clauses(text: &str, tokens: &[Token<'_>]) -> Vec<Range<usize>> {
    let top = |token: &&Token<'_>| token.kind == Kind::Name && token.depth == 0;
    let whole = 0..text.len();
    if tokens.iter().filter(top).any(|token| matches!(token.text, "or" | "if" | "else")) {
        return vec![whole];
    }
    let mut parts = Vec::new();
    let mut start = 0;
    for token in tokens.iter().filter(top).filter(|token| token.text == "and") {
        parts.push(start..token.at.start);
        start = token.at.end;
    }
    parts.push(start..text.len());
    if parts.iter().any(|part| text[part.clone()].trim().is_empty()) {
        return vec![whole];
    }
    parts
}

/// The place at which the expression of a `{{` that was opened before `text` ends.
pub(super) fn end_of_expression(text: &str) -> Option<usize> {
    let tokens = tokens(text);
    tokens.windows(2).find_map(|pair| {
        let closes = pair[0].is(Kind::Close, "}") && pair[1].is(Kind::Close, "}");
        (closes && pair[0].depth == 0 && pair[0].at.end == pair[1].at.start).then_some(pair[0].at.start)
    })
}

/// Words that are part of the language and no names.
const KEYWORDS: [&str; 14] =
    ["and", "or", "not", "in", "is", "if", "else", "true", "false", "none", "True", "False", "None", "loop"];

/// The operands of an expression in order: names with the attributes, subscripts, calls and filters that follow them
/// (`skill('x').patches`, `writes|length`), outside of one another and each once.
pub(super) fn operands<'a>(text: &'a str, tokens: &[Token<'_>]) -> Vec<&'a str> {
    let mut found: Vec<&str> = Vec::new();
    let mut index = 0;
    while index < tokens.len() {
        let token = &tokens[index];
        let after_filter =
            index > 0 && (tokens[index - 1].is(Kind::Sign, "|") || tokens[index - 1].is(Kind::Name, "is"));
        let keyword_argument = tokens.get(index + 1).is_some_and(|next| next.is(Kind::Sign, "="))
            && !tokens.get(index + 2).is_some_and(|next| next.is(Kind::Sign, "="))
            && token.depth > 0;
        if token.kind != Kind::Name || KEYWORDS.contains(&token.text) || after_filter || keyword_argument {
            index += 1;
            continue;
        }
        let (end, next) = chain(tokens, index);
        let operand = &text[token.at.start..end];
        if !found.contains(&operand) {
            found.push(operand);
        }
        index = next;
    }
    found
}

/// The end of a chain of attributes, subscripts, calls and filters, and the token after it.
fn chain(tokens: &[Token<'_>], first: usize) -> (usize, usize) {
    let depth = tokens[first].depth;
    let mut index = first + 1;
    let mut end = tokens[first].at.end;
    while let Some(token) = tokens.get(index) {
        if [".", "|"].iter().any(|sign| token.is(Kind::Sign, sign))
            && tokens.get(index + 1).is_some_and(|next| next.kind == Kind::Name)
        {
            end = tokens[index + 1].at.end;
            index += 2;
        } else if token.kind == Kind::Open && token.text != "{" {
            let close = tokens[index + 1..].iter().position(|t| t.kind == Kind::Close && t.depth == depth);
            let Some(close) = close else { break };
            end = tokens[index + 1 + close].at.end;
            index += close + 2;
        } else {
            break;
        }
    }
    (end, index)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        clauses(text, &tokens(text)).into_iter().map(|part| text[part].trim()).collect()
    }

    #[test]
    fn splits_at_the_top_level_only() {
        assert_eq!(split("a and not b and c == 'x and y'"), ["a", "not b", "c == 'x and y'"]);
        assert_eq!(split("(a and b) and f(c and d)"), ["(a and b)", "f(c and d)"]);
        assert_eq!(split("a and b or c"), ["a and b or c"]);
        assert_eq!(split("a and (b or c)"), ["a", "(b or c)"]);
        assert_eq!(split("a if b and c else d"), ["a if b and c else d"]);
        assert_eq!(split(r"a == 'it\'s and' and b"), [r"a == 'it\'s and'", "b"]);
        assert_eq!(split("and a"), ["and a"]);
        assert_eq!(split("band and sandy"), ["band", "sandy"]);
        assert_eq!(split("'open and b"), ["'open and b"]);
    }

    #[test]
    fn finds_the_end_of_an_expression() {
        assert_eq!(end_of_expression(" x }} tail"), Some(3));
        assert_eq!(end_of_expression("'}}' }}"), Some(5));
        assert_eq!(end_of_expression("{'a': {'b': 1}} }}"), Some(16));
        assert_eq!(end_of_expression(" x } }"), None);
    }

    #[test]
    fn finds_operands() {
        let text =
            "skill('a').patches == 1 and session.x.calls|length > len(b, c=2) and y is defined and not z[0]";
        assert_eq!(
            operands(text, &tokens(text)),
            ["skill('a').patches", "session.x.calls|length", "len(b, c=2)", "y", "z[0]"]
        );
    }
}
