//! Folding a write-ahead log into the bytes of its database (`spec/sessions.md` §1: the reference writes with one).
//!
//! While a program has the database open, its newest rows stand in `state.db-wal` alone. Frames count up to the last
//! commit; a frame whose salt or checksum is not that of the log is what an earlier log left, and ends it. Nothing
//! here can fail: a log that holds nothing valid changes nothing.

use std::borrow::Cow;
use std::collections::BTreeMap;

const LOG_HEADER: usize = 32;
const FRAME_HEADER: usize = 24;

/// The last bit tells the byte order of the checksums.
const MAGIC: u32 = 0x377f_0682;

/// What SQLite takes for a page.
const PAGE_SIZES: std::ops::RangeInclusive<usize> = 512..=65_536;

/// The database as a reader sees it who reads the log, too.
pub(super) fn folded<'a>(database: &'a [u8], log: &[u8]) -> Cow<'a, [u8]> {
    let Some(log) = Log::open(log) else { return Cow::Borrowed(database) };
    let room = database.len() / log.page + log.frames.len() / (FRAME_HEADER + log.page);
    let Some((pages, count)) = log.committed(room) else { return Cow::Borrowed(database) };
    let mut folded = database.to_vec();
    folded.resize(count * log.page, 0);
    for (number, page) in pages {
        // Pages beyond the end were cut off by a later commit.
        if let Some(place) = folded.get_mut((number - 1) * log.page..number * log.page) {
            place.copy_from_slice(page);
        }
    }
    Cow::Owned(folded)
}

struct Log<'a> {
    page: usize,
    big_endian: bool,
    salt: &'a [u8],
    checksum: [u32; 2],
    frames: &'a [u8],
}

impl<'a> Log<'a> {
    fn open(bytes: &'a [u8]) -> Option<Self> {
        let (header, frames) = bytes.split_at_checked(LOG_HEADER)?;
        let magic = number(header, 0);
        let page = usize::try_from(number(header, 8)).ok()?;
        if magic & !1 != MAGIC || !PAGE_SIZES.contains(&page) || !page.is_power_of_two() {
            return None;
        }
        let big_endian = magic & 1 == 1;
        let checksum = summed([0, 0], &header[..24], big_endian);
        let good = checksum == [number(header, 24), number(header, 28)];
        good.then(|| Self { page, big_endian, salt: &header[16..24], checksum, frames })
    }

    /// The newest committed text of each page, and how many pages the database has then; at most so many.
    fn committed(&self, room: usize) -> Option<(BTreeMap<usize, &'a [u8]>, usize)> {
        let (mut pages, mut open, mut size) = (BTreeMap::new(), BTreeMap::new(), None);
        let mut checksum = self.checksum;
        for frame in self.frames.chunks_exact(FRAME_HEADER + self.page) {
            let (header, page) = frame.split_at(FRAME_HEADER);
            checksum = summed(checksum, &header[..8], self.big_endian);
            checksum = summed(checksum, page, self.big_endian);
            let is_valid =
                header[8..16] == *self.salt && checksum == [number(header, 16), number(header, 20)];
            let (place, count) = (number(header, 0) as usize, number(header, 4) as usize);
            if !is_valid || place == 0 || count > room {
                break;
            }
            open.insert(place, page);
            if count > 0 {
                pages.append(&mut open);
                size = Some(count);
            }
        }
        size.map(|size| (pages, size))
    }
}

/// The big-endian number at this place.
fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes were cut out"))
}

/// The checksum over further bytes, whose number is a multiple of eight.
fn summed([mut one, mut two]: [u32; 2], bytes: &[u8], big_endian: bool) -> [u32; 2] {
    let word = |bytes: &[u8]| {
        let bytes: [u8; 4] = bytes.try_into().expect("four bytes were cut out");
        if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    };
    for pair in bytes.chunks_exact(8) {
        one = one.wrapping_add(word(&pair[..4])).wrapping_add(two);
        two = two.wrapping_add(word(&pair[4..])).wrapping_add(one);
    }
    [one, two]
}
