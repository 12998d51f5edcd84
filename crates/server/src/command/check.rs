//! `patrol check`.

use patrol_application::PhotoCheck;

use super::has_store;
use crate::{error::CommandError, output, settings::Configuration, wiring::Wiring};

/// Finds photos that no user has and removes them.
pub(super) async fn run(configuration: &Configuration) -> Result<(), CommandError> {
    // Without its users every photo would be nobody's.
    has_store(configuration)?;
    let wiring = Wiring::for_command(configuration)?;
    let checked = match wiring.photos(&configuration.photos) {
        Ok(photos) => photos.check().await.map_err(CommandError::from),
        Err(error) => Err(error),
    };
    wiring.close().await;
    let PhotoCheck { objects, removed } = checked?;
    output::answer(&format!("photos: {objects} found, {removed} of no user removed\n"))
}
