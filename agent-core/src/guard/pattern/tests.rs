//! The matcher against the plainest possible one.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::class::Class;
use super::engine::Text;
use super::notation::{Node, Pattern, Sequence, SoftBounds, lowered};
use crate::text::is_word;

fn has(pattern: &str, text: &str) -> bool {
    Text::of(text).has(&Pattern::parse(pattern, SoftBounds::Held))
}

#[test]
fn signs_mean_what_the_table_says() {
    for (pattern, text) in [
        ("rm␣-rf", "RM\u{a0}\t-rf"),
        ("pip␣x␣¬⟨-r␠⟩", "pip x  -r "),
        ("a⟨not )⟩+b", "a(b"),
        ("⟨curl ∣ wget⟩ⓠ", "wget'"),
        ("sh⟦d⟧¦", "ssh"),
        ("\\xⓗ×2", "\\xAf"),
        ("ⓓ×1–3:ⓓ×2–5", "٣:12"),
        ("sk-ⓐ×5+", "sk-ABcd1\u{212a}"),
        ("only ∥ x", "oNLY"),
        ("ask", "a\u{17f}\u{212a}"),
        ("a…b", "a\u{2028}b"),
        ("a⁂b", "a\nb"),
        ("say␣⊙now", "say one two three four five six seven eight now"),
    ] {
        assert!(has(pattern, text), "{pattern} in {text:?}");
        assert!(Pattern::parse(pattern, SoftBounds::Held).may_be_in(&lowered(text)), "{pattern} may be");
    }
    for (pattern, text) in [
        ("pip␣x␣¬⟨-r␠⟩", "pip x -r "),
        ("a…b", "a\nb"),
        ("^x", " x"),
        ("¦sudo¦", "\u{e9}sudo"),
        ("say␣⊙now", "say one two three four five six seven eight nine now"),
        ("a…×0~3b", "a....b"),
        ("ⓦ⟨not a⟩b", "ab"),
    ] {
        assert!(!has(pattern, text), "{pattern} in {text:?}");
    }
    let unbounded = Pattern::parse("a…×0~3b", SoftBounds::Lifted);
    assert!(Text::of("a....b").has(&unbounded));
}

/// Every end that a sequence can reach from a place, found by trying everything.
fn ends(sequence: &[Node], text: &[char], at: usize) -> BTreeSet<usize> {
    let Some((node, rest)) = sequence.split_first() else { return BTreeSet::from([at]) };
    node_ends(node, text, at).into_iter().flat_map(|end| ends(rest, text, end)).collect()
}

fn node_ends(node: &Node, text: &[char], at: usize) -> BTreeSet<usize> {
    let word = |at: Option<usize>| at.and_then(|at| text.get(at)).is_some_and(|&char| is_word(char));
    let only = |holds: bool| holds.then_some(at).into_iter().collect();
    let any = |branches: &[Sequence]| branches.iter().flat_map(|branch| ends(branch, text, at)).collect();
    match node {
        Node::Literal(literal) => {
            text[at..].starts_with(literal).then_some(at + literal.len()).into_iter().collect()
        }
        Node::Run { class, min, max } => {
            let most = text[at..].iter().take_while(|char| class.has(**char)).count().min(*max);
            (*min..=most).map(|count| at + count).collect()
        }
        Node::Either(branches) => any(branches),
        Node::Repeat { body, min, max } => {
            let mut now = BTreeSet::from([at]);
            let mut all = BTreeSet::new();
            for times in 0..=(*max).min(text.len() + min + 1) {
                if times >= *min {
                    all.extend(&now);
                }
                now = now.into_iter().flat_map(|place| ends(body, text, place)).collect();
            }
            all
        }
        Node::Boundary => only(word(at.checked_sub(1)) != word(Some(at))),
        Node::Start => only(at == 0),
        Node::Not(branches) => {
            let goes_on: BTreeSet<usize> = any(branches);
            only(goes_on.is_empty())
        }
    }
}

fn node() -> impl Strategy<Value = Node> {
    let class = prop::sample::select(vec![Class::Any, Class::Space, Class::Word, Class::NotIn(['a'].into())]);
    let max = prop::sample::select(vec![0_usize, 1, 2, usize::MAX]);
    let leaf = prop_oneof![
        "[ab ]{1,2}".prop_map(|text| Node::Literal(text.chars().collect())),
        (class, 0..2_usize, max.clone()).prop_map(|(class, min, max)| Node::Run {
            class,
            min,
            max: max.max(min)
        }),
        Just(Node::Boundary),
        Just(Node::Start),
    ];
    leaf.prop_recursive(3, 12, 3, move |inner| {
        let sequence = prop::collection::vec(inner, 0..3);
        let branches = prop::collection::vec(sequence.clone(), 1..3);
        prop_oneof![
            branches.clone().prop_map(Node::Either),
            branches.prop_map(Node::Not),
            (sequence, 0..2_usize, max.clone()).prop_map(|(body, min, max)| Node::Repeat {
                body,
                min,
                max: max.max(min)
            }),
        ]
    })
}

proptest! {
    #[test]
    fn finds_what_trying_everything_finds(
        sequence in prop::collection::vec(node(), 1..4),
        text in "[ab \n\u{301}]{0,7}",
    ) {
        let chars: Vec<char> = text.chars().collect();
        let plain = (0..=chars.len()).any(|at| !ends(&sequence, &chars, at).is_empty());
        prop_assert_eq!(Text::of(&text).has(&Pattern::of(vec![sequence])), plain);
    }
}
