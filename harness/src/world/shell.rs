//! The one piece of shell grammar that a world knows: `a && b`.

/// The parts of a command line that are joined by `&&` outside quotes, trimmed; a blank line is one empty part.
pub(super) fn parts(line: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quote = None;
    let mut escaped = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let last = parts.last_mut().expect("there is always a last part");
        if escaped {
            escaped = false;
        } else if c == '\\' && quote != Some('\'') {
            escaped = true;
        } else if quote == Some(c) {
            quote = None;
        } else if quote.is_none() && matches!(c, '\'' | '"') {
            quote = Some(c);
        } else if quote.is_none() && c == '&' && chars.peek() == Some(&'&') {
            chars.next();
            parts.push(String::new());
            continue;
        }
        last.push(c);
    }
    parts.into_iter().map(|part| part.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_joins_commands_splits_a_line() {
        assert_eq!(parts("docker build . && docker push x"), ["docker build .", "docker push x"]);
        assert_eq!(
            parts("echo 'a && b' && echo \"c \\\" && d\" &&true"),
            ["echo 'a && b'", "echo \"c \\\" && d\"", "true"]
        );
        assert_eq!(parts("sleep 1 & wait; a || b"), ["sleep 1 & wait; a || b"]);
        assert_eq!(parts("  "), [""]);
    }
}
