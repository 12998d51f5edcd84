//! Values from which the defaults and bounds of settings are made.

use std::time::Duration;

/// In bytes.
pub(super) const MIB: usize = 1 << 20;
pub(super) const HOUR: Duration = Duration::from_secs(3600);
/// The longest time of any setting.
pub(super) const CENTURY: Duration = Duration::from_secs(36_500 * 24 * 3600);

/// The number of processors that the program may use.
pub(super) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
