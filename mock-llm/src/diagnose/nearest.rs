//! The known name that a misspelt one was probably meant to be.

/// The known name nearest to `name`, if one is near enough to be worth suggesting: at most a third of its letters
/// differ, swapped neighbours count once, and case and the choice of `-`, `_` and space count nothing.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = folded(name);
    let limit = (wanted.len() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    for candidate in known {
        let folded = folded(candidate);
        if folded.len().abs_diff(wanted.len()) > limit {
            continue;
        }
        let distance = distance(&wanted, &folded);
        if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// `did you mean …?` for the nearest known name, or the list of all known ones if none is near and they are few.
pub fn nearest_hint<'a>(name: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> Option<String> {
    /// More names than this are no help in a message.
    const SHOWN_MAX: usize = 16;
    if let Some(near) = nearest(name, known.clone()) {
        return Some(format!("did you mean `{near}`?"));
    }
    let mut all: Vec<&str> = known.into_iter().collect();
    all.sort_unstable();
    all.dedup();
    (1..=SHOWN_MAX).contains(&all.len()).then(|| format!("known here: {}", all.join(", ")))
}

fn folded(name: &str) -> Vec<char> {
    name.chars()
        .take(64)
        .flat_map(char::to_lowercase)
        .map(|c| if c == '_' || c == ' ' { '-' } else { c })
        .collect()
}

/// Edit distance with swapped neighbours as one edit.
fn distance(a: &[char], b: &[char]) -> usize {
    let width = b.len() + 1;
    let mut table: Vec<usize> =
        (0..width * (a.len() + 1)).map(|i| if i < width { i } else { i / width }).collect();
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let at = |i: usize, j: usize| i * width + j;
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut least =
                (table[at(i - 1, j - 1)] + change).min(table[at(i - 1, j)] + 1).min(table[at(i, j - 1)] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(table[at(i - 2, j - 2)] + 1);
            }
            table[at(i, j)] = least;
        }
    }
    table[table.len() - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant() {
        let known = ["when", "steps", "on_error", "on_result", "reply"];
        assert_eq!(nearest("wehn", known), Some("when"));
        assert_eq!(nearest("onerror", known), Some("on_error"));
        assert_eq!(nearest("on-error", known), Some("on_error"));
        assert_eq!(nearest("Reply", known), Some("reply"));
        assert_eq!(nearest("zebra", known), None);
        assert_eq!(nearest("", known), None);
    }

    #[test]
    fn lists_what_is_known_when_nothing_is_near() {
        assert_eq!(nearest_hint("zebra", ["b", "a"]).as_deref(), Some("known here: a, b"));
        assert_eq!(nearest_hint("zebra", []), None);
    }
}
