//! Memory for large bodies, which many requests hold at once.

use patrol_domain::StoreError;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::error::Problem;

/// So many bytes for all bodies of a kind together. What a client announces takes nothing, so that
/// one which sends slowly keeps nobody else out.
pub(crate) struct Room(Semaphore);

impl Room {
    /// Room for `bytes`.
    pub(crate) fn new(bytes: usize) -> Self {
        Self(Semaphore::new(bytes.min(Semaphore::MAX_PERMITS)))
    }

    /// The share of one body, of which nothing is there yet.
    pub(crate) fn share(&self) -> Share<'_> {
        Share { room: self, taken: None }
    }
}

/// What one body takes; free again when this is dropped.
pub(crate) struct Share<'r> {
    room: &'r Room,
    taken: Option<SemaphorePermit<'r>>,
}

impl Share<'_> {
    /// Takes room for `bytes` more.
    ///
    /// # Errors
    /// `service.unavailable` when there is none. The connection ends then: what follows on it is
    /// still the body.
    pub(crate) fn take(&mut self, bytes: usize) -> Result<(), Box<Problem>> {
        let room = u32::try_from(bytes).ok().and_then(|bytes| {
            // Nobody waits for room: what is held already would not get free meanwhile.
            self.room.0.try_acquire_many(bytes).ok()
        });
        let Some(room) = room else {
            let busy = StoreError::Unavailable("too many photos are being received".to_owned());
            return Err(Box::new(Problem { close: true, ..Problem::from(busy) }));
        };
        match &mut self.taken {
            Some(taken) => taken.merge(room),
            None => self.taken = Some(room),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

    #[test]
    fn what_does_not_fit_beside_others_is_told_to_come_again() {
        let room = Room::new(10);
        let (mut one, mut other) = (room.share(), room.share());
        one.take(3).unwrap();
        one.take(4).unwrap();
        other.take(3).unwrap();
        let problem = other.take(1).unwrap_err();
        assert_eq!((problem.code, problem.retry_after), (Code::Unavailable, Some(1)));
        assert!(problem.close);
        drop(one);
        other.take(7).unwrap();
        assert!(other.take(1).is_err());
    }
}
