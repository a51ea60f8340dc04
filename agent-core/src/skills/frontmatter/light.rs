//! The light name reader (`spec/skill-usage.md` §7): not YAML, only lines.

use crate::text::{cut, fold_newlines, trim};

/// How much of a file it looks at, in characters.
const HEAD_CHARS: usize = 4000;

/// The bytes that surely hold so many characters, or the whole.
const HEAD_BYTES: usize = HEAD_CHARS * 4 + 2;

/// The declared name in a `SKILL.md`, if there is one. Undecodable bytes are replaced.
pub fn light_name(bytes: &[u8]) -> Option<String> {
    // A CRLF pair counts once, so twice the bytes are needed where every character might be one.
    let head = &bytes[..bytes.len().min(2 * HEAD_BYTES)];
    let text = fold_newlines(&String::from_utf8_lossy(head));
    let mut open = false;
    for line in cut(&text, HEAD_CHARS).split('\n') {
        let line = trim(line);
        if line == "---" {
            if open {
                return None;
            }
            open = true;
        } else if open && let Some(value) = line.strip_prefix("name:") {
            let name = trim(value).trim_matches(['"', '\'']);
            if !name.is_empty() {
                return Some(name.to_owned());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_lines_not_yaml() {
        let name = |text: &str| light_name(text.as_bytes());
        assert_eq!(name("x\n --- \n  name: 'a' # c\n---\n").as_deref(), Some("a' # c"));
        assert_eq!(name("---\nname: \"\"\nname: b\n---\n").as_deref(), Some("b"));
        assert_eq!(name("---\n---\nname: b\n"), None);
        assert_eq!(name("\u{feff}---\nname: b\n---\n"), None);
        assert_eq!(name("---\r\nname: b\r\n").as_deref(), Some("b"));
        assert_eq!(name(&format!("---\n{}\nname: b\n", "x".repeat(4000))), None);
        assert_eq!(light_name(b"---\nname: \xff\n").as_deref(), Some("\u{fffd}"));
    }
}
