//! The event queue: what happens next, ordered by (time, sequence).
//!
//! Equal instants come in order of queueing, so an order never depends on a heap's whims. Nothing is removed from
//! the middle: who cancels something remembers so and ignores it when it comes.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use agent_core::values::SimTime;

/// Things that are due at some time.
#[derive(Debug)]
pub(crate) struct Queue<T> {
    heap: BinaryHeap<Entry<T>>,
    next: u64,
}

#[derive(Debug)]
struct Entry<T> {
    at: SimTime,
    sequence: u64,
    what: T,
}

impl<T> Queue<T> {
    /// An empty queue.
    pub(crate) fn new() -> Self {
        Self { heap: BinaryHeap::new(), next: 0 }
    }

    /// Adds something that is due at this time, after everything that is already due then.
    pub(crate) fn push(&mut self, at: SimTime, what: T) {
        let sequence = self.next;
        self.next += 1;
        self.heap.push(Entry { at, sequence, what });
    }

    /// Takes what is due first.
    pub(crate) fn pop(&mut self) -> Option<(SimTime, T)> {
        self.heap.pop().map(|entry| (entry.at, entry.what))
    }
}

// A `BinaryHeap` yields its greatest entry first, so the order is turned around.
impl<T> Ord for Entry<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.sequence).cmp(&(self.at, self.sequence))
    }
}

impl<T> PartialOrd for Entry<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for Entry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T> Eq for Entry<T> {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn comes_out_sorted_by_time_and_then_as_queued(times in prop::collection::vec(0_i64..20, 0..60)) {
            let mut queue = Queue::new();
            for (index, time) in times.iter().enumerate() {
                queue.push(SimTime::from_millis(*time), index);
            }
            let mut expected: Vec<(i64, usize)> = times.iter().copied().zip(0..).collect();
            expected.sort_unstable();
            let drained: Vec<(i64, usize)> =
                std::iter::from_fn(|| queue.pop()).map(|(at, index)| (at.as_millis(), index)).collect();
            prop_assert_eq!(drained, expected);
        }
    }
}
