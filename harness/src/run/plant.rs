//! Mistakes that a test plants, to see that they are found: a wall clock and an unordered map.

use std::cell::Cell;
use std::collections::HashMap;

use reports::trace::{Event, Kind};

/// A planted mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plant {
    /// The real time stands in an event.
    Clock,
    /// Events come in the order of a hash map.
    Map,
}

thread_local! {
    static CURRENT: Cell<Option<Plant>> = const { Cell::new(None) };
}

/// Plants a mistake into the runs that this thread starts.
pub(crate) fn set(plant: Option<Plant>) {
    CURRENT.set(plant);
}

/// What is planted into the runs that this thread starts.
pub(crate) fn current() -> Option<Plant> {
    CURRENT.get()
}

impl Plant {
    /// Spoils an event.
    #[expect(clippy::disallowed_methods, reason = "the mistake that is planted")]
    pub(crate) fn spoil(self, event: &mut Event) {
        let Kind::TurnStart { text, .. } = &mut event.kind else { return };
        let word = match self {
            Self::Clock => {
                let nanos =
                    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
                nanos.as_nanos().to_string()
            }
            Self::Map => {
                let map: HashMap<u32, u32> = (0..64).map(|key| (key, key)).collect();
                map.into_keys().map(|key| key.to_string()).collect::<Vec<_>>().join(" ")
            }
        };
        *text = format!("{} {word}", &**text).into();
    }
}
