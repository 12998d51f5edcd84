//! What operators see of photos.

use patrol_domain::{Figure, Monitored, Tally};

/// Counts what happens to photos.
#[derive(Default, Debug)]
pub(super) struct PhotoTallies {
    /// Photos that were given to a user.
    pub(super) stored: Tally,
    /// Uploads whose picture cannot be kept.
    pub(super) refused: Tally,
    /// Photos removed because they were replaced, or taken from their user.
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
