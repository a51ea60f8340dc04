//! The notation of the rules, as in `spec/skill-guard.md` §2: signs of their own for what is not literal, so that
//! shell and code fragments stand as they are.
//!
//! | sign | meaning |
//! |---|---|
//! | `␣` `·` | one or more, zero or more whitespace characters |
//! | `…` `⁂` | any characters but line feeds, any at all; possibly none |
//! | `⟨not X⟩*` `⟨not X⟩+` | a run of other characters (`␠` in X: whitespace) |
//! | `⟨a ∣ b⟩` `⟦a⟧` `a ∥ b` | one of; optional; alternatives of the whole |
//! | `¦` `^` | word boundary; start of the text |
//! | `ⓦ` `Ⓦ` | zero or more, one or more word characters |
//! | `⊙` | words, each followed by whitespace: zero or more, softly at most eight |
//! | `␠` `ⓠ` `ⓓ` `ⓗ` `ⓐ` `ⓝ` `ⓜ` `ⓚ` | one: whitespace, quote, digit, hex digit, ASCII letter or digit; or `_`; or `_` `-`; or one of `+/=_-` |
//! | `×n` `×n+` `×n–m` `×n~m` | that often, applied to the sign before it; `~` is a soft bound |
//! | `¬⟨…⟩` | the text must not go on like this |
//!
//! Plain spaces only set things apart. Soft bounds are those that later versions of the threat list added.

use std::iter::Peekable;
use std::str::Chars;

use super::class::{Class, fold};

const FILLER_WORDS_MAX: usize = 8;
const NO_END: usize = usize::MAX;

/// Whether soft bounds hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::guard) enum SoftBounds {
    Held,
    Lifted,
}

/// Parts one after the other.
pub(super) type Sequence = Vec<Node>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// These characters, case folded.
    Literal(Vec<char>),
    Run {
        class: Class,
        min: usize,
        max: usize,
    },
    Either(Vec<Sequence>),
    Repeat {
        body: Sequence,
        min: usize,
        max: usize,
    },
    Boundary,
    Start,
    Not(Vec<Sequence>),
}

/// A rule's pattern.
#[derive(Clone, Debug)]
pub(in crate::guard) struct Pattern {
    pub(super) branches: Vec<Sequence>,
    needles: Option<Vec<String>>,
}

impl Pattern {
    /// Reads the notation.
    ///
    /// # Panics
    /// The notation is broken. Patterns are data of the program; a test reads every one.
    pub(in crate::guard) fn parse(text: &str, bounds: SoftBounds) -> Self {
        let mut parser = Parser { chars: text.chars().peekable(), bounds };
        let branches = parser.alternatives('∥');
        assert!(parser.chars.next().is_none(), "unmatched bracket in {text}");
        Self::of(branches)
    }

    pub(super) fn of(branches: Vec<Sequence>) -> Self {
        let needles = needles_of(&branches);
        Self { branches, needles }
    }

    /// Whether a text, case folded by [`lowered`], can have the pattern: a cheap look for its literals. A text that
    /// cannot need not be matched.
    pub(in crate::guard) fn may_be_in(&self, lowered: &str) -> bool {
        self.needles
            .as_ref()
            .is_none_or(|needles| needles.iter().any(|needle| lowered.contains(needle.as_str())))
    }
}

/// A text in the case in which patterns compare.
pub(in crate::guard) fn lowered(text: &str) -> String {
    text.chars().map(fold).collect()
}

struct Parser<'a> {
    chars: Peekable<Chars<'a>>,
    bounds: SoftBounds,
}

impl Parser<'_> {
    /// Sequences up to the end or a closing bracket, which stays.
    fn alternatives(&mut self, separator: char) -> Vec<Sequence> {
        let mut branches = vec![self.sequence()];
        while self.chars.next_if_eq(&separator).is_some() {
            branches.push(self.sequence());
        }
        branches
    }

    fn sequence(&mut self) -> Sequence {
        let mut nodes = Sequence::new();
        while let Some(sign) = self.chars.next_if(|sign| !matches!(sign, '∣' | '∥' | '⟩' | '⟧')) {
            match sign {
                ' ' => {}
                '⟨' => nodes.push(self.bracket()),
                '⟦' => {
                    let body = self.sequence();
                    self.expect('⟧');
                    nodes.push(Node::Repeat { body, min: 0, max: 1 });
                }
                '¬' => {
                    self.expect('⟨');
                    nodes.push(Node::Not(self.alternatives('∣')));
                    self.expect('⟩');
                }
                '⊙' => nodes.push(self.filler()),
                '¦' => nodes.push(Node::Boundary),
                '^' => nodes.push(Node::Start),
                sign => match class_of(sign) {
                    Some((class, min, max)) => nodes.push(self.counted(class, min, max)),
                    None => push_literal(&mut nodes, fold(sign)),
                },
            }
        }
        nodes
    }

    fn expect(&mut self, sign: char) {
        assert_eq!(self.chars.next(), Some(sign), "a bracket is missing");
    }

    fn filler(&self) -> Node {
        let run = |class| Node::Run { class, min: 1, max: NO_END };
        Node::Repeat {
            body: vec![run(Class::Word), run(Class::Space)],
            min: 0,
            max: self.soft(FILLER_WORDS_MAX),
        }
    }

    fn soft(&self, max: usize) -> usize {
        if self.bounds == SoftBounds::Held { max } else { NO_END }
    }

    /// What stands between angle brackets: a set of other characters, or alternatives.
    fn bracket(&mut self) -> Node {
        let mut ahead = self.chars.clone();
        if !"not ".chars().all(|char| ahead.next() == Some(char)) {
            let branches = self.alternatives('∣');
            self.expect('⟩');
            return Node::Either(branches);
        }
        self.chars = ahead;
        let mut set = Vec::new();
        while let Some(char) = self.chars.next_if(|char| *char != '⟩') {
            set.push(char);
        }
        self.expect('⟩');
        let class = if set == ['␠'] { Class::NotSpace } else { Class::NotIn(set.into()) };
        match self.chars.peek() {
            Some('*') => {
                self.chars.next();
                Node::Run { class, min: 0, max: NO_END }
            }
            Some('+') => {
                self.chars.next();
                Node::Run { class, min: 1, max: NO_END }
            }
            _ => self.counted(class, 1, 1),
        }
    }

    /// A class with the count that follows it, if one does.
    fn counted(&mut self, class: Class, min: usize, max: usize) -> Node {
        if self.chars.next_if_eq(&'×').is_none() {
            return Node::Run { class, min, max };
        }
        let min = self.number();
        let max = match self.chars.peek() {
            Some('+') => {
                self.chars.next();
                NO_END
            }
            Some('–') => {
                self.chars.next();
                self.number()
            }
            Some('~') => {
                self.chars.next();
                let max = self.number();
                self.soft(max)
            }
            _ => min,
        };
        Node::Run { class, min, max }
    }

    fn number(&mut self) -> usize {
        let mut digits = String::new();
        while let Some(digit) = self.chars.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        digits.parse().expect("a count after the sign of one")
    }
}

fn push_literal(nodes: &mut Sequence, char: char) {
    match nodes.last_mut() {
        Some(Node::Literal(literal)) => literal.push(char),
        _ => nodes.push(Node::Literal(vec![char])),
    }
}

fn class_of(sign: char) -> Option<(Class, usize, usize)> {
    Some(match sign {
        '␣' => (Class::Space, 1, NO_END),
        '·' => (Class::Space, 0, NO_END),
        '␠' => (Class::Space, 1, 1),
        '…' => (Class::Any, 0, NO_END),
        '⁂' => (Class::Everything, 0, NO_END),
        'ⓦ' => (Class::Word, 0, NO_END),
        'Ⓦ' => (Class::Word, 1, NO_END),
        'ⓠ' => (Class::Quote, 1, 1),
        'ⓓ' => (Class::Digit, 1, 1),
        'ⓗ' => (Class::Hex, 1, 1),
        'ⓐ' => (Class::Ascii(""), 1, 1),
        'ⓝ' => (Class::Ascii("_"), 1, 1),
        'ⓜ' => (Class::Ascii("_-"), 1, 1),
        'ⓚ' => (Class::Ascii("+/=_-"), 1, 1),
        _ => return None,
    })
}

/// One of these is in every text that has one of the branches.
fn needles_of(branches: &[Sequence]) -> Option<Vec<String>> {
    branches
        .iter()
        .map(|branch| branch.iter().filter_map(node_needles).max_by_key(|needles| worth(needles)))
        .try_fold(Vec::new(), |mut all, needles| {
            all.extend(needles?);
            Some(all)
        })
}

fn node_needles(node: &Node) -> Option<Vec<String>> {
    match node {
        Node::Literal(literal) => Some(vec![literal.iter().collect()]),
        Node::Either(branches) => needles_of(branches),
        Node::Repeat { .. } | Node::Run { .. } | Node::Boundary | Node::Start | Node::Not(_) => None,
    }
}

/// A set of needles rules out as much as its shortest one; of two that do the same, the smaller set is cheaper.
fn worth(needles: &[String]) -> (usize, std::cmp::Reverse<usize>) {
    (needles.iter().map(String::len).min().unwrap_or(0), std::cmp::Reverse(needles.len()))
}
