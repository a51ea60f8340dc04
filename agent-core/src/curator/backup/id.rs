//! Names of snapshots: UTC time to the second, and a number if that second has several.

use std::fmt;
use std::sync::Arc;

use super::backups_dir;
use crate::stores::TreePath;
use crate::values::Stamp;

/// How many snapshots one second may have beside the first: the suffix has two digits.
const SUFFIX_MAX: usize = 99;

/// The valid name of a snapshot. Names sort by text, which is by age.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SnapshotId(Arc<str>);

impl SnapshotId {
    /// The id in a text; `None` if it cannot be one: `YYYY-MM-DDTHH-MM-SSZ`, perhaps with `-NN`.
    pub fn parse(text: &str) -> Option<Self> {
        const SHAPE: &[u8] = b"dddd-dd-ddTdd-dd-ddZ";
        let bytes = text.as_bytes();
        let (head, tail) = bytes.split_at_checked(SHAPE.len())?;
        let fits = head.iter().zip(SHAPE).all(|(byte, shape)| match shape {
            b'd' => byte.is_ascii_digit(),
            literal => byte == literal,
        });
        let suffix = tail.is_empty()
            || (tail.len() == 3 && tail[0] == b'-' && tail[1..].iter().all(u8::is_ascii_digit));
        (fits && suffix).then(|| Self(text.into()))
    }

    /// The first free id of a second; none once a hundred are taken.
    pub(super) fn free(at: Stamp, is_taken: impl Fn(&Self) -> bool) -> Option<Self> {
        let base = stamp(at);
        let suffixed = (1..=SUFFIX_MAX).map(|number| format!("{base}-{number:02}"));
        let mut ids = std::iter::once(base.clone()).chain(suffixed).map(|text| Self(text.into()));
        ids.find(|id| !is_taken(id))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The directory of this snapshot.
    pub(super) fn dir(&self, skills: &TreePath) -> TreePath {
        backups_dir(skills).below(&TreePath::new(&self.0))
    }
}

/// The time in an id.
pub(super) fn stamp(at: Stamp) -> String {
    at.civil_utc().strftime("%Y-%m-%dT%H-%M-%SZ").to_string()
}

impl fmt::Display for SnapshotId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_exact_names_are_ids() {
        for good in ["2026-04-01T10-09-00Z", "2026-04-01T10-09-00Z-01"] {
            assert!(SnapshotId::parse(good).is_some(), "{good}");
        }
        for bad in [
            "2026-04-01T10:09:00Z",
            "2026-04-01T10-09-00Z-1",
            "2026-04-01T10-09-00Z-001",
            "notes",
            "../x",
            "",
        ] {
            assert!(SnapshotId::parse(bad).is_none(), "{bad}");
        }
    }
}
