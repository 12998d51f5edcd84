//! Produces a list on a reader thread.

use std::rc::Rc;

use diesel::SqliteConnection;
use patrol_domain::StoreError;
use tracing::Span;

use super::{
    error::{Abort, caller_error},
    interrupt::interruptible,
    readers::AfterJob,
    snapshots::Snapshots,
    stream::Sender,
    transaction::snapshot,
    watch::{ListLimits, Stop, Watch},
};

/// A list to produce.
pub(super) struct Production<T, P> {
    pub(super) sender: Sender<T>,
    /// Sends the parts. Called again when a page restarts.
    pub(super) produce: P,
    pub(super) snapshots: Snapshots,
    pub(super) limits: Option<ListLimits>,
    pub(super) span: Span,
}

impl<T, P> Production<T, P>
where
    T: Send + 'static,
    P: FnMut(&mut SqliteConnection, &mut Sender<T>) -> Result<(), Abort<StoreError>>
        + Send
        + 'static,
{
    /// Produces the list from its start.
    pub(super) fn run(mut self, connection: Result<&mut SqliteConnection, StoreError>) -> AfterJob {
        let connection = match connection {
            Ok(connection) => connection,
            Err(error) => {
                self.sender.finish(Err(error));
                return AfterJob::Done;
            }
        };
        let span = self.span.clone();
        let _traced = span.enter();
        let progress = self.sender.progress();
        if progress.is_abandoned() {
            return AfterJob::Done;
        }
        let guard = self.snapshots.begin(self.sender.free_bytes());
        let watch = Rc::new(Watch::new(progress, guard, self.limits));
        self.sender.wait_until(watch.end());
        let watching = Rc::clone(&watch);
        let result = interruptible(Rc::new(move || watching.stop().is_some()), || {
            snapshot(connection, |connection| (self.produce)(connection, &mut self.sender))
        });
        match (result, watch.stopped()) {
            (Err(_), _) if self.sender.is_too_large() => {
                self.sender.finish(Err(StoreError::PageTooLarge));
                AfterJob::Done
            }
            (Err(_), Some(Stop::MoveToSlow)) => {
                self.sender.restart();
                AfterJob::MoveToSlow(Box::new(move |connection| self.run(connection)))
            }
            (Err(_), Some(stop)) => {
                self.sender.finish(Err(stop.error()));
                AfterJob::Done
            }
            (result, _) => {
                self.sender.finish(result.map_err(caller_error));
                AfterJob::Done
            }
        }
    }
}
