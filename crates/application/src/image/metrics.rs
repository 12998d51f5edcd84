//! Counters of photos for the operator.

use patrol_domain::{Counter, Metric, Monitored};

/// The counters of photos.
#[derive(Default, Debug)]
pub(super) struct PhotoMetrics {
    /// Uploads that became the photo of a user.
    pub(super) stored: Counter,
    /// Uploads whose image was refused.
    pub(super) refused: Counter,
    /// Removed objects whose user got another photo or none.
    pub(super) replaced: Counter,
    /// Removed objects of interrupted uploads and removals.
    pub(super) leftovers: Counter,
    /// Objects whose removal failed.
    pub(super) delayed: Counter,
}

impl Monitored for PhotoMetrics {
    fn metrics(&self) -> Vec<Metric> {
        let Self { stored, refused, replaced, leftovers, delayed } = self;
        let (removed, why) =
            ("patrol_photos_removed_total", "Photos removed from the photo store, by reason.");
        vec![
            stored.metric("patrol_photos_stored_total", "Photos uploaded and stored.", None),
            refused.metric(
                "patrol_photos_refused_total",
                "Uploads refused: not an image that can be stored.",
                None,
            ),
            replaced.metric(removed, why, Some(("reason", "released"))),
            leftovers.metric(removed, why, Some(("reason", "leftover"))),
            delayed.metric(
                "patrol_photos_delayed_removals_total",
                "Photos whose removal failed; the next clean-up tries again.",
                None,
            ),
        ]
    }
}
