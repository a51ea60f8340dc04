//! A strict reader of XML, as much of it as a `JUnit` file needs: it fails where a real one would.

/// An element with its attributes, texts unescaped; children and texts are not kept.
#[derive(Debug)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
}

impl Element {
    /// The value of an attribute that must be there.
    pub(crate) fn get(&self, name: &str) -> &str {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        &found.unwrap_or_else(|| panic!("{} has no attribute {name}", self.name)).1
    }
}

/// All elements of a document, in the order in which they begin; the mistake if it is not well formed.
pub(crate) fn elements(text: &str) -> Result<Vec<Element>, String> {
    if let Some(wrong) = text.chars().find(|char| !is_xml(*char)) {
        return Err(format!("U+{:04X} may not stand in XML", u32::from(wrong)));
    }
    let mut rest =
        text.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>").ok_or("no XML declaration")?;
    let (mut found, mut open) = (Vec::new(), Vec::new());
    while let Some(at) = rest.find('<') {
        let before = &rest[..at];
        if open.is_empty() && !before.trim().is_empty() {
            return Err(format!("text outside the root: {before:?}"));
        }
        unescaped(before)?;
        if before.contains("]]>") {
            return Err("]]> in text".to_owned());
        }
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('/') {
            let (name, left) = after.split_once('>').ok_or("an end tag without end")?;
            if open.pop().as_deref() != Some(name) {
                return Err(format!("</{name}> closes nothing"));
            }
            rest = left;
            continue;
        }
        let (element, is_empty, left) = start_tag(rest)?;
        if open.is_empty() && !found.is_empty() {
            return Err("a second root".to_owned());
        }
        if !is_empty {
            open.push(element.name.clone());
        }
        found.push(element);
        rest = left;
    }
    match open.pop() {
        Some(name) => Err(format!("<{name}> is never closed")),
        None if !rest.trim().is_empty() => Err("text after the root".to_owned()),
        None => Ok(found),
    }
}

/// A start tag from behind its `<`: the element, whether it ends at once, and what follows.
fn start_tag(text: &str) -> Result<(Element, bool, &str), String> {
    let end = text.find([' ', '>', '/', '\n']).ok_or("a tag without end")?;
    let mut element = Element { name: text[..end].to_owned(), attributes: Vec::new() };
    if element.name.is_empty()
        || !element.name.chars().all(|char| char.is_ascii_alphanumeric() || char == '-')
    {
        return Err(format!("a strange name: {:?}", element.name));
    }
    let mut rest = text[end..].trim_start();
    loop {
        if let Some(left) = rest.strip_prefix("/>") {
            return Ok((element, true, left));
        }
        if let Some(left) = rest.strip_prefix('>') {
            return Ok((element, false, left));
        }
        let (name, after) = rest.split_once("=\"").ok_or("an attribute without value")?;
        let (value, left) = after.split_once('"').ok_or("a value without end")?;
        if value.contains(['<', '\n', '\t']) {
            return Err(format!("a raw character in {name}: {value:?}"));
        }
        if element.attributes.iter().any(|(known, _)| known == name) {
            return Err(format!("{name} twice"));
        }
        element.attributes.push((name.to_owned(), unescaped(value)?));
        rest = left.trim_start();
    }
}

fn unescaped(text: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        let (name, left) = rest[at + 1..].split_once(';').ok_or("a bare ampersand")?;
        out.push(match name {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "apos" => '\'',
            other => {
                let code = other.strip_prefix('#').ok_or(format!("&{other}; is unknown"))?;
                let code = match code.strip_prefix('x') {
                    Some(code) => u32::from_str_radix(code, 16),
                    None => code.parse(),
                };
                let char = code.ok().and_then(char::from_u32).filter(|char| is_xml(*char));
                char.ok_or(format!("&{other}; is no character of XML"))?
            }
        });
        rest = left;
    }
    out.push_str(rest);
    Ok(out)
}

/// The characters of XML 1.0.
fn is_xml(char: char) -> bool {
    matches!(char, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

#[test]
fn the_reader_is_strict() {
    let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    let read = |text: &str| elements(&format!("{head}{text}"));
    assert_eq!(
        read("<a b=\"x&amp;&#10;\"><c/>y &lt;</a>\n").map(|found| found[0].get("b").to_owned()),
        Ok("x&\n".to_owned())
    );
    for wrong in [
        "<a>",
        "<a></b>",
        "<a/><b/>",
        "<a b=\"1\" b=\"2\"/>",
        "<a>&nbsp;</a>",
        "<a>&#0;</a>",
        "<a>\u{1}</a>",
        "<a>]]></a>",
        "<a b=\"<\"/>",
        "x<a/>",
        "<a>&</a>",
        "<a/>x",
    ] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
}
