//! Counts waiting requests and limits their number.

use std::sync::atomic::{AtomicUsize, Ordering};

use patrol_domain::StoreError;

/// A waiting request, counted until this is dropped.
pub(super) struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    /// Counts a waiting request.
    ///
    /// # Errors
    /// When `most` requests already wait.
    pub(super) fn begin(count: &'a AtomicUsize, most: usize) -> Result<Self, StoreError> {
        let waiting = Self(count);
        if count.fetch_add(1, Ordering::Relaxed) < most {
            Ok(waiting)
        } else {
            Err(StoreError::Unavailable("too many requests wait for the database".to_owned()))
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
