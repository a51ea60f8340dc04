//! Why a run stops before its end: a signal, or too many cells that did not hold.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use reports::verdict::Signal;

/// A wish to stop that all threads of a run see.
#[derive(Debug)]
pub(crate) struct Stop {
    signal: AtomicU8,
    bad: AtomicU64,
    bad_max: u64,
}

const INTERRUPT: u8 = 1;
const TERMINATE: u8 = 2;

impl Stop {
    /// Nothing wishes to stop yet; after so many cells that did not hold, something will.
    pub(crate) fn after(bad_max: Option<u64>) -> Self {
        Self { signal: AtomicU8::new(0), bad: AtomicU64::new(0), bad_max: bad_max.unwrap_or(u64::MAX) }
    }

    /// A signal arrived.
    pub(crate) fn by(&self, signal: Signal) {
        let word = match signal {
            Signal::Interrupt => INTERRUPT,
            Signal::Terminate => TERMINATE,
        };
        // The first one decides.
        let _second = self.signal.compare_exchange(0, word, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// A cell did not hold.
    pub(crate) fn count_bad(&self) {
        self.bad.fetch_add(1, Ordering::Relaxed);
    }

    /// The signal that arrived, if one did: running cells are dropped.
    pub(crate) fn signal(&self) -> Option<Signal> {
        match self.signal.load(Ordering::Relaxed) {
            INTERRUPT => Some(Signal::Interrupt),
            TERMINATE => Some(Signal::Terminate),
            _ => None,
        }
    }

    /// Whether no further cell begins.
    pub(crate) fn no_further(&self) -> bool {
        self.signal().is_some() || self.bad.load(Ordering::Relaxed) >= self.bad_max
    }
}
