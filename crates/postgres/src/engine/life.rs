//! Whether what is known of the data may still hold.
//!
//! After a crash PostgreSQL gives out transaction ids again, so that the same snapshot may stand for
//! other data. A crash ends every connection: so what was learned over connections that lived with
//! one that was lost is of no use any more (architecture 7).

use std::sync::{Mutex, PoisonError};

/// The lives of the connections of one store.
#[derive(Debug, Default)]
pub(super) struct Lives(Mutex<Lived>);

#[derive(Debug, Default)]
struct Lived {
    generation: u64,
    alive: usize,
}

impl Lives {
    /// The generation of those that are made now.
    pub(super) fn generation(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).generation
    }

    /// A connection has been made; the generation that it belongs to.
    pub(super) fn begin(&self) -> u64 {
        let mut lived = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lived.alive += 1;
        lived.generation
    }

    /// The server is not what it was when its connections were made.
    pub(super) fn turn(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).generation += 1;
    }

    /// A connection has ended. When it was lost, or was the last, nobody can tell any more what has
    /// become of the server.
    pub(super) fn end(&self, is_lost: bool) {
        let mut lived = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lived.alive = lived.alive.saturating_sub(1);
        if is_lost || lived.alive == 0 {
            lived.generation += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_connection_ends_its_generation_and_so_does_the_last_one() {
        let lives = Lives::default();
        let first = lives.begin();
        assert_eq!(lives.begin(), first);
        lives.end(false);
        assert_eq!(lives.generation(), first);
        lives.begin();
        lives.end(true);
        let second = lives.begin();
        assert_ne!(second, first);
        lives.end(false);
        lives.end(false);
        assert_ne!(lives.generation(), second);
    }
}
