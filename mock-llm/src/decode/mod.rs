//! From nodes to what a file means, with every mistake of the file collected.
//!
//! A [`Decoder`] belongs to one source. Its methods take a node and give `Some` value, or `None` after reporting why not;
//! decoding goes on with the next key, so that all mistakes are shown at once. A mapping is opened with the list of its
//! keys ([`Decoder::map`]): a key that is not in the list is an error on the spot, with the nearest one that is
//! (`spec/field-reports.md` 26). Wrong types say what was wanted and what was found.
//!
//! ```
//! use mock_llm::decode::Decoder;
//! use mock_llm::diagnose::Source;
//!
//! struct Retry { times: u32, wait: std::time::Duration }
//! let source = Source::new("retry.yaml", "times: 3\nwait: 12s\n");
//! let decoder = Decoder::new(&source);
//! let retry = decoder.read().and_then(|root| {
//!     let map = decoder.map(&root, "a retry", &["times", "wait"])?;
//!     let times = map.required("times", |d, node| d.whole(node, 1..=9));
//!     let wait = map.required("wait", Decoder::duration);
//!     Some(Retry { times: u32::try_from(times?).ok()?, wait: wait? })
//! });
//! let (retry, _warnings) = decoder.finish(retry).expect("the file is right");
//! assert_eq!((retry.times, retry.wait.as_secs()), (3, 12));
//! ```

mod decoder;
mod map;
mod scalars;
mod time;

pub use decoder::Decoder;
pub use map::MapReader;
pub use time::{parse_duration, parse_instant};
