//! The sequence matcher: Ratcliff/Obershelp exactly as Python's `difflib.SequenceMatcher` without a junk function
//! and with its popularity rule (`spec/fuzzy-patch.md` §6). Thresholds of the strategies are set on its figures, so
//! a better algorithm would be a wrong one.

/// From this length of the second text on, frequent characters no longer start a match.
const POPULARITY_FROM: usize = 200;

/// Equal stretches of two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Block {
    /// Where it starts in the first text.
    pub(super) a: usize,
    /// Where it starts in the second text.
    pub(super) b: usize,
    /// How long it is.
    pub(super) size: usize,
}

/// What an edit does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edit {
    /// The stretches are the same.
    Equal,
    /// The second text's stretch (possibly empty) stands for the first one's.
    Change,
}

/// One step from the first text to the second: what, and the stretches of both, half open.
pub(super) type Step = (Edit, (usize, usize), (usize, usize));

/// Two texts made ready for comparison. The second one is indexed.
pub(super) struct SequenceMatcher<'a> {
    a: &'a [char],
    b: &'a [char],
    /// Positions in `b`, grouped by character, ascending within a group.
    positions: Vec<usize>,
    /// For each position of `a` the group of its character in `positions`.
    groups: Vec<(usize, usize)>,
}

/// Run lengths of the row before and of the current one, shifted by one; all zero between uses.
struct Rows {
    before: Vec<usize>,
    current: Vec<usize>,
}

impl<'a> SequenceMatcher<'a> {
    pub(super) fn new(a: &'a [char], b: &'a [char]) -> Self {
        let mut positions: Vec<usize> = (0..b.len()).collect();
        positions.sort_by_key(|&at| b[at]);
        let most = if b.len() >= POPULARITY_FROM { b.len() / 100 + 1 } else { usize::MAX };
        let group_of = |char: char| {
            let from = positions.partition_point(|&at| b[at] < char);
            let to = positions.partition_point(|&at| b[at] <= char);
            if to - from > most { (0, 0) } else { (from, to) }
        };
        let groups = a.iter().map(|&char| group_of(char)).collect();
        Self { a, b, positions, groups }
    }

    /// How alike the texts are: 0 to 1.
    pub(super) fn ratio(&self) -> f64 {
        let matched = self.blocks().iter().map(|block| block.size).sum();
        ratio_of(matched, self.a.len() + self.b.len())
    }

    /// The equal stretches in order, adjacent ones joined.
    pub(super) fn blocks(&self) -> Vec<Block> {
        let mut rows = Rows { before: vec![0; self.b.len() + 1], current: vec![0; self.b.len() + 1] };
        let mut found = Vec::new();
        let mut todo = vec![((0, self.a.len()), (0, self.b.len()))];
        while let Some((in_a, in_b)) = todo.pop() {
            let block = self.longest(in_a, in_b, &mut rows);
            if block.size == 0 {
                continue;
            }
            found.push(block);
            if in_a.0 < block.a && in_b.0 < block.b {
                todo.push(((in_a.0, block.a), (in_b.0, block.b)));
            }
            let (end_a, end_b) = (block.a + block.size, block.b + block.size);
            if end_a < in_a.1 && end_b < in_b.1 {
                todo.push(((end_a, in_a.1), (end_b, in_b.1)));
            }
        }
        found.sort_unstable();
        let mut joined: Vec<Block> = Vec::with_capacity(found.len());
        for block in found {
            match joined.last_mut() {
                Some(last) if last.a + last.size == block.a && last.b + last.size == block.b => {
                    last.size += block.size;
                }
                _ => joined.push(block),
            }
        }
        joined
    }

    /// The steps that make the second text of the first, in order.
    pub(super) fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        let (mut at_a, mut at_b) = (0, 0);
        let end = Block { a: self.a.len(), b: self.b.len(), size: 0 };
        for block in self.blocks().into_iter().chain([end]) {
            if at_a < block.a || at_b < block.b {
                steps.push((Edit::Change, (at_a, block.a), (at_b, block.b)));
            }
            (at_a, at_b) = (block.a + block.size, block.b + block.size);
            if block.size > 0 {
                steps.push((Edit::Equal, (block.a, at_a), (block.b, at_b)));
            }
        }
        steps
    }

    /// The longest match inside the bounds; of equally long ones the earliest in `a`, then in `b`.
    fn longest(&self, in_a: (usize, usize), in_b: (usize, usize), rows: &mut Rows) -> Block {
        let mut best = Block { a: in_a.0, b: in_b.0, size: 0 };
        let inside = |at: usize| {
            let (from, to) = self.groups[at];
            let group = &self.positions[from..to];
            let first = group.partition_point(|&j| j < in_b.0);
            let end = group.partition_point(|&j| j < in_b.1);
            &group[first..end]
        };
        for i in in_a.0..in_a.1 {
            for &j in inside(i) {
                let size = rows.before[j] + 1;
                rows.current[j + 1] = size;
                if size > best.size {
                    best = Block { a: i + 1 - size, b: j + 1 - size, size };
                }
            }
            if i > in_a.0 {
                for &j in inside(i - 1) {
                    rows.before[j + 1] = 0;
                }
            }
            std::mem::swap(&mut rows.before, &mut rows.current);
        }
        if in_a.1 > in_a.0 {
            for &j in inside(in_a.1 - 1) {
                rows.before[j + 1] = 0;
            }
        }
        self.widened(best, in_a, in_b)
    }

    /// Popular characters cannot start a match but may join one.
    fn widened(&self, mut best: Block, in_a: (usize, usize), in_b: (usize, usize)) -> Block {
        while best.a > in_a.0 && best.b > in_b.0 && self.a[best.a - 1] == self.b[best.b - 1] {
            best = Block { a: best.a - 1, b: best.b - 1, size: best.size + 1 };
        }
        while best.a + best.size < in_a.1
            && best.b + best.size < in_b.1
            && self.a[best.a + best.size] == self.b[best.b + best.size]
        {
            best.size += 1;
        }
        best
    }
}

/// The ratio of so many matched characters to the length of both texts; 1 for two empty ones.
pub(super) fn ratio_of(matched: usize, both: usize) -> f64 {
    if both == 0 { 1.0 } else { 2.0 * matched as f64 / both as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chars(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    /// Matched characters; the ratio is twice that, divided by the length of both.
    fn matched(a: &str, b: &str) -> usize {
        SequenceMatcher::new(&chars(a), &chars(b)).blocks().iter().map(|block| block.size).sum()
    }

    #[test]
    fn figures_of_difflib() {
        // Each from the blocks of `difflib.SequenceMatcher(None, a, b)`, Python 3.11.
        assert_eq!(matched("", ""), 0);
        assert_eq!(matched("abcd", "bcde"), 3);
        assert_eq!(matched("private Thread currentThread;", "private volatile Thread currentThread;"), 29);
        assert_eq!(matched("qabxcd", "abycdf"), 4);
        assert_eq!((matched("tide", "diet"), matched("diet", "tide")), (1, 2), "the order matters");
        assert!((ratio_of(0, 0) - 1.0).abs() < f64::EPSILON);
    }

    #[test]
    fn frequent_characters_of_long_texts_do_not_start_a_match() {
        let (a, b) = (format!("b{}", "a".repeat(199)), "a".repeat(200));
        assert_eq!(matched(&a, &b), 0, "nothing anchors, and the first characters differ");
        assert_eq!(matched(&b, &b), 200, "a match of size 0 still widens to the right");
    }

    #[test]
    fn steps_lead_from_one_text_to_the_other() {
        let (a, b) = (chars("qabxcd"), chars("abycdf"));
        let steps = SequenceMatcher::new(&a, &b).steps();
        let built: String = steps
            .iter()
            .flat_map(|&(edit, (a0, a1), (b0, b1))| match edit {
                Edit::Equal => a[a0..a1].to_vec(),
                Edit::Change => b[b0..b1].to_vec(),
            })
            .collect();
        assert_eq!(built, "abycdf");
        assert_eq!(steps.len(), 5);
    }
}
