//! Counters of photos for the operator.

use patrol_domain::{Figure, Monitored, Tally};

/// The counters of photos.
#[derive(Default, Debug)]
pub(super) struct PhotoTallies {
    /// Uploads that became the photo of a user.
    pub(super) stored: Tally,
    /// Uploads whose image was refused.
    pub(super) refused: Tally,
    /// Removed objects whose user got another photo or none.
    pub(super) replaced: Tally,
    /// Removed objects of interrupted uploads and removals.
    pub(super) leftovers: Tally,
    /// Objects whose removal failed.
    pub(super) delayed: Tally,
}

impl Monitored for PhotoTallies {
    fn figures(&self) -> Vec<Figure> {
        let Self { stored, refused, replaced, leftovers, delayed } = self;
        let (removed, why) =
            ("patrol_photos_removed_total", "Photos removed from the photo store, by reason.");
        vec![
            stored.figure("patrol_photos_stored_total", "Photos uploaded and stored.", None),
            refused.figure(
                "patrol_photos_refused_total",
                "Uploads refused: not an image that can be stored.",
                None,
            ),
            replaced.figure(removed, why, Some(("reason", "released"))),
            leftovers.figure(removed, why, Some(("reason", "leftover"))),
            delayed.figure(
                "patrol_photos_delayed_removals_total",
                "Photos whose removal failed; the next clean-up tries again.",
                None,
            ),
        ]
    }
}
