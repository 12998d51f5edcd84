//! `patrol check`.

use patrol_application::PhotoCheck;

use super::has_store;
use crate::{error::CommandError, output, settings::Configuration, wiring::Wiring};

/// Finds photos that no user has and removes them, unless it is to say only which; and finds users
/// whose photo is not there.
pub(super) async fn run(configuration: &Configuration, dry_run: bool) -> Result<(), CommandError> {
    // Without its users every photo would be nobody's.
    has_store(configuration)?;
    let wiring = Wiring::for_command(configuration).await?;
    let checked = match wiring.photos(&configuration.photos) {
        Ok(photos) if dry_run => photos.service.look().await.map_err(CommandError::from),
        Ok(photos) => photos.service.check().await.map_err(CommandError::from),
        Err(error) => Err(error),
    };
    wiring.close().await;
    let PhotoCheck { objects, unowned, missing } = checked?;
    for user in &missing {
        tracing::warn!(%user, "the photo of a user is not there");
    }
    let done = if dry_run { "would be removed" } else { "removed" };
    let mut answer = format!(
        "photos: {objects} found, {} of no user {done}, {} of users missing\n",
        unowned.len(),
        missing.len(),
    );
    if dry_run {
        for photo in unowned {
            answer.push_str(&photo.to_string());
            answer.push('\n');
        }
    }
    output::answer(&answer)
}
