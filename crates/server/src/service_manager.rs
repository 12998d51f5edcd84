//! Tells systemd that the service is ready: `systemctl start` waits for it, and fails when the program
//! ends before.

use sd_notify::NotifyState;

/// Says that connections are accepted. Does nothing without systemd, which names its socket in
/// `NOTIFY_SOCKET`.
pub(crate) fn ready() {
    if let Err(error) = sd_notify::notify(&[NotifyState::Ready]) {
        tracing::warn!(%error, "systemd was not told that the service is ready");
    }
}
