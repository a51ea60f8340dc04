//! Where the script stands, carried by the ids of the calls that it asks for.
//!
//! `call_` and base 32 of: levels and rule, per level step, branch and visit, the call's index in its reply, 32 bits that
//! stand for the request, 16 bits that stand for the script. At most 40 of `[a-z0-9_]`.

use crate::wire::ChatRequest;

/// What every id begins with.
const PREFIX: &str = "call_";
const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
/// Bits of the first two bytes that hold the rule; the upper two hold the number of levels.
const RULE_BITS: u32 = 14;
/// Bytes of a level.
const FRAME_BYTES: usize = 3;
/// Bytes besides the levels: rule, index, request, script.
const FIXED_BYTES: usize = 2 + 1 + 4 + 2;
/// A level that was reached by no branch.
const NO_BRANCH: u8 = u8::MAX;

/// One level of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Frame {
    /// The step's number in its list, from 0.
    pub step: u8,
    /// On an upper level the branch that is taken, `on_error` first; on the lowest the branch through which the step was
    /// repeated, if it was.
    pub branch: Option<u8>,
    /// How often the step was repeated before.
    pub visit: u8,
}

/// The place of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The rule's number in its role, from 0.
    pub rule: u16,
    /// The levels, the call's own step last; at least one.
    pub frames: Vec<Frame>,
    /// The call's number in its step.
    pub index: u8,
    /// What stands for the request that it answered.
    pub request: u32,
    /// What stands for the script.
    pub script: u16,
}

impl Position {
    /// The call's id.
    pub fn to_id(&self) -> String {
        let levels = u16::try_from(self.frames.len()).unwrap_or(1).clamp(1, 4) - 1;
        let mut bytes = Vec::with_capacity(FIXED_BYTES + FRAME_BYTES * self.frames.len());
        bytes.extend((levels << RULE_BITS | self.rule & ((1 << RULE_BITS) - 1)).to_be_bytes());
        for frame in &self.frames {
            bytes.extend([frame.step, frame.branch.unwrap_or(NO_BRANCH), frame.visit]);
        }
        bytes.push(self.index);
        bytes.extend(self.request.to_be_bytes());
        bytes.extend(self.script.to_be_bytes());
        format!("{PREFIX}{}", base32(&bytes))
    }

    /// The position that an id carries; none for an id of another make.
    pub fn from_id(id: &str) -> Option<Self> {
        let bytes = unbase32(id.strip_prefix(PREFIX)?)?;
        let head = u16::from_be_bytes([*bytes.first()?, *bytes.get(1)?]);
        let levels = usize::from(head >> RULE_BITS) + 1;
        if bytes.len() != FIXED_BYTES + FRAME_BYTES * levels {
            return None;
        }
        let (frames, rest) = bytes[2..].split_at(FRAME_BYTES * levels);
        let frames = frames.chunks_exact(FRAME_BYTES).map(|frame| Frame {
            step: frame[0],
            branch: (frame[1] != NO_BRANCH).then_some(frame[1]),
            visit: frame[2],
        });
        let position = Self {
            rule: head & ((1 << RULE_BITS) - 1),
            frames: frames.collect(),
            index: rest[0],
            request: u32::from_be_bytes([rest[1], rest[2], rest[3], rest[4]]),
            script: u16::from_be_bytes([rest[5], rest[6]]),
        };
        (position.to_id() == id).then_some(position)
    }
}

/// What stands for a request in the ids of its answer: the number of messages and the last one.
pub(super) fn request_bits(request: &ChatRequest) -> u32 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(request.messages.len() as u64).to_le_bytes());
    if let Some(last) = request.messages.last() {
        hasher.update(last.digest());
    }
    let digest = hasher.finalize();
    let bytes = digest.as_bytes();
    u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

fn base32(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() * 8 / 5 + 1);
    let (mut buffer, mut bits) = (0_u32, 0_u32);
    for byte in bytes {
        buffer = buffer << 8 | u32::from(*byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            out.push(letter(buffer >> bits));
        }
    }
    if bits > 0 {
        out.push(letter(buffer << (5 - bits)));
    }
    out
}

fn letter(value: u32) -> char {
    char::from(ALPHABET[(value & 31) as usize])
}

fn unbase32(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() * 5 / 8);
    let (mut buffer, mut bits) = (0_u32, 0_u32);
    for letter in text.bytes() {
        let value = ALPHABET.iter().position(|known| *known == letter)?;
        buffer = (buffer << 5 | u32::try_from(value).ok()?) & 0xFFFF;
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(buffer >> bits & 0xFF).ok()?);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn frame() -> impl Strategy<Value = Frame> {
        (any::<u8>(), proptest::option::of(0_u8..255), any::<u8>()).prop_map(|(step, branch, visit)| Frame {
            step,
            branch,
            visit,
        })
    }

    proptest! {
        #[test]
        fn an_id_carries_its_position(rule in 0_u16..16_384, frames in proptest::collection::vec(frame(), 1..5),
                                      index in any::<u8>(), request in any::<u32>(), script in any::<u16>()) {
            let position = Position { rule, frames, index, request, script };
            let id = position.to_id();
            prop_assert!(id.len() <= 40 && id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'));
            prop_assert_eq!(Position::from_id(&id), Some(position));
        }

        #[test]
        fn an_id_of_another_make_carries_none(id in "(call_)?[a-zA-Z0-9_-]{0,40}") {
            if let Some(position) = Position::from_id(&id) {
                prop_assert_eq!(position.to_id(), id);
            }
        }
    }

    #[test]
    fn common_ids_are_none_of_ours() {
        for id in [
            "",
            "call_",
            "call_abc123",
            "toolu_01A09q90qw90lq917835lq9",
            "call_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        ] {
            assert_eq!(Position::from_id(id), None, "{id}");
        }
    }
}
