//! Memory for the bodies of concurrent requests.

use std::{
    fmt::Display,
    sync::{Arc, Mutex, PoisonError},
};

use patrol_domain::{Counter, Metric, Monitored, ids::UserId};

use crate::{
    error::{Code, Problem},
    usage::Usage,
};

/// Bodies below this size may use the reserved part of the budget.
const SMALL: usize = 64 << 10;

/// The budget divided by this is reserved for small bodies.
const RESERVED_DIVISOR: usize = 16;

/// The budget divided by this is left to others by each user.
const OTHERS_DIVISOR: usize = 4;

/// What a connection takes while it sends a body in pieces: the buffers of actix, the state of the
/// request, and the last page of the body, which is not full.
pub(crate) const CONNECTION: usize = 32 << 10;

/// The `Retry-After` of a request without memory, in seconds.
const RETRY_AFTER: u64 = 1;

/// The memory budget of all bodies in flight, in bytes. Memory is taken as the bytes arrive, not
/// at once for the whole Content-Length, so that slow clients do not block others.
pub(crate) struct MemoryBudget {
    bytes: usize,
    taken: Mutex<Usage>,
    /// Bodies that were refused.
    refused: Counter,
}

/// The part of the budget that one request has taken; released on drop.
pub(crate) struct Share {
    budget: Arc<MemoryBudget>,
    user: Option<UserId>,
    taken: usize,
    small: bool,
}

impl MemoryBudget {
    /// A budget of `bytes`.
    pub(crate) fn new(bytes: usize) -> Arc<Self> {
        Arc::new(Self { bytes, taken: Mutex::default(), refused: Counter::default() })
    }

    /// The part of the budget that large bodies may take.
    fn for_large(&self) -> usize {
        self.bytes - self.bytes / RESERVED_DIVISOR
    }

    /// The part of the budget that the bodies of one user may take.
    fn for_user(&self) -> usize {
        self.bytes - self.bytes / OTHERS_DIVISOR
    }

    /// The budget that a body of `largest` bytes needs with an `Idempotency-Key`, which holds it once
    /// more. `None` if this budget is enough.
    pub(crate) fn needed_for(&self, largest: usize) -> Option<usize> {
        let twice = largest.saturating_add(CONNECTION).saturating_mul(2);
        (twice > self.for_user()).then(|| twice.saturating_add(twice.div_ceil(OTHERS_DIVISOR - 1)))
    }

    /// An empty share for a request of this user with this Content-Length, if it has them.
    pub(crate) fn share(self: &Arc<Self>, user: Option<UserId>, length: Option<usize>) -> Share {
        let small = length.is_none_or(|length| length < SMALL);
        Share { budget: Arc::clone(self), user, taken: 0, small }
    }

    #[cfg(test)]
    pub(crate) fn taken(&self) -> usize {
        self.taken.lock().unwrap().all()
    }
}

impl Monitored for MemoryBudget {
    fn metrics(&self) -> Vec<Metric> {
        let Self { bytes, taken, refused } = self;
        let taken = taken.lock().unwrap_or_else(PoisonError::into_inner).all();
        vec![
            Metric::gauge_of(
                "http_bodies_memory_bytes",
                "Memory that is counted for the bodies of requests in flight.",
                None,
                taken,
            ),
            Metric::gauge_of(
                "http_bodies_memory_limit_bytes",
                "Most memory for the bodies of all requests (PATROL_BODIES).",
                None,
                *bytes,
            ),
            refused.metric(
                "http_bodies_refused_total",
                "Requests answered with 503, because there was no memory for their body.",
                None,
            ),
        ]
    }
}

impl Share {
    /// Raises the share to `bytes` in all.
    ///
    /// # Errors
    /// `service.unavailable` when the budget is used up. Requests do not wait for memory, because a
    /// waiting request would hold its own memory.
    pub(crate) fn raise(&mut self, bytes: usize) -> Result<(), Box<Problem>> {
        self.raise_for(bytes, bytes)
    }

    /// Raises the share for the first `length` bytes of a body that arrives in pieces.
    ///
    /// # Errors
    /// Those of [`Self::raise`].
    pub(crate) fn raise_for_part(&mut self, length: usize) -> Result<(), Box<Problem>> {
        self.raise_for(length.saturating_add(CONNECTION), length)
    }

    /// Raises the share for a complete body of `length` bytes to `memory_factor` times `length`,
    /// because the objects made from the body take memory as well. They count for at most half of what
    /// one user may take, so that a small budget still serves one large body with an
    /// `Idempotency-Key`.
    ///
    /// # Errors
    /// Those of [`Self::raise`].
    pub(crate) fn raise_for_complete(
        &mut self,
        length: usize,
        memory_factor: usize,
    ) -> Result<(), Box<Problem>> {
        let bytes =
            length.saturating_mul(memory_factor).min(length.max(self.budget.for_user() / 2));
        self.raise_for(bytes, length)
    }

    /// Raises the share to `bytes` in all for a body of which `length` bytes have arrived. Only the
    /// length decides whether a body is small.
    fn raise_for(&mut self, bytes: usize, length: usize) -> Result<(), Box<Problem>> {
        let Some(more) = bytes.checked_sub(self.taken).filter(|more| *more > 0) else {
            return Ok(());
        };
        let is_small = self.small && length < SMALL;
        let limit = if is_small { self.budget.bytes } else { self.budget.for_large() };
        let mut taken = self.budget.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |taken: usize, most| taken.saturating_add(more) <= most;
        if !fits(taken.all(), limit)
            || !(self.user.is_none() || fits(taken.of(self.user), self.budget.for_user()))
        {
            self.budget.refused.increment();
            return Err(no_memory(&"request bodies take all the memory that PATROL_BODIES allows"));
        }
        taken.add(self.user, more);
        drop(taken);
        self.taken = bytes;
        Ok(())
    }
}

/// The answer to a request for whose body there is no memory.
pub(crate) fn no_memory(cause: &dyn Display) -> Box<Problem> {
    Box::new(Problem {
        cause: Some(cause.to_string()),
        ..Problem::retry_later(Code::Unavailable, RETRY_AFTER)
    })
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut taken = self.budget.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.remove(self.user, self.taken);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::id;

    #[test]
    fn a_share_that_exceeds_the_budget_is_refused() {
        let budget = MemoryBudget::new(16 * SMALL);
        let (mut one, mut other) = (budget.share(None, Some(10 * SMALL)), budget.share(None, None));
        one.raise(8 * SMALL).unwrap();
        one.raise(10 * SMALL).unwrap();
        one.raise(SMALL).unwrap();
        assert_eq!(budget.taken(), 10 * SMALL);
        other.raise(5 * SMALL).unwrap();
        let problem = other.raise(6 * SMALL).unwrap_err();
        assert_eq!((problem.code, problem.retry_after), (Code::Unavailable, Some(1)));
        drop(one);
        other.raise(15 * SMALL).unwrap();
        drop(other);
        assert_eq!(budget.taken(), 0);
    }

    #[test]
    fn one_sixteenth_is_reserved_for_small_bodies() {
        let budget = MemoryBudget::new(16 * SMALL);
        let mut large = budget.share(None, None);
        large.raise(15 * SMALL).unwrap();
        assert!(large.raise(15 * SMALL + 1).is_err());
        assert!(budget.share(None, Some(SMALL)).raise(1).is_err());
        let mut small = budget.share(None, Some(SMALL - 1));
        small.raise(SMALL - 1).unwrap();
        assert!(small.raise(SMALL).is_err());
    }

    #[test]
    fn parsed_objects_count_for_at_most_half_of_what_a_user_may_take() {
        let budget = MemoryBudget::new(16 << 20);
        let mut one = budget.share(None, None);
        one.raise_for_complete(1 << 20, 5).unwrap();
        assert_eq!(budget.taken(), 5 << 20);
        one.raise_for_complete(1 << 20, 10).unwrap();
        assert_eq!(budget.taken(), 6 << 20);
        drop(one);
        let length = 15 << 20;
        budget.share(None, None).raise_for_complete(length, 10).unwrap();
        assert!(budget.share(None, None).raise_for_complete(length + 1, 10).is_err());
    }

    #[test]
    fn a_budget_that_is_enough_serves_the_largest_body_with_a_key() {
        for largest in [SMALL, 1_000_003, 8 << 20, (10 << 20) + SMALL] {
            let served = |bytes: usize| {
                let budget = MemoryBudget::new(bytes);
                let share = || budget.share(Some(id(1)), None);
                let (mut kept, mut read) = (share(), share());
                let is_served = kept.raise_for_part(largest).is_ok()
                    && read.raise_for_part(largest).is_ok()
                    && read.raise_for_complete(largest, 10).is_ok();
                assert_eq!(is_served, budget.needed_for(largest).is_none(), "{bytes} {largest}");
                is_served
            };
            let needed = MemoryBudget::new(largest).needed_for(largest).unwrap();
            assert!(served(needed) && !served(needed - 2) && !served(2 * largest));
        }
    }

    #[test]
    fn one_user_leaves_a_quarter_to_others() {
        let budget = MemoryBudget::new(16 << 20);
        let share = |user: u32| budget.share(Some(id(user)), None);
        let (mut one, mut small) = (share(1), share(1));
        one.raise(12 << 20).unwrap();
        assert!(small.raise(1).is_err(), "small bodies count, too");
        let mut other = share(2);
        other.raise(3 << 20).unwrap();
        assert!(share(3).raise(SMALL).is_err() && share(3).raise(SMALL - 1).is_ok());
        drop(one);
        small.raise(1).unwrap();
        other.raise(12 << 20).unwrap();
    }

    #[test]
    fn memory_of_parsed_objects_does_not_make_a_small_body_large() {
        let budget = MemoryBudget::new(16 << 20);
        let mut large = budget.share(None, None);
        large.raise(15 << 20).unwrap();
        let length = 60 << 10;
        let mut small = budget.share(None, Some(length));
        small.raise(length).unwrap();
        small.raise_for_complete(length, 10).unwrap();
        let mut other = budget.share(None, Some(SMALL));
        assert!(other.raise(1).is_err(), "the rest is kept for small bodies");
    }
}
