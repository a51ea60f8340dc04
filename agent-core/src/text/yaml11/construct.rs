//! Nodes to values: the safe set of tags.

use std::rc::Rc;

use super::VALUES_MAX;
use super::error::{Mark, YamlError};
use super::parse::{Content, Node, Pairs};
use super::scalars::{Timestamp, Whole, float, truth, whole};
use super::value::YamlValue;

/// Makes values and counts them.
#[derive(Default)]
pub(super) struct Constructor {
    made: usize,
}

impl Constructor {
    pub(super) fn value(&mut self, node: &Node) -> Result<YamlValue, YamlError> {
        self.made += 1;
        if self.made > VALUES_MAX {
            return Err(node.mark.error(format!("more than {VALUES_MAX} values; aliases count each time")));
        }
        match &node.content {
            Content::Scalar(text) => scalar(&node.tag, text, node.mark),
            Content::Sequence(items) => self.sequence(node, items),
            Content::Mapping(pairs) => self.mapping(node, pairs),
        }
    }

    fn sequence(&mut self, node: &Node, items: &[Rc<Node>]) -> Result<YamlValue, YamlError> {
        match node.tag.as_str() {
            "seq" => items.iter().map(|item| self.value(item)).collect::<Result<_, _>>().map(YamlValue::List),
            "omap" | "pairs" => {
                let mut pairs = Vec::new();
                for item in items {
                    let Content::Mapping(pair) = &item.content else {
                        return Err(item.mark.error("expected a mapping of one pair"));
                    };
                    let [(key, value)] = pair.as_slice() else {
                        return Err(item.mark.error("expected a mapping of one pair"));
                    };
                    pairs.push((self.value(key)?, self.value(value)?));
                }
                Ok(YamlValue::Pairs(pairs))
            }
            _ => Err(wrong_tag(node)),
        }
    }

    fn mapping(&mut self, node: &Node, pairs: &Pairs) -> Result<YamlValue, YamlError> {
        if !matches!(node.tag.as_str(), "map" | "set") {
            return Err(wrong_tag(node));
        }
        let mut flat = Vec::new();
        self.flatten(node.mark, pairs, &mut flat, 0)?;
        let mut made: Vec<(YamlValue, YamlValue)> = Vec::new();
        for (key, value) in flat {
            let name = self.key(&key)?;
            let value = self.value(&value)?;
            match made.iter_mut().find(|(known, _)| known.is_same_key(&name)) {
                Some((_, older)) => *older = value,
                None => made.push((name, value)),
            }
        }
        if node.tag == "set" {
            return Ok(YamlValue::Set(made.into_iter().map(|(key, _)| key).collect()));
        }
        Ok(YamlValue::Map(made))
    }

    fn key(&mut self, node: &Node) -> Result<YamlValue, YamlError> {
        if let (Content::Scalar(text), "value") = (&node.content, node.tag.as_str()) {
            return Ok(YamlValue::Text(text.clone()));
        }
        match node.content {
            Content::Scalar(_) => self.value(node),
            _ => Err(node.mark.error("a list or mapping cannot be a key")),
        }
    }

    /// The pairs of a mapping with those of its merge keys in front, so that its own win.
    fn flatten(
        &mut self,
        mark: Mark,
        pairs: &Pairs,
        flat: &mut Pairs,
        depth: usize,
    ) -> Result<(), YamlError> {
        self.made += pairs.len();
        if self.made > VALUES_MAX || depth > super::DEPTH_MAX {
            return Err(mark.error(format!("more than {VALUES_MAX} values; aliases count each time")));
        }
        for (_, value) in pairs.iter().filter(|(key, _)| key.tag == "merge") {
            let wrong = || value.mark.error("`<<` takes a mapping or a list of mappings");
            match &value.content {
                Content::Mapping(merged) => self.flatten(value.mark, merged, flat, depth + 1)?,
                Content::Sequence(items) => {
                    if items.iter().any(|item| !matches!(item.content, Content::Mapping(_))) {
                        return Err(wrong());
                    }
                    // The first of the list wins, so it comes last.
                    for item in items.iter().rev() {
                        if let Content::Mapping(merged) = &item.content {
                            self.flatten(item.mark, merged, flat, depth + 1)?;
                        }
                    }
                }
                Content::Scalar(_) => return Err(wrong()),
            }
        }
        flat.extend(pairs.iter().filter(|(key, _)| key.tag != "merge").cloned());
        Ok(())
    }
}

fn wrong_tag(node: &Node) -> YamlError {
    node.mark.error(format!("the tag `{}` is not of the safe set, or does not fit here", node.tag))
}

fn scalar(tag: &str, text: &str, mark: Mark) -> Result<YamlValue, YamlError> {
    match tag {
        "str" => Ok(YamlValue::Text(text.to_owned())),
        "null" => Ok(YamlValue::Null),
        "bool" => truth(text).map(YamlValue::Bool).ok_or_else(|| mark.bad_value("no truth value")),
        "int" => match whole(text) {
            Some(Whole::Small(number)) => Ok(YamlValue::Int(number)),
            Some(Whole::Big(text)) => Ok(YamlValue::BigInt(text)),
            None => Err(mark.bad_value("no whole number")),
        },
        "float" => float(text).map(YamlValue::Float).ok_or_else(|| mark.bad_value("no number")),
        "timestamp" => match Timestamp::split(text).and_then(|stamp| stamp.print()) {
            Some((text, false)) => Ok(YamlValue::Date(text)),
            Some((text, true)) => Ok(YamlValue::DateTime(text)),
            None => Err(mark.bad_value(format!("`{text}` looks like a date and is none; quote it"))),
        },
        "binary" => base64(text).map(YamlValue::Bytes).ok_or_else(|| mark.error("no base64")),
        // These become empty collections of a scalar that is not one: an error in the reference, too.
        _ => {
            Err(mark
                .error(format!("the tag `{tag}` is not of the safe set; quote text that begins with `!`")))
        }
    }
}

/// Base64 with line breaks and other foreign characters passed over.
fn base64(text: &str) -> Option<Vec<u8>> {
    if !text.is_ascii() {
        return None;
    }
    let mut bits = 0_u32;
    let mut count = 0_u32;
    let mut bytes = Vec::new();
    for byte in text.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => break,
            _ => continue,
        };
        bits = (bits << 6) | u32::from(value);
        count += 1;
        if count == 4 {
            bytes.extend_from_slice(&bits.to_be_bytes()[1..]);
            (bits, count) = (0, 0);
        }
    }
    let padding = text.bytes().filter(|byte| *byte == b'=').count();
    match (count, padding) {
        (0, _) => {}
        (2, 2..) => bytes.push((bits << 12).to_be_bytes()[1]),
        (3, 1..) => bytes.extend_from_slice(&(bits << 6).to_be_bytes()[1..3]),
        _ => return None,
    }
    Some(bytes)
}
