//! Entries that wait for their answer.

use std::{collections::VecDeque, time::Duration};

/// The first pause after a failure.
const FIRST: Duration = Duration::from_secs(1);
/// The longest pause after a failure, without the jitter.
const LONGEST: Duration = Duration::from_secs(60);

/// Entries in the order in which they were made. Each is kept, and sent again as often as it takes, until the
/// service has said what became of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outbox<I, E> {
    waiting: VecDeque<(I, E)>,
    /// Failures since the last answer.
    failures: u32,
}

impl<I, E> Default for Outbox<I, E> {
    fn default() -> Self {
        Self { waiting: VecDeque::new(), failures: 0 }
    }
}

impl<I: PartialEq, E> Outbox<I, E> {
    /// Keeps one more entry.
    pub fn push(&mut self, id: I, entry: E) {
        self.waiting.push_back((id, entry));
    }

    /// Whether no entry waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The entries to send, the oldest first.
    pub fn waiting(&self) -> impl Iterator<Item = &E> {
        self.waiting.iter().map(|(_, entry)| entry)
    }

    /// The service has answered for the entry with this id, whether it was accepted, known or refused.
    pub fn answered(&mut self, id: &I) {
        self.waiting.retain(|(waiting, _)| waiting != id);
        self.failures = 0;
    }

    /// There was no answer. Returns the pause before the entries are sent again.
    pub fn failed(&mut self, jitter: u8) -> Duration {
        let pause = retry_after(self.failures, jitter);
        self.failures = self.failures.saturating_add(1);
        pause
    }
}

/// The pause after a failure that followed on so many others: 1 s, then twice as long each time, at most 60 s.
/// The jitter, 0 to 255, takes off up to a quarter, so that devices do not all come back at once.
#[must_use]
pub fn retry_after(failures: u32, jitter: u8) -> Duration {
    let longest = FIRST.saturating_mul(2_u32.saturating_pow(failures)).min(LONGEST);
    longest.saturating_sub(longest.saturating_mul(jitter.into()) / (4 * 255))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_waits_until_it_is_answered() {
        let mut outbox = Outbox::default();
        assert!(outbox.is_empty());
        for id in 1..=3 {
            outbox.push(id, id * 10);
        }
        let _ = outbox.failed(0);
        assert_eq!(outbox.waiting().collect::<Vec<_>>(), [&10, &20, &30]);
        outbox.answered(&2);
        outbox.answered(&4);
        outbox.push(5, 50);
        assert_eq!(outbox.waiting().collect::<Vec<_>>(), [&10, &30, &50], "in order");
        for id in [1, 3, 5] {
            outbox.answered(&id);
        }
        assert!(outbox.is_empty());
    }

    #[test]
    fn pauses_double_up_to_a_minute() {
        let mut outbox = Outbox::default();
        outbox.push(1, ());
        let pauses: Vec<_> = (0..9).map(|_| outbox.failed(0).as_secs()).collect();
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
        outbox.answered(&1);
        assert_eq!(outbox.failed(0).as_secs(), 1, "an answer ends the row of failures");
        assert_eq!(retry_after(u32::MAX, 0), LONGEST);
    }

    #[test]
    fn jitter_takes_off_up_to_a_quarter() {
        for (failures, jitter, millis) in
            [(0, 0, 1_000), (0, 255, 750), (0, 51, 950), (6, 255, 45_000), (99, 255, 45_000)]
        {
            let pause = retry_after(failures, jitter);
            assert_eq!(pause, Duration::from_millis(millis), "{failures} {jitter}");
        }
    }
}
