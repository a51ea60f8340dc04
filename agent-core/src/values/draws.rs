//! The only random source: a keyed hash of (seed, purpose, key). It has no state, so adding a draw in one place
//! never moves another.

use serde::{Deserialize, Serialize};

/// What fixes a scenario's chance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seed(pub u64);

/// Draws from one seed.
#[derive(Clone, Copy, Debug)]
pub struct Draws(Seed);

impl Draws {
    /// Draws from this seed.
    pub const fn new(seed: Seed) -> Self {
        Self(seed)
    }

    /// The number that belongs to these parts: a purpose, then the key. Parts are told apart by their lengths.
    pub fn u64(&self, parts: &[&str]) -> u64 {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.0.0.to_le_bytes());
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        let digest = hasher.finalize();
        let (first, _) = digest.as_bytes().split_at(8);
        u64::from_le_bytes(first.try_into().expect("a digest has 32 bytes"))
    }

    /// A number in `0.0 ..< 1.0` with 53 bits.
    pub fn unit(&self, parts: &[&str]) -> f64 {
        (self.u64(parts) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// So many lower-case hexadecimal digits (at most 16).
    pub fn hex(&self, digits: usize, parts: &[&str]) -> String {
        let mut text = format!("{:016x}", self.u64(parts));
        text.truncate(digits);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_told_apart_and_repeat() {
        let draws = Draws::new(Seed(1));
        assert_eq!(draws.u64(&["a", "bc"]), draws.u64(&["a", "bc"]));
        assert_ne!(draws.u64(&["a", "bc"]), draws.u64(&["ab", "c"]));
        assert_ne!(draws.u64(&["a"]), Draws::new(Seed(2)).u64(&["a"]));
        assert!(draws.unit(&["x"]) < 1.0);
        assert_eq!(draws.hex(8, &["id"]).len(), 8);
    }
}
