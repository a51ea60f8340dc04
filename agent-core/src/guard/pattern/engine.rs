//! The matcher: the set of places reached is carried through the pattern, part by part.

use super::class::{Class, fold};
use super::notation::{Node, Pattern, Sequence};
use super::spans::{Marks, Spans};
use crate::text::is_word;

/// A text made ready for matching, its case folded.
pub(in crate::guard) struct Text(Vec<char>);

/// Which way a part is walked: from where it may start to where it may end, or back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    On,
    Back,
}

impl Text {
    pub(in crate::guard) fn of(text: &str) -> Self {
        Self(text.chars().map(fold).collect())
    }

    /// Whether the pattern occurs anywhere in the text.
    pub(in crate::guard) fn has(&self, pattern: &Pattern) -> bool {
        let from = Spans::all(self.0.len());
        pattern.branches.iter().any(|branch| !self.walk(branch, from.clone(), Way::On).is_empty())
    }

    fn walk(&self, sequence: &Sequence, from: Spans, way: Way) -> Spans {
        let step = |reached: Spans, node: &Node| {
            if reached.is_empty() { reached } else { self.step(node, &reached, way) }
        };
        match way {
            Way::On => sequence.iter().fold(from, step),
            Way::Back => sequence.iter().rev().fold(from, step),
        }
    }

    fn step(&self, node: &Node, from: &Spans, way: Way) -> Spans {
        match node {
            Node::Literal(literal) => self.literal(literal, from, way),
            Node::Run { class, min, max } => self.run(class, *min, *max, from, way),
            Node::Either(branches) => self.either(branches, from, way),
            Node::Repeat { body, min, max } => self.repeat(body, *min, *max, from, way),
            Node::Boundary => from.filtered(|place| self.is_word_limit(place)),
            Node::Start => from.filtered(|place| place == 0),
            Node::Not(branches) => {
                let mut goes_on = Marks::new(self.0.len());
                goes_on.add(&self.either(branches, &Spans::all(self.0.len()), Way::Back));
                from.filtered(|place| !goes_on.has(place))
            }
        }
    }

    fn either(&self, branches: &[Sequence], from: &Spans, way: Way) -> Spans {
        branches
            .iter()
            .map(|branch| self.walk(branch, from.clone(), way))
            .fold(Spans::default(), |all, reached| all.union(&reached))
    }

    fn literal(&self, literal: &[char], from: &Spans, way: Way) -> Spans {
        let mut reached = Spans::default();
        for place in from.places() {
            let (start, other) = match way {
                Way::On => (place, place + literal.len()),
                Way::Back if place < literal.len() => continue,
                Way::Back => (place - literal.len(), place - literal.len()),
            };
            if self.0[start..].starts_with(literal) {
                reached.push(other, other);
            }
        }
        reached
    }

    /// Runs of one class. The text falls into stretches `[first, last]` of places with only members of the class
    /// between them; within one, so many members further or back is plain arithmetic.
    fn run(&self, class: &Class, min: usize, max: usize, from: &Spans, way: Way) -> Spans {
        let mut reached = Spans::default();
        let mut stretch: Option<(usize, usize)> = None;
        for (low, high) in from.intervals() {
            let mut at = low;
            while at <= high {
                let (first, last) = match stretch {
                    Some((first, last)) if at <= last => (first, last),
                    before => self.stretch(class, at, before.map_or(0, |(_, last)| last + 1)),
                };
                stretch = Some((first, last));
                let until = high.min(last);
                match way {
                    Way::On if at + min <= last => {
                        let furthest = until.min(last - min).saturating_add(max).min(last);
                        reached.push(at + min, furthest);
                    }
                    Way::Back if first + min <= until => {
                        let nearest = at.max(first + min).saturating_sub(max).max(first);
                        reached.push(nearest, until - min);
                    }
                    _ => {}
                }
                at = last + 1;
            }
        }
        reached
    }

    /// The stretch that a place lies in; it begins at `floor` at the earliest.
    fn stretch(&self, class: &Class, place: usize, floor: usize) -> (usize, usize) {
        let outside = |char: &char| !class.has(*char);
        let first = self.0[floor..place].iter().rposition(outside).map_or(floor, |at| floor + at + 1);
        let last = self.0[place..].iter().position(outside).map_or(self.0.len(), |at| place + at);
        (first, last)
    }

    /// Repeats of a whole sequence. A place reached with fewer repeats is never worse than the same place reached
    /// with more, so each is gone on from once.
    fn repeat(&self, body: &Sequence, min: usize, max: usize, from: &Spans, way: Way) -> Spans {
        let mut frontier = from.clone();
        for _ in 0..min {
            frontier = self.walk(body, frontier, way);
        }
        if max - min == 1 {
            let once = self.walk(body, frontier.clone(), way);
            return frontier.union(&once);
        }
        let mut reached = Marks::new(self.0.len());
        reached.add(&frontier);
        for _ in min..max {
            frontier = self.walk(body, frontier, way).filtered(|place| !reached.has(place));
            if frontier.is_empty() {
                break;
            }
            reached.add(&frontier);
        }
        reached.into_spans()
    }

    fn is_word_limit(&self, place: usize) -> bool {
        let word = |at: Option<usize>| at.and_then(|at| self.0.get(at)).is_some_and(|&char| is_word(char));
        word(place.checked_sub(1)) != word(Some(place))
    }
}
