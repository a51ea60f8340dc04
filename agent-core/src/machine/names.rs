//! Repair of tool names that models get slightly wrong (`spec/turn-loop.md` §5).

use crate::patch;
use crate::values::ToolList;

/// How like a known name an unknown one must be.
const SIMILARITY_MIN: f64 = 0.7;
/// How many tool suffixes are stripped.
const SUFFIXES_MAX: usize = 2;
const SUFFIXES: [&str; 3] = ["_tool", "tool", "_"];

/// The known name that is meant; `None` if none is near.
pub(crate) fn repair(name: &str, tools: &ToolList) -> Option<String> {
    if tools.has(name) {
        return Some(name.to_owned());
    }
    let cut = name.split(['"', '\'', '<', '>', '`']).next().unwrap_or("");
    let snake = snake_case(cut);
    let lower: String = cut.to_lowercase().replace(['-', ' '], "_");
    for candidate in [lower, snake.clone()] {
        if let Some(found) = without_suffixes(&candidate, tools) {
            return Some(found);
        }
    }
    closest(&snake, tools)
}

fn without_suffixes(name: &str, tools: &ToolList) -> Option<String> {
    let mut name = name;
    for _ in 0..=SUFFIXES_MAX {
        if tools.has(name) {
            return Some(name.to_owned());
        }
        name = SUFFIXES.iter().find_map(|suffix| name.strip_suffix(suffix))?;
    }
    None
}

fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    let mut before_lower = false;
    for char in name.chars() {
        if char.is_uppercase() {
            if before_lower {
                snake.push('_');
            }
            snake.extend(char.to_lowercase());
            before_lower = false;
        } else {
            snake.push(if matches!(char, '-' | ' ') { '_' } else { char });
            before_lower = char.is_lowercase() || char.is_numeric();
        }
    }
    snake
}

fn closest(name: &str, tools: &ToolList) -> Option<String> {
    if name.is_empty() {
        return None;
    }
    let mut best: Option<(f64, &str)> = None;
    for known in tools.names() {
        let ratio = patch::ratio(known, name);
        if ratio >= SIMILARITY_MIN && best.is_none_or(|(highest, _)| ratio > highest) {
            best = Some((ratio, known));
        }
    }
    best.map(|(_, known)| known.to_owned())
}
