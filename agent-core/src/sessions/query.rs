//! From what a model typed to what an index is asked: cleaning and route (`spec/sessions.md` §2.1, §2.2).
//!
//! Nothing here knows the store; everything is a function of the text and the rules.

use crate::behaviour::SessionRules;
use crate::text;

/// A balanced phrase in double quotes, taken out while the rest is cleaned, or one character of the rest.
#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Char(char),
    Phrase(String),
}

impl Piece {
    fn is(&self, char: char) -> bool {
        *self == Self::Char(char)
    }

    fn is_space(&self) -> bool {
        matches!(self, Self::Char(char) if text::is_space(*char))
    }

    fn is_word(&self) -> bool {
        matches!(self, Self::Char(char) if text::is_word(*char))
    }
}

/// The query as a full-text expression; empty if nothing is left. What is no expression stays none: the index
/// refuses it.
pub(super) fn clean(query: &str, rules: &SessionRules) -> String {
    let query = rules.query_chars_max.map_or(query, |max| text::cut(query, max));
    let mut pieces = take_phrases(query);
    for piece in &mut pieces {
        let special = matches!(piece, Piece::Char('+' | '{' | '}' | '(' | ')' | '"' | '^'));
        if special || (rules.strip_colon && piece.is(':')) {
            *piece = Piece::Char(' ');
        }
    }
    let mut pieces = tidy_stars(pieces);
    trim(&mut pieces);
    drop_leading_operator(&mut pieces);
    trim(&mut pieces);
    drop_trailing_operator(&mut pieces);
    let joined = quote_compounds(&pieces);
    text::trim(&joined).to_owned()
}

/// Splits the text into balanced phrases and single characters; an unmatched quote is a blank.
fn take_phrases(query: &str) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(query.len());
    let mut rest = query;
    while let Some(open) = rest.find('"') {
        pieces.extend(rest[..open].chars().map(Piece::Char));
        let after = &rest[open + 1..];
        match after.find('"') {
            Some(close) => {
                pieces.push(Piece::Phrase(rest[open..open + close + 2].to_owned()));
                rest = &after[close + 1..];
            }
            None => {
                pieces.push(Piece::Char(' '));
                rest = after;
            }
        }
    }
    pieces.extend(rest.chars().map(Piece::Char));
    pieces
}

/// One `*` for each run of them, and none that begins a word.
fn tidy_stars(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut tidy: Vec<Piece> = Vec::with_capacity(pieces.len());
    let mut in_run = false;
    for piece in pieces {
        let star = piece.is('*');
        let begins = tidy.last().is_none_or(Piece::is_space);
        if !star || !(in_run || begins) {
            tidy.push(piece);
        }
        in_run = star;
    }
    tidy
}

fn trim(pieces: &mut Vec<Piece>) {
    while pieces.last().is_some_and(Piece::is_space) {
        pieces.pop();
    }
    let blanks = pieces.iter().take_while(|piece| piece.is_space()).count();
    pieces.drain(..blanks);
}

fn drop_leading_operator(pieces: &mut Vec<Piece>) {
    let word: String = pieces.iter().map_while(letter).take(4).collect();
    let len = word.len();
    if is_operator(&word) && !pieces.get(len).is_some_and(Piece::is_word) {
        pieces.drain(..len);
    }
}

fn drop_trailing_operator(pieces: &mut Vec<Piece>) {
    let word: String = pieces.iter().rev().map_while(letter).take(4).collect();
    let Some(before) = pieces.len().checked_sub(word.len() + 1) else { return };
    let word: String = word.chars().rev().collect();
    if is_operator(&word) && pieces[before].is_space() {
        pieces.truncate(before);
        trim(pieces);
    }
}

fn letter(piece: &Piece) -> Option<char> {
    match piece {
        Piece::Char(char) if char.is_ascii_alphabetic() => Some(*char),
        _ => None,
    }
}

/// Puts runs of words joined by `.`, `_` or `-` into quotes, so that they are searched as phrases.
fn quote_compounds(pieces: &[Piece]) -> String {
    let mut text = String::with_capacity(pieces.len() + 8);
    let mut at = 0;
    while at < pieces.len() {
        if !pieces[at].is_word() {
            push(&mut text, &pieces[at]);
            at += 1;
            continue;
        }
        let (end, compound) = compound_end(pieces, at);
        if compound {
            text.push('"');
        }
        for piece in &pieces[at..end] {
            push(&mut text, piece);
        }
        if compound {
            text.push('"');
        }
        at = end;
    }
    text
}

/// Where the run that begins here ends, and whether it is a compound.
fn compound_end(pieces: &[Piece], start: usize) -> (usize, bool) {
    let word_end = |from: usize| {
        pieces[from..].iter().position(|piece| !piece.is_word()).map_or(pieces.len(), |len| from + len)
    };
    let first = word_end(start);
    let mut end = first;
    while end + 1 < pieces.len() && (pieces[end].is('.') || pieces[end].is('-')) && pieces[end + 1].is_word()
    {
        end = word_end(end + 1);
    }
    // `_` is a word character as well as a separator: it joins if a word character stands on both sides.
    let joined = first - start > 2 && pieces[start + 1..first - 1].iter().any(|piece| piece.is('_'));
    (end, end > first || joined)
}

fn push(text: &mut String, piece: &Piece) {
    match piece {
        Piece::Char(char) => text.push(*char),
        Piece::Phrase(phrase) => text.push_str(phrase),
    }
}

/// Whether a word is an operator, in any letter case.
pub(super) fn is_operator(word: &str) -> bool {
    ["AND", "OR", "NOT"].iter().any(|operator| word.eq_ignore_ascii_case(operator))
}

/// Which index answers a cleaned query.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Route {
    /// None: nothing is left of the query.
    None,
    /// The main index, asked this.
    Main(String),
    /// The trigram index, asked this.
    Trigram(String),
    /// A substring search.
    Substring(Substring),
}

/// The query of a substring search: its words, operators included.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Substring {
    words: Vec<String>,
}

/// A list of alternatives, each with what must and what must not be there.
pub(super) type Alternatives<'a> = Vec<(Vec<&'a str>, Vec<&'a str>)>;

impl Substring {
    fn new(text: &str) -> Self {
        let words: Vec<String> = split(text).map(str::to_owned).collect();
        // A query without any other word is looked for as a whole.
        let plain = words.iter().any(|word| !is_operator(word));
        Self { words: if plain { words } else { vec![text.to_owned()] } }
    }

    /// The words that are no operators, all of them alternatives.
    pub(super) fn any_of(&self) -> Alternatives<'_> {
        self.terms().map(|word| (vec![word], Vec::new())).collect()
    }

    /// The words joined as the operators say: NOT binds to the next word, AND is understood, OR separates.
    pub(super) fn as_written(&self) -> Alternatives<'_> {
        let mut alternatives = Alternatives::new();
        let (mut wanted, mut unwanted, mut negated) = (Vec::new(), Vec::new(), false);
        for word in &self.words {
            match word.to_ascii_uppercase().as_str() {
                "OR" => alternatives.push((std::mem::take(&mut wanted), std::mem::take(&mut unwanted))),
                "NOT" => negated = true,
                "AND" => {}
                _ if std::mem::take(&mut negated) => unwanted.push(word.as_str()),
                _ => wanted.push(word.as_str()),
            }
        }
        alternatives.push((wanted, unwanted));
        alternatives.retain(|(wanted, _)| !wanted.is_empty());
        alternatives
    }

    /// The word whose place decides where a snippet begins.
    pub(super) fn first(&self) -> &str {
        self.terms().next().unwrap_or("")
    }

    fn terms(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str).filter(|word| !is_operator(word))
    }
}

/// Chooses the index. The trigram index is always there.
pub(super) fn route(cleaned: &str) -> Route {
    if cleaned.is_empty() {
        return Route::None;
    }
    if !cleaned.chars().any(is_cjk) {
        return Route::Main(cleaned.to_owned());
    }
    let bare = bare(cleaned);
    let short = split(bare)
        .filter(|word| !is_operator(word))
        .map(cjk_chars)
        .any(|chars| chars > 0 && chars < TRIGRAM_CHARS);
    if cjk_chars(bare) >= TRIGRAM_CHARS && !short {
        Route::Trigram(quote_words(bare))
    } else {
        Route::Substring(Substring::new(bare))
    }
}

/// The substring search for a query that the trigram index cannot answer.
pub(super) fn substring_instead(cleaned: &str) -> Substring {
    Substring::new(bare(cleaned))
}

/// The query with every word that is no operator in quotes, so that it is an expression whatever it holds.
pub(super) fn quote_words(text: &str) -> String {
    let words: Vec<String> =
        split(text).map(|word| if is_operator(word) { word.to_owned() } else { quoted(word) }).collect();
    words.join(" ")
}

/// The query as plain words that must all be there: operators are no words, quotes no phrases.
pub(super) fn plain_words(text: &str) -> String {
    let words: Vec<String> = split(text)
        .map(|word| word.trim_matches(|char| !text::is_word(char)))
        .filter(|word| !word.is_empty() && !is_operator(word))
        .map(quoted)
        .collect();
    words.join(" ")
}

/// The quoted phrases of an expression that [`quote_words`] made.
pub(super) fn phrases(expression: &str) -> Vec<String> {
    let mut phrases = Vec::new();
    let mut chars = expression.chars().peekable();
    while chars.by_ref().any(|char| char == '"') {
        let mut phrase = String::new();
        while let Some(char) = chars.next() {
            // A doubled quote is one inside.
            if char == '"' && chars.next_if_eq(&'"').is_none() {
                break;
            }
            phrase.push(char);
        }
        phrases.push(phrase);
    }
    phrases
}

fn quoted(word: &str) -> String {
    format!("\"{}\"", word.replace('"', "\"\""))
}

fn bare(cleaned: &str) -> &str {
    text::trim(cleaned.trim_matches('"'))
}

fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split(text::is_space).filter(|word| !word.is_empty())
}

/// Characters that the trigram index needs to find anything.
const TRIGRAM_CHARS: usize = 3;

fn cjk_chars(text: &str) -> usize {
    text.chars().filter(|&char| is_cjk(char)).count()
}

fn is_cjk(char: char) -> bool {
    matches!(char,
        '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{20000}'..='\u{2a6df}'
        | '\u{3000}'..='\u{303f}' | '\u{3040}'..='\u{30ff}' | '\u{ac00}'..='\u{d7af}')
}

impl Route {
    /// The name of the route: `none`, `fts`, `trigram` or `like`.
    fn name(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Main(_) => "fts",
            Self::Trigram(_) => "trigram",
            Self::Substring(_) => "like",
        }
    }
}

/// What becomes of a query before any index is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryPlan {
    /// The query after cleaning.
    pub cleaned: String,
    /// Who answers it: `fts` (the main index), `trigram`, `like` (a substring search) or `none`.
    pub route: &'static str,
}

/// Says what becomes of a query.
pub fn explain_query(query: &str, rules: &SessionRules) -> QueryPlan {
    let cleaned = clean(query, rules);
    let route = route(&cleaned).name();
    QueryPlan { cleaned, route }
}
