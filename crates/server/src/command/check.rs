//! `patrol check`.

use futures_util::StreamExt;
use patrol_application::{Operator, PhotoCheck};
use patrol_domain::data_set::Record;

use super::existing_photos;
use crate::{
    error::CommandError,
    output,
    settings::{Configuration, PhotoSettings},
    store::Access,
    wiring::Wiring,
};

/// Removes photos that no user has, or with `dry_run` prints them; warns about users whose photo is
/// missing.
pub(super) async fn run(configuration: &Configuration, dry_run: bool) -> Result<(), CommandError> {
    let access = if dry_run { Access::Read } else { Access::Change };
    let wiring = Wiring::for_command(configuration, access).await?;
    let checked = check(&wiring, &configuration.photos, dry_run).await;
    wiring.close().await;
    let PhotoCheck { objects, unowned, missing } = checked?;
    for user in &missing {
        tracing::warn!(%user, "the photo of a user is missing");
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

async fn check(
    wiring: &Wiring,
    settings: &PhotoSettings,
    dry_run: bool,
) -> Result<PhotoCheck, CommandError> {
    let photos = existing_photos(wiring, settings)?;
    if !has_users(wiring).await? {
        // With the wrong store configured, all photos look unused, so no photo is removed.
        let found = photos.compare(Operator).await?;
        if found.objects > 0 {
            return Err(CommandError::Failed(format!(
                "the store has no users, but there are {} photos; no photo was removed; check \
                 --database-url and --photos-url",
                found.objects
            )));
        }
        return Ok(found);
    }
    Ok(if dry_run {
        photos.compare(Operator).await?
    } else {
        photos.compare_and_remove(Operator).await?
    })
}

async fn has_users(wiring: &Wiring) -> Result<bool, CommandError> {
    let mut records = wiring.data_sets().export(Operator);
    while let Some(batch) = records.next().await {
        if batch?.iter().any(|record| matches!(record, Record::User(_))) {
            return Ok(true);
        }
    }
    Ok(false)
}
