//! The photos of a command that must not create their folder.

use patrol_application::ImageService;
use patrol_photos::Place;

use crate::{error::CommandError, settings::PhotoSettings, wiring::Wiring};

/// The use cases of images for a command that must not create the folder of photos. A missing folder is
/// replaced by an empty store in memory.
pub(super) fn existing_photos(
    wiring: &Wiring,
    settings: &PhotoSettings,
) -> Result<ImageService, CommandError> {
    let is_absent = |error: std::io::Error| error.kind() == std::io::ErrorKind::NotFound;
    let photos = match &settings.place {
        Place::Folder(path) if std::fs::metadata(path).is_err_and(is_absent) => {
            wiring.photos(&PhotoSettings { place: Place::Memory, ..settings.clone() })?
        }
        _ => wiring.photos(settings)?,
    };
    Ok(photos.images)
}
