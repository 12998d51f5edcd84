//! SIGTERM and SIGINT.

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::error::CommandError;

/// The signals that stop the program.
pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    /// Installs handlers; from now on the signals no longer kill the process.
    pub(crate) fn listen() -> Result<Self, CommandError> {
        let caught = |kind| {
            signal(kind).map_err(|error| {
                CommandError::Failed(format!("cannot wait for signals: {error}; report this"))
            })
        };
        Ok(Self {
            terminate: caught(SignalKind::terminate())?,
            interrupt: caught(SignalKind::interrupt())?,
        })
    }

    /// Waits for the next signal and returns its name.
    pub(crate) async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}
