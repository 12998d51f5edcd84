//! The state of a connection at its start.

use std::{net::SocketAddr, rc::Rc, time::Duration};

use tokio::time::Instant;

use super::{OpenConnection, RejectionWriter};

/// What a connection starts with, besides its stream.
pub(super) struct Start {
    pub(super) peer: Option<SocketAddr>,
    /// The start of the time limit for the first head.
    pub(super) since: Instant,
    pub(super) head_timeout: Duration,
    pub(super) open: OpenConnection,
    pub(super) rejection_writer: Rc<RejectionWriter>,
}
