//! Whether what is known of the data may still hold.
//!
//! After a crash PostgreSQL gives out transaction ids again, so that the same snapshot may stand for
//! other data. A crash ends every connection. So a lost connection begins a new generation, and what
//! was learned in an earlier generation is not used again.

use std::sync::{Mutex, PoisonError};

/// Counts generations: what is learned in one generation is not used in a later one.
#[derive(Debug, Default)]
pub(super) struct Generations(Mutex<Current>);

#[derive(Debug, Default)]
struct Current {
    generation: u64,
    alive: usize,
}

impl Generations {
    /// The generation of those that are made now.
    pub(super) fn generation(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).generation
    }

    /// A connection has been made; the generation that it belongs to.
    pub(super) fn begin(&self) -> u64 {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        current.alive += 1;
        current.generation
    }

    /// The server is not what it was when its connections were made.
    pub(super) fn advance(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).generation += 1;
    }

    /// A connection has ended. When it was lost, or was the last, nobody can tell any more what has
    /// become of the server.
    pub(super) fn end(&self, is_lost: bool) {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        current.alive = current.alive.saturating_sub(1);
        if is_lost || current.alive == 0 {
            current.generation += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_connection_ends_its_generation_and_so_does_the_last_one() {
        let generations = Generations::default();
        let first = generations.begin();
        assert_eq!(generations.begin(), first);
        generations.end(false);
        assert_eq!(generations.generation(), first);
        generations.begin();
        generations.end(true);
        let second = generations.begin();
        assert_ne!(second, first);
        generations.end(false);
        generations.end(false);
        assert_ne!(generations.generation(), second);
    }
}
