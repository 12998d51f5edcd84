//! Generations: whether cached knowledge about the data is still valid.
//!
//! After a crash PostgreSQL may use transaction ids again, so that the same snapshot can mean other
//! data. A crash ends every connection. So a lost connection starts a new generation, and knowledge
//! from an earlier generation is not used again.

use std::sync::{Mutex, PoisonError};

/// Counts generations.
#[derive(Debug, Default)]
pub(super) struct Generations(Mutex<Current>);

#[derive(Debug, Default)]
struct Current {
    generation: u64,
    alive: usize,
}

impl Generations {
    pub(super) fn generation(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).generation
    }

    /// Registers a new connection and returns its generation.
    pub(super) fn begin(&self) -> u64 {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        current.alive += 1;
        current.generation
    }

    /// Starts a new generation, because the server has changed.
    pub(super) fn advance(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).generation += 1;
    }

    /// Registers the end of a connection. When it was lost or was the last one, the server may have
    /// crashed, so a new generation starts.
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
