//! File name patterns as Python's `fnmatch` has them: `*` and `?` also match `/`, sets in brackets, case matters.

/// Whether a whole name fits a pattern of Python's `fnmatch`, case included.
pub fn glob_fits(name: &str, pattern: &str) -> bool {
    let parts = parts(pattern);
    let name: Vec<char> = name.chars().collect();
    let (mut at, mut part) = (0, 0);
    // Where to go on if what follows the last star does not fit: one character further.
    let mut retry: Option<(usize, usize)> = None;
    loop {
        match parts.get(part) {
            Some(Part::Star) => {
                retry = Some((at, part + 1));
                part += 1;
                continue;
            }
            Some(one) if name.get(at).is_some_and(|&char| one.has(char)) => {
                (at, part) = (at + 1, part + 1);
                continue;
            }
            None if at == name.len() => return true,
            _ => {}
        }
        match retry {
            Some((from, after)) if from < name.len() => {
                retry = Some((from + 1, after));
                (at, part) = (from + 1, after);
            }
            _ => return false,
        }
    }
}

enum Part {
    Star,
    One,
    Char(char),
    Set { negated: bool, ranges: Vec<(char, char)> },
}

impl Part {
    fn has(&self, char: char) -> bool {
        match self {
            Self::Star => false,
            Self::One => true,
            Self::Char(own) => *own == char,
            Self::Set { negated, ranges } => {
                ranges.iter().any(|&(low, high)| (low..=high).contains(&char)) != *negated
            }
        }
    }
}

fn parts(pattern: &str) -> Vec<Part> {
    let chars: Vec<char> = pattern.chars().collect();
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some(&char) = chars.get(at) {
        at += 1;
        parts.push(match char {
            '*' => Part::Star,
            '?' => Part::One,
            '[' => match set(&chars[at..]) {
                Some((set, len)) => {
                    at += len;
                    set
                }
                None => Part::Char('['),
            },
            char => Part::Char(char),
        });
    }
    parts
}

/// A set and how many characters it takes, its closing bracket included; none if it is never closed. A closing
/// bracket in the first place is a member. Ranges the wrong way round are empty.
fn set(chars: &[char]) -> Option<(Part, usize)> {
    let negated = chars.first() == Some(&'!');
    let start = usize::from(negated);
    let search_from = start + usize::from(chars.get(start) == Some(&']'));
    let end = search_from + chars.get(search_from..)?.iter().position(|&char| char == ']')?;
    let mut ranges = Vec::new();
    let mut at = start;
    while at < end {
        if at + 2 < end && chars[at + 1] == '-' {
            ranges.push((chars[at], chars[at + 2]));
            at += 3;
        } else {
            ranges.push((chars[at], chars[at]));
            at += 1;
        }
    }
    Some((Part::Set { negated, ranges }, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fits_what_fnmatch_fits() {
        for (name, pattern) in [
            ("docs/plans/x.md", "docs/*.md"),
            ("notes.md", "[n]otes.m?"),
            ("a-b", "a[!x]b"),
            ("]", "[]]"),
            ("a[b", "a[b"),
            ("x", "[!]]"),
            ("-", "[a-]"),
            ("b", "[a-c-e]"),
            ("", "*"),
            ("aXbXc", "a*b*c"),
        ] {
            assert!(glob_fits(name, pattern), "{name} {pattern}");
        }
        for (name, pattern) in [
            ("Notes.md", "notes.md"),
            ("b", "[c-a]"),
            ("d", "[a-c-e]"),
            ("]", "[!]]"),
            ("", "?"),
            ("ab", "a"),
        ] {
            assert!(!glob_fits(name, pattern), "{name} {pattern}");
        }
    }
}
