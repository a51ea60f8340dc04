//! "Did you mean": the lines of a text that are most like what was not found (`spec/fuzzy-patch.md` §7).

use super::similar::Profile;
use crate::text::{trim, wide_lines};

/// A line must be more like the anchor than this.
const RATIO_OVER: f64 = 0.3;
/// So many places are shown.
const SHOWN: usize = 3;
/// So many lines before and after a place.
const AROUND: usize = 2;

/// The places of `content` most like the first line of `old`, with their line numbers; empty if nothing is near.
pub fn closest(old: &str, content: &str) -> String {
    let (old_lines, lines) = (wide_lines(old), wide_lines(content));
    let Some(anchor) = old_lines.iter().map(|line| trim(line)).find(|line| !line.is_empty()) else {
        return String::new();
    };
    let mut shown: Vec<(usize, usize)> = Vec::with_capacity(SHOWN);
    let mut text = String::new();
    for at in best_lines(anchor, &lines) {
        let range = (at.saturating_sub(AROUND), lines.len().min(at + old_lines.len() + AROUND));
        if shown.contains(&range) {
            continue;
        }
        shown.push(range);
        if !text.is_empty() {
            text.push_str("\n---\n");
        }
        let line = |(number, line): (usize, &&str)| format!("{:>4}| {line}", range.0 + number + 1);
        text.push_str(&lines[range.0..range.1].iter().enumerate().map(line).collect::<Vec<_>>().join("\n"));
    }
    text
}

/// The best lines, best first; of equally good ones the earlier first. A bound spares the exact figure of a line that
/// cannot be among them.
fn best_lines(anchor: &str, lines: &[&str]) -> Vec<usize> {
    let anchor = Profile::of(anchor);
    let mut best: Vec<(f64, usize)> = Vec::with_capacity(SHOWN + 1);
    for (at, line) in lines.iter().enumerate() {
        let line = trim(line);
        let least = if best.len() < SHOWN { RATIO_OVER } else { best[SHOWN - 1].0 };
        let line = Profile::of(line);
        if line.is_empty() || anchor.ratio_max(&line) <= least {
            continue;
        }
        let ratio = anchor.ratio(&line);
        if ratio > least {
            let place = best.partition_point(|&(other, _)| other >= ratio);
            best.insert(place, (ratio, at));
            best.truncate(SHOWN);
        }
    }
    best.into_iter().map(|(_, at)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_places_with_their_neighbours() {
        let content = "# Deploy\n\n1. Build the image.\n2. Push the image.\n3. Apply.\n\nDone.\n";
        insta::assert_snapshot!(closest("2. push image", content), @r"
           2| 
           3| 1. Build the image.
           4| 2. Push the image.
           5| 3. Apply.
           6| 
        ---
           1| # Deploy
           2| 
           3| 1. Build the image.
           4| 2. Push the image.
           5| 3. Apply.
        ");
        assert_eq!(closest("", content), "");
        assert_eq!(closest(" \n", content), "");
        assert_eq!(closest("zzz", "qqq"), "");
    }
}
