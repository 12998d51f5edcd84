//! Metrics of photos.

use patrol_domain::{Figure, Monitored, Tally};

/// Counts events of photos.
#[derive(Default, Debug)]
pub(super) struct PhotoTallies {
    /// Photos set for a user.
    pub(super) stored: Tally,
    /// Uploads whose image was refused.
    pub(super) refused: Tally,
    /// Photos removed because their user got another one or none.
    pub(super) released: Tally,
    /// Photos removed that an interrupted upload or removal had left behind.
    pub(super) leftovers: Tally,
    /// Photos whose removal failed.
    pub(super) delayed: Tally,
}

impl Monitored for PhotoTallies {
    fn figures(&self) -> Vec<Figure> {
        let Self { stored, refused, released, leftovers, delayed } = self;
        let (removed, why) =
            ("patrol_photos_removed_total", "Photos removed from their place, by reason.");
        vec![
            stored.figure("patrol_photos_stored_total", "Photos uploaded and stored.", None),
            refused.figure(
                "patrol_photos_refused_total",
                "Photos refused: not a picture that can be kept.",
                None,
            ),
            released.figure(removed, why, Some(("reason", "released"))),
            leftovers.figure(removed, why, Some(("reason", "leftover"))),
            delayed.figure(
                "patrol_photos_delayed_removals_total",
                "Photos whose removal failed; the next clean-up tries again.",
                None,
            ),
        ]
    }
}
